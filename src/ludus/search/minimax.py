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
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import assess, grain
from ludus.contract.rules import JOINT, OVER, foregone, moves, play, play_joint, position_key, scores, sizes_of, turn
from ludus.contract.views import worth
from ludus.kernel import generic, implements, kernel
from ludus.nets.value import OTHERS, moves_of_others, predict, predict_change, survey
from ludus.search.leaves import NetworkLeaf
from ludus.search.table import AT_LEAST, AT_MOST, EXACT, Table, new_table, read_entry, write_entry

DEEPEST = 64
TABLE_BITS = 20
WON = 1.0  # values beyond this are those of ended games: the sooner won, the higher
PER_PLY = 1e-3
LONGEST = 1000  # plies: no end of a game that is known of is farther away
NARROW_BY = 1e-6  # the width of a window that only asks whether a move is better
FIRST_LOOKS = 8  # moves at the last ply that are judged before the others, to see whether one is good enough
PAST = 1 << 12
PAST_MASK = np.uint64(PAST - 1)
KILLERS = 2  # moves that settled nodes of a ply, and are looked at early in others

# Columns of `MinimaxWorkspace.frames`, one row a ply, and of `MinimaxWorkspace.bounds`; values are those of the seat to move there.
DEPTH, COUNT, AT, BEST_MOVE, SIGN, MODE, JUDGED = range(7)
ALPHA, BETA, BEST, FLOOR, STATIC = range(5)
# How the child is being searched: with the whole window; only to see that it is no better; the same, and less deep.
FULL, NARROW, REDUCED = range(3)
# Places in `MinimaxWorkspace.cursor`.
LEVEL, ENTERING, NODES, ENTERED = range(4)  # NODES counts judged moves as well


@generic
def look_round(view: Any, game: Any, state: Any) -> bool:
    """Get ready for `assess_moves` in a state; False where a view has no use for this."""


@generic
def assess_moves(view: Any, game: Any, state: Any, legal: Any, first: int, last: int, out: Any) -> None:
    """After `look_round`: write what `assess` would say of the states after some moves; not a number where one must be made to know."""


@implements(look_round, object)
def _(view: Any, game: Any, state: Any) -> bool:
    return False


@implements(assess_moves, object)
def _(view: Any, game: Any, state: Any, legal: Any, first: int, last: int, out: Any) -> None:
    for i in range(first, last):
        out[i] = np.nan


@implements(assess, NetworkLeaf)
def _(view: Any, game: Any, state: Any) -> float:
    predict(view.net, view.encoding, game, state, view.ws)
    worth(view.encoding, game, view.ws.output, view.ws.worth)
    return view.ws.worth[0] - view.ws.worth[1]


@implements(look_round, NetworkLeaf)
def _(view: Any, game: Any, state: Any) -> bool:
    return survey(view.net, view.encoding, game, state, view.ws)


@implements(assess_moves, NetworkLeaf)
def _(view: Any, game: Any, state: Any, legal: Any, first: int, last: int, out: Any) -> None:
    net, encoding, ws = view.net, view.encoding, view.ws
    for i in range(first, last):
        if predict_change(net, encoding, game, state, legal[i], ws):
            worth(encoding, game, ws.output, ws.worth)
            out[i] = ws.worth[0] - ws.worth[1]
        else:
            out[i] = np.nan


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
def _proved(game: Any, options: Any, state: Any, ply: int) -> float:
    """What a state is worth to seat 0 where a glance proves who wins; 0 where it does not, or nothing may be left out."""
    plies = 0 if options.exact or not options.proofs else foregone(game, state)
    if plies == 0:
        return 0.0
    value = won_at(ply + abs(plies))
    return value if (plies > 0) == (turn(game, state) == 0) else -value


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
def _look_at(ws: Any, game: Any, view: Any, options: Any, level: int, move: int) -> float:
    """What the state after a move looks like to seat 0, when it is made."""
    state, child = ws.states[level], ws.states[level + 1]
    for j in range(len(state)):
        child[j] = state[j]
    play(game, child, move)
    if turn(game, child) == OVER:
        return final(ws, game, options, child, level + 1)
    proved = _proved(game, options, child, level + 1)
    return proved if proved != 0 else options.scale * assess(view, game, child)


@kernel
def _look_at_moves(ws: Any, game: Any, view: Any, options: Any, level: int, ready: bool, first: int, last: int) -> None:
    """Write what the states after some moves of a node look like to who moves there."""
    promise, sign = ws.promise[level], ws.frames[level, SIGN]
    if ready:
        assess_moves(view, game, ws.states[level], ws.legal[level], first, last, promise)
    for i in range(first, last):
        if ready and not np.isnan(promise[i]):
            promise[i] *= sign * options.scale
        else:
            promise[i] = sign * _look_at(ws, game, view, options, level, ws.legal[level, i])


@kernel
def _judge_moves(ws: Any, game: Any, view: Any, options: Any, level: int, known: int) -> int:
    """List the moves of a node, the most promising first, and `known` before all; keep as many as are to be searched."""
    state, legal, promise = ws.states[level], ws.legal[level], ws.promise[level]
    count = moves(game, state, turn(game, state), legal)
    ready = look_round(view, game, state)
    _look_at_moves(ws, game, view, options, level, ready, 0, count)
    ws.cursor[NODES] += count
    width = min(count, options.root_width if level == 0 else options.width)
    first = 0
    for i in range(count):
        if legal[i] == known:
            promise[0], promise[i] = promise[i], promise[0]
            legal[0], legal[i] = legal[i], legal[0]
            first = 1
            break
    for i in range(first, width):  # few of many: no need to sort them all
        best = i
        for j in range(i + 1, count):
            if promise[j] > promise[best]:
                best = j
        promise[i], promise[best] = promise[best], promise[i]
        legal[i], legal[best] = legal[best], legal[i]
    return width


@kernel
def _frontier(ws: Any, game: Any, view: Any, options: Any, level: int, known: int) -> None:
    """The last ply: the best of the moves as they look at once, until one is good enough."""
    state, legal, promise = ws.states[level], ws.legal[level], ws.promise[level]
    beta, best, chosen = ws.bounds[level, BETA], -9.0, -1
    count = moves(game, state, turn(game, state), legal)
    early = 0
    for k in range(-1, KILLERS):  # the move that was best before comes first, then those that settled others
        wanted = known if k < 0 else ws.killers[level, k]
        for i in range(early, count):
            if legal[i] == wanted:
                legal[early], legal[i] = legal[i], legal[early]
                early += 1
                break
    ready = look_round(view, game, state)
    last = 0
    while last < count and best < beta:
        first, last = last, min(last + FIRST_LOOKS, count) if last == 0 else count
        _look_at_moves(ws, game, view, options, level, ready, first, last)
        ws.cursor[NODES] += last - first
        for i in range(first, last):
            if promise[i] > best:
                best, chosen = promise[i], legal[i]
    if best >= beta:
        _settled_by(ws, level, chosen)
    ws.bounds[level, BEST] = best
    ws.frames[level, BEST_MOVE] = chosen


@kernel
def _settled_by(ws: Any, level: int, move: int) -> None:
    """Remember a move that was good enough at a node of this ply."""
    if ws.killers[level, 0] != move:
        ws.killers[level, 1] = ws.killers[level, 0]
        ws.killers[level, 0] = move


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
def known_move(ws: Any, game: Any, state: Any) -> int:
    """The move that was found best in a state, or -1."""
    return read_entry(ws.table, position_key(game, state))[0]


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
        proved = _proved(game, options, state, level)
        if proved != 0:
            ws.value[0] = proved
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
        _frontier(ws, game, view, options, level, known)
        _remember(ws, key, level)
        ws.value[0] = sign * bounds[level, BEST]
        return True
    frames[level, AT] = 0
    frames[level, BEST_MOVE] = -1
    bounds[level, BEST] = -9.0
    frames[level, JUDGED] = known < 0 or level == 0
    if frames[level, JUDGED]:
        frames[level, COUNT] = _judge_moves(ws, game, view, options, level, known)
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
        frames[level, COUNT] = _judge_moves(ws, game, view, options, level, first)
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
            _settled_by(ws, level, frames[level, BEST_MOVE])
        _remember(ws, position_key(game, ws.states[level]), level)
        ws.value[0] = frames[level, SIGN] * bounds[level, BEST]
        if level == 0:
            return True
        cursor[LEVEL] = level - 1
    return False


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
