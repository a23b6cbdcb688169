"""Alpha-beta search as kernels, for two seats without chance: a stack of nodes, a table of positions met before, and views, the ways to judge
a position. Clocks and the player are `alphabeta.py`'s.

At each inner node all moves are judged at once, and the best are searched, best first: games with a hundred moves a turn would
otherwise not be seen beyond the second ply. The search keeps its whole state in arrays, so that it can stop and go on anywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import assess
from ludus.contract.rules import OVER, moves, play, position_key, scores, sizes_of, turn
from ludus.contract.views import worth
from ludus.kernel import generic, implements, kernel
from ludus.nets.value import predict, predict_change, survey
from ludus.search.leaves import NetworkLeaf

DEEPEST = 64
TABLE_BITS = 20
WON = 1.0  # values beyond this are those of ended games: the sooner won, the higher
PER_PLY = 1e-3

# Columns of `Desk.frames`, one row a ply, and of `Desk.bounds`; values are those of the seat to move there.
DEPTH, COUNT, AT, BEST_MOVE, SIGN, MODE = range(6)
ALPHA, BETA, BEST, FLOOR = range(4)
FULL, NARROW = 0, 1  # how the child is being searched: with the whole window, or only to see that it is no better
# Columns of `Desk.slots`.
SLOT_DEPTH, SLOT_KIND, SLOT_MOVE = range(3)
EXACT, AT_LEAST, AT_MOST = range(3)
# Places in `Desk.cursor`.
LEVEL, ENTERING, NODES = range(3)


@generic
def look_round(view: Any, game: Any, state: Any) -> bool:
    """Get ready for `assess_move` in a state; False where a view has no use for this."""


@generic
def assess_move(view: Any, game: Any, state: Any, move: int) -> float:
    """What `assess` would say of the state after a move; not a number where it must be made to know."""


@implements(look_round, object)
def _(view: Any, game: Any, state: Any) -> bool:
    return False


@implements(assess_move, object)
def _(view: Any, game: Any, state: Any, move: int) -> float:
    return np.nan


@implements(assess, NetworkLeaf)
def _(view: Any, game: Any, state: Any) -> float:
    predict(view.net, view.encoding, game, state, view.desk)
    worth(view.encoding, game, view.desk.output, view.desk.worth)
    return view.desk.worth[0] - view.desk.worth[1]


@implements(look_round, NetworkLeaf)
def _(view: Any, game: Any, state: Any) -> bool:
    return survey(view.net, view.encoding, game, state, view.desk)


@implements(assess_move, NetworkLeaf)
def _(view: Any, game: Any, state: Any, move: int) -> float:
    if not predict_change(view.net, view.encoding, game, state, move, view.desk):
        return np.nan
    worth(view.encoding, game, view.desk.output, view.desk.worth)
    return view.desk.worth[0] - view.desk.worth[1]


class Manner(NamedTuple):
    """How to search."""

    width: int  # moves that are searched at an inner node
    root_width: int
    exact: bool  # whether moves that look worse are searched as deep as others
    scale: float  # from the difference of two scores to -1 … 1


class Desk(NamedTuple):
    """All that a search keeps: a stack of nodes from the root on, and the table."""

    states: np.ndarray  # ply, state
    listed: np.ndarray  # ply, move
    promise: np.ndarray  # ply, move: what each move looks like at once
    frames: np.ndarray  # ply, column
    bounds: np.ndarray  # ply, column
    cursor: np.ndarray
    value: np.ndarray  # one number: what the node just left is worth to seat 0
    result: np.ndarray  # room for scores
    keys: np.ndarray
    slots: np.ndarray
    values: np.ndarray


def new_desk(game: Any, bits: int = TABLE_BITS) -> Desk:
    """Room for a search."""
    max_moves, size, seats, _ = sizes_of(game)
    levels = DEEPEST + 2
    return Desk(
        np.zeros((levels, size), np.int64),
        np.zeros((levels, max_moves), np.int64),
        np.zeros((levels, max_moves)),
        np.zeros((levels, 6), np.int64),
        np.zeros((levels, 4)),
        np.zeros(3, np.int64),
        np.zeros(1),
        np.zeros(seats),
        np.zeros(1 << bits, np.uint64),
        np.zeros((1 << bits, 3), np.int64),
        np.zeros(1 << bits),
    )


@kernel
def begin(desk: Any, game: Any, state: Any, depth: int) -> None:
    """Set out for a search of so many plies."""
    desk.states[0] = state
    desk.frames[0, DEPTH] = depth
    desk.frames[0, BEST_MOVE] = -1
    desk.bounds[0, ALPHA] = -9.0
    desk.bounds[0, BETA] = 9.0
    desk.cursor[LEVEL] = 0
    desk.cursor[ENTERING] = 1


@kernel
def final(desk: Any, game: Any, how: Any, state: Any, ply: int) -> float:
    """What an ended game is worth to seat 0: the sooner decided, the further from 0."""
    scores(game, state, desk.result)
    return (desk.result[0] - desk.result[1]) * how.scale * (WON + PER_PLY * (DEEPEST + 1 - ply))


@kernel(inline=True)
def _look_at(desk: Any, game: Any, view: Any, how: Any, level: int, ready: bool, move: int) -> float:
    """What the state after a move looks like to seat 0."""
    if ready:
        value = assess_move(view, game, desk.states[level], move)
        if not np.isnan(value):
            return how.scale * value
    state, child = desk.states[level], desk.states[level + 1]
    for j in range(len(state)):
        child[j] = state[j]
    play(game, child, move)
    if turn(game, child) == OVER:
        return final(desk, game, how, child, level + 1)
    return how.scale * assess(view, game, child)


@kernel
def _judge_moves(desk: Any, game: Any, view: Any, how: Any, level: int, sign: int, known: int) -> int:
    """List the moves of a node, the most promising first, and `known` before all; keep as many as are to be searched."""
    state, listed, promise = desk.states[level], desk.listed[level], desk.promise[level]
    count = moves(game, state, turn(game, state), listed)
    ready = look_round(view, game, state)
    for i in range(count):
        promise[i] = 99.0 if listed[i] == known else sign * _look_at(desk, game, view, how, level, ready, listed[i])
    width = min(count, how.root_width if level == 0 else how.width)
    for i in range(width):  # few of many: no need to sort them all
        best = i
        for j in range(i + 1, count):
            if promise[j] > promise[best]:
                best = j
        promise[i], promise[best] = promise[best], promise[i]
        listed[i], listed[best] = listed[best], listed[i]
    return width


@kernel
def _frontier(desk: Any, game: Any, view: Any, how: Any, level: int, sign: int, known: int) -> None:
    """The last ply: the best of the moves as they look at once, until one is good enough."""
    state, listed = desk.states[level], desk.listed[level]
    beta, best, chosen = desk.bounds[level, BETA], -9.0, -1
    count = moves(game, state, turn(game, state), listed)
    for i in range(count):  # the move that was best before comes first
        if listed[i] == known:
            listed[0], listed[i] = listed[i], listed[0]
    ready = look_round(view, game, state)
    for i in range(count):
        value = sign * _look_at(desk, game, view, how, level, ready, listed[i])
        desk.cursor[NODES] += 1
        if value > best:
            best, chosen = value, listed[i]
            if best >= beta:
                break
    desk.bounds[level, BEST] = best
    desk.frames[level, BEST_MOVE] = chosen


@kernel
def _remember(desk: Any, key: Any, level: int) -> None:
    """Keep what was found at a node. The value of a game's end is counted from here, not from the root."""
    at = key & np.uint64(len(desk.keys) - 1)
    best = desk.bounds[level, BEST]
    kind = EXACT
    if best <= desk.bounds[level, FLOOR]:
        kind = AT_MOST
    elif best >= desk.bounds[level, BETA]:
        kind = AT_LEAST
    if best > WON:
        best += PER_PLY * level
    elif best < -WON:
        best -= PER_PLY * level
    desk.keys[at] = key
    desk.slots[at, SLOT_DEPTH] = desk.frames[level, DEPTH]
    desk.slots[at, SLOT_KIND] = kind
    desk.slots[at, SLOT_MOVE] = desk.frames[level, BEST_MOVE]
    desk.values[at] = best


@kernel
def _recall(desk: Any, key: Any, level: int) -> tuple[int, bool]:
    """The move that was best here before, or -1; and whether what is known of the node is enough (its value is then in BEST)."""
    at = key & np.uint64(len(desk.keys) - 1)
    if desk.keys[at] != key:
        return -1, False
    move, kind, value = desk.slots[at, SLOT_MOVE], desk.slots[at, SLOT_KIND], desk.values[at]
    if value > WON:
        value -= PER_PLY * level
    elif value < -WON:
        value += PER_PLY * level
    enough = desk.slots[at, SLOT_DEPTH] >= desk.frames[level, DEPTH] and (
        kind == EXACT
        or (kind == AT_LEAST and value >= desk.bounds[level, BETA])
        or (kind == AT_MOST and value <= desk.bounds[level, ALPHA])
    )
    desk.bounds[level, BEST] = value
    return move, enough and level > 0


@kernel
def _descend(desk: Any, game: Any, level: int, narrow: bool, reduction: int) -> None:
    """Go to the child by the move that is next."""
    frames, bounds, sign = desk.frames, desk.bounds, desk.frames[level, SIGN]
    child, state = desk.states[level + 1], desk.states[level]
    for j in range(len(state)):
        child[j] = state[j]
    play(game, child, desk.listed[level, frames[level, AT]])
    frames[level, MODE] = NARROW if narrow else FULL
    frames[level + 1, DEPTH] = frames[level, DEPTH] - 1 - reduction
    low = bounds[level, ALPHA]
    high = low + 1e-6 if narrow else bounds[level, BETA]
    # Windows are handed on as seat 0 sees them, and turned by the child.
    bounds[level + 1, ALPHA] = low if sign > 0 else -high
    bounds[level + 1, BETA] = high if sign > 0 else -low
    desk.cursor[LEVEL] = level + 1
    desk.cursor[ENTERING] = 1


@kernel
def _enter(desk: Any, game: Any, view: Any, how: Any, level: int) -> bool:
    """Begin a node; True if it is done with already, its value being in `desk.value`."""
    state, frames, bounds = desk.states[level], desk.frames, desk.bounds
    desk.cursor[NODES] += 1
    seat = turn(game, state)
    if seat == OVER:
        desk.value[0] = final(desk, game, how, state, level)
        return True
    sign = 1 if seat == 0 else -1
    if sign < 0:
        low, high = bounds[level, ALPHA], bounds[level, BETA]
        bounds[level, ALPHA], bounds[level, BETA] = -high, -low
    frames[level, SIGN] = sign
    bounds[level, FLOOR] = bounds[level, ALPHA]
    if frames[level, DEPTH] <= 0:
        desk.value[0] = how.scale * assess(view, game, state)
        return True
    key = position_key(game, state)
    known, enough = _recall(desk, key, level)
    if not enough and frames[level, DEPTH] == 1 and level > 0:
        _frontier(desk, game, view, how, level, sign, known)
        _remember(desk, key, level)
        enough = True
    if enough:
        desk.value[0] = sign * bounds[level, BEST]
        return True
    frames[level, COUNT] = _judge_moves(desk, game, view, how, level, sign, known)
    desk.cursor[NODES] += frames[level, COUNT]
    frames[level, AT] = 0
    frames[level, BEST_MOVE] = -1
    bounds[level, BEST] = -9.0
    _descend(desk, game, level, False, 0)
    return False


@kernel
def run(desk: Any, game: Any, view: Any, how: Any, budget: int) -> bool:
    """Go on with a search until it is done, or about `budget` nodes later; say whether it is done."""
    frames, bounds, cursor = desk.frames, desk.bounds, desk.cursor
    until = cursor[NODES] + budget
    while cursor[NODES] < until:
        level = cursor[LEVEL]
        if cursor[ENTERING]:
            if not _enter(desk, game, view, how, level):
                continue
            cursor[ENTERING] = 0
            if level == 0:
                return True
            cursor[LEVEL] = level - 1
            continue
        # Back from a child.
        value = frames[level, SIGN] * desk.value[0]
        at, depth = frames[level, AT], frames[level, DEPTH]
        reduced = frames[level + 1, DEPTH] < depth - 1
        if frames[level, MODE] == NARROW and value > bounds[level, ALPHA] and (reduced or value < bounds[level, BETA]):
            _descend(desk, game, level, False, 0)  # better than was thought: look again
            continue
        if value > bounds[level, BEST]:
            bounds[level, BEST] = value
            frames[level, BEST_MOVE] = desk.listed[level, at]
            bounds[level, ALPHA] = max(bounds[level, ALPHA], value)
        if at + 1 < frames[level, COUNT] and bounds[level, ALPHA] < bounds[level, BETA]:
            frames[level, AT] = at + 1
            # Moves that looked worse are searched less deep, unless they turn out better.
            _descend(desk, game, level, True, 1 if at >= 3 and depth >= 3 and not how.exact else 0)
            continue
        _remember(desk, position_key(game, desk.states[level]), level)
        desk.value[0] = frames[level, SIGN] * bounds[level, BEST]
        if level == 0:
            return True
        cursor[LEVEL] = level - 1
    return False
