"""The games, by name. A game's module is imported when somebody asks for it, not before."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from ludus import names
from ludus.errors import LudusError, unknown
from ludus.games import gdl, openspiel
from ludus.quantities import CHECKERS, COLUMNS, DOUBLES, PLIES, POINTS, ROWS, WALLS
from ludus.spec import Spec, parse


class Entry(NamedTuple):
    """A game in the registry: what it is, where its class or maker lives, and the parameters that its name may take."""

    summary: str
    module: str
    maker: str
    parameters: dict[str, Any]


REGISTRY: dict[str, Entry] = {
    "backgammon": Entry(
        "two seats, dice; match: a match with the cube, to so many points; cube: one game for money with it, else without it; bearoff: only the end, with so many checkers",
        "ludus.games.backgammon",
        "backgammon",
        {
            "scoring": (1, 2, 3),
            "bearoff": CHECKERS,
            "match": POINTS,
            "cube": bool,
            "crawford": bool,
            "jacoby": bool,
            "beavers": (0, 1, 2),
            "automatic": DOUBLES,
        },
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
        "two or four seats, pawns and walls, on boards up to 9×9; size: the number of rows, and of columns unless they are given",
        "ludus.games.quoridor",
        "quoridor",
        {"size": ROWS, "columns": COLUMNS, "walls": WALLS, "seats": (2, 4), "limit": PLIES},
    ),
}


def _is_sheet(spec: Spec) -> bool:
    return spec.path is None and (spec.name.endswith(gdl.SUFFIXES) or spec.name in gdl.shipped())


def _read_sheet(spec: Spec) -> Any:
    return gdl.from_name(spec.name, **spec.check("game", gdl.PARAMETERS))


# Games in small steps, for programs that want a fixed set of actions: the game and the kind of steps.
STEPWISE = {"backgammon-steps": ("backgammon", "steps"), "backgammon-openspiel": ("backgammon", "openspiel")}


def _is_stepwise(spec: Spec) -> bool:
    return spec.path is None and spec.name in STEPWISE


def _read_stepwise(spec: Spec) -> Any:
    whole, ids = STEPWISE[spec.name]
    entry = REGISTRY[whole]
    arguments = spec.check("game", entry.parameters)
    made = getattr(importlib.import_module(entry.module), entry.maker)(**arguments)
    return made.stepwise(ids)


# Readers for games that come as data, from elsewhere, or are made of others: a test on the parsed name, and a maker.
READERS: list[tuple[Callable[[Spec], bool], Callable[[Spec], Any]]] = [
    (_is_sheet, _read_sheet),
    (_is_stepwise, _read_stepwise),
    (lambda spec: spec.name == openspiel.PREFIX, lambda spec: openspiel.from_name(spec.path, spec.arguments)),
]


def game(name: str, load: bool = True) -> Any:
    """The game of a name, with parameters where it has any: a built-in one, a rulesheet, an installed one, or a user's own
    `file.py:Class`. With `load=False`, a user's own code is found only if it was named before: a file that mentions code must not get
    it run.

    >>> game("backgammon(scoring=1)")
    Backgammon(scoring=1)
    """
    spec = parse(name)
    for fits, make in READERS:
        if fits(spec):
            return make(spec)
    if spec.path is None and spec.name in REGISTRY:
        entry = REGISTRY[spec.name]
        arguments = spec.check("game", entry.parameters)
        return getattr(importlib.import_module(entry.module), entry.maker)(**arguments)
    where = f"{spec.name}:{spec.path}"
    if spec.path is not None and spec.name not in REGISTRY and names.is_code(where):
        found = names.load(where, "game") if load else names.known(where)
        if found is None:
            raise LudusError(f"the game is {where}, and code is loaded only when you name it: give {name} as the game")
        return _made(found, where, spec.arguments)
    found = names.load_installed("ludus.games", spec.name) if spec.path is None else None
    if found is None:
        known = [*REGISTRY, *names.installed("ludus.games"), *gdl.shipped()]
        raise unknown("game", name if spec.path else spec.name, known)
    return _made(names.remember(found, spec.name), spec.name, spec.arguments)


def _made(maker: Any, name: str, arguments: dict[str, Any]) -> Any:
    """A game from outside: its class, or a function that makes it, is called with the arguments."""
    try:
        made = maker(**arguments)
    except TypeError as error:
        raise LudusError(f"game '{name}' can't be made: {error}") from error
    if not hasattr(made, "facts"):
        raise LudusError(f"{name} is not a game: it has no facts (see CONTRIBUTING, 'Add a game')")
    return made


def game_name(game: Any) -> str:
    """The name that stands for a game, with those parameters that differ from the usual.

    >>> game_name(game("backgammon(scoring=1)"))
    'backgammon(scoring=1)'
    """
    name = game.facts.name
    if name in REGISTRY:
        given, usual = _parameters(game), _parameters(type(game)())
        keys = [key for key in REGISTRY[name].parameters if key in given]
    elif hasattr(game, "origin"):  # one that came as data, from a file or just as text, or is made of another
        return game.origin or name
    else:  # somebody's own
        name = names.where_is(names.remember(type(game)))
        given = game._asdict() if hasattr(game, "_asdict") else {}
        usual = {k: getattr(type(game), "_field_defaults", {}).get(k) for k in given}
        keys = list(given)
    changed = [f"{k}={_text(given[k])}" for k in keys if given[k] != usual[k]]
    return name + (f"({','.join(changed)})" if changed else "")


def _parameters(game: Any) -> dict[str, Any]:
    """A game's parameters; games whose kernels hold numbers in place of words offer the words as `parameters`."""
    return getattr(game, "parameters", None) or game._asdict()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
