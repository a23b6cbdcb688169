"""A table of positions that a search has met, by their hash: several threads may write to it at the same time.

An entry is two words and the key of its position, written as key ^ first word ^ second word. If two threads write the same entry at once, its parts do not fit each other,
and it is read as if nothing were there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import kernel

EXACT, AT_LEAST, AT_MOST = range(3)  # what a value is
NOTHING = -1  # the kind of an entry that is not there


class Table(NamedTuple):
    """Keys and words of entries."""

    keys: np.ndarray
    words: np.ndarray  # entry, word: the move, depth and kind, in bits; the value


@kernel
def new_table(bits: int) -> Any:
    """An empty table of 2 ** `bits` entries."""
    return Table(np.zeros(1 << bits, np.uint64), np.zeros((1 << bits, 2), np.uint64))


@kernel(inline=True)
def write_entry(table: Any, key: Any, move: int, depth: int, kind: int, value: float) -> None:
    """Keep what was found of a position, in place of what was there. A move of -1 is none.

    >>> table = new_table(4)
    >>> write_entry(table, np.uint64(77), 5, 3, AT_LEAST, -0.25)
    >>> read_entry(table, np.uint64(77)), read_entry(table, np.uint64(78))[2] == NOTHING
    ((5, 3, 1, -0.25), True)
    """
    at = key & np.uint64(len(table.keys) - 1)
    first = np.uint64((move + 1) << 16 | (depth + 1) << 2 | kind)
    second = np.float64(value).view(np.uint64)
    table.words[at, 0] = first
    table.words[at, 1] = second
    table.keys[at] = key ^ first ^ second


@kernel(inline=True)
def read_entry(table: Any, key: Any) -> Any:
    """What is known of a position: move, depth, kind and value."""
    at = key & np.uint64(len(table.keys) - 1)
    first, second = table.words[at, 0], table.words[at, 1]
    if table.keys[at] ^ first ^ second != key or first == 0:
        return -1, 0, NOTHING, 0.0
    known = np.int64(first)
    return (known >> 16) - 1, (known >> 2 & 0x3FFF) - 1, known & 3, np.uint64(second).view(np.float64)
