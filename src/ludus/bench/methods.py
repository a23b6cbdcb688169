"""How fast learners and players in plain Python are on `ludus.batch`: `ludus bench methods`."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ludus.batch import Batch, Games
from ludus.bench.measuring import Measure, not_installed, repeat
from ludus.contract.position import Position
from ludus.contract.views import encoding_of, features
from ludus.games import game as game_of_name
from ludus.matches.flight import play_games
from ludus.players import player

UNIT = 512  # games that the learner plays in a row: at their end fewer and fewer are in flight
RATE = 0.01
HIDDEN = 80


def measures() -> Iterator[Measure]:
    """A learner in numpy, and a network of torch in the arena, asked in batches and position by position."""
    yield Measure("linear TD(0) in numpy, self-play of backgammon", "games/s", _linear_td())
    yield from _torch_player()


# --- a learner in numpy ----------------------------------------------------------------------------------------------


def _linear_td() -> Callable[[float], float]:
    learner = LinearTD()
    return lambda seconds: repeat(lambda number: learner.learn(UNIT), UNIT, seconds)


class LinearTD:
    """TD(0) of the probability that seat 0 wins: the logistic function of a weighted sum of Tesauro's inputs. The weights change after each
    step of all games in flight.
    """

    def __init__(self, slots: int = 64) -> None:
        self.game = game_of_name("backgammon(scoring=1)")
        self.weights = np.zeros(198)
        self.slots, self.games = slots, 0

    def learn(self, count: int) -> np.ndarray:
        """Learn from the next games; return their scores."""
        games = Games(self.game, seed=1, first=self.games, count=count, slots=self.slots)
        self.games += count
        target = np.zeros(self.slots)  # of each game in flight: what its last prediction should have been
        batch, before = games.begin(), None
        while True:
            after = batch.afterstates()
            x = after.observe("raw")
            chance = np.where(after.over, after.scores[:, 0] > 0, 1 / (1 + np.exp(-(x @ self.weights))))
            pick = after.argmax(np.where(after.seats == 0, chance, -chance))
            if before is not None:
                seen, said, slots = before
                target[batch.slots] = chance[pick]
                target[batch.ended.slots] = batch.ended.scores[:, 0] > 0
                seen.add_to(self.weights, RATE * (target[slots] - said))
            if not len(batch):
                return games.scores
            before = x.take(pick), chance[pick], batch.slots
            batch = games.step(after.moves[pick])


# --- a network of torch in the arena ---------------------------------------------------------------------------------


def _torch_player() -> Iterator[Measure]:
    name, unit = f"torch network 198-{HIDDEN}-1 in the arena, choose_batch", "games/s"
    if importlib.util.find_spec("torch") is None:
        yield Measure(name, unit, None, not_installed("torch").name)
        return
    game = game_of_name("backgammon")
    random = player("random", game)

    def games(asked: Any, batch: int) -> Callable[[float], float]:
        def work(number: int) -> None:
            with _one_thread():
                play_games(game, [asked, random], ["torch", "random"], 1, range(number, number + batch))

        return lambda seconds: repeat(work, batch, seconds)

    network = TorchNetwork(game)
    ours = games(network, 256)
    yield Measure(name, unit, ours, "choose, position by position", games(OneByOne(network), 2))
    yield Measure(name, unit, ours, "choose, by batches of one", games(OneRow(network), 8))


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """All is measured on one core."""
    import torch  # an optional package

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class TorchNetwork:
    """The move after which a network, as it was born, likes the position best."""

    def __init__(self, game: Any) -> None:
        import torch  # an optional package

        self.torch, self.encoding = torch, encoding_of(game, "raw")
        torch.manual_seed(1)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(198, HIDDEN), torch.nn.Sigmoid(), torch.nn.Linear(HIDDEN, 1), torch.nn.Sigmoid()
        )

    def chance(self, inputs: np.ndarray) -> np.ndarray:
        """How likely seat 0 is to win, for each row of inputs."""
        with self.torch.inference_mode():
            return self.network(self.torch.from_numpy(inputs))[:, 0].numpy()

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """A move for each row."""
        after = batch.afterstates()
        chance = np.where(after.over, after.scores[:, 0] > 0, self.chance(after.observe(self.encoding).dense()))
        return after.best(np.where(after.seats == 0, chance, -chance))


class OneByOne:
    """The same player, asked for one position after the other."""

    def __init__(self, network: TorchNetwork) -> None:
        self.network = network

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        """A move."""
        moves = position.moves()
        after = [position.play(move) for move in moves]
        inputs = np.zeros((len(moves), 198), np.float32)
        index, value = np.zeros(198, np.int64), np.zeros(198, np.float32)
        for row, then in zip(inputs, after, strict=True):
            count = features(self.network.encoding, position.game, then.state.copy(), index, value)
            row[index[:count]] = value[:count]
        chance = self.network.chance(inputs)
        for i, then in enumerate(after):
            if then.over:
                chance[i] = then.scores()[0] > 0
        return moves[int(np.argmax(chance if position.turn == 0 else -chance))]


class OneRow:
    """The same player, asked for one position after the other, of which it makes a batch each time."""

    def __init__(self, network: TorchNetwork) -> None:
        self.network = network

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        """A move."""
        assert position.turn is not None
        return int(self.network.choose_batch(Batch.of(position, position.turn, np.zeros(1, np.uint64)))[0])
