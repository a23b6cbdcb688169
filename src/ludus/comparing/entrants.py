"""Methods that enter a comparison, as people name them, and what each becomes in a game: its settings, complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ludus import names
from ludus.comparing.suite import Task
from ludus.errors import LudusError
from ludus.lab.planning import Plan, plan
from ludus.methods import METHODS, Method, method_class, method_name, source_of
from ludus.methods.presets import PRESETS
from ludus.spec import parse

MOST = 50  # methods of a comparison


@dataclass(frozen=True)
class Entrant:
    """A method, or a preset, with settings that somebody gave."""

    label: str  # how tables call it
    given: str  # as it was named
    method: str  # its name, or where its code is; empty for a preset
    preset: str
    settings: dict[str, Any] = field(default_factory=dict)  # that were given with the name
    tuned: dict[str, Any] = field(default_factory=dict)  # that tuning found
    missing: str = ""  # the package that its code needs and that is not there

    @property
    def short(self) -> str:
        """The name by which a suite has settings for it: `sarsa` for `mymethod.py:Sarsa`.

        >>> read_entrant("selfplay(hidden=80)").short
        'selfplay'
        """
        return self.method.rpartition(":")[2].lower() if names.is_code(self.method) else self.method or self.preset

    @property
    def is_code(self) -> bool:
        """Whether it is somebody's own code."""
        return names.is_code(self.method)

    def code(self) -> str:
        """A hash of its code, where that is not part of ludus."""
        return source_of(method_class(self.method)) if self.method and not self.missing else ""

    def planned(self, task: Task, game: Any, seed: int) -> Plan:
        """What is trained in a game; LudusError if this method can't learn it.

        What somebody said with the name counts most, then what tuning found, then what the suite says.
        """
        if self.missing:
            raise LudusError(self.missing)
        values = task.settings.get(self.short, {}) | self.tuned | self.settings | {"games": task.budget.games}
        if self.preset:
            return plan(game, self.preset, None, seed, values)
        return plan(game, None, self.method, seed, values)


def read_entrant(given: str) -> Entrant:
    """A method as people name it: `traces`, `selfplay(hidden=80)`, `mymethod.py:Sarsa(rate=0.2)`, or a preset, `wang2018-q`.

    >>> read_entrant("traces(decay=0.5)").settings
    {'decay': 0.5}
    """
    spec = parse(given)
    name = f"{spec.name}:{spec.path}" if spec.path is not None else spec.name
    if name in METHODS or names.is_code(name):
        try:
            cls = method_class(name)
        except LudusError as error:
            if not isinstance(error.__cause__, ImportError):
                raise
            label = name.rpartition(":")[2].lower()
            return Entrant(_labelled(label, spec.arguments), given, name, "", spec.arguments, missing=str(error))
        label = cls.__name__.lower() if names.is_code(name) else name
        return Entrant(_labelled(label, spec.arguments), given, method_name(cls), "", spec.arguments)
    if any(name in presets for presets in PRESETS.values()):
        return Entrant(_labelled(name, spec.arguments), given, "", name, spec.arguments)
    cls = method_class(name)  # installed, or an error that names the nearest
    return Entrant(_labelled(name, spec.arguments), given, method_name(cls), "", spec.arguments)


def _labelled(name: str, settings: dict[str, Any]) -> str:
    said = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}({said})" if said else name


def entrants(given: Sequence[Any]) -> tuple[Entrant, ...]:
    """The methods of a comparison: names, or classes and objects in Python. No two have the same label."""
    if not given:
        raise LudusError("name a method at least, as in: ludus compare mymethod.py:Sarsa traces")
    if len(given) > MOST:
        raise LudusError(f"{len(given)} methods are too many to be compared at once; at most {MOST}")
    made = [read_entrant(each) if isinstance(each, str) else _from_python(each) for each in given]
    seen: dict[str, int] = {}
    out = []
    for entrant in made:
        seen[entrant.label] = seen.get(entrant.label, 0) + 1
        if seen[entrant.label] > 1:
            same = next(other for other in made if other.label == entrant.label)
            if (same.method, same.preset) == (entrant.method, entrant.preset):
                raise LudusError(f"'{entrant.given}' is named twice")
            entrant = replace(entrant, label=f"{entrant.label}#{seen[entrant.label]}")
        out.append(entrant)
    return tuple(out)


def _from_python(given: Any) -> Entrant:
    cls = given if isinstance(given, type) else type(given)
    if not issubclass(cls, Method):
        raise LudusError(f"{given!r} is not a method: give a name, or a class that inherits from ludus.methods.Method")
    names.remember(cls)
    settings = {} if given is cls else {name: getattr(given.settings, name) for name in given.given}
    return Entrant(_labelled(cls.__name__.lower(), settings), method_name(cls), method_name(cls), "", settings)
