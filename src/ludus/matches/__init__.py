"""The arena: games among players, with rotated seats and honest statistics. Nothing here learns.

`contest` arranges a contest and judges it, `flight` plays many games at once, `workers` spreads them over the cores,
`result` and `statistics` hold what comes out, and `bench` measures how fast the house is beside its peers.
"""

from __future__ import annotations

from ludus.matches.contest import arena
from ludus.matches.result import Result, Row, table

__all__ = ["Result", "Row", "arena", "table"]
