"""How a network sees a position of Quoridor for two: from the side of the seat to move, whose goal is always at the top, and
mirrored so that its pawn is never on the right half.

Beside what stands on the board there are the lengths of both ways to the goal, what each step of a pawn would do to its way, and
the walls around each pawn, numbered from there: a barrier means the same wherever a pawn meets it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract import assess, features, from_scores, from_view, outcome, to_view, worth
from ludus.games.quoridor.rules import (
    BIT,
    GOALS,
    HORIZONTAL,
    LOW_SQUARES,
    OFFSET,
    PAWN,
    TURN,
    WIDTH,
    Quoridor,
    distance,
    has,
    is_home,
    is_open,
    side_of,
    spread,
)
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

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and outputs of a network for this."""
        return 1, INPUTS, 1


@kernel(inline=True)
def approach(game: Any, state: Any, seat: int) -> tuple[int, int, int, int, int]:
    """The length of the shortest way, the squares that are nearer to the goal than the pawn is, and those that are at most as far."""
    side, square = side_of(game, seat), state[PAWN + seat]
    low, high = GOALS[game.size, side, 0], GOALS[game.size, side, 1]
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
def _steps(
    state: Any, square: int, ways: Any, turned: int, mirrored: bool, base: int, index: Any, value: Any, count: int
) -> int:
    """For each of the four steps that no wall forbids: whether it leads nearer to the goal, keeps the distance, or leads away."""
    _, near_low, near_high, low, high = ways
    for way in range(4):
        if is_open(state, square, way):
            there = square + OFFSET[way]
            effect = 0 if has(near_low, near_high, there) else 1 if has(low, high, there) else 2
            seen = (way + turned) & 3
            if mirrored:
                seen = (4 - seen) & 3
            index[count] = base + 3 * seen + effect
            value[count] = 1
            count += 1
    return count


@implements(features, Side)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    seat = state[TURN]
    other = 1 - seat
    last = game.size - 1
    # Turn the board so that the goal of the seat is above, and mirror it so that its pawn is on the left, or the other's if it is in the middle.
    own_row, own_column = state[PAWN + seat] // WIDTH, state[PAWN + seat] % WIDTH
    row, column = state[PAWN + other] // WIDTH, state[PAWN + other] % WIDTH
    turned = 0
    if seat == 1:
        turned = 2
        own_row, own_column, row, column = last - own_row, last - own_column, last - row, last - column
    mirrored = 2 * own_column > last or (2 * own_column == last and 2 * column > last)
    if mirrored:
        own_column, column = last - own_column, last - column

    count = 0
    for direction in range(2):
        walls = state[HORIZONTAL + direction]
        while walls != 0:
            anchor = lowest_bit(walls)
            walls ^= BIT[anchor]
            r, c = anchor >> 3, anchor & 7
            if turned:
                r, c = last - 1 - r, last - 1 - c
            if mirrored:
                c = last - 1 - c
            index[count] = WALLS_AT + 64 * direction + 8 * r + c
            value[count] = 1
            count += 1
            # Around a pawn: anchors from three to the lower left of its square to two to the upper right, of those next to it.
            for view in range(2):
                dr = r - (own_row if view == 0 else row) + WINDOW // 2
                dc = c - (own_column if view == 0 else column) + WINDOW // 2
                if 0 <= dr < WINDOW and 0 <= dc < WINDOW:
                    index[count] = NEAR_AT + NEAR * view + (direction * WINDOW + dr) * WINDOW + dc
                    value[count] = 1
                    count += 1

    own_way, way = approach(game, state, seat), approach(game, state, other)
    own_stock, stock = state[PAWN + 2 + seat], state[PAWN + 2 + other]
    own_length, length = own_way[0], way[0]
    index[count] = PAWNS_AT + WIDTH * own_row + own_column
    index[count + 1] = PAWNS_AT + 81 + WIDTH * row + column
    index[count + 2] = STOCKS_AT + min(own_stock, STOCKS - 1)
    index[count + 3] = STOCKS_AT + STOCKS + min(stock, STOCKS - 1)
    index[count + 4] = LENGTHS_AT + min(own_length, LENGTHS - 1)
    index[count + 5] = LENGTHS_AT + LENGTHS + min(length, LENGTHS - 1)
    index[count + 6] = LEAD_AT + min(max(length - own_length + LEADS // 2, 0), LEADS - 1)
    for i in range(7):
        value[count + i] = 1
    count += 7
    count = _steps(state, state[PAWN + seat], own_way, turned, mirrored, STEPS_AT, index, value, count)
    count = _steps(state, state[PAWN + other], way, turned, mirrored, STEPS_AT + 12, index, value, count)
    for i, scale in enumerate((own_length / 10, length / 10, (length - own_length) / 5, own_stock / 10, stock / 10)):
        if scale != 0:
            index[count] = SCALES_AT + i
            value[count] = scale
            count += 1
    return count


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


@implements(assess, PathLead)
def _(view: Any, game: Any, state: Any) -> float:
    tempo = 0.5 if state[TURN] == 0 else -0.5
    return (distance(game, state, 1) - distance(game, state, 0) + tempo) / 81


def encodings(game: Quoridor) -> dict[str, Any]:
    """The ways to show positions of a game to a network."""
    return {"side": Side()} if game.seats == 2 else {}
