"""The arena: games among players, with rotated seats and honest statistics. Nothing here learns.

`contest` arranges a contest and judges it, `pairs` one in which luck cancels, `until` one that goes on until its answer is sure, `flight` plays many games at once, `workers` spreads them over the cores,
`result` and `statistics` hold what comes out, and `bench` measures how fast the house is beside its peers.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.matches.contest import arena
    from ludus.matches.pairs import arena_paired
    from ludus.matches.result import Result, Row, table
    from ludus.matches.until import arena_until

__all__ = ["Result", "Row", "arena", "arena_paired", "arena_until", "table"]

# Loaded when it is first used: who wants `statistics` alone, the records say, does without Numba.
_HOMES = {
    "arena": "contest",
    "arena_paired": "pairs",
    "arena_until": "until",
    "Result": "result",
    "Row": "result",
    "table": "result",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ludus.matches' has no attribute '{name}'")
    return getattr(importlib.import_module(f"ludus.matches.{_HOMES[name]}"), name)
