"""Limits of plies. Rules that end a game after some plies keep a count in the state, and by it the same position is another state each time that it is
met. A **clock** tells the two apart: what is counted, and what the state is without it.

A game with such a limit offers one by a method `clock()`. It promises that the count grows by itself, whatever is played, that legal moves and what
they do to the rest of the state don't depend on it, and that it ends no game before it has run out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.rules import Rules, State
from ludus.kernel import generic, implements


class NoClock(NamedTuple):
    """Of a game without a limit, or whose count is no clock."""

    limit: int = 0  # plies that the clock counts from the beginning of a game


@generic
def plies_left(clock: Any, game: Rules, state: State, /) -> int:
    """How many plies of a state's game the clock will still count."""


@generic
def wind(clock: Any, game: Rules, state: State, /) -> None:
    """Set the clock of a state back to the beginning of the game."""


@generic
def run_out(clock: Any, game: Rules, state: State, /) -> None:
    """Make of a state the one that it would be if the clock had run out."""


@implements(plies_left, NoClock)
def _(clock: Any, game: Any, state: Any) -> int:
    return 0


@implements(wind, NoClock)
def _(clock: Any, game: Any, state: Any) -> None:
    pass


@implements(run_out, NoClock)
def _(clock: Any, game: Any, state: Any) -> None:
    pass


def clock_of(game: Any) -> Any:
    """The clock that a game offers, or NoClock.

    >>> import ludus
    >>> clock_of(ludus.game("quoridor(size=5)")).limit, clock_of(ludus.game("kingrook")).limit, clock_of(ludus.game("hex3"))
    (100, 40, NoClock(limit=0))
    """
    return game.clock() if hasattr(game, "clock") else NoClock()
