"""Ludus: a school for board games. Machines learn them by reinforcement learning; people play, watch and compare.

>>> import ludus
>>> backgammon = ludus.game("backgammon")
>>> backgammon.start().play("31").play("8/5 6/5").kind
'chance'
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Numba takes most of a second to import, so each part is loaded when it is first used.
_HOMES = {
    "game": "ludus.games",
    "player": "ludus.players",
    "LudopyAgent": "ludus.adapters.ludopy",
    "analyse_match": "ludus.analysing",
    "arena": "ludus.matches",
    "compare": "ludus.comparing.running",
    "rollout": "ludus.players.rollout",
    "train": "ludus.lab",
    "Position": "ludus.contract.position",
    "Move": "ludus.contract.position",
    "LudusError": "ludus.errors",
    "stream": "ludus.kernel",
    "widget": "ludus.adapters.notebook",
    "workers": "ludus.scale.opening",
}

__all__ = [
    "LudopyAgent",
    "LudusError",
    "Move",
    "Position",
    "analyse_match",
    "arena",
    "compare",
    "game",
    "player",
    "rollout",
    "stream",
    "train",
    "widget",
    "workers",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ludus' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
