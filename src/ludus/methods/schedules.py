"""How step sizes and exploration fall in the course of a training. Settings inherit from the classes below to have both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.methods.settings import setting
from ludus.quantities import GAMES_OR_NONE, SHARE, SOME_SHARE, STEP


def geometric(first: float, last: float, done: int, total: int) -> float:
    """From the first value to the last, by the same factor from game to game.

    >>> geometric(1.0, 0.01, 50, 100)
    0.1
    """
    return float(first * (last / first) ** min(done / total, 1.0))


def linear(first: float, games: np.ndarray | int, over: int) -> np.ndarray:
    """From a value to 0, in a straight line, over so many games; always the value itself where these are 0.

    >>> linear(0.5, np.array([0, 50, 200]), 100)
    array([0.5 , 0.25, 0.  ])
    """
    fall = np.maximum(1 - np.asarray(games) / over, 0.0) if over else np.ones_like(games, np.float64)
    return np.asarray(first * fall)


@dataclass(frozen=True)
class StepSize:
    """Settings of a step size that falls."""

    rate: float = setting(0.1, "step size at the beginning", STEP)
    final_rate: float = setting(0.1, "step size at the end; geometric in between", STEP)

    def rate_after(self, games: int, total: int) -> float:
        """The step size after so many of all games."""
        return geometric(self.rate, self.final_rate, games, total)


@dataclass(frozen=True)
class Exploration:
    """Settings of a share of random moves that falls."""

    exploration: float = setting(0.0, "share of random moves in the first game", SHARE)
    exploration_shape: str = setting("decay", "how it falls", choices=("decay", "linear", "cosine"))
    exploration_decay: float = setting(
        1.0, "its factor from game to game", SOME_SHARE, when=("exploration_shape", "decay")
    )
    exploration_floor: float = setting(0.0, "what it does not fall below; a line ends that much higher", SHARE)
    exploration_games: int = setting(
        0,
        "games in which it falls to 0 in a straight line; 0: it does not",
        GAMES_OR_NONE,
        when=("exploration_shape", ("decay", "linear")),
    )

    def exploration_in(self, games: np.ndarray, total: int) -> np.ndarray:
        """The share of random moves in games of such numbers, of `total` in which there is any.

        >>> Exploration(exploration=0.5, exploration_shape="cosine").exploration_in(np.array([0, 100]), 100).round(3)
        array([0.5, 0. ])
        """
        first, floor = self.exploration, self.exploration_floor
        if self.exploration_shape == "cosine":
            return (first - floor) * np.cos(games / total * np.pi / 2) + floor
        if self.exploration_shape == "linear":
            return np.minimum(linear(first, games, self.exploration_games) + floor, 1.0)
        share = np.maximum(first * self.exploration_decay**games, floor)
        return linear(1.0, games, self.exploration_games) * share
