"""The simulations of Monte Carlo tree search (UCT), for any number of seats, chance, and moves made at once. The tree's
arrays are `tree.py`'s, the judgement of leaves `leaves.py`'s, clocks and the player `players.mcts`'s.

Where seats take turns, the mover takes the child with the highest upper bound for itself. Where all move at once each seat
does so among its own moves, as if it were alone (decoupled UCT). Outcomes of chance are drawn. A value that is
known exactly is *proven*: that of an ended game; of a move that gives its mover the highest score there is; of the best move,
if all are proven; of chance, if all outcomes are. Nothing is proven through moves made at once.

A *selective* search looks only at moves that seem sensible, and prefers those that seem promising while they have few visits (PUCT). That all
of them lose then proves nothing.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import (
    CHANCE,
    EACH,
    JOINT,
    OVER,
    chances,
    moves,
    play,
    play_each,
    play_joint,
    scores,
    sensible_moves,
    sizes_of,
    turn,
)
from ludus.kernel import below, kernel, uniform
from ludus.search.leaves import evaluate, glance, informed, refine, selective
from ludus.search.tree import (
    ARMS,
    CHAIN,
    COUNT,
    FIRST,
    MOVE,
    MOVER,
    NODES,
    OWNER,
    PARTIAL,
    PROVEN,
    SIBLING,
    SLOT,
    SLOTS,
    VISITS,
    add_node,
)

HIGHEST = 1.0 - 1e-9  # a value from here on is the highest score


class UCTOptions(NamedTuple):
    """How to search."""

    c: float  # how much to explore
    ahead: bool  # whether to look for the end of the game among all moves of a node when it is opened
    low: float  # the range of scores
    high: float
    sizes: tuple[int, int, int, int]


def uct_options(game: Any, c: float, ahead: bool) -> UCTOptions:
    """How to search in a game."""
    low, high = game.facts.score_range
    return UCTOptions(float(c), bool(ahead), float(low), float(high) if high > low else low + 1.0, sizes_of(game))


@kernel
def search(tree: Any, game: Any, leaf: Any, options: Any, rng: Any, count: int) -> int:
    """Do `count` simulations, or fewer if the root's value is proven; return how many."""
    nodes, mean, states, path, now, value = tree.nodes, tree.mean, tree.states, tree.path, tree.now, tree.value
    seats, size = len(value), len(now)
    for done in range(count):
        if nodes[0, PROVEN]:
            return done
        node, depth = (
            np.int64(0),
            np.int64(0),
        )  # bare zeros are types of their own, for which all would be compiled again
        path[0, 0] = 0
        while True:
            path[depth, 1] = -1
            path[depth, 2] = -1
            k = nodes[node, SLOT]
            if nodes[node, PROVEN]:
                for s in range(seats):
                    value[s] = mean[node, s]
                break
            if k < 0:
                _open(tree, game, leaf, options, rng, node)
                break
            who = tree.slots[k, MOVER]
            if who == JOINT:
                for i in range(size):
                    now[i] = states[k, i]
                child = _pull(tree, game, options, rng, node, depth)
            elif who == CHANCE:
                child = draw_child(tree, rng, k)
            else:
                child = _selected(tree, options, rng, node, depth, who, informed(leaf), selective(leaf))
            if who != JOINT and nodes[child, SLOT] < 0 and not nodes[child, PROVEN]:
                for i in range(size):
                    now[i] = states[k, i]
                play(game, now, nodes[child, MOVE])
            if child < 0 or depth + 1 == len(path):  # no room to go on
                if child >= 0 and nodes[child, PROVEN]:
                    for s in range(seats):
                        value[s] = mean[child, s]
                    break
                if child >= 0 and nodes[child, SLOT] >= 0:
                    for i in range(size):
                        now[i] = states[nodes[child, SLOT], i]
                _evaluate(tree, game, leaf, options, rng)
                break
            depth += 1
            path[depth, 0] = child
            node = child
        for i in range(depth, -1, -1):
            node, surest = path[i, 0], path[i, 1]
            if surest >= 0:
                who = tree.slots[nodes[node, SLOT], MOVER]
                if mean[surest, who] >= mean[path[i + 1, 0], who]:
                    for s in range(seats):  # the mover would rather have that
                        value[s] = mean[surest, s]
            if i < depth and nodes[path[i + 1, 0], PROVEN] and not nodes[node, PROVEN]:
                prove(tree, node, path[i + 1, 0])
            nodes[node, VISITS] += 1
            if nodes[node, PROVEN]:
                for s in range(seats):
                    value[s] = mean[node, s]
            else:
                for s in range(seats):
                    mean[node, s] += (value[s] - mean[node, s]) / nodes[node, VISITS]
            if path[i, 2] >= 0:
                for s in range(seats):
                    arm = path[i, 2 + s]
                    nodes[arm, VISITS] += 1
                    mean[arm, s] += (value[s] - mean[arm, s]) / nodes[arm, VISITS]
    return count


# --- going down ------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _selected(tree: Any, options: Any, rng: Any, node: int, depth: int, who: int, known: bool, choosy: bool) -> int:
    """The child with the highest upper bound for the seat to move. Those not yet visited count as visited once, with what a
    glance at them said, or else with their parent's value. Nothing more can be learned about those proven; the best of
    them is noted in the path.
    """
    nodes, mean = tree.nodes, tree.mean
    k = nodes[node, SLOT]
    logarithm, root = log(nodes[node, VISITS] + 1.0), sqrt(float(nodes[node, VISITS]))
    best, highest, ties = tree.slots[k, FIRST], -1e9, 1
    surest: Any = np.int64(-1)
    for child in range(best, best + tree.slots[k, COUNT]):
        if nodes[child, PROVEN]:
            if surest < 0 or mean[child, who] > mean[surest, who]:
                surest = child
            continue
        n = nodes[child, VISITS]
        bound = mean[child, who] if n > 0 or known else mean[node, who]
        if choosy:
            bound += options.c * tree.odds[child] * root / (n + 1)
        else:
            bound += options.c * sqrt(logarithm / n if n > 1 else logarithm)
        if bound > highest:
            best, highest, ties = child, bound, 1
        elif bound == highest:
            ties += 1
            if below(rng, ties) == 0:
                best = child
    tree.path[depth, 1] = surest
    return best


@kernel(inline=True)
def draw_child(tree: Any, rng: Any, k: int) -> int:
    """An outcome of chance, drawn among those of a slot."""
    rest = uniform(rng)
    child = tree.slots[k, FIRST]
    last = child + tree.slots[k, COUNT] - 1
    while child < last:
        rest -= tree.odds[child]
        if rest < 0:
            break
        child += 1
    return child


@kernel
def _pull(tree: Any, game: Any, options: Any, rng: Any, node: int, depth: int) -> int:
    """Where all move at once: choose an arm for each seat, and return the node of their combination, or -1 if there is no
    room for it. `tree.now` becomes its state.
    """
    nodes, mean = tree.nodes, tree.mean
    k = nodes[node, SLOT]
    logarithm = log(nodes[node, VISITS] + 1.0)
    first, combination = tree.slots[k, FIRST], np.int64(0)
    for s in range(len(tree.joint)):
        best, highest, ties = first, -1.0, 1
        for arm in range(first, first + tree.slots[k, ARMS + s]):
            bound = 1e9  # each is tried once: an arm's value depends on what the others do, so nothing is known of it
            if nodes[arm, VISITS] > 0:
                # Some chance in it, or the seats would explore in step, and meet each other's moves too often or never.
                bound = mean[arm, s] + 2 * uniform(rng) * options.c * sqrt(logarithm / nodes[arm, VISITS])
            if bound > highest:
                best, highest, ties = arm, bound, 1
            elif bound == highest:
                ties += 1
                if below(rng, ties) == 0:
                    best = arm
        tree.path[depth, 2 + s] = best
        tree.joint[s] = tree.nodes[best, MOVE]
        combination = combination * tree.slots[k, ARMS + s] + best - first
        first += tree.slots[k, ARMS + s]
    child = tree.slots[k, CHAIN]
    while child >= 0 and tree.nodes[child, MOVE] != combination:
        child = tree.nodes[child, SIBLING]
    if child < 0 or tree.nodes[child, SLOT] < 0:
        play_joint(game, tree.now, tree.joint)
    if child < 0 and tree.used[NODES] < len(tree.nodes):
        child = add_node(tree, node, combination)
        tree.nodes[child, SIBLING] = tree.slots[k, CHAIN]
        tree.slots[k, CHAIN] = child
    return child


# --- at the edge -----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _normalise(options: Any, vector: Any) -> None:
    for s in range(len(vector)):
        vector[s] = (vector[s] - options.low) / (options.high - options.low)


@kernel
def _evaluate(tree: Any, game: Any, leaf: Any, options: Any, rng: Any) -> None:
    evaluate(leaf, game, tree.now, rng, options.sizes, tree.value)
    _normalise(options, tree.value)


@kernel
def _open(tree: Any, game: Any, leaf: Any, options: Any, rng: Any, node: int) -> None:
    """Judge `tree.now`, the state of `node`, into `tree.value`, and list its moves if there is room."""
    who = turn(game, tree.now)
    value = tree.value
    if who == OVER:
        scores(game, tree.now, value)
        _normalise(options, value)
        tree.nodes[node, PROVEN] = 1
        for s in range(len(value)):
            tree.mean[node, s] = value[s]
        return
    if list_moves(tree, game, leaf, node, who) and who >= 0 and (informed(leaf) or options.ahead):
        best = _look_ahead(tree, game, leaf, options, node, who)
        if tree.nodes[node, PROVEN]:
            return
        if informed(leaf):
            for s in range(len(value)):
                value[s] = options.low + tree.mean[best, s] * (options.high - options.low)
            refine(leaf, game, tree.now, rng, options.sizes, value)
            _normalise(options, value)
            return
    _evaluate(tree, game, leaf, options, rng)


@kernel
def list_moves(tree: Any, game: Any, leaf: Any, node: int, who: int) -> bool:
    """Give a node a slot and children, or arms; False if there is no room."""
    k, now = tree.used[SLOTS], tree.now
    if k == len(tree.slots):
        return False
    capacity, first, count = len(tree.nodes), tree.used[NODES], 0
    for seat in range(len(tree.joint) if who == JOINT else 1):
        if who == CHANCE:
            found = chances(game, now, tree.legal, tree.shares)
        elif selective(leaf) and who != JOINT:
            found = sensible_moves(game, now, who, tree.legal, tree.shares)
        else:
            found = moves(game, now, seat if who == JOINT else who, tree.legal)
        if tree.used[NODES] + found > capacity:
            tree.used[NODES] = first
            return False
        for i in range(found):
            child = add_node(tree, node, tree.legal[i])
            if who == CHANCE or (selective(leaf) and who != JOINT):
                tree.odds[child] = tree.shares[i]
        tree.slots[k, ARMS + seat] = found
        count += found
    for i in range(len(now)):
        tree.states[k, i] = now[i]
    tree.used[SLOTS] = k + 1
    tree.nodes[node, SLOT] = k
    tree.slots[k, OWNER] = node
    tree.slots[k, MOVER] = who
    tree.slots[k, FIRST] = first
    tree.slots[k, COUNT] = count
    tree.slots[k, CHAIN] = PARTIAL if selective(leaf) and who >= 0 else -1
    return True


@kernel
def _look_ahead(tree: Any, game: Any, leaf: Any, options: Any, node: int, who: int) -> int:
    """Look at the state after each move of a new node: prove those that end the game, glance at the others, and return the
    best for the mover. If that proves the node, `tree.value` is its value.
    """
    nodes, glimpse, known = tree.nodes, tree.glimpse, informed(leaf)
    k = nodes[node, SLOT]
    first, count = tree.slots[k, FIRST], tree.slots[k, COUNT]
    best, ended = first, 0
    for child in range(first, first + count):
        i = (child - first) % EACH
        if i == 0:
            play_each(game, tree.now, tree.legal, child - first, min(first + count - child, EACH), tree.after)
        state = tree.after[i]
        over = turn(game, state) == OVER
        if over:
            scores(game, state, glimpse)
        elif known:
            glance(leaf, game, state, glimpse)
        else:
            continue
        _normalise(options, glimpse)
        for s in range(len(glimpse)):
            tree.mean[child, s] = glimpse[s]
        if glimpse[who] > tree.mean[best, who]:
            best = child
        if over:
            nodes[child, PROVEN] = 1
            ended += 1
            if glimpse[who] >= HIGHEST:
                best = child
                break
    if (ended == count and not selective(leaf)) or (nodes[best, PROVEN] and tree.mean[best, who] >= HIGHEST):
        nodes[node, PROVEN] = 1
        for s in range(len(glimpse)):
            tree.mean[node, s] = tree.mean[best, s]
            tree.value[s] = tree.mean[best, s]
    return best


@kernel
def prove(tree: Any, node: int, child: int) -> None:
    """Now that a child is proven, see whether the node is."""
    nodes, mean = tree.nodes, tree.mean
    k = nodes[node, SLOT]
    who, first = tree.slots[k, MOVER], tree.slots[k, FIRST]
    if who == JOINT:
        return
    if who == CHANCE or mean[child, who] < HIGHEST:
        if tree.slots[k, CHAIN] == PARTIAL:
            return
        child = first
        for other in range(first, first + tree.slots[k, COUNT]):
            if not nodes[other, PROVEN]:
                return
            if who >= 0 and mean[other, who] > mean[child, who]:
                child = other
    nodes[node, PROVEN] = 1
    for s in range(mean.shape[1]):
        if who >= 0:
            mean[node, s] = mean[child, s]
            continue
        mean[node, s] = 0.0
        for other in range(first, first + tree.slots[k, COUNT]):
            mean[node, s] += tree.odds[other] * mean[other, s]
