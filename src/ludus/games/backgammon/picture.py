"""A backgammon board as an SVG picture, for notebooks, pages and reports. What it shows is `board.py`'s.

Whoever sits at the bottom has point 1 at the bottom right; seen by the other seat the board is the same, upside down. Points and trays can
be touched by a page: their ids are those of seat 0's count, whoever looks, and their names are what is written on the board.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from ludus.games.backgammon.board import (
    BOTTOM,
    HEIGHT,
    NAMES,
    TOP,
    WINS,
    Beside,
    cube_text,
    describe,
    number_of,
    pips,
    stack_on,
    status,
    text,
    winner,
)
from ludus.games.backgammon.rules import BAR, CHECKERS, DIE1, DIE2, OFF, SIDE, TURN, win_size
from ludus.games.svg import HIDDEN, PIPS, area, box, die, length, piece, place, write

# All lengths in units of the view box. A point is as wide as a checker and a little air.
_R = 21.0  # a checker's radius
_STEP = 2 * _R + 1  # from one checker of a stack to the next
_POINT = 47.0  # width of a point
_FRAME = 36.0
_BAR = 54.0
_TRAY = 50.0
_CUBE = 40.0
_RAIL = 16.0  # between the board and the tray
_HALF = 6 * _POINT
_FELT = 2 * HEIGHT * _STEP + 62  # height of the playing field: two full stacks, and room for the dice between them
_WIDTH = 2 * _FRAME + 2 * _HALF + _BAR + _RAIL + _TRAY
_HEIGHT = 2 * _FRAME + _FELT

_LEFT = _FRAME
_RIGHT = _FRAME + _HALF + _BAR  # left edge of the right half
_TRAY_X = _RIGHT + _HALF + _RAIL
_BAR_X = _LEFT + _HALF + _BAR / 2
_MIDDLE = _HEIGHT / 2
_BOTTOM = _FRAME + _FELT

_FELT_COLOR = "#2c5a47"
_POINT_COLORS = ("#d9b98a", "#8f3b2b")
_INK = "#f2e2c4"  # writing on the frame
_FACE = (("#fffaf0", "#e6d6b8", "#a88f66"), ("#5a5560", "#26232b", "#0d0c10"))  # of each seat: light, body, rim
_ON_FACE = ("#3a2a18", "#f4ead8")


class Point(NamedTuple):
    """Where a point of the board is."""

    number: int  # as seat 0 counts
    column: int  # from the left
    edge: float  # its broad end
    inwards: int  # 1: it points downwards, -1: upwards

    @property
    def left(self) -> float:
        """Its left edge."""
        return (_LEFT if self.column < 6 else _RIGHT - _HALF) + self.column * _POINT


def svg(state: np.ndarray, seat: int | None = None, beside: Beside | None = None) -> str:
    """The board as a picture, with a seat at the bottom, X if none is named: one self-contained SVG element, for notebooks, pages and files alike."""
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"bg{zlib.crc32(np.asarray(state, np.int64).tobytes()):08x}"
    bottom = seat or 0
    said = beside.status if beside else status(state)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(_WIDTH)} {length(_HEIGHT)}" width="{length(_WIDTH)}" '
        f'height="{length(_HEIGHT)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">Backgammon: {escape(said)}</title>',
        f'<desc id="{key}-d">{escape(describe(state, beside))}</desc>',
        *_definitions(key),
        *_table(state, key, bottom),
    ]
    for side in (0, 1):
        parts += _panel(state, side, side == bottom, beside.points[side] if beside else "")
    parts += _places(state, bottom)
    parts += _cube_places(state, bottom, beside) if beside else []
    for point in _points(bottom):
        owner, count = stack_on(state, point.number)
        x, y = point.left + _POINT / 2, point.edge + point.inwards * (_R + 1)
        parts += _checkers(key, f"p{point.number}", owner, count, (x, y, point.inwards * _STEP), HEIGHT)
    for side in (0, 1):
        outwards = 1 if side == bottom else -1
        stack = _BAR_X, _MIDDLE + outwards * (_R + 24), outwards * _STEP
        parts += _checkers(key, f"bar{side}", side, int(state[SIDE * side + BAR]), stack, 3)
        parts += _tray(key, state, side, side == bottom)
    parts += _cube(key, beside, bottom) if beside and not beside.crawford else []
    parts += _dice(key, state, bottom, said)
    return "\n".join([*parts, "</svg>"])


def _points(bottom: int) -> Iterator[Point]:
    """The points from left to right, those above and below each other together."""
    rows = (BOTTOM, TOP) if bottom else (TOP, BOTTOM)
    for column, (above, below) in enumerate(zip(*rows, strict=True)):
        yield Point(above, column, _FRAME, 1)
        yield Point(below, column, _BOTTOM, -1)


def _places(state: np.ndarray, bottom: int) -> Iterator[str]:
    """What can be touched: points with the frame at their end, both halves of the bar, and the trays."""
    reach = _FRAME + HEIGHT * _STEP + 12
    for point in _points(bottom):
        owner, count = stack_on(state, point.number)
        name = f"point {number_of(state, point.number)}, {f'{count} {NAMES[owner]}' if count else 'empty'}"
        top = 0 if point.inwards > 0 else _HEIGHT - reach
        yield area(point.left, top, _POINT, reach, f"p{point.number}", name)
    for side in (0, 1):
        top = _MIDDLE if side == bottom else 0
        for where, at, x, width in (("bar", BAR, _LEFT + _HALF, _BAR), ("off", OFF, _TRAY_X - 8, _TRAY + 16)):
            count = int(state[SIDE * side + at])
            name = f"{NAMES[side]} {where}, {f'{count} checker' + 's' * (count > 1) if count else 'empty'}"
            yield area(x, top, width, _MIDDLE, f"{where}{side}", name)


def _definitions(key: str) -> list[str]:
    out = ["<defs>"]
    for seat, (light, body, rim) in enumerate(_FACE):
        out.append(
            f'<radialGradient id="{key}-c{seat}" cx="0.38" cy="0.32" r="0.75"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset="0.7" stop-color="{body}"/><stop offset="1" stop-color="{rim}"/></radialGradient>'
        )
        out.append(
            f'<linearGradient id="{key}-s{seat}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset="0.5" stop-color="{body}"/><stop offset="1" stop-color="{rim}"/></linearGradient>'
        )
    out += [
        f'<linearGradient id="{key}-w" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#7a4e2b"/>'
        '<stop offset="0.5" stop-color="#5f3a1e"/><stop offset="1" stop-color="#4a2c16"/></linearGradient>',
        f'<linearGradient id="{key}-b" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="#4a2c16"/>'
        '<stop offset="0.5" stop-color="#6e4526"/><stop offset="1" stop-color="#4a2c16"/></linearGradient>',
        "</defs>",
    ]
    return out


def _table(state: np.ndarray, key: str, bottom: int) -> list[str]:
    """Frame, felt, points and their numbers: all but the checkers and dice."""
    out = [
        box(1, 1, _WIDTH - 2, _HEIGHT - 2, f"url(#{key}-w)", 14, 'stroke="#2e1a0c" stroke-width="2"'),
        box(_LEFT + _HALF, 1, _BAR, _HEIGHT - 2, f"url(#{key}-b)", 0),
    ]
    for x in (_LEFT, _RIGHT):
        out.append(box(x, _FRAME, _HALF, _FELT, _FELT_COLOR, 3, 'stroke="#2e1a0c" stroke-width="2"'))
    for point in _points(bottom):
        x, tip, reach = point.left, point.left + _POINT / 2, HEIGHT * _STEP - 6
        fill = _POINT_COLORS[(point.column + (point.inwards < 0)) % 2]
        corners = (
            f"{length(x + 2)},{length(point.edge)} {length(x + _POINT - 2)},{length(point.edge)} "
            f"{length(tip)},{length(point.edge + point.inwards * reach)}"
        )
        out.append(f'<polygon points="{corners}" fill="{fill}" stroke="#000" stroke-opacity="0.2"/>')
        number_y = 24 if point.inwards > 0 else _HEIGHT - 14
        out.append(write(tip, number_y, str(number_of(state, point.number)), 14, _INK))
    return out


def _checkers(
    key: str, where: str, seat: int, count: int, stack: tuple[float, float, float], capacity: int
) -> list[str]:
    """A stack of checkers from (x, y) on in steps, with its height on the last one if there is no room for all."""
    x, y, step = stack
    rim, out = _FACE[seat][2], []
    for i in range(min(count, capacity)):
        cy = y + i * step
        at = f'cx="{length(x)}" cy="{length(cy)}"'
        shapes = [
            f'<circle cx="{length(x)}" cy="{length(cy + 2)}" r="{length(_R)}" fill="#000" fill-opacity="0.33"/>',
            f'<circle {at} r="{length(_R - 0.5)}" fill="url(#{key}-c{seat})" stroke="{rim}"/>',
            f'<circle {at} r="{length(_R * 0.62)}" fill="none" stroke="{rim}" stroke-opacity="0.45" stroke-width="1.5"/>',
        ]
        if count > capacity and i == capacity - 1:
            shapes.append(write(x, cy + 7, str(count), 20, _ON_FACE[seat], "bold"))
        out += piece(where, NAMES[seat], i, shapes)
    return out


def _tray(key: str, state: np.ndarray, seat: int, below: bool) -> list[str]:
    """The checkers that a seat has borne off, lying on edge beside the board."""
    thick = HEIGHT * _STEP / CHECKERS
    out = []
    for i in range(int(state[SIDE * seat + OFF])):
        y = _BOTTOM - (i + 1) * thick if below else _FRAME + i * thick
        slab = box(_TRAY_X + 3, y + 0.75, _TRAY - 6, thick - 1.5, f"url(#{key}-s{seat})", 3)
        out += piece(f"off{seat}", NAMES[seat], i, [slab])
    return out


def _panel(state: np.ndarray, seat: int, below: bool, points: str) -> list[str]:
    """A seat's pip count at its end of the bar, its name and its points in a match at its tray, and how many checkers lie there."""
    y, height = _BOTTOM - 24 if below else _FRAME + 18, HEIGHT * _STEP
    middle, top = _TRAY_X + _TRAY / 2, _BOTTOM - height if below else _FRAME
    count = int(state[SIDE * seat + OFF])
    out = [
        box(_TRAY_X, top, _TRAY, height, "#2b1a0e", 4, 'stroke="#1c1008" stroke-width="1.5"'),
        write(
            middle,
            _HEIGHT - 13 if below else 25,
            f"{NAMES[seat]} {points}".rstrip(),
            15 if points else 17,
            _INK,
            "bold",
        ),
        write(_BAR_X, y, str(pips(state, seat)), 19, _INK, "bold"),
        write(_BAR_X, y + 16, "pips", 12, _INK),
    ]
    if count:
        out.append(write(middle, _MIDDLE + 24 if below else _MIDDLE - 10, f"{count} off", 15, _INK))
    return out


def _cube_corner(beside: Beside, bottom: int) -> tuple[float, float]:
    """Where the cube lies on the bar: in the middle, or on its owner's side, beyond the checkers there."""
    away = {-1: 0.0, bottom: 1.0}.get(beside.owner, -1.0) * (_R + 24 + 3 * _STEP)
    return _BAR_X - _CUBE / 2, _MIDDLE + away - _CUBE / 2


def _cube_places(state: np.ndarray, bottom: int, beside: Beside) -> Iterator[str]:
    """What can be touched beside the points: the cube, and, where somebody may decide to roll, where the dice will lie."""
    if not beside.crawford:
        x, y = _cube_corner(beside, bottom)
        yield area(x - 7, y - 7, _CUBE + 14, _CUBE + 14, "cube", cube_text(beside))
    if beside.rolls:
        wide, high = _HALF - 40, 54.0
        left, top = (_RIGHT if state[TURN] == bottom else _LEFT) + 20, _MIDDLE - high / 2
        frame = box(
            left,
            top,
            wide,
            high,
            "none",
            10,
            'class="ghost" stroke="#f2e2c4" stroke-opacity="0.5" pointer-events="none"',
        )
        yield f"<g {place('dice', 'dice')}>{box(left, top, wide, high, '#fff', 10, HIDDEN)}{frame}</g>"


def _cube(key: str, beside: Beside, bottom: int) -> list[str]:
    """The cube."""
    size, (x, y) = _CUBE, _cube_corner(beside, bottom)
    face = box(x, y, size, size, f"url(#{key}-s0)", 7, f'stroke="{_FACE[0][2]}"')
    digits = str(beside.cube)
    return piece(
        "cube",
        digits,
        0,
        [face, write(_BAR_X, y + size / 2 + 7, digits, 21 if len(digits) < 3 else 15, _ON_FACE[0], "bold")],
    )


def _dice(key: str, state: np.ndarray, bottom: int, said: str) -> list[str]:
    """The dice of the seat to move, in its colour, pale if they are used; or words where there are none. On the right are those of who sits
    at the bottom.
    """
    seat, won = int(state[TURN]), winner(state)
    who = seat if won is None else won
    center = (_RIGHT if who in (bottom, -1) else _LEFT) + _HALF / 2
    if won is not None or not state[DIE1]:
        return [write(center, _MIDDLE + 7, said, 22, _INK)]
    size, out = 42.0, []
    for value, x in ((int(state[DIE1]), center - size - 7), (int(state[DIE2]), center + 7)):
        y = _MIDDLE - size / 2
        shapes = [
            box(x, y + 2, size, size, "#000", 8, 'fill-opacity="0.33"'),
            box(x, y, size, size, f"url(#{key}-s{seat})", 8, f'stroke="{_FACE[seat][2]}"'),
        ]
        for spot in PIPS[abs(value)]:
            cx, cy = x + size * (0.24 + 0.26 * (spot % 3)), y + size * (0.24 + 0.26 * (spot // 3))
            shapes.append(f'<circle cx="{length(cx)}" cy="{length(cy)}" r="4" fill="{_ON_FACE[seat]}"/>')
        out += die(abs(value), shapes, 'opacity="0.4"' if value < 0 else "")
    return out


# --- what a game offers ----------------------------------------------------------------------------------------------


class Drawing:
    """The board of a game as text and as a picture, and the words that go with it."""

    __slots__ = ()

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        """The board for the terminal."""
        return text(state, color)

    def board_for(self, state: np.ndarray, color: bool, width: int, seat: int | None = None) -> str:
        """The board for a terminal of some width, its points as a seat counts them, if one is named."""
        return text(state, color, seat, width)

    def status_text(self, state: np.ndarray) -> str:
        """Whose turn it is, or how it ended."""
        return status(state)

    def board_svg(self, state: np.ndarray, seat: int | None = None) -> str:
        """The board as a picture, with a seat at the bottom, the first if none is named."""
        return svg(state, seat)

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called."""
        return NAMES

    def result_text(self, state: np.ndarray) -> str:
        """What was won, as it reads after "You win"."""
        return WINS[win_size(state, winner(state) or 0)]
