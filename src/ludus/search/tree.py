"""The tree of Monte Carlo tree search in flat arrays: making it, and keeping the part below a new root. How it grows is
`uct.py`'s business.

A *node* is a move from its parent, with what is known of it. A node that has been opened up has a *slot* too: its state, who
is to move, and where its children lie, side by side. Where all seats move at once the entries side by side are *arms*, the
moves of each seat for itself, and the states that combinations of them lead to hang in a chain. Values are
vectors, one number a seat, in units of the score range: 0 is the lowest score of the game, 1 the highest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import EACH, sizes_of
from ludus.kernel import kernel

NODES, SLOTS = 0, 1  # places in `Tree.used`
# What is kept of a node: a move, an outcome of chance, an arm's move, or the number of a combination of arms; the parent,
# which comes before it; how often simulations came by; whether the value is exact; the slot, or -1; the next in the chain
# of combinations, or -1.
MOVE, PARENT, VISITS, PROVEN, SLOT, SIBLING = range(6)
# What is kept of a slot: its node; what `turn` says; the first child or arm; how many there are; where all move at once, the
# first combination, or -1, and from there on how many arms each seat has; where one decides and not all moves are listed, PARTIAL.
OWNER, MOVER, FIRST, COUNT, CHAIN, ARMS = range(6)
PARTIAL = -2
DEPTH = 512  # plies from the root that a simulation follows at most
STATE_BYTES = 512_000_000  # room for states at most; the system gives it page by page, as they are written


class Tree(NamedTuple):
    """See above. Node 0 is the root. Few arrays, as compiling takes its time for each."""

    nodes: np.ndarray  # node, see above
    mean: (
        np.ndarray
    )  # node, seat: the mean of what simulations found, or the exact value; of an arm its own seat's only
    odds: (
        np.ndarray
    )  # node: the probability of an outcome of chance; how promising a move is, where search is selective
    slots: np.ndarray  # slot, see above
    states: np.ndarray  # slot, state
    used: np.ndarray  # nodes, slots
    # Where the simulation under way has come to.
    path: (
        np.ndarray
    )  # ply: the node, its best proven child or -1, and where all move at once the arm of each seat, else -1
    now: np.ndarray  # the state
    after: np.ndarray  # states after some of its moves
    legal: np.ndarray  # its moves, or outcomes
    shares: np.ndarray  # their probabilities, or how promising they are
    joint: np.ndarray  # a move for each seat
    value: np.ndarray  # what was found
    glimpse: np.ndarray  # what a state after a move is worth


def new_tree(game: Any, nodes: int) -> Tree:
    """An empty tree for at most so many nodes.

    >>> import ludus
    >>> new_tree(ludus.game("backgammon"), 1000).mean.shape
    (1000, 2)
    """
    max_moves, state_size, seats, max_chances = sizes_of(game)
    slots = max(min(nodes, STATE_BYTES // (8 * state_size)), 1)
    whole = np.int64
    return Tree(
        nodes=np.empty((nodes, 6), whole),
        mean=np.empty((nodes, seats)),
        odds=np.empty(nodes),
        slots=np.empty((slots, ARMS + seats), whole),
        states=np.empty((slots, state_size), whole),
        used=np.zeros(2, whole),
        path=np.zeros((DEPTH, 2 + seats), whole),
        now=np.zeros(state_size, whole),
        after=np.zeros((min(max_moves, EACH), state_size), whole),
        legal=np.zeros(max(max_moves, max_chances), whole),
        shares=np.zeros(max(max_moves, max_chances)),
        joint=np.zeros(seats, whole),
        value=np.zeros(seats),
        glimpse=np.zeros(seats),
    )


@kernel
def plant(tree: Any, state: Any) -> None:
    """Begin a new tree at a state in which somebody is to decide. The first simulation opens up the root."""
    tree.used[NODES] = 0
    tree.used[SLOTS] = 0
    add_node(tree, 0, 0)
    for i in range(len(state)):
        tree.now[i] = state[i]


@kernel(inline=True)
def add_node(tree: Any, parent: int, move: int) -> int:
    """A new node, of which nothing is known; there must be room."""
    node = tree.used[NODES]
    tree.used[NODES] = node + 1
    tree.nodes[node, MOVE] = move
    tree.nodes[node, PARENT] = parent
    tree.nodes[node, VISITS] = 0
    tree.nodes[node, PROVEN] = 0
    tree.nodes[node, SLOT] = -1
    tree.nodes[node, SIBLING] = -1
    for s in range(tree.mean.shape[1]):
        tree.mean[node, s] = 0.0
    return node


@kernel
def find_state(tree: Any, state: Any) -> int:
    """The opened node of this state that was visited most often, or -1."""
    states, size = tree.states, len(state)
    best, most = -1, -1
    for k in range(tree.used[SLOTS]):
        i = 0
        while i < size and states[k, i] == state[i]:
            i += 1
        if i == size and tree.nodes[tree.slots[k, OWNER], VISITS] > most:
            best = tree.slots[k, OWNER]
            most = tree.nodes[best, VISITS]
    return best


@kernel
def keep_below(tree: Any, root: int) -> None:
    """Make a node the root, and forget all that is not below it. Everything stays in its order, and moves to the front: what
    is overwritten has moved before.
    """
    nodes, slots = tree.nodes, tree.slots
    place = np.full(tree.used[NODES], -1, np.int64)  # where each node goes
    kept = 0
    for node in range(root, tree.used[NODES]):
        if node != root and place[nodes[node, PARENT]] < 0:
            continue
        place[node] = kept
        parent = 0 if node == root else place[nodes[node, PARENT]]
        for i in range(nodes.shape[1]):
            nodes[kept, i] = nodes[node, i]
        nodes[kept, PARENT] = parent
        for s in range(tree.mean.shape[1]):
            tree.mean[kept, s] = tree.mean[node, s]
        tree.odds[kept] = tree.odds[node]
        kept += 1
    tree.used[NODES] = kept
    nodes[0, SIBLING] = -1
    for node in range(1, kept):
        if nodes[node, SIBLING] >= 0:
            nodes[node, SIBLING] = place[nodes[node, SIBLING]]
    left = 0
    for k in range(tree.used[SLOTS]):
        owner = place[slots[k, OWNER]]
        if owner < 0:
            continue
        for i in range(tree.states.shape[1]):
            tree.states[left, i] = tree.states[k, i]
        for i in range(slots.shape[1]):
            slots[left, i] = slots[k, i]
        slots[left, OWNER] = owner
        slots[left, FIRST] = place[slots[left, FIRST]]
        if slots[left, CHAIN] >= 0:
            slots[left, CHAIN] = place[slots[left, CHAIN]]
        nodes[owner, SLOT] = left
        left += 1
    tree.used[SLOTS] = left
