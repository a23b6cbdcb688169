"""How a network with an output for each of the 140 actions sees Quoridor: the thesis's 133 numbers, and better ways.

A view shows the state before the move, for two seats. From the *own side* the seat to move always wants to the top and comes first,
and actions turn with the board; `mirror` turns left and right, for as many positions again to learn from. What is known of *ways* is
computed by flooding the board as it is: no move is tried.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import action, features
from ludus.errors import LudusError
from ludus.games.quoridor.bitboard import (
    BIT,
    HORIZONTAL,
    LOW_SQUARES,
    OFFSET,
    PASS,
    PAWN,
    STEP,
    TURN,
    VERTICAL,
    WIDTH,
    cuts,
    goal_squares,
    is_open,
    spread,
)
from ludus.games.quoridor.naming import is_anchor
from ludus.games.quoridor.rules import free_anchors
from ludus.kernel import count_bits, implements, kernel, lowest_bit

OUTPUTS = 140
SQUARES, WALLS, STOCKS, LENGTHS, LEADS = 81, 128, 11, 32, 17
RAW = 5 + WALLS
BOARD = 2 * SQUARES + 2 * STOCKS + WALLS
WAYS = 2 * 3 * SQUARES + 2 * LENGTHS + LEADS
CUTS = 2 * WALLS


class View(NamedTuple):
    """What a network is shown."""

    own: bool = True  # from the own side
    board: bool = True  # an input a square and a count, instead of the thesis's five numbers
    ways: bool = True  # squares on and near shortest ways, those that all of them pass, and their lengths
    cuts: bool = True  # walls that would shut all shortest ways
    mirror: bool = False

    @property
    def version(self) -> int:
        """Raised when inputs or outputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """(networks, inputs, outputs)"""
        if game.seats != 2:
            raise LudusError(f"the networks' view of quoridor is for two seats, not for {game.seats}")
        inputs = BOARD if self.board else RAW
        return 1, inputs + WAYS * self.ways + CUTS * self.cuts, OUTPUTS

    def mirrored(self, game: Any) -> tuple[View, np.ndarray]:
        """The same view with left and right exchanged, and where each output of this view is in that one."""
        slots = np.arange(OUTPUTS)
        for wall in range(WALLS):
            kind, anchor = wall & 64, wall & 63
            slots[wall] = kind + (turned_anchor(game, 1, anchor) if is_anchor(game, anchor) else 0)
        slots[STEP:] = STEP + TURNED_STEP[1]
        return self._replace(mirror=not self.mirror), slots


VIEWS: dict[str, View] = {
    "thesis": View(own=False, board=False, ways=False, cuts=False),
    "own": View(board=False, ways=False, cuts=False),
    "board": View(ways=False, cuts=False),
    "ways": View(cuts=False),
    "cuts": View(),
    "absolute": View(own=False),
}


def views_of(game: Any) -> dict[str, View]:
    """The views of Quoridor, by name."""
    return VIEWS


def _turned() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By 2 · (turned top to bottom) + (turned left to right): where squares and anchors of the largest board go; and steps."""
    squares, anchors = np.zeros((4, SQUARES), np.int64), np.zeros((4, 64), np.int64)
    steps = np.zeros((4, 12), np.int64)
    for turn in range(4):
        for width, table in ((WIDTH, squares), (WIDTH - 1, anchors)):
            for at in range(width * width):
                row, column = divmod(at, width)
                r = width - 1 - row if turn & 2 else row
                c = width - 1 - column if turn & 1 else column
                table[turn, at] = width * r + c
        for step, offset in enumerate(OFFSET.tolist()):
            up = (offset + 2) // WIDTH  # whole rows, and the rest
            right = offset - WIDTH * up
            wanted = WIDTH * (-up if turn & 2 else up) + (-right if turn & 1 else right)
            steps[turn, step] = OFFSET.tolist().index(wanted)
    return squares, anchors, steps


_SQUARES_TURNED, _ANCHORS_TURNED, TURNED_STEP = _turned()


@kernel(inline=True)
def missing(game: Any, turn: int, width: int) -> int:
    """By how much a number on the largest board, with so many in a row, goes down on this one when it is turned: what is missing at the top and
    on the right is at the bottom and on the left then.
    """
    below = width * (WIDTH - game.size) if turn & 2 else 0
    return below + WIDTH - game.columns if turn & 1 else below


@kernel(inline=True)
def turned_square(game: Any, turn: int, square: int) -> int:
    """Where a square goes."""
    return _SQUARES_TURNED[turn, square] - missing(game, turn, WIDTH)


@kernel(inline=True)
def turned_anchor(game: Any, turn: int, anchor: int) -> int:
    """Where an anchor goes."""
    return _ANCHORS_TURNED[turn, anchor] - missing(game, turn, WIDTH - 1)


@kernel(inline=True)
def _turn_of(view: Any, seat: int) -> int:
    return 2 * (view.own and seat == 1) + view.mirror


@implements(action, View)
def _(view: Any, game: Any, state: Any, move: int) -> int:
    turn = _turn_of(view, state[TURN])
    if move >= STEP:
        return STEP + TURNED_STEP[turn, move - STEP] if move < PASS else -1
    return (move & 64) + turned_anchor(game, turn, move & 63)


@implements(features, View)
def _(view: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    seat = state[TURN]
    turn, first = _turn_of(view, seat), seat if view.own else 0
    count, base = 0, 0
    if view.board:
        for k in range(2):
            who = first if k == 0 else 1 - first
            index[count] = base + turned_square(game, turn, state[PAWN + who])
            index[count + 1] = base + SQUARES + min(state[PAWN + 2 + who], STOCKS - 1)
            count += 2
            base += SQUARES + STOCKS
    else:
        for k in range(2):
            who = first if k == 0 else 1 - first
            index[1 + k] = 1 + k
            value[1 + k] = turned_square(game, turn, state[PAWN + who])
            index[3 + k] = 3 + k
            value[3 + k] = state[PAWN + 2 + who]
        index[0] = 0
        value[0] = 0 if view.own else seat
        count = base = 5
    ones = count if not view.board else 0
    for k in range(2):
        walls = state[HORIZONTAL] if k == 0 else state[VERTICAL]
        while walls != 0:
            anchor = lowest_bit(walls)
            walls ^= BIT[anchor]
            index[count] = base + 64 * k + turned_anchor(game, turn, anchor)
            count += 1
    base += WALLS
    if view.ways or view.cuts:
        count = _show_ways(view, game, state, first, turn, base, index, count)
    for i in range(ones, count):
        value[i] = 1
    return count


# --- ways: the board flooded from the pawn and from its goal ----------------------------------------------------------

MOST = 84  # layers of a flood


@kernel
def _flood(state: Any, low: int, high: int, layers: Any) -> int:
    """Write the squares at each distance from those given, two words a layer, and return how many layers there are."""
    layers[0, 0], layers[0, 1] = low, high
    count = 1
    while True:
        new_low, new_high = spread(state, low, high)
        if new_low == low and new_high == high:
            return count
        layers[count, 0], layers[count, 1] = new_low & ~low, new_high & ~high
        low, high = new_low, new_high
        count += 1


@kernel(inline=True)
def _list_squares(game: Any, turn: int, low: int, high: int, base: int, index: Any, count: int) -> int:
    while low != 0:
        square = lowest_bit(low)
        low ^= BIT[square]
        index[count] = base + turned_square(game, turn, square)
        count += 1
    while high != 0:
        square = lowest_bit(high)
        high ^= BIT[square]
        index[count] = base + turned_square(game, turn, LOW_SQUARES + square)
        count += 1
    return count


@kernel
def ways_of(game: Any, state: Any, seat: int, ahead: Any, back: Any, near: Any) -> int:
    """The length of a seat's shortest ways. Afterwards `ahead` has, step by step, the squares that lie on one, and `near` those on a way that
    is longer by one or two.
    """
    square = state[PAWN + seat]
    low = BIT[square] if square < LOW_SQUARES else 0
    high = 0 if square < LOW_SQUARES else BIT[square - LOW_SQUARES]
    far = _flood(state, low, high, ahead)
    goal_low, goal_high = goal_squares(game, seat)
    depth = _flood(state, goal_low, goal_high, back)
    length = 0
    while length < depth and back[length, 0] & low == 0 and back[length, 1] & high == 0:
        length += 1
    near[0] = near[1] = 0
    for i in range(min(far, length + 3)):
        for longer in range(1, 3):
            j = length - i + longer
            if 0 <= j < depth:
                near[0] |= ahead[i, 0] & back[j, 0]
                near[1] |= ahead[i, 1] & back[j, 1]
    for i in range(length + 1):
        ahead[i, 0] &= back[length - i, 0]
        ahead[i, 1] &= back[length - i, 1]
    return length


@kernel
def shutting(game: Any, state: Any, ahead: Any, length: int) -> tuple[int, int]:
    """The walls, as two words of anchors, that shut all shortest ways at one of their steps, and cross or overlap no other wall."""
    horizontal, vertical = BIT[0] & 0, BIT[0] & 0
    for i in range(length):
        h, v = ~(BIT[0] & 0), ~(BIT[0] & 0)
        for word in range(2):
            left = ahead[i, word]
            while left != 0:
                bit = lowest_bit(left)
                left ^= BIT[bit]
                square = bit + LOW_SQUARES * word
                for way in range(4):
                    if not is_open(state, square, way):
                        continue
                    there = square + OFFSET[way]
                    if there < LOW_SQUARES:
                        hit = ahead[i + 1, 0] & BIT[there]
                    else:
                        hit = ahead[i + 1, 1] & BIT[there - LOW_SQUARES]
                    if hit != 0:
                        own_h, own_v = cuts(square, way)
                        h &= own_h
                        v &= own_v
        horizontal |= h
        vertical |= v
    free_h, free_v = free_anchors(game, state)
    return horizontal & free_h, vertical & free_v


@kernel
def _show_ways(view: Any, game: Any, state: Any, first: int, turn: int, base: int, index: Any, count: int) -> int:
    ahead, back, near = np.empty((MOST, 2), np.int64), np.empty((MOST, 2), np.int64), np.empty(2, np.int64)
    lead = 0
    walls = base + (WAYS if view.ways else 0)
    for k in range(2):
        seat = first if k == 0 else 1 - first
        length = ways_of(game, state, seat, ahead, back, near)
        lead += length if k == 1 else -length
        if view.ways:
            for i in range(1, length + 1):
                count = _list_squares(game, turn, ahead[i, 0], ahead[i, 1], base, index, count)
                if count_bits(ahead[i, 0]) + count_bits(ahead[i, 1]) == 1:
                    count = _list_squares(game, turn, ahead[i, 0], ahead[i, 1], base + SQUARES, index, count)
            count = _list_squares(game, turn, near[0], near[1], base + 2 * SQUARES, index, count)
            index[count] = base + 3 * SQUARES + min(length, LENGTHS - 1)
            count += 1
            base += 3 * SQUARES + LENGTHS
        if view.cuts:
            horizontal, vertical = shutting(game, state, ahead, length)
            for wall in range(WALLS):
                word = horizontal if wall < 64 else vertical
                if word & BIT[wall & 63] != 0:
                    index[count] = walls + (wall & 64) + turned_anchor(game, turn, wall & 63)
                    count += 1
            walls += WALLS
    if view.ways:
        index[count] = base + min(max(lead + LEADS // 2, 0), LEADS - 1)
        count += 1
    return count
