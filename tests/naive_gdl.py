"""GDL once more, slow and by the book: a rulesheet is a set of Horn clauses, and a state is what follows from it.

Shares no code with ludus. Clauses are evaluated bottom-up, one group of mutually recursive clauses after the other, so that
everything a negation asks about is complete when it is asked. Terms are strings (symbols) and tuples (functor first); `(f)` is
read as `f`. What depends on neither `true` nor `does` is worked out once, the rest anew for every state, and what only goals need
when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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


def role_of(head: Term) -> list[Term]:
    """What is left unsaid by sheets that write of `(legal ?p ...)` or `(goal ?p ...)` for all: that ?p is a role."""
    return [("role", head[1])] if head[0] in ("legal", "goal") and head[1][0] == "?" else []


class Rule(NamedTuple):
    head: tuple
    body: tuple[Literal, ...]

    def atoms(self) -> list[tuple]:
        return [literal.atom for literal in self.body if literal.kind in ("is", "not")]


def may_agree(a: Term, b: Term) -> bool:
    """Whether two patterns may have a ground term in common; says yes too often where a variable comes twice."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(may_agree, a, b))
    return a == b or "?" in (a[0], b[0])


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
    """A set of ground atoms that finds those that have given symbols in given places."""

    def __init__(self, rows: Iterable[tuple] = ()) -> None:
        self.rows = set(rows)
        self.indices: dict[tuple, dict[tuple, list[tuple]]] = {}

    def add(self, row: tuple) -> bool:
        if row in self.rows:
            return False
        self.rows.add(row)
        for paths, index in self.indices.items():
            index.setdefault(tuple(at(row, path) for path in paths), []).append(row)
        return True

    def find(self, paths: tuple, symbols: tuple) -> list[tuple]:
        if paths not in self.indices:
            index = self.indices[paths] = {}
            for row in self.rows:
                index.setdefault(tuple(at(row, path) for path in paths), []).append(row)
        return self.indices[paths].get(symbols, [])


Facts = dict[Key, Relation]


def components(graph: list[set[int]]) -> list[set[int]]:
    """The groups of nodes that reach each other, each after the groups that it leads to."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[set[int]] = []

    def visit(node: int) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph[node]:
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            start = stack.index(node)
            found.append(set(stack[start:]))
            del stack[start:]

    for node in range(len(graph)):
        if node not in order:
            visit(node)
    return found


class Step(NamedTuple):
    """A literal as it is met in the course of a rule: where it is already known, and whether it binds more variables."""

    literal: Literal
    paths: tuple[tuple[int, ...], ...]
    known: tuple[Term, ...]
    binds: bool


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
        clauses = [clause if clause[0] == "<=" else ("<=", clause) for clause in parse(text)]
        given = [atom_of(head) for _, head, *body in clauses if not body]
        self.rules = [
            Rule(atom_of(head), tuple(literals))
            for _, head, *body in clauses
            if body
            for literals in alternatives(("and", *body, *role_of(head)))
        ]
        # A rule depends on every rule whose head may be what its body asks for.
        makers: dict[Key, list[int]] = {}
        for i, rule in enumerate(self.rules):
            makers.setdefault(key_of(rule.head), []).append(i)
        needs = [
            {i for asked in rule.atoms() for i in makers.get(key_of(asked), ()) if may_agree(asked, self.rules[i].head)}
            for rule in self.rules
        ]
        self.groups = components(needs)
        for group in self.groups:
            heads = [self.rules[i].head for i in group]
            for kind, atom in (literal for i in group for literal in self.rules[i].body):
                if kind == "not" and any(may_agree(atom, head) for head in heads):
                    raise ValueError(f"{show(atom)} depends on its own negation")
        moved = self._dependents(needs, ("does", 2))
        changing = self._dependents(needs, ("true", 1)) - moved
        playing = self._needed(needs, {"role", "init", "base", "input", "legal", "next", "terminal", "sees"})
        scoring = self._needed(needs, {"goal"}) - playing
        self.joint = [group for group in self.groups if group & moved & playing]
        self.dynamic = [group for group in self.groups if group & changing & playing]
        self.final = [
            group for group in self.groups if group & changing & scoring
        ]  # often dear, and asked for only at the end
        self.plans: dict[tuple, list[Step]] = {}
        self.terms: dict[str, Term] = {}
        self.static: Facts = {}
        for atom in given:
            self.static.setdefault(key_of(atom), Relation()).add(atom)
        lasting = (playing | scoring) - moved - changing
        self._evaluate([group for group in self.groups if group & lasting], self.static)
        listed = [atom[1] for atom in given if atom[0] == "role"]
        derived = sorted(row[1] for row in self._rows(self.static, "role", 1) if row[1] not in listed)
        self.roles: list[str] = list(dict.fromkeys(listed)) + derived
        self.known: tuple[frozenset[str], Facts] | None = None

    def _dependents(self, needs: list[set[int]], source: Key) -> set[int]:
        reached = {i for i, rule in enumerate(self.rules) if source in map(key_of, rule.atoms())}
        while more := {i for i, asked in enumerate(needs) if asked & reached} - reached:
            reached |= more
        return reached

    def _needed(self, needs: list[set[int]], names: set[str]) -> set[int]:
        reached = {i for i, rule in enumerate(self.rules) if rule.head[0] in names}
        while more := {i for asker in reached for i in needs[asker]} - reached:
            reached |= more
        return reached

    # ---- what follows

    def _evaluate(self, groups: list[set[int]], facts: Facts) -> None:
        """Adds what follows; relations that are there already are not changed but replaced."""
        for key in {key_of(self.rules[i].head) for group in groups for i in group}:
            facts[key] = Relation(facts[key].rows if key in facts else ())
        for group in groups:
            keys = {key_of(self.rules[i].head) for i in group}
            asked = [
                (i, n)
                for i in group
                for n, x in enumerate(self.rules[i].body)
                if x.kind == "is" and key_of(x.atom) in keys
            ]
            fresh = {row for i in group for row in self._solve(i, None, facts, ()) if facts[key_of(row)].add(row)}
            while fresh and asked:  # something new is of use only where a rule asks for a relation of this group
                fresh = {
                    row for i, n in asked for row in self._solve(i, n, facts, fresh) if facts[key_of(row)].add(row)
                }

    def _plan(self, rule: Rule, first: int | None) -> list[Step]:
        """The body in an order in which tests come as soon as their variables are known, and what has few answers early."""
        known: set[str] = set()
        todo = list(rule.body)
        plan: list[Step] = []

        def cost(literal: Literal) -> float:
            if literal.kind == "same":  # one side that is known gives the other its value
                return -1.0 if any(variables(side) <= known for side in literal.atom) else 1e98
            if literal.kind != "is":
                return -1.0 if variables(literal.atom) <= known else 1e99
            key = key_of(literal.atom)
            size = len(self.static[key].rows) if key in self.static else 60  # a guess where it changes with the state
            fixed = [at(literal.atom, path) for path in fixed_paths(literal.atom, known)]
            return (
                (1 + size)
                * 0.1 ** sum(symbol in known for symbol in fixed)
                * 0.3 ** sum(symbol not in known for symbol in fixed)
            )

        while todo:
            literal = rule.body[first] if first is not None and not plan else min(todo, key=cost)
            todo.remove(literal)
            paths = tuple(fixed_paths(literal.atom, known))
            symbols = tuple(at(literal.atom, path) for path in paths)
            plan.append(Step(literal, paths, symbols, not variables(literal.atom) <= known))
            if literal.kind in ("is", "same"):
                known |= variables(literal.atom)
        return plan

    def _solve(self, number: int, first: int | None, facts: Facts, fresh: Iterable[tuple]) -> list[tuple]:
        """Every head that follows by a rule; if `first` is given, with that literal of the body among the fresh facts."""
        rule = self.rules[number]
        if (number, first) not in self.plans:
            self.plans[number, first] = self._plan(rule, first)
        plan = self.plans[number, first]
        heads: list[tuple] = []

        def extend(i: int, binding: Binding) -> None:
            if i == len(plan):
                heads.append(substitute(rule.head, binding))
                return
            (kind, atom), paths, known, binds = plan[i]
            if kind in ("distinct", "same"):
                left, right = substitute(atom, binding)
                wider = dict(binding)
                if (left != right) if kind == "distinct" else match(left, right, wider) or match(right, left, wider):
                    extend(i + 1, wider)
                return
            if i == 0 and first is not None:
                rows = list(fresh)
            elif key_of(atom) in facts:
                rows = facts[key_of(atom)].find(paths, tuple(binding.get(symbol, symbol) for symbol in known))
            else:
                rows = []
            if kind == "not":
                if not any(match(atom, row, dict(binding)) for row in rows):
                    extend(i + 1, binding)
            elif not binds:
                if any(match(atom, row, binding) for row in rows):
                    extend(i + 1, binding)
            else:
                for row in rows:
                    wider = dict(binding)
                    if match(atom, row, wider):
                        extend(i + 1, wider)

        extend(0, {})
        return heads

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
        return frozenset(show(row[1]) for row in self._rows(self._with(state, moves), "next", 1))

    def percepts(self, state: frozenset[str], moves: list[str]) -> list[list[str]]:
        """What each role sees of one move of every role (GDL-II)."""
        rows = self._rows(self._with(state, moves), "sees", 2)
        return [sorted(show(row[2]) for row in rows if row[1] == role) for role in self.roles]

    def _with(self, state: frozenset[str], moves: list[str]) -> Facts:
        facts = dict(self._facts(state))
        facts[("does", 2)] = Relation()
        for role, move in zip(self.roles, moves, strict=True):
            facts[("does", 2)].add(("does", role, self._term(move)))
        self._evaluate(self.joint, facts)
        return facts

    def terminal(self, state: frozenset[str]) -> bool:
        """Whether the game is over."""
        return bool(self._rows(self._facts(state), "terminal", 0))

    def goal_values(self, state: frozenset[str]) -> list[list[int]]:
        """Every goal value that holds for each role; a proper sheet has one in every terminal state."""
        facts = dict(self._facts(state))
        self._evaluate(self.final, facts)
        rows = self._rows(facts, "goal", 2)
        return [sorted(int(row[2]) for row in rows if row[1] == role) for role in self.roles]

    def goals(self, state: frozenset[str]) -> list[int]:
        """The goal value of each role, -1 where there is not exactly one."""
        return [values[0] if len(values) == 1 else -1 for values in self.goal_values(state)]
