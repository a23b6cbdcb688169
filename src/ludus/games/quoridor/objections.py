"""Why a move is not legal, in words: the rule that is against it, and what is in the way.

The rules themselves are the kernels of `rules.py`; this asks them and explains. A test holds both together: there is an
objection to a move exactly where the kernels do not list it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import OVER, moves
from ludus.games.quoridor.bitboard import (
    ACTIONS,
    BIT,
    DIRECTIONS,
    HORIZONTAL,
    OFFSET,
    PASS,
    PAWN,
    STEP,
    TURN,
    VERTICAL,
    WIDTH,
    distance,
    is_open,
    shut,
)
from ludus.games.quoridor.naming import goal_text, is_anchor, seat_names, square_text, wall_text
from ludus.games.quoridor.rules import steps

OFFSETS: list[int] = OFFSET.tolist()
_AHEAD = {"u": (1, 0), "r": (0, 1), "d": (-1, 0), "l": (0, -1)}
WAYS = [(sum(_AHEAD[c][0] for c in name), sum(_AHEAD[c][1] for c in name)) for name in DIRECTIONS]  # rows, columns


def objection(game: Any, state: np.ndarray, move: int) -> str:
    """The rule that forbids a move to the seat whose turn it is; nothing where it is legal.

    >>> import ludus
    >>> position = ludus.game("quoridor").position("e5 e6 / 9 10 / e7h / yellow")
    >>> objection(position.game, position.state, 64 + 8 * 6 + 4)
    'it would cross e7h'
    >>> objection(position.game, position.state, STEP)
    "green's pawn is on e6; the pawn on e5 can go to f5, e4, d5, e7"
    """
    state = np.array(state, np.int64)
    if state[TURN] == OVER:
        return "the game is over"
    if move < STEP:
        return _against_wall(game, state, move)
    if move < PASS:
        reason = _against_step(game, state, move - STEP)
        return f"{reason}; {reach(game, state)}" if reason else ""
    out = np.zeros(ACTIONS, np.int64)
    moves(game, state, int(state[TURN]), out)
    return "" if out[0] == PASS else f"nobody may pass who can do anything else; {reach(game, state)}"


def reach(game: Any, state: np.ndarray) -> str:
    """Where the pawn whose turn it is can go, for the end of a sentence."""
    seat = int(state[TURN])
    at, ways = int(state[PAWN + seat]), int(steps(game, state, seat))
    there = [square_text(at + OFFSETS[i]) for i in range(12) if ways >> i & 1]
    return f"the pawn on {square_text(at)} can go {'to ' + ', '.join(there) if there else 'nowhere'}"


# --- walls -----------------------------------------------------------------------------------------------------------


def clash(state: np.ndarray, wall: int) -> str:
    """The wall on the board that another one would cross or overlap; nothing if it would not."""
    anchor, vertical = wall & 63, wall >> 6
    own, other = (VERTICAL, HORIZONTAL) if vertical else (HORIZONTAL, VERTICAL)
    if state[own] & BIT[anchor]:
        return f"{wall_text(wall)} is built already"
    if state[other] & BIT[anchor]:
        return f"it would cross {wall_text(wall ^ 64)}"
    for near in (anchor - 8, anchor + 8) if vertical else (anchor - 1, anchor + 1):
        inside = 0 <= near < 64 and (vertical or near >> 3 == anchor >> 3)
        if inside and state[own] & BIT[near]:
            return f"it would overlap {wall_text(near | wall & 64)}"
    return ""


def cut_off(game: Any, state: np.ndarray) -> list[str]:
    """The pawns that have no way to their goals, each with its goal."""
    names = seat_names(game)
    return [
        f"{names[seat]}'s pawn on {square_text(int(state[PAWN + seat]))} off from its goal, {goal_text(game, seat)}"
        for seat in range(game.seats)
        if distance(game, state, seat) < 0
    ]


def _against_wall(game: Any, state: np.ndarray, wall: int) -> str:
    seat = int(state[TURN])
    if not is_anchor(game, wall & 63):
        return "that wall would stick out of the board"
    if state[PAWN + game.seats + seat] == 0:
        return f"{seat_names(game)[seat]} has no walls left; {reach(game, state)}"
    if reason := clash(state, wall):
        return reason
    shut(state, wall)
    lost = cut_off(game, state)
    return f"it would cut {' and '.join(lost)}" if lost else ""


# --- pawns -----------------------------------------------------------------------------------------------------------


def _against_step(game: Any, state: np.ndarray, direction: int) -> str:
    at = int(state[PAWN + int(state[TURN])])
    rows, columns = WAYS[direction]
    row, column = at // WIDTH + rows, at % WIDTH + columns
    if not (0 <= row < game.size and 0 <= column < game.columns):
        return "that is off the board"
    target = WIDTH * row + column
    if direction < 4:
        return _blocked(state, at, direction) or _taken(game, state, target)
    if taken := _taken(game, state, target):
        return taken
    if direction < 8:
        return _against_jump(game, state, at, direction - 4)
    # Round a corner there are two ways, and one that is free will do. Of two obstacles that of a pawn's jump says more.
    up, right = 0 if rows > 0 else 2, 1 if columns > 0 else 3
    reasons = [_against_turn(game, state, at, *ways) for ways in ((up, right), (right, up))]
    return max(reasons, key=lambda reason: reason[0])[1] if all(text for _, text in reasons) else ""


def _taken(game: Any, state: np.ndarray, square: int) -> str:
    for seat, name in enumerate(seat_names(game)):
        if state[PAWN + seat] == square:
            return f"{name}'s pawn is on {square_text(square)}"
    return ""


def _blocked(state: np.ndarray, square: int, way: int) -> str:
    """The wall that is in the way of a step that stays on the board."""
    if is_open(state, square, way):
        return ""
    low = square if way < 2 else square + OFFSETS[way]  # the lower or left one of the two squares
    row, column = low // WIDTH, low % WIDTH
    beside = ((row, column), (row, column - 1)) if way & 1 == 0 else ((row, column), (row - 1, column))
    word = HORIZONTAL if way & 1 == 0 else VERTICAL
    anchor = next(8 * r + c for r, c in beside if 0 <= r < 8 and 0 <= c < 8 and state[word] & BIT[8 * r + c])
    name = wall_text(anchor + 64 * (way & 1))
    return f"the wall {name} is between {square_text(square)} and {square_text(square + OFFSETS[way])}"


def _against_jump(game: Any, state: np.ndarray, at: int, way: int) -> str:
    over = at + OFFSETS[way]
    if blocked := _blocked(state, at, way):
        return blocked
    if not _taken(game, state, over):
        return f"that is too far: there is no pawn on {square_text(over)} to jump over"
    if _blocked(state, over, way):
        return f"{_blocked(state, over, way)}, so that a jump goes to a side"
    return ""


def _against_turn(game: Any, state: np.ndarray, at: int, way: int, aside: int) -> tuple[int, str]:
    """What is against a jump that goes one way and then to a side, and how much that says."""
    over = at + OFFSETS[way]
    row, column = over // WIDTH + WAYS[way][0], over % WIDTH + WAYS[way][1]
    if not _taken(game, state, over):
        return 0, f"pawns go round a corner only where they jump, and there is none on {square_text(over)}"
    if blocked := _blocked(state, at, way):
        return 1, blocked
    if 0 <= row < game.size and 0 <= column < game.columns and not _blocked(state, over, way):
        return (
            2,
            f"neither a wall nor the edge is behind the pawn on {square_text(over)}, so that a jump goes straight on",
        )
    return 3, _blocked(state, over, aside)
