"""All positions of a small game and the ways between them, as arrays: what `solve` works on.

A position is a state without its clock (`contract.clock`): where rules end a game after some plies, it is the same position however many have
been played. It has a number; position 0 is the beginning of the game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import plies_left, run_out, wind
from ludus.contract.rules import CHANCE, EACH, JOINT, OVER, chances, moves, play, play_each, scores, start, turn
from ludus.kernel import kernel
from ludus.nets.hashtable import find, new_table, slot_of, state_key, with_capacity

DONE, TOO_MANY, HAS_JOINT, RECURS, GOES_ON = range(5)

MIXED = -1  # the class of a position that can be met after an even and after an odd number of plies


class Graph(NamedTuple):
    """Positions, and the ways that lead on from them: those of position n are `size[n]` in number, from `first[n]` on, in the order of its moves
    or of the outcomes of chance.
    """

    table: Any  # from a position's key to its number, as `visits`
    mover: np.ndarray  # whose turn it is: a seat, CHANCE or OVER
    first: np.ndarray
    size: np.ndarray
    score: np.ndarray  # of an ended game, one number for each seat; of others what it is if the clock runs out here
    way: np.ndarray  # the number of the position that a way leads to, or -1 - that number if the clock counts the step
    odds: np.ndarray  # how likely chance is to take a way; empty in a game without chance
    used: np.ndarray  # how many positions and ways there are so far


class Pending(NamedTuple):
    """Positions whose ways on are still to be found."""

    state: np.ndarray
    number: np.ndarray
    used: np.ndarray  # one number: how many there are


@kernel
def longer(array: Any, length: int) -> Any:
    """A copy of an array with room for so many rows."""
    wide = np.zeros((length, *array.shape[1:]), array.dtype)
    wide[: len(array)] = array
    return wide


@kernel
def _with_room(graph: Any, more: int) -> Any:
    """The graph itself, or a larger copy of it, with room for so many more positions and ways."""
    table = with_capacity(graph.table, more)
    mover, first, size, score, way, odds = graph.mover, graph.first, graph.size, graph.score, graph.way, graph.odds
    if graph.used[0] + more > len(mover):
        length = 2 * len(mover) + more
        mover, first, size, score = (
            longer(mover, length), longer(first, length), longer(size, length), longer(score, length),
        )  # fmt: skip
    if graph.used[1] + more > len(way):
        length = 2 * len(way) + more
        way = longer(way, length)
        odds = longer(odds, length) if len(odds) else odds
    return Graph(table, mover, first, size, score, way, odds, graph.used)


@kernel
def _with_place(pending: Any, more: int) -> Any:
    """The stack itself, or a copy of it with room for so many more positions."""
    if pending.used[0] + more <= len(pending.number):
        return pending
    length = 2 * len(pending.number) + more
    return Pending(longer(pending.state, length), longer(pending.number, length), pending.used)


@kernel
def _push(pending: Any, state: Any, number: int) -> None:
    at = pending.used[0]
    for i in range(len(state)):
        pending.state[at, i] = state[i]
    pending.number[at] = number
    pending.used[0] = at + 1


@kernel
def _score(game: Any, clock: Any, state: Any, mover: int, ended: Any, out: Any) -> bool:
    """Write the score of an ended game, or of one whose clock runs out here; False if that would not end it."""
    if mover == OVER:
        scores(game, state, out)
        return True
    if clock.limit == 0:
        return True
    ended[:] = state
    run_out(clock, game, ended)
    if turn(game, ended) != OVER:
        return False
    scores(game, ended, out)
    return True


@kernel
def _look_up(table: Any, keys: Any, count: int, numbers: Any) -> None:
    """Write the numbers of positions, -1 for those that are new. One after another, so that the processor waits for memory once and not for each."""
    for i in range(count):
        slot = find(table, keys[i])
        numbers[i] = table.visits[slot] if slot >= 0 else -1


@kernel
def explore(game: Any, clock: Any, sizes: Any, limit: int, table: Any, with_odds: bool) -> Any:
    """Find all positions that a game can come to, at most `limit`; return (a code, the graph)."""
    max_moves, state_size, _, max_chances = sizes
    graph = Graph(
        table, np.zeros(1024, np.int8), np.zeros(1024, np.int64), np.zeros(1024, np.int32), np.zeros((1024, 2)),
        np.zeros(4096, np.int32), np.zeros(4096 if with_odds else 0), np.zeros(2, np.int64),
    )  # fmt: skip
    pending = Pending(np.zeros((64, state_size), np.int64), np.zeros(64, np.int64), np.zeros(1, np.int64))
    now, ended, result = np.zeros(state_size, np.int64), np.zeros(state_size, np.int64), np.zeros(2)
    after = np.zeros((EACH, state_size), np.int64)
    ticks, keys, numbers = np.zeros(EACH, np.bool_), np.zeros(EACH, np.uint64), np.zeros(EACH, np.int64)
    legal, odds = np.zeros(max(max_moves, max_chances), np.int64), np.zeros(max_chances)
    start(game, after[0])
    node, mover, count, done, block = -1, OVER, 1, 0, 1  # the beginning is what follows from nothing
    while True:
        graph, pending = _with_room(graph, block), _with_place(pending, block)
        for i in range(block):
            child = after[i]
            ticks[i] = plies_left(clock, game, child) != clock.limit
            wind(clock, game, child)
            keys[i] = state_key(child, 0)
        _look_up(graph.table, keys, block, numbers)
        for i in range(block):
            child, number = after[i], numbers[i]
            if number < 0:  # unless it came up a moment ago
                slot = find(graph.table, keys[i])
                number = graph.table.visits[slot] if slot >= 0 else -1
            if number < 0:
                whose = turn(game, child)
                if whose == JOINT:
                    return HAS_JOINT, graph
                number = graph.used[0]
                if number == limit:
                    return TOO_MANY, graph
                graph.used[0] += 1
                graph.table.visits[slot_of(graph.table, keys[i])] = number
                graph.mover[number] = whose
                if not _score(game, clock, child, whose, ended, result):
                    return GOES_ON, graph
                graph.score[number] = result
                if whose != OVER:
                    _push(pending, child, number)
            if node >= 0:
                at = graph.used[1]
                graph.way[at] = -1 - number if ticks[i] else number
                if mover == CHANCE:
                    graph.odds[at] = odds[done + i]
                graph.used[1] += 1
        done += block
        if done == count:  # all ways on from this position are found
            if pending.used[0] == 0:
                return DONE, graph
            pending.used[0] -= 1
            node = pending.number[pending.used[0]]
            now[:] = pending.state[pending.used[0]]
            mover = graph.mover[node]
            count = chances(game, now, legal, odds) if mover == CHANCE else moves(game, now, mover, legal)
            graph.first[node], graph.size[node] = graph.used[1], count
            done = 0
        block = min(EACH, count - done)
        if mover == CHANCE:
            for i in range(block):
                after[i] = now
                play(game, after[i], legal[done + i])
        else:
            play_each(game, now, legal, done, block, after)


@kernel
def order_of(graph: Any, order: Any) -> bool:
    """Fill `order` with all positions, each after those that it leads to without a tick of the clock; False if that can't be, as some lead back to
    themselves.
    """
    fresh, under_way, known = 0, 1, 2
    nodes = graph.used[0]
    mark, next_way, stack = np.zeros(nodes, np.int8), np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    placed = 0
    for root in range(nodes):
        if mark[root] != fresh:
            continue
        depth = 0
        stack[0] = root
        mark[root] = under_way
        while depth >= 0:
            node = stack[depth]
            if next_way[node] < graph.size[node]:
                to = graph.way[graph.first[node] + next_way[node]]
                next_way[node] += 1
                if to >= 0 and mark[to] == under_way:
                    return False
                if to >= 0 and mark[to] == fresh:
                    mark[to] = under_way
                    depth += 1
                    stack[depth] = to
            else:
                mark[node] = known
                order[placed] = node
                placed += 1
                depth -= 1
    return True


@kernel
def classes_of(graph: Any, out: Any) -> None:
    """Write for each position whether it is met after an even (0) or an odd (1) number of plies that the clock counts; MIXED for all if any is met
    after both.
    """
    nodes = graph.used[0]
    stack = np.zeros(nodes, np.int32)
    out[:nodes] = MIXED
    out[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        for at in range(graph.first[node], graph.first[node] + graph.size[node]):
            to = graph.way[at]
            kind = out[node]
            if to < 0:
                to, kind = -1 - to, 1 - kind
            if out[to] == MIXED:
                out[to] = kind
                stack[depth] = to
                depth += 1
            elif out[to] != kind:
                out[:nodes] = MIXED
                return


def graph_of(game: Any, clock: Any, sizes: Any, limit: int) -> tuple[int, Graph]:
    """All positions of a game of two seats: (DONE or why not, the graph)."""
    code, graph = explore(game, clock, sizes, limit, new_table(), game.facts.max_chances > 0)
    return int(code), graph
