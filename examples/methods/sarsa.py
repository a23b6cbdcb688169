"""SARSA on any game, in numpy: Q-values are linear in what an encoding shows, or a table.

    ludus train tictactoe --method examples/methods/sarsa.py:Sarsa --games 20000
    ludus train backgammon --method examples/methods/sarsa.py:Sarsa --set encoding=raw --games 20000

Each seat has weights of its own: Q(s, a) is the score that it expects when it moves from s by a. Seen is the state to which the move
leads. After each move of a seat, the value of its move before is drawn towards the value of this one (Rummery & Niranjan 1994; Sutton
& Barto, chapter 10); after the last one, towards the seat's score. So it does not matter how many seats there are, whether one of them moves
twice in a row, or whether all move at once.
"""

from dataclasses import dataclass

import numpy as np

from ludus.batch import Batch, Games, Memory
from ludus.methods import Method, setting


class Sarsa(Method):
    """Linear SARSA, each seat for itself, or on a table."""

    @dataclass(frozen=True)
    class Settings:
        """What steers it."""

        encoding: str = setting("", "what is seen of a state: an encoding of the game; empty: a table of all positions")
        entries: int = setting(2**20, "entries of the table", low=1, high=10**8, when=("encoding", ""))
        rate: float = setting(0.1, "step size, shared by the inputs that are not zero", above=0, high=1)
        exploration: float = setting(0.1, "share of random moves", low=0, high=1)
        slots: int = setting(64, "games in flight at once", low=1, high=10_000)

    unit = 500
    joint = True

    def setup(self) -> None:
        """Make the weights: a column for each seat."""
        name, encodings = self.settings.encoding, self.game.encodings()
        inputs = encodings[name].shape(self.game)[1] if name else self.settings.entries
        self.weights = np.zeros((inputs, self.game.facts.seats), np.float32)

    def learn(self, games: int) -> dict[str, float]:
        """Play the next games against oneself, and learn after each move."""
        settings, seats = self.settings, self.game.facts.seats
        play = Games(self.game, seed=self.seed, first=self.games, count=games, slots=settings.slots)
        self.memory = Memory(
            settings.slots * seats, len(self.weights)
        )  # what each seat of each game in flight saw after its last move
        self.error = self.updates = 0.0
        batch = play.begin()
        while len(batch):
            after, x, q = evaluate(self.weights, settings.encoding, batch)
            pick = np.where(batch.uniform() < settings.exploration, after.draw(), after.argmax(q))
            places = batch.slots * seats + batch.seats
            self.update(places, q[pick])
            self.memory.put(places, x.take(pick))
            self.counters["moves"] += len(batch)
            batch = play.step(after.moves[pick])
            places = (batch.ended.slots[:, None] * seats + np.arange(seats)).ravel()
            self.update(places, batch.ended.scores.ravel())
            self.memory.clear(places)
        return {"error": self.error / max(self.updates, 1), "exploration": settings.exploration}

    def update(self, places: np.ndarray, targets: np.ndarray) -> None:
        """Draw the values of last moves towards their targets."""
        seen, rows, seat = self.memory.take(places), np.arange(len(places)), places % self.game.facts.seats
        active = np.diff(
            seen.starts
        )  # inputs that are not zero; none where a seat has not moved yet, or its move ended the game
        error = np.where(active > 0, targets - (seen @ self.weights)[rows, seat], 0)
        steps = np.zeros((len(places), self.game.facts.seats))
        steps[rows, seat] = self.settings.rate * error / np.maximum(active, 1)
        seen.add_to(self.weights, steps)
        self.error += np.abs(error).sum()
        self.updates += (active > 0).sum()

    def state(self) -> dict[str, np.ndarray]:
        """All that changes."""
        return {"weights": self.weights}

    def player(self) -> "Greedy":
        """Who plays with what was learned so far."""
        return Greedy(self.weights, self.settings.encoding)


def evaluate(weights: np.ndarray, encoding: str, batch: Batch) -> tuple:
    """All moves of a batch, what is seen after them, and what each is worth to the seat that makes it."""
    after = batch.afterstates()
    x = after.observe(encoding) if encoding else after.hashed(len(weights))
    moves = np.arange(len(after.moves))
    q = (x @ weights)[moves, after.seats]
    return after, x, np.where(after.over, after.scores[moves, after.seats], q)


class Greedy:
    """Makes the move of the highest value, the first of equals."""

    name = "sarsa"

    def __init__(self, weights: np.ndarray, encoding: str) -> None:
        self.weights, self.encoding = weights, encoding

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """A move for each row."""
        after, _, q = evaluate(self.weights, self.encoding, batch)
        return after.best(q)
