"""Rulesheets by touch: moves that name a cell, two of them, or a column. All others are chosen from the list of moves.

Nothing in a sheet says which words of a move are a cell. Those that follow each other and are called as a column and a row are taken for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.position import Position
from ludus.contract.touching import Touch, Turn, one_touch
from ludus.games.gdl.drawing import layout_of
from ludus.games.gdl.kif import read_term
from ludus.games.gdl.layout import Cell, Layout, Seen, take_apart


class Named:
    """The places that a move names."""

    def __init__(self, layout: Layout, text: str) -> None:
        _, values, owners = take_apart(read_term(text))
        self.cells: list[Cell] = []
        self.rest: list[str] = []
        i = 0
        while i < len(values):
            pair = (values[i], values[i + 1]) if owners[i : i + 2] == [owners[i]] * 2 else None
            if pair in layout.named:
                self.cells.append(pair)
                i += 2
            else:
                self.rest.append(values[i])
                i += 1
        self.column = self.rest[0] if len(values) == 1 and self.rest[0] in layout.columns else None
        if len(self.cells) == 1:  # it may be linked with what lies beside the board, where each row has a place
            cell = self.cells[0]
            self.cells += [(name, cell[1]) for name in self.rest if (cell, name) in layout.side_cells]

    def source(self, seen: Seen, role: str) -> Cell | None:
        """The cell of the one piece of a role that is named, if a piece is: in `move king 4 2` it is where the king is."""
        wanted = {role, *self.rest}
        at = [cell for cell, words in seen.cells.items() if any(wanted <= set(word.split()) for word in words)]
        return at[0] if self.rest and len(at) == 1 else None


def place_of(cell: Cell) -> str:
    """The id of a cell.

    >>> place_of(("2", "3"))
    '2,3'
    """
    return ",".join(cell)


class Touching:
    """Which places may be touched."""

    __slots__ = ()

    def turn_of(self: Any, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
        """A seat's turn: one touch makes a move. Where all seats move at once, the state stays what it is.

        >>> import ludus
        >>> start = ludus.game("tictactoe").start()
        >>> start.game.turn_of(start.state, 0).touches[0]
        Touch(source=None, target='1,1', text='( mark 1 1 )', move='( mark 1 1 )', name='mark 1 1', confirm=False, button='', key='')
        """
        position, layout = Position(self, state), layout_of(self)
        touches: list[Touch] = []
        if layout is not None and position.kind in ("decision", "joint"):
            seen, role = layout.look(self.fluents(state)), self.seat_names[seat]
            for move in position.moves(seat):
                touches += _touches(layout, seen, role, str(move))

        def after(text: str) -> np.ndarray:
            return position.play(text).state if position.kind == "decision" else state

        return one_touch(state, touches, touched, after)

    def places_of(self: Any, state: np.ndarray, move: int) -> list[str]:
        """The cells that a move names; or those that it changes, if it names none and its seat alone moves."""
        position, layout = Position(self, state), layout_of(self)
        if layout is None or position.kind not in ("decision", "joint"):
            return []
        text = self.move_text(state, move)
        named, before = Named(layout, text), layout.look(self.fluents(state))
        cells: list[Cell] = list(named.cells)
        if position.turn is not None and len(cells) == 1:
            source = named.source(before, self.seat_names[position.turn])
            cells = [source, *cells] if source else cells
        if not cells and position.kind == "decision":
            now = layout.look(self.fluents(position.play(int(move)).state))
            places = sorted(layout.named)
            cells = [cell for cell in places if before.cells.get(cell, []) != now.cells.get(cell, [])]
        return list(dict.fromkeys(place_of(cell) for cell in cells))


def _touches(layout: Layout, seen: Seen, role: str, text: str) -> list[Touch]:
    """The touches that make a move: one, or one for each cell of a column."""
    named = Named(layout, text)
    name = text[2:-2] if text.startswith("( ") else text
    targets = [place_of(cell) for cell in named.cells]
    source: str | None = None
    if named.column is not None:
        targets = [place_of((named.column, row)) for row in layout.rows if (named.column, row) in layout.named]
    elif len(targets) > 1:
        source, targets = targets[0], targets[-1:]
    elif targets and (cell := named.source(seen, role)):
        source = place_of(cell)
    return [Touch(source, target, text, text, name) for target in targets]
