"""How a backgammon board looks: as text for the terminal, and as an SVG picture for notebooks, pages and reports.

Both show it as seat 0 (X, light) sits at it: at the bottom, its checkers going round to point 1 at the bottom right.
Points are numbered as the seat to move counts them, so that a move can be read off the board; at the end as the winner does, who
moved last, or as a seat that is named. Nothing here knows rules beyond how a state is laid out.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np

from ludus.games.backgammon.rules import BAR, CHECKERS, DIE1, DIE2, OFF, SIDE, TURN, win_size
from ludus.games.svg import PIPS, box, length, write

NAMES = ("X", "O")
WINS = ("", "a single game", "a gammon", "a backgammon")

# The points of both rows from left to right, as seat 0 counts them.
TOP = (13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24)
BOTTOM = (12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
WIDE = 72  # columns of the board with what stands beside it
HEIGHT = 5  # a taller stack shows its height as a number


# --- what there is to show -------------------------------------------------------------------------------------------


def pips(state: np.ndarray, seat: int) -> int:
    """How many steps a seat's checkers still have to go."""
    return int(sum(point * int(state[SIDE * seat + point]) for point in range(1, BAR + 1)))


def winner(state: np.ndarray) -> int | None:
    """The seat that has borne off all its checkers."""
    return next((seat for seat in (0, 1) if state[SIDE * seat + OFF] == CHECKERS), None)


def status(state: np.ndarray) -> str:
    """Whose turn it is, with the dice; or who has won what."""
    won = winner(state)
    if won is not None:
        return f"{NAMES[won]} wins {WINS[win_size(state, won)]}"
    if state[TURN] < 0:
        return "Opening roll"
    name = NAMES[state[TURN]]
    return f"{name} to move: {state[DIE1]}-{state[DIE2]}" if state[DIE1] else f"{name} to roll"


def _stack(state: np.ndarray, point: int) -> tuple[int, int]:
    """Who stands on a point, as seat 0 counts it, with how many checkers."""
    own, other = int(state[point]), int(state[SIDE + 25 - point])
    return (1, other) if other else (0, own)


def _number(state: np.ndarray, point: int, seat: int | None = None) -> int:
    """The number of a point for a seat, or for the one that moves, or moved last."""
    if seat is None:
        won = winner(state)
        seat = int(state[TURN]) if won is None else won
    return 25 - point if seat == 1 else point


# --- text ------------------------------------------------------------------------------------------------------------

# Foreground and background are always set together, from the 256 colours: so the board looks the same on dark and on
# light terminals.
_PAINT = {
    "frame": "38;5;223;48;5;94",
    "dark": "38;5;230;48;5;22",
    "light": "38;5;230;48;5;65",
    "bar": "38;5;223;48;5;58",
    0: "1;38;5;16;48;5;230",
    1: "1;38;5;230;48;5;88",
}


def text(state: np.ndarray, color: bool = False, counts: int | None = None, width: int = WIDE) -> str:
    """The board as lines of text, with the colours of an ANSI terminal where wanted, and points as a seat counts them, if one is named.
    If there is less room than it needs, it has points of two columns, and what stands beside it stands below.

    >>> import ludus
    >>> print(text(ludus.game("backgammon").start().play(31).state))
    +13-14-15-16-17-18-+---+19-20-21-22-23-24-+
    | X           O    |   | O              X |   O   pips 167   off 0
    | X           O    |   | O              X |
    | X           O    |   | O                |
    | X                |   | O                |
    | X                |   | O                |
    |                  |BAR|                  |   X to move: 3-1
    | O                |   | X                |
    | O                |   | X                |
    | O           X    |   | X                |
    | O           X    |   | X              O |
    | O           X    |   | X              O |   X   pips 167   off 0
    +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+
    """
    corner, side, dash = (" ", " ", " ") if color else ("+", "|", "-")
    narrow = width < WIDE
    wide = 2 if narrow else 3  # columns of a point

    def paint(part: str, style: str | int) -> str:
        return f"\x1b[{_PAINT[style]}m{part}\x1b[0m" if color else part

    def edge(points: Sequence[int]) -> str:
        if narrow:  # there is room for every other number
            numbers = [f"{_number(state, p, counts):{dash}<4}" * (i % 2 == 0) for i, p in enumerate(points)]
        else:
            numbers = [f"{_number(state, p, counts):{dash}>2}{dash}" for p in points]
        parts = ("", "".join(numbers[:6]), wide * dash, "".join(numbers[6:]), "")
        return paint(corner.join(parts), "frame")

    def cell(seat: int, count: int, row: int, empty: str) -> str:
        if count <= row:
            return paint(wide * " ", empty)
        sign = str(count) if row == HEIGHT - 1 and count > HEIGHT else NAMES[seat]
        return paint(f"{sign:<2}" if narrow else f"{sign:^3}", seat)

    def line(points: Sequence[int], row: int, seat: int) -> str:
        cells = [cell(*_stack(state, p), row, ("dark", "light")[i % 2]) for i, p in enumerate(points)]
        bar = cell(seat, int(state[SIDE * seat + BAR]), row, "bar")
        return paint(side, "frame").join(("", "".join(cells[:6]), bar, "".join(cells[6:]), ""))

    def note(seat: int) -> str:
        return (
            f"{paint(f'{NAMES[seat]:^{3 * color}}', seat)}   pips {pips(state, seat)}   off {state[SIDE * seat + OFF]}"
        )

    top = [line(TOP, row, 1) for row in range(HEIGHT)]
    bottom = [line(BOTTOM, row, 0) for row in reversed(range(HEIGHT))]
    half = paint(6 * wide * " ", "dark")
    middle = paint(side, "frame").join(("", half, paint("BAR" if not narrow else "  ", "bar"), half, ""))
    below = [note(1), note(0), status(state)] if narrow else []
    if not narrow:
        top[0] += "   " + note(1)
        middle += "   " + status(state)
        bottom[-1] += "   " + note(0)
    return "\n".join([edge(TOP), *top, middle, *bottom, edge(BOTTOM), *below])


# --- picture ---------------------------------------------------------------------------------------------------------

# All lengths in units of the view box. A point is as wide as a checker and a little air.
_R = 21.0  # a checker's radius
_STEP = 2 * _R + 1  # from one checker of a stack to the next
_POINT = 47.0  # width of a point
_FRAME = 36.0
_BAR = 54.0
_TRAY = 50.0
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


def svg(state: np.ndarray) -> str:
    """The board as a picture: one self-contained SVG element, for notebooks, pages and files alike."""
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"bg{zlib.crc32(np.asarray(state, np.int64).tobytes()):08x}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(_WIDTH)} {length(_HEIGHT)}" width="{length(_WIDTH)}" '
        f'height="{length(_HEIGHT)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">Backgammon: {escape(status(state))}</title>',
        f'<desc id="{key}-d">{escape(describe(state))}</desc>',
        *_definitions(key),
        *_table(state, key),
    ]
    for i, (above, below) in enumerate(zip(TOP, BOTTOM, strict=True)):
        x = (_LEFT if i < 6 else _RIGHT - _HALF) + (i + 0.5) * _POINT
        for point, edge, inwards in ((above, _FRAME, 1), (below, _BOTTOM, -1)):
            seat, count = _stack(state, point)
            parts += _checkers(key, seat, count, x, edge + inwards * (_R + 1), inwards * _STEP, HEIGHT)
    for seat, outwards in ((0, 1), (1, -1)):
        start = _MIDDLE + outwards * (_R + 24)
        parts += _checkers(key, seat, int(state[SIDE * seat + BAR]), _BAR_X, start, outwards * _STEP, 3)
        parts += _tray(key, state, seat)
        parts += _panel(state, seat)
    parts += _dice(key, state)
    return "\n".join([*parts, "</svg>"])


def describe(state: np.ndarray) -> str:
    """The position in words, for those who can't see the picture; points as the seat to move counts them."""
    sides = []
    for seat in (0, 1):
        stacks = [
            f"{state[SIDE * seat + p]} on {_number(state, p if seat == 0 else 25 - p)}"
            for p in range(24, 0, -1)
            if state[SIDE * seat + p]
        ]
        places = ((BAR, "on the bar"), (OFF, "off"))
        stacks += [f"{state[SIDE * seat + at]} {where}" for at, where in places if state[SIDE * seat + at]]
        sides.append(f"{NAMES[seat]} has {', '.join(stacks)}; {pips(state, seat)} pips to go.")
    return f"{status(state)}. {' '.join(sides)}"


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


def _table(state: np.ndarray, key: str) -> list[str]:
    """Frame, felt, points and their numbers: all but the checkers and dice."""
    out = [
        box(1, 1, _WIDTH - 2, _HEIGHT - 2, f"url(#{key}-w)", 14, 'stroke="#2e1a0c" stroke-width="2"'),
        box(_LEFT + _HALF, 1, _BAR, _HEIGHT - 2, f"url(#{key}-b)", 0),
    ]
    for x in (_LEFT, _RIGHT):
        out.append(box(x, _FRAME, _HALF, _FELT, _FELT_COLOR, 3, 'stroke="#2e1a0c" stroke-width="2"'))
    for i, (above, below) in enumerate(zip(TOP, BOTTOM, strict=True)):
        x = (_LEFT if i < 6 else _RIGHT - _HALF) + i * _POINT
        tip, reach = x + _POINT / 2, HEIGHT * _STEP - 6
        for point, edge, inwards, number_y in ((above, _FRAME, 1, 24), (below, _BOTTOM, -1, _HEIGHT - 14)):
            fill = _POINT_COLORS[(i + (inwards < 0)) % 2]
            corners = f"{length(x + 2)},{length(edge)} {length(x + _POINT - 2)},{length(edge)} {length(tip)},{length(edge + inwards * reach)}"
            out.append(f'<polygon points="{corners}" fill="{fill}" stroke="#000" stroke-opacity="0.2"/>')
            out.append(write(tip, number_y, str(_number(state, point)), 14, _INK))
    return out


def _checkers(key: str, seat: int, count: int, x: float, y: float, step: float, capacity: int) -> list[str]:
    """A stack of checkers from (x, y) on, with its height on the last one if there is no room for all."""
    out = []
    for i in range(min(count, capacity)):
        cy = y + i * step
        out.append(f'<circle cx="{length(x)}" cy="{length(cy + 2)}" r="{length(_R)}" fill="#000" fill-opacity="0.33"/>')
        out.append(
            f'<circle cx="{length(x)}" cy="{length(cy)}" r="{length(_R - 0.5)}" fill="url(#{key}-c{seat})" '
            f'stroke="{_FACE[seat][2]}"/>'
        )
        out.append(
            f'<circle cx="{length(x)}" cy="{length(cy)}" r="{length(_R * 0.62)}" fill="none" stroke="{_FACE[seat][2]}" '
            'stroke-opacity="0.45" stroke-width="1.5"/>'
        )
    if count > capacity:
        out.append(write(x, y + (capacity - 1) * step + 7, str(count), 20, _ON_FACE[seat], "bold"))
    return out


def _tray(key: str, state: np.ndarray, seat: int) -> list[str]:
    """The checkers that a seat has borne off, lying on edge beside the board, and their number."""
    count = int(state[SIDE * seat + OFF])
    height, thick = HEIGHT * _STEP, HEIGHT * _STEP / CHECKERS
    top = _FRAME if seat else _BOTTOM - height
    out = [box(_TRAY_X, top, _TRAY, height, "#2b1a0e", 4, 'stroke="#1c1008" stroke-width="1.5"')]
    for i in range(count):
        y = top + i * thick if seat else top + height - (i + 1) * thick
        out.append(box(_TRAY_X + 3, y + 0.75, _TRAY - 6, thick - 1.5, f"url(#{key}-s{seat})", 3))
    if count:
        out.append(write(_TRAY_X + _TRAY / 2, _MIDDLE - 10 if seat else _MIDDLE + 24, f"{count} off", 15, _INK))
    return out


def _panel(state: np.ndarray, seat: int) -> list[str]:
    """A seat's pip count at its end of the bar, and its name at its tray."""
    y = _FRAME + 18 if seat else _BOTTOM - 24
    return [
        write(_TRAY_X + _TRAY / 2, 25 if seat else _HEIGHT - 13, NAMES[seat], 17, _INK, "bold"),
        write(_BAR_X, y, str(pips(state, seat)), 19, _INK, "bold"),
        write(_BAR_X, y + 16, "pips", 12, _INK),
    ]


def _dice(key: str, state: np.ndarray) -> list[str]:
    """The dice of the seat to move, in its colour, or words where there are none: X's in the right half, O's in the left."""
    seat, won = int(state[TURN]), winner(state)
    center = (_LEFT if (seat if won is None else won) == 1 else _RIGHT) + _HALF / 2
    if won is not None or not state[DIE1]:
        return [write(center, _MIDDLE + 7, status(state), 22, _INK)]
    size, out = 42.0, []
    for die, x in ((int(state[DIE1]), center - size - 7), (int(state[DIE2]), center + 7)):
        y = _MIDDLE - size / 2
        out.append(box(x, y + 2, size, size, "#000", 8, 'fill-opacity="0.33"'))
        out.append(box(x, y, size, size, f"url(#{key}-s{seat})", 8, f'stroke="{_FACE[seat][2]}"'))
        for spot in PIPS[die]:
            cx, cy = x + size * (0.24 + 0.26 * (spot % 3)), y + size * (0.24 + 0.26 * (spot // 3))
            out.append(f'<circle cx="{length(cx)}" cy="{length(cy)}" r="4" fill="{_ON_FACE[seat]}"/>')
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

    def board_svg(self, state: np.ndarray) -> str:
        """The board as a picture."""
        return svg(state)

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called."""
        return NAMES

    def result_text(self, state: np.ndarray) -> str:
        """What was won, as it reads after "You win"."""
        return WINS[win_size(state, winner(state) or 0)]
