"""Fewer gates for the same: common conditions are taken out of alternatives, what several gates join is joined once, and gates wait for as few others as they can.

Works on gates of many inputs (`conditions.Net`), which are made of gates with two and become such gates again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import kernel

FALSE, TRUE = 0, 1
LITTLE = 600  # nodes: plain Python is done with so few in less time than compiling would take
WIDE = 48  # inputs: in wider gates no pairs are looked for
MAX_PAIRS = 2_000_000
MAX_ROUNDS = 12


class Wide(NamedTuple):
    """Gates with many inputs and room for more of them, as in `conditions.Net`."""

    first: np.ndarray
    width: np.ndarray
    pool: np.ndarray
    uses: np.ndarray  # by how many gates and outputs a node is needed
    used: np.ndarray  # how many nodes there are, and how much of the pool


class Gates(NamedTuple):
    """Gates with two inputs, as they are made."""

    left: np.ndarray  # the literals that each gate joins, by node
    right: np.ndarray
    table: np.ndarray  # a hash table of gates: those that compute the same are one
    used: np.ndarray  # how many nodes there are, as the only number in it


@kernel
def join(a: int, b: int, gates: Any) -> int:
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


# --- many inputs -----------------------------------------------------------------------------------------------------


@kernel(lazy=lambda left, *rest: len(left) < LITTLE)
def widen(left: Any, right: Any, needed: Any, kept: Any, wide: Any) -> None:
    """Make gates with many inputs of gates with two: one that a single gate needs, and not negated, becomes part of that. `needed` says which
    nodes are gates that width, and `kept` which of them must stay.
    """
    first, width, pool, uses, used = wide
    nodes = len(left)
    alone = needed & ~kept
    for node in range(nodes):
        if needed[node]:
            for literal in (left[node], right[node]):
                uses[literal >> 1] += 1
                if literal & 1:
                    alone[literal >> 1] = False
    for node in range(nodes):
        alone[node] = alone[node] and uses[node] == 1
        width[node] = -1
    stack = np.zeros(nodes + 2, np.int64)
    at = 0
    for node in range(nodes):
        if not needed[node] or alone[node]:
            continue
        first[node] = at
        stack[0], stack[1] = left[node], right[node]
        height = 2
        while height:
            height -= 1
            literal = stack[height]
            if alone[literal >> 1]:
                stack[height], stack[height + 1] = left[literal >> 1], right[literal >> 1]
                height += 2
                continue
            twice = False
            for k in range(max(first[node], at - WIDE), at):
                twice = twice or pool[k] == literal
            if twice:
                uses[literal >> 1] -= 1
            else:
                pool[at] = literal
                at += 1
        width[node] = at - first[node]
    for node in range(nodes):
        uses[node] += kept[node]
    used[0], used[1] = nodes, at


@kernel
def _new_gate(wide: Any, inputs: Any, size: int) -> int:
    first, width, pool, uses, used = wide
    node, at = used[0], used[1]
    first[node], width[node], uses[node] = at, size, 1
    for k in range(size):
        pool[at + k] = inputs[k]
    used[0], used[1] = node + 1, at + size
    return node


@kernel
def _take_out(wide: Any, node: int, literal: int) -> bool:
    """Take an input away from a gate, if it has it."""
    begin, end = wide.first[node], wide.first[node] + wide.width[node]
    for k in range(begin, end):
        if wide.pool[k] == literal:
            wide.pool[k] = wide.pool[end - 1]
            wide.width[node] -= 1
            return True
    return False


@kernel
def _common(wide: Any, node: int, found: Any) -> int:
    """The literal that most alternatives of a gate have in common: alternatives are gates that only this one needs, negated. -1 if no two have any."""
    first, width, pool, uses, _ = wide
    size = 0
    for k in range(first[node], first[node] + width[node]):
        child = pool[k] >> 1
        if pool[k] & 1 and width[child] > 0 and uses[child] == 1:
            if size + width[child] > len(found):
                return -1
            for i in range(first[child], first[child] + width[child]):
                found[size] = pool[i]
                size += 1
    literals = np.sort(found[:size])
    best, most, run = -1, 1, 0
    for i in range(size):
        run = run + 1 if i and literals[i] == literals[i - 1] else 1
        if run > most:
            best, most = literals[i], run
    return best


@kernel(lazy=lambda wide, *rest: len(wide.first) < 2 * LITTLE)
def factor(wide: Any, room: int) -> None:
    """Take common conditions out of alternatives: `(a and b) or (a and c)` becomes `a and (b or c)`. Stops where there is no room left."""
    first, width, pool, uses, used = wide
    found, inputs = np.zeros(4096, np.int64), np.zeros(4096, np.int64)
    node = 0
    while node < used[0]:
        while width[node] > 1 and used[0] + 2 < len(first) and used[1] + width[node] + 4 < room:
            literal = _common(wide, node, found)
            if literal < 0:
                break
            size, at, whole = 0, first[node], False
            for k in range(first[node], first[node] + width[node]):
                child = pool[k] >> 1
                if pool[k] & 1 and width[child] > 0 and uses[child] == 1 and _take_out(wide, child, literal):
                    if width[child] == 1:
                        inputs[size] = pool[first[child]] ^ 1
                        width[child] = -1
                    else:
                        inputs[size] = pool[k]
                        whole = whole or width[child] == 0
                    size += 1
                else:
                    pool[at] = pool[k]
                    at += 1
            if whole:  # one of them was just this condition
                pool[at] = literal ^ 1
            else:
                either = _new_gate(wide, inputs, size)
                inputs[0], inputs[1] = literal, 2 * either + 1
                pool[at] = 2 * _new_gate(wide, inputs, 2) + 1
            width[node] = at + 1 - first[node]
        node += 1


@kernel
def _count_pairs(wide: Any, keys: Any, counts: Any) -> int:
    """How often each pair of literals is joined, in a hash table; how many pairs there are."""
    first, width, pool, _, used = wide
    mask = len(keys) - 1
    total = 0
    for node in range(used[0]):
        if width[node] > WIDE:
            continue
        for i in range(first[node], first[node] + width[node]):
            for j in range(i + 1, first[node] + width[node]):
                a, b = min(pool[i], pool[j]), max(pool[i], pool[j])
                key = a << 32 | b
                slot = ((a * 0x9E3779B1) ^ (b * 0x85EBCA6B) ^ (a >> 7)) & mask
                while keys[slot] and keys[slot] != key:
                    slot = (slot + 1) & mask
                if not keys[slot]:
                    total += 1
                    if 2 * total > mask:
                        return -1
                keys[slot] = key
                counts[slot] += 1
    return total


@kernel
def _has_both(wide: Any, node: int, a: int, b: int) -> bool:
    found = 0
    for k in range(wide.first[node], wide.first[node] + wide.width[node]):
        if wide.pool[k] in (a, b):
            found += 1
    return found == 2


@kernel
def _share_round(wide: Any, room: int) -> int:
    """Join the most common pairs of literals in gates of their own; how many such gates were made."""
    first, width, pool, uses, used = wide
    nodes, pairs = used[0], 0
    for node in range(nodes):
        if 0 < width[node] <= WIDE:
            pairs += width[node] * (width[node] - 1) // 2
    pairs = min(pairs, MAX_PAIRS)
    size = 16
    while size < 2 * pairs:
        size *= 2
    keys, counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    if _count_pairs(wide, keys, counts) < 0:
        return 0
    often = np.flatnonzero(counts > 1)
    # Those that come most often first; among equals in an order that does not depend on the table.
    order = np.argsort(keys[often], kind="mergesort")
    often = often[order]
    often = often[np.argsort(-counts[often], kind="mergesort")]
    # Where each literal is needed.
    begin = np.zeros(2 * nodes + 1, np.int64)
    for node in range(nodes):
        for k in range(first[node], first[node] + max(width[node], 0)):
            begin[pool[k] + 1] += 1
    for i in range(2 * nodes):
        begin[i + 1] += begin[i]
    places, fill = np.zeros(begin[2 * nodes] + 1, np.int64), begin.copy()
    for node in range(nodes):
        for k in range(first[node], first[node] + max(width[node], 0)):
            places[fill[pool[k]]] = node
            fill[pool[k]] += 1
    made = 0
    both = np.zeros(2, np.int64)
    for o in range(len(often)):
        key = keys[often[o]]
        a, b = key >> 32, key & 0xFFFFFFFF
        rare = a if begin[a + 1] - begin[a] < begin[b + 1] - begin[b] else b
        ready, found = -1, 0
        for k in range(begin[rare], begin[rare + 1]):
            if width[places[k]] <= WIDE and _has_both(wide, places[k], a, b):
                found += 1
                if width[places[k]] == 2:
                    ready = places[k]
        if found < 2 or used[0] + 1 >= len(first) or used[1] + 2 >= room:
            continue
        if ready < 0:
            both[0], both[1] = a, b
            ready = _new_gate(wide, both, 2)
            uses[ready] = 0
        for k in range(begin[rare], begin[rare + 1]):
            node = places[k]
            if node != ready and width[node] <= WIDE and _has_both(wide, node, a, b):
                _take_out(wide, node, a)
                _take_out(wide, node, b)
                pool[first[node] + width[node]] = 2 * ready
                width[node] += 1
                uses[ready] += 1
        made += 1
    return made


@kernel(lazy=lambda wide, *rest: len(wide.first) < 2 * LITTLE)
def share(wide: Any, room: int) -> None:
    """Let gates that join the same pairs of literals share a gate for them."""
    for _ in range(MAX_ROUNDS):
        if _share_round(wide, room) == 0:
            break


# --- two inputs ------------------------------------------------------------------------------------------------------


@kernel
def _join_all(parts: Any, size: int, made: Any, gates: Any, level: Any) -> int:
    """The literal of the conjunction of some literals. Those that are ready first are joined first."""
    literals = np.sort(parts[:size])
    n = 0
    for i in range(size):
        literal = literals[i]
        if literal == FALSE or (n and literal == parts[n - 1] ^ 1):
            return FALSE
        if literal != TRUE and not (n and parts[n - 1] == literal):
            parts[n] = literal
            n += 1
    if n == 0:
        return TRUE
    ready = np.zeros(n, np.int64)
    for i in range(n):
        ready[i] = level[parts[i] >> 1]
    order = np.argsort(ready, kind="mergesort")
    # Two queues: the literals as they are ready, and the gates that were made, each not before the last.
    i, head, tail = 0, 0, 0
    while n - i + tail - head > 1:
        pair = (FALSE, FALSE)
        for _ in range(2):
            if head == tail or (i < n and ready[order[i]] <= level[made[head] >> 1]):
                literal = parts[order[i]]
                i += 1
            else:
                literal = made[head]
                head += 1
            pair = (pair[1], literal)
        before = gates.used[0]
        literal = join(pair[0], pair[1], gates)
        if literal == FALSE:
            return FALSE
        if gates.used[0] > before:
            level[literal >> 1] = 1 + max(level[pair[0] >> 1], level[pair[1] >> 1])
        made[tail] = literal
        tail += 1
    return made[head] if head < tail else parts[order[i]]


@kernel(lazy=lambda wide, *rest: len(wide.first) < 2 * LITTLE)
def narrow(wide: Any, roots: Any, meaning: Any, gates: Any, level: Any) -> None:
    """Make gates with two inputs again, of all that some literals need; `meaning` is the new literal of each node, known for those that are no gates (-1: not yet)."""
    first, width, pool, _, used = wide
    widest = 1
    for node in range(used[0]):
        widest = max(widest, width[node])
    parts, made = np.zeros(widest + 1, np.int64), np.zeros(widest + 1, np.int64)
    stack = np.zeros(used[0] + 1, np.int64)
    at = np.zeros(used[0], np.int64)  # the next input of each gate to be looked at
    for r in range(len(roots)):
        stack[0] = roots[r] >> 1
        height = 1
        while height:
            node = stack[height - 1]
            if meaning[node] >= 0:
                height -= 1
                continue
            deeper = False
            while at[node] < width[node]:
                child = pool[first[node] + at[node]] >> 1
                if meaning[child] < 0:
                    stack[height] = child
                    height += 1
                    deeper = True
                    break
                at[node] += 1
            if deeper:
                continue
            size = max(width[node], 0)
            for k in range(size):
                literal = pool[first[node] + k]
                parts[k] = meaning[literal >> 1] ^ (literal & 1)
            meaning[node] = _join_all(parts, size, made, gates, level)
            height -= 1
