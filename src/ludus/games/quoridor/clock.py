"""The limit of plies in Quoridor as a clock (`contract.clock`): a game that it ends is a draw."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.clock import plies_left, run_out, wind
from ludus.contract.rules import OVER
from ludus.games.quoridor.bitboard import PLY, TURN
from ludus.kernel import implements


class PlyClock(NamedTuple):
    """Counts the plies of a game."""

    limit: int


@implements(plies_left, PlyClock)
def _(clock: Any, game: Any, state: Any) -> int:
    return clock.limit - state[PLY]


@implements(wind, PlyClock)
def _(clock: Any, game: Any, state: Any) -> None:
    state[PLY] = 0


@implements(run_out, PlyClock)
def _(clock: Any, game: Any, state: Any) -> None:
    state[PLY] = clock.limit
    state[TURN] = OVER
