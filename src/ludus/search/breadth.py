"""Breadth-first search of games with one seat: all states after one move, after two, and so on, each once. Pairs of states and moves are played EACH at a
time (`play_pairs`), whichever states they belong to.

Of a node only its parent and the move that led to it are kept; states only of the layer under way and of the next. Whether a state was met before is known by
a hash of 64 bits. What only counts steps (`contract.planning`) can be left out of it: then a state is met again whenever all else is the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import wind
from ludus.contract.rules import EACH, OVER, moves, play_pairs, position_key, scores, turn
from ludus.kernel import kernel
from ludus.nets.hashtable import FULLEST, find
from ludus.search.graph import longer

GOING, REACHED, EXHAUSTED, FULL = range(4)  # how a search stands: the last is out of room

# Places in `used`.
NODES, HERE, NEXT, CURSOR, MOVE, DEPTH = range(6)
# Places in `end`: the node before the best end so far, the move that leads there; -1: no end was found yet.
BEFORE, LAST = range(2)


class Layers(NamedTuple):
    """A search under way. Node 0 is the root."""

    keys: np.ndarray  # of states that were met: a set with open addressing, 0 is a free place
    way: np.ndarray  # node: its parent, and the move
    here: np.ndarray  # states of the layer under way
    here_node: np.ndarray  # their nodes
    next: np.ndarray  # states of the layer after it
    next_node: np.ndarray
    used: np.ndarray  # nodes, states here and next, where in the layer and in a state's moves it is, the depth
    end: np.ndarray  # see above
    best: np.ndarray  # one number: the score of the best end


@kernel
def bare_key(counter: Any, game: Any, state: Any, scratch: Any) -> Any:
    """A key of a state without its count of steps; never 0."""
    for i in range(len(state)):
        scratch[i] = state[i]
    wind(counter, game, scratch)
    key = position_key(game, scratch)
    return key if key != np.uint64(0) else np.uint64(1)


class KeySet(NamedTuple):
    """Keys as `nets.hashtable.find` wants them."""

    keys: np.ndarray


@kernel
def _wide_enough(keys: Any, used: int) -> Any:
    """The set of keys itself, or a larger copy, with room for EACH more."""
    if used + EACH <= FULLEST * len(keys):
        return keys
    wide = np.zeros(2 * len(keys), np.uint64)
    for i in range(len(keys)):
        if keys[i] != np.uint64(0):
            wide[-1 - find(KeySet(wide), keys[i])] = keys[i]
    return wide


@kernel
def _with_room(layers: Any) -> Any:
    """The search itself, or a copy of it with room for EACH more nodes."""
    used = layers.used
    keys = _wide_enough(layers.keys, used[NODES])
    way, after, after_node = layers.way, layers.next, layers.next_node
    if used[NODES] + EACH > len(way):
        way = longer(way, 2 * len(way))
    if used[NEXT] + EACH > len(after):
        after, after_node = longer(after, 2 * len(after)), longer(after_node, 2 * len(after))
    return Layers(keys, way, layers.here, layers.here_node, after, after_node, used, layers.end, layers.best)


@kernel
def _turned(layers: Any) -> Any:
    """The search with the next layer as that under way."""
    used = layers.used
    used[HERE], used[NEXT], used[CURSOR], used[MOVE] = used[NEXT], 0, 0, 0
    used[DEPTH] += 1
    return Layers(
        layers.keys, layers.way, layers.next, layers.next_node, layers.here, layers.here_node, used, layers.end, layers.best
    )  # fmt: skip


@kernel
def _gather(game: Any, layers: Any, which: Any, chosen: Any, legal: Any) -> int:
    """The next pairs of states of this layer and their moves; return how many."""
    used, found = layers.used, 0
    while used[CURSOR] < used[HERE] and found < EACH:
        count = moves(game, layers.here[used[CURSOR]], 0, legal)
        while used[MOVE] < count and found < EACH:
            which[found], chosen[found] = used[CURSOR], legal[used[MOVE]]
            used[MOVE] += 1
            found += 1
        if used[MOVE] >= count:
            used[MOVE] = 0
            used[CURSOR] += 1
    return found


@kernel
def _take_in(game: Any, counter: Any, layers: Any, which: Any, chosen: Any, after: Any, count: int) -> None:
    """Note the ends and the new states among those that moves lead to."""
    used, result, scratch = layers.used, np.zeros(1), np.empty(after.shape[1], np.int64)
    for i in range(count):
        node = layers.here_node[which[i]]
        if turn(game, after[i]) == OVER:
            scores(game, after[i], result)
            if layers.end[LAST] < 0 or result[0] > layers.best[0]:
                layers.best[0] = result[0]
                layers.end[BEFORE], layers.end[LAST] = node, chosen[i]
            continue
        key = bare_key(counter, game, after[i], scratch)
        slot = find(KeySet(layers.keys), key)
        if slot >= 0:
            continue
        layers.keys[-1 - slot] = key
        new, at = used[NODES], used[NEXT]
        layers.way[new, 0], layers.way[new, 1] = node, chosen[i]
        layers.next_node[at] = new
        for j in range(after.shape[1]):
            layers.next[at, j] = after[i, j]
        used[NODES], used[NEXT] = new + 1, at + 1


@kernel
def widen(game: Any, counter: Any, layers: Any, sizes: Any, steps: int, limit: int, aim: float) -> Any:
    """Go on for about so many steps, with at most `limit` nodes, until an end is worth `aim`; return (how it stands, the search)."""
    which, chosen = np.zeros(EACH, np.int64), np.zeros(EACH, np.int64)
    legal, after = np.zeros(sizes[0], np.int64), np.zeros((EACH, sizes[1]), np.int64)
    done = 0
    while done < steps:
        if layers.end[LAST] >= 0 and layers.best[0] >= aim:
            return REACHED, layers
        if layers.used[NODES] + EACH > limit:
            return FULL, layers
        count = _gather(game, layers, which, chosen, legal)
        if count == 0:
            if layers.used[NEXT] == 0:
                return EXHAUSTED, layers
            layers = _turned(layers)
            continue
        layers = _with_room(layers)
        play_pairs(game, layers.here, which, chosen, count, after)
        _take_in(game, counter, layers, which, chosen, after, count)
        done += count
    return GOING, layers


@kernel
def _plant(game: Any, counter: Any, layers: Any, state: Any) -> None:
    key = bare_key(counter, game, state, layers.next[0])
    layers.keys[-1 - find(KeySet(layers.keys), key)] = key
    layers.here[0] = state
    layers.used[NODES], layers.used[HERE] = 1, 1


def new_layers(game: Any, counter: Any, state: np.ndarray) -> Layers:
    """A search that begins with a state that is not over."""
    size, room = len(state), 1024
    layers = Layers(
        np.zeros(4 * room, np.uint64), np.zeros((room, 2), np.int32),
        np.zeros((room, size), np.int64), np.zeros(room, np.int32),
        np.zeros((room, size), np.int64), np.zeros(room, np.int32),
        np.zeros(6, np.int64), np.full(2, -1, np.int64), np.zeros(1),
    )  # fmt: skip
    _plant(game, counter, layers, state)
    return layers
