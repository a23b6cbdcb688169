"""Sets of facts, and facts found by the values in some of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from ludus.games.gdl.rulecode import Pattern


class Relation:
    """A set of rows, and those rows found by some of their columns."""

    def __init__(self, rows: Iterable[tuple] = ()) -> None:
        self.rows: dict[tuple, None] = dict.fromkeys(rows)  # a dictionary: its order is the same in every run
        self.indices: dict[Pattern, Index] = {}

    def add(self, row: tuple) -> bool:
        """Whether the row is new; it is added."""
        if row in self.rows:
            return False
        self.rows[row] = None
        for index in self.indices.values():
            index.add(row)
        return True

    def index(self, pattern: Pattern) -> Index:
        """The wanted columns by the known ones; it grows with the relation."""
        found = self.indices.get(pattern)
        if found is None:
            found = Index(pattern)
            for row in self.rows:
                found.add(row)
            self.indices[pattern] = found
        return found


@cache
def columns_of(columns: tuple[int, ...]) -> Callable[[tuple], tuple]:
    """A function that takes some columns of a row."""
    taken: Callable[[tuple], tuple] = eval(f"lambda row: ({''.join(f'row[{c}], ' for c in columns)})")
    return taken


class Index(dict):
    """Rows, or some columns of them, by the values of others; nothing where there is none."""

    def __init__(self, pattern: Pattern) -> None:
        self.key, self.rest = columns_of(pattern.known), columns_of(pattern.wanted)

    def add(self, row: tuple) -> None:
        """One more row."""
        key = self.key(row)
        if key in self:
            self[key][self.rest(row)] = None
        else:
            self[key] = {self.rest(row): None}

    def __missing__(self, key: tuple) -> tuple:
        return ()
