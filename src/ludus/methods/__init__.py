"""Learning methods, by name. Each is one class in one file, with its own settings: see `base`.

`presets` holds named settings, the papers' own and our best; `schedules` how step sizes and exploration fall; `episodes` what
the compiled methods share.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus import names
from ludus.errors import LudusError, unknown
from ludus.methods.settings import Described, described, setting

if TYPE_CHECKING:
    from ludus.methods.base import Method, Report

__all__ = ["METHODS", "Method", "Report", "describe", "method_class", "method_name", "setting"]


class Entry(NamedTuple):
    """A method that comes with ludus: what it is, and where its class lives. The class is imported when somebody asks for it."""

    summary: str
    module: str
    name: str


METHODS: dict[str, Entry] = {
    "selfplay": Entry("λ-returns of batches of self-play and Adam, all cores", "ludus.methods.selfplay", "SelfPlay"),
    "traces": Entry("TD(λ) with eligibility traces, one game after the other", "ludus.methods.traces", "Traces"),
    "q": Entry("Q-learning on a paper's scheme of situations and actions", "ludus.methods.q", "QLearning"),
    "table": Entry(
        "a value for each state that was met, of any game: Q-learning or TD(λ)", "ludus.methods.table", "Table"
    ),
    "qlnn": Entry("Q-learning with an output of a network for each action", "ludus.methods.qlnn", "QLNN"),
    "zero": Entry("policy and value of a rulesheet's board, learned from searches", "ludus.methods.zero", "ZeroMethod"),
}


def __getattr__(name: str) -> Any:
    """`Method` and `Report`, when somebody asks for them: they load Numba, and lists of presets and methods do without."""
    if name not in ("Method", "Report"):
        raise AttributeError(f"module 'ludus.methods' has no attribute '{name}'")
    return getattr(importlib.import_module("ludus.methods.base"), name)


def method_class(name: str, load: bool = True) -> type[Method]:
    """The class of a method: built in, installed, or a user's own `file.py:Class`. With `load=False` a user's own code is found only
    if it was named before: a file that mentions code must not get it run.

    >>> method_class("traces").__name__
    'Traces'
    """
    if name in METHODS:
        entry = METHODS[name]
        found = getattr(importlib.import_module(entry.module), entry.name)
    elif (found := names.known(name)) is not None:
        pass  # named before; perhaps of a function or a notebook, where nothing else finds it
    elif names.is_code(name):
        found = names.load(name, "method") if load else None
        if found is None:
            raise LudusError(f"the method is {name}, and code is loaded only when you name it: --method {name}")
    else:
        found = names.load_installed("ludus.methods", name)
        if found is None:
            raise unknown("method", name, [*METHODS, *names.installed("ludus.methods")])
    from ludus.methods.base import Method  # loads Numba: see `__getattr__`

    if not (isinstance(found, type) and issubclass(found, Method)):
        raise LudusError(f"{name} is not a method: it should be a class that inherits from ludus.methods.Method")
    return found


def describe(name: str) -> list[Described]:
    """The settings of a method, for people: name, default, help and range of each.

    >>> describe("traces")[0].name
    'encoding'
    """
    return described(method_class(name).Settings)


def method_name(cls: type[Method]) -> str:
    """The name by which a class of methods is found again."""
    for name, entry in METHODS.items():
        if (entry.module, entry.name) == (cls.__module__, cls.__qualname__):
            return name
    for name, point in names.installed("ludus.methods").items():
        if point.value == f"{cls.__module__}:{cls.__qualname__}":
            return name
    return names.where_is(names.remember(cls))


def source_of(cls: type[Any]) -> str:
    """A hash of the code of a method that is not part of ludus; empty for those that are."""
    return "" if cls.__module__.startswith("ludus.") else names.source_digest(cls)
