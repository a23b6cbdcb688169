"""Rules of GDL in normal form: a head and a list of literals, all of which must hold. `or` has become several rules, and `not` stands before single
atoms only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.games.gdl.kif import Term, bounded, brief, is_variable, substitute, variables

MAX_ALTERNATIVES = 2_000  # rules that one rule with `or` may become

# Relations that GDL itself gives a meaning, and how many arguments each takes.
KEYWORDS = {"role": 1, "init": 1, "true": 1, "does": 2, "next": 1, "legal": 2, "goal": 2, "terminal": 0}  # fmt: skip


class Literal(NamedTuple):
    """An atom that must hold or, if `positive` is False, must not; `=` is written as an atom too."""

    atom: tuple
    positive: bool = True

    @property
    def relation(self) -> tuple[str, int]:
        """The relation's name, and how many arguments it has."""
        return self.atom[0], len(self.atom) - 1

    @property
    def is_equation(self) -> bool:
        """Whether this says that two terms are equal."""
        return self.atom[0] == "="


class Rule(NamedTuple):
    """`head` holds if all of `body` does."""

    head: tuple
    body: tuple[Literal, ...]
    line: int

    @property
    def relation(self) -> tuple[str, int]:
        """The relation that the rule is about: its name, and how many arguments it has."""
        return self.head[0], len(self.head) - 1


def rules_of(term: Term, line: int, name: str) -> list[Rule]:
    """The rules that a fact or rule of a sheet becomes."""

    def fail(text: str) -> LudusError:
        return LudusError(f"{name}, line {line}: {text}")

    if term == () or is_variable(term):
        raise fail(f"{brief(term)} is neither a fact nor a rule")
    if term == "<=":
        raise fail("'<=' needs a head: write (<= head condition ...)")
    if isinstance(term, str) or term[0] != "<=":
        head, parts = term, ()
    else:
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
        try:
            unified = _without_equations(head, body)
        except LudusError as error:
            raise fail(str(error)) from None
        if unified is not None:
            made.append(Rule(unified[0], tuple(dict.fromkeys(unified[1])), line))
    return made


def _atom(term: Term, fail: Callable[[str], LudusError]) -> tuple:
    if isinstance(term, str):
        if is_variable(term):
            raise fail(f"a variable, {term}, can't stand for a relation")
        return (term,)
    if not term or not isinstance(term[0], str) or is_variable(term[0]):
        raise fail(f"{brief(term)} has no name of a relation in front")
    for part in term[1:]:
        _check_term(part, fail)
    return term


def _check_term(term: Term, fail: Callable[[str], LudusError]) -> None:
    if isinstance(term, tuple):
        if not term or not isinstance(term[0], str) or is_variable(term[0]):
            raise fail(f"{brief(term)} has no name of a function in front")
        for part in term[1:]:
            _check_term(part, fail)


def _alternatives(condition: Term, positive: bool, fail: Callable[[str], LudusError]) -> list[list[Literal]]:
    """The ways in which a condition can hold (or fail to): a list of lists of literals."""
    if condition in ("not", "and", "or", "distinct"):
        condition = (condition,)  # without parts, as in (or)
    word = condition[0] if isinstance(condition, tuple) and condition else condition
    if word == "not":
        if len(condition) != 2:
            raise fail("'not' takes one condition")
        return _alternatives(condition[1], not positive, fail)
    if word in ("and", "or"):
        parts = [_alternatives(part, positive, fail) for part in condition[1:]]
        if (word == "or") == positive:
            return [way for ways in parts for way in ways]
        together: list[list[Literal]] = [[]]
        for ways in parts:
            if len(together) * len(ways) > MAX_ALTERNATIVES:
                raise fail(f"'or' makes more than {MAX_ALTERNATIVES:,} rules of this one")
            together = [one + way for one in together for way in ways]
        return together
    if word in ("distinct", "="):
        if len(condition) != 3:
            raise fail(f"'{word}' takes two terms")
        return [[Literal(("=", *_atom(condition, fail)[1:]), positive == (word == "="))]]
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
        term = bounded(after)


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
