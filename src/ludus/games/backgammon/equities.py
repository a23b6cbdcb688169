"""Match equity tables, computed: how likely each side is to win a match, by the points that both still need.

A game of a match is taken for one between equals, in which the cube is worth what `cubeful.py` makes of it. So an entry is the equity of the first
position at that score, and follows from those of the scores to which the game may lead. In the Crawford game there is no cube, and who trails wins half
of the games. After it the trailing side doubles at once. The other side then takes, or, where it can spare the point, passes if the first rolls went
against it: the free drop.

Of the numbers in `Opening` the efficiency of the cube is that of play; the others were fitted to the table of Kazaross and XG (2011), which was made by
rolling out the first position at each score. Of its 105 scores up to 15 away, none is off by more than 0.4 percentage points (`tools/cube_decisions.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.games.backgammon.cubeful import EFFICIENCY, Chances, Shares, Stake, cubeful, mean_win, reward
from ludus.kernel import kernel

LONGEST = 1000  # points of a match that there is a table for


class Opening(NamedTuple):
    """What must be known of the first position of a game."""

    gammons: float = 0.277  # of all wins, if a gammon is worth what it is for money
    eager: float = 0.175  # how that share grows with what a gammon is worth
    backgammons: float = 0.05  # of all gammons
    efficiency: float = EFFICIENCY
    swing: float = (
        0.036  # by the time of the first double the chance to win lies anywhere between 0.5 - swing and 0.5 + swing
    )


FITTED = Opening()


# --- the table -------------------------------------------------------------------------------------------------------


@kernel
def fill(table: Any, opening: Any, crawford: bool) -> None:
    """Write the table: `table[0, a, b]` is the chance of a side that needs a points against one that needs b; where one of them is 1, in the
    Crawford game. `table[1, a, b]` is that after the Crawford game. Without the Crawford rule both are the same.
    """
    longest = table.shape[1] - 1
    for needs in range(longest + 1):
        for after in range(2):
            table[after, needs, 0] = 0.0
            table[after, 0, needs] = 1.0
            table[after, 1, 1] = 0.5
    shares = Shares(opening.gammons, opening.gammons * opening.backgammons)
    for needs in range(2, longest + 1):
        chance = _after_crawford(table, needs, shares, opening.swing)
        _enter(table, 1, needs, 1, chance)
        if crawford:
            chance = 0.25 * (1.0 + mean_win(table, needs, 1, shares, 1))
        _enter(table, 0, needs, 1, chance)
    for own in range(2, longest + 1):
        for other in range(2, own + 1):
            g = _gammons(table, own, other, opening)
            lg = _gammons(table, other, own, opening)
            b = opening.backgammons
            chances = Chances(0.5, 0.5 * g, 0.5 * g * b, 0.5 * lg, 0.5 * lg * b)
            equity = cubeful(table, chances, Stake(own, other, 1, 0, 0, 0, 0), opening.efficiency)
            _enter(table, 0, own, other, (1.0 + equity) / 2.0)


@kernel
def _enter(table: Any, after: int, own: int, other: int, chance: float) -> None:
    table[after, own, other] = chance
    table[after, other, own] = 1.0 - chance


@kernel
def _after_crawford(table: Any, needs: int, shares: Any, swing: float) -> float:
    """The chance of who trails and doubles at once: the lesser of playing on and of being given a point, on average."""
    slope = 0.5 * (1.0 + mean_win(table, needs, 1, shares, 2))  # the chance to win the match, for each game that is won
    dropped = table[1, needs - 1, 1]
    beyond = min(max(0.5 + swing - dropped / slope, 0.0), 2.0 * swing)  # how far the chance may be above the drop point
    return slope * (0.5 - beyond * beyond / (4.0 * swing))


@kernel
def _gammons(table: Any, own: int, other: int, opening: Any) -> float:
    """The share of gammons among the wins of a side at a score: more where they are worth more, with the cube at 2."""
    return opening.gammons + opening.eager * (gammon_value(table, own, other, 2) - 0.5)


@kernel
def gammon_value(table: Any, own: int, other: int, cube: int) -> float:
    """What a gammon adds to a win, by what a win adds to a loss: 0.5 for money, 0 where gammons are of no use."""
    win, loss = reward(table, own, other, cube), -reward(table, other, own, cube)
    return (reward(table, own, other, 2 * cube) - win) / (win - loss)


# --- for callers -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def equities(length: int, crawford: bool = True, opening: Opening = FITTED) -> np.ndarray:
    """The table for matches to `length` points; see `fill`. All who ask share it, so that nobody may write to it. For money, length 0, there is nothing
    in it.

    >>> float(equities(7)[0, 3, 2].round(3))
    0.397
    """
    if not 0 <= length <= LONGEST:
        raise LudusError(f"there is no match equity table for {length} points: matches go to 1 to {LONGEST}")
    table = np.zeros((2, length + 1, length + 1))
    if length > 0:
        fill(table, opening, crawford)
    return table


def match_equity(own: int, other: int, after: bool = False) -> float:
    """The chance to win a match, before a game, of a side that needs `own` points against one that needs `other`; where one of them is 1, this
    game is the Crawford game, unless `after` says that it was played.

    >>> round(match_equity(2, 2), 3), round(match_equity(2, 1), 2), round(match_equity(2, 1, after=True), 2)
    (0.5, 0.32, 0.49)
    """
    for needs in (own, other):
        if not 1 <= needs <= LONGEST:
            raise LudusError(f"a side can't need {needs} points in a match: it needs 1 to {LONGEST}")
    if after and own > 1 and other > 1:
        raise LudusError(
            f"the Crawford game can't have been played at {own}-away, {other}-away: nobody needs only one point"
        )
    return float(equities(max(own, other))[int(after), own, other])
