"""Short bear-offs: backgammon that begins when all that is left is to bear off. The rules are those of the whole game; only the beginning is another.

A type of its own, so that the code that is compiled for the whole game does not depend on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.rules import Facts, start
from ludus.games.backgammon.rules import CHECKERS, DIE1, DIE2, OFF, SIDE, STATE_SIZE, TURN, BackgammonRules
from ludus.kernel import implements

HOME = 6  # points of a home board


class _Fields(NamedTuple):
    scoring: int = 3
    bearoff: int = 0


class BearoffRules(_Fields, BackgammonRules):  # type: ignore[misc]  # mypy takes the fields of both for those of one tuple
    """Backgammon from a bear-off on: each seat has `bearoff` checkers left, on its points 6, 5, 4, 3, 2, 1, 6, …, and the others are off."""

    __slots__ = ()

    @property
    def facts(self) -> Facts:
        """What callers must know of the game: a model of one number of checkers is of no use to another."""
        return super().facts._replace(variant=f"bearoff{self.bearoff}")


@implements(start, BearoffRules)
def _(game: Any, state: Any) -> None:
    for i in range(STATE_SIZE):
        state[i] = 0
    for seat in range(2):
        for checker in range(game.bearoff):
            state[SIDE * seat + HOME - checker % HOME] += 1
        state[SIDE * seat + OFF] = CHECKERS - game.bearoff
    state[TURN] = -1
    state[DIE1] = 0
    state[DIE2] = 0
