"""What follows from facts and rules, worked out on demand and within limits of time and size.

A relation that does not depend on itself is asked for the rows that have known values in known columns, and each answer is remembered as long as it holds:
for ever, for a state, or for a state and the moves made in it. Relations that depend on themselves are evaluated wholly, from the bottom up, when one of
them is first asked for; if all rules hand on some columns unchanged, then for the values asked for in these columns only. The code of the rules is written in `rulecode.py`; games are the matter of `interpreter.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ludus.errors import LudusError
from ludus.games.gdl.kif import Term, is_variable, variables
from ludus.games.gdl.rulecode import Guess, Key, Pattern, function, order
from ludus.games.gdl.rules import Literal, Rule
from ludus.games.gdl.sheet import components

MAX_NESTING = 40  # of function terms: rules that nest them deeper are taken to do so without end
MAX_FACTS = 3_000_000  # that may follow from one state, and that are remembered for ever
MAX_DEPTH = 60  # of relations that ask each other on demand: each takes some of Python's stack
SECONDS = 60.0  # for one state
TICKS = 50_000  # steps between two looks at the clock

STATIC, STATE, MOVES = range(3)  # what the rows of a relation depend on
GIVEN = {"true": STATE, "does": MOVES}


Places = dict[Key, tuple[int, ...]]  # of some values in the columns of relations


class Relation:
    """A set of rows, and those rows found by some of their columns."""

    def __init__(self, rows: Iterable[tuple] = ()) -> None:
        self.rows: dict[tuple, None] = dict.fromkeys(rows)  # a dictionary: its order is the same in every run
        self.indices: dict[Pattern, _Index] = {}

    def add(self, row: tuple) -> bool:
        """Whether the row is new; it is added."""
        if row in self.rows:
            return False
        self.rows[row] = None
        for index in self.indices.values():
            index.add(row)
        return True

    def index(self, pattern: Pattern) -> _Index:
        """The wanted columns by the known ones; it grows with the relation."""
        found = self.indices.get(pattern)
        if found is None:
            found = _Index(pattern)
            for row in self.rows:
                found.add(row)
            self.indices[pattern] = found
        return found


@cache
def _columns(columns: tuple[int, ...]) -> Callable[[tuple], tuple]:
    """A function that takes some columns of a row."""
    taken: Callable[[tuple], tuple] = eval(f"lambda row: ({''.join(f'row[{c}], ' for c in columns)})")
    return taken


class _Index(dict):
    def __init__(self, pattern: Pattern) -> None:
        self.key, self.rest = _columns(pattern.known), _columns(pattern.wanted)

    def add(self, row: tuple) -> None:
        key = self.key(row)
        if key in self:
            self[key][self.rest(row)] = None
        else:
            self[key] = {self.rest(row): None}

    def __missing__(self, key: tuple) -> tuple:
        return ()


class Clock:
    """Says when the evaluation of a state takes too long, or finds too much."""

    def __init__(self) -> None:
        self.end = float("inf")
        self.facts = 0  # found so far
        self.ticks = [TICKS]

    def start(self) -> None:
        """Begin with a new question."""
        self.end = time.monotonic() + SECONDS
        self.facts = 0
        self.ticks[0] = TICKS

    def check(self, more: int = 0) -> None:
        """LudusError if a limit is reached."""
        self.ticks[0] = TICKS
        if time.monotonic() > self.end:
            raise LudusError(f"the rules take more than {SECONDS:g} seconds to say what follows from a state")
        if self.facts + more > MAX_FACTS:
            raise LudusError(f"more than {MAX_FACTS:,} facts follow from the rules")

    def found(self, count: int) -> None:
        """So many facts were found, or one question was answered."""
        self.facts += count
        self.ticks[0] -= 1
        if self.ticks[0] < 0 or self.facts > MAX_FACTS:
            self.check()


def nesting(term: Term) -> int:
    """How deep function terms lie within each other.

    >>> nesting(("f", ("g", "a")))
    2
    """
    return 0 if isinstance(term, str) else 1 + max((nesting(part) for part in term), default=0)


def flat(atom: tuple) -> tuple:
    """`true` and `does` of a function term as a relation of its own, so that rows are found by the arguments of the term.

    >>> flat(("true", ("cell", "1", "?x")))
    ('true cell', '1', '?x')
    """
    if atom[0] in GIVEN and isinstance(atom[-1], tuple):
        return (f"{atom[0]} {atom[-1][0]}", *atom[1:-1], *atom[-1][1:])
    return atom


class Program:
    """Rules, and their functions for each pattern of calls, which are written when they are first needed."""

    def __init__(self, rules: list[Rule]) -> None:
        self.clock = Clock()
        self.facts: dict[Key, dict[tuple, None]] = {}
        self.rules: dict[Key, list[Rule]] = {}
        for rule in rules:
            if rule.body:
                body = tuple(lit._replace(atom=flat(lit.atom)) for lit in rule.body)
                self.rules.setdefault(rule.relation, []).append(rule._replace(body=body))
            else:
                self.facts.setdefault(rule.relation, {})[rule.head[1:]] = None
        self.level: dict[Key, int] = {}
        self.groups: dict[Key, tuple[Key, ...]] = {}  # relations that are evaluated wholly, and with which others
        self.all_groups: list[tuple[Key, ...]] = []
        self._sort()
        self.patterns: list[Pattern] = []
        self._numbers: dict[Pattern, int] = {}
        self._functions: dict[int, list[Callable[..., Any]]] = {}
        self._steps: dict[tuple[Places, ...], tuple[list, list]] = {}
        self._parameters: dict[tuple[Key, tuple[int, ...]], Places] = {}
        self._guesses: dict[tuple[Key, tuple[int, ...]], Guess] = {}
        self.sample: dict[Key, Relation] = {}  # propositions as they are in some state, for guesses
        self.static = World(self, STATIC, None)
        for relation, rows in self.facts.items():
            if relation not in self.groups:
                self.static.relations[relation] = Relation(rows)
        self.remembered = 0
        self.clock.start()
        for group in self.all_groups:
            if self.level[group[0]] == STATIC:
                self.static.relation(group[0])

    def _sort(self) -> None:
        """Find out what depends on what, and which relations must be evaluated wholly."""
        graph: dict[Key, list[Key]] = {}
        for relation, rules in self.rules.items():
            graph[relation] = [lit.relation for rule in rules for lit in rule.body if not lit.is_equation]
        for needs in list(graph.values()):
            for key in needs:
                graph.setdefault(key, [])
        depth: dict[Key, int] = {}
        self.deep = False
        for members in components(graph):
            group = tuple(key for key in graph if key in members)
            below = [key for relation in group for key in graph[relation]]
            own = max(GIVEN.get(key[0].split(" ")[0] or " ", STATIC) for key in group)
            level = max([own, *(self.level[key] for key in below if key in self.level)])
            far = 1 + max((depth[key] for key in below if key in depth), default=0)
            recursive = any(key in members for key in below)
            too_deep = far > MAX_DEPTH and not recursive and group[0] in self.rules
            self.deep |= too_deep or (recursive and far > MAX_DEPTH)
            for key in group:
                self.level[key] = level
                depth[key] = 0 if too_deep or (recursive and far > MAX_DEPTH) else far
                if recursive or too_deep:
                    self.groups[key] = group
            if recursive or too_deep:
                self.all_groups.append(group)
        # A relation on demand has its facts in a relation of their own.
        for relation in [key for key in self.facts if key in self.rules and key not in self.groups]:
            name, arity = relation
            columns = tuple(f"?{i}" for i in range(arity))
            stored = (f"fact {name}", *columns)
            self.facts[(stored[0], arity)] = self.facts.pop(relation)
            self.rules[relation].append(Rule((name, *columns), (Literal(stored),), 0))
            self.level[(stored[0], arity)] = STATIC
        for relation in self.facts:
            self.level.setdefault(relation, STATIC)

    # --- what the code of rules must know

    def number(self, pattern: Pattern) -> int:
        """A number that stands for a pattern."""
        found = self._numbers.get(pattern)
        if found is None:
            found = self._numbers[pattern] = len(self.patterns)
            self.patterns.append(pattern)
        return found

    def is_stored(self, relation: Key) -> bool:
        """Whether all rows of the relation are there, once it is asked for."""
        return relation not in self.rules or relation in self.groups

    def is_dear(self, relation: Key) -> bool:
        """Whether it takes time to fetch the relation."""
        return relation in self.groups

    def guess(self, relation: Key, known: tuple[int, ...], depth: int = 0) -> Guess:
        """What to expect of a question, to be asked in the midst of so many others."""
        if self.is_stored(relation):
            return self._guess_stored(relation, known)
        if (relation, known) in self._guesses:
            found = self._guesses[relation, known]
        else:
            found = None if depth > 5 else self._guess(relation, known, depth)
            if found is not None:
                self._guesses[relation, known] = found
        return found or Guess(100.0 * 0.2 ** len(known), 100.0)

    def _guess_stored(self, relation: Key, known: tuple[int, ...]) -> Guess:
        arity = relation[1]
        stored = self.static.relations.get(relation) or self.sample.get(relation)
        if stored is not None:
            keys = len(stored.index(Pattern(relation, known, ()))) if len(known) < arity else len(stored.rows)
            return Guess(len(stored.rows) / max(keys, 1), 0.0)
        if relation in self.groups:
            return Guess(min(3.0 ** (arity - len(known)), 300.0), 1.0)
        if self.level.get(relation, STATIC) == MOVES or len(known) == arity - 1:  # most often a place and what is there
            return Guess(1.0, 0.0)
        return Guess(min(4.0 ** (arity - len(known)), 64.0), 0.0)

    def _guess(self, relation: Key, known: tuple[int, ...], depth: int) -> Guess:
        rows = steps = 0.0
        for rule in self.rules[relation]:
            names = {v for c in known for v in variables(rule.head[1 + c])}
            _, guess = order(rule.body, names, self, depth + 1)
            rows, steps = rows + guess.rows, steps + guess.steps
        return Guess(max(rows, 1.0), steps)

    def functions(self, number: int) -> list[Callable[..., Any]]:
        """The functions that answer a pattern of calls."""
        found = self._functions.get(number)
        if found is None:
            pattern = self.patterns[number]
            found = [function(rule, pattern, self) for rule in self.rules.get(pattern.relation, ())]
            self._functions[number] = found
        return found

    def parameters(self, relation: Key, known: tuple[int, ...]) -> Places:
        """Those of the known columns of a relation that all rules of its group hand on unchanged, and where each is in all relations of the group."""
        if (relation, known) not in self._parameters:
            kept, found = known, None
            while found is None:
                found, kept = self._hand_on(relation, kept)
            self._parameters[relation, known] = found
        return self._parameters[relation, known]

    def _hand_on(self, relation: Key, columns: tuple[int, ...]) -> tuple[Places | None, tuple[int, ...]]:
        """The places of some columns in the relations of a group, or None and fewer columns."""
        group = self.groups[relation]
        places: Places = {relation: columns}
        todo = [relation]
        while todo:
            here = todo.pop()
            for rule in self.rules.get(here, ()):
                for literal in rule.body:
                    if literal.relation not in group:
                        continue
                    terms = literal.atom[1:]
                    there = places.get(literal.relation)
                    if there is None:
                        own = (rule.head[1 + c] for c in places[here])
                        there = tuple(terms.index(t) if t in terms else -1 for t in own)
                        places[literal.relation] = there
                        todo.append(literal.relation)
                    for i, (c, d) in enumerate(zip(places[here], there, strict=True)):
                        if d < 0 or not is_variable(terms[d]) or terms[d] != rule.head[1 + c]:
                            return None, columns[:i] + columns[i + 1 :]
        return places, columns

    def steps(self, places: Places) -> tuple[list, list]:
        """How to evaluate a group: functions to begin with, and functions for what follows from changes of its relations."""
        name = tuple(places.items())
        if name in self._steps:
            return self._steps[name]
        begin, further = [], []
        for relation, columns in places.items():
            pattern = Pattern(relation, columns, tuple(range(relation[1])))
            for rule in self.rules.get(relation, ()):
                inside = [lit for lit in rule.body if lit.relation in places]
                if not inside:
                    begin.append((relation, function(rule, pattern, self)))
                for literal in inside:
                    nests = any(isinstance(a, tuple) for a in rule.head[1:])
                    further.append((relation, literal.relation, function(rule, pattern, self, literal), nests))
        self._steps[name] = begin, further
        return begin, further


class World(dict):
    """What is known of a state, or of all states: answers by the number of the pattern, fetched or made as they are asked for."""

    def __init__(self, program: Program, level: int, below: World | None) -> None:
        self.program, self.level, self.below = program, level, below
        self.relations: dict[Key, Relation] = {}
        self.parts: dict[tuple, World] = {}  # groups that are evaluated for some values only

    def __missing__(self, number: int) -> Any:
        program = self.program
        pattern = program.patterns[number]
        relation = pattern.relation
        found: Any
        if self.below is not None and program.level.get(relation, STATIC) < self.level:
            found = self.below[number]
        elif relation in program.groups:
            places = {} if relation in self.relations else program.parameters(relation, pattern.known)
            found = _Parts(self, number, places) if places.get(relation) else self.relation(relation).index(pattern)
        elif program.is_stored(relation):
            stored = self.relation(relation)
            found = stored.rows if len(pattern.known) == relation[1] else stored.index(pattern)
        else:
            found = _Answers(self, number)
        self[number] = found
        return found

    def give(self, atom: tuple) -> None:
        """Let an atom of `true` or `does` hold."""
        for form in dict.fromkeys((atom, flat(atom))):
            self.relations.setdefault((form[0], len(form) - 1), Relation()).add(form[1:])

    def relation(self, key: Key) -> Relation:
        """A stored relation; it is evaluated if it has to be."""
        if key not in self.relations:
            if key in self.program.groups:
                self.evaluate({k: () for k in self.program.groups[key]}, ())
            else:
                self.relations[key] = Relation()
        return self.relations[key]

    def evaluate(self, places: Places, values: tuple) -> None:
        """Find all rows of relations that depend on each other, with these values in the given places."""
        program, clock = self.program, self.program.clock
        begin, further = program.steps(places)
        for key, columns in places.items():
            taken = _columns(columns)
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
            for number in [n for n in self if program.patterns[n].relation in places]:
                del self[number]
            raise

    def _run(self, code: Callable[..., Any], key: Key, values: tuple, causes: Any, changes: dict, nests: bool) -> None:
        clock, target = self.program.clock, self.relations[key]
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

    def ask(self, relation: Key) -> list[tuple]:
        """All rows of a relation."""
        program = self.program
        program.clock.start()
        if program.remembered > MAX_FACTS:  # no function is at work now that could hold what is forgotten
            program.static.forget()
            program.remembered = 0
        if program.deep:  # from the bottom, or Python's stack would not do
            for group in program.all_groups:
                if program.level[group[0]] <= self.level:
                    self[program.number(Pattern(group[0], (), tuple(range(group[0][1]))))]
        number = program.number(Pattern(relation, (), tuple(range(relation[1]))))
        if program.is_stored(relation):
            rows = list(self._owner(relation).relation(relation).rows)
        else:
            found = self[number][()]
            rows = list(found) if relation[1] else [()] * bool(found)
        program.clock.check()
        return rows

    def _owner(self, relation: Key) -> World:
        world = self
        while world.below is not None and self.program.level.get(relation, STATIC) < world.level:
            world = world.below
        return world

    def forget(self) -> None:
        """Forget the answers that can be found again."""
        for found in self.values():
            if isinstance(found, _Answers):
                found.clear()


class _Answers(dict):
    """The answers of a relation on demand for one pattern, by the values of the known columns."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.exists = not world.program.patterns[number].wanted

    def __missing__(self, key: tuple) -> Any:
        world = self.world
        program = world.program
        clock = program.clock
        fresh: dict[tuple, None] = {}
        found: Any = False
        for code in program.functions(self.number):
            if code(world, key, fresh, (), clock.ticks, clock.check) and self.exists:
                found = True
                break
        if not self.exists:
            found = tuple(fresh)
        clock.found(1 + len(fresh))
        if world.level == STATIC:
            program.remembered += 1 + len(fresh)
        self[key] = found
        return found


class _Parts(dict):
    """The answers of a relation that depends on itself, evaluated for the values of its parameters that are asked for."""

    def __init__(self, world: World, number: int, places: Places) -> None:
        self.world, self.pattern, self.places = world, world.program.patterns[number], places
        self.name = tuple(places.items())
        known = self.pattern.known
        self.values = _columns(tuple(known.index(c) for c in places[self.pattern.relation]))

    def __missing__(self, key: tuple) -> Any:
        values = self.values(key)
        part = self.world.parts.get((self.name, values))
        if part is None:
            part = _Part(self.world)
            part.evaluate(self.places, values)
            self.world.parts[self.name, values] = part
        found = self[key] = part.relations[self.pattern.relation].index(self.pattern)[key]
        return found


class _Part(World):
    """Some relations of a world for some values only; everything else is as in the world."""

    def __init__(self, whole: World) -> None:
        super().__init__(whole.program, whole.level, whole.below)
        self.whole = whole

    def __missing__(self, number: int) -> Any:
        pattern = self.program.patterns[number]
        own = self.relations.get(pattern.relation)
        found = self[number] = self.whole[number] if own is None else own.index(pattern)
        return found
