"""A state of Quoridor as bits, and the ways through it: what is where, which steps are shut, and how far a pawn has to go.

Squares are numbered row by row from the first seat's home row (a1 = 0, i1 = 8, a2 = 9, …), always nine a row, also on smaller
boards. A wall is named by the groove crossing at its middle, its *anchor*: anchor 8·row + column lies above that row and to
the right of that column, so that the anchors of each direction fill one 64-bit word. A state is

    # turn 1, ply 1, walls 2, closed 4, pawns (one a seat), stocks (one a seat)
    #   0       1      2 3     4 … 7     8 …                 8 + seats …

`closed` says for each square whether the way up and the way to the right are shut, by a wall or the edge: each is a board of
81 squares in two words, seven rows in the first. It follows from the walls, and is there for speed. What is legal is `rules.py`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ludus.kernel import kernel

TURN, PLY, HORIZONTAL, VERTICAL = 0, 1, 2, 3
UP_LOW, UP_HIGH, RIGHT_LOW, RIGHT_HIGH = 4, 5, 6, 7  # the ways that are closed
PAWN = 8

WIDTH = 9  # squares in a row, as they are numbered
MOST = 9  # rows, and columns
LOW_ROWS = 7
LOW_SQUARES = LOW_ROWS * WIDTH
LOW = (1 << LOW_SQUARES) - 1
LOW_TOP = LOW_SQUARES - WIDTH  # the first square of the last row in the low word
ROW = (1 << WIDTH) - 1

STEP, PASS, ACTIONS = 128, 140, 141  # codes of moves: pawns' from STEP on, walls before
DIRECTIONS = ("u", "r", "d", "l", "uu", "rr", "dd", "ll", "ur", "ul", "dr", "dl")
OFFSET = np.array([9, 1, -9, -1, 18, 2, -18, -2, 10, 8, -8, -10])  # of the square, for each direction


def signed(words: Sequence[int]) -> np.ndarray:
    """Words of 64 bits as the whole numbers that kernels have."""
    return np.array(words, np.uint64).view(np.int64)


BIT = signed([1 << i for i in range(64)])


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By the number of the board (`board_of`): the anchors on it; its edges as closed ways; and its four sides as goals, one after the other."""
    shapes = list(product(range(MOST + 1), repeat=2))  # rows and columns
    anchors: list[int] = []
    edges, goals = np.zeros((len(shapes), 4), np.int64), np.zeros((4 * len(shapes), 2), np.int64)
    for board, (rows, columns) in enumerate(shapes):
        anchors.append(sum(1 << (8 * r + c) for r in range(rows - 1) for c in range(columns - 1)))
        bottom, left = list(range(columns)), list(range(0, WIDTH * rows, WIDTH))
        top, right = [s + WIDTH * (rows - 1) for s in bottom], [s + columns - 1 for s in left]
        before = [s + WIDTH - 1 for s in left]  # the next row's first square is to their right: off a narrower board
        if not rows or not columns:
            continue
        for at, squares in ((0, top), (2, right), (2, before)):
            for square in squares:
                edges[board, at + square // LOW_SQUARES] |= 1 << (square % LOW_SQUARES)
        for side, squares in enumerate((top, right, bottom, left)):
            for square in squares:
                goals[4 * board + side, square // LOW_SQUARES] |= 1 << (square % LOW_SQUARES)
    return signed(anchors), edges, goals


ANCHORS, EDGES, GOALS = _tables()

# Anchors in these columns and rows: words moved by a column or a row must not run over.
_COLUMN0 = sum(1 << (8 * r) for r in range(8))
NOT_LEFT = signed([sum(_COLUMN0 << c for c in range(k, 8)) for k in range(3)])  # all but the k columns on the left
NOT_RIGHT = signed([sum(_COLUMN0 << c for c in range(8 - k)) for k in range(3)])
NOT_TOP = signed([(1 << (64 - 8 * k)) - 1 for k in range(3)])


# The walls that shut the way up, or to the right, from a square: each way has at most two.
def _cuts(row_before: int, column_before: int) -> np.ndarray:
    """For each square, the anchors to the right above it, and those so much before."""
    places = [(divmod(s, WIDTH), (s // WIDTH - row_before, s % WIDTH - column_before)) for s in range(WIDTH * WIDTH)]
    return signed([sum(1 << (8 * r + c) for r, c in pair if 0 <= r < 8 and 0 <= c < 8) for pair in places])


CUT_UP, CUT_RIGHT = _cuts(0, 1), _cuts(1, 0)


@kernel(inline=True)
def board_of(game: Any) -> int:
    """The number of the board by its rows and columns."""
    return (MOST + 1) * game.size + game.columns


@kernel(inline=True)
def side_of(game: Any, seat: int) -> int:
    """The side that a seat wants to reach: 0 the top, 1 the right, 2 the bottom, 3 the left. Seats follow each other clockwise."""
    return 2 * seat if game.seats == 2 else seat


@kernel(inline=True)
def goal_squares(game: Any, seat: int) -> tuple[int, int]:
    """The squares that a seat wants to reach."""
    at = 4 * board_of(game) + side_of(game, seat)
    return GOALS[at, 0], GOALS[at, 1]


@kernel(inline=True)
def shut(state: Any, wall: int) -> None:
    """Shut, or open again, the two ways that a wall is in."""
    anchor = wall & 63
    square = anchor + (anchor >> 3)  # the square to the left of and below the anchor
    at = UP_LOW if wall < 64 else RIGHT_LOW
    other = square + 1 if wall < 64 else square + WIDTH
    for s in (square, other):
        if s < LOW_SQUARES:
            state[at] ^= BIT[s]
        else:
            state[at + 1] ^= BIT[s - LOW_SQUARES]


@kernel(inline=True)
def is_open(state: Any, square: int, direction: int) -> bool:
    """Whether no wall or edge is in the way of a step up (0), right (1), down (2) or left (3)."""
    at = UP_LOW if direction & 1 == 0 else RIGHT_LOW
    if direction == 2:
        square -= WIDTH
    elif direction == 3:
        square -= 1
    if square < 0:
        return False
    if square < LOW_SQUARES:
        return state[at] & BIT[square] == 0
    return state[at + 1] & BIT[square - LOW_SQUARES] == 0


@kernel(inline=True)
def has(low: int, high: int, square: int) -> bool:
    """Whether a square is among those of a board in two words."""
    return (low & BIT[square] if square < LOW_SQUARES else high & BIT[square - LOW_SQUARES]) != 0


@kernel(inline=True)
def spread(state: Any, low: int, high: int) -> tuple[int, int]:
    """The squares that can be reached by one step, together with those where one was."""
    up_low, up_high, right_low, right_high = ~state[UP_LOW], ~state[UP_HIGH], ~state[RIGHT_LOW], ~state[RIGHT_HIGH]
    rising = low & up_low
    new_low = low | (rising << WIDTH & LOW) | (low >> WIDTH & up_low) | ((high & ROW) << LOW_TOP & up_low)
    new_low |= (low & right_low) << 1 | (low >> 1 & right_low)
    new_high = high | rising >> LOW_TOP | (high & up_high) << WIDTH | (high >> WIDTH & up_high)
    new_high |= (high & right_high) << 1 | (high >> 1 & right_high)
    return new_low, new_high


@kernel
def distance(game: Any, state: Any, seat: int) -> int:
    """The length of the shortest way to the goal, as if there were no other pawns; -1 if there is none."""
    square = state[PAWN + seat]
    goal_low, goal_high = goal_squares(game, seat)
    low = BIT[square] if square < LOW_SQUARES else 0
    high = 0 if square < LOW_SQUARES else BIT[square - LOW_SQUARES]
    length = 0
    while low & goal_low == 0 and high & goal_high == 0:
        new_low, new_high = spread(state, low, high)
        if new_low == low and new_high == high:
            return -1
        low, high = new_low, new_high
        length += 1
    return length


@kernel
def flood_to_pawn(game: Any, state: Any, seat: int, buffer: Any) -> int:
    """Flood the board from a seat's goal until its pawn is reached; return its distance, -1 if it can't be. Two numbers of `buffer` are for the
    squares no farther than 0 steps from the goal, the next two for those no farther than 1, and so on.
    """
    square = state[PAWN + seat]
    low, high = goal_squares(game, seat)
    at_low = BIT[square] if square < LOW_SQUARES else 0
    at_high = 0 if square < LOW_SQUARES else BIT[square - LOW_SQUARES]
    length = 0
    while low & at_low == 0 and high & at_high == 0:  # from the goal to the pawn
        buffer[2 * length], buffer[2 * length + 1] = low, high
        low, high = spread(state, buffer[2 * length], buffer[2 * length + 1])
        if low == buffer[2 * length] and high == buffer[2 * length + 1]:
            return -1
        length += 1
    return length


@kernel
def shortest_path(game: Any, state: Any, seat: int, path: Any, buffer: Any) -> int:
    """Write the directions of a shortest way to the goal and return its length, -1 if there is none. `buffer` is for two numbers a step.

    Of several the first in the order up, right, down, left for the seat that wants to the top, and the same turned for the others.
    """
    side, square = side_of(game, seat), state[PAWN + seat]
    length = flood_to_pawn(game, state, seat, buffer)
    for i in range(length):
        low, high = buffer[2 * (length - 1 - i)], buffer[2 * (length - 1 - i) + 1]
        for k in range(4):
            way = (k + side) & 3
            there = square + OFFSET[way]
            if is_open(state, square, way) and has(low, high, there):
                path[i] = way
                square = there
                break
    return length


@kernel(inline=True)
def cuts(square: int, way: int) -> tuple[int, int]:
    """The walls, as two words of anchors, that would shut a way."""
    if way == 0:
        return CUT_UP[square], 0
    if way == 1:
        return 0, CUT_RIGHT[square]
    if way == 2:
        return CUT_UP[square - WIDTH], 0
    return 0, CUT_RIGHT[square - 1]


@kernel
def path_blockers(game: Any, state: Any, seat: int, buffer: Any) -> tuple[int, int]:
    """The walls that would shut a step of one shortest way, as two words of anchors. `buffer` is for three numbers a step."""
    path = buffer[2 * 81 :]
    length = shortest_path(game, state, seat, path, buffer)
    square = state[PAWN + seat]
    horizontal, vertical = BIT[0] & 0, BIT[0] & 0
    for i in range(length):
        h, v = cuts(square, path[i])
        horizontal |= h
        vertical |= v
        square += OFFSET[path[i]]
    return horizontal, vertical
