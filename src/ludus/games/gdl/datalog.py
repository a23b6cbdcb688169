"""What follows from facts and rules, worked out on demand and within limits of time and size.

A relation that does not depend on itself is asked for the rows that have known values in known columns, and each answer is remembered as long as it holds:
for ever, for a state, or for a state and the moves made in it. Relations that depend on themselves are evaluated wholly, from the bottom up, when one of
them is first asked for; if all rules hand on some columns unchanged, then for the values asked for in these columns only. Where that is too much, or they ask
for negations of their own rows, they are worked out call by call (`tables.py`). The code of the rules comes
from `program.py`; games are the matter of `interpreter.py`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from ludus.errors import LudusError
from ludus.games.gdl.program import STATIC, Places, Program, flat
from ludus.games.gdl.relations import Relation, columns_of
from ludus.games.gdl.rulecode import Key, Pattern
from ludus.games.gdl.rules import Rule
from ludus.games.gdl.tables import MAX_NESTING, Calls, Settled, Table, nesting

MAX_FACTS = 3_000_000  # that may follow from one state, and that are remembered for ever
SECONDS = 60.0  # of processor time, for one state
EAGER_FACTS = 200_000  # of a relation that depends on itself only: so many are worked out before anybody asks
EAGER_SECONDS = 2.0
TICKS = 50_000  # steps between two looks at the clock


class TooMuchError(LudusError):
    """A limit of time or size was reached."""


class Clock:
    """Says when the evaluation of a state takes too long, or finds too much."""

    def __init__(self) -> None:
        self.end = float("inf")
        self.facts = 0  # found so far
        self.most = MAX_FACTS
        self.ticks = [TICKS]

    def start(self) -> None:
        """Begin with a new question."""
        self.end = time.thread_time() + SECONDS
        self.facts, self.most = 0, MAX_FACTS
        self.ticks[0] = TICKS

    def hurry(self) -> None:
        """Begin with a question that is given up soon if it is hard."""
        self.start()
        self.end = min(self.end, time.thread_time() + EAGER_SECONDS)
        self.most = min(self.most, EAGER_FACTS)

    def check(self, more: int = 0) -> None:
        """LudusError if a limit is reached."""
        self.ticks[0] = TICKS
        if time.thread_time() > self.end:
            raise TooMuchError(f"the rules take more than {SECONDS:g} seconds to say what follows from a state")
        if self.facts + more > self.most:
            raise TooMuchError(f"more than {MAX_FACTS:,} facts follow from the rules")

    def found(self, count: int) -> None:
        """So many facts were found, or one question was answered."""
        self.facts += count
        self.ticks[0] -= 1
        if self.ticks[0] < 0 or self.facts > self.most:
            self.check()


class World(dict):
    """What is known of a state, or of all states: answers by the number of the pattern, fetched or made as they are asked for."""

    def __init__(self, program: Program, level: int, below: World | None) -> None:
        self.program, self.level, self.below = program, level, below
        self.clock: Clock = below.clock if below else Clock()
        self.size = 0  # facts found by questions to this world
        self.relations: dict[Key, Relation] = {}
        self.remembered = 0  # answers that could be forgotten
        self.parts: dict[tuple, World] = {}  # groups that are evaluated for some values only
        self.calls = Calls(self)

    def __missing__(self, number: int) -> Any:
        found = self[number] = self._made(number) if number >= 0 else self._made_for_negation(~number)
        return found

    def _made_for_negation(self, number: int) -> Any:
        found = self[number]
        return Settled(found) if isinstance(found, Table) else found

    def _made(self, number: int) -> Any:
        program = self.program
        pattern = program.patterns[number]
        relation = pattern.relation
        found: Any
        if self.below is not None and program.level.get(relation, STATIC) < self.level:
            found = self.below[number]
        elif relation in program.tabled:
            found = Table(self, number)
        elif relation in program.groups:
            places = {} if relation in self.relations else program.parameters(relation, pattern.known)
            if places.get(relation):
                found = _Parts(self, number, places)
            elif self.can_store(relation):
                found = self.relation(relation).index(pattern)
            else:
                found = Table(self, number)
        elif program.is_stored(relation):
            stored = self.relation(relation)
            found = stored.rows if len(pattern.known) == relation[1] else stored.index(pattern)
        else:
            found = _Answers(self, number)
        return found

    def can_store(self, key: Key) -> bool:
        """Whether a relation that depends on itself can be evaluated wholly; if not, it is worked out call by call from now on."""
        return self.succeeds(key, lambda: self.relation(key))

    def succeeds(self, key: Key, work: Callable[[], Any]) -> bool:
        """Whether rows of a relation that depends on itself can be evaluated by some work, within limits; if not, it is worked out call by call from now on.
        Where rules put terms together it is soon given up.
        """
        program, clock = self.program, self.clock
        if key in program.tabled:
            return False
        before = clock.end, clock.facts, clock.most
        if program.endless:
            clock.hurry()
        try:
            work()
        except TooMuchError:
            program.tabled.update(program.groups[key])
            clock.start()
            return False
        found = clock.facts if program.endless else clock.facts - before[1]
        clock.end, clock.facts, clock.most = before[0], before[1] + found, before[2]
        return True

    def give(self, atom: tuple) -> None:
        """Let an atom of `true` or `does` hold."""
        for form in dict.fromkeys((atom, flat(atom))):
            self.relations.setdefault((form[0], len(form) - 1), Relation()).add(form[1:])

    def relation(self, key: Key) -> Relation:
        """A stored relation; it is evaluated if it has to be."""
        if key not in self.relations:
            if key in self.program.groups:
                self.evaluate(dict.fromkeys(self.program.groups[key], ()), ())
            else:
                self.relations[key] = Relation()
        return self.relations[key]

    def evaluate(self, places: Places, values: tuple) -> None:
        """Find all rows of relations that depend on each other, with these values in the given places."""
        program, clock = self.program, self.clock
        begin, further = program.steps(places)
        for key, columns in places.items():
            taken = columns_of(columns)
            self.relations[key] = Relation(row for row in program.facts.get(key, ()) if taken(row) == values)
        try:
            changes = {key: dict(self.relations[key].rows) for key in places}
            for key, code in begin:
                self._run(code, key, values, (), changes[key], False)
            while any(changes.values()):
                clock.check()
                before, changes = changes, {key: {} for key in places}
                for key, cause, code, nests in further:
                    if before[cause]:
                        self._run(code, key, values, before[cause], changes[key], nests)
        except BaseException:
            # Nothing must be left of half a relation.
            for key in places:
                del self.relations[key]
            for number in [n for n in self if program.patterns[n if n >= 0 else ~n].relation in places]:
                del self[number]
            raise

    def _run(self, code: Callable[..., Any], key: Key, values: tuple, causes: Any, changes: dict, nests: bool) -> None:
        clock, target = self.clock, self.relations[key]
        fresh: dict[tuple, Any] = {}
        if code(self, values, fresh, causes, clock.ticks, clock.check):
            fresh[()] = None  # a relation without columns
        clock.check(len(fresh))
        for row in fresh:
            if target.add(row):
                changes[row] = None
                clock.facts += 1
                if nests and nesting(row) > MAX_NESTING:
                    raise LudusError(f"the rules for '{key[0]}' nest terms without end")

    def ask(self, relation: Key, soon: bool = False) -> list[tuple]:
        """All rows of a relation; `soon`: or LudusError if that takes more than a moment."""
        program = self.program
        if soon:
            self.clock.hurry()
        else:
            self.clock.start()
        lasting = self._owner(STATIC)
        if lasting.remembered > MAX_FACTS:  # no function is at work now that could hold what is forgotten
            lasting.forget()
        if program.deep:  # from the bottom, or Python's stack would not do
            for group in program.all_groups:
                if program.level[group[0]] <= self.level:
                    self[program.number(Pattern(group[0], (), tuple(range(group[0][1]))))]
        number = program.number(Pattern(relation, (), tuple(range(relation[1]))))
        if program.is_stored(relation) and relation not in program.groups:
            rows = list(self._owner(program.level.get(relation, STATIC)).relation(relation).rows)
        else:
            found = self[number][()]
            rows = list(found) if relation[1] else [()] * bool(found)
        self.clock.check()
        self.size += self.clock.facts
        return rows

    def _owner(self, level: int) -> World:
        """The world that knows what depends on so much."""
        world = self
        while world.below is not None and level < world.level:
            world = world.below
        return world

    def forget(self) -> None:
        """Forget the answers that can be found again."""
        self.remembered = 0
        for found in self.values():
            if isinstance(found, (_Answers, _Parts, Table)):
                found.clear()
        self.parts.clear()


class _Answers(dict):
    """The answers of a relation on demand for one pattern, by the values of the known columns."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.exists = not world.program.patterns[number].wanted

    def __missing__(self, key: tuple) -> Any:
        world = self.world
        program, clock = world.program, world.clock
        fresh: dict[tuple, None] = {}
        found: Any = False
        for code in program.functions(self.number):
            if code(world, key, fresh, (), clock.ticks, clock.check) and self.exists:
                found = True
                break
        if not self.exists:
            found = tuple(fresh)
        clock.found(1 + len(fresh))
        world.remembered += 1 + len(fresh)
        self[key] = found
        return found


class _Parts(dict):
    """The answers of a relation that depends on itself, evaluated for the values of its parameters that are asked for."""

    def __init__(self, world: World, number: int, places: Places) -> None:
        self.world, self.pattern, self.places = world, world.program.patterns[number], places
        self.table = Table(world, number)  # if it must be worked out call by call
        self.name = tuple(places.items())
        known = self.pattern.known
        self.taken = columns_of(tuple(known.index(c) for c in places[self.pattern.relation]))

    def __missing__(self, key: tuple) -> Any:
        values = self.taken(key)
        part = self.world.parts.get((self.name, values))
        if part is None:
            made = part = _Part(self.world)
            if not self.world.succeeds(self.pattern.relation, lambda: made.evaluate(self.places, values)):
                return self.table[key]
            self.world.parts[self.name, values] = part
            self.world.remembered += sum(len(relation.rows) for relation in part.relations.values())
        self.world.remembered += 1
        found = self[key] = part.relations[self.pattern.relation].index(self.pattern)[key]
        return found


class _Part(World):
    """Some relations of a world for some values only; everything else is as in the world."""

    def __init__(self, whole: World) -> None:
        super().__init__(whole.program, whole.level, whole)
        self.whole = whole

    def __missing__(self, number: int) -> Any:
        pattern = self.program.patterns[number if number >= 0 else ~number]
        own = self.relations.get(pattern.relation)
        found = self[number] = self.whole[number] if own is None else own.index(pattern)
        return found


def foundation(rules: list[Rule]) -> World:
    """What follows from rules in every state.

    >>> from ludus.games.gdl.rules import Literal
    >>> edges = [Rule(("edge", a, b), (), 1) for a, b in ("ab", "bc")]
    >>> path = [Literal(("path", "?x", "?y")), Literal(("edge", "?y", "?z"))]
    >>> rules = [Rule(("path", "?x", "?z"), tuple(path), 1), Rule(("path", "?x", "?y"), (Literal(("edge", "?x", "?y")),), 1)]
    >>> foundation(edges + rules).ask(("path", 2))
    [('a', 'b'), ('b', 'c'), ('a', 'c')]
    """
    program = Program(rules)
    world = World(program, STATIC, None)
    world.relations = program.lasting
    for group in program.all_groups:
        if program.level[group[0]] == STATIC:
            # What is too much to be worked out at once may be asked for in parts, or call by call.
            if group in program.endless:
                world.clock.start()
                world.can_store(group[0])
            elif group[0] not in program.tabled:
                world.clock.hurry()
                with contextlib.suppress(LudusError):
                    world.relation(group[0])
    return world
