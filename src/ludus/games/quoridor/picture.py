"""A Quoridor board as an SVG picture, for notebooks, pages and reports. What it shows is `board.py`'s.

Any seat can sit at the bottom: the board is turned by quarters, and names of squares and walls stay what they are. Squares and grooves can be
touched by a page; where a wall would stand lies a `ghost` of it, which a page may show by giving it some `fill-opacity`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from ludus.contract.rules import OVER
from ludus.games.quoridor.bitboard import PAWN, TURN, WIDTH, side_of
from ludus.games.quoridor.board import describe, number, status, steps_left, stock, text, winner
from ludus.games.quoridor.naming import (
    COLUMNS,
    goal_text,
    is_anchor,
    seat_names,
    square_text,
    wall_text,
    walls_on,
)
from ludus.games.svg import box, length, piece, place, write

# All lengths in units of the view box.
_SQUARE = 44.0
_GROOVE = 11.0
_PITCH = _SQUARE + _GROOVE
_FRAME = 34.0
_PANEL = 196.0  # beside the board
_BLOCK = 92.0  # of a seat in the panel
_THICK = 8.0  # a wall
_LONG = 2 * _SQUARE + _GROOVE
_REACH = 10.0  # how far from the middle of a groove it can be touched

_WOOD, _EDGE, _BED, _FIELD, _INK = "#4a2c16", "#2e1a0c", "#5a351a", "#a9764a", "#f2e2c4"
_WALL, _WALL_RIM = "#fbf3dc", "#8a744c"
_FACE = {  # of each seat: light, body, rim, letter
    "yellow": ("#fff3b0", "#f2c230", "#9a7200", "#5c4300"),
    "green": ("#9fe0a8", "#2f9e44", "#14532d", "#fff"),
    "blue": ("#a9cdfb", "#2f6fd0", "#123a78", "#fff"),
    "red": ("#f7b0a8", "#cf3a2b", "#6e1410", "#fff"),
}


class _View(NamedTuple):
    """A board as one seat sees it: turned by so many quarters, to the left."""

    game: Any
    quarters: int

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """Where the upper left corner of a square is."""
        high, wide = self.game.size, self.game.columns
        for _ in range(self.quarters):
            row, column = column, high - 1 - row
            high, wide = wide, high
        return _FRAME + column * _PITCH, _FRAME + (high - 1 - row) * _PITCH

    def extent(self) -> tuple[float, float]:
        """How wide and how high the board is, without its frame."""
        wide, high = self.game.columns * _PITCH - _GROOVE, self.game.size * _PITCH - _GROOVE
        return (wide, high) if self.quarters % 2 == 0 else (high, wide)

    def middle(self, wall: int) -> tuple[float, float]:
        """Where the middle of a wall is: between four squares."""
        row, column = wall >> 3 & 7, wall & 7
        corners = [self.corner(row, column), self.corner(row + 1, column + 1)]
        return sum(x for x, _ in corners) / 2 + _SQUARE / 2, sum(y for _, y in corners) / 2 + _SQUARE / 2

    def size(self, wall: int) -> tuple[float, float]:
        """How wide and how high a wall is."""
        return (_LONG, _THICK) if (wall < 64) == (self.quarters % 2 == 0) else (_THICK, _LONG)


def svg(game: Any, state: np.ndarray, seat: int | None = None) -> str:
    """The board as a picture, with a seat at the bottom, yellow if none is named: one self-contained SVG element, for notebooks, pages and
    files alike.
    """
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"qu{zlib.crc32(np.asarray(state, np.int64).tobytes()):08x}"
    view = _View(game, side_of(game, seat or 0))
    across, upright = view.extent()
    edge, tall = across + 2 * _FRAME, upright + 2 * _FRAME
    wide, high = edge + _PANEL, max(tall, game.seats * _BLOCK + 70)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(wide)} {length(high)}" width="{length(wide)}" '
        f'height="{length(high)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        f'data-board="0 0 {length(edge)} {length(tall)}" '  # what a small screen may show, without the panel
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">Quoridor: {escape(status(game, state))}</title>',
        f'<desc id="{key}-d">{escape(describe(game, state))}</desc>',
        *_definitions(game, key),
        box(1, 1, wide - 2, high - 2, _WOOD, 14, f'stroke="{_EDGE}" stroke-width="2"'),
        box(_FRAME - 8, _FRAME - 8, across + 16, upright + 16, _BED, 6, f'stroke="{_EDGE}" stroke-width="2"'),
        *_squares(view, state),
        *_edges(view),
        *_grooves(view, set(walls_on(state))),
    ]
    for wall in walls_on(state):
        parts += piece(wall_text(wall), "wall", 0, _wall(view, wall))
    for owner, name in enumerate(seat_names(game)):
        square = int(state[PAWN + owner])
        x, y = view.corner(square // WIDTH, square % WIDTH)
        parts += piece(square_text(square), name, 0, _pawn(key, name, x + _SQUARE / 2, y + _SQUARE / 2, 16))
    parts += ['<g class="panel">', *_panel(game, state, key, seat or 0, (edge, high)), "</g>"]
    return "\n".join([*parts, "</svg>"])


def _definitions(game: Any, key: str) -> list[str]:
    out = ["<defs>"]
    for name in seat_names(game):
        light, body, rim, _ = _FACE[name]
        out.append(
            f'<radialGradient id="{key}-{name}" cx="0.38" cy="0.32" r="0.75"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset="0.65" stop-color="{body}"/><stop offset="1" stop-color="{rim}"/></radialGradient>'
        )
    return [*out, "</defs>"]


def _squares(view: _View, state: np.ndarray) -> Iterator[str]:
    """The squares."""
    standing = {int(state[PAWN + seat]): name for seat, name in enumerate(seat_names(view.game))}
    for row in range(view.game.size):
        for column in range(view.game.columns):
            x, y = view.corner(row, column)
            square = WIDTH * row + column
            name = square_text(square) + (f", {standing[square]}'s pawn" if square in standing else "")
            yield box(x, y, _SQUARE, _SQUARE, _FIELD, 4, place(square_text(square), name))


def _edges(view: _View) -> Iterator[str]:
    """At each goal a line in the colour of who wants to get there, and the names of rows and columns."""
    game, top, right = view.game, view.game.size - 1, view.game.columns - 1
    for seat, name in enumerate(seat_names(game)):
        goal = side_of(game, seat)
        seen = (goal - view.quarters) % 4
        for i in range(game.size if goal & 1 else game.columns):
            x, y = view.corner(*((top, i), (i, right), (0, i), (i, 0))[goal])
            tall = seen % 2 == 1
            x += _SQUARE - 5 if seen == 1 else 2 if tall else 4
            y += _SQUARE - 5 if seen == 2 else 2 if not tall else 4
            wide, high = (3, _SQUARE - 8) if tall else (_SQUARE - 8, 3)
            yield box(x, y, wide, high, _FACE[name][1], 1.5, 'fill-opacity="0.8" pointer-events="none"')
    below, beside = _FRAME + view.extent()[1] + 26, _FRAME / 2 - 4
    for i in range(max(game.size, game.columns)):
        for odd, (name, square) in enumerate(((COLUMNS[i], (0, i)), (str(i + 1), (i, 0)))):
            if i >= (game.size if odd else game.columns):
                continue
            x, y = view.corner(*square)
            at = (x + _SQUARE / 2, below) if view.quarters % 2 == odd else (beside, y + _SQUARE / 2 + 5)
            yield write(at[0], at[1], name, 15, _INK)


def _grooves(view: _View, built: set[int]) -> Iterator[str]:
    """Where walls can be touched: each in the halves of the grooves that are next to its middle. There both kinds of walls share the ground
    by diagonals.
    """
    near, across, along = length(_REACH), length(2 * _REACH), length(_PITCH / 2 - _REACH)
    lying = f"M0 0l{near} {near}h{along}v-{across}h-{along}L-{near} {near}h-{along}v-{across}h{along}z"
    standing = f"M0 0l{near} {near}v{along}h-{across}v-{along}L{near} -{near}v-{along}h-{across}v{along}z"
    yield f'<g fill="{_WALL}" fill-opacity="0">'
    for wall in range(128):
        if is_anchor(view.game, wall & 63):
            x, y = view.middle(wall)
            name = f"wall {wall_text(wall)}" + ", built" * (wall in built)
            wide, high = view.size(wall)
            group = "walls across" if wide > high else "walls upright"  # where fingers are thick, one kind at a time
            ghost = f"M{length(-wide / 2)} {length(-high / 2)}h{length(wide)}v{length(high)}h{length(-wide)}z"
            yield (
                f'<g {place(wall_text(wall), name)} data-group="{group}" transform="translate({length(x)} {length(y)})">'
                f'<path d="{lying if wide > high else standing}"/>'
                f'<path class="ghost" d="{ghost}" pointer-events="none"/></g>'
            )
    yield "</g>"


def _wall(view: _View, wall: int) -> list[str]:
    x, y = view.middle(wall)
    wide, high = view.size(wall)
    left, top = x - wide / 2, y - high / 2
    return [
        box(left + 1.5, top + 2, wide, high, "#000", 3, 'fill-opacity="0.35"'),
        box(left, top, wide, high, _WALL, 3, f'stroke="{_WALL_RIM}" stroke-width="1"'),
    ]


def _pawn(key: str, name: str, x: float, y: float, radius: float) -> list[str]:
    rim = _FACE[name][2]
    at = f'cx="{length(x)}" cy="{length(y)}"'
    return [
        f'<circle cx="{length(x)}" cy="{length(y + 2.5)}" r="{length(radius)}" fill="#000" fill-opacity="0.35"/>',
        f'<circle {at} r="{length(radius)}" fill="url(#{key}-{name})" stroke="{rim}"/>',
        f'<circle {at} r="{length(radius * 0.62)}" fill="none" stroke="{rim}" stroke-opacity="0.45" stroke-width="1.5"/>',
        # Colours are not told apart by everybody.
        write(x, y + 0.36 * radius, name[0].upper(), round(radius), _FACE[name][3], "bold"),
    ]


def _panel(game: Any, state: np.ndarray, key: str, seat: int, corner: tuple[float, float]) -> list[str]:
    """Beside the board: the seats, those above first, with their walls and distances; the number of the move below."""
    names, (left, high) = seat_names(game), corner
    order = [(seat + i) % game.seats for i in ((1, 0) if game.seats == 2 else (2, 1, 3, 0))]
    top = (high - game.seats * _BLOCK - 30) / 2
    middle = left + (_PANEL - 16) / 2
    out = []
    for line, owner in enumerate(order):
        y = top + line * _BLOCK
        due = state[TURN] == owner or (state[TURN] == OVER and winner(game, state) == owner)
        rim = f'stroke="{_FACE[names[owner]][1]}" stroke-width="3"' if due else f'stroke="{_EDGE}" stroke-width="1.5"'
        out.append(box(left, y, _PANEL - 16, _BLOCK - 12, "#2b1a0e", 8, rim))
        out += _pawn(key, names[owner], left + 24, y + 22, 12)
        left_walls = stock(game, state, owner)
        out.append(write(middle + 14, y + 28, names[owner], 18, _INK, "bold"))
        count = min(left_walls, 20)
        step = min(12.0, (_PANEL - 44) / max(count, 1))
        for i in range(count):
            out.append(box(left + 14 + i * step, y + 40, min(6.0, step - 2), 16, _WALL, 1.5))
        words = f"{left_walls} wall{'s' if left_walls != 1 else ''}, {steps_left(game, state, owner)} to {goal_text(game, owner)}"
        out.append(write(middle, y + 73, words, 13, _INK))
    last = f"move {number(game, state)}: {status(game, state)}"
    return [*out, write(middle, top + game.seats * _BLOCK + 14, last, 15, _INK)]


# --- what a game offers ----------------------------------------------------------------------------------------------


class Drawing:
    """The board of a game as text and as a picture, and the words that go with it."""

    __slots__ = ()

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        """The board for the terminal."""
        return text(self, state, color)

    def status_text(self, state: np.ndarray) -> str:
        """Whose turn it is, or how it ended."""
        return status(self, state)

    def board_svg(self, state: np.ndarray, seat: int | None = None) -> str:
        """The board as a picture, with a seat at the bottom, the first if none is named."""
        return svg(self, state, seat)

    @property
    def history(self) -> bool:
        """Whether the terminal lists the moves beside the board."""
        return True

    @property
    def menu(self) -> bool:
        """Whether `ludus play` opens with a menu."""
        return True

    @property
    def short_training(self) -> tuple[str, int]:
        """What the menu offers to train: a preset, and as many games as it takes to beat `path` every time; less than a minute."""
        return "qlnn", 3_000

    def result_text(self, state: np.ndarray) -> str:
        """How the game was won, as it reads after "You win"."""
        won = winner(self, state)
        return "" if won is None else f"by reaching {goal_text(self, won)}"
