"""A set of rules: what depends on what, what a question is likely to cost, and the functions that answer it.

The functions are written by `rulecode.py` and called by `datalog.py`, which has the facts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludus.games.gdl.kif import is_variable, variables
from ludus.games.gdl.relations import Relation
from ludus.games.gdl.rulecode import Guess, Key, Pattern, function, order
from ludus.games.gdl.rules import Literal, Rule
from ludus.games.gdl.sheet import components

MAX_DEPTH = 60  # of relations that ask each other on demand: each takes some of Python's stack

STATIC, STATE, MOVES = range(3)  # what the rows of a relation depend on
GIVEN = {"true": STATE, "does": MOVES}

Places = dict[Key, tuple[int, ...]]  # of some values in the columns of relations


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
        self.tabled: set[Key] = set()  # relations of groups that are worked out call by call
        self.endless: set[tuple[Key, ...]] = set()  # groups that put terms together, and so may find rows without end
        self._sort()
        self.patterns: list[Pattern] = []
        self._numbers: dict[Pattern, int] = {}
        self._functions: dict[int, list[Callable[..., Any]]] = {}
        self._steps: dict[tuple, tuple[list, list]] = {}
        self._parameters: dict[tuple[Key, tuple[int, ...]], Places] = {}
        self._guesses: dict[tuple[Key, tuple[int, ...]], Guess] = {}
        self.sample: dict[Key, Relation] = {}  # propositions as they are in some state, for guesses
        self.lasting: dict[Key, Relation] = {}  # what holds in all states, as far as it is known
        for relation, rows in self.facts.items():
            if relation not in self.groups:
                self.lasting[relation] = Relation(rows)

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
        place = {key: i for i, key in enumerate(graph)}
        for members in components(graph):
            group = tuple(sorted(members, key=place.__getitem__))
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
                rules = [rule for key in group for rule in self.rules.get(key, ())]
                if any(not lit.positive and lit.relation in members for rule in rules for lit in rule.body):
                    self.tabled.update(group)
                if any(isinstance(term, tuple) for rule in rules for term in rule.head[1:]):
                    self.endless.add(group)
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
        if (relation, known) not in self._guesses:
            if depth > 5:
                return Guess(100.0 * 0.2 ** len(known), 100.0)
            self._guesses[relation, known] = self._guess(relation, known, depth)
        return self._guesses[relation, known]

    def _guess_stored(self, relation: Key, known: tuple[int, ...]) -> Guess:
        arity = relation[1]
        stored = self.lasting.get(relation) or self.sample.get(relation)
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
                inside = [lit for lit in rule.body if lit.positive and lit.relation in places]
                if not inside:
                    begin.append((relation, function(rule, pattern, self)))
                for literal in inside:
                    nests = any(isinstance(a, tuple) for a in rule.head[1:])
                    further.append((relation, literal.relation, function(rule, pattern, self, literal), nests))
        self._steps[name] = begin, further
        return begin, further
