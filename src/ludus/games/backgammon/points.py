"""The chances to win at which cube decisions change: take points, and from where on one doubles, cashes, or is too good to double.

The shares of gammons stay what they are in a position, while the chance to win is moved. All points are chances of the side about to roll, but for
take points, which are those of the side that is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ludus.games.backgammon.cubeful import (
    Chances,
    Stake,
    Verdict,
    dead_take_point,
    mean_win,
    reward,
    shares_of,
    take_point,
    weigh,
)

STEPS = 400  # in which the chances to win are searched for a change, before it is narrowed down


class TakePoints(NamedTuple):
    """From which chance to win on a side takes a double."""

    dead: float  # if nobody doubles after that
    live: float  # if the cube is always turned at the best moment
    model: float  # in between, as real positions are


class Window(NamedTuple):
    """Where the side about to roll doubles; None where there is no such chance."""

    opens: float | None  # with a cube that is dead afterwards a double gains from here on: in the last roll one doubles
    double: float | None  # a double gains
    cash: float | None  # the other side passes
    too_good: float | None  # playing on for the gammon gains


def moved(chances: Chances, win: float) -> Chances:
    """The chances with another share of wins, of which as many are gammons as before."""
    mine, theirs = shares_of(chances)
    loss = 1 - win
    return Chances(win, win * mine.gammons, win * mine.backgammons, loss * theirs.gammons, loss * theirs.backgammons)


def take_points(table: np.ndarray, chances: Chances, stake: Stake, efficiency: float) -> TakePoints:
    """The take points of the side that is asked, if the one about to roll doubles.

    >>> from ludus.games.backgammon.equities import equities
    >>> [round(point, 3) for point in take_points(equities(0), Chances(0.7), Stake(), 2 / 3)]
    [0.25, 0.2, 0.214]
    """
    mine, theirs = shares_of(chances)
    score = stake.other, stake.own, theirs, mine, stake.cube
    cash = _first(lambda win: _passes(weigh(table, moved(chances, win), stake, efficiency)))
    return TakePoints(dead_take_point(table, *score), take_point(table, *score), 0.0 if cash is None else 1 - cash)


def window(table: np.ndarray, chances: Chances, stake: Stake, efficiency: float) -> Window:
    """The doubling window of the side about to roll, which may double.

    >>> from ludus.games.backgammon.equities import equities
    >>> found = window(equities(0), Chances(0.6), Stake(cube=2, owner=1), 2 / 3)
    >>> round(found.opens, 3), round(found.double, 3), round(found.cash, 3), found.too_good
    (0.5, 0.714, 0.786, None)
    """

    def doubles(win: float, x: float) -> bool:
        verdict = weigh(table, moved(chances, win), stake, x)
        return bool(min(verdict.take, verdict.drop) > verdict.hold)

    double = _first(lambda win: doubles(win, efficiency))
    too_good = None
    if double is not None:
        too_good = _first(lambda win: win > double + 1e-9 and not doubles(win, efficiency))
    return Window(
        _first(lambda win: doubles(win, 0.0)),
        double,
        _first(lambda win: _passes(weigh(table, moved(chances, win), stake, efficiency))),
        too_good,
    )


def _passes(verdict: Verdict) -> bool:
    return bool(verdict.take > verdict.drop)


def _first(holds: Callable[[float], bool]) -> float | None:
    """The least chance to win, short of certainty, from which on something holds; None where it never does."""
    previous = 0.0
    for step in range(STEPS):
        win = step / STEPS
        if holds(win):
            low, high = previous, win
            while high - low > 1e-7:
                middle = (low + high) / 2
                low, high = (low, middle) if holds(middle) else (middle, high)
            return high
        previous = win
    return None


def normalised(table: np.ndarray, stake: Stake, equity: float) -> float:
    """An equity as points of a cube at 1: -1 is a single game lost with the cube as it is, 1 one that was won."""
    win, loss = reward(table, stake.own, stake.other, stake.cube), -reward(table, stake.other, stake.own, stake.cube)
    return float((2 * equity - win - loss) / (win - loss))


def cubeless(table: np.ndarray, chances: Chances, stake: Stake) -> float:
    """The equity if nobody ever doubles."""
    mine, theirs = shares_of(chances)
    top = mean_win(table, stake.own, stake.other, mine, stake.cube)
    bottom = -mean_win(table, stake.other, stake.own, theirs, stake.cube)
    return float(bottom + chances.win * (top - bottom))
