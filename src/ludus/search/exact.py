"""What is known of every position of a graph (`search.graph`), worked out backwards from the ends of the game, in kernels.

Without a clock each position is judged once, after those that it leads to. With one, all positions are judged for one ply left, then for two, and so
on up to the clock's limit, or until a ply more changes nothing any more: then it never will. Either way the numbers are those of the game as its rules
are, but for the rounding of sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, OVER
from ludus.kernel import kernel
from ludus.search.graph import MIXED, Graph, classes_of, longer, order_of

# What is known of a position, for each seat.
SURE = 0  # the mean score that the seat can't be kept from
BEST = 1  # the highest mean score against a random player
SAFE = 2  # the same for who never gives away any of what is sure
WINS = 3  # the highest chance to win against a random player
AIMLESS = 4  # the mean score of random play on both sides
KINDS = 5

EQUAL = 1e-11  # mean scores that differ by less are equal: sums over chance are rounded


class Picks(NamedTuple):
    """The best move in each position: a chain of entries, as it may depend on how many plies are left. Good are the moves that give away nothing of
    what is sure; the best of them does best against a random player.
    """

    last: np.ndarray  # by position: the entry for the most plies left
    since: np.ndarray  # by entry: how many plies must be left for it to hold
    move: np.ndarray  # which of the legal moves it is
    before: np.ndarray  # the entry that holds for fewer plies; -1: none
    used: np.ndarray  # one number: how many entries there are


@kernel
def _noted(picks: Any, node: int, plies: int, move: int) -> Any:
    """The picks with the best move of a position for so many plies left, if it is another than for fewer."""
    last = picks.last[node]
    if last >= 0 and picks.move[last] == move:
        return picks
    at = picks.used[0]
    if at == len(picks.move):
        picks = Picks(
            picks.last, longer(picks.since, 2 * at), longer(picks.move, 2 * at), longer(picks.before, 2 * at), picks.used
        )  # fmt: skip
    picks.since[at], picks.move[at], picks.before[at] = plies, move, last
    picks.last[node] = at
    picks.used[0] += 1
    return picks


@kernel
def best_move(picks: Any, node: int, plies: int) -> int:
    """Which of its legal moves is best in a position with so many plies left; -1 if nothing was noted of it."""
    at = picks.last[node]
    while at >= 0 and picks.since[at] > plies:
        at = picks.before[at]
    return picks.move[at] if at >= 0 else -1


@kernel
def _end(graph: Any, node: int, out: Any) -> None:
    """What is known of an ended game."""
    for seat in range(2):
        score = graph.score[node, seat]
        for kind in range(KINDS):
            out[node, seat, kind] = score
        out[node, seat, WINS] = 1.0 if score > graph.score[node, 1 - seat] else 0.0


@kernel
def _after_chance(graph: Any, node: int, old: Any, new: Any, out: Any) -> None:
    out[:] = 0.0
    for at in range(graph.first[node], graph.first[node] + graph.size[node]):
        to, known = graph.way[at], new
        if to < 0:
            to, known = -1 - to, old
        for seat in range(2):
            for kind in range(KINDS):
                out[seat, kind] += graph.odds[at] * known[to, seat, kind]


@kernel
def _after_moves(graph: Any, node: int, old: Any, new: Any, out: Any) -> int:
    mover = graph.mover[node]
    other, first, size = 1 - mover, graph.first[node], graph.size[node]
    out[:] = 0.0
    sure, best, wins, least = -np.inf, -np.inf, -np.inf, np.inf
    for at in range(first, first + size):
        to, known = graph.way[at], new
        if to < 0:
            to, known = -1 - to, old
        sure, best = max(sure, known[to, mover, SURE]), max(best, known[to, mover, BEST])
        wins, least = max(wins, known[to, mover, WINS]), min(least, known[to, other, SURE])
        out[mover, AIMLESS] += known[to, mover, AIMLESS]
        for kind in range(KINDS):
            out[other, kind] += known[to, other, kind]
    out[mover, AIMLESS] /= size
    for kind in range(KINDS):
        out[other, kind] /= size
    safe, chosen, promise = -np.inf, 0, -np.inf
    for i in range(size):
        to, known = graph.way[first + i], new
        if to < 0:
            to, known = -1 - to, old
        if known[to, mover, SURE] >= sure - EQUAL:
            safe = max(safe, known[to, mover, SAFE])
            if known[to, mover, SAFE] > promise + EQUAL:
                promise, chosen = known[to, mover, SAFE], i
    out[mover, SURE], out[mover, BEST], out[mover, SAFE], out[mover, WINS] = sure, best, safe, wins
    out[other, SURE] = least
    return chosen


@kernel
def _layer(graph: Any, order: Any, classes: Any, plies: int, turns: int, values: Any, picks: Any) -> Any:
    """Judge the positions with so many plies left that can be met then; return (the picks, whether anything has changed)."""
    old, new = values
    out, changed = np.zeros((2, KINDS)), False
    for i in range(len(order)):
        node = order[i]
        if graph.mover[node] == OVER or (classes[node] != MIXED and classes[node] != turns):
            continue
        if graph.mover[node] == CHANCE:
            _after_chance(graph, node, old, new, out)
        else:
            picks = _noted(picks, node, plies, _after_moves(graph, node, old, new, out))
        for seat in range(2):
            for kind in range(KINDS):
                changed |= old[node, seat, kind] != out[seat, kind]
                new[node, seat, kind] = out[seat, kind]
    return picks, changed


@kernel
def judge(graph: Any, limit: int, order: Any, classes: Any) -> Any:
    """Judge all positions of a game whose clock has a limit, or has none (0); return (what is known of the first one, the picks)."""
    nodes = graph.used[0]
    new = np.zeros((nodes, 2, KINDS))
    for node in range(nodes):
        _end(graph, node, new)
    # Positions that are met after an even number of plies lead to such as are met after an odd one: they can be judged in place.
    old = new.copy() if classes[0] == MIXED else new
    picks = Picks(
        np.full(nodes, -1, np.int32), np.zeros(1024, np.int32), np.zeros(1024, np.int32), np.zeros(1024, np.int32),
        np.zeros(1, np.int64),
    )  # fmt: skip
    same = 0
    for plies in range(1, max(limit, 1) + 1):
        turns = (limit - plies) % 2 if limit > 0 else 0
        picks, changed = _layer(graph, order, classes, plies, turns, (old, new), picks)
        old, new = new, old
        same = 0 if changed else same + 1
        if same == 2:
            break
    return old[0].copy(), picks


def judged(graph: Graph, limit: int) -> tuple[np.ndarray, Picks] | None:
    """What is known of the first position of a graph, by seat and kind, and the best moves; None if a game could go on for ever."""
    nodes = int(graph.used[0])
    order, classes = np.zeros(nodes, np.int32), np.zeros(nodes, np.int8)
    if not order_of(graph, order):
        return None
    classes_of(graph, classes)
    return judge(graph, limit, order, classes)
