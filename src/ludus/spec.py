"""Names with arguments, as people type them: `backgammon`, `ludo(rules=ludopy)`, `td:runs/a(plies=1)`.

One grammar for games and players: a name, optionally a colon and a path, optionally arguments in parentheses. In a path that is a command, as in
`qtp:engine --level "a(b)"`, parentheses may stand between quotes.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ludus.errors import LudusError, brief, unknown
from ludus.quantities import Quantity


class Spec(NamedTuple):
    """A parsed name: `td:runs/a(plies=1)` is Spec('td', 'runs/a', {'plies': 1})."""

    name: str
    path: str | None
    arguments: dict[str, Any]

    def check(self, kind: str, allowed: dict[str, type | Quantity | tuple[Any, ...]]) -> dict[str, Any]:
        """The arguments, if each is allowed: a number of the kind given, true or false, a word, or one of the values listed."""
        for key, value in self.arguments.items():
            if key not in allowed:
                if not allowed:
                    raise LudusError(f"{kind} '{self.name}' takes no arguments, but got '{brief(key)}'")
                raise unknown(f"argument of {kind} '{self.name}'", key, allowed)
            want, where = allowed[key], f"{self.name}({key}={brief(value)})"
            if isinstance(want, Quantity):
                self.arguments[key] = want.read(value, where)
            elif isinstance(want, tuple):
                if value not in want or isinstance(value, bool):
                    raise LudusError(f"{where}: {key} must be one of {', '.join(map(str, want))}")
            elif type(value) is not want:
                raise LudusError(f"{where}: {key} must be {_names[want]}")
        return self.arguments


_names = {bool: "true or false", str: "a word"}
_path = r"""(?:[^()'"]|'[^']*'|"[^"]*")++(?=\(|\Z)|[^()]+"""
_shape = re.compile(
    rf"\s*(?P<name>[A-Za-z0-9_.\-/]+|[^():]+\.py)(?::(?P<path>{_path}))?(?:\((?P<arguments>.*)\))?\s*", re.DOTALL
)
_comma = re.compile(r",(?![^(]*\))")  # one within parentheses belongs to an argument's own arguments


def parse(text: str) -> Spec:
    """Take a name with arguments apart.

    >>> parse("td:runs/a(plies=1, name=best)")
    Spec(name='td', path='runs/a', arguments={'plies': 1, 'name': 'best'})
    >>> parse("qtp:theirs --like 'td(plies=1)'(patience=5)")
    Spec(name='qtp', path="theirs --like 'td(plies=1)'", arguments={'patience': 5})
    >>> parse("openspiel:misere(game=connect_four(rows=5,columns=5))").arguments
    {'game': 'connect_four(rows=5,columns=5)'}
    """
    match = _shape.fullmatch(text)
    if match is None:
        raise LudusError(f"can't read '{brief(text)}'; write a name, as in td, td:FOLDER or td(plies=1)")
    arguments: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in _comma.split(match["arguments"] or ""))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise LudusError(
                f"can't read '{brief(part)}' in '{brief(text)}'; arguments are written name=value, as in td(plies=1)"
            )
        if key.strip() in arguments:
            raise LudusError(f"'{key.strip()}' is given twice in '{brief(text)}'")
        arguments[key.strip()] = _value(value.strip())
    return Spec(match["name"], match["path"], arguments)


def _value(text: str) -> int | float | bool | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
