"""Alpha-beta search as kernels, for two seats without chance: a stack of nodes, a table of positions met before, and views, the ways to judge
a position. Clocks and the player are `players.alphabeta`'s.

The move that the table knows is searched first. Only if it does not settle a node are all moves judged at once, and the best are searched, best first: games with a
hundred moves a turn would otherwise not be seen beyond the second ply. What a move looks like at once decides how deep it is searched: the later in that order, the less
deep (late-move reductions), unless it turns out better. A node that is far better or far worse than what matters is not searched at all near the edge (futility, both ways). How
far is counted on the scale of log odds, on which a judgement of 98 % and one of 99 % are as far apart as they are for who has to win the game.

The search keeps its whole state in arrays, so that it can stop and go on anywhere. With `exact` it leaves nothing out, and finds the value of minimax.

A position in which both seats move at once is judged as it stands: the search ends there. If it is the root, `evaluate_joint` looks at
each move beside some of the other seat's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludus.contract.playing import assess, grain
from ludus.contract.rules import JOINT, OVER, play, position_key, turn
from ludus.kernel import kernel
from ludus.search.minimax_looks import frontier, judge_moves, proved, settled_by
from ludus.search.minimax_space import (
    ALPHA,
    AT,
    BEST,
    BEST_MOVE,
    BETA,
    COUNT,
    DEPTH,
    ENTERED,
    ENTERING,
    FLOOR,
    JUDGED,
    LEVEL,
    MODE,
    NODES,
    PAST_MASK,
    PER_PLY,
    SIGN,
    STATIC,
    WON,
    beyond,
    final,
)
from ludus.search.table import AT_LEAST, AT_MOST, EXACT, read_entry, write_entry

NARROW_BY = 1e-6  # the width of a window that only asks whether a move is better
# How the child is being searched: with the whole window; only to see that it is no better; the same, and less deep.
FULL, NARROW, REDUCED = range(3)


@kernel
def _remember(ws: Any, key: Any, level: int) -> None:
    """Keep what was found at a node. The value of a game's end is counted from here, not from the root."""
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
    write_entry(ws.table, key, ws.frames[level, BEST_MOVE], ws.frames[level, DEPTH], kind, best)


@kernel
def _recall(ws: Any, key: Any, level: int) -> tuple[int, bool]:
    """The move that was best here before, or -1; and whether what is known of the node is enough (its value is then in BEST)."""
    move, depth, kind, value = read_entry(ws.table, key)
    if kind < 0:
        return -1, False
    if value > WON:
        value -= PER_PLY * level
    elif value < -WON:
        value += PER_PLY * level
    enough = depth >= ws.frames[level, DEPTH] and (
        kind == EXACT
        or (kind == AT_LEAST and value >= ws.bounds[level, BETA])
        or (kind == AT_MOST and value <= ws.bounds[level, ALPHA])
    )
    ws.bounds[level, BEST] = value
    return move, enough and level > 0


@kernel
def _is_repeated(ws: Any, key: Any, level: int) -> bool:
    """Whether a position was met before: on the way here from the root, or in the game."""
    ws.path[level] = key
    for above in range(level - 1, -1, -1):
        if ws.path[above] == key:
            return True
    return ws.past[key & PAST_MASK] == key


@kernel
def _descend(ws: Any, game: Any, level: int, mode: int, reduction: int) -> None:
    """Go to the child by the move that is next."""
    frames, bounds, sign = ws.frames, ws.bounds, ws.frames[level, SIGN]
    child, state = ws.states[level + 1], ws.states[level]
    for j in range(len(state)):
        child[j] = state[j]
    at = frames[level, AT]
    play(game, child, ws.legal[level, at])
    frames[level, MODE] = mode
    frames[level + 1, DEPTH] = frames[level, DEPTH] - 1 - reduction
    low = bounds[level, ALPHA]
    high = bounds[level, BETA] if mode == FULL else low + NARROW_BY
    # Windows, and what a state looks like, are handed on as seat 0 sees them, and turned by the child.
    bounds[level + 1, ALPHA] = low if sign > 0 else -high
    bounds[level + 1, BETA] = high if sign > 0 else -low
    bounds[level + 1, STATIC] = sign * ws.promise[level, at] if frames[level, JUDGED] else np.nan
    ws.cursor[LEVEL] = level + 1
    ws.cursor[ENTERING] = 1


@kernel
def _is_far_off(ws: Any, game: Any, view: Any, options: Any, level: int, sign: int) -> bool:
    """Whether a node near the edge is so far above or below the window that it need not be searched; what it looks like is then its value."""
    bounds, depth = ws.bounds, ws.frames[level, DEPTH]
    alpha, beta = bounds[level, ALPHA], bounds[level, BETA]
    if depth > max(options.above_depth, options.below_depth) or beta - alpha > 2 * NARROW_BY:
        return False
    if np.isnan(bounds[level, STATIC]):
        bounds[level, STATIC] = options.scale * assess(view, game, ws.states[level])
        ws.cursor[NODES] += 1
    seen, unit = sign * bounds[level, STATIC], grain(view) * depth
    if depth <= options.above_depth and seen >= beta and seen >= beyond(beta, options.above * unit):
        ws.value[0] = sign * seen
        return True
    if depth <= options.below_depth and seen < alpha and seen <= beyond(alpha, -options.below * unit):
        ws.value[0] = sign * seen
        return True
    return False


@kernel
def _enter(ws: Any, game: Any, view: Any, options: Any, level: int) -> bool:
    """Begin a node; True if it is done with already, its value being in `ws.value`."""
    state, frames, bounds = ws.states[level], ws.frames, ws.bounds
    ws.cursor[NODES] += 1
    ws.cursor[ENTERED] += 1
    seat = turn(game, state)
    if seat == OVER:
        ws.value[0] = final(ws, game, options, state, level)
        return True
    if seat == JOINT:
        ws.value[0] = options.scale * assess(view, game, state)
        return True
    if level > 0:
        value = proved(game, options, state, level)
        if value != 0:
            ws.value[0] = value
            return True
    sign = 1 if seat == 0 else -1
    if sign < 0:
        low, high = bounds[level, ALPHA], bounds[level, BETA]
        bounds[level, ALPHA], bounds[level, BETA] = -high, -low
    frames[level, SIGN] = sign
    bounds[level, FLOOR] = bounds[level, ALPHA]
    if frames[level, DEPTH] <= 0:
        ws.value[0] = bounds[level, STATIC]
        if np.isnan(ws.value[0]):
            ws.value[0] = options.scale * assess(view, game, state)
        return True
    key = position_key(game, state)
    if options.repetition and not options.exact and _is_repeated(ws, key, level) and level > 0:
        ws.value[0] = 0.0
        return True
    known, enough = _recall(ws, key, level)
    if enough:
        ws.value[0] = sign * bounds[level, BEST]
        return True
    if not options.exact and level > 0 and _is_far_off(ws, game, view, options, level, sign):
        return True
    if frames[level, DEPTH] == 1 and level > 0:
        frontier(ws, game, view, options, level, known)
        _remember(ws, key, level)
        ws.value[0] = sign * bounds[level, BEST]
        return True
    frames[level, AT] = 0
    frames[level, BEST_MOVE] = -1
    bounds[level, BEST] = -9.0
    frames[level, JUDGED] = known < 0 or level == 0
    if frames[level, JUDGED]:
        frames[level, COUNT] = judge_moves(ws, game, view, options, level, known)
    else:
        ws.legal[level, 0] = known
        frames[level, COUNT] = 1
    _descend(ws, game, level, FULL, 0)
    return False


@kernel
def _go_on(ws: Any, game: Any, view: Any, options: Any, level: int) -> bool:
    """Go to the next child of a node; False if no other move is worth it."""
    frames, bounds = ws.frames, ws.bounds
    if bounds[level, ALPHA] >= bounds[level, BETA]:
        return False
    if not frames[level, JUDGED]:  # the move that the table knew was not enough
        first = ws.legal[level, 0]
        frames[level, COUNT] = judge_moves(ws, game, view, options, level, first)
        frames[level, JUDGED] = 1
    at, depth = frames[level, AT] + 1, frames[level, DEPTH]
    if at >= frames[level, COUNT]:
        return False
    frames[level, AT] = at
    if options.exact:
        _descend(ws, game, level, NARROW, 0)
        return True
    alpha, seen = bounds[level, ALPHA], ws.promise[level, at]
    if (
        depth <= options.late_depth
        and level > 0
        and bounds[level, BEST] > -WON
        and seen < alpha
        and seen <= beyond(alpha, -options.late * depth * grain(view))
    ):
        return False
    reduction = 0
    if at >= 2 and depth >= 2:
        reduction = int(math.log(depth) * math.log(at + 1) / options.reduction)
    if reduction >= depth - 1:
        if seen <= alpha:  # the child would be judged as it stands, and so would those of all later moves
            bounds[level, BEST] = max(bounds[level, BEST], seen)
            return False
        reduction = depth - 2
    _descend(ws, game, level, REDUCED if reduction > 0 else NARROW, reduction)
    return True


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
        value, mode = frames[level, SIGN] * ws.value[0], frames[level, MODE]
        if value > bounds[level, ALPHA]:  # better than was thought: look again
            if mode == REDUCED:
                _descend(ws, game, level, NARROW, 0)
                continue
            if mode == NARROW and value < bounds[level, BETA]:
                _descend(ws, game, level, FULL, 0)
                continue
        if value > bounds[level, BEST]:
            bounds[level, BEST] = value
            frames[level, BEST_MOVE] = ws.legal[level, frames[level, AT]]
            bounds[level, ALPHA] = max(bounds[level, ALPHA], value)
        if _go_on(ws, game, view, options, level):
            continue
        if bounds[level, ALPHA] >= bounds[level, BETA]:
            settled_by(ws, level, frames[level, BEST_MOVE])
        _remember(ws, position_key(game, ws.states[level]), level)
        ws.value[0] = frames[level, SIGN] * bounds[level, BEST]
        if level == 0:
            return True
        cursor[LEVEL] = level - 1
    return False
