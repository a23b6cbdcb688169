"""What moves look like at once to a search by minimax: all moves of a node are judged together, by a network or another view of the game, and ordered by that."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.playing import assess
from ludus.contract.rules import OVER, foregone, moves, play, play_joint, turn
from ludus.contract.views import worth
from ludus.kernel import generic, implements, kernel
from ludus.nets.value import OTHERS, moves_of_others, predict, predict_change, survey
from ludus.search.leaves import NetworkLeaf
from ludus.search.minimax_space import BEST, BEST_MOVE, BETA, KILLERS, NODES, SIGN, final, won_at

FIRST_LOOKS = 8  # moves at the last ply that are judged before the others, to see whether one is good enough


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


@kernel
def proved(game: Any, options: Any, state: Any, ply: int) -> float:
    """What a state is worth to seat 0 where a glance proves who wins; 0 where it does not, or nothing may be left out."""
    plies = 0 if options.exact or not options.proofs else foregone(game, state)
    if plies == 0:
        return 0.0
    value = won_at(ply + abs(plies))
    return value if (plies > 0) == (turn(game, state) == 0) else -value


@kernel
def _look_at(ws: Any, game: Any, view: Any, options: Any, level: int, move: int) -> float:
    """What the state after a move looks like to seat 0, when it is made."""
    state, child = ws.states[level], ws.states[level + 1]
    for j in range(len(state)):
        child[j] = state[j]
    play(game, child, move)
    if turn(game, child) == OVER:
        return final(ws, game, options, child, level + 1)
    value = proved(game, options, child, level + 1)
    return value if value != 0 else options.scale * assess(view, game, child)


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
def judge_moves(ws: Any, game: Any, view: Any, options: Any, level: int, known: int) -> int:
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
def frontier(ws: Any, game: Any, view: Any, options: Any, level: int, known: int) -> None:
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
        settled_by(ws, level, chosen)
    ws.bounds[level, BEST] = best
    ws.frames[level, BEST_MOVE] = chosen


@kernel
def settled_by(ws: Any, level: int, move: int) -> None:
    """Remember a move that was good enough at a node of this ply."""
    if ws.killers[level, 0] != move:
        ws.killers[level, 1] = ws.killers[level, 0]
        ws.killers[level, 0] = move


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
