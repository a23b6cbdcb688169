"""A Ludo board as a seat sees it: where its squares, yards and homes are in the picture, and its colours."""

from __future__ import annotations

import math
from typing import NamedTuple

from ludus.games.ludo.board import SIDE, Cell, cell_of, playing, turned
from ludus.games.ludo.rules import LUDOPY_131, LudoRules
from ludus.games.svg import length

CELL = 40.0
FRAME = 18.0
BOARD = SIDE * CELL
WIDTH = BOARD + 2 * FRAME
MIDDLE = WIDTH / 2

PAPER = "#fdfaf3"
# Of each colour, and of a yard where nobody sits: light, body, rim, tint of its squares.
FACE = (
    ("#ff8d7f", "#d63a32", "#8c1c18", "#f3b3ac"),
    ("#7fd694", "#2f9150", "#155a2d", "#acd9b8"),
    ("#ffe68a", "#eeb51f", "#a3760a", "#f8e3a1"),
    ("#8cc0ff", "#2f6fc2", "#16427f", "#aecbef"),
    ("#d8d2c6", "#bfb8aa", "#8f8878", "#e6e1d7"),
)
ON_FACE = ("#fff", "#fff", "#4a3200", "#fff", "#6b6558")


class View(NamedTuple):
    """A board as one seat sees it: turned by so many quarters, clockwise."""

    game: LudoRules
    quarters: int = 0

    def center(self, cell: Cell) -> tuple[float, float]:
        """The middle of a cell."""
        row, column = turned(cell, self.quarters)
        return FRAME + (column + 0.5) * CELL, FRAME + (row + 0.5) * CELL

    def home(self, owner: int) -> tuple[float, float]:
        """Where the pieces that are home are shown: in the triangle, where it is as wide as they are."""
        x, y = self.center(cell_of(self.game, owner, self.game.goal))
        if self.game.rules == LUDOPY_131:
            return x, y
        return x + 3 * ((x < MIDDLE) - (x > MIDDLE)), y + 3 * ((y < MIDDLE) - (y > MIDDLE))

    def triangle(self, owner: int) -> str:
        """The corners of a colour's goal."""
        points = [(MIDDLE, MIDDLE)]
        for cell in (turned((6, 6), owner), turned((8, 6), owner)):  # at both ends of its edge
            x, y = self.center(cell)
            points.append((x + math.copysign(CELL / 2, x - MIDDLE), y + math.copysign(CELL / 2, y - MIDDLE)))
        return " ".join(f"{length(x)},{length(y)}" for x, y in points)

    def yard(self, owner: int) -> tuple[float, float]:
        """The middle of a yard."""
        row, column = turned((0, 0), owner + self.quarters)
        return FRAME + (3 if column == 0 else 12) * CELL, FRAME + (3 if row == 0 else 12) * CELL

    def sockets(self, owner: int) -> list[tuple[float, float]]:
        """Where pieces wait in a yard."""
        x, y = self.yard(owner)
        return [(x + right * 48, y + down * 48) for down in (-1, 1) for right in (-1, 1)]

    def face(self, owner: int) -> int:
        """The paint of a colour, or that of one which does not play."""
        return owner if owner in playing(self.game) else 4
