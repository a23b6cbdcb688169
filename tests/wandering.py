"""Games at random, for tests that look at many positions."""

from __future__ import annotations

from typing import Any

from ludus.contract.position import Position
from ludus.kernel import below


def one_on(position: Position, rng: Any) -> Position:
    """The position after a move, or an outcome of chance, at random."""
    if position.kind == "chance":
        return position.roll(rng)
    if position.kind == "joint":
        lists = [position.moves(seat) for seat in range(position.game.facts.seats)]
        return position.play([int(moves[below(rng, len(moves))]) for moves in lists])
    moves = position.moves()
    return position.play(int(moves[below(rng, len(moves))]))
