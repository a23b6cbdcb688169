"""Best-first search of games with one seat: the state that seems nearest to the best end is opened up next. How near it is, a guide says
(`contract.planning`); what it took to come there counts too, weighed against it. Without a guide it is a depth-first search that opens no state twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.planning import steps_to_go
from ludus.contract.rules import EACH, OVER, moves, play_pairs, scores, turn
from ludus.kernel import kernel, uniform
from ludus.nets.hashtable import new_table, slot_of, with_capacity
from ludus.search.breadth import BEFORE, EXHAUSTED, FULL, GOING, LAST, NODES, REACHED, bare_key
from ludus.search.graph import longer

OPEN = 1  # a place in `used`
NOISE = 0.9  # in what nodes promise, in moves: less than one


class Frontier(NamedTuple):
    """A search under way. Node 0 is the root."""

    table: Any  # from keys of states to one more than the fewest moves that led there, as `visits`
    way: np.ndarray  # node: its parent, the move, and how many moves it is from the root
    states: np.ndarray  # node, state
    heap: np.ndarray  # nodes that wait, a binary heap: the most promising first
    promise: np.ndarray  # node: the lower the better
    used: np.ndarray  # nodes, waiting ones
    end: np.ndarray  # the node before the best end so far, the move that leads there; -1: no end was found yet
    best: np.ndarray  # one number: the score of the best end
    rng: np.ndarray  # by which equally promising nodes are told apart


@kernel(inline=True)
def _before(frontier: Any, a: int, b: int) -> bool:
    return frontier.promise[a] < frontier.promise[b]


@kernel
def _push(frontier: Any, node: int) -> None:
    heap, at = frontier.heap, frontier.used[OPEN]
    frontier.used[OPEN] += 1
    while at > 0 and _before(frontier, node, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = node


@kernel
def _pop(frontier: Any) -> int:
    heap = frontier.heap
    first = heap[0]
    frontier.used[OPEN] -= 1
    count = frontier.used[OPEN]
    node, at = heap[count], 0
    while 2 * at + 1 < count:
        child = 2 * at + 1
        if child + 1 < count and _before(frontier, heap[child + 1], heap[child]):
            child += 1
        if not _before(frontier, heap[child], node):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = node
    return first


@kernel
def _with_room(frontier: Any) -> Any:
    table = with_capacity(frontier.table, EACH)
    way, states, heap, promise = frontier.way, frontier.states, frontier.heap, frontier.promise
    if frontier.used[NODES] + EACH > len(way):
        length = 2 * len(way)
        way, states, heap, promise = (
            longer(way, length),
            longer(states, length),
            longer(heap, length),
            longer(promise, length),
        )
    return Frontier(table, way, states, heap, promise, frontier.used, frontier.end, frontier.best, frontier.rng)


class Bench(NamedTuple):
    """A workspace: pairs of nodes and moves, and what they lead to."""

    legal: np.ndarray  # the moves of one of them
    parent: np.ndarray  # pair: its node
    move: np.ndarray
    after: np.ndarray  # pair: the state
    fresh: np.ndarray  # pair: the state, of those that are new
    origin: np.ndarray  # which pair it was
    promise: np.ndarray
    scratch: np.ndarray  # a state
    result: np.ndarray  # a score


@kernel
def _gather(game: Any, frontier: Any, bench: Any, more: Any) -> int:
    """The next pairs of nodes and moves, from the most promising node on; `more` holds a node whose moves were not all taken, and how many were."""
    found = 0
    while found < EACH and (more[0] >= 0 or frontier.used[OPEN] > 0):
        if more[0] < 0:
            more[0], more[1] = _pop(frontier), 0
        count = moves(game, frontier.states[more[0]], 0, bench.legal)
        while more[1] < count and found < EACH:
            bench.parent[found], bench.move[found] = more[0], bench.legal[more[1]]
            more[1] += 1
            found += 1
        if more[1] >= count:
            more[0] = -1
    return found


@kernel
def _sift(game: Any, counter: Any, frontier: Any, bench: Any, count: int) -> int:
    """Note the ends among the pairs; return how many of the others are new, or reached sooner than before."""
    fresh, table = 0, frontier.table
    for i in range(count):
        state, node = bench.after[i], bench.parent[i]
        if turn(game, state) == OVER:
            scores(game, state, bench.result)
            if frontier.end[LAST] < 0 or bench.result[0] > frontier.best[0]:
                frontier.best[0] = bench.result[0]
                frontier.end[BEFORE], frontier.end[LAST] = node, bench.move[i]
            continue
        moved = frontier.way[node, 2] + 2
        slot = slot_of(table, bare_key(counter, game, state, bench.scratch))
        if table.visits[slot] > 0 and table.visits[slot] <= moved:
            continue
        table.visits[slot] = moved
        for j in range(len(state)):
            bench.fresh[fresh, j] = state[j]
        bench.origin[fresh] = i
        fresh += 1
    return fresh


@kernel
def _take_in(frontier: Any, bench: Any, fresh: int, weight: float) -> None:
    """Make nodes of the new states from which the best end can be reached."""
    for k in range(fresh):
        i = bench.origin[k]
        node = bench.parent[i]
        depth = frontier.way[node, 2] + 1
        if bench.promise[k] == np.inf:
            continue
        new = frontier.used[NODES]
        frontier.way[new, 0], frontier.way[new, 1], frontier.way[new, 2] = node, bench.move[i], depth
        for j in range(bench.fresh.shape[1]):
            frontier.states[new, j] = bench.fresh[k, j]
        promise = depth + weight * bench.promise[k] if weight > 0.0 else -float(depth)
        frontier.promise[new] = promise + NOISE * uniform(frontier.rng)
        frontier.used[NODES] += 1
        _push(frontier, new)


@kernel
def deepen(
    game: Any, tellers: Any, frontier: Any, sizes: Any, weight: float, steps: int, limit: int, aim: float
) -> Any:
    """Go on for about so many steps, with at most `limit` nodes, until an end is worth `aim`; return (how it stands, the search). `tellers` are a counter
    and a guide; a weight of 0 goes into the depth.
    """
    counter, guide = tellers
    bench = Bench(
        np.zeros(sizes[0], np.int64), np.zeros(EACH, np.int64), np.zeros(EACH, np.int64),
        np.zeros((EACH, sizes[1]), np.int64), np.zeros((EACH, sizes[1]), np.int64), np.zeros(EACH, np.int64), np.zeros(EACH),
        np.zeros(sizes[1], np.int64), np.zeros(1),
    )  # fmt: skip
    more = np.full(2, -1, np.int64)
    done = 0
    while done < steps or more[0] >= 0:
        if frontier.end[LAST] >= 0 and frontier.best[0] >= aim:
            return REACHED, frontier
        if frontier.used[NODES] + EACH > limit:
            return FULL, frontier
        count = _gather(game, frontier, bench, more)
        if count == 0:
            return EXHAUSTED, frontier
        frontier = _with_room(frontier)
        play_pairs(game, frontier.states, bench.parent, bench.move, count, bench.after)
        fresh = _sift(game, counter, frontier, bench, count)
        if fresh > 0:
            steps_to_go(guide, game, bench.fresh, fresh, bench.promise)
            _take_in(frontier, bench, fresh, weight)
        done += count
    return GOING, frontier


@kernel
def _plant(game: Any, counter: Any, frontier: Any, state: Any) -> None:
    slot = slot_of(frontier.table, bare_key(counter, game, state, frontier.states[0]))
    frontier.table.visits[slot] = 1
    frontier.states[0] = state
    frontier.used[NODES] = 1
    _push(frontier, 0)


def new_frontier(game: Any, counter: Any, state: np.ndarray, rng: np.ndarray) -> Frontier:
    """A search that begins with a state that is not over."""
    size, room = len(state), 1024
    frontier = Frontier(
        new_table(4 * room), np.zeros((room, 3), np.int32), np.zeros((room, size), np.int64), np.zeros(room, np.int32),
        np.zeros(room, np.float32), np.zeros(2, np.int64), np.full(2, -1, np.int64), np.zeros(1), rng,
    )  # fmt: skip
    _plant(game, counter, frontier, state)
    return frontier
