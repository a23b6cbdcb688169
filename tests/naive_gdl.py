"""GDL once more, slow and by the book: a rulesheet is a set of Horn clauses, and a state is what follows from it.

Shares no code with ludus. Clauses are evaluated bottom-up, one group of mutually recursive relations after the other, so that
everything a negation asks about is complete when it is asked. Terms are strings (symbols) and tuples (functor first); `(f)` is
read as `f`. What depends on neither `true` nor `does` is worked out once, the rest anew for every state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

Term = str | tuple  # a symbol, a variable "?x", or (functor, argument, ...)
Key = tuple[str, int]  # a relation: its name and number of arguments
Binding = dict[str, Term]


def parse(text: str) -> list[Term]:
    """Every expression of a text, in lower case: `(a (B c)) d` is `[("a", ("b", "c")), "d"]`."""
    stack: list[list] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            inner = stack.pop()
            stack[-1].append(inner[0] if len(inner) == 1 else tuple(inner))
        else:
            stack[-1].append(token)
    (result,) = stack
    return result


def show(term: Term) -> str:
    return term if isinstance(term, str) else f"( {' '.join(map(show, term))} )"


def variables(term: Term) -> set[str]:
    if isinstance(term, str):
        return {term} if term[0] == "?" else set()
    return set().union(*map(variables, term))


def substitute(term: Term, binding: Binding) -> Term:
    if isinstance(term, str):
        return binding.get(term, term)
    return tuple(substitute(part, binding) for part in term)


def match(pattern: Term, term: Term, binding: Binding) -> bool:
    """Whether a pattern fits a ground term; the binding is extended (also where it does not fit in the end)."""
    if isinstance(pattern, str):
        return (binding.setdefault(pattern, term) if pattern[0] == "?" else pattern) == term
    fits = isinstance(term, tuple) and len(term) == len(pattern)
    return fits and all(match(p, t, binding) for p, t in zip(pattern, term, strict=True))


class Literal(NamedTuple):
    kind: str  # "is", "not", "distinct" or "same"
    atom: tuple


def atom_of(term: Term) -> tuple:
    return (term,) if isinstance(term, str) else term


def alternatives(body: Term, wanted: bool = True) -> Iterator[list[Literal]]:
    """The conjunctions of literals that a condition (or, unless it is wanted, its opposite) can be met by."""
    name, *parts = atom_of(body)
    if name == "not":
        yield from alternatives(parts[0], not wanted)
    elif name in ("and", "or"):
        choices = [alternatives(part, wanted) for part in parts]
        if (name == "and") == wanted:
            yield from ([literal for part in choice for literal in part] for choice in product(*map(list, choices)))
        else:
            yield from (one for choice in choices for one in choice)
    elif name == "distinct":
        yield [Literal("distinct" if wanted else "same", tuple(parts))]
    else:
        yield [Literal("is" if wanted else "not", atom_of(body))]


class Rule(NamedTuple):
    head: tuple
    body: tuple[Literal, ...]


def key_of(atom: tuple) -> Key:
    return atom[0], len(atom) - 1


def fixed_paths(term: Term, known: set[str], path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Where in a pattern stand symbols and variables that are already known."""
    if isinstance(term, str):
        return [path] if term[0] != "?" or term in known else []
    return [p for i, part in enumerate(term) for p in fixed_paths(part, known, (*path, i))]


def at(term: Term, path: tuple[int, ...]) -> Term | None:
    for i in path:
        if isinstance(term, str) or i >= len(term):
            return None
        term = term[i]
    return term


class Relation:
    """A set of ground atoms that finds those that agree with a pattern in given places."""

    def __init__(self) -> None:
        self.rows: set[tuple] = set()
        self.indices: dict[tuple, dict[tuple, list[tuple]]] = {}

    def add(self, row: tuple) -> bool:
        if row in self.rows:
            return False
        self.rows.add(row)
        for paths, index in self.indices.items():
            index.setdefault(tuple(at(row, path) for path in paths), []).append(row)
        return True

    def find(self, pattern: tuple, paths: tuple) -> list[tuple]:
        if paths not in self.indices:
            index = self.indices[paths] = {}
            for row in self.rows:
                index.setdefault(tuple(at(row, path) for path in paths), []).append(row)
        return self.indices[paths].get(tuple(at(pattern, path) for path in paths), [])


Facts = dict[Key, Relation]


def components(graph: dict[Key, set[Key]]) -> list[set[Key]]:
    """The groups of nodes that reach each other, each after the groups that it leads to."""
    order: dict[Key, int] = {}
    low: dict[Key, int] = {}
    stack: list[Key] = []
    found: list[set[Key]] = []

    def visit(node: Key) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            start = stack.index(node)
            found.append(set(stack[start:]))
            del stack[start:]

    for node in graph:
        if node not in order:
            visit(node)
    return found


class Naive:
    """A game by its rulesheet.

    >>> game = Naive("(role a) (init (n 0)) (<= (legal a (add ?x)) (or (one ?x) (two ?x))) (one 1) (two 2)"
    ...     "(<= (next (n ?x)) (does a (add ?x))) (<= terminal (true (n 2))) (<= (goal a 100) (true (n 2)))")
    >>> game.legal(game.initial())
    [['( add 1 )', '( add 2 )']]
    >>> state = game.next(game.initial(), ["( add 2 )"])
    >>> sorted(state), game.terminal(state), game.goals(state)
    (['( n 2 )'], True, [100])
    """

    def __init__(self, text: str) -> None:
        self.rules: dict[Key, list[Rule]] = {}
        for clause in parse(text):
            head, body = (clause[1], clause[2:]) if clause[0] == "<=" else (clause, ())
            for literals in alternatives(("and", *body)):
                rule = Rule(atom_of(head), tuple(literals))
                self.rules.setdefault(key_of(rule.head), []).append(rule)
        graph = {
            key: {key_of(literal.atom) for rule in rules for literal in rule.body if literal.kind in ("is", "not")}
            for key, rules in self.rules.items()
        }
        self.groups = components(graph)
        for group in self.groups:
            for rule in (rule for key in group for rule in self.rules.get(key, ())):
                if any(literal.kind == "not" and key_of(literal.atom) in group for literal in rule.body):
                    raise ValueError(f"{show(rule.head)} depends on its own negation")
        moved = self._dependents(graph, ("does", 2))
        self.joint = [group for group in self.groups if group & moved]
        self.dynamic = [group for group in self.groups if group & self._dependents(graph, ("true", 1)) - moved]
        self.plans: dict[tuple, list[tuple[Literal, tuple]]] = {}
        self.terms: dict[str, Term] = {}
        self.static: Facts = {}
        self._evaluate([group for group in self.groups if group not in self.joint + self.dynamic], self.static)
        listed = [rule.head[1] for rule in self.rules[("role", 1)] if not rule.body]
        derived = sorted(row[1] for row in self.static[("role", 1)].rows if row[1] not in listed)
        self.roles: list[str] = list(dict.fromkeys(listed)) + derived
        self.known: tuple[frozenset[str], Facts] | None = None

    @staticmethod
    def _dependents(graph: dict[Key, set[Key]], source: Key) -> set[Key]:
        reached = {source}
        while more := {key for key, needs in graph.items() if needs & reached} - reached:
            reached |= more
        return reached - {source}

    # ---- what follows

    def _evaluate(self, groups: list[set[Key]], facts: Facts) -> None:
        for group in groups:
            for key in group:
                facts.setdefault(key, Relation())
            rules = [rule for key in group for rule in self.rules.get(key, ())]
            fresh = {row for rule in rules for row in list(self._solve(rule, None, facts, ())) if self._add(facts, row)}
            while fresh:  # whatever is new can only be of use where a rule asks for a relation of this group
                asked = [
                    (rule, i)
                    for rule in rules
                    for i, x in enumerate(rule.body)
                    if x.kind == "is" and key_of(x.atom) in group
                ]
                fresh = {
                    row for r, i in asked for row in list(self._solve(r, i, facts, fresh)) if self._add(facts, row)
                }

    @staticmethod
    def _add(facts: Facts, row: tuple) -> bool:
        return facts[key_of(row)].add(row)

    def _plan(self, rule: Rule, first: int | None, facts: Facts) -> list[tuple[Literal, tuple]]:
        """The literals in an order in which tests come as soon as their variables are known, and small relations early."""
        known: set[str] = set()
        todo = list(rule.body)
        plan: list[tuple[Literal, tuple]] = []

        def cost(literal: Literal) -> float:
            if literal.kind != "is":
                return -1.0 if variables(literal.atom) <= known or literal.kind == "same" else 1e99
            relation = facts.get(key_of(literal.atom))
            return (1 + len(relation.rows) if relation else 1) * 0.2 ** len(fixed_paths(literal.atom, known))

        while todo:
            literal = rule.body[first] if first is not None and not plan else min(todo, key=cost)
            todo.remove(literal)
            plan.append((literal, tuple(fixed_paths(literal.atom, known))))
            if literal.kind in ("is", "same"):
                known |= variables(literal.atom)
        return plan

    def _solve(self, rule: Rule, first: int | None, facts: Facts, fresh: set[tuple] | tuple) -> Iterator[tuple]:
        """Every head that follows by this rule; if `first` is given, with that literal of the body among the fresh facts."""
        if (rule, first) not in self.plans:
            self.plans[rule, first] = self._plan(rule, first, facts)
        plan = self.plans[rule, first]

        def extend(i: int, binding: Binding) -> Iterator[tuple]:
            if i == len(plan):
                yield substitute(rule.head, binding)
                return
            literal, paths = plan[i]
            pattern = substitute(literal.atom, binding)
            if literal.kind == "distinct":
                rows = [()] if pattern[0] != pattern[1] else []
            elif literal.kind == "same":
                left, right = pattern if variables(pattern[0]) else pattern[::-1]
                rows, pattern = [right], left
            elif i == 0 and first is not None:
                rows = list(fresh)
            else:
                rows = facts[key_of(pattern)].find(pattern, paths) if key_of(pattern) in facts else []
            if literal.kind == "not":
                if not any(match(pattern, row, {}) for row in rows):
                    yield from extend(i + 1, binding)
                return
            for row in list(rows):
                wider = dict(binding)
                if literal.kind == "distinct" or match(pattern, row, wider):
                    yield from extend(i + 1, wider)

        return extend(0, {})

    # ---- the game

    def _term(self, text: str) -> Term:
        if text not in self.terms:
            (self.terms[text],) = parse(text)
        return self.terms[text]

    def _facts(self, state: frozenset[str]) -> Facts:
        if self.known is None or self.known[0] != state:
            facts = dict(self.static)
            facts[("true", 1)] = Relation()
            for text in state:
                facts[("true", 1)].add(("true", self._term(text)))
            self._evaluate(self.dynamic, facts)
            self.known = state, facts
        return self.known[1]

    def _rows(self, facts: Facts, name: str, arguments: int) -> set[tuple]:
        return facts[(name, arguments)].rows if (name, arguments) in facts else set()

    def initial(self) -> frozenset[str]:
        """The fluents of the first state."""
        return frozenset(show(row[1]) for row in self._rows(self.static, "init", 1))

    def legal(self, state: frozenset[str]) -> list[list[str]]:
        """The legal moves of every role, sorted."""
        rows = self._rows(self._facts(state), "legal", 2)
        return [sorted(show(row[2]) for row in rows if row[1] == role) for role in self.roles]

    def next(self, state: frozenset[str], moves: list[str]) -> frozenset[str]:
        """The state after one move of every role."""
        facts = dict(self._facts(state))
        facts[("does", 2)] = Relation()
        for role, move in zip(self.roles, moves, strict=True):
            facts[("does", 2)].add(("does", role, self._term(move)))
        self._evaluate(self.joint, facts)
        return frozenset(show(row[1]) for row in self._rows(facts, "next", 1))

    def terminal(self, state: frozenset[str]) -> bool:
        """Whether the game is over."""
        return bool(self._rows(self._facts(state), "terminal", 0))

    def goal_values(self, state: frozenset[str]) -> list[list[int]]:
        """Every goal value that holds for each role; a proper sheet has one in every terminal state."""
        rows = self._rows(self._facts(state), "goal", 2)
        return [sorted(int(row[2]) for row in rows if row[1] == role) for role in self.roles]

    def goals(self, state: frozenset[str]) -> list[int]:
        """The goal value of each role, -1 where there is not exactly one."""
        return [values[0] if len(values) == 1 else -1 for values in self.goal_values(state)]
