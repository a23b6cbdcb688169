"""A rulesheet: the rules of a game in GDL (Love et al. 2008), brought into normal form and checked.

In normal form a rule is a head and a list of literals, all of which must hold: `or` has become several rules, and `not`
stands before single atoms only. What is wrong with a sheet is said with the line on which the rule begins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.games.gdl.kif import Term, is_variable, read_terms, simple, substitute, variables, write

MAX_ALTERNATIVES = 2_000  # rules that one rule with `or` may become

# Relations that GDL itself gives a meaning, and how many arguments each takes.
KEYWORDS = {"role": 1, "init": 1, "true": 1, "does": 2, "next": 1, "legal": 2, "goal": 2, "terminal": 0}  # fmt: skip
NEEDED = ("role", "legal", "terminal", "goal")


class Literal(NamedTuple):
    """An atom that must hold or, if `positive` is False, must not; `=` is written as an atom too."""

    atom: tuple
    positive: bool = True

    @property
    def relation(self) -> tuple[str, int]:
        return self.atom[0], len(self.atom) - 1

    @property
    def is_equation(self) -> bool:
        return self.atom[0] == "="


class Rule(NamedTuple):
    """`head` holds if all of `body` does."""

    head: tuple
    body: tuple[Literal, ...]
    line: int

    @property
    def relation(self) -> tuple[str, int]:
        return self.head[0], len(self.head) - 1


class Sheet(NamedTuple):
    """The rules of a game, checked; `remarks` are what a careful author would want to know."""

    rules: list[Rule]
    roles: tuple[str, ...]
    strata: list[set[tuple[str, int]]]  # relations, those that others need first
    dynamic: set[tuple[str, int]]  # relations that depend on the state or on the moves
    remarks: list[str]


def read_sheet(text: str, name: str = "the rulesheet") -> Sheet:
    """The rules of a text; LudusError says what is wrong with it, and on which line.

    >>> read_sheet("(role a) (<= (legal a ?x) (can ?x)) (can go) (<= terminal (true (won))) (goal a 100)").roles
    ('a',)
    """
    rules: list[Rule] = []
    remarks: list[str] = []
    for term, line in read_terms(text, name):
        rules += _rules_of(simple(term), line, name)
    seen: set[tuple] = set()
    kept = []
    for rule in rules:
        if (rule.head, rule.body) not in seen:
            seen.add((rule.head, rule.body))
            kept.append(rule)
    _check_vocabulary(kept, name, remarks)
    kept = [_with_role(rule) for rule in kept]
    for rule in kept:
        _check_safety(rule, name)
    roles = _roles(kept, name)
    strata = _strata(kept, name)
    dynamic = _dependants(kept, {("true", 1), ("does", 2)})
    _check_dependencies(kept, name)
    _check_goals(kept, name)
    return Sheet(kept, roles, strata, dynamic, remarks)


# --- normal form -----------------------------------------------------------------------------------------------------


def _rules_of(term: Term, line: int, name: str) -> list[Rule]:
    def fail(text: str) -> LudusError:
        return LudusError(f"{name}, line {line}: {text}")

    if term == () or is_variable(term):
        raise fail(f"{write(term)} is neither a fact nor a rule")
    if isinstance(term, str) or term[0] != "<=":
        head, parts = term, ()
    else:
        if len(term) < 2:
            raise fail("'<=' needs a head: write (<= head condition ...)")
        head, parts = term[1], term[2:]
    head = _atom(head, fail)
    if head[0] in ("true", "does", "distinct", "not", "or", "and", "<=", "="):
        raise fail(f"'{head[0]}' can't be the head of a rule")
    try:
        bodies = _alternatives(("and", *parts), True, fail)
    except RecursionError:
        raise fail("the rule is nested too deeply") from None
    made = []
    for body in bodies:
        unified = _without_equations(head, body)
        if unified is not None:
            made.append(Rule(unified[0], tuple(dict.fromkeys(unified[1])), line))
    return made


def _atom(term: Term, fail: object) -> tuple:
    if isinstance(term, str):
        if is_variable(term):
            raise fail(f"a variable, {term}, can't stand for a relation")  # type: ignore[operator]
        return (term,)
    if not term or not isinstance(term[0], str) or is_variable(term[0]):
        raise fail(f"{write(term)} has no name of a relation in front")  # type: ignore[operator]
    for part in term[1:]:
        _check_term(part, fail)
    return term


def _check_term(term: Term, fail: object) -> None:
    if isinstance(term, tuple):
        if not term or not isinstance(term[0], str) or is_variable(term[0]):
            raise fail(f"{write(term)} has no name of a function in front")  # type: ignore[operator]
        for part in term[1:]:
            _check_term(part, fail)


def _alternatives(condition: Term, positive: bool, fail: object) -> list[list[Literal]]:
    """The ways in which a condition can hold (or fail to): a list of lists of literals."""
    word = condition[0] if isinstance(condition, tuple) and condition else condition
    if word == "not" and isinstance(condition, tuple):
        if len(condition) != 2:
            raise fail("'not' takes one condition")  # type: ignore[operator]
        return _alternatives(condition[1], not positive, fail)
    if word in ("and", "or") and isinstance(condition, tuple):
        parts = [_alternatives(part, positive, fail) for part in condition[1:]]
        if (word == "or") == positive:
            return [way for ways in parts for way in ways]
        together: list[list[Literal]] = [[]]
        for ways in parts:
            if len(together) * len(ways) > MAX_ALTERNATIVES:
                raise fail(f"'or' makes more than {MAX_ALTERNATIVES:,} rules of this one")  # type: ignore[operator]
            together = [one + way for one in together for way in ways]
        return together
    if word == "distinct" and isinstance(condition, tuple):
        if len(condition) != 3:
            raise fail("'distinct' takes two terms")  # type: ignore[operator]
        return [[Literal(("=", *_atom(condition, fail)[1:]), not positive)]]
    return [[Literal(_atom(condition, fail), positive)]]


def _without_equations(head: tuple, body: list[Literal]) -> tuple[tuple, list[Literal]] | None:
    """The rule with its positive equations solved; None if they, or constants that are to differ, can't hold."""
    values: dict[str, Term] = {}
    for literal in body:
        if literal.is_equation and literal.positive and not unify(literal.atom[1], literal.atom[2], values):
            return None
    rest = []
    for literal in body:
        if literal.is_equation and literal.positive:
            continue
        atom = resolve(literal.atom, values)
        assert isinstance(atom, tuple)
        if literal.is_equation and not any(True for _ in variables(atom)):
            if atom[1] == atom[2]:
                return None
            continue
        rest.append(Literal(atom, literal.positive))
    head_now = resolve(head, values)
    assert isinstance(head_now, tuple)
    return head_now, rest


def resolve(term: Term, values: dict[str, Term]) -> Term:
    """A term with variables replaced until none of them has a value."""
    if not values:
        return term
    while True:
        after = substitute(term, values)
        if after == term:
            return after
        term = after


def unify(a: Term, b: Term, values: dict[str, Term]) -> bool:
    """Make two terms the same by giving values to variables; False if that can't be done."""
    a, b = resolve(a, values), resolve(b, values)
    if a == b:
        return True
    for one, other in ((a, b), (b, a)):
        if isinstance(one, str) and is_variable(one):
            if one in variables(other):
                return False
            values[one] = other
            return True
    if isinstance(a, str) or isinstance(b, str) or len(a) != len(b):
        return False
    return all(unify(x, y, values) for x, y in zip(a, b, strict=True))


# --- checks ----------------------------------------------------------------------------------------------------------


def _check_vocabulary(rules: list[Rule], name: str, remarks: list[str]) -> None:
    defined = {rule.relation for rule in rules}
    arities: dict[str, set[int]] = defaultdict(set)
    for rule in rules:
        for atom in (rule.head, *(literal.atom for literal in rule.body)):
            word, count = atom[0], len(atom) - 1
            if KEYWORDS.get(word, count) != count:
                wanted = KEYWORDS[word]
                raise LudusError(
                    f"{name}, line {rule.line}: '{word}' takes {wanted} argument{'s' * (wanted != 1)}, not {count}"
                )
            arities[word].add(count)
    missing = [word for word in NEEDED if (word, KEYWORDS[word]) not in defined]
    if missing:
        raise LudusError(f"{name} does not say what '{missing[0]}' is: a game needs {', '.join(NEEDED)}")
    for word in ("init", "next"):
        if (word, 1) not in defined:
            remarks.append(f"nothing is said of '{word}'")
    given = defined | {("true", 1), ("does", 2), ("=", 2)}
    for rule in rules:
        for literal in rule.body:
            if literal.relation not in given:
                given.add(literal.relation)
                remarks.append(
                    f"line {rule.line}: nothing is said of '{literal.atom[0]}' with {len(literal.atom) - 1} arguments, so it never holds"
                )
    remarks += [
        f"'{word}' is used with {' and '.join(map(str, sorted(n)))} arguments"
        for word, n in arities.items()
        if len(n) > 1
    ]
    if ("sees", 2) in defined:
        remarks.append("'sees' is not used: here all players see the whole state")


def _with_role(rule: Rule) -> Rule:
    """Rules such as (<= (legal ?p noop) ...), in which ?p stands nowhere else, are meant for every role."""
    if rule.head[0] in ("legal", "goal") and is_variable(rule.head[1]):
        literal = Literal(("role", rule.head[1]))
        if not any(part.positive and rule.head[1] in variables(part.atom) for part in rule.body):
            return rule._replace(body=(literal, *rule.body))
    return rule


def _check_safety(rule: Rule, name: str) -> None:
    bound = {v for literal in rule.body if literal.positive for v in variables(literal.atom)}
    for atom in (rule.head, *(literal.atom for literal in rule.body if not literal.positive)):
        for variable in variables(atom):
            if variable not in bound:
                place = "the head" if atom is rule.head else f"'{'distinct' if atom[0] == '=' else 'not'}'"
                raise LudusError(
                    f"{name}, line {rule.line}: variable {variable} in {place} of the rule for '{rule.head[0]}' has no value: "
                    "it must also stand in a condition that is not negated"
                )


def _roles(rules: list[Rule], name: str) -> tuple[str, ...]:
    roles: dict[str, None] = {}
    for rule in rules:
        if rule.relation == ("role", 1):
            if rule.body or not isinstance(rule.head[1], str):
                raise LudusError(f"{name}, line {rule.line}: roles must be given as facts, as in (role white)")
            roles[rule.head[1]] = None
    return tuple(roles)


def _edges(rules: Iterable[Rule]) -> dict[tuple[str, int], dict[tuple[str, int], bool]]:
    """Which relations each relation needs, and whether negated somewhere."""
    needs: dict[tuple[str, int], dict[tuple[str, int], bool]] = defaultdict(dict)
    for rule in rules:
        here = needs[rule.relation]
        for literal in rule.body:
            if not literal.is_equation:
                here[literal.relation] = here.get(literal.relation, False) or not literal.positive
                needs.setdefault(literal.relation, {})
    return needs


def _strata(rules: list[Rule], name: str) -> list[set[tuple[str, int]]]:
    """The relations in groups that define each other, in an order in which each needs only earlier ones."""
    needs = _edges(rules)
    groups = components({k: list(v) for k, v in needs.items()})
    for group in groups:
        for relation in group:
            for other, negated in needs[relation].items():
                if negated and other in group:
                    raise LudusError(
                        f"{name}: '{relation[0]}' depends on its own negation, by way of '{other[0]}': the rules have no single meaning"
                    )
    return groups


def components(graph: dict) -> list[set]:
    """The strongly connected parts of a graph, each after all that it leads to (Tarjan 1972, without recursion)."""
    index: dict = {}
    low: dict = {}
    on_stack: set = set()
    stack: list = []
    found: list[set] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for child in rest:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    on_stack.add(child)
                    work.append((child, iter(graph[child])))
                    break
                if child in on_stack:
                    low[node] = min(low[node], index[child])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.add(member)
                        if member == node:
                            break
                    found.append(group)
    return found


def _dependants(rules: list[Rule], sources: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """The relations that depend on any of some relations."""
    users = defaultdict(set)
    for rule in rules:
        for literal in rule.body:
            users[literal.relation].add(rule.relation)
    found, fresh = set(sources), list(sources)
    while fresh:
        for user in users[fresh.pop()]:
            if user not in found:
                found.add(user)
                fresh.append(user)
    return found


def _check_dependencies(rules: list[Rule], name: str) -> None:
    on_moves = _dependants(rules, {("does", 2)})
    for relation in (("legal", 2), ("goal", 2), ("terminal", 0)):
        if relation in on_moves:
            raise LudusError(f"{name}: '{relation[0]}' depends on 'does': it may depend on the state only")
    on_state = _dependants(rules, {("true", 1), ("does", 2)})
    if ("init", 1) in on_state:
        raise LudusError(f"{name}: 'init' depends on 'true' or 'does': the first state can't depend on a state")


def _check_goals(rules: list[Rule], name: str) -> None:
    for rule in rules:
        if rule.relation == ("goal", 2):
            value = rule.head[2]
            if not is_variable(value) and goal_value(value) is None:
                raise LudusError(f"{name}, line {rule.line}: a goal must be a number from 0 to 100, not {write(value)}")


def goal_value(term: Term) -> int | None:
    """The number that a goal's term stands for, or None if it is no whole number from 0 to 100."""
    return int(term) if isinstance(term, str) and term.isdecimal() and len(term) <= 3 and int(term) <= 100 else None
