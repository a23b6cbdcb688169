"""Alpha-beta search as kernels, for two seats without chance: a stack of nodes, a table of positions met before, and views, the ways to judge
a position. Clocks and the player are `players.alphabeta`'s.

At each inner node all moves are judged at once, and the best are searched, best first: games with a hundred moves a turn would
otherwise not be seen beyond the second ply. The search keeps its whole state in arrays, so that it can stop and go on anywhere.

A position in which both seats move at once is judged as it stands: the search ends there. If it is the root, `evaluate_joint` looks at
each move beside some of the other seat's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import assess
from ludus.contract.rules import JOINT, OVER, moves, play, play_joint, position_key, scores, sizes_of, turn
from ludus.contract.views import worth
from ludus.kernel import generic, implements, kernel
from ludus.nets.value import OTHERS, moves_of_others, predict, predict_change, survey
from ludus.search.leaves import NetworkLeaf

DEEPEST = 64
TABLE_BITS = 20
WON = 1.0  # values beyond this are those of ended games: the sooner won, the higher
PER_PLY = 1e-3

# Columns of `MinimaxWorkspace.frames`, one row a ply, and of `MinimaxWorkspace.bounds`; values are those of the seat to move there.
DEPTH, COUNT, AT, BEST_MOVE, SIGN, MODE = range(6)
ALPHA, BETA, BEST, FLOOR = range(4)
FULL, NARROW = 0, 1  # how the child is being searched: with the whole window, or only to see that it is no better
# Columns of `MinimaxWorkspace.slots`.
SLOT_DEPTH, SLOT_KIND, SLOT_MOVE = range(3)
EXACT, AT_LEAST, AT_MOST = range(3)
# Places in `MinimaxWorkspace.cursor`.
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
    predict(view.net, view.encoding, game, state, view.ws)
    worth(view.encoding, game, view.ws.output, view.ws.worth)
    return view.ws.worth[0] - view.ws.worth[1]


@implements(look_round, NetworkLeaf)
def _(view: Any, game: Any, state: Any) -> bool:
    return survey(view.net, view.encoding, game, state, view.ws)


@implements(assess_move, NetworkLeaf)
def _(view: Any, game: Any, state: Any, move: int) -> float:
    if not predict_change(view.net, view.encoding, game, state, move, view.ws):
        return np.nan
    worth(view.encoding, game, view.ws.output, view.ws.worth)
    return view.ws.worth[0] - view.ws.worth[1]


class MinimaxOptions(NamedTuple):
    """How to search."""

    width: int  # moves that are searched at an inner node
    root_width: int
    exact: bool  # whether moves that look worse are searched as deep as others
    scale: float  # from the difference of two scores to -1 … 1


class MinimaxWorkspace(NamedTuple):
    """All that a search keeps: a stack of nodes from the root on, and the table."""

    states: np.ndarray  # ply, state
    legal: np.ndarray  # ply, move
    promise: np.ndarray  # ply, move: what each move looks like at once
    frames: np.ndarray  # ply, column
    bounds: np.ndarray  # ply, column
    cursor: np.ndarray
    value: np.ndarray  # one number: what the node just left is worth to seat 0
    result: np.ndarray  # scores of an ended game
    keys: np.ndarray
    slots: np.ndarray
    values: np.ndarray


def minimax_workspace(game: Any, bits: int = TABLE_BITS) -> MinimaxWorkspace:
    """The arrays of a search; its table has 2 ** `bits` entries."""
    max_moves, size, seats, _ = sizes_of(game)
    levels = DEEPEST + 2
    return MinimaxWorkspace(
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
def begin(ws: Any, game: Any, state: Any, depth: int) -> None:
    """Set out for a search of so many plies."""
    ws.states[0] = state
    ws.frames[0, DEPTH] = depth
    ws.frames[0, BEST_MOVE] = -1
    ws.bounds[0, ALPHA] = -9.0
    ws.bounds[0, BETA] = 9.0
    ws.cursor[LEVEL] = 0
    ws.cursor[ENTERING] = 1


@kernel
def final(ws: Any, game: Any, options: Any, state: Any, ply: int) -> float:
    """What an ended game is worth to seat 0: the sooner decided, the further from 0."""
    scores(game, state, ws.result)
    return (ws.result[0] - ws.result[1]) * options.scale * (WON + PER_PLY * (DEEPEST + 1 - ply))


@kernel(inline=True)
def _look_at(ws: Any, game: Any, view: Any, options: Any, level: int, ready: bool, move: int) -> float:
    """What the state after a move looks like to seat 0."""
    if ready:
        value = assess_move(view, game, ws.states[level], move)
        if not np.isnan(value):
            return options.scale * value
    state, child = ws.states[level], ws.states[level + 1]
    for j in range(len(state)):
        child[j] = state[j]
    play(game, child, move)
    if turn(game, child) == OVER:
        return final(ws, game, options, child, level + 1)
    return options.scale * assess(view, game, child)


@kernel
def _judge_moves(ws: Any, game: Any, view: Any, options: Any, level: int, sign: int, known: int) -> int:
    """List the moves of a node, the most promising first, and `known` before all; keep as many as are to be searched."""
    state, legal, promise = ws.states[level], ws.legal[level], ws.promise[level]
    count = moves(game, state, turn(game, state), legal)
    ready = look_round(view, game, state)
    for i in range(count):
        promise[i] = 99.0 if legal[i] == known else sign * _look_at(ws, game, view, options, level, ready, legal[i])
    width = min(count, options.root_width if level == 0 else options.width)
    for i in range(width):  # few of many: no need to sort them all
        best = i
        for j in range(i + 1, count):
            if promise[j] > promise[best]:
                best = j
        promise[i], promise[best] = promise[best], promise[i]
        legal[i], legal[best] = legal[best], legal[i]
    return width


@kernel
def _frontier(ws: Any, game: Any, view: Any, options: Any, level: int, sign: int, known: int) -> None:
    """The last ply: the best of the moves as they look at once, until one is good enough."""
    state, legal = ws.states[level], ws.legal[level]
    beta, best, chosen = ws.bounds[level, BETA], -9.0, -1
    count = moves(game, state, turn(game, state), legal)
    for i in range(count):  # the move that was best before comes first
        if legal[i] == known:
            legal[0], legal[i] = legal[i], legal[0]
    ready = look_round(view, game, state)
    for i in range(count):
        value = sign * _look_at(ws, game, view, options, level, ready, legal[i])
        ws.cursor[NODES] += 1
        if value > best:
            best, chosen = value, legal[i]
            if best >= beta:
                break
    ws.bounds[level, BEST] = best
    ws.frames[level, BEST_MOVE] = chosen


@kernel
def _remember(ws: Any, key: Any, level: int) -> None:
    """Keep what was found at a node. The value of a game's end is counted from here, not from the root."""
    at = key & np.uint64(len(ws.keys) - 1)
    best = ws.bounds[level, BEST]
    kind = EXACT
    if best <= ws.bounds[level, FLOOR]:
        kind = AT_MOST
    elif best >= ws.bounds[level, BETA]:
        kind = AT_LEAST
    if best > WON:
        best += PER_PLY * level
    elif best < -WON:
        best -= PER_PLY * level
    ws.keys[at] = key
    ws.slots[at, SLOT_DEPTH] = ws.frames[level, DEPTH]
    ws.slots[at, SLOT_KIND] = kind
    ws.slots[at, SLOT_MOVE] = ws.frames[level, BEST_MOVE]
    ws.values[at] = best


@kernel
def _recall(ws: Any, key: Any, level: int) -> tuple[int, bool]:
    """The move that was best here before, or -1; and whether what is known of the node is enough (its value is then in BEST)."""
    at = key & np.uint64(len(ws.keys) - 1)
    if ws.keys[at] != key:
        return -1, False
    move, kind, value = ws.slots[at, SLOT_MOVE], ws.slots[at, SLOT_KIND], ws.values[at]
    if value > WON:
        value -= PER_PLY * level
    elif value < -WON:
        value += PER_PLY * level
    enough = ws.slots[at, SLOT_DEPTH] >= ws.frames[level, DEPTH] and (
        kind == EXACT
        or (kind == AT_LEAST and value >= ws.bounds[level, BETA])
        or (kind == AT_MOST and value <= ws.bounds[level, ALPHA])
    )
    ws.bounds[level, BEST] = value
    return move, enough and level > 0


@kernel
def _descend(ws: Any, game: Any, level: int, narrow: bool, reduction: int) -> None:
    """Go to the child by the move that is next."""
    frames, bounds, sign = ws.frames, ws.bounds, ws.frames[level, SIGN]
    child, state = ws.states[level + 1], ws.states[level]
    for j in range(len(state)):
        child[j] = state[j]
    play(game, child, ws.legal[level, frames[level, AT]])
    frames[level, MODE] = NARROW if narrow else FULL
    frames[level + 1, DEPTH] = frames[level, DEPTH] - 1 - reduction
    low = bounds[level, ALPHA]
    high = low + 1e-6 if narrow else bounds[level, BETA]
    # Windows are handed on as seat 0 sees them, and turned by the child.
    bounds[level + 1, ALPHA] = low if sign > 0 else -high
    bounds[level + 1, BETA] = high if sign > 0 else -low
    ws.cursor[LEVEL] = level + 1
    ws.cursor[ENTERING] = 1


@kernel
def _enter(ws: Any, game: Any, view: Any, options: Any, level: int) -> bool:
    """Begin a node; True if it is done with already, its value being in `ws.value`."""
    state, frames, bounds = ws.states[level], ws.frames, ws.bounds
    ws.cursor[NODES] += 1
    seat = turn(game, state)
    if seat == OVER:
        ws.value[0] = final(ws, game, options, state, level)
        return True
    if seat == JOINT:
        ws.value[0] = options.scale * assess(view, game, state)
        return True
    sign = 1 if seat == 0 else -1
    if sign < 0:
        low, high = bounds[level, ALPHA], bounds[level, BETA]
        bounds[level, ALPHA], bounds[level, BETA] = -high, -low
    frames[level, SIGN] = sign
    bounds[level, FLOOR] = bounds[level, ALPHA]
    if frames[level, DEPTH] <= 0:
        ws.value[0] = options.scale * assess(view, game, state)
        return True
    key = position_key(game, state)
    known, enough = _recall(ws, key, level)
    if not enough and frames[level, DEPTH] == 1 and level > 0:
        _frontier(ws, game, view, options, level, sign, known)
        _remember(ws, key, level)
        enough = True
    if enough:
        ws.value[0] = sign * bounds[level, BEST]
        return True
    frames[level, COUNT] = _judge_moves(ws, game, view, options, level, sign, known)
    ws.cursor[NODES] += frames[level, COUNT]
    frames[level, AT] = 0
    frames[level, BEST_MOVE] = -1
    bounds[level, BEST] = -9.0
    _descend(ws, game, level, False, 0)
    return False


@kernel
def run(ws: Any, game: Any, view: Any, options: Any, budget: int) -> bool:
    """Go on with a search until it is done, or about `budget` nodes later; say whether it is done."""
    frames, bounds, cursor = ws.frames, ws.bounds, ws.cursor
    until = cursor[NODES] + budget
    while cursor[NODES] < until:
        level = cursor[LEVEL]
        if cursor[ENTERING]:
            if not _enter(ws, game, view, options, level):
                continue
            cursor[ENTERING] = 0
            if level == 0:
                return True
            cursor[LEVEL] = level - 1
            continue
        # Back from a child.
        value = frames[level, SIGN] * ws.value[0]
        at, depth = frames[level, AT], frames[level, DEPTH]
        reduced = frames[level + 1, DEPTH] < depth - 1
        if frames[level, MODE] == NARROW and value > bounds[level, ALPHA] and (reduced or value < bounds[level, BETA]):
            _descend(ws, game, level, False, 0)  # better than was thought: look again
            continue
        if value > bounds[level, BEST]:
            bounds[level, BEST] = value
            frames[level, BEST_MOVE] = ws.legal[level, at]
            bounds[level, ALPHA] = max(bounds[level, ALPHA], value)
        if at + 1 < frames[level, COUNT] and bounds[level, ALPHA] < bounds[level, BETA]:
            frames[level, AT] = at + 1
            # Moves that looked worse are searched less deep, unless they turn out better.
            _descend(ws, game, level, True, 1 if at >= 3 and depth >= 3 and not options.exact else 0)
            continue
        _remember(ws, position_key(game, ws.states[level]), level)
        ws.value[0] = frames[level, SIGN] * bounds[level, BEST]
        if level == 0:
            return True
        cursor[LEVEL] = level - 1
    return False


@kernel
def evaluate_joint(ws: Any, game: Any, view: Any, options: Any, state: Any, seat: int) -> int:
    """Where both seats move at once: write the moves of `seat` to `ws.legal[0]`, and what the positions after each look like to it, on
    average over some of the other's moves, to `ws.promise[0]`; return how many there are.
    """
    sign = 1 if seat == 0 else -1
    legal, promise, child = ws.legal[0], ws.promise[0], ws.states[1]
    joint = np.empty(2, np.int64)
    count = moves(game, state, seat, legal)
    for i in range(count):
        total = 0.0
        for sample in range(OTHERS):
            moves_of_others(game, state, seat, sample, joint, ws.legal[1])
            joint[seat] = legal[i]
            child[:] = state
            play_joint(game, child, joint)
            if turn(game, child) == OVER:
                total += final(ws, game, options, child, 1)
            else:
                total += options.scale * assess(view, game, child)
        promise[i] = sign * total / OTHERS
    return count
