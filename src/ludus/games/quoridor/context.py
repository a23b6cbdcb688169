"""A game of Quoridor with what players ask for again and again, kept up to date move by move: a shortest path of each seat, the walls
that would cut it, and the anchors where no wall fits any more (the thesis's Context, section 4.3). Moves can be taken back.

A path is searched for again only when a new wall cuts it or its pawn leaves it. A wall that cuts nobody's kept path is legal
wherever it fits, so that legal walls need a search only where one touches others in two points and cuts a kept path.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import play
from ludus.games.quoridor.bitboard import (
    ANCHORS,
    BIT,
    CUT_RIGHT,
    CUT_UP,
    HORIZONTAL,
    LOW_SQUARES,
    OFFSET,
    PASS,
    PAWN,
    PLY,
    STEP,
    TURN,
    WIDTH,
    board_of,
    flood_to_pawn,
    is_open,
    shut,
    side_of,
)
from ludus.games.quoridor.rules import free_anchors, touching, without_cuts
from ludus.kernel import kernel

SQUARES = WIDTH * WIDTH
# What is kept of a seat's path: the walls that would cut it, as two words of anchors; its length; its squares from the goal (first)
# to the pawn (last), so that a step along it only makes it shorter.
CUT_H, CUT_V, LENGTH, TRAIL = 0, 1, 2, 3
PATH_SIZE = TRAIL + SQUARES + 1


class Context(NamedTuple):
    """See above. `new_context` makes one."""

    state: np.ndarray  # the game's
    paths: np.ndarray  # seat, see above
    crossing: np.ndarray  # anchors where a horizontal and a vertical wall would cross or overlap another
    buffer: np.ndarray  # for the search: two words a step
    saved: np.ndarray  # what moves have changed, to take them back
    top: np.ndarray  # how much of that is used


def new_context(game: Any, state: np.ndarray) -> Context:
    """The context of a state, of which it takes a copy.

    >>> import ludus
    >>> game = ludus.game("quoridor")
    >>> context = new_context(game, game.start().state)
    >>> advance(context, game, 128)  # a step up
    >>> distance_of(context, 0), distance_of(context, 1)
    (7, 8)
    >>> undo(context, game), distance_of(context, 0)
    (128, 8)
    """
    most = (game.seats * (PATH_SIZE + 2) + 5) * (game.limit + 1)
    context = Context(
        np.array(state, np.int64),
        np.zeros((game.seats, PATH_SIZE), np.int64),
        np.zeros(2, np.int64),
        np.zeros(2 * SQUARES, np.int64),
        np.empty(most, np.int64),
        np.zeros(1, np.int64),
    )
    refresh(context, game)
    return context


# --- paths -----------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def cuts_between(here: int, there: int) -> tuple[int, int]:
    """The walls, as two words of anchors, that would shut the way between neighbours."""
    if there == here + WIDTH:
        return CUT_UP[here], 0
    if there == here - WIDTH:
        return CUT_UP[there], 0
    if there == here + 1:
        return 0, CUT_RIGHT[here]
    return 0, CUT_RIGHT[there]


@kernel
def collect_cuts(paths: Any, seat: int) -> None:
    """Note the walls that would cut a path."""
    horizontal, vertical = BIT[0] & 0, BIT[0] & 0
    for i in range(paths[seat, LENGTH]):
        h, v = cuts_between(paths[seat, TRAIL + i], paths[seat, TRAIL + i + 1])
        horizontal |= h
        vertical |= v
    paths[seat, CUT_H], paths[seat, CUT_V] = horizontal, vertical


@kernel
def find_path(game: Any, state: Any, seat: int, turned: int, paths: Any, buffer: Any) -> bool:
    """Search for a shortest path and keep it; False, and nothing is changed, if there is none.

    Where several ways are equally short the seat goes ahead first, then to its right, back, or to its left; `turned` is 3 to look left
    before right, else 1.
    """
    side, square = side_of(game, seat), state[PAWN + seat]
    length = flood_to_pawn(game, state, seat, buffer)
    if length < 0:
        return False
    paths[seat, LENGTH] = length
    paths[seat, TRAIL + length] = square
    horizontal, vertical = BIT[0] & 0, BIT[0] & 0
    for i in range(length - 1, -1, -1):
        low, high = buffer[2 * i], buffer[2 * i + 1]
        for k in range(4):
            way = (k * turned + side) & 3
            if not is_open(state, square, way):
                continue
            there = square + OFFSET[way]
            if (low & BIT[there] if there < LOW_SQUARES else high & BIT[there - LOW_SQUARES]) != 0:
                h, v = cuts_between(square, there)
                horizontal |= h
                vertical |= v
                paths[seat, TRAIL + i] = there
                square = there
                break
    paths[seat, CUT_H], paths[seat, CUT_V] = horizontal, vertical
    return True


@kernel(inline=True)
def is_cut(paths: Any, seat: int, wall: int) -> bool:
    """Whether a wall would cut the path that is kept for a seat."""
    return paths[seat, wall >> 6] & BIT[wall & 63] != 0


@kernel(inline=True)
def goes_along(paths: Any, seat: int, square: int) -> int:
    """How many steps of its path a pawn has taken that now stands on this square; 0 if it left the path."""
    length = paths[seat, LENGTH]
    for taken in (1, 2):
        if length >= taken and paths[seat, TRAIL + length - taken] == square:
            return taken
    return 0


@kernel
def keep_paths(game: Any, state: Any, mover: int, move: int, turned: int, paths: Any, buffer: Any) -> None:
    """Bring the paths up to date after a move that led to `state`."""
    if move < STEP:
        for seat in range(game.seats):
            if is_cut(paths, seat, move):
                find_path(game, state, seat, turned, paths, buffer)
    elif move != PASS:
        taken = goes_along(paths, mover, state[PAWN + mover])
        if taken > 0:
            paths[mover, LENGTH] -= taken
            collect_cuts(paths, mover)
        else:
            find_path(game, state, mover, turned, paths, buffer)


# --- the game ---------------------------------------------------------------------------------------------------------


@kernel
def refresh(context: Any, game: Any) -> None:
    """Work everything out from the state alone, and forget the moves that led to it."""
    context.top[0] = 0
    for seat in range(game.seats):
        find_path(game, context.state, seat, 1, context.paths, context.buffer)
    horizontal, vertical = free_anchors(game, context.state)
    board = ANCHORS[board_of(game)]
    context.crossing[0], context.crossing[1] = board & ~horizontal, board & ~vertical


@kernel(inline=True)
def _push(context: Any, number: int) -> None:
    context.saved[context.top[0]] = number
    context.top[0] += 1


@kernel(inline=True)
def _pop(context: Any) -> int:
    context.top[0] -= 1
    return context.saved[context.top[0]]


@kernel
def advance(context: Any, game: Any, move: int) -> None:
    """Play a legal move."""
    state, paths, crossing = context.state, context.paths, context.crossing
    mover, changed = state[TURN], 0
    play(game, state, move)
    for seat in range(game.seats):
        if is_cut(paths, seat, move) if move < STEP else seat == mover and move != PASS:
            for i in range(TRAIL + paths[seat, LENGTH] + 1):
                _push(context, paths[seat, i])
            _push(context, paths[seat, LENGTH])
            _push(context, seat)
            changed += 1
    _push(context, crossing[0])
    _push(context, crossing[1])
    _push(context, changed)
    _push(context, mover)
    _push(context, move)
    keep_paths(game, state, mover, move, 1, paths, context.buffer)
    if move < STEP:
        horizontal, vertical = free_anchors(game, state)
        board = ANCHORS[board_of(game)]
        crossing[0], crossing[1] = board & ~horizontal, board & ~vertical


@kernel
def undo(context: Any, game: Any) -> int:
    """Take the last move back and return it; -1 if there is none since the context was made."""
    if context.top[0] == 0:
        return -1
    state, paths = context.state, context.paths
    move, mover, changed = _pop(context), _pop(context), _pop(context)
    context.crossing[1] = _pop(context)
    context.crossing[0] = _pop(context)
    for _ in range(changed):
        seat, length = _pop(context), _pop(context)
        for i in range(TRAIL + length, -1, -1):
            paths[seat, i] = _pop(context)
    state[TURN] = mover
    state[PLY] -= 1
    if move < STEP:
        state[PAWN + game.seats + mover] += 1
        state[HORIZONTAL + (move >> 6)] ^= BIT[move & 63]
        shut(state, move)
    elif move != PASS:
        state[PAWN + mover] -= OFFSET[move - STEP]
    return move


# --- what players ask ---------------------------------------------------------------------------------------------------


@kernel
def distance_of(context: Any, seat: int) -> int:
    """The length of a seat's shortest path."""
    return context.paths[seat, LENGTH]


@kernel
def blockers_of(context: Any, seat: int) -> tuple[int, int]:
    """The walls that would cut the kept path of a seat, as two words of anchors."""
    return context.paths[seat, CUT_H], context.paths[seat, CUT_V]


@kernel
def legal_walls_in(context: Any, game: Any) -> tuple[int, int]:
    """The anchors of all legal horizontal and vertical walls, as `rules.legal_walls` has them."""
    state, paths = context.state, context.paths
    board = ANCHORS[board_of(game)]
    horizontal, vertical = board & ~context.crossing[0], board & ~context.crossing[1]
    doubtful_h, doubtful_v = touching(game, state)
    cut_h, cut_v = BIT[0] & 0, BIT[0] & 0
    for seat in range(game.seats):
        cut_h |= paths[seat, CUT_H]
        cut_v |= paths[seat, CUT_V]
    return without_cuts(
        game, state, horizontal, vertical, doubtful_h & horizontal & cut_h, doubtful_v & vertical & cut_v
    )
