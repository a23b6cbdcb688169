"""How learners of the papers see a game: schemes, views and curricula (`ludus.contract.views`), by the name of the game.

Those of the papers live with the papers, and are found by name when somebody asks. A game from outside may offer its own, by methods
`schemes()`, `views()` and `curricula()` that return a dictionary.
"""

from __future__ import annotations

import importlib
from typing import Any

from ludus.errors import LudusError, choice

# Functions of a game that return such dictionaries.
SCHEMES = {"ludo": "ludus.papers.ludo.schemes:schemes_of"}
VIEWS = {"quoridor": "ludus.papers.quoridor.views:views_of"}
CURRICULA = {"quoridor": "ludus.papers.quoridor.starts:curricula_of"}


def _offered(game: Any, method: str, registry: dict[str, str]) -> dict[str, Any]:
    if hasattr(game, method):
        return getattr(game, method)()
    place = registry.get(game.facts.name)
    if place is None:
        return {}
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)(game)


def scheme_of(game: Any, name: str) -> Any:
    """One of a game's schemes, by name."""
    return _chosen("scheme", game, name, _offered(game, "schemes", SCHEMES))


def view_of(game: Any, name: str) -> Any:
    """One of a game's views, by name."""
    return _chosen("view", game, name, _offered(game, "views", VIEWS))


def curriculum_of(game: Any) -> Any:
    """A game's curriculum."""
    offered = _offered(game, "curricula", CURRICULA)
    if not offered:
        raise LudusError(f"{game.facts.model} has no curriculum: this method can't learn it")
    return next(iter(offered.values()))


def _chosen(kind: str, game: Any, name: str, offered: dict[str, Any]) -> Any:
    if not offered:
        raise LudusError(f"{game.facts.model} has no {kind}s: this method can't learn it")
    return choice(f"{kind} of {game.facts.model}", name, offered)
