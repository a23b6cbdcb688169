"""Before the first move: what players need is compiled now, where people are told, and not in the middle of a game."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.kernel import stream
from ludus.players import REGISTRY, base, player
from ludus.spec import parse

QUICK = {"seconds": 0.01, "simulations": 1, "playouts": 1}  # in place of what a player was told
STEPS = 50  # of a game, at most, until somebody has a choice


def get_ready(game: Any, names: Iterable[str]) -> None:
    """Have the players' code loaded, or compiled, by a move and an opinion that take next to no time."""
    position = _decision(game)
    for name in dict.fromkeys(names):
        with contextlib.suppress(LudusError, ImportError):  # which are told when it is their turn
            asked = player(quick_name(name), game)
            if position is not None:
                base.ask(asked, position, stream(1))
                base.rank(asked, position, stream(1))


def quick_name(name: str) -> str:
    """The same player, with hardly any time to think.

    >>> quick_name("mcts(simulations=1000, c=2)"), quick_name("mcts"), quick_name("td")
    ('mcts(simulations=1,c=2)', 'mcts(seconds=0.01)', 'td')
    """
    spec = parse(name)
    told = {key: QUICK.get(key, value) for key, value in spec.arguments.items()}
    known = REGISTRY[spec.name].parameters if spec.name in REGISTRY else {}
    if "seconds" in known and "plies" not in known and not set(told) & set(QUICK):
        told["seconds"] = QUICK["seconds"]
    written = ",".join(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in told.items()
    )
    return spec.name + (f":{spec.path}" if spec.path else "") + (f"({written})" if written else "")


def _decision(game: Any) -> Position | None:
    """The first position of a random game where one seat has a choice."""
    position, rng = game.start(), stream(1)
    for _ in range(STEPS):
        if position.kind == "chance":
            position = position.roll(rng)
        elif position.kind == "decision" and len(position.moves()) > 1:
            return position
        elif position.kind == "decision":
            position = position.play(position.moves()[0])
        else:
            return None
    return None
