"""The ground rules that clingo writes (ASPIF), as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.games.gdl.grounding import TooLargeError
from ludus.kernel import kernel

NODE_BYTES = 80  # that a condition or a rule takes while the network is built
LITTLE_TEXT = 100_000  # bytes: plain Python reads so few in less time than compiling would take


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
