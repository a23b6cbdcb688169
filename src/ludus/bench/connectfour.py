"""Connect four on seven columns and six rows, solved exactly: what every move of a position is worth. The yardstick for players of the sheet
`connectfour` (`tools/connectfour_moves.py`).

A board is two words. Column c has the bits 7 c to 7 c + 5, from the bottom, and the bit above them stays free, so that lines don't run from one column into
the next. `mask` has all stones, `own` those of who is to move. The search is alpha-beta with windows of one point, a table of bounds, moves that make
the most threats first, and it never tries a move that loses at once.

A score is that of who is to move: 0 for a draw; who wins with its k-th stone has 22 - k, and the other one k - 22. So a sooner win is worth more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.errors import LudusError
from ludus.kernel import count_bits, kernel

COLUMNS, ROWS = 7, 6
HIGH = ROWS + 1  # bits of a column
CELLS = COLUMNS * ROWS
BOTTOM = np.int64(sum(1 << HIGH * c for c in range(COLUMNS)))
BOARD = np.int64(int(BOTTOM) * ((1 << ROWS) - 1))
COLUMN = np.int64((1 << ROWS) - 1)
ONE, NO = np.int64(1), np.int64(0)
SLOTS = 1 << 22  # of the table, 32 MB
SPREAD = np.int64(0x9E3779B1)
OFFSET = 32  # makes scores positive in the table
LOWER = 64  # marks a bound from below there
FULL = 100  # in place of the score of a column that is full


@kernel
def winning_cells(own: int, mask: int) -> Any:
    """The free cells that would complete four in a line for `own`, whether a stone can fall there now or not."""
    found = (own << ONE) & (own << np.int64(2)) & (own << np.int64(3))
    for step in (np.int64(HIGH - 1), np.int64(HIGH), np.int64(HIGH + 1)):
        two, three = step + step, step + step + step
        pair = (own << step) & (own << two)
        found |= pair & ((own << three) | (own >> step))
        pair = (own >> step) & (own >> two)
        found |= pair & ((own >> three) | (own << step))
    return found & (BOARD ^ mask)


@kernel
def _safe_moves(own: int, mask: int) -> Any:
    """The cells that a stone can fall to without losing at once; there must be no win at once."""
    possible = (mask + BOTTOM) & BOARD
    threats = winning_cells(mask ^ own, mask)
    forced = possible & threats
    if forced:
        if forced & (forced - ONE):
            return NO  # two threats at once
        possible = forced
    return possible & ~(threats >> ONE)  # not below a threat


@kernel
def _slot(key: int, slots: int) -> Any:
    mixed = (key ^ (key >> np.int64(23))) * SPREAD
    return ((mixed >> np.int64(20)) ^ mixed) & np.int64(slots - 1)


@kernel
def _order(own: int, mask: int, safe: int, worth: Any, moves: Any) -> int:
    """Write the moves, the most threatening last, and of equals those in the middle last; return how many."""
    count = 0
    for i in range(COLUMNS):
        # From the edges to the middle: 0, 6, 1, 5, 2, 4, 3.
        column = i // 2 if i % 2 == 0 else COLUMNS - 1 - i // 2
        move = safe & (COLUMN << np.int64(HIGH * column))
        if move:
            threats = count_bits(winning_cells(own | move, mask | move))
            at = count
            while at > 0 and worth[at - 1] > threats:
                worth[at], moves[at] = worth[at - 1], moves[at - 1]
                at -= 1
            worth[at], moves[at] = threats, move
            count += 1
    return count


@kernel
def _bounded(own: int, mask: int, low: int, high: int, table: Any) -> int:
    """The score of a position without a win at once, as far as it lies between `low` and `high`; else a bound on its side."""
    depth = CELLS + 1
    owns, masks = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    alphas, betas = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    left, moves = np.zeros(depth, np.int64), np.zeros((depth, COLUMNS), np.int64)
    worth = np.zeros(COLUMNS, np.int64)
    at, entering, answer = 0, True, 0
    owns[0], masks[0], alphas[0], betas[0] = own, mask, low, high
    while True:
        own, mask, alpha, beta = owns[at], masks[at], alphas[at], betas[at]
        done = False
        if entering:
            stones = count_bits(mask)
            safe = _safe_moves(own, mask)
            key = own + mask
            slot = _slot(key, len(table))
            if safe == 0:
                answer, done = -((CELLS - stones) // 2), True
            elif stones >= CELLS - 2:
                answer, done = 0, True
            else:
                alpha = max(alpha, -((CELLS - 2 - stones) // 2))
                beta = min(beta, (CELLS - 1 - stones) // 2)
                entry = table[slot]
                if entry >> np.int64(8) == key and entry:
                    bound = (entry & np.int64(63)) - OFFSET
                    if entry & LOWER:
                        alpha = max(alpha, bound)
                    else:
                        beta = min(beta, bound)
                if alpha >= beta:
                    answer, done = alpha, True  # within a window of one point either bound will do
                else:
                    alphas[at], betas[at] = alpha, beta
                    left[at] = _order(own, mask, safe, worth, moves[at])
        else:  # a move has been judged
            score = -answer
            if score >= beta:
                key = own + mask
                table[_slot(key, len(table))] = (key << np.int64(8)) | (score + OFFSET) | LOWER
                answer, done = score, True
            elif score > alpha:
                alpha = score
                alphas[at] = score
        if not done and left[at] == 0:
            key = own + mask
            table[_slot(key, len(table))] = (key << np.int64(8)) | (alpha + OFFSET)
            answer, done = alpha, True
        if done:
            if at == 0:
                return answer
            at -= 1
            entering = False
            continue
        left[at] -= 1
        move = moves[at, left[at]]
        owns[at + 1], masks[at + 1] = mask ^ own, mask | move
        alphas[at + 1], betas[at + 1] = -beta, -alpha
        at += 1
        entering = True


@kernel
def solve_board(own: int, mask: int, most: int, table: Any) -> int:
    """The score of a position that is not over, as far as it is between -most and most."""
    stones = count_bits(mask)
    if (mask + BOTTOM) & winning_cells(own, mask):
        return min((CELLS + 1 - stones) // 2, most)
    low, high = max(-((CELLS - stones) // 2), -most), min((CELLS + 1 - stones) // 2, most)
    while low < high:
        middle = (low + high) // 2
        if middle <= 0 and low // 2 < middle:  # near 0 first: those windows are the cheapest
            middle = -(-low // 2)
        elif middle >= 0 and high // 2 > middle:
            middle = high // 2
        found = _bounded(own, mask, middle, middle + 1, table)
        if found <= middle:
            high = max(found, low)
        else:
            low = min(found, high)
    return low


@kernel
def score_board(own: int, mask: int, most: int, table: Any, out: Any) -> None:
    """Write the score of each column's move, FULL where there is none; one beyond `most` as that."""
    stones = count_bits(mask)
    wins = winning_cells(own, mask)
    for column in range(COLUMNS):
        move = (mask + BOTTOM) & (COLUMN << np.int64(HIGH * column))
        if move == 0:
            out[column] = FULL
        elif move & wins:
            out[column] = min((CELLS + 1 - stones) // 2, most)
        elif stones == CELLS - 1:
            out[column] = 0
        else:
            out[column] = -solve_board(mask ^ own, mask | move, most, table)


def board_of(columns: str) -> tuple[int, int]:
    """The two words after some moves, each a column's number from 1 to 7; LudusError if they can't be made.

    >>> board_of("44")
    (2097152, 6291456)
    """
    own = mask = 0
    for ply, digit in enumerate(columns):
        if digit not in "1234567":
            raise LudusError(
                f"connect four: move {ply + 1} of {columns!r} is {digit!r}; columns are numbers from 1 to 7"
            )
        move = (mask + int(BOTTOM)) & int(COLUMN) << HIGH * (int(digit) - 1)
        if not move:
            raise LudusError(f"connect four: column {digit} is full at move {ply + 1} of {columns!r}")
        if move & int(winning_cells(np.int64(own), np.int64(mask))) and ply + 1 < len(columns):
            raise LudusError(f"connect four: the game is over after move {ply + 1} of {columns!r}")
        own, mask = mask ^ own, mask | move
    return own, mask


class Solver:
    """Scores moves of connect four, and keeps what it found out in its table.

    >>> Solver().scores("4444422222333335555511666")
    {1: -8, 2: -8, 3: 0, 4: -8, 5: -8, 6: -8, 7: 9}
    """

    def __init__(self, slots: int = SLOTS) -> None:
        self._table = np.zeros(slots, np.int64)
        self._out = np.zeros(COLUMNS, np.int64)

    def scores(self, columns: str) -> dict[int, int]:
        """The score of each possible move after some moves, by its column from 1 to 7, for who is to move."""
        return self._scored(columns, CELLS)

    def values(self, columns: str) -> dict[int, int]:
        """The same, but only whether a move wins (1), draws (0) or loses (-1), which is found several times faster.

        >>> Solver().values("4444422222333335555511666")
        {1: -1, 2: -1, 3: 0, 4: -1, 5: -1, 6: -1, 7: 1}
        """
        return self._scored(columns, 1)

    def _scored(self, columns: str, most: int) -> dict[int, int]:
        own, mask = board_of(columns)
        score_board(np.int64(own), np.int64(mask), most, self._table, self._out)
        return {c + 1: int(self._out[c]) for c in range(COLUMNS) if self._out[c] != FULL}
