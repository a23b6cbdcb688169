"""How a game that came as a rulesheet looks: its layout, found once, and what is to be seen of a state."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.games.gdl.board import board_text
from ludus.games.gdl.face import info
from ludus.games.gdl.layout import Layout, Sources, find_layout
from ludus.games.gdl.picture import Scene, board_svg


@lru_cache(maxsize=64)
def layout_of(game: Any) -> Layout | None:
    """The board of a game, if it has one."""
    known, first = info(game), game.first()
    legal = [move for moves in game.legal(first) for move in moves]
    return find_layout(Sources(known.propositions, game.fluents(first), legal, known.source))


@lru_cache(maxsize=64)
def bottom_of(game: Any) -> int | None:
    """The seat whose pieces are at the bottom in the beginning, if those of the other seat face it: else nobody wants to turn the board round."""
    layout = layout_of(game)
    if layout is None or game.facts.seats != 2:
        return None
    cells = layout.look(game.fluents(game.first())).cells
    rows: list[list[int]] = [[], []]
    for (_, row), words in cells.items():
        for seat, role in enumerate(game.seat_names):
            rows[seat] += [layout.rows.index(row) for word in words if role in word.split()]
    if not all(rows):
        return None
    first, second = (sum(own) / len(own) for own in rows)
    return (0 if first > second else 1) if 2 * abs(first - second) > len(layout.rows) else None


def status(game: Any, state: np.ndarray) -> str:
    """Whose turn it is."""
    words = {OVER: "the game is over", CHANCE: "chance chooses", JOINT: "all move at once"}
    return words.get(int(state[0])) or f"{game.seat_names[int(state[0])]} to move"


class Drawing:
    """The board of a game as text and as a picture."""

    __slots__ = ()

    def board_text(self: Any, state: np.ndarray, color: bool = False) -> str:
        """The state as text, with a grid where there is a board."""
        return board_text(layout_of(self), self.fluents(state))

    def status_text(self: Any, state: np.ndarray) -> str:
        """Whose turn it is, or how it ended."""
        return status(self, state)

    def board_svg(self: Any, state: np.ndarray, seat: int | None = None) -> str:
        """The state as a picture, turned round for a seat whose pieces began at the top."""
        turned = seat is not None and bottom_of(self) == 1 - seat
        return board_svg(
            Scene(info(self).name, status(self, state), self.seat_names, layout_of(self), self.fluents(state), turned)
        )
