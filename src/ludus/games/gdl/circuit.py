"""From ground rules to a propositional network: and-gates with inverters on flat arrays, in the order in which they are evaluated.

A *literal* is 2 × node + 1 if it is negated; node 0 is never true. Gates that compute the same are one gate, and what no output needs is left
out. Propositions that depend on themselves positively (connection, say) become *registers*: they start as false, and their part of the network is
evaluated again until nothing changes. Nothing here knows of roles or moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.games.gdl.grounding import TooLargeError
from ludus.kernel import kernel

FALSE, TRUE = 0, 1
NODE_BYTES = 80  # that a condition or a rule takes while the network is built


class Clauses(NamedTuple):
    """Ground rules: those of atom a are `first[a]` to `first[a + 1]`, and the literals (± atom) of rule r `ends[r]` to `ends[r + 1]`."""

    first: np.ndarray
    ends: np.ndarray
    literals: np.ndarray


class Ground(NamedTuple):
    """Ground rules, and what their atoms stand for."""

    clauses: Clauses
    free: np.ndarray  # atoms that may be chosen: the state and the moves
    shown: list[tuple[str, int]]  # texts of atoms and the atom of each; 0: it always holds


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


# Sheets whose networks plain Python builds in less time than compiling would take; this much text, or so many literals or nodes.
LITTLE_TEXT, LITTLE = 100_000, 20_000


# --- clingo's format -------------------------------------------------------------------------------------------------


@kernel(lazy=lambda text, *rest: len(text) < LITTLE_TEXT)
def _scan(text: Any, fill: bool, heads: Any, choice: Any, ends: Any, literals: Any, shown: Any) -> tuple[int, int, int]:
    """Read the lines of ASPIF: rules into arrays, the places of shown atoms. Without `fill`, only count them."""
    rules, used, names = 0, 0, 0
    i, n = 0, len(text)
    field = np.zeros(2, np.int64)  # the number that is being read, and its sign
    while i < n:
        kind = text[i]
        end = i
        while end < n and text[end] != 10:
            end += 1
        if kind == 52 and i + 1 < end and text[i + 1] == 32:  # '4 ': a shown atom
            if fill:
                shown[names, 0], shown[names, 1] = i + 2, end
            names += 1
        elif kind == 49 and i + 1 < end and text[i + 1] == 32:  # '1 ': a rule
            place = 0
            count = 0
            at = i + 2
            while at < end:
                field[0], field[1] = 0, 1
                while at < end and text[at] != 32:
                    if text[at] == 45:
                        field[1] = -1
                    else:
                        field[0] = field[0] * 10 + (text[at] - 48)
                    at += 1
                at += 1
                number = field[0] * field[1]
                # type of head, number of heads (1), head, type of body (0), number of literals, literals
                if fill:
                    if place == 0:
                        choice[rules] = number == 1
                    elif place == 2:
                        heads[rules] = number
                    elif place > 4:
                        literals[used + count] = number
                if place > 4:
                    count += 1
                place += 1
            used += count
            rules += 1
            if fill:
                ends[rules] = used
        i = end + 1
    return rules, used, names


def read_ground(text: bytes, megabytes: int) -> Ground:
    """The ground rules that clingo wrote; TooLargeError if a network of them would take more memory."""
    raw = np.frombuffer(text, np.uint8)
    none, flags, pairs = np.zeros(1, np.int32), np.zeros(1, np.bool_), np.zeros((1, 2), np.int64)
    rules, used, names = _scan(raw, False, none, flags, np.zeros(1, np.int64), none, pairs)
    if len(text) + NODE_BYTES * (used + 2 * rules) > megabytes << 20:
        raise TooLargeError(f"a network of {rules:,} ground rules takes more than {megabytes:,} MB of memory")
    heads, choice = np.zeros(rules, np.int32), np.zeros(rules, np.bool_)
    ends, literals, places = np.zeros(rules + 1, np.int64), np.zeros(used, np.int32), np.zeros((names, 2), np.int64)
    _scan(raw, True, heads, choice, ends, literals, places)
    shown = []
    for start, end in places.tolist():
        length, rest = text[start:end].split(b" ", 1)
        size = int(length)
        condition = rest[size:].split()
        shown.append((rest[:size].decode(), int(condition[1]) if len(condition) > 1 else 0))
    atoms = int(max(heads.max(initial=0), np.abs(literals).max(initial=0), max((a for _, a in shown), default=0))) + 1
    free = np.zeros(atoms, np.bool_)
    free[heads[choice]] = True
    # The rules in the order of their heads.
    order = np.argsort(heads, kind="stable")
    order = order[~choice[order]]
    lengths = np.diff(ends)[order]
    sorted_ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    gathered = np.repeat(ends[:-1][order] - sorted_ends[:-1], lengths) + np.arange(sorted_ends[-1])
    first = np.searchsorted(heads[order], np.arange(atoms + 1)).astype(np.int64)
    return Ground(Clauses(first, sorted_ends, literals[gathered].astype(np.int32)), free, shown)


# --- gates -----------------------------------------------------------------------------------------------------------


class Gates(NamedTuple):
    """The nodes made so far."""

    left: np.ndarray  # the literals that each gate joins, by node
    right: np.ndarray
    table: np.ndarray  # a hash table of gates: those that compute the same are one
    used: np.ndarray  # how many nodes there are, as the only number in it


class Loops(NamedTuple):
    """What is known of each node where atoms depend on themselves."""

    group: np.ndarray  # the number of the loop to which the node belongs (0: none)
    registers: np.ndarray  # the literal that a register takes over (-1: no register)
    stage: np.ndarray  # how many loops must have come to rest before the node can be evaluated


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
def _gate(a: int, b: int, gates: Any) -> int:
    """The literal of `a and b`: an old gate where there is one."""
    if a > b:
        a, b = b, a
    if a == FALSE or a ^ 1 == b:
        return FALSE
    if a in (TRUE, b):
        return b
    left, right, table, nodes = gates
    mask = len(table) - 1
    slot = ((a * 0x9E3779B1) ^ (b * 0x85EBCA6B) ^ (a >> 7)) & mask
    while table[slot]:
        node = table[slot]
        if left[node] == a and right[node] == b:
            return 2 * node
        slot = (slot + 1) & mask
    node = nodes[0]
    table[slot] = node
    left[node], right[node] = a, b
    nodes[0] = node + 1
    return 2 * node


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
            parts[half] = _gate(parts[i], parts[i + 1], gates)
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
def _build(clauses: Any, order: Any, component: Any, meaning: Any, gates: Any, loops: Any) -> None:
    """Make the gates of all atoms in `order`, and write the literal of each atom to `meaning`."""
    first, ends, literals = clauses
    left, right, _, nodes = gates
    group, registers, stage = loops
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
                group[node] = number
                nodes[0] = node + 1
        for i in range(at, end):
            atom = order[i]
            if meaning[atom] >= 0 and not loop:
                continue  # an input
            literal = _value(atom, clauses, meaning, gates, slots, ways)
            if loop:
                registers[begun + i - at] = literal
            meaning[atom] = literal  # those that come later in a loop take the value of the same round
        deepest = 0
        for node in range(begun, nodes[0]):
            if registers[node] >= 0:
                continue
            here = 0
            for side in (left[node] >> 1, right[node] >> 1):
                if loop and group[side] == number:
                    group[node] = number
                else:
                    here = max(here, stage[side] + (1 if group[side] else 0))
            stage[node] = here
            if group[node]:
                deepest = max(deepest, here)
        if loop:
            for node in range(begun, nodes[0]):
                if group[node] == number:
                    stage[node] = deepest
        at = end


@kernel(lazy=lambda roots, left, *rest: len(left) < LITTLE)
def _cone(roots: Any, left: Any, right: Any, registers: Any, inputs: int, out: Any) -> None:
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
    ground: Ground, input_atoms: np.ndarray, phases: list[np.ndarray]
) -> tuple[Circuit, list[np.ndarray]]:
    """The circuit of some outputs, given in phases, and the literal of each output. The first phase is evaluated first, and has what several
    others need; these don't depend on each other.

    Inputs are nodes 1 to n, in the order of `input_atoms`. An output is an atom; 0 stands for what always holds, -1 for what never does.
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
    loops = Loops(np.zeros(most, np.int64), np.full(most, -1, np.int64), np.zeros(most, np.int64))
    _build(ground.clauses, order, component, meaning, gates_made, loops)
    nodes = int(gates_made.used[0])
    left, right, group, registers, stage = (a[:nodes] for a in (gates_made.left, gates_made.right, *loops))

    outputs = [np.where(p > 0, meaning[np.maximum(p, 0)], np.where(p == 0, TRUE, FALSE)) for p in phases]
    phase = np.full(nodes, -1, np.int64)
    for number in range(len(phases)):
        needed = np.zeros(nodes, np.bool_)
        _cone(outputs[number], left, right, registers, inputs, needed)
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
    for number in range(len(phases)):
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
