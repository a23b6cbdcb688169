"""A hash table in flat arrays, for kernels: from 64-bit keys to a value and a count of visits, growing as it fills.

Keys are hashes of states (`state_key`) and of moves in them (`move_key`), kept whole. Two states share a key with a chance of
2⁻⁶⁴ a pair, so that the states themselves need not be kept. What the values mean is the business of who keeps them: `table.py` learns
them, `solve.py` computes them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import KEY, kernel, mix_hash

FIRST_CAPACITY = 1024
FULLEST = 0.6  # share of the slots in use; beyond it, searches get long


class HashTable(NamedTuple):
    """Open addressing: a key lives in the first free slot from its own on. The number of slots is a power of two."""

    keys: np.ndarray  # uint64; 0: a free slot
    values: np.ndarray  # float64
    visits: np.ndarray  # int64
    used: np.ndarray  # one number: the slots in use


# --- keys ------------------------------------------------------------------------------------------------------------

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel(inline=True)
def move_key(key: Any, move: int) -> Any:
    """The key of a move in the state that has a key; never 0, which marks a free slot."""
    mixed = mix_hash(mix_hash(key, move), 1)
    return mixed if mixed != _ZERO else _ONE


@kernel
def state_key(state: Any, seat: int) -> Any:
    """The key of a state as a seat has it."""
    key = mix_hash(KEY, seat)
    for i in range(len(state)):
        key = mix_hash(key, state[i])
    return move_key(key, 2)


# --- slots -----------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def find(table: Any, key: Any) -> Any:
    """The slot of a key; where it has none, -1 - the slot that it would get."""
    mask = np.uint64(len(table.keys) - 1)
    at = key & mask
    while table.keys[at] != key:
        if table.keys[at] == _ZERO:
            return -1 - np.int64(at)
        at = (at + _ONE) & mask
    return np.int64(at)


@kernel(inline=True)
def value_at(table: Any, key: Any) -> float:
    """The value of a key; 0 where it has none."""
    slot = find(table, key)
    return table.values[slot] if slot >= 0 else 0.0


@kernel
def slot_of(table: Any, key: Any) -> int:
    """The slot of a key, which gets one if it has none: value 0, no visits. There must be room (`with_capacity`)."""
    slot = find(table, key)
    if slot < 0:
        slot = -1 - slot
        table.keys[slot] = key
        table.values[slot] = 0.0
        table.visits[slot] = 0
        table.used[0] += 1
    return slot


@kernel
def with_capacity(table: Any, more: int) -> Any:
    """The table itself, or a larger copy of it if so many more keys would make it too full."""
    slots = len(table.keys)
    if table.used[0] + more <= FULLEST * slots:
        return table
    while table.used[0] + more > FULLEST * slots:
        slots *= 2
    wide = HashTable(np.zeros(slots, np.uint64), np.zeros(slots), np.zeros(slots, np.int64), np.zeros(1, np.int64))
    for old in range(len(table.keys)):
        if table.keys[old] != _ZERO:
            new = slot_of(wide, table.keys[old])
            wide.values[new] = table.values[old]
            wide.visits[new] = table.visits[old]
    return wide


@kernel
def _fill(table: Any, keys: Any, values: Any, visits: Any) -> None:
    for i in range(len(keys)):
        slot = slot_of(table, keys[i])
        table.values[slot] = values[i]
        table.visits[slot] = visits[i]


# --- for Python ------------------------------------------------------------------------------------------------------


def new_table(slots: int = FIRST_CAPACITY) -> HashTable:
    """An empty table; the number of slots must be a power of two."""
    return HashTable(np.zeros(slots, np.uint64), np.zeros(slots), np.zeros(slots, np.int64), np.zeros(1, np.int64))


def entries(table: HashTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keys, values and visits of all that is in a table, sorted by keys: the same however the table came about.

    >>> table = new_table()
    >>> table.values[slot_of(table, np.uint64(7))] = 0.5
    >>> [part.tolist() for part in entries(table)]
    [[7], [0.5], [0]]
    """
    taken = np.flatnonzero(table.keys)
    order = taken[np.argsort(table.keys[taken])]
    return table.keys[order], table.values[order], table.visits[order]


def table_of(keys: np.ndarray, values: np.ndarray, visits: np.ndarray) -> HashTable:
    """The table that holds such entries; each key must be there once, and none be 0."""
    table = with_capacity(new_table(), len(keys))
    _fill(table, keys, values, visits)
    return table
