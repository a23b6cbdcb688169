"""A Quoridor board as an SVG picture, for notebooks, pages and reports. What it shows is `board.py`'s."""

from __future__ import annotations

import zlib
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ludus.contract.rules import OVER
from ludus.games.quoridor.bitboard import PAWN, TURN, WIDTH, side_of
from ludus.games.quoridor.board import describe, number, status, steps_left, stock, text, winner
from ludus.games.quoridor.naming import COLUMNS, goal_text, seat_names, walls_on
from ludus.games.svg import box, length, write

# All lengths in units of the view box.
_SQUARE = 44.0
_GROOVE = 11.0
_PITCH = _SQUARE + _GROOVE
_FRAME = 34.0
_PANEL = 196.0  # beside the board
_BLOCK = 92.0  # of a seat in the panel
_THICK = 8.0  # a wall

_WOOD, _EDGE, _BED, _FIELD, _INK = "#4a2c16", "#2e1a0c", "#5a351a", "#a9764a", "#f2e2c4"
_WALL, _WALL_RIM = "#fbf3dc", "#8a744c"
_FACE = {  # of each seat: light, body, rim
    "yellow": ("#fff3b0", "#f2c230", "#9a7200"),
    "green": ("#9fe0a8", "#2f9e44", "#14532d"),
    "blue": ("#a9cdfb", "#2f6fd0", "#123a78"),
    "red": ("#f7b0a8", "#cf3a2b", "#6e1410"),
}


def svg(game: Any, state: np.ndarray) -> str:
    """The board as a picture: one self-contained SVG element, for notebooks, pages and files alike."""
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"qu{zlib.crc32(np.asarray(state, np.int64).tobytes()):08x}"
    side = game.size * _PITCH - _GROOVE
    wide, high = side + 2 * _FRAME + _PANEL, max(side + 2 * _FRAME, game.seats * _BLOCK + 70)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(wide)} {length(high)}" width="{length(wide)}" '
        f'height="{length(high)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">Quoridor: {escape(status(game, state))}</title>',
        f'<desc id="{key}-d">{escape(describe(game, state))}</desc>',
        *_definitions(game, key),
        box(1, 1, wide - 2, high - 2, _WOOD, 14, f'stroke="{_EDGE}" stroke-width="2"'),
        box(_FRAME - 8, _FRAME - 8, side + 16, side + 16, _BED, 6, f'stroke="{_EDGE}" stroke-width="2"'),
        *_squares(game),
    ]
    for wall in walls_on(state):
        parts += _wall(game, wall)
    for seat, name in enumerate(seat_names(game)):
        square = int(state[PAWN + seat])
        x, y = _corner(game, square // WIDTH, square % WIDTH)
        parts += _pawn(key, name, x + _SQUARE / 2, y + _SQUARE / 2, 16)
    parts += _panel(game, state, key, side + 2 * _FRAME, high)
    return "\n".join([*parts, "</svg>"])


def _corner(game: Any, row: int, column: int) -> tuple[float, float]:
    """Where the upper left corner of a square is."""
    return _FRAME + column * _PITCH, _FRAME + (game.size - 1 - row) * _PITCH


def _definitions(game: Any, key: str) -> list[str]:
    out = ["<defs>"]
    for name in seat_names(game):
        light, body, rim = _FACE[name]
        out.append(
            f'<radialGradient id="{key}-{name}" cx="0.38" cy="0.32" r="0.75"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset="0.65" stop-color="{body}"/><stop offset="1" stop-color="{rim}"/></radialGradient>'
        )
    return [*out, "</defs>"]


def _squares(game: Any) -> list[str]:
    """The squares, those of a goal with a line in the colour of who wants to get there, and the names of rows and columns."""
    out = []
    last = game.size - 1
    for row in range(game.size):
        for column in range(game.size):
            x, y = _corner(game, row, column)
            out.append(box(x, y, _SQUARE, _SQUARE, _FIELD, 4))
    for seat, name in enumerate(seat_names(game)):
        goal = side_of(game, seat)
        for i in range(game.size):
            x, y = _corner(game, *((last, i), (i, last), (0, i), (i, 0))[goal])
            tall = goal % 2 == 1
            x += _SQUARE - 5 if goal == 1 else 2 if tall else 4
            y += _SQUARE - 5 if goal == 2 else 2 if not tall else 4
            wide, high = (3, _SQUARE - 8) if tall else (_SQUARE - 8, 3)
            out.append(box(x, y, wide, high, _FACE[name][1], 1.5, 'fill-opacity="0.8"'))
    for i in range(game.size):
        x, y = _corner(game, i, i)
        out += [write(x + _SQUARE / 2, _FRAME + game.size * _PITCH - _GROOVE + 26, COLUMNS[i], 15, _INK)]
        out += [write(_FRAME / 2 - 4, y + _SQUARE / 2 + 5, str(i + 1), 15, _INK)]
    return out


def _wall(game: Any, wall: int) -> list[str]:
    row, column = wall >> 3 & 7, wall & 7
    x, y = _corner(game, row, column)  # of the square below and to the left of the middle
    long, off = 2 * _SQUARE + _GROOVE, (_GROOVE - _THICK) / 2
    if wall < 64:
        place = x, y - _GROOVE + off, long, _THICK
    else:
        place = x + _SQUARE + off, y - _PITCH, _THICK, long
    shadow = place[0] + 1.5, place[1] + 2, place[2], place[3]
    return [
        box(*shadow, "#000", 3, 'fill-opacity="0.35"'),
        box(*place, _WALL, 3, f'stroke="{_WALL_RIM}" stroke-width="1"'),
    ]


def _pawn(key: str, name: str, x: float, y: float, radius: float) -> list[str]:
    rim = _FACE[name][2]
    at = f'cx="{length(x)}" cy="{length(y)}"'
    return [
        f'<circle cx="{length(x)}" cy="{length(y + 2.5)}" r="{length(radius)}" fill="#000" fill-opacity="0.35"/>',
        f'<circle {at} r="{length(radius)}" fill="url(#{key}-{name})" stroke="{rim}"/>',
        f'<circle {at} r="{length(radius * 0.5)}" fill="none" stroke="{rim}" stroke-opacity="0.45" stroke-width="1.5"/>',
    ]


def _panel(game: Any, state: np.ndarray, key: str, left: float, high: float) -> list[str]:
    """Beside the board: the seats, those above first, with their walls and distances; the number of the move below."""
    names = seat_names(game)
    order = [1, 0] if game.seats == 2 else [2, 1, 3, 0]
    top = (high - game.seats * _BLOCK - 30) / 2
    middle = left + (_PANEL - 16) / 2
    out = []
    for place, seat in enumerate(order):
        y = top + place * _BLOCK
        due = state[TURN] == seat or (state[TURN] == OVER and winner(game, state) == seat)
        rim = f'stroke="{_FACE[names[seat]][1]}" stroke-width="3"' if due else f'stroke="{_EDGE}" stroke-width="1.5"'
        out.append(box(left, y, _PANEL - 16, _BLOCK - 12, "#2b1a0e", 8, rim))
        out += _pawn(key, names[seat], left + 24, y + 22, 12)
        left_walls = stock(game, state, seat)
        out.append(write(middle + 14, y + 28, names[seat], 18, _INK, "bold"))
        count = min(left_walls, 20)
        step = min(12.0, (_PANEL - 44) / max(count, 1))
        for i in range(count):
            out.append(box(left + 14 + i * step, y + 40, min(6.0, step - 2), 16, _WALL, 1.5))
        words = f"{left_walls} wall{'s' if left_walls != 1 else ''}, {steps_left(game, state, seat)} to {goal_text(game, seat)}"
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

    def board_svg(self, state: np.ndarray) -> str:
        """The board as a picture."""
        return svg(self, state)

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
