"""The players, by name: `random`, `td`, `td:RUN_OR_FILE`, `td(plies=1)`, and those of the peers' extra."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from ludus.errors import LudusError, unknown
from ludus.spec import parse


class Entry(NamedTuple):
    """A player in the registry: what it is, where its maker `make(game, path, **arguments)` lives, what it may take."""

    summary: str
    module: str
    maker: str
    parameters: dict[str, Any]
    games: tuple[str, ...] = ()  # empty: plays every game
    takes_path: bool = False


REGISTRY: dict[str, Entry] = {
    "random": Entry("any legal move, each as likely as the others", "ludus.players", "make_random", {}),
    "td": Entry(
        "greedy on a network learned by TD(λ); td alone is the shipped model, td:DIR_OR_FILE another; plies looks ahead",
        "ludus.players.greedy", "make_td", {"plies": (0, 1, 2), "width": int}, takes_path=True,
    ),
    "gnubg": Entry(
        "GNU Backgammon's networks (needs the peers extra)",
        "ludus.players.peers", "make_gnubg", {"plies": (0, 1, 2, 3)}, ("backgammon",),
    ),
    "pubeval": Entry(
        "Tesauro's public evaluator (needs the peers extra)", "ludus.players.peers", "make_pubeval", {}, ("backgammon",)
    ),
}  # fmt: skip


def player(name: str, game: Any) -> Any:
    """The player of a name, ready for a game.

    >>> import ludus
    >>> player("random", ludus.game("backgammon"))
    Random(max_moves=4096)
    """
    spec = parse(name)
    if spec.name not in REGISTRY:
        raise unknown("player", spec.name, REGISTRY)
    entry = REGISTRY[spec.name]
    if entry.games and game.facts.name not in entry.games:
        raise LudusError(f"player '{spec.name}' plays {', '.join(entry.games)} only, not {game.facts.name}")
    if spec.path is not None and not entry.takes_path:
        raise LudusError(f"player '{spec.name}' takes no path, but got '{spec.path}'")
    arguments = spec.check("player", entry.parameters)
    return getattr(importlib.import_module(entry.module), entry.maker)(game, spec.path, **arguments)


def make_random(game: Any, path: str | None) -> Any:
    """The player that moves at random."""
    from ludus.players.base import Random

    return Random(game.facts.max_moves)
