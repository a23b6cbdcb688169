"""Relations that are defined for all terms there are, such as (<= (other ?x ?y) (distinct ?x ?y)).

Strictly, GDL has no such rules: their variables get no value from them. But some public sheets use them where all variables have a value already, and there they
make sense. So they are put in the place of each use, like macros; what still has no value then is an error.
"""

from __future__ import annotations

import math
from itertools import count, product

from ludus.games.gdl.kif import Term, is_variable, substitute, variables
from ludus.games.gdl.rules import KEYWORDS, Literal, Rule, resolve, unify

MAX_ROUNDS = 8  # of macros within macros
MAX_RULES = 20_000

_fresh = count()


def is_unsafe(rule: Rule) -> bool:
    """Whether a variable of a rule has no value."""
    bound = {v for literal in rule.body if literal.positive for v in variables(literal.atom)}
    free = [rule.head, *(literal.atom for literal in rule.body if not literal.positive)]
    return any(v not in bound for atom in free for v in variables(atom))


def without_macros(rules: list[Rule]) -> list[Rule]:
    """Rules in which no use of such a relation is left, as far as that can be done.

    >>> two = Rule(("h", "?x"), (Literal(("a", "?x")), Literal(("a", "?y")), Literal(("other", "?x", "?y"))), 1)
    >>> other = Rule(("other", "?u", "?v"), (Literal(("=", "?u", "?v"), False),), 2)
    >>> [len(rule.body) for rule in without_macros([two, other])]
    [3]
    """
    for _ in range(MAX_ROUNDS):
        macros = {rule.relation for rule in rules if is_unsafe(rule) and rule.head[0] not in KEYWORDS}
        if not macros:
            break
        definitions = {macro: [rule for rule in rules if rule.relation == macro] for macro in macros}
        if any(lit.relation == rule.relation for made in definitions.values() for rule in made for lit in rule.body):
            break  # one that needs itself
        expanded: list[Rule] = []
        for rule in rules:
            if rule.relation in macros and not any(lit.relation in macros for lit in rule.body):
                continue  # nobody needs it any more
            made = _expand(rule, definitions)
            if made is None:
                return rules
            expanded += made
            if len(expanded) > MAX_RULES + len(rules):
                return rules
        rules = expanded
    return rules


def _expand(rule: Rule, definitions: dict[tuple[str, int], list[Rule]]) -> list[Rule] | None:
    """A rule with the definitions of macros in place of their uses: a rule for each way in which they can hold. None if that can't be said so."""
    kept = [literal for literal in rule.body if literal.relation not in definitions]
    used = [literal for literal in rule.body if literal.relation in definitions]
    ways: list[list[Way]] = []
    for literal in used:
        if literal.positive:
            ways.append([_way(literal, definition) for definition in definitions[literal.relation]])
        else:
            failures = _failures(literal, definitions[literal.relation])
            if failures is None:
                return None
            ways.append(failures)
    if math.prod(map(len, ways)) > MAX_RULES:
        return None
    made = []
    for choice in product(*ways):
        values: dict[str, Term] = {}
        body = list(kept)
        for equations, literals in choice:
            if not all(unify(a, b, values) for a, b in equations):
                break
            body += literals
        else:
            head = resolve(rule.head, values)
            literals = [Literal(resolve(lit.atom, values), lit.positive) for lit in body]  # type: ignore[arg-type]
            if not any(lit.is_equation and not lit.positive and lit.atom[1] == lit.atom[2] for lit in literals):
                made.append(Rule(head, tuple(dict.fromkeys(literals)), rule.line))  # type: ignore[arg-type]
    return made


Way = tuple[list[tuple[Term, Term]], list[Literal]]


def _way(use: Literal, definition: Rule) -> Way:
    """What must be equal, and what must hold, for a use by one of the rules."""
    number = next(_fresh)
    names: dict[str, Term] = {
        v: f"{v} {number}"  # no variable of a sheet has a blank
        for atom in (definition.head, *(lit.atom for lit in definition.body))
        for v in variables(atom)
    }
    head = _put(definition.head, names)
    body = [Literal(_put(lit.atom, names), lit.positive) for lit in definition.body]
    return list(zip(use.atom[1:], head[1:], strict=True)), body


def _failures(use: Literal, definitions: list[Rule]) -> list[Way] | None:
    """The ways in which a use can fail: of each rule, some condition does not hold, or the head does not fit. Rules with variables of their own
    can't be handled so.
    """
    choices: list[list[Literal]] = []
    for definition in definitions:
        values: dict[str, Term] = {}
        failures = []
        for term, given in zip(definition.head[1:], use.atom[1:], strict=True):
            if is_variable(term) and term not in values:
                values[str(term)] = given
            elif all(v in values for v in variables(term)):  # a variable again, or a constant: something to be equal to
                failures.append(Literal(("=", given, substitute(term, values)), False))
            else:
                return None
        if any(v not in values for lit in definition.body for v in variables(lit.atom)):
            return None
        choices.append([*failures, *(Literal(_put(lit.atom, values), not lit.positive) for lit in definition.body)])
    if math.prod(map(len, choices)) > MAX_RULES:
        return None
    return [
        ([(lit.atom[1], lit.atom[2]) for lit in choice if lit.is_equation and lit.positive],
         [lit for lit in choice if not (lit.is_equation and lit.positive)])
        for choice in product(*choices)
    ]  # fmt: skip


def _put(atom: tuple, values: dict[str, Term]) -> tuple:
    return substitute(atom, values)  # type: ignore[return-value]
