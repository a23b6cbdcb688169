"""Who moves in an engine of ours."""

from __future__ import annotations

from typing import Any

from ludus.contract.position import Position
from ludus.kernel import stream
from ludus.players import best_known, player
from ludus.players.base import ask


class Thinker:
    """A player by name, for one game after the other. Unless told, it is the best known one for each."""

    def __init__(self, name: str | None, seed: int) -> None:
        self.name, self._rng = name, stream(seed)
        self._made: tuple[Any, Any] | None = None  # the game, and the player of it

    def choose(self, position: Position) -> int:
        """Its move in a position."""
        if self._made is None or self._made[0] != position.game:
            name = self.name or best_known(position.game)
            self._made = position.game, player(name, position.game)
        return int(ask(self._made[1], position, self._rng))
