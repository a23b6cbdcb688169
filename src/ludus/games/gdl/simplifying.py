"""Makes a network smaller without changing what it says of any state that a game can come to: `conditions.py` leaves out what is known anyway, `sharing.py`
shares what is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.games.gdl.conditions import Net, Sets, Work, drop_conditions, keep_exclusive
from ludus.games.gdl.sharing import TRUE, Gates, Wide, factor, narrow, share, widen
from ludus.kernel import kernel

LITTLE = 20_000  # nodes: plain Python is done with so few in less time than compiling would take
MOST_GATES = (
    1_000_000  # of a network that is made smaller: larger ones are left as they are, as it takes time and memory
)
EFFORT_EACH = 100  # gates that are looked at for each gate, before it is left at what was found
LEAST_EFFORT, MOST_EFFORT = 4_000_000, 20_000_000  # and for all of them
ROUNDS = 3


class Network(NamedTuple):
    """Gates with two inputs, by node: 0, the inputs, then gates, each after those that it needs, and registers."""

    inputs: int
    left: np.ndarray  # the literals that each gate joins
    right: np.ndarray
    registers: np.ndarray  # the literal that a register takes over (-1: no register)
    loop: np.ndarray  # the number of the loop to which a register belongs


class Exclusive(NamedTuple):
    """Sets of inputs of which one holds at most: nodes, and whether one of them always does (2), does where a move is made (1), or need not (0)."""

    propositions: int  # they are the first inputs; after them come moves, in the same order as their legality among the outputs of the first phase
    sets: list[tuple[np.ndarray, int]]


@kernel(lazy=lambda roots, left, *rest: len(left) < LITTLE)
def cone(roots: Any, left: Any, right: Any, registers: Any, inputs: int, out: Any) -> None:
    """Mark all nodes that some literals need."""
    stack = np.zeros(2 * len(left) + len(roots) + 2, np.int64)
    height = 0
    for r in range(len(roots)):
        stack[height] = roots[r] >> 1
        height += 1
    while height:
        height -= 1
        node = stack[height]
        if out[node]:
            continue
        out[node] = True
        if node < inputs:
            continue
        if registers[node] >= 0:
            stack[height] = registers[node] >> 1
            height += 1
        else:
            stack[height] = left[node] >> 1
            stack[height + 1] = right[node] >> 1
            height += 2


def simplify(
    network: Network, outputs: list[np.ndarray], exclusive: Exclusive
) -> tuple[Network, list[np.ndarray], Exclusive]:
    """A smaller network, the literals of its outputs, and those of the sets that are indeed exclusive. What the last phase of outputs says matters only where all
    roles make legal moves.
    """
    if int(_needed(network, outputs).sum()) > MOST_GATES:
        return network, outputs, Exclusive(exclusive.propositions, [])
    wide, needed = _widened(network, outputs)
    proven = _drop(network, outputs, wide, exclusive)
    network, outputs = _narrowed(network, outputs, wide, needed)
    wide, needed = _widened(network, outputs)
    room = len(wide.pool)
    factor(wide, room)
    share(wide, room)
    return *_narrowed(network, outputs, wide, needed), proven


def _roots(network: Network, outputs: list[np.ndarray], needed: np.ndarray) -> np.ndarray:
    return np.concatenate([*outputs, network.registers[needed & (network.registers >= 0)]]).astype(np.int64)


def _needed(network: Network, outputs: list[np.ndarray]) -> np.ndarray:
    needed = np.zeros(len(network.left), np.bool_)
    literals = np.concatenate(outputs).astype(np.int64)
    cone(literals, network.left, network.right, network.registers, network.inputs, needed)
    return needed


def _widened(network: Network, outputs: list[np.ndarray]) -> tuple[Wide, np.ndarray]:
    """The network with gates of many inputs, and the nodes that count."""
    nodes = len(network.left)
    needed = _needed(network, outputs)
    gates = needed & (network.registers < 0)
    gates[: network.inputs] = False
    kept = np.zeros(nodes, np.bool_)
    kept[_roots(network, outputs, needed) >> 1] = True
    size, room = 2 * nodes + 16, 4 * int(gates.sum()) + 64
    wide = Wide(
        np.zeros(size, np.int64),
        np.full(size, -1, np.int64),
        np.zeros(room, np.int64),
        np.zeros(size, np.int64),
        np.zeros(2, np.int64),
    )
    widen(network.left, network.right, gates, kept, wide)
    return wide, needed


def _narrowed(
    network: Network, outputs: list[np.ndarray], wide: Wide, needed: np.ndarray
) -> tuple[Network, list[np.ndarray]]:
    """The network with gates of two inputs, registers first, and its outputs."""
    inputs = network.inputs
    registers = np.flatnonzero(needed & (network.registers >= 0))
    sources = inputs + len(registers)
    meaning = np.full(len(wide.first), -1, np.int64)
    meaning[:inputs] = 2 * np.arange(inputs)
    meaning[registers] = 2 * np.arange(inputs, sources)
    most = sources + int(np.maximum(wide.width, 0).sum()) + 1
    table = np.zeros(1 << max(int(2 * most - 1).bit_length(), 4), np.int64)
    gates = Gates(np.zeros(most, np.int64), np.zeros(most, np.int64), table, np.array([sources], np.int64))
    narrow(wide, _roots(network, outputs, needed), meaning, gates, np.zeros(most, np.int64))
    nodes = int(gates.used[0])

    def moved(literals: np.ndarray) -> np.ndarray:
        return meaning[literals >> 1] ^ (literals & 1)

    taken, loop = np.full(nodes, -1, np.int64), np.zeros(nodes, np.int64)
    taken[inputs:sources] = moved(network.registers[registers])
    loop[inputs:sources] = network.loop[registers]
    return Network(inputs, gates.left[:nodes], gates.right[:nodes], taken, loop), [moved(each) for each in outputs]


# --- what is known anyway --------------------------------------------------------------------------------------------


def _drop(network: Network, outputs: list[np.ndarray], wide: Wide, exclusive: Exclusive) -> Exclusive:
    """Leave out conditions that are not needed; the sets that are exclusive."""
    nodes = len(network.left)
    legal, following = outputs[0], outputs[-1]
    net, sets = _net(network, wide, outputs), _sets(exclusive, legal, nodes)
    gates = np.flatnonzero(net.width > 0)
    value = np.full(nodes, -1, np.int64)
    value[0] = 0
    most = min(max(EFFORT_EACH * len(gates), LEAST_EFFORT), MOST_EFFORT)
    sizes = np.array([0, 0, 0, 0, most], np.int64)
    work = Work(value, np.zeros(nodes + 1, np.int64), sizes, np.zeros((64, 2), np.int64))
    keep_exclusive(net, sets, work, following, exclusive.propositions)
    stays = np.zeros(nodes, np.bool_)
    cone(np.concatenate(outputs[:-1]), network.left, network.right, network.registers, network.inputs, stays)
    for _ in range(ROUNDS):
        if not drop_conditions(net, sets, work, gates[::-1].copy(), ~stays):
            break
    kept = [(each, int(whole)) for (each, _), whole in zip(exclusive.sets, sets.whole, strict=True) if whole >= 0]
    return exclusive._replace(sets=[each for each in kept if each[0][0] <= exclusive.propositions])


def _net(network: Network, wide: Wide, outputs: list[np.ndarray]) -> Net:
    nodes = len(network.left)
    gates = np.flatnonzero(wide.width[:nodes] > 0)
    owner = np.repeat(gates, wide.width[gates])
    needs = wide.pool[: len(owner)] >> 1
    order = np.argsort(needs, kind="stable")
    users, users_first = owner[order], np.searchsorted(needs[order], np.arange(nodes + 1))
    user = np.full(nodes, -1, np.int64)
    once = np.flatnonzero(np.diff(users_first) == 1)
    user[once] = users[users_first[once]]
    user[np.concatenate(outputs) >> 1] = -1
    user[network.registers[network.registers >= 0] >> 1] = -1
    return Net(wide.first[:nodes], wide.width[:nodes], wide.pool, user, users, users_first.astype(np.int64))


def _sets(exclusive: Exclusive, legal: np.ndarray, nodes: int) -> Sets:
    lengths = np.array([len(members) for members, _ in exclusive.sets], np.int64)
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    members = np.concatenate([np.zeros(0, np.int64), *(members for members, _ in exclusive.sets)]).astype(np.int64)
    order = np.argsort(members, kind="stable")
    of = np.repeat(np.arange(len(lengths)), lengths)[order]
    of_first = np.searchsorted(members[order], np.arange(nodes + 1)).astype(np.int64)
    moves = 1 + exclusive.propositions + np.arange(len(legal) - 1)  # behind them is whether the game is over
    follows = np.full(nodes, TRUE, np.int64)
    follows[moves] = legal[:-1]
    said = legal[:-1] >> 1
    order = np.argsort(said, kind="stable")
    moves_first = np.searchsorted(said[order], np.arange(nodes + 1)).astype(np.int64)
    whole = np.array([kind for _, kind in exclusive.sets], np.int64)
    watched = np.stack([members[first[:-1]], members[first[1:] - 1]], axis=1)
    return Sets(first, members, whole, of, of_first, watched, follows, moves[order], moves_first)
