"""Relations that are closed under going on from one to the next, as in

    (<= (joined ?a ?b) (link ?a ?b))
    (<= (joined ?a ?c) (joined ?a ?b) (joined ?b ?c))

Written so, whoever asks for one row needs all of them. Here the second rule goes on by a single link, which means the same: then only what can be reached from one
place is needed, and far fewer ground rules.
"""

from __future__ import annotations

from collections.abc import Callable

from ludus.games.gdl.kif import is_variable
from ludus.games.gdl.rules import Literal, Rule
from ludus.games.gdl.sheet import components

Key = tuple[str, int]


def by_single_steps(rules: list[Rule], fresh: Callable[[], str]) -> list[Rule]:
    """Rules in which such relations go on by single steps; `fresh` makes names for the relations of these steps.

    >>> once = Rule(("joined", "?a", "?b"), (Literal(("link", "?a", "?b")),), 1)
    >>> often = Rule(("joined", "?a", "?c"), (Literal(("joined", "?a", "?b")), Literal(("joined", "?b", "?c"))), 2)
    >>> for rule in by_single_steps([once, often], lambda: "step"):
    ...     print(rule.head, [literal.atom for literal in rule.body])
    ('step', '?a', '?b') [('link', '?a', '?b')]
    ('joined', '?a', '?b') [('step', '?a', '?b')]
    ('joined', '?a', '?c') [('joined', '?a', '?b'), ('step', '?b', '?c')]
    """
    made: dict[Key, list[Rule]] = {}
    for rule in rules:
        made.setdefault(rule.relation, []).append(rule)
    graph = {
        key: [lit.relation for rule in own for lit in rule.body if lit.relation in made] for key, own in made.items()
    }
    alone = {next(iter(group)) for group in components(graph) if len(group) == 1}
    out: list[Rule] = []
    for relation, own in made.items():
        closing = [rule for rule in own if any(lit.relation == relation for lit in rule.body)]
        ends = _ends(closing[0]) if relation in alone and len(closing) == 1 and len(own) > 1 else None
        if ends is None:
            out += own
            continue
        step, rule = fresh(), closing[0]
        out += [each._replace(head=(step, *each.head[1:])) for each in own if each is not rule]
        first, second = rule.body if rule.body[0].atom[1 + ends[0]] == rule.head[1 + ends[0]] else rule.body[::-1]
        before, after = Literal((step, *first.atom[1:])), Literal((step, *second.atom[1:]))
        out.append(Rule((relation[0], *first.atom[1:]), (before,), rule.line))
        out.append(rule._replace(body=(before, second) if _known_at(rules, relation, ends) else (first, after)))
    return out


def _ends(rule: Rule) -> tuple[int, int] | None:
    """The columns between which a rule goes on: from the first by way of something to the second. None if it is no such rule."""
    if len(rule.body) != 2 or not all(lit.positive and lit.relation == rule.relation for lit in rule.body):
        return None
    head, one, other = rule.head[1:], rule.body[0].atom[1:], rule.body[1].atom[1:]
    if not all(map(is_variable, (*head, *one, *other))) or len(set(head)) < len(head):
        return None
    changed = [i for i in range(len(head)) if not head[i] == one[i] == other[i]]
    if len(changed) != 2:
        return None
    for first, second in (one, other), (other, one):
        for i, j in (changed, changed[::-1]):
            middle = first[j]
            if first[i] == head[i] and second[j] == head[j] and middle == second[i] and middle not in head:
                return i, j
    return None


def _known_at(rules: list[Rule], relation: Key, ends: tuple[int, int]) -> bool:
    """Whether those who ask for the relation rather know where a way ends than where it begins."""
    known = [0, 0]
    for rule in rules:
        for literal in rule.body:
            if literal.relation == relation and rule.relation != relation:
                for i in range(2):
                    known[i] += not is_variable(literal.atom[1 + ends[i]])
    return known[1] > known[0]
