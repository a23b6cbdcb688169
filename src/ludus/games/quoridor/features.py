"""How a network sees a position of Quoridor for two: from the side of the seat to move, whose goal is always at the top, and
mirrored so that its pawn is never on the right half.

Beside what stands on the board there are the lengths of both ways to the goal, what each step of a pawn would do to its way, and
the walls around each pawn, numbered from there: a barrier means the same wherever a pawn meets it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import assess, grain
from ludus.contract.views import (
    changes,
    features,
    from_scores,
    from_view,
    outcome,
    standing,
    to_view,
    worth,
)
from ludus.games.quoridor.bitboard import (
    BIT,
    HORIZONTAL,
    LOW,
    LOW_SQUARES,
    LOW_TOP,
    OFFSET,
    PAWN,
    PLY,
    RIGHT_HIGH,
    RIGHT_LOW,
    STEP,
    TURN,
    UP_HIGH,
    UP_LOW,
    WIDTH,
    cuts,
    distance,
    goal_squares,
    has,
    is_open,
    shut,
    spread,
)
from ludus.games.quoridor.bitboard import ROW as FIRST_ROW
from ludus.games.quoridor.rules import is_home
from ludus.kernel import implements, kernel, lowest_bit

STOCKS, LENGTHS, LEADS = 11, 32, 25
WINDOW = 6  # anchors around a pawn, each way: three on every side
NEAR = 2 * WINDOW * WINDOW

WALLS_AT = 0
PAWNS_AT = WALLS_AT + 128
STOCKS_AT = PAWNS_AT + 2 * 81
LENGTHS_AT = STOCKS_AT + 2 * STOCKS
LEAD_AT = LENGTHS_AT + 2 * LENGTHS
STEPS_AT = LEAD_AT + LEADS
NEAR_AT = STEPS_AT + 2 * 4 * 3
SCALES_AT = NEAR_AT + 2 * NEAR
INPUTS = SCALES_AT + 5


class Side(NamedTuple):
    """The view of the seat to move; one output, its chance to win (a draw is half a win)."""

    kind: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and outputs of a network for this."""
        return 1, INPUTS, 1


@kernel(inline=True)
def approach(game: Any, state: Any, seat: int) -> tuple[int, int, int, int, int]:
    """The length of the shortest way, the squares that are nearer to the goal than the pawn is, and those that are at most as far."""
    square = state[PAWN + seat]
    low, high = goal_squares(game, seat)
    at_low = BIT[square] if square < LOW_SQUARES else 0
    at_high = 0 if square < LOW_SQUARES else BIT[square - LOW_SQUARES]
    near_low, near_high = low & 0, high & 0
    length = 0
    while low & at_low == 0 and high & at_high == 0:
        near_low, near_high = low, high
        low, high = spread(state, near_low, near_high)
        length += 1
    return length, near_low, near_high, low, high


@kernel(inline=True)
def _effect(state: Any, square: int, way: int, ways: Any) -> int:
    """What a step would do: 0 it leads nearer to the goal, 1 it keeps the distance, 2 it leads away; -1 it is shut."""
    _, near_low, near_high, low, high = ways
    if not is_open(state, square, way):
        return -1
    there = square + OFFSET[way]
    return 0 if has(near_low, near_high, there) else 1 if has(low, high, there) else 2


# What `standing` finds out and `changes` uses: how the board is turned, the pawns as seen, lengths and stocks, effects of steps.
TURNED, MIRRORED, OWN_ROW, OWN_COLUMN, ROW, COLUMN, OWN_LENGTH, LENGTH, OWN_STOCK, STOCK, EFFECTS = range(11)
NOW = EFFECTS + 8  # what is from OWN_LENGTH on, after a move
CRITICAL = NOW + NOW - OWN_LENGTH  # of each way, the horizontal and the vertical walls that may change it
NOTES = CRITICAL + 4


@kernel
def _look(game: Any, state: Any, memo: Any) -> None:
    """Find out how the seat to move sees the board, and both ways."""
    seat = state[TURN]
    other, last_row, last = 1 - seat, game.size - 1, game.columns - 1
    # Turn the board so that the goal of the seat is above, and mirror it so that its pawn is on the left, or the other's if it is in the middle.
    own_row, own_column = state[PAWN + seat] // WIDTH, state[PAWN + seat] % WIDTH
    row, column = state[PAWN + other] // WIDTH, state[PAWN + other] % WIDTH
    if seat == 1:
        own_row, row = last_row - own_row, last_row - row
        own_column, column = last - own_column, last - column
    mirrored = 2 * own_column > last or (2 * own_column == last and 2 * column > last)
    memo[TURNED] = seat
    memo[MIRRORED] = mirrored
    memo[OWN_ROW] = own_row
    memo[OWN_COLUMN] = last - own_column if mirrored else own_column
    memo[ROW] = row
    memo[COLUMN] = last - column if mirrored else column
    memo[OWN_STOCK] = state[PAWN + 2 + seat]
    memo[STOCK] = state[PAWN + 2 + other]
    _look_at_ways(game, state, seat, memo, memo[OWN_LENGTH:])


@kernel
def _look_at_ways(game: Any, state: Any, seat: int, memo: Any, out: Any) -> None:
    """The lengths of both ways and the effects of steps, as the seat sees them, to where they are in a memo from OWN_LENGTH on."""
    for view in range(2):
        _look_at_way(game, state, seat, view, memo, out)


@kernel(inline=True)
def _look_at_way(game: Any, state: Any, seat: int, view: int, memo: Any, out: Any) -> None:
    """The same of one way: view 0 is the seat's own."""
    who = seat if view == 0 else 1 - seat
    ways = approach(game, state, who)
    out[view] = ways[0]
    for way in range(4):
        seen = (way + 2 * memo[TURNED]) & 3
        if memo[MIRRORED]:
            seen = (4 - seen) & 3
        out[EFFECTS - OWN_LENGTH + 4 * view + seen] = _effect(state, state[PAWN + who], way, ways)


@kernel
def critical_walls(game: Any, state: Any, seat: int) -> tuple[int, int]:
    """The walls, as two words of anchors, that may change the length of a seat's way or the effects of its pawn's steps; all others leave them as they are.

    A distance grows only where a square loses its one way on to a nearer square; so walls are critical that shut such a way, from a square no farther than the pawn,
    or a way of the pawn itself.
    """
    square = state[PAWN + seat]
    low, high = goal_squares(game, seat)
    at_low = BIT[square] if square < LOW_SQUARES else 0
    at_high = 0 if square < LOW_SQUARES else BIT[square - LOW_SQUARES]
    up_low, up_high, right_low, right_high = ~state[UP_LOW], ~state[UP_HIGH], ~state[RIGHT_LOW], ~state[RIGHT_HIGH]
    horizontal, vertical = BIT[0] & 0, BIT[0] & 0
    while low & at_low == 0 and high & at_high == 0:
        # The squares from which a nearer one is below, above, to the left, to the right.
        rising = low & up_low
        below_low, below_high = rising << WIDTH & LOW, rising >> LOW_TOP | (high & up_high) << WIDTH
        above_low = (low >> WIDTH & up_low) | ((high & FIRST_ROW) << LOW_TOP & up_low)
        above_high = high >> WIDTH & up_high
        left_low, left_high = (low & right_low) << 1, (high & right_high) << 1
        beside_low, beside_high = low >> 1 & right_low, high >> 1 & right_high
        for half in range(2):
            down, up, left, right, near = below_low, above_low, left_low, beside_low, low
            if half == 1:
                down, up, left, right, near = below_high, above_high, left_high, beside_high, high
            several = (down & up) | ((down | up) & left) | ((down | up | left) & right)
            single = (down | up | left | right) & ~several & ~near
            while single != 0:
                bit = lowest_bit(single)
                single &= single - 1
                mask = BIT[bit]
                way = 0 if up & mask else 1 if right & mask else 2 if down & mask else 3
                h, v = cuts(bit + LOW_SQUARES * half, way)
                horizontal |= h
                vertical |= v
        low |= below_low | above_low | left_low | beside_low
        high |= below_high | above_high | left_high | beside_high
    for way in range(4):
        if is_open(state, square, way):
            h, v = cuts(square, way)
            horizontal |= h
            vertical |= v
    return horizontal, vertical


@kernel(inline=True)
def _wall_inputs(game: Any, memo: Any, direction: int, anchor: int, index: Any, value: Any, count: int) -> int:
    """The inputs of a wall: where it is on the board and, if it is near, around each pawn."""
    r, c = anchor >> 3, anchor & 7
    if memo[TURNED]:
        r, c = game.size - 2 - r, game.columns - 2 - c
    if memo[MIRRORED]:
        c = game.columns - 2 - c
    index[count] = WALLS_AT + 64 * direction + 8 * r + c
    value[count] = 1
    count += 1
    # Around a pawn: from three to the lower left of its square to two to the upper right, as an anchor is above and to the right.
    for view in range(2):
        dr = r - memo[OWN_ROW + 2 * view] + WINDOW // 2
        dc = c - memo[OWN_COLUMN + 2 * view] + WINDOW // 2
        if 0 <= dr < WINDOW and 0 <= dc < WINDOW:
            index[count] = NEAR_AT + NEAR * view + (direction * WINDOW + dr) * WINDOW + dc
            value[count] = 1
            count += 1
    return count


@kernel(inline=True)
def _length_at(view: int, length: int) -> int:
    return LENGTHS_AT + LENGTHS * view + min(length, LENGTHS - 1)


@kernel(inline=True)
def _lead_at(own_length: int, length: int) -> int:
    return LEAD_AT + min(max(length - own_length + LEADS // 2, 0), LEADS - 1)


@implements(features, Side)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    memo = np.empty(NOTES, np.int64)
    _look(game, state, memo)
    count = 0
    for direction in range(2):
        walls = state[HORIZONTAL + direction]
        while walls != 0:
            anchor = lowest_bit(walls)
            walls ^= BIT[anchor]
            count = _wall_inputs(game, memo, direction, anchor, index, value, count)
    own_length, length, own_stock, stock = memo[OWN_LENGTH], memo[LENGTH], memo[OWN_STOCK], memo[STOCK]
    index[count] = PAWNS_AT + WIDTH * memo[OWN_ROW] + memo[OWN_COLUMN]
    index[count + 1] = PAWNS_AT + 81 + WIDTH * memo[ROW] + memo[COLUMN]
    index[count + 2] = STOCKS_AT + min(own_stock, STOCKS - 1)
    index[count + 3] = STOCKS_AT + STOCKS + min(stock, STOCKS - 1)
    index[count + 4] = _length_at(0, own_length)
    index[count + 5] = _length_at(1, length)
    index[count + 6] = _lead_at(own_length, length)
    for i in range(7):
        value[count + i] = 1
    count += 7
    for i in range(8):
        if memo[EFFECTS + i] >= 0:
            index[count] = STEPS_AT + 3 * i + memo[EFFECTS + i]
            value[count] = 1
            count += 1
    for i, scale in enumerate((own_length / 10, length / 10, (length - own_length) / 5, own_stock / 10, stock / 10)):
        if scale != 0:
            index[count] = SCALES_AT + i
            value[count] = scale
            count += 1
    return count


@implements(standing, Side)
def _(encoding: Any, game: Any, state: Any, out: Any, memo: Any) -> bool:
    for i in range(len(state)):
        out[i] = state[i]
    out[TURN] = 1 - state[TURN]
    _look(game, out, memo)
    for view in range(2):
        seat = memo[TURNED] if view == 0 else 1 - memo[TURNED]
        memo[CRITICAL + 2 * view], memo[CRITICAL + 2 * view + 1] = critical_walls(game, out, seat)
    return True


@implements(changes, Side)
def _(encoding: Any, game: Any, state: Any, move: int, memo: Any, index: Any, value: Any) -> int:
    if move >= STEP or state[PLY] + 1 >= game.limit:
        return -1
    count = _wall_inputs(game, memo, 0 if move < 64 else 1, move & 63, index, value, 0)
    stock = memo[STOCK]  # of the seat that builds: the other one sees the board
    if stock < STOCKS:
        count = _exchange(STOCKS_AT + STOCKS + stock, STOCKS_AT + STOCKS + stock - 1, index, value, count)
    index[count] = SCALES_AT + 4
    value[count] = -0.1
    count += 1
    kind, bit = 0 if move < 64 else 1, BIT[move & 63]
    changes_own, changes_other = memo[CRITICAL + kind] & bit != 0, memo[CRITICAL + 2 + kind] & bit != 0
    if not changes_own and not changes_other:
        return count
    now = memo[NOW:]
    for i in range(NOW - OWN_LENGTH):
        now[i] = memo[OWN_LENGTH + i]
    shut(state, move)
    if changes_own:
        _look_at_way(game, state, memo[TURNED], 0, memo, now)
    if changes_other:
        _look_at_way(game, state, memo[TURNED], 1, memo, now)
    shut(state, move)
    own_before, before, own_length, length = memo[OWN_LENGTH], memo[LENGTH], now[0], now[1]
    if own_length != own_before or length != before:
        count = _exchange(_length_at(0, own_before), _length_at(0, own_length), index, value, count)
        count = _exchange(_length_at(1, before), _length_at(1, length), index, value, count)
        count = _exchange(_lead_at(own_before, before), _lead_at(own_length, length), index, value, count)
        own_more, more = own_length - own_before, length - before
        for i, scale in enumerate((own_more / 10, more / 10, (more - own_more) / 5)):
            index[count] = SCALES_AT + i
            value[count] = scale
            count += 1
    for i in range(8):
        was, effect = memo[EFFECTS + i], now[EFFECTS - OWN_LENGTH + i]
        if was != effect:
            if was >= 0:
                index[count] = STEPS_AT + 3 * i + was
                value[count] = -1
                count += 1
            if effect >= 0:
                index[count] = STEPS_AT + 3 * i + effect
                value[count] = 1
                count += 1
    return count


@kernel(inline=True)
def _exchange(before: int, after: int, index: Any, value: Any, count: int) -> int:
    """One input goes, another comes."""
    if before == after:
        return count
    index[count] = before
    value[count] = -1
    index[count + 1] = after
    value[count + 1] = 1
    return count + 2


@implements(outcome, Side)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    out[0] = 1.0 if is_home(game, state, 0) else 0.0 if is_home(game, state, 1) else 0.5


@implements(worth, Side)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    out[0] = 2 * prediction[0] - 1
    out[1] = 1 - 2 * prediction[0]


@implements(from_scores, Side)
def _(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    out[0] = (1 + scores[0]) / 2
    return True


@implements(to_view, Side)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    if state[TURN] == 1:
        vector[0] = 1 - vector[0]


@implements(from_view, Side)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    if state[TURN] == 1:
        vector[0] = 1 - vector[0]


class PathLead(NamedTuple):
    """How many steps the way of seat 0 is shorter than that of seat 1; being to move is worth half a step. 81 steps are all that a
    game is about.
    """

    kind: int = 0


@implements(grain, PathLead)
def _(view: Any) -> float:
    return 0.02  # three steps


@implements(assess, PathLead)
def _(view: Any, game: Any, state: Any) -> float:
    tempo = 0.5 if state[TURN] == 0 else -0.5
    return (distance(game, state, 1) - distance(game, state, 0) + tempo) / 81
