"""Relations that depend on themselves, worked out call by call and not wholly: for those whose rows are too many, or that ask for the negation of some of their own rows.

A call is a question for the rows with some known values. While it is worked out it may ask others, and these may ask the first again: then they get what was found so
far, and all that took part is worked out once more, until nothing new is found (linear tabling; Zhou and Sato 2003). Who asks for a negation needs an answer
that will not change any more; if there is none the fact depends on its own negation.
"""

from __future__ import annotations

from typing import Any

from ludus.errors import LudusError
from ludus.games.gdl.kif import Term
from ludus.games.gdl.relations import Relation

MAX_NESTING = 40  # of function terms: rules that nest them deeper are taken to do so without end


def nesting(term: Term) -> int:
    """How deep function terms lie within each other.

    >>> nesting(("f", ("g", "a")))
    2
    """
    return 0 if isinstance(term, str) else 1 + max((nesting(part) for part in term), default=0)


class Call:
    """A question that is being worked out."""

    __slots__ = ("asked", "busy", "depth", "key", "low", "round", "rows", "table")

    def __init__(self, table: Table, key: tuple) -> None:
        self.table, self.key = table, key
        self.rows: dict[tuple, None] = {}
        self.depth = (
            self.low
        ) = -1  # its own place among those that are being worked out, and the lowest on which it depends
        self.busy = self.asked = False  # whether it is being worked out now, and whether it was asked again meanwhile
        self.round = -1


class Calls:
    """The questions that are being worked out in a world, each asked by the one before it."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.active: dict[tuple[int, tuple], Call] = {}
        self.stack: list[Call] = []
        self.waiting: list[Call] = []  # for others, on which they depend, in the order in which they were first asked
        self.round = self.found = 0

    def answer(self, table: Table, key: tuple) -> Any:
        """What is known of a question, after it was worked out; it may be asked in the midst of working it out."""
        call = self.active.get((table.number, key))
        if call is not None and (call.busy or call.round == self.round):
            call.asked = True
            self._depend(call.depth if call.busy else call.low)
            return table.told(call.rows)
        if call is None:
            call = self.active[table.number, key] = Call(table, key)
            self.waiting.append(call)
        try:
            self._work_out(call)
        except BaseException:
            self.stack.clear()
            self.waiting.clear()
            self.active.clear()
            raise
        return table.told(call.rows)

    def is_open(self, table: Table, key: tuple) -> bool:
        """Whether more may still be found for a question."""
        return (table.number, key) in self.active

    def _depend(self, low: int) -> None:
        if self.stack:
            self.stack[-1].low = min(self.stack[-1].low, low)

    def _work_out(self, call: Call) -> None:
        begun, depth = len(self.waiting) - 1, len(self.stack)
        lowest = (
            depth if call.low < 0 else call.low
        )  # one that is worked out again is settled by the one on which it depended
        call.depth, call.busy = depth, True
        self.stack.append(call)
        while True:
            call.low, call.round, call.asked, before = lowest, self.round, False, self.found
            self._run(call)
            at = begun
            while call.low == depth and at < len(
                self.waiting
            ):  # who was not asked this time must still see what is new
                if self.waiting[at].round < call.round:
                    self._work_out(self.waiting[at])
                at += 1
            if call.low < depth:  # it depends on one that goes on, and so does all that depends on it
                for other in self.waiting[begun:]:
                    other.low = min(other.low, call.low)
                break
            if self.found == before or (len(self.waiting) == begun + 1 and not call.asked):
                for done in self.waiting[begun:]:
                    done.table[done.key] = done.table.told(done.rows)
                    del self.active[done.table.number, done.key]
                del self.waiting[begun:]
                break
            self.round += 1
        call.busy = False
        self.stack.pop()
        self._depend(call.low)

    def _run(self, call: Call) -> None:
        """Find rows by all rules, with what is known so far of the others."""
        world, table, rows = self.world, call.table, call.rows
        program, clock = world.program, world.clock
        fresh: dict[tuple, Any] = dict.fromkeys(table.facts.index(table.pattern)[call.key])
        for code in program.functions(table.number):
            if code(world, call.key, fresh, (), clock.ticks, clock.check):
                fresh[()] = None
        clock.found(1 + len(fresh))
        for row in fresh:
            if row not in rows:
                if nesting(row) > MAX_NESTING:
                    raise LudusError(f"the rules for '{table.pattern.relation[0]}' nest terms without end")
                rows[row] = None
                self.found += 1
                world.remembered += 1


class Table(dict):
    """The answers to one pattern of calls that are settled, by the values of the known columns; others are worked out when they are asked for."""

    def __init__(self, world: Any, number: int) -> None:
        self.world, self.number = world, number
        self.pattern = world.program.patterns[number]
        self.facts = Relation(world.program.facts.get(self.pattern.relation, ()))

    def told(self, rows: dict[tuple, None]) -> Any:
        """Rows as those who ask want them: if nothing else is wanted, whether there are any."""
        return tuple(rows) if self.pattern.wanted else bool(rows)

    def __missing__(self, key: tuple) -> Any:
        return self.world.calls.answer(self, key)


class Settled:
    """A table for those who ask for a negation."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getitem__(self, key: tuple) -> Any:
        found = self.table[key]
        if not found and self.table.world.calls.is_open(self.table, key):
            name = self.table.pattern.relation[0]
            raise LudusError(f"a fact of '{name}' depends on its own negation: the rules have no single meaning")
        return found
