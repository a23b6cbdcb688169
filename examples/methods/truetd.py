"""True online TD(λ) with dutch traces (van Seijen & Sutton 2014), linear, in numpy.

    ludus train backgammon --method examples/methods/truetd.py:TrueTD --set encoding=raw --games 20000

With x the inputs of a state, y = x·w its predicted outcome and z the trace, each step from a state to the next (inputs x', prediction y',
or the true outcome at the end; both y by the weights before the step) is

    z ← λ z + (1 - α λ z·x) x
    w ← w + α (y' - y_old) z - α (y - y_old) x,     y_old ← y'

By this the weights are, at every time, exactly those of the online forward view: each state learns from the λ-return known so far. That
holds for one game after the other. So the games of a unit are played side by side with the weights as they are, and then learned from one by one.
"""

from dataclasses import dataclass

import numpy as np

from ludus import LudusError
from ludus.batch import Afterstates, Batch, Games, Observation
from ludus.contract.views import encoding_of, to_view
from ludus.kernel import specialises
from ludus.methods import Method, setting


class TrueTD(Method):
    """True online TD(λ), linear in what an encoding shows."""

    @dataclass(frozen=True)
    class Settings:
        """What steers it."""

        encoding: str = setting(
            "raw", "what is seen of a state: an encoding of the game with the same view for all seats"
        )
        rate: float = setting(0.003, "step size α", above=0, high=1e6)
        decay: float = setting(0.7, "λ, by which traces fade from move to move", low=0, high=1)
        exploration: float = setting(0.0, "share of random moves", low=0, high=1)

    unit = 20

    def setup(self) -> None:
        """Make the weights: a column for each number that the encoding's networks predict."""
        encoding = encoding_of(self.game, self.settings.encoding)
        if specialises(to_view, type(encoding)):
            raise LudusError(
                f"encoding '{self.settings.encoding}' turns with the seats; TrueTD needs one that does not"
            )
        _, inputs, outputs = encoding.shape(self.game)
        self.weights = np.zeros((inputs, outputs))

    def learn(self, games: int) -> dict[str, float]:
        """Play the next games against oneself, then learn from each, move by move."""
        seen: dict[int, list[np.ndarray]] = {number: [] for number in range(self.games, self.games + games)}
        outcome: dict[int, np.ndarray] = {}
        play = Games(self.game, seed=self.seed, first=self.games, count=games, slots=games)
        batch = play.begin()
        while len(batch):
            after, x, values = evaluate(self.weights, self.settings.encoding, batch)
            pick = np.where(batch.uniform() < self.settings.exploration, after.draw(), after.argmax(values))
            for number, row, over in zip(batch.games.tolist(), x.take(pick).dense(), after.over[pick], strict=True):
                if not over:
                    seen[number].append(row.astype(np.float64))
            batch = play.step(after.moves[pick])
            ended = batch.ended
            last = ended.outcomes(self.settings.encoding, np.zeros((len(ended), self.weights.shape[1])))
            outcome |= {
                number: row for number, row, over in zip(ended.games.tolist(), last, ended.over, strict=True) if over
            }
        self.counters["moves"] += sum(map(len, seen.values()))
        errors = [self.follow(seen[number], outcome[number]) for number in sorted(outcome)]
        return {"error": sum(errors) / max(len(errors), 1)}

    def follow(self, seen: list[np.ndarray], outcome: np.ndarray) -> float:
        """Learn from one game; return by how much predictions differed from the outcome, on average."""
        rate, decay, w = self.settings.rate, self.settings.decay, self.weights
        trace, error = np.zeros(len(w)), 0.0
        old = seen[0] @ w if seen else outcome
        for t, x in enumerate(seen):
            y = x @ w
            then = seen[t + 1] @ w if t + 1 < len(seen) else outcome
            trace = decay * trace + (1 - rate * decay * (trace @ x)) * x
            w += rate * (np.outer(trace, then - old) - np.outer(x, y - old))
            old = then
            error += float(np.abs(outcome - y).mean())
        return error / max(len(seen), 1)

    def state(self) -> dict[str, np.ndarray]:
        """All that changes."""
        return {"weights": self.weights}

    def player(self) -> "Greedy":
        """Who plays with what was learned so far."""
        return Greedy(self.weights, self.settings.encoding)


def evaluate(weights: np.ndarray, encoding: str, batch: Batch) -> tuple[Afterstates, Observation, np.ndarray]:
    """All moves of a batch, what is seen after them, and what each is worth to the seat that makes it."""
    after = batch.afterstates()
    x = after.observe(encoding)
    return after, x, after.worth(encoding, x @ weights)


class Greedy:
    """Makes the move of the highest value, the first of equals."""

    name = "truetd"

    def __init__(self, weights: np.ndarray, encoding: str) -> None:
        self.weights, self.encoding = weights, encoding

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """A move for each row."""
        after, _, values = evaluate(self.weights, self.encoding, batch)
        return after.best(values)
