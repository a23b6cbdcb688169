"""From ground rules to a propositional network: and-gates with inverters on flat arrays, in the order in which they are evaluated.

A *literal* is 2 × node + 1 if it is negated; node 0 is never true. Gates that compute the same are one gate, and what no output needs is left
out. Propositions that depend on themselves positively (connection, say) become *registers*: they start as false, and their part of the network is
evaluated again until nothing changes. Nothing here knows of roles or moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.games.gdl.aspif import Ground
from ludus.games.gdl.sharing import FALSE, TRUE, Gates, join
from ludus.games.gdl.simplifying import Exclusive, Network, cone, simplify
from ludus.kernel import kernel


class Circuit(NamedTuple):
    """Gates in the order of their evaluation. Nodes: 0, the inputs, the registers, the gates."""

    left: np.ndarray  # the literals that each gate joins
    right: np.ndarray
    registers: np.ndarray  # the literal that each register takes over
    # Rows: first and last gate, first and last register (none: evaluated once). Those of a phase are parts[phase] to parts[phase + 1].
    segments: np.ndarray
    parts: np.ndarray


class TangledError(LudusError):
    """Rules that have no single meaning."""


LITTLE = 20_000  # literals or nodes: plain Python builds networks of so few in less time than compiling would take


# --- gates -----------------------------------------------------------------------------------------------------------


@kernel(lazy=lambda clauses, *rest: len(clauses.literals) < LITTLE)
def _order(clauses: Any, roots: Any, component: Any) -> Any:
    """The atoms that the roots need, each after those that it needs itself, and in `component` the number of the strongly connected part of
    each (Tarjan 1972, without recursion).
    """
    first, ends, literals = clauses
    atoms = len(first) - 1
    index, low = np.zeros(atoms, np.int64), np.zeros(atoms, np.int64)
    stack, work, edge = np.zeros(atoms, np.int64), np.zeros(atoms, np.int64), np.zeros(atoms, np.int64)
    out = np.zeros(atoms, np.int64)
    component[:] = -1
    count, height, found, parts = 0, 0, 0, 0
    for r in range(len(roots)):
        if index[roots[r]]:
            continue
        depth = 0
        work[0] = roots[r]
        while depth >= 0:
            node = work[depth]
            if index[node] == 0:
                count += 1
                index[node] = low[node] = count
                stack[height] = node
                height += 1
                edge[node] = ends[first[node]]
            deeper = False
            while edge[node] < ends[first[node + 1]]:
                child = abs(literals[edge[node]])
                if index[child] == 0:
                    depth += 1
                    work[depth] = child
                    deeper = True
                    break
                if component[child] < 0:
                    low[node] = min(low[node], low[child])
                edge[node] += 1
            if deeper:
                continue
            if low[node] == index[node]:
                while True:
                    height -= 1
                    member = stack[height]
                    component[member] = parts
                    out[found] = member
                    found += 1
                    if member == node:
                        break
                parts += 1
            depth -= 1
    return out[:found]


@kernel
def _all(parts: Any, count: int, gates: Any) -> int:
    """The literal of the conjunction of many, joined in a balanced tree: its gates do not have to wait for each other."""
    sorted_parts = np.sort(parts[:count])
    n = 0
    for i in range(count):
        literal = sorted_parts[i]
        if literal == FALSE or (n and literal == parts[n - 1] ^ 1 and literal & 1):
            return FALSE
        if literal != TRUE and not (n and parts[n - 1] == literal):
            parts[n] = literal
            n += 1
    if n == 0:
        return TRUE
    while n > 1:
        half = 0
        for i in range(0, n - 1, 2):
            parts[half] = join(parts[i], parts[i + 1], gates)
            half += 1
        if n & 1:
            parts[half] = parts[n - 1]
            half += 1
        n = half
    return parts[0]


@kernel
def _value(atom: int, clauses: Any, meaning: Any, gates: Any, slots: Any, ways: Any) -> int:
    """The literal of an atom: one of its rules must hold, so not all of them may fail."""
    first, ends, literals = clauses
    total = 0
    for rule in range(first[atom], first[atom + 1]):
        count = 0
        for k in range(ends[rule], ends[rule + 1]):
            literal = literals[k]
            slots[count] = meaning[literal] if literal > 0 else meaning[-literal] ^ 1
            count += 1
        ways[total] = _all(slots, count, gates) ^ 1
        total += 1
    return _all(ways, total, gates) ^ 1


@kernel(lazy=lambda clauses, *rest: len(clauses.literals) < LITTLE)
def _build(clauses: Any, order: Any, component: Any, meaning: Any, gates: Any, registers: Any, loops: Any) -> None:
    """Make the gates of all atoms in `order`, and write the literal of each atom to `meaning`; for atoms that depend on themselves registers, with the numbers of
    their loops.
    """
    first, ends, literals = clauses
    nodes = gates.used
    widest = 1
    for r in range(len(ends) - 1):
        widest = max(widest, ends[r + 1] - ends[r])
    for a in range(len(first) - 1):
        widest = max(widest, first[a + 1] - first[a])
    slots, ways = np.zeros(widest + 1, np.int64), np.zeros(widest + 1, np.int64)
    number = 0  # of the loop
    at = 0
    while at < len(order):
        end = at + 1
        while end < len(order) and component[order[end]] == component[order[at]]:
            end += 1
        begun = nodes[0]
        loop = end - at > 1
        if not loop and meaning[order[at]] < 0:  # an atom that needs itself is a loop too
            for k in range(ends[first[order[at]]], ends[first[order[at] + 1]]):
                loop = loop or literals[k] == order[at]
        if loop:
            number += 1
            for i in range(at, end):
                node = nodes[0]
                meaning[order[i]] = 2 * node
                registers[node] = FALSE
                loops[node] = number
                nodes[0] = node + 1
        for i in range(at, end):
            atom = order[i]
            if meaning[atom] >= 0 and not loop:
                continue  # an input
            literal = _value(atom, clauses, meaning, gates, slots, ways)
            if loop:
                registers[begun + i - at] = literal
            meaning[atom] = literal  # those that come later in a loop take the value of the same round
        at = end


@kernel(lazy=lambda left, *rest: len(left) < LITTLE)
def _stages(left: Any, right: Any, registers: Any, loop: Any, inputs: int, group: Any, stage: Any) -> None:
    """To which loop each node belongs (0: none), and how many loops must have come to rest before it can be evaluated. Comes to nodes in the order of the loops that
    they need; `group` has those that some register of the loop takes over, or needs for that.
    """
    nodes, loops = len(left), 0
    needs = loop.copy()  # the last loop on which a node depends
    for node in range(inputs, nodes):
        if registers[node] < 0:
            needs[node] = max(needs[left[node] >> 1], needs[right[node] >> 1])
        loops = max(loops, needs[node])
    # From the registers down: what a register takes over belongs to its loop if it depends on it.
    for node in range(nodes):
        if registers[node] >= 0:
            group[node] = loop[node]
            taken = registers[node] >> 1
            if needs[taken] == loop[node]:
                group[taken] = loop[node]
    for node in range(nodes - 1, inputs - 1, -1):
        if registers[node] < 0 and group[node]:
            for side in (left[node] >> 1, right[node] >> 1):
                if needs[side] == group[node]:
                    group[side] = group[node]
    order = np.argsort(needs, kind="mergesort")
    deepest = np.zeros(loops + 1, np.int64)
    at = 0
    while at < nodes:
        end = at
        while end < nodes and needs[order[end]] == needs[order[at]]:
            end += 1
        number = needs[order[at]]
        for i in range(at, end):
            node = order[i]
            if number and group[node] == number:
                if registers[node] >= 0:
                    sides = (registers[node] >> 1, registers[node] >> 1)
                else:
                    sides = (left[node] >> 1, right[node] >> 1)
                for side in sides:
                    if group[side] != number:
                        deepest[number] = max(deepest[number], stage[side] + (1 if group[side] else 0))
        for i in range(at, end):
            node = order[i]
            if number and group[node] == number:
                stage[node] = deepest[number]
            elif node >= inputs:
                for side in (left[node] >> 1, right[node] >> 1):
                    stage[node] = max(stage[node], stage[side] + (1 if group[side] else 0))
        at = end


@kernel(lazy=lambda left, *rest: len(left) < LITTLE)
def _levels(left: Any, right: Any, inputs: int, registers: Any, key: Any, level: Any) -> None:
    """How many gates of the same segment (`key`) a gate has to wait for, one after another."""
    for node in range(inputs, len(left)):
        if registers[node] >= 0 or key[node] < 0:
            continue
        for side in (left[node] >> 1, right[node] >> 1):
            if side >= inputs and registers[side] < 0 and key[side] == key[node]:
                level[node] = max(level[node], level[side] + 1)


def build_circuit(
    ground: Ground, input_atoms: np.ndarray, phases: list[np.ndarray], exclusive: Exclusive | None
) -> tuple[Circuit, list[np.ndarray], Exclusive]:
    """The circuit of some outputs, given in phases, the literal of each output, and the sets of inputs that are exclusive among those that may be. The first phase is
    evaluated first, and has what several others need; these don't depend on each other.

    Inputs are nodes 1 to n, in the order of `input_atoms`. An output is an atom; 0 stands for what always holds, -1 for what never does. Without sets (None) nothing is simplified: that
    takes the phases for those of a game.
    """
    first, ends, literals = ground.clauses
    atoms, inputs = len(first) - 1, len(input_atoms) + 1
    meaning = np.full(atoms, -1, np.int64)
    meaning[input_atoms] = 2 * np.arange(1, inputs)
    roots = np.unique(np.concatenate([p[p > 0] for p in phases] or [np.zeros(0, np.int64)])).astype(np.int64)
    component = np.zeros(atoms, np.int64)
    order = _order(ground.clauses, roots, component)
    heads = np.repeat(np.arange(atoms), np.diff(ends[first]))
    negated = literals < 0
    if (component[heads[negated]] == component[-literals[negated]])[component[heads[negated]] >= 0].any():
        raise TangledError("a fact depends on its own negation")
    most = inputs + len(literals) + len(ends) + len(order) + 1
    table = np.zeros(1 << max(int(2 * most - 1).bit_length(), 4), np.int64)
    gates_made = Gates(np.zeros(most, np.int64), np.zeros(most, np.int64), table, np.array([inputs], np.int64))
    registers, loops = np.full(most, -1, np.int64), np.zeros(most, np.int64)
    _build(ground.clauses, order, component, meaning, gates_made, registers, loops)
    used = int(gates_made.used[0])
    made = Network(inputs, *(a[:used] for a in (gates_made.left, gates_made.right, registers, loops)))
    outputs = [np.where(p > 0, meaning[np.maximum(p, 0)], np.where(p == 0, TRUE, FALSE)) for p in phases]
    if exclusive is None:
        return *_laid_out(made, outputs), Exclusive(0, [])
    made, outputs, proven = simplify(made, outputs, exclusive)
    return *_laid_out(made, outputs), proven


def _laid_out(network: Network, outputs: list[np.ndarray]) -> tuple[Circuit, list[np.ndarray]]:
    """The gates in the order of their evaluation."""
    inputs, left, right, registers, loop = network
    nodes = len(left)
    group, stage = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    _stages(left, right, registers, loop, inputs, group, stage)
    phase = np.full(nodes, -1, np.int64)
    for number in range(len(outputs)):
        needed = np.zeros(nodes, np.bool_)
        cone(outputs[number], left, right, registers, inputs, needed)
        phase[needed] = np.where(phase[needed] < 0, number, 0)
    key = np.where(phase >= 0, (phase * (stage.max(initial=0) + 1) + stage) * 2 + (group > 0), -1)
    key[:inputs] = -1
    level = np.zeros(nodes, np.int64)
    _levels(left, right, inputs, registers, key, level)

    is_register = registers >= 0
    used = np.flatnonzero(key >= 0)
    register_nodes = used[is_register[used]]
    register_nodes = register_nodes[np.argsort(key[register_nodes], kind="stable")]
    gates = used[~is_register[used]]
    gates = gates[np.lexsort((gates, level[gates], key[gates]))]
    place = np.zeros(nodes, np.int64)
    place[:inputs] = np.arange(inputs)
    place[register_nodes] = inputs + np.arange(len(register_nodes))
    place[gates] = inputs + len(register_nodes) + np.arange(len(gates))

    def moved(old: np.ndarray) -> np.ndarray:
        return (2 * place[old >> 1] + (old & 1)).astype(np.int32)

    segments, parts = [], [0]
    stages = 2 * (stage.max(initial=0) + 1)
    for number in range(len(outputs)):
        for k in range(number * stages, (number + 1) * stages):
            gate_range = np.searchsorted(key[gates], [k, k + 1]).tolist()
            register_range = np.searchsorted(key[register_nodes], [k, k + 1]).tolist()
            if gate_range[0] < gate_range[1] or register_range[0] < register_range[1]:
                segments.append([*gate_range, *register_range])
        parts.append(len(segments))
    circuit = Circuit(
        moved(left[gates]),
        moved(right[gates]),
        moved(registers[register_nodes]),
        np.array(segments, np.int64).reshape(-1, 4),
        np.array(parts, np.int64),
    )
    return circuit, [moved(o) for o in outputs]
