"""What a search by minimax keeps and is told: its stack of nodes, its options, the game's past, and what values mean."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import moves, play, position_key, scores, sizes_of, turn
from ludus.kernel import kernel
from ludus.search.table import Table, new_table, read_entry

DEEPEST = 64
TABLE_BITS = 20
WON = 1.0  # values beyond this are those of ended games: the sooner won, the higher
PER_PLY = 1e-5
LONGEST = 1000  # plies: no end of a game that is known of is farther away
PAST = 1 << 12
PAST_MASK = np.uint64(PAST - 1)
KILLERS = 2  # moves that settled nodes of a ply, and are looked at early in others

# Columns of `MinimaxWorkspace.frames`, one row a ply, and of `MinimaxWorkspace.bounds`; values are those of the seat to move there.
DEPTH, COUNT, AT, BEST_MOVE, SIGN, MODE, JUDGED = range(7)
ALPHA, BETA, BEST, FLOOR, STATIC = range(5)
# Places in `MinimaxWorkspace.cursor`.
LEVEL, ENTERING, NODES, ENTERED = range(4)  # NODES counts judged moves as well


class MinimaxOptions(NamedTuple):
    """How to search. Margins are in grains of the view."""

    width: int  # moves that are searched at an inner node
    root_width: int
    exact: bool  # whether nothing is left out, and all moves are searched equally deep
    scale: float  # from the difference of two scores to -1 … 1
    middle: float  # the sum of two scores: what one has the other lacks
    above: float = 0.3  # a node so far above the window, times its depth, is not searched,
    above_depth: int = 4  # nor one of this depth at most
    below: float = 0.4  # the same below the window
    below_depth: int = 2
    late: float = (
        0.45  # a move that looks so far below the window, times the depth, is not searched, nor are those after it,
    )
    late_depth: int = 4  # at a node of this depth at most
    reduction: float = 1.8  # the less, the more late moves are reduced
    repetition: int = 1  # whether a position that was there before is worth as much as a draw
    proofs: int = 1  # whether a game that is proved to be won is looked at no further


class MinimaxWorkspace(NamedTuple):
    """All that a search keeps: a stack of nodes from the root on, and the table."""

    states: np.ndarray  # ply, state
    legal: np.ndarray  # ply, move
    promise: np.ndarray  # ply, move: what each move looks like at once
    killers: np.ndarray  # ply, which: moves that settled nodes
    frames: np.ndarray  # ply, column
    bounds: np.ndarray  # ply, column
    cursor: np.ndarray
    value: np.ndarray  # one number: what the node just left is worth to seat 0
    result: np.ndarray  # scores of an ended game
    path: np.ndarray  # ply: the key of the position there
    past: np.ndarray  # keys of positions of the game so far, each at the place of its last bits
    table: Table


def minimax_workspace(game: Any, bits: int = TABLE_BITS) -> MinimaxWorkspace:
    """The arrays of a search; its table has 2 ** `bits` entries."""
    max_moves, size, seats, _ = sizes_of(game)
    made: MinimaxWorkspace = new_workspace(max_moves, size, seats, bits)
    return made


@kernel
def new_workspace(max_moves: int, size: int, seats: int, bits: int) -> Any:
    """As `minimax_workspace`, inside a kernel."""
    levels = DEEPEST + 2
    return MinimaxWorkspace(
        np.zeros((levels, size), np.int64),
        np.zeros((levels, max_moves), np.int64),
        np.zeros((levels, max_moves)),
        np.full((levels, KILLERS), -1, np.int64),
        np.zeros((levels, JUDGED + 1), np.int64),
        np.zeros((levels, STATIC + 1)),
        np.zeros(ENTERED + 1, np.int64),
        np.zeros(1),
        np.zeros(seats),
        np.zeros(levels, np.uint64),
        np.zeros(PAST, np.uint64),
        new_table(bits),
    )


@kernel
def begin(ws: Any, game: Any, state: Any, depth: int, low: float, high: float) -> None:
    """Set out for a search of so many plies, for a value between two bounds as the seat to move sees it."""
    ws.states[0] = state
    ws.frames[0, DEPTH] = depth
    ws.frames[0, BEST_MOVE] = -1
    second = turn(game, state) == 1
    ws.bounds[0, ALPHA] = -high if second else low
    ws.bounds[0, BETA] = -low if second else high
    ws.bounds[0, STATIC] = np.nan
    ws.cursor[LEVEL] = 0
    ws.cursor[ENTERING] = 1


@kernel
def won_at(ply: int) -> float:
    """What it is worth to win so many plies after the root: the sooner, the more.

    >>> won_at(2) > won_at(3) > WON
    True
    """
    return WON + PER_PLY * (LONGEST - ply)


@kernel
def final(ws: Any, game: Any, options: Any, state: Any, ply: int) -> float:
    """What an ended game is worth to seat 0: the sooner decided, the further from 0."""
    scores(game, state, ws.result)
    return (ws.result[0] - ws.result[1]) * options.scale * won_at(ply)


@kernel
def beyond(value: float, margin: float) -> float:
    """A value and so much more of half the log odds; what is decided stays what it is.

    >>> round(beyond(0.0, 0.5), 3), round(beyond(0.9, 0.5), 3), beyond(1.05, 0.5)
    (0.462, 0.962, 1.05)
    """
    if value >= WON or value <= -WON:
        return value
    return math.tanh(math.atanh(min(max(value, -0.999999), 0.999999)) + margin)


@kernel
def known_move(ws: Any, game: Any, state: Any) -> int:
    """The move that was found best in a state, or -1."""
    return read_entry(ws.table, position_key(game, state))[0]


@kernel
def go_on_from(ws: Any, game: Any, before: Any, state: Any) -> None:
    """Add a state of the game to its past; if it is not one move after `before`, another game is being played, and the past is forgotten."""
    key, child, known = position_key(game, state), ws.states[0], False
    if turn(game, before) >= 0:
        count = moves(game, before, turn(game, before), ws.legal[0])
        for i in range(count):
            child[:] = before
            play(game, child, ws.legal[0, i])
            if position_key(game, child) == key:
                known = True
                break
    if not known:
        ws.past[:] = 0
    ws.past[key & PAST_MASK] = key
