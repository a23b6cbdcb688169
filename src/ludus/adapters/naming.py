"""The names under which games are registered with other people's programs."""

from __future__ import annotations

from typing import Any

from ludus.games import gdl
from ludus.spec import parse

# Families and their usual variants.
_FAMILIES: dict[str, dict[str, str]] = {
    "Backgammon": {"game": "backgammon"},
    "BackgammonOpenSpiel": {"game": "backgammon", "actions": "openspiel"},
    "Ludo": {"game": "ludo"},
    "LudoTwo": {"game": "ludo(seats=2)"},
    "LudoLudopy": {"game": "ludo(rules=ludopy)"},
    "Quoridor": {"game": "quoridor"},
    "Quoridor5": {"game": "quoridor(size=5)"},
    "QuoridorFour": {"game": "quoridor(seats=4)"},
}

JOINT_SHEETS = ("rockpaperscissors", "tron")  # in which all seats move at once


def environments() -> dict[str, dict[str, str]]:
    """What there is to register, and the settings that each name stands for; `Game` takes any game by its name.

    >>> environments()["Tictactoe"], environments()["Quoridor5"]
    ({'game': 'tictactoe'}, {'game': 'quoridor(size=5)'})
    """
    sheets = {name[0].upper() + name[1:]: {"game": name} for name in gdl.shipped()}
    return {**_FAMILIES, **sheets, "Game": {}}


def full_name(game: Any, parameters: dict[str, Any]) -> Any:
    """The name of a game with parameters that are given apart.

    >>> full_name("quoridor(size=5)", {"walls": 3})
    'quoridor(size=5,walls=3)'
    """
    if not parameters:
        return game
    spec = parse(game)
    given = spec.arguments | parameters
    path = f":{spec.path}" if spec.path else ""
    return f"{spec.name}{path}({','.join(f'{k}={_text(v)}' for k, v in given.items())})"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
