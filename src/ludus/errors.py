"""The error that people see. Its text names what was wrong, where, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


class LudusError(ValueError):
    """Something the user gave is wrong; the command line prints the message alone and exits with code 2."""


class NotInstalledError(LudusError):
    """A package is missing that only a part of ludus needs."""


def brief(value: object, most: int = 80) -> str:
    """What somebody gave, short enough for a line.

    >>> brief("9" * 400, 5)
    '99999…'
    """
    try:
        text = str(value)
    except ValueError:  # a whole number of too many digits to be written down
        return "a number of thousands of digits"
    return text if len(text) <= most else f"{text[:most]}…"


def unknown(kind: str, name: str, known: Iterable[str]) -> LudusError:
    """The error for a name that does not exist, with the nearest names that do.

    >>> print(unknown("player", "randon", ["random", "td"]))
    unknown player 'randon'; did you mean 'random'?
    """
    names, name = sorted(known), brief(name)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if near:
        return LudusError(f"unknown {kind} '{name}'; did you mean {' or '.join(repr(n) for n in near)}?")
    return LudusError(f"unknown {kind} '{name}'; there {'is' if len(names) == 1 else 'are'}: {', '.join(names)}")


def choice(kind: str, name: str, table: Mapping[str, T]) -> T:
    """The entry of a table, or the error that names its nearest keys.

    >>> choice("colour", "red", {"red": 1})
    1
    """
    if name not in table:
        raise unknown(kind, name, table)
    return table[name]
