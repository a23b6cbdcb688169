"""Methods that do what methods must not do, each in its own way, and one that is all right."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.batch import Batch, Games
from ludus.methods import Method, setting


class FirstMove:
    """Always makes the first move."""

    name = "first"

    def choose_batch(self, batch: Batch) -> np.ndarray:
        legal = batch.legal()
        return legal.moves[legal.starts[:-1]]


class Sound(Method):
    """Learns nothing worth knowing, but as a method should."""

    @dataclass(frozen=True)
    class Settings:
        rate: float = setting(0.1, "step size", above=0, high=1)

    def setup(self) -> None:
        self.seen = np.zeros(1)

    def learn(self, games: int) -> dict[str, float]:
        played = Games(self.game, seed=self.seed, first=self.games, count=games)
        batch = played.begin()
        while len(batch):
            self.counters["moves"] += len(batch)
            self.seen += self.settings.rate * len(batch)
            batch = played.step(batch.random_moves())
        return {}

    def state(self) -> dict[str, np.ndarray]:
        return {"seen": self.seen}

    def player(self) -> Any:
        return FirstMove()


class Raises(Sound):
    def learn(self, games: int) -> dict[str, float]:
        if self.games >= 60:
            raise ZeroDivisionError("no games left to divide by")
        return super().learn(games)


class Diverges(Sound):
    def learn(self, games: int) -> dict[str, float]:
        if self.games >= 60:
            self.seen[:] = np.nan
        return {}


class NeverEnds(Sound):
    def learn(self, games: int) -> dict[str, float]:
        while self.games >= 60:
            time.sleep(1)
        return {}


class EndsAll(Sound):
    def learn(self, games: int) -> dict[str, float]:
        if self.games >= 60:
            os._exit(3)
        return {}


class Luck(Sound):
    """Learns otherwise each time."""

    def learn(self, games: int) -> dict[str, float]:
        self.seen += int.from_bytes(os.urandom(4), "big")
        return {}


class Forgets(Sound):
    """Keeps half of what it learned to itself."""

    def setup(self) -> None:
        self.seen, self.hidden = np.zeros(1), 1.0

    def learn(self, games: int) -> dict[str, float]:
        self.hidden *= 2
        self.seen += self.hidden
        return {}


class Cheater:
    name = "cheater"

    def choose_batch(self, batch: Batch) -> np.ndarray:
        return np.full(len(batch), 987654)


class Cheats(Sound):
    def player(self) -> Any:
        return Cheater()


class Impatient(Sound):
    """Needs a package that is not there."""

    def setup(self) -> None:
        import a_package_that_nobody_has  # noqa: F401
