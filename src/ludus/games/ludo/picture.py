"""A Ludo board as an SVG picture, for notebooks, pages and reports. Where things are, `board` knows."""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Iterable
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ludus.games.ludo.board import (
    COLOURS,
    SIDE,
    TEXT_WIDTH,
    TRACK,
    Cell,
    cell_of,
    describe,
    lane,
    marks,
    mover,
    narrow_text,
    pieces,
    playing,
    stacks,
    status,
    text,
    turned,
)
from ludus.games.ludo.rules import CLASSIC, DIE, LUDOPY_131, MOVABLE, LudoRules
from ludus.games.svg import PIPS, box, length, write

_CELL = 40.0
_FRAME = 18.0
_BOARD = SIDE * _CELL
_CAPTION = 34.0
_WIDTH = _BOARD + 2 * _FRAME
_HEIGHT = _WIDTH + _CAPTION
_R = 14.5  # a piece's radius
_SMALL = 9.0  # that of a piece which shares its square with another colour

_INK = "#f6ead2"  # writing on the frame
_PAPER = "#fdfaf3"
_LINE = "#b9ae9b"
_SIGN = "#a59a88"  # what is printed on squares
# Of each colour, and of a yard where nobody sits: light, body, rim, tint of its squares.
_FACE = (
    ("#ff8d7f", "#d63a32", "#8c1c18", "#f3b3ac"),
    ("#7fd694", "#2f9150", "#155a2d", "#acd9b8"),
    ("#ffe68a", "#eeb51f", "#a3760a", "#f8e3a1"),
    ("#8cc0ff", "#2f6fc2", "#16427f", "#aecbef"),
    ("#d8d2c6", "#bfb8aa", "#8f8878", "#e6e1d7"),
)
_ON_FACE = ("#fff", "#fff", "#4a3200", "#fff", "#6b6558")


def svg(game: LudoRules, state: np.ndarray) -> str:
    """The board as a picture: one self-contained SVG element, for notebooks, pages and files alike.

    >>> import ludus
    >>> svg(ludus.game("ludo"), ludus.game("ludo").start().state).splitlines()[-1]
    '</svg>'
    """
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"ludo{zlib.crc32(repr(tuple(game)).encode() + np.asarray(state, np.int64).tobytes()):08x}"
    title, words = escape(f"Ludo: {status(game, state)}"), escape(describe(game, state))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(_WIDTH)} {length(_HEIGHT)}" width="{length(_WIDTH)}" '
        f'height="{length(_HEIGHT)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">{title}</title>',
        f'<desc id="{key}-d">{words}</desc>',
        *_definitions(key),
        box(1, 1, _WIDTH - 2, _HEIGHT - 2, f"url(#{key}-w)", 16, 'stroke="#2e1a0c" stroke-width="2"'),
        box(_FRAME, _FRAME, _BOARD, _BOARD, _PAPER, 6),
        *_middle(game),
        *_squares(game, [cell for cell, stack in stacks(game, state).items() if len(stack) > 1]),
    ]
    for owner in range(4):
        parts += _yard(game, state, key, owner)
    for cell, stack in stacks(game, state).items():
        parts += _standing(key, cell, stack)
    for owner in playing(game):
        if home := pieces(state, owner).count(game.goal):
            x, y = _home(game, owner)
            parts += _piece(key, owner, x, y, _R, str(home))
    parts += _halos(game, state)
    parts.append(write(_WIDTH / 2, _HEIGHT - 19, status(game, state), 20, _INK))
    return "\n".join([*parts, "</svg>"])


def _center(cell: Cell) -> tuple[float, float]:
    return _FRAME + (cell[1] + 0.5) * _CELL, _FRAME + (cell[0] + 0.5) * _CELL


def _home(game: LudoRules, owner: int) -> tuple[float, float]:
    """Where the pieces that are home are shown: in the triangle, where it is as wide as they are."""
    x, y = _center(cell_of(game, owner, game.goal))
    if game.rules == LUDOPY_131:
        return x, y
    return x + 3 * (owner == 0) - 3 * (owner == 2), y + 3 * (owner == 1) - 3 * (owner == 3)


def _definitions(key: str) -> list[str]:
    out = ["<defs>"]
    for c, (light, body, rim, _) in enumerate(_FACE[:4]):
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


def _face(game: LudoRules, owner: int) -> int:
    return owner if owner in playing(game) else 4


def _middle(game: LudoRules) -> list[str]:
    """The goal: a triangle for each colour."""
    middle = _FRAME + _BOARD / 2
    out = []
    for owner in range(4):
        corners = [turned((6, 6), owner), turned((8, 6), owner)]  # the cells at both ends of its edge
        points = [(middle, middle)]
        for cell in corners:
            x, y = _center(cell)
            points.append((x + math.copysign(_CELL / 2, x - middle), y + math.copysign(_CELL / 2, y - middle)))
        shape = " ".join(f"{length(x)},{length(y)}" for x, y in points)
        out.append(
            f'<polygon points="{shape}" fill="{_FACE[_face(game, owner)][1]}" stroke="{_PAPER}" stroke-width="2"/>'
        )
    return out


def _squares(game: LudoRules, crowded: Collection[Cell]) -> list[str]:
    """The track and the home columns, with what is printed on them, unless pieces crowd there."""
    tint = {cell_of(game, c, 1): _FACE[_face(game, c)][3] for c in range(4)}
    columns = {cell_of(game, c, r): _FACE[_face(game, c)][1] for c in range(4) for r in range(lane(game), game.goal)}
    out = []
    for cell in (*TRACK, *columns):
        x, y = _center(cell)
        fill = columns.get(cell) or tint.get(cell, _PAPER)
        half = _CELL / 2
        out.append(box(x - half, y - half, _CELL, _CELL, fill, 2, f'stroke="{_LINE}"'))
    for cell, mark in marks(game).items():
        x, y = _center(cell)
        if cell in crowded:
            continue
        owner = next((c for c in range(4) if cell == cell_of(game, c, 1)), None)
        ink = _SIGN if owner is None else _FACE[_face(game, owner)][2]
        out.append(
            _star(x, y, ink) if mark == "star" else _shield(x, y, ink) if game.rules == CLASSIC else _globe(x, y, ink)
        )
    if game.rules == CLASSIC:
        out += [_arrow(game, c) for c in range(4)]
    return out


def _star(x: float, y: float, ink: str) -> str:
    points = []
    for i in range(10):
        radius, angle = (12.5, 5.2)[i % 2], math.pi * (i / 5 - 0.5)
        points.append(f"{length(x + radius * math.cos(angle))},{length(y + 0.8 + radius * math.sin(angle))}")
    return (
        f'<polygon points="{" ".join(points)}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"/>'
    )


def _shield(x: float, y: float, ink: str) -> str:
    shape = f"M{length(x - 9)} {length(y - 9)}q9 0 9 -3q0 3 9 3v7q0 8 -9 13q-9 -5 -9 -13z"
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"/>'


def _globe(x: float, y: float, ink: str) -> str:
    r = 11
    shape = (
        f"M{length(x - r)} {length(y)}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0h{2 * r}M{length(x)} {length(y - r)}"
        f"a5 {r} 0 0 0 0 {2 * r}a5 {r} 0 0 0 0 {-2 * r}"
    )
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="1.6"/>'


def _arrow(game: LudoRules, owner: int) -> str:
    """On the last square of the track that a colour enters: into its column."""
    (x, y), (there_x, there_y) = _center(cell_of(game, owner, 51)), _center(cell_of(game, owner, 52))
    dx, dy = (there_x - x) / _CELL, (there_y - y) / _CELL
    tip, tail = (x + 11 * dx, y + 11 * dy), (x - 11 * dx, y - 11 * dy)
    barbs = [(x + 3 * dx + side * 7 * dy, y + 3 * dy + side * 7 * dx) for side in (1, -1)]
    shape = f"M{_at(tail)}L{_at(tip)}M{_at(barbs[0])}L{_at(tip)}L{_at(barbs[1])}"
    ink = _FACE[_face(game, owner)][1]
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="3" stroke-linecap="round"/>'


def _at(point: tuple[float, float]) -> str:
    return f"{length(point[0])} {length(point[1])}"


def _yard_middle(owner: int) -> tuple[float, float]:
    row, column = turned((0, 0), owner)
    return _FRAME + (3 if column == 0 else 12) * _CELL, _FRAME + (3 if row == 0 else 12) * _CELL


def _sockets(owner: int) -> list[tuple[float, float]]:
    x, y = _yard_middle(owner)
    return [(x + right * 48, y + down * 48) for down in (-1, 1) for right in (-1, 1)]


def _yard(game: LudoRules, state: np.ndarray, key: str, owner: int) -> list[str]:
    """A colour's corner: its name, the pieces that wait, and the die if it is its turn."""
    face = _face(game, owner)
    _, body, rim, tint = _FACE[face]
    x, y = _yard_middle(owner)
    half = 3 * _CELL
    out = [
        box(x - half, y - half, 2 * half, 2 * half, body, 6),
        box(x - 84, y - 84, 168, 168, _PAPER, 22, f'stroke="{rim}" stroke-opacity="0.5" stroke-width="1.5"'),
    ]
    for cx, cy in _sockets(owner):
        out.append(_circle(cx, cy, 22, tint, f'stroke="{rim}" stroke-opacity="0.45" stroke-width="1.5"'))
    if face != owner:
        return out
    out.append(write(x, y - 95, COLOURS[owner], 18, _ON_FACE[owner], "bold"))
    if mover(game, state) == owner:
        out.append(
            box(
                x - half + 4, y - half + 4, 2 * half - 8, 2 * half - 8, "none", 6, f'stroke="{_PAPER}" stroke-width="4"'
            )
        )
    for (cx, cy), r in zip(_sockets(owner), pieces(state, owner)[::-1], strict=True):
        if r == 0:
            out += _piece(key, owner, cx, cy, _R + 2)
    if mover(game, state) == owner and state[DIE] > 0:
        out += _die(x, y, int(state[DIE]))
    return out


def _die(x: float, y: float, die: int) -> list[str]:
    size = 42.0
    out = [
        box(x - size / 2, y - size / 2 + 2, size, size, "#000", 9, 'fill-opacity="0.3"'),
        box(x - size / 2, y - size / 2, size, size, "#fff", 9, 'stroke="#55504a" stroke-width="1.5"'),
    ]
    for spot in PIPS[die]:
        out.append(_circle(x + 11.5 * (spot % 3 - 1), y + 11.5 * (spot // 3 - 1), 4, "#2b2723"))
    return out


def _places(stack: Iterable[int], cell: Cell) -> dict[int, tuple[float, float, float]]:
    """The center and radius of each colour's piece on one square: side by side where there are several colours."""
    x, y = _center(cell)
    owners = list(stack)
    if len(owners) == 1:
        return {owners[0]: (x, y, _R)}
    spots = [(-1, -1), (1, 1), (1, -1), (-1, 1)]
    return {c: (x + 9.5 * right, y + 9.5 * down, _SMALL) for c, (right, down) in zip(owners, spots, strict=False)}


def _standing(key: str, cell: Cell, stack: dict[int, int]) -> list[str]:
    out = []
    for owner, (x, y, r) in _places(stack, cell).items():
        out += _piece(key, owner, x, y, r, str(stack[owner]) if stack[owner] > 1 else "")
    return out


def _piece(key: str, owner: int, x: float, y: float, r: float, number: str = "") -> list[str]:
    rim = _FACE[owner][2]
    out = [
        _circle(x, y + 2, r, "#000", 'fill-opacity="0.3"'),
        _circle(x, y, r, f"url(#{key}-c{owner})", f'stroke="{_PAPER}" stroke-width="1.6"'),
        _circle(x, y, r * 0.6, "none", f'stroke="{rim}" stroke-opacity="0.5" stroke-width="1.5"'),
    ]
    if number:
        size = 17 if r > _SMALL else 13
        out.append(write(x, y + 0.35 * size, number, size, _ON_FACE[owner], "bold"))
    return out


def _halos(game: LudoRules, state: np.ndarray) -> list[str]:
    """A ring around every piece that may move."""
    owner = mover(game, state)
    if owner is None:
        return []
    own, at = state[4 * owner : 4 * owner + 4], stacks(game, state)
    free = {int(own[i]) for i in range(4) if state[MOVABLE] >> i & 1}
    rings = [_places(at[cell_of(game, owner, r)], cell_of(game, owner, r))[owner] for r in sorted(free) if r]
    if 0 in free:
        rings += [(x, y, _R + 2) for (x, y), r in zip(_sockets(owner), sorted(own.tolist()), strict=True) if r == 0]
    style = 'fill="none" stroke="#1d1a17" stroke-width="2.2" stroke-dasharray="5 3"'
    return [f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(r + 2.8)}" {style}/>' for x, y, r in rings]


def _circle(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    return f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(r)}" fill="{fill}"{" " + more if more else ""}/>'


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

    def board_svg(self: Any, state: np.ndarray) -> str:
        """The board as a picture."""
        return svg(self, state)
