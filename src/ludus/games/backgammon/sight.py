"""What a seat sees of backgammon at its decision, dice included: for programs that choose among actions (`contract.views`, sights)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.views import features
from ludus.games.backgammon.rules import BAR, CHECKERS, DIE1, DIE2, OFF, SIDE, STATE_SIZE, TURN
from ludus.kernel import implements, kernel

POINTS = 24
UNITS = 4  # of a point and side: one checker or more, two, three, and the share of those beyond
BEYOND = 2 * POINTS * UNITS  # bar and off of both sides, steps left by each number of a die, whose turn it is


class BackgammonSight(NamedTuple):
    """The board as `seat` counts it, its own side first."""

    seat: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and no outputs."""
        return 1, BEYOND + 4 + 6 + 2, 0


@implements(features, BackgammonSight)
def _(sight: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    return see_board(sight.seat, state, state[STATE_SIZE] if len(state) > STATE_SIZE else 0, index, value)


@kernel
def see_board(seat: int, state: Any, used: int, index: Any, value: Any) -> int:
    """Write what a seat sees of the board and of the dice, of which some are used; return how many inputs there are."""
    found = 0
    for side in range(2):
        whose = seat if side == 0 else 1 - seat
        own = SIDE * whose
        for point in range(1, POINTS + 1):
            count = state[own + point]
            at = UNITS * (POINTS * side + (point if side == 0 else 25 - point) - 1)
            for unit in range(min(count, 3)):
                index[found], value[found] = at + unit, 1
                found += 1
            if count > 3:
                index[found], value[found] = at + 3, (count - 3) / (CHECKERS - 3)
                found += 1
        for k in range(2):
            count = state[own + (BAR if k == 0 else OFF)]
            if count > 0:
                index[found], value[found] = BEYOND + 2 * side + k, count / CHECKERS
                found += 1
    big, small = state[DIE1], state[DIE2]
    if big > 0 and big == small:
        index[found], value[found] = BEYOND + 4 + big - 1, (4 - used) / 4
        found += 1
    elif big > 0:
        for k in range(2):
            if used != 1 + k:
                index[found], value[found] = BEYOND + 4 + (big if k == 0 else small) - 1, 0.25
                found += 1
    if state[TURN] >= 0:
        index[found], value[found] = BEYOND + 10 + (state[TURN] != seat), 1
        found += 1
    return found
