"""The games, by name. A game's module is imported when somebody asks for it, not before."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from ludus.errors import unknown
from ludus.spec import Spec, parse


class Entry(NamedTuple):
    """A game in the registry: what it is, where its class lives, and the parameters that its name may take."""

    summary: str
    module: str
    cls: str
    parameters: dict[str, Any]


REGISTRY: dict[str, Entry] = {
    "backgammon": Entry(
        "two seats, dice, money game without the cube",
        "ludus.games.backgammon.rules",
        "Backgammon",
        {"scoring": (1, 2, 3)},
    ),
}

# Readers for games that come as data: a test on the parsed name, and a maker. General Game Playing hangs its rulesheets here.
READERS: list[tuple[Callable[[Spec], bool], Callable[[Spec], Any]]] = []


def game(name: str) -> Any:
    """The game of a name, with parameters where it has any.

    >>> game("backgammon(scoring=1)")
    Backgammon(scoring=1)
    """
    spec = parse(name)
    for fits, make in READERS:
        if fits(spec):
            return make(spec)
    if spec.name not in REGISTRY or spec.path is not None:
        raise unknown("game", name if spec.path else spec.name, REGISTRY)
    entry = REGISTRY[spec.name]
    arguments = spec.check("game", entry.parameters)
    return getattr(importlib.import_module(entry.module), entry.cls)(**arguments)


def game_name(game: Any) -> str:
    """The name that stands for a game, with those parameters that differ from the usual.

    >>> game_name(game("backgammon(scoring=1)"))
    'backgammon(scoring=1)'
    """
    name = game.facts.name
    if name not in REGISTRY:  # somebody's own game, or one that came as data
        return name
    usual = game._field_defaults
    changed = [f"{k}={getattr(game, k)}" for k in REGISTRY[name].parameters if getattr(game, k) != usual[k]]
    return name + (f"({','.join(changed)})" if changed else "")
