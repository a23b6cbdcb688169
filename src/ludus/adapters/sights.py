"""What an agent sees of a game: rows of numbers of a fixed length."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.adapters.actions import Actions
from ludus.contract.views import StateSight, encoding_of, features, sight_of
from ludus.kernel import kernel

FEW = 4  # rows for which it does not pay to compile at once


class Sights:
    """The inputs of each seat: the game's sight, which shows dice and all, or one of the encodings of the whole game by name.

    >>> sights = Sights(Actions("backgammon"))
    >>> sights.size, sights.bounded
    (204, True)
    """

    def __init__(self, actions: Actions, encoding: str = "") -> None:
        self.actions = actions
        self.shown = actions.base if encoding else actions.game
        seats = range(actions.game.facts.seats)
        self.each: list[Any] = [
            encoding_of(actions.base, encoding) if encoding else sight_of(actions.game, seat) for seat in seats
        ]
        self.size: int = self.each[0].shape(self.shown)[1]
        self.bounded = not encoding and not isinstance(self.each[0], StateSight)  # inputs lie between 0 and 1
        self._index, self._value = np.zeros(self.size, np.int64), np.zeros(self.size, np.float32)
        self._ends = bool(encoding)  # encodings show no ended games: those rows are 0

    def observe(self, states: np.ndarray, seat: int, over: np.ndarray) -> np.ndarray:
        """What a seat sees of many states: (rows, inputs), float32."""
        hidden = over if self._ends else np.zeros(len(over), np.bool_)
        out = np.zeros((len(states), self.size), np.float32)
        _show(self.each[seat], self.shown, states, hidden, self._index, self._value, out)
        return out

    def one(self, state: np.ndarray, seat: int, over: bool) -> np.ndarray:
        """What a seat sees of one state."""
        return self.observe(state[None], seat, np.array([over]))[0]


def _few(sight: Any, game: Any, states: Any, *rest: Any) -> bool:
    return len(states) <= FEW and hasattr(sight, "seat")


@kernel(lazy=_few)
def _show(sight: Any, game: Any, states: Any, hidden: Any, index: Any, value: Any, out: Any) -> None:
    for row in range(len(states)):
        if not hidden[row]:
            for a in range(features(sight, game, states[row], index, value)):
                out[row, index[a]] = value[a]
