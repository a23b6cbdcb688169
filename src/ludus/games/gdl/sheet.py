"""A rulesheet: the rules of a game in GDL (Love et al. 2008), checked. What is wrong with a sheet is said with the line on which the rule begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.games.gdl.kif import Term, brief, is_variable, read_terms, simple, variables
from ludus.games.gdl.macros import without_macros
from ludus.games.gdl.rules import KEYWORDS, Literal, Rule, rules_of

NEEDED = ("role", "legal", "terminal", "goal")
MAX_LITERALS = 2_000_000  # in all rules, once `or` has made several of one


class Sheet(NamedTuple):
    """The rules of a game, checked; `remarks` are what a careful author would want to know."""

    rules: list[Rule]
    roles: tuple[str, ...]
    tangle: str  # what is said if a relation depends on its own negation; it may still be that no single fact does
    dynamic: set[tuple[str, int]]  # relations that depend on the state or on the moves
    remarks: list[str]

    @property
    def hides(self) -> bool:
        """Whether roles see only what the rules of `sees` tell them (GDL-II)."""
        return any(rule.relation == ("sees", 2) for rule in self.rules)


def read_sheet(text: str, name: str = "the rulesheet") -> Sheet:
    """The rules of a text; LudusError says what is wrong with it, and on which line.

    >>> read_sheet("(role a) (<= (legal a ?x) (can ?x)) (can go) (<= terminal (true (won))) (goal a 100)").roles
    ('a',)
    """
    rules: list[Rule] = []
    remarks: list[str] = []
    literals = 0
    for term, line in read_terms(text, name):
        made = rules_of(simple(term), line, name)
        rules += made
        literals += sum(1 + len(rule.body) for rule in made)
        if literals > MAX_LITERALS:
            raise LudusError(f"{name}, line {line}: up to here the rules have more than {MAX_LITERALS:,} conditions")
    seen: set[tuple] = set()
    kept = []
    for rule in rules:
        if (rule.head, rule.body) not in seen:
            seen.add((rule.head, rule.body))
            kept.append(rule)
    _check_vocabulary(kept, name, remarks)
    kept = without_macros([_with_role(rule) for rule in kept])
    for rule in kept:
        _check_safety(rule, name)
    roles = _roles(kept, name)
    tangle = _tangle(kept, name)
    dynamic = _dependants(kept, {("true", 1), ("does", 2)})
    _check_dependencies(kept, name)
    _check_goals(kept, name)
    return Sheet(kept, roles, tangle, dynamic, remarks)


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


def _with_role(rule: Rule) -> Rule:
    """Rules such as (<= (legal ?p noop) ...), in which ?p stands nowhere else, are meant for every role."""
    if rule.relation in (("legal", 2), ("goal", 2), ("sees", 2)) and is_variable(rule.head[1]):
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
    if set(roles) == {"random"}:
        raise LudusError(f"{name}: 'random' is the only role: a game needs one that chooses for itself")
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


def _tangle(rules: list[Rule], name: str) -> str:
    """Which relation depends on its own negation, in words; empty if none does."""
    needs = _edges(rules)
    for group in components({k: list(v) for k, v in needs.items()}):
        for relation in sorted(group):
            for other, negated in needs[relation].items():
                if negated and other in group:
                    return f"{name}: '{relation[0]}' depends on its own negation, by way of '{other[0]}': the rules have no single meaning"
    return ""


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
                raise LudusError(f"{name}, line {rule.line}: a goal must be a number from 0 to 100, not {brief(value)}")


def goal_value(term: Term) -> int | None:
    """The number that a goal's term stands for, or None if it is no whole number from 0 to 100."""
    return int(term) if isinstance(term, str) and term.isdecimal() and len(term) <= 3 and int(term) <= 100 else None
