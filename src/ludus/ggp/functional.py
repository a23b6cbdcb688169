"""The functional spelling of the protocol, as some of the Stanford texts have it, and KIF, each from the other.

`play(m1,[mark(1,1),noop])` is `( play m1 ( ( mark 1 1 ) noop ) )`. In rules, names that begin with a capital are variables,
and `:-`, `&`, `|`, `~` stand between and before the parts. Only spelling is changed here, nothing understood.
"""

from __future__ import annotations

import re

from ludus.errors import LudusError

MAX_DEPTH = 100

_token = re.compile(r"\s*(?:%[^\r\n]*\s*)*(:-|[()\[\],&|~.]|[^\s()\[\],&|~:.%]+(?:[.:](?!-)[^\s()\[\],&|~:.%]+)*|$)")
_call = re.compile(r"\s*[A-Za-z]+\(")


def is_functional(text: str) -> bool:
    """Whether a message is spelled this way: a name, and its parenthesis right behind it.

    >>> is_functional("info()"), is_functional("(info)"), is_functional("info")
    (True, False, False)
    """
    return _call.match(text) is not None


def to_kif(text: str) -> str:
    """A message in KIF.

    >>> to_kif("play(m1,[mark(1,1),noop])")
    '( play m1 ( ( mark 1 1 ) noop ) )'
    >>> to_kif("preview([legal(W,noop) :- role(W) & ~true(control(W))], 5)")
    '( preview ( ( <= ( legal ?w noop ) ( role ?w ) ( not ( true ( control ?w ) ) ) ) ) 5 )'
    """
    reader = _Reader(text)
    written = reader.term(0)
    reader.expect("")
    return written


def from_kif(term: str) -> str:
    """A term in the functional spelling; it must be one that `messages.term` gives.

    >>> from_kif("( move ( cell 1 2 ) up )"), from_kif("noop")
    ('move(cell(1,2),up)', 'noop')
    """
    out: list[str] = []
    opened = False  # the next word is the name of a function
    for word in term.split():
        if word == "(":
            if out and not out[-1].endswith("("):
                out.append(",")
            opened = True
        elif word == ")":
            if opened:
                raise LudusError("a function has no name")
            out.append(")")
        else:
            if not opened and out and not out[-1].endswith("("):
                out.append(",")
            out.append(word + "(" if opened else word)
            opened = False
    return "".join(out)


class _Reader:
    """Reads from left to right, and writes KIF while it does."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.in_rules = 0  # how many '[' are open: there, capitals begin variables
        self.next()

    def next(self) -> str:
        """The token that was next, going on to the one behind it."""
        before = getattr(self, "token", "")
        found = _token.match(self.text, self.place)
        if found is None:
            raise LudusError(f"can't read the message at character {self.place + 1:,}")
        self.token, self.place = found[1], found.end()
        return before

    def expect(self, sign: str) -> None:
        """Go on behind a sign that must be next; an empty one is the end."""
        if self.token != sign:
            raise LudusError(
                f"expected {repr(sign) if sign else 'the end'} before character {self.place + 1:,} of the message"
            )
        if sign:
            self.next()

    def several(self, depth: int, end: str) -> list[str]:
        """What stands between commas, up to the sign that ends it."""
        found: list[str] = []
        while self.token != end:
            found.append(self.rule(depth))
            if self.token != end:
                self.expect(",")
        self.expect(end)
        return found

    def rule(self, depth: int) -> str:
        """A rule, or what stands alone."""
        head = self.either(depth)
        if self.token != ":-":
            return head
        self.next()
        parts = [self.either(depth)]
        while self.token == "&":
            self.next()
            parts.append(self.either(depth))
        return f"( <= {head} {' '.join(parts)} )"

    def either(self, depth: int) -> str:
        """A term, or several of which one must hold."""
        parts = [self.term(depth)]
        while self.token == "|":
            self.next()
            parts.append(self.term(depth))
        return parts[0] if len(parts) == 1 else f"( or {' '.join(parts)} )"

    def term(self, depth: int) -> str:
        """A name, a function, a list, a negation, or anything in parentheses."""
        if depth > MAX_DEPTH:
            raise LudusError(f"the message is nested more than {MAX_DEPTH} deep")
        sign = self.next()
        if sign == "~":
            return f"( not {self.term(depth + 1)} )"
        if sign == "[":
            self.in_rules += 1
            parts = self.several(depth + 1, "]")
            self.in_rules -= 1
            return f"( {' '.join(parts)} )" if parts else "( )"
        if sign == "(":
            inside = self.either(depth + 1)
            self.expect(")")
            return inside
        if sign in ("", ":-", ")", "]", ",", "&", "|", "."):
            raise LudusError(f"expected a name before character {self.place + 1:,} of the message")
        name = sign
        if self.in_rules and sign[0].isupper():
            name = f"?{sign.lower()}"
        if self.token != "(":
            return name
        self.next()
        return f"( {' '.join([name, *self.several(depth + 1, ')')])} )"
