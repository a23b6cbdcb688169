"""Quoridor for two on a small board with few walls, solved exactly, without a limit of plies.

Wall by wall from the end: with all walls built there are only pawns, and who wins is worked out backwards from the goals; a
position with walls in stock can also go over to one with a wall more, which is solved already. What is left over is a draw: neither can
force a win.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import start
from ludus.games.quoridor import Quoridor
from ludus.games.quoridor.bitboard import BIT, HORIZONTAL, OFFSET, PAWN, TURN, WIDTH, shut
from ludus.games.quoridor.rules import is_home, legal_walls, steps
from ludus.kernel import kernel, lowest_bit

SQUARES = WIDTH * WIDTH
NOTHING = -2

Built = tuple[frozenset[int], int, int]  # the walls on the board, and the two stocks


@kernel
def place(first: int, second: int, mover: int) -> int:
    return (first * SQUARES + second) * 2 + mover


@kernel
def solve_pawns(game: Any, state: Any, after: Any, table: Any, row: int, best: Any) -> None:
    """Fill a row of the table: for each place of the pawns whether the seat to move wins (1), loses (-1) or neither (0). `after` are the
    rows after each wall.
    """
    squares, columns = game.size * WIDTH, game.columns
    for first in range(squares):
        for second in range(squares):
            if first == second or first % WIDTH >= columns or second % WIDTH >= columns:
                continue
            state[PAWN], state[PAWN + 1] = first, second
            for mover in range(2):
                at = place(first, second, mover)
                best[at] = NOTHING
                if is_home(game, state, 1 - mover):
                    table[row, at] = -1
                elif is_home(game, state, mover):
                    table[row, at] = 1
                elif state[PAWN + 2 + mover] > 0:
                    horizontal, vertical = legal_walls(game, state)
                    for kind in range(2):
                        mask = horizontal if kind == 0 else vertical
                        while mask != 0:
                            wall = lowest_bit(mask)
                            mask ^= BIT[wall]
                            found = -table[after[mover, 64 * kind + wall], place(first, second, 1 - mover)]
                            best[at] = max(best[at], found)
    changed = True
    while changed:
        changed = False
        for first in range(squares):
            for second in range(squares):
                if first == second or first % WIDTH >= columns or second % WIDTH >= columns:
                    continue
                state[PAWN], state[PAWN + 1] = first, second
                for mover in range(2):
                    at = place(first, second, mover)
                    if table[row, at] != 0:
                        continue
                    highest = best[at]
                    mask = steps(game, state, mover)
                    if mask == 0 and highest == NOTHING:  # passes
                        highest = -table[row, place(first, second, 1 - mover)]
                    while mask != 0:
                        step = lowest_bit(mask)
                        mask &= mask - 1
                        there = state[PAWN + mover] + OFFSET[step]
                        to = place(there, second, 1) if mover == 0 else place(first, there, 0)
                        highest = max(highest, -table[row, to])
                    if highest != 0:
                        table[row, at] = highest
                        changed = True


class Solved:
    """All positions of a game, or all that can come of some walls on the board and two stocks."""

    def __init__(self, game: Quoridor, begin: Built | None = None) -> None:
        self.game = game
        self.rows: dict[Built, int] = {}
        self.table = np.zeros((1, 2 * SQUARES * SQUARES), np.int8)
        self._best = np.zeros(2 * SQUARES * SQUARES, np.int8)
        self._solve(begin or (frozenset(), game.walls, game.walls))

    def _state(self, built: Built) -> np.ndarray:
        state = np.zeros(self.game.facts.state_size, np.int64)
        start(self.game, state)
        for wall in built[0]:
            state[HORIZONTAL + wall // 64] |= BIT[wall % 64]
            shut(state, wall)
        state[PAWN + 2 : PAWN + 4] = built[1:]
        return state

    def _solve(self, built: Built) -> int:
        if built in self.rows:
            return self.rows[built]
        walls, stocks = built[0], built[1:]
        after = np.zeros((2, 2 * 64), np.int64)
        for wall in range(128):
            if any(stocks) and self._fits(walls, wall):
                for mover in range(2):
                    if stocks[mover] > 0:
                        left = tuple(stock - (seat == mover) for seat, stock in enumerate(stocks))
                        after[mover, wall] = self._solve((walls | {wall}, left[0], left[1]))
        row = len(self.rows)
        self.rows[built] = row
        if row == len(self.table):
            self.table = np.concatenate([self.table, np.zeros_like(self.table)])
        solve_pawns(self.game, self._state(built), after, self.table, row, self._best)
        return row

    def _fits(self, walls: frozenset[int], wall: int) -> bool:
        kind, at = divmod(wall, 64)
        if at // 8 >= self.game.size - 1 or at % 8 >= self.game.columns - 1:
            return False
        along = 1 if kind == 0 else 8
        near = {wall, at + 64 * (1 - kind)}
        near |= (
            {wall - along, wall + along}
            if kind
            else {other for other in (wall - 1, wall + 1) if other // 8 == wall // 8}
        )
        return not near & walls

    def value(self, state: np.ndarray) -> int:
        """What a position is worth to the seat to move: 1 a win, -1 a loss, 0 neither."""
        row = self.rows[built_in(state)]
        return int(self.table[row, place(int(state[PAWN]), int(state[PAWN + 1]), int(state[TURN]))])


def built_in(state: np.ndarray) -> Built:
    """The walls of a state, and the two stocks."""
    words = [int(word) & (2**64 - 1) for word in state[HORIZONTAL : HORIZONTAL + 2]]
    walls = frozenset(64 * kind + at for kind in range(2) for at in range(64) if words[kind] >> at & 1)
    return walls, int(state[PAWN + 2]), int(state[PAWN + 3])
