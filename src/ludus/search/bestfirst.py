"""Best-first search of games with one seat: the state that seems nearest to the best end is opened up next. How near it is, a guide says
(`contract.planning`); what it took to come there counts too, weighed against it. Without a guide it is a depth-first search that opens no state twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.planning import steps_to_go
from ludus.contract.rules import EACH, OVER, moves, play_each, scores, turn
from ludus.kernel import kernel
from ludus.nets.hashtable import new_table, slot_of, with_capacity
from ludus.search.breadth import BEFORE, EXHAUSTED, FULL, GOING, LAST, NODES, REACHED, bare_key
from ludus.search.graph import longer

OPEN = 1  # a place in `used`


class Frontier(NamedTuple):
    """A search under way. Node 0 is the root."""

    table: Any  # from keys of states to one more than the fewest moves that led there, as `visits`
    way: np.ndarray  # node: its parent, the move, and how many moves it is from the root
    states: np.ndarray  # node, state
    heap: np.ndarray  # nodes that wait, a binary heap: the most promising first, of equals the latest
    promise: np.ndarray  # node: the lower the better
    used: np.ndarray  # nodes, waiting ones
    end: np.ndarray  # the node before the best end so far, the move that leads there; -1: no end was found yet
    best: np.ndarray  # one number: the score of the best end


@kernel(inline=True)
def _before(frontier: Any, a: int, b: int) -> bool:
    pa, pb = frontier.promise[a], frontier.promise[b]
    return pa < pb or (pa == pb and a > b)


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
        way, states, heap, promise = longer(way, length), longer(states, length), longer(heap, length), longer(promise, length)
    return Frontier(table, way, states, heap, promise, frontier.used, frontier.end, frontier.best)


@kernel
def _take_in(game: Any, guide: Any, frontier: Any, node: int, move: int, child: Any, key: Any, weight: float) -> None:
    """Note a state that is not over, unless it is known to be reached as soon."""
    used, table = frontier.used, frontier.table
    depth = frontier.way[node, 2] + 1
    slot = slot_of(table, key)
    if table.visits[slot] > 0 and table.visits[slot] <= depth + 1:
        return
    table.visits[slot] = depth + 1
    promise = -float(depth)
    if weight > 0.0:
        promise = depth + weight * steps_to_go(guide, game, child)
        if promise == np.inf:
            return
    new = used[NODES]
    frontier.way[new, 0], frontier.way[new, 1], frontier.way[new, 2] = node, move, depth
    for j in range(len(child)):
        frontier.states[new, j] = child[j]
    frontier.promise[new] = promise
    used[NODES] += 1
    _push(frontier, new)


@kernel
def deepen(game: Any, tellers: Any, frontier: Any, sizes: Any, weight: float, steps: int, limit: int, aim: float) -> Any:
    """Go on for about so many steps, with at most `limit` nodes, until an end is worth `aim`; return (how it stands, the search). `tellers` are a counter
    and a guide; a weight of 0 asks no guide.
    """
    counter, guide = tellers
    legal, after = np.zeros(sizes[0], np.int64), np.zeros((EACH, sizes[1]), np.int64)
    scratch, result, done = np.zeros(sizes[1], np.int64), np.zeros(1), 0
    while done < steps:
        if frontier.end[LAST] >= 0 and frontier.best[0] >= aim:
            return REACHED, frontier
        if frontier.used[OPEN] == 0:
            return EXHAUSTED, frontier
        if frontier.used[NODES] + sizes[0] > limit:
            return FULL, frontier
        node = _pop(frontier)
        count = moves(game, frontier.states[node], 0, legal)
        for first in range(0, count, EACH):
            block = min(EACH, count - first)
            frontier = _with_room(frontier)
            play_each(game, frontier.states[node], legal, first, block, after)
            for i in range(block):
                if turn(game, after[i]) != OVER:
                    key = bare_key(counter, game, after[i], scratch)
                    _take_in(game, guide, frontier, node, legal[first + i], after[i], key, weight)
                    continue
                scores(game, after[i], result)
                if frontier.end[LAST] < 0 or result[0] > frontier.best[0]:
                    frontier.best[0] = result[0]
                    frontier.end[BEFORE], frontier.end[LAST] = node, legal[first + i]
        done += count
    return GOING, frontier


@kernel
def _plant(game: Any, counter: Any, frontier: Any, state: Any) -> None:
    slot = slot_of(frontier.table, bare_key(counter, game, state, frontier.states[0]))
    frontier.table.visits[slot] = 1
    frontier.states[0] = state
    frontier.used[NODES] = 1
    _push(frontier, 0)


def new_frontier(game: Any, counter: Any, state: np.ndarray) -> Frontier:
    """A search that begins with a state that is not over."""
    size, room = len(state), 1024
    frontier = Frontier(
        new_table(4 * room), np.zeros((room, 3), np.int32), np.zeros((room, size), np.int64), np.zeros(room, np.int32),
        np.zeros(room, np.float32), np.zeros(2, np.int64), np.full(2, -1, np.int64), np.zeros(1),
    )  # fmt: skip
    _plant(game, counter, frontier, state)
    return frontier
