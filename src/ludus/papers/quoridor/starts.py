"""Positions of rising difficulty from which games of Quoridor begin while a network learns: the idea of the thesis's `TrainingStateGenerator`.

The thesis wrote its positions down by hand; here they are drawn. Stage 0: a pawn one or two steps from its goal. Stage 1: pawns in
the middle among some walls, few left to build. Stage 2: pawns on their own halves of an open board, most walls left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.rules import start
from ludus.contract.views import set_up
from ludus.games.quoridor.bitboard import (
    BIT,
    HORIZONTAL,
    PAWN,
    TURN,
    VERTICAL,
    WIDTH,
    distance,
    shut,
)
from ludus.games.quoridor.rules import free_anchors, leaves_ways
from ludus.kernel import below, implements, kernel

STAGES = 3
TRIES = 40


class Starts(NamedTuple):
    """The three stages."""

    stages: int = STAGES


CURRICULA: dict[str, Starts] = {"stages": Starts()}


def curricula_of(game: Any) -> dict[str, Starts]:
    """The curricula of Quoridor, by name."""
    return CURRICULA


@kernel
def _build(game: Any, state: Any, count: int, rng: Any) -> None:
    """Draw walls, from the seats' stocks in turn; those that can't be built are left out."""
    for n in range(count):
        seat = n & 1
        if state[PAWN + 2 + seat] == 0:
            continue
        for _ in range(TRIES):
            wall = below(rng, 128)
            horizontal, vertical = free_anchors(game, state)
            word = horizontal if wall < 64 else vertical
            if word & BIT[wall & 63] != 0 and leaves_ways(game, state, wall):
                state[HORIZONTAL if wall < 64 else VERTICAL] |= BIT[wall & 63]
                shut(state, wall)
                state[PAWN + 2 + seat] -= 1
                break


@kernel
def _row(game: Any, seat: int, before_goal: int) -> int:
    """The row so many steps before a seat's goal."""
    last = game.size - 1
    row = min(max(last - before_goal, 0), last)
    return row if seat == 0 else last - row


@implements(set_up, Starts)
def _(curriculum: Any, game: Any, state: Any, seat: int, stage: int, rng: Any) -> None:
    size, columns = game.size, game.columns
    while True:
        start(game, state)
        state[TURN] = seat
        if stage == 0:
            own, other, walls = 1 + below(rng, 2), size // 2 + below(rng, size // 2), below(rng, 5)
        elif stage == 1:
            own, other, walls = 2 + below(rng, size // 2), 2 + below(rng, size // 2), 4 + below(rng, 9)
        else:
            own, other, walls = size // 2 + below(rng, size // 2), size // 2 + below(rng, size // 2), below(rng, 4)
        state[PAWN + seat] = WIDTH * _row(game, seat, own) + below(rng, columns)
        state[PAWN + 1 - seat] = WIDTH * _row(game, 1 - seat, other) + below(rng, columns)
        if state[PAWN] == state[PAWN + 1]:
            continue
        _build(game, state, walls, rng)
        if stage == 1:
            for s in range(2):
                state[PAWN + 2 + s] = min(state[PAWN + 2 + s], below(rng, 4))
        if stage > 0 or distance(game, state, seat) <= 2:
            return
