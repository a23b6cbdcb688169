"""Settings of a method: a frozen dataclass whose fields say what they mean and what they may be.

    @dataclass(frozen=True)
    class Settings:
        rate: float = setting(0.1, "step size", above=0)

What people type or a file holds goes through `read`, which refuses what makes no sense. A field that is new has the default by which
the method does what it did before, so that older files, which lack it, still mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

from ludus.errors import LudusError, brief, unknown
from ludus.quantities import Quantity

S = TypeVar("S")


@dataclass(frozen=True)
class Limits:
    """What a setting may be."""

    kind: Quantity | None = None  # of a number, or of each number in a list
    choices: tuple[str, ...] = ()  # one of
    # It has an effect only where this other setting has this value, or one of these (True: any but 0, false, and nothing).
    when: tuple[str, Any] | None = None

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value, as it reads after "should be"; None if nothing is."""
        if self.choices and value not in self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is None:
            return None
        each = value if isinstance(value, tuple) else (value,)
        return next(filter(None, map(self.kind.fault, each)), None)

    @property
    def text(self) -> str:
        """The range, for people."""
        return "|".join(self.choices) if self.choices else self.kind.text if self.kind is not None else ""


def setting(
    default: Any,
    help: str,
    kind: Quantity | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    choices: Sequence[str] = (),
    when: tuple[str, Any] | None = None,
) -> Any:
    """A field of a method's settings: its default, one line of help, and what it may be. The range of a number is that of a kind of
    `ludus.quantities`, or is given here.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     rate: float = setting(0.1, "step size", above=0)
    >>> read(Settings, {"rate": "0.2"}, "mine")
    Settings(rate=0.2)
    >>> read(Settings, {"rat": 1}, "mine")
    Traceback (most recent call last):
    ludus.errors.LudusError: unknown setting of mine 'rat'; did you mean 'rate'?
    """
    sample = default[0] if isinstance(default, tuple) and default else default
    if kind is None and type(sample) in (int, float):
        kind = Quantity("a setting", type(sample), low, high, above)
    return field(default=default, metadata={"help": help, "limits": Limits(kind, tuple(choices), when)})


class Described(NamedTuple):
    """A setting as people see it."""

    name: str
    default: Any
    help: str
    limits: str


def described(cls: type) -> list[Described]:
    """A class of settings, field by field."""
    return [Described(f.name, to_plain(f.default), f.metadata.get("help", ""), _limits(f).text) for f in fields(cls)]


def defaults(cls: type) -> dict[str, Any]:
    """The value of each setting unless told."""
    return {f.name: f.default for f in fields(cls)}


def to_dict(settings: Any) -> dict[str, Any]:
    """Settings as TOML and JSON hold them."""
    return {f.name: to_plain(getattr(settings, f.name)) for f in fields(settings)}


def to_plain(value: Any) -> Any:
    """A value as TOML and JSON hold it."""
    return list(value) if isinstance(value, tuple) else value


def read(cls: type[S], values: Mapping[str, Any], whose: str, given: Collection[str] | None = None) -> S:
    """The settings that some values ask for, each as typed (text) or as it is; LudusError names what is wrong.

    A value that has no effect beside the others is refused, but only of those that somebody has just given (all, unless told): a preset
    or an older file may well hold such.
    """
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise (
                unknown(f"setting of {whose}", name, known)
                if known
                else LudusError(f"{whose} has no settings: what is {name}?")
            )
        made[name] = like(known[name].default, value, f"setting {name}")
        fault = _limits(known[name]).fault(made[name])
        if fault is not None:
            raise LudusError(f"setting {name} = {brief(repr(value))} makes no sense: it should be {fault}")
    settings = cls(**made)
    for name in made if given is None else given:
        _check_used(settings, known[name])
    check = getattr(settings, "check", None)
    if check is not None:
        check()
    return settings


def _limits(f: Any) -> Limits:
    found = f.metadata.get("limits")
    return found if found is not None else setting(f.default, "").metadata["limits"]


def _check_used(settings: Any, f: Any) -> None:
    """Refuse a value that changes nothing."""
    when = _limits(f).when
    value = getattr(settings, f.name)
    if when is None or value == f.default:
        return
    other, wanted = when
    found = getattr(settings, other)
    if not found if wanted is True else found not in (wanted if isinstance(wanted, tuple) else (wanted,)):
        needed = "is set" if wanted is True else f"is {' or '.join(wanted) if isinstance(wanted, tuple) else wanted}"
        raise LudusError(f"setting {f.name} = {to_plain(value)!r} has no effect unless {other} {needed}")


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word", tuple: "a list"}


def like(usual: Any, value: Any, what: str) -> Any:
    """A value, typed or not, as the kind of the usual one; LudusError if it can't be.

    >>> like(0.1, "0.5", "rate"), like(("random",), "td,random", "opponents")
    (0.5, ('td', 'random'))
    """
    if usual is MISSING:
        raise TypeError(f"{what} needs a default")
    kind = type(usual)
    if kind not in _KINDS:
        raise TypeError(f"{what} needs a default that is {', '.join(_KINDS.values())}; {usual!r} is none")
    wrong = LudusError(
        f"{what} = {brief(repr(value))} should be {_KINDS.get(kind, kind.__name__)}, like {to_plain(usual)!r}"
    )
    if kind is tuple:
        if isinstance(value, str):
            # Commas in parentheses belong to a name's arguments.
            value = [part.strip() for part in re.split(r",(?![^(]*\))", value) if part.strip()]
        if not isinstance(value, list | tuple):
            raise wrong
        try:
            return tuple(like(usual[0] if usual else "", part, what) for part in value)
        except LudusError:
            raise wrong from None
    if kind is bool:
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        if not isinstance(value, bool):
            raise wrong
        return value
    if isinstance(value, bool) or (kind is str and not isinstance(value, str)):
        raise wrong
    if kind is str:
        return value
    if not isinstance(value, int | float | str) or (kind is int and isinstance(value, float)):
        raise wrong
    try:
        return kind(value)
    except (ValueError, OverflowError):
        raise wrong from None
