"""A Ludo board as an SVG picture, for notebooks, pages and reports. Where things are, `board` knows.

Red's yard is at the top left, unless a seat is named that is to sit at the bottom: then its yard is at the bottom left. Squares, yards and homes can be
touched by a page; the ids of squares, `t0` to `t51`, are counted from red's start, and their names are as the seat to move counts.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ludus.games.ludo.board import (
    COLOURS,
    TEXT_WIDTH,
    TRACK,
    Cell,
    cell_of,
    describe,
    lane,
    marks,
    mover,
    narrow_text,
    playing,
    stacks,
    status,
    text,
)
from ludus.games.ludo.pieces import halos, places, standing, waiting
from ludus.games.ludo.rules import CLASSIC, DIE, LudoRules
from ludus.games.ludo.shapes import circle, globe, shield, sign, star
from ludus.games.ludo.view import BOARD, CELL, FACE, FRAME, ON_FACE, PAPER, WIDTH, View
from ludus.games.svg import PIPS, box, die, length, write

_CAPTION = 34.0
_HEIGHT = WIDTH + _CAPTION

_INK = "#f6ead2"  # writing on the frame
_LINE = "#b9ae9b"
_SIGN = "#a59a88"  # what is printed on squares


def svg(game: LudoRules, state: np.ndarray, seat: int | None = None) -> str:
    """The board as a picture, with a seat at the bottom if one is named: one self-contained SVG element, for notebooks, pages and files alike.

    >>> import ludus
    >>> svg(ludus.game("ludo"), ludus.game("ludo").start().state).splitlines()[-1]
    '</svg>'
    """
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"ludo{zlib.crc32(repr(tuple(game)).encode() + np.asarray(state, np.int64).tobytes()):08x}"
    title, words = escape(f"Ludo: {status(game, state)}"), escape(describe(game, state))
    view = View(game, 0 if seat is None else 3 - playing(game)[seat])
    on = stacks(game, state)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(WIDTH)} {length(_HEIGHT)}" width="{length(WIDTH)}" '
        f'height="{length(_HEIGHT)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">{title}</title>',
        f'<desc id="{key}-d">{words}</desc>',
        *_definitions(key),
        box(1, 1, WIDTH - 2, _HEIGHT - 2, f"url(#{key}-w)", 16, 'stroke="#2e1a0c" stroke-width="2"'),
        box(FRAME, FRAME, BOARD, BOARD, PAPER, 6),
        *_goals(view),
        *_squares(view, [cell for cell, stack in on.items() if len(stack) > 1]),
    ]
    for owner in range(4):
        parts += _yard(view, state, owner)
    parts += places(view, state)
    for cell, stack in on.items():
        parts += standing(view, key, cell, stack)
    for owner in playing(game):
        parts += waiting(view, state, key, owner)
    parts += halos(view, state)
    owner_due = mover(game, state)
    if owner_due is not None and state[DIE] > 0:
        parts += _die(*view.yard(owner_due), int(state[DIE]))
    parts.append(write(WIDTH / 2, _HEIGHT - 19, status(game, state), 20, _INK))
    return "\n".join([*parts, "</svg>"])


def _definitions(key: str) -> list[str]:
    out = ["<defs>"]
    for c, (light, body, rim, _) in enumerate(FACE[:4]):
        out.append(
            f'<radialGradient id="{key}-c{c}" cx="0.38" cy="0.32" r="0.75"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset="0.6" stop-color="{body}"/><stop offset="1" stop-color="{rim}"/></radialGradient>'
        )
    out += [
        f'<linearGradient id="{key}-w" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#7a4e2b"/>'
        '<stop offset="0.5" stop-color="#5f3a1e"/><stop offset="1" stop-color="#4a2c16"/></linearGradient>',
        "</defs>",
    ]
    return out


def _goals(view: View) -> Iterator[str]:
    """The goal: a triangle for each colour."""
    for owner in range(4):
        fill = FACE[view.face(owner)][1]
        yield f'<polygon points="{view.triangle(owner)}" fill="{fill}" stroke="{PAPER}" stroke-width="2"/>'


def _squares(view: View, crowded: Collection[Cell]) -> list[str]:
    """The track and the home columns, with what is printed on them, unless pieces crowd there."""
    game, out = view.game, []
    tint = {cell_of(game, c, 1): FACE[view.face(c)][3] for c in range(4)}
    columns = {cell_of(game, c, r): c for c in range(4) for r in range(lane(game), game.goal)}
    for cell in (*TRACK, *columns):
        x, y = view.center(cell)
        fill = FACE[view.face(columns[cell])][1] if cell in columns else tint.get(cell, PAPER)
        half = CELL / 2
        out.append(box(x - half, y - half, CELL, CELL, fill, 2, f'stroke="{_LINE}"'))
        if cell in columns and columns[cell] in playing(game):
            owner = columns[cell]
            out.append(sign(owner, x, y, 7, f'fill="{ON_FACE[owner]}" fill-opacity="0.55"'))
    for cell, mark in marks(game).items():
        x, y = view.center(cell)
        if cell in crowded:
            continue
        beginner = next((c for c in range(4) if cell == cell_of(game, c, 1)), None)
        ink = _SIGN if beginner is None else FACE[view.face(beginner)][2]
        printed = star if mark == "star" else shield if game.rules == CLASSIC else globe
        out.append(printed(x, y, ink))
    if game.rules == CLASSIC:
        out += [_arrow(view, c) for c in range(4)]
    return out


def _arrow(view: View, owner: int) -> str:
    """On the last square of the track that a colour enters: into its column."""
    cells = [cell_of(view.game, owner, r) for r in (51, 52)]
    (x, y), (there_x, there_y) = map(view.center, cells)
    dx, dy = (there_x - x) / CELL, (there_y - y) / CELL
    tip, tail = (x + 11 * dx, y + 11 * dy), (x - 11 * dx, y - 11 * dy)
    barbs = [(x + 3 * dx + side * 7 * dy, y + 3 * dy + side * 7 * dx) for side in (1, -1)]
    shape = f"M{_at(tail)}L{_at(tip)}M{_at(barbs[0])}L{_at(tip)}L{_at(barbs[1])}"
    ink = FACE[view.face(owner)][1]
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="3" stroke-linecap="round"/>'


def _at(point: tuple[float, float]) -> str:
    return f"{length(point[0])} {length(point[1])}"


def _yard(view: View, state: np.ndarray, owner: int) -> list[str]:
    """A colour's corner: its name and sign, and a frame if it is its turn."""
    face = view.face(owner)
    _, body, rim, tint = FACE[face]
    x, y = view.yard(owner)
    half = 3 * CELL
    out = [
        box(x - half, y - half, 2 * half, 2 * half, body, 6),
        box(x - 84, y - 84, 168, 168, PAPER, 22, f'stroke="{rim}" stroke-opacity="0.5" stroke-width="1.5"'),
    ]
    for cx, cy in view.sockets(owner):
        out.append(circle(cx, cy, 22, tint, f'stroke="{rim}" stroke-opacity="0.45" stroke-width="1.5"'))
    if face == owner:
        out.append(write(x, y - 95, COLOURS[owner], 18, ON_FACE[owner], "bold"))
        out += [sign(owner, x + side * 52, y - 101, 8, f'fill="{ON_FACE[owner]}"') for side in (-1, 1)]
        if mover(view.game, state) == owner:
            frame = f'stroke="{PAPER}" stroke-width="4"'
            out.append(box(x - half + 4, y - half + 4, 2 * half - 8, 2 * half - 8, "none", 6, frame))
    return out


def _die(x: float, y: float, value: int) -> list[str]:
    size = 42.0
    shapes = [
        box(x - size / 2, y - size / 2 + 2, size, size, "#000", 9, 'fill-opacity="0.3"'),
        box(x - size / 2, y - size / 2, size, size, "#fff", 9, 'stroke="#55504a" stroke-width="1.5"'),
    ]
    for spot in PIPS[value]:
        shapes.append(circle(x + 11.5 * (spot % 3 - 1), y + 11.5 * (spot // 3 - 1), 4, "#2b2723"))
    return die(value, shapes)


# --- what a game offers ----------------------------------------------------------------------------------------------


class Drawing:
    """The board of a game as text and as a picture."""

    __slots__ = ()

    def board_text(self: Any, state: np.ndarray, color: bool = False) -> str:
        """The board for the terminal."""
        return text(self, state, color)

    def board_for(self: Any, state: np.ndarray, color: bool, width: int, seat: int | None = None) -> str:
        """The board for a terminal of some width; squares are numbered as the seat to move counts them, if there is room for numbers."""
        return text(self, state, color) if width >= TEXT_WIDTH else narrow_text(self, state, color)

    def status_text(self: Any, state: np.ndarray) -> str:
        """Whose turn it is, or how it ended."""
        return status(self, state)

    def board_svg(self: Any, state: np.ndarray, seat: int | None = None) -> str:
        """The board as a picture, with a seat at the bottom if one is named."""
        return svg(self, state, seat)
