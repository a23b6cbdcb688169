"""Where all seats of a rulesheet move at once: how a simulation of `lanes.py` chooses a move for each of them. The moves of a seat are *arms*; what they do together is a combination, which has a node
of its own once it was met.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from ludus.kernel import below, kernel, uniform
from ludus.search.tree import (
    ARMS,
    CHAIN,
    FIRST,
    MOVE,
    NODES,
    OWNER,
    PENDING,
    PROVEN,
    SIBLING,
    SLOT,
    TOTAL,
    VISITS,
    add_node,
)

FEW = 16  # arms of a seat up to which regrets are kept; their sum takes a look at every combination
EXPLORED = 0.1  # the share of choices among arms that is left to chance


@kernel
def pull(tree: Any, fleet: Any, options: Any, rng: Any, lane: int, node: int, depth: int) -> int:
    """Where all move at once: choose an arm for each seat, and return the node of their combination, or -1 if there is no room for it."""
    nodes, slots = tree.nodes, tree.slots
    k = nodes[node, SLOT]
    first, combination = slots[k, FIRST], np.int64(0)
    for s in range(len(tree.joint)):
        count = slots[k, ARMS + s]
        best = (
            _arm_by_regret(tree, rng, first, count) if count <= FEW else _arm_by_bound(tree, options, rng, k, first, s)
        )
        fleet.arms[lane, depth, s] = best
        nodes[best, PENDING] += 1
        combination = combination * count + best - first
        first += count
    child = _combined(tree, k, combination)
    if child < 0 and tree.used[NODES] < len(nodes):
        child = add_node(tree, node, combination)
        nodes[child, SIBLING] = slots[k, CHAIN]
        slots[k, CHAIN] = child
    return child


@kernel
def _combined(tree: Any, k: int, combination: int) -> int:
    """The node of a combination of arms, or -1."""
    child = tree.slots[k, CHAIN]
    while child >= 0 and tree.nodes[child, MOVE] != combination:
        child = tree.nodes[child, SIBLING]
    return child


@kernel
def _arm_by_regret(tree: Any, rng: Any, first: int, count: int) -> int:
    """An arm drawn by how much it was missed so far, and sometimes any (regret matching: Hart & Mas-Colell 2000; in trees Lisý et al. 2013). What arms have in `amaf` is the sum
    of the chances they had, which is what comes to an equilibrium, and the sum of their regrets.
    """
    amaf = tree.amaf
    total = 0.0
    for arm in range(first, first + count):
        total += max(amaf[arm, 1], 0.0)
    chosen, rest = first, uniform(rng)
    for arm in range(first, first + count):
        share = max(amaf[arm, 1], 0.0) / total if total > 0 else 1.0 / count
        amaf[arm, 0] += share
        rest -= EXPLORED / count + (1 - EXPLORED) * share
        if rest < 0:
            chosen = arm
            rest = 2.0
    return chosen


@kernel
def _arm_by_bound(tree: Any, options: Any, rng: Any, k: int, first: int, seat: int) -> int:
    """The arm with the highest upper bound for its seat, as if it were alone (decoupled UCT)."""
    nodes, slots = tree.nodes, tree.slots
    logarithm = log(slots[k, TOTAL] + nodes[slots[k, OWNER], PENDING] + 1.0)
    best, highest, ties = first, -1.0, 1
    for arm in range(first, first + slots[k, ARMS + seat]):
        bound, n = 1e9, nodes[arm, VISITS] + nodes[arm, PENDING]
        if nodes[arm, VISITS] > 0:
            # Some chance in it, or the seats would explore in step, and meet each other's moves too often or never.
            bound = tree.mean[arm, seat] + 2 * uniform(rng) * options.c * sqrt(logarithm / n)
        elif n:
            bound = 1.0 / n
        if bound > highest:
            best, highest, ties = arm, bound, 1
        elif bound == highest:
            ties += 1
            if below(rng, ties) == 0:
                best = arm
    return best


@kernel
def note_regret(tree: Any, fleet: Any, lane: int, depth: int, k: int) -> None:
    """Let each seat's arms know how much more they would have brought beside what the others did. A combination that was never met promises the best."""
    slots, value = tree.slots, fleet.value
    seats = len(tree.joint)
    first, after = slots[k, FIRST], np.int64(1)
    for s in range(seats):
        after *= slots[k, ARMS + s]
    whole = np.int64(0)
    begin = first
    for s in range(seats):
        whole = whole * slots[k, ARMS + s] + fleet.arms[lane, depth, s] - begin
        begin += slots[k, ARMS + s]
    for s in range(seats):
        count = slots[k, ARMS + s]
        after //= count  # how far apart combinations are that differ in this seat's arm by one
        chosen = fleet.arms[lane, depth, s]
        if count <= FEW:
            for arm in range(first, first + count):
                if arm != chosen:
                    other = _combined(tree, k, whole + (arm - chosen) * after)
                    would = 1.0
                    if other >= 0 and (tree.nodes[other, VISITS] or tree.nodes[other, PROVEN]):
                        would = tree.mean[other, s]
                    tree.amaf[arm, 1] += would - value[s]
        first += count
