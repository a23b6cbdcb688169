"""Reading and writing of KIF, the prefix notation of game descriptions: symbols, variables and lists.

A symbol is a lower-case string, a variable a string that begins with `?`, a compound term a tuple whose first element is its
function: `("cell", "1", "?x", "b")`. What the terms mean is the business of `sheet`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ludus.errors import LudusError

Term = str | tuple  # what a tuple holds are terms again

MAX_TEXT = 8_000_000  # characters
MAX_SIZE = 10_000  # symbols of a term that rules make
MAX_DEPTH = 100  # of nested lists: far beyond any game, and within what Python's stack allows

_token = re.compile(r"(;[^\n]*)|([()])|([^\s();]+)")
# What no text holds, and what neither a terminal nor a picture could show.
_control = re.compile("[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff\ufffe\uffff]")


def read_terms(text: str, where: str = "the rulesheet") -> Iterator[tuple[Term, int]]:
    """The terms of a text one after another, each with the number of the line on which it begins.

    >>> list(read_terms("(role X) ; a comment"))
    [(('role', 'x'), 1)]
    """
    if len(text) > MAX_TEXT:
        raise LudusError(f"{where} has {len(text):,} characters; at most {MAX_TEXT:,} are read")
    control = _control.search(text)
    if control:
        line = 1 + text.count("\n", 0, control.start())
        raise LudusError(f"{where}, line {line}: character {ord(control[0])} is none of a text")
    stack: list[tuple[list[Term], int]] = []  # lists that are open, and where each began
    line, seen = 1, 0
    for match in _token.finditer(text):
        comment, bracket, word = match.groups()
        if comment:
            continue
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if word:
            term: Term = word.lower()
        elif bracket == "(":
            if len(stack) == MAX_DEPTH:
                raise LudusError(f"{where}, line {line}: lists are nested more than {MAX_DEPTH} deep")
            stack.append(([], line))
            continue
        else:
            if not stack:
                raise LudusError(f"{where}, line {line}: ')' closes nothing")
            items, began = stack.pop()
            term = tuple(items)
            if not stack:
                yield term, began
                continue
        if stack:
            stack[-1][0].append(term)
        else:
            yield term, line
    if stack:
        raise LudusError(f"{where}, line {stack[0][1]}: '(' is never closed")


def simple(term: Term) -> Term:
    """A term of GDL, in which `(f)` and `f` are the same.

    >>> simple(("f", ("g",)))
    ('f', 'g')
    """
    if isinstance(term, str):
        return term
    parts = tuple(simple(part) for part in term)
    return parts[0] if len(parts) == 1 else parts


def read_term(text: str, what: str = "the term") -> Term:
    """The one term of GDL that a text holds.

    >>> read_term("(mark 1 2)")
    ('mark', '1', '2')
    """
    terms = [term for term, _ in read_terms(text, what)]
    if len(terms) != 1:
        raise LudusError(f"{what} must be one term, not {len(terms)}: '{text[:80]}'")
    return simple(terms[0])


def write(term: Term) -> str:
    """A term as text.

    >>> write(("mark", "1", ("f", "?x")))
    '( mark 1 ( f ?x ) )'
    """
    return term if isinstance(term, str) else f"( {' '.join(map(write, term))} )" if term else "( )"


def brief(term: Term) -> str:
    """The beginning of a term's text, for messages.

    >>> brief("a" * 100)[-4:]
    'aaa…'
    """
    text = write(term)
    return text if len(text) <= 80 else text[:79] + "…"


def is_variable(term: Term) -> bool:
    """Whether a term is a variable."""
    return isinstance(term, str) and term.startswith("?")


def variables(term: Term) -> Iterator[str]:
    """The variables of a term, from left to right, as often as they occur."""
    if isinstance(term, str):
        if term.startswith("?"):
            yield term
    else:
        for part in term:
            yield from variables(part)


def substitute(term: Term, values: dict[str, Term]) -> Term:
    """A term with its variables replaced.

    >>> substitute(("f", "?x", "?y"), {"?x": "1"})
    ('f', '1', '?y')
    """
    if isinstance(term, str):
        return values.get(term, term)
    return tuple(substitute(part, values) for part in term)


def size(term: Term, most: int) -> int:
    """How many symbols a term has, counted no further than just beyond `most`: parts that it shares with itself count each time, as they do
    for whoever writes, compares or hashes it.

    >>> size(("f", "a", ("g", "b")), 100), size(("f",) * 1000, 10)
    (4, 11)
    """
    count, todo = 0, [term]
    while todo and count <= most:
        part = todo.pop()
        if isinstance(part, str):
            count += 1
        else:
            todo.extend(part)
    return count


def bounded(term: Term) -> Term:
    """A term, if it is not larger than any game needs: rules may double one at every step."""
    if size(term, MAX_SIZE) > MAX_SIZE:
        raise LudusError(f"the rules make terms of more than {MAX_SIZE:,} symbols")
    return term


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts 2 before 10.

    >>> sorted(["b 10", "b 9", "a"], key=natural)
    ['a', 'b 9', 'b 10']
    """
    return [
        (0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part)  # Python refuses larger numbers
        for part in re.split(r"(\d+)", text)
        if part
    ]
