"""The tree of Monte Carlo tree search in flat arrays: making it, and keeping the part below a new root. How it grows is
`uct.py`'s business.

A *node* is a move from its parent, with what is known of it. A node that has been opened up has a *slot* too: its state, who
is to move, and where its children lie, side by side. Where all seats move at once the entries side by side are *arms*, the
moves of each seat for itself, and the states that combinations of them lead to hang in a chain. Values are
vectors, one number a seat, in units of the score range: 0 is the lowest score of the game, 1 the highest.

Two nodes may share a slot, where different orders of moves lead to the same state (`lanes.py` sees to that). Both must be as many
plies from the beginning, so that no way through the tree leads back to where it came from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import EACH, sizes_of
from ludus.kernel import KEY, kernel, mix_hash

NODES, SLOTS, AGE = 0, 1, 2  # places in `Tree.used`
# What is kept of a node: a move, an outcome of chance, an arm's move, or the number of a combination of arms; the parent,
# which comes before it; how often simulations came by; whether the value is exact; the slot, or -1; the next in the chain
# of combinations, or -1; how many simulations that came by are not over yet.
MOVE, PARENT, VISITS, PROVEN, SLOT, SIBLING, PENDING = range(7)
# What is kept of a slot: its node; what `turn` says; the first child or arm; how many there are; where all move at once, the
# first combination, or -1, where one decides and not all moves are listed, PARTIAL; its ply, from the first root on; how often
# simulations came by, whichever way; and from there on how many arms each seat has.
OWNER, MOVER, FIRST, COUNT, CHAIN, PLY, TOTAL, ARMS = range(8)
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
    shared: (
        np.ndarray
    )  # slot, seat: the mean of what simulations found, whichever way they came; empty where nothing is shared
    table: np.ndarray  # a hash table of slots, by state and ply: the age of the entry, and k; other ages mean none. Empty where nothing is shared
    amaf: (
        np.ndarray
    )  # node: how often its move was made later in a simulation, and what came of it; empty where nobody asks
    used: np.ndarray  # nodes, slots, and the age of the table
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


def new_tree(game: Any, nodes: int, sharing: bool = False) -> Tree:
    """An empty tree for at most so many nodes, with or without room for what `lanes.py` notes.

    >>> import ludus
    >>> new_tree(ludus.game("backgammon"), 1000).mean.shape
    (1000, 2)
    """
    max_moves, state_size, seats, max_chances = sizes_of(game)
    slots = max(min(nodes, STATE_BYTES // (8 * state_size)), 1)
    whole = np.int64
    return Tree(
        nodes=np.empty((nodes, 7), whole),
        mean=np.empty((nodes, seats)),
        odds=np.empty(nodes),
        slots=np.empty((slots, ARMS + seats), whole),
        states=np.empty((slots, state_size), whole),
        shared=np.empty((slots if sharing else 0, seats)),
        table=np.zeros((2 << (slots - 1).bit_length() if sharing else 0, 2), np.int32),
        amaf=np.empty((nodes if sharing else 0, 2), np.float32),
        used=np.zeros(3, whole),
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
    tree.used[AGE] += 1
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
    tree.nodes[node, PENDING] = 0
    for s in range(tree.mean.shape[1]):
        tree.mean[node, s] = 0.0
    if len(tree.amaf):
        tree.amaf[node, 0] = 0.0
        tree.amaf[node, 1] = 0.0
    return node


@kernel
def place_in_table(tree: Any, state: Any, ply: int) -> int:
    """Where in the table the slot of a state at a ply is, or would be."""
    key = mix_hash(KEY, np.int64(ply))
    for i in range(len(state)):
        key = mix_hash(key, state[i])
    mask = len(tree.table) - 1
    at: Any = np.int64(key & np.uint64(mask))
    while tree.table[at, 0] == tree.used[AGE]:
        k = tree.table[at, 1]
        if tree.slots[k, PLY] == ply:
            i = 0
            while i < len(state) and tree.states[k, i] == state[i]:
                i += 1
            if i == len(state):
                break
        at = (at + 1) & mask
    return at


@kernel
def enter_slot(tree: Any, at: int, k: int) -> None:
    """Put a slot into the table."""
    tree.table[at, 0] = tree.used[AGE]
    tree.table[at, 1] = k


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
    """Make a node the root, and forget all that is not below it. Everything else stays in its order, and moves to the front: what
    is overwritten has moved before.
    """
    nodes, slots = tree.nodes, tree.slots
    place = np.full(tree.used[NODES], -1, np.int64)  # where each node goes; first: whether it is kept
    where = np.full(tree.used[SLOTS], -1, np.int64)  # and each slot
    _mark_below(tree, root, place, where)
    kept = 1
    place[root] = 0
    for node in range(tree.used[NODES]):
        if place[node] >= 0 and node != root:
            place[node] = kept
            kept += 1
    left = 0
    for k in range(tree.used[SLOTS]):
        if where[k] >= 0:
            where[k] = left
            left += 1
    _move_node(tree, root, 0, where)
    for node in range(tree.used[NODES]):
        if place[node] > 0:
            _move_node(tree, node, place[node], where)
    tree.used[NODES] = kept
    nodes[0, SIBLING] = -1
    for node in range(1, kept):
        if nodes[node, SIBLING] >= 0:
            nodes[node, SIBLING] = place[nodes[node, SIBLING]]
    for k in range(tree.used[SLOTS]):
        at = where[k]
        if at < 0:
            continue
        for i in range(tree.states.shape[1]):
            tree.states[at, i] = tree.states[k, i]
        for i in range(slots.shape[1]):
            slots[at, i] = slots[k, i]
        if len(tree.shared):
            for s in range(tree.shared.shape[1]):
                tree.shared[at, s] = tree.shared[k, s]
        slots[at, OWNER] = place[slots[k, OWNER]]
        slots[at, FIRST] = place[slots[k, FIRST]]
        for child in range(slots[at, FIRST], slots[at, FIRST] + slots[at, COUNT]):
            nodes[child, PARENT] = slots[at, OWNER]
        if slots[at, CHAIN] >= 0:
            slots[at, CHAIN] = place[slots[at, CHAIN]]
        child = slots[at, CHAIN]
        while child >= 0:
            nodes[child, PARENT] = slots[at, OWNER]
            child = nodes[child, SIBLING]
    tree.used[SLOTS] = left
    nodes[0, PARENT] = 0
    if len(tree.table):
        tree.used[AGE] += 1
        for k in range(left):
            enter_slot(tree, place_in_table(tree, tree.states[k], slots[k, PLY]), k)


@kernel
def _mark_below(tree: Any, root: int, place: Any, where: Any) -> None:
    """Mark all nodes and slots below a root. The owner of a slot becomes one of the nodes that are kept."""
    nodes, slots = tree.nodes, tree.slots
    stack = np.empty(tree.used[NODES], np.int64)
    stack[0] = root
    height = 1
    place[root] = 0
    while height:
        height -= 1
        node = stack[height]
        k = nodes[node, SLOT]
        if k < 0:
            continue
        if where[k] < 0:
            where[k] = 0
            slots[k, OWNER] = node
            for child in range(slots[k, FIRST], slots[k, FIRST] + slots[k, COUNT]):
                place[child] = 0
                stack[height] = child
                height += 1
            child = slots[k, CHAIN]
            while child >= 0:
                place[child] = 0
                stack[height] = child
                height += 1
                child = nodes[child, SIBLING]


@kernel
def _move_node(tree: Any, node: int, to: int, where: Any) -> None:
    for i in range(tree.nodes.shape[1]):
        tree.nodes[to, i] = tree.nodes[node, i]
    if tree.nodes[to, SLOT] >= 0:
        tree.nodes[to, SLOT] = where[tree.nodes[to, SLOT]]
    tree.nodes[to, PENDING] = 0
    for s in range(tree.mean.shape[1]):
        tree.mean[to, s] = tree.mean[node, s]
    tree.odds[to] = tree.odds[node]
    if len(tree.amaf):
        tree.amaf[to, 0] = tree.amaf[node, 0]
        tree.amaf[to, 1] = tree.amaf[node, 1]
