"""The games, by name. A game's module is imported when somebody asks for it, not before."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from ludus.errors import unknown
from ludus.games import gdl
from ludus.spec import Spec, parse


class Entry(NamedTuple):
    """A game in the registry: what it is, where its class or maker lives, and the parameters that its name may take."""

    summary: str
    module: str
    maker: str
    parameters: dict[str, Any]


REGISTRY: dict[str, Entry] = {
    "backgammon": Entry(
        "two seats, dice, money game without the cube",
        "ludus.games.backgammon",
        "Backgammon",
        {"scoring": (1, 2, 3)},
    ),
    "ludo": Entry(
        "two to four seats, a die, four pieces each; rules classic or those of ludopy",
        "ludus.games.ludo",
        "ludo",
        {
            "rules": ("classic", "ludopy", "ludopy-1.3.1"),
            "seats": (2, 3, 4),
            "blockades": ("none", "land", "pass"),
            "safe_squares": bool,
            "exact": bool,
            "three_sixes": bool,
            "capture_bonus": bool,
        },
    ),
    "quoridor": Entry(
        "two or four seats, pawns and walls, on boards up to 9×9",
        "ludus.games.quoridor",
        "quoridor",
        {"size": int, "walls": int, "seats": (2, 4), "limit": int},
    ),
}


def _is_sheet(spec: Spec) -> bool:
    return spec.path is None and (spec.name.endswith(gdl.SUFFIXES) or spec.name in gdl.shipped())


def _read_sheet(spec: Spec) -> Any:
    return gdl.from_name(spec.name, **spec.check("game", {"seconds": float, "memory": int}))


# Readers for games that come as data: a test on the parsed name, and a maker.
READERS: list[tuple[Callable[[Spec], bool], Callable[[Spec], Any]]] = [(_is_sheet, _read_sheet)]


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
        raise unknown("game", name if spec.path else spec.name, [*REGISTRY, *gdl.shipped()])
    entry = REGISTRY[spec.name]
    arguments = spec.check("game", entry.parameters)
    return getattr(importlib.import_module(entry.module), entry.maker)(**arguments)


def game_name(game: Any) -> str:
    """The name that stands for a game, with those parameters that differ from the usual.

    >>> game_name(game("backgammon(scoring=1)"))
    'backgammon(scoring=1)'
    """
    name = game.facts.name
    if name not in REGISTRY:  # somebody's own game, or one that came as data
        return getattr(game, "origin", "") or name
    given, usual = _parameters(game), _parameters(type(game)())
    changed = [f"{k}={_text(given[k])}" for k in REGISTRY[name].parameters if given[k] != usual[k]]
    return name + (f"({','.join(changed)})" if changed else "")


def _parameters(game: Any) -> dict[str, Any]:
    """A game's parameters; games whose kernels hold numbers in place of words offer the words as `parameters`."""
    return getattr(game, "parameters", None) or game._asdict()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
