"""What a seat sees of Quoridor: for programs that choose among actions (`contract.views`, sights). The board is not turned, as actions are not."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.views import features
from ludus.games.quoridor.bitboard import HORIZONTAL, PAWN, PLY, TURN, VERTICAL, WIDTH
from ludus.kernel import implements


class QuoridorSight(NamedTuple):
    """Pawns, stocks of walls and the turn, of `seat` first; and the walls."""

    seat: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and no outputs."""
        return 1, game.seats * (game.size * game.columns + 2) + 2 * (game.size - 1) * (game.columns - 1) + 1, 0


@implements(features, QuoridorSight)
def _(sight: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    rows, columns, seats = game.size, game.columns, game.seats
    found, at = 0, 0
    for k in range(seats):
        whose = (sight.seat + k) % seats
        square, stock = state[PAWN + whose], state[PAWN + seats + whose]
        index[found], value[found] = at + columns * (square // WIDTH) + square % WIDTH, 1
        found += 1
        at += rows * columns
        if stock > 0:
            index[found], value[found] = at, stock / game.walls
            found += 1
        if state[TURN] == whose:
            index[found], value[found] = at + 1, 1
            found += 1
        at += 2
    for word in (HORIZONTAL, VERTICAL):
        for row in range(rows - 1):
            for column in range(columns - 1):
                if state[word] >> (8 * row + column) & 1:
                    index[found], value[found] = at, 1
                    found += 1
                at += 1
    index[found], value[found] = at, min(state[PLY] / game.limit, 1)
    return found + 1
