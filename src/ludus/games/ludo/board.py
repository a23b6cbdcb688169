"""How a Ludo board looks: as text for the terminal, and as an SVG picture for notebooks, pages and reports.

Red's yard is at the top left; green, yellow and blue follow clockwise, as the pieces go. In the text, squares are
numbered as the seat to move counts them, so that a move can be read off the board. Nothing here knows rules beyond how
a state is laid out and which squares are marked.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Iterable
from xml.sax.saxutils import escape

import numpy as np

from ludus.games.ludo.rules import CLASSIC, DIE, GLOBES, LUDOPY_131, MOVABLE, NEXT_STAR, TURN, Ludo, colour

COLOURS = ("red", "green", "yellow", "blue")
SIGNS = "RGYB"
SIDE = 15  # squares along an edge of the board

Cell = tuple[int, int]  # row and column, from the top left


# --- where things are ------------------------------------------------------------------------------------------------


def _turned(cell: Cell, quarters: int) -> Cell:
    """A cell after so many quarter turns clockwise about the middle of the board."""
    for _ in range(quarters % 4):
        cell = cell[1], SIDE - 1 - cell[0]
    return cell


# Red's quarter of the track: along its arm, up the next one and over its tip. The others are the same, turned.
_QUARTER = [(6, c) for c in range(1, 6)] + [(r, 6) for r in range(5, -1, -1)] + [(0, 7), (0, 8)]
TRACK: tuple[Cell, ...] = tuple(_turned(cell, quarter) for quarter in range(4) for cell in _QUARTER)


def lane(game: Ludo) -> int:
    """The position of the first square of the home column."""
    return 53 if game.rules == LUDOPY_131 else 52


def cell_of(game: Ludo, owner: int, position: int) -> Cell:
    """The cell of a colour's piece that is on the track, in its column, or home.

    >>> import ludus
    >>> [cell_of(ludus.game("ludo"), 0, position) for position in (1, 51, 52, 56, 57)]
    [(6, 1), (7, 0), (7, 1), (7, 5), (7, 6)]
    """
    if position < lane(game):
        return TRACK[(13 * owner + position - 1) % 52]
    # The longer column takes the place of the goal, which then is the corner of the middle beside its yard.
    corner = position == game.goal and game.rules == LUDOPY_131
    return _turned((6, 6) if corner else (7, 1 + position - lane(game)), owner)


def marks(game: Ludo) -> dict[Cell, str]:
    """The squares of the track that are special: `safe` ones (in ludopy the globes and starts), and `star`s."""
    out: dict[Cell, str] = {}
    for r in range(1, 53):
        cell = TRACK[r - 1]
        if game.rules != CLASSIC:
            if GLOBES >> r & 1 or r % 13 == 1:
                out[cell] = "safe"
            elif NEXT_STAR[r] or r == 51:
                out[cell] = "star"
        elif game.safe_squares and (r - 1) % 13 in (0, 8):
            out[cell] = "safe"
    return out


def playing(game: Ludo) -> list[int]:
    """The colours of the seats."""
    return [int(colour(game, seat)) for seat in range(game.seats)]


def stacks(game: Ludo, state: np.ndarray) -> dict[Cell, dict[int, int]]:
    """The pieces on the board, neither in a yard nor home: how many of each colour on each cell."""
    out: dict[Cell, dict[int, int]] = {}
    for owner in range(4):
        for r in pieces(state, owner):
            if 0 < r < game.goal:
                stack = out.setdefault(cell_of(game, owner, r), {})
                stack[owner] = stack.get(owner, 0) + 1
    return out


def pieces(state: np.ndarray, owner: int) -> list[int]:
    """The positions of a colour's pieces, the foremost first."""
    return sorted(state[4 * owner : 4 * owner + 4].tolist(), reverse=True)


def mover(game: Ludo, state: np.ndarray) -> int | None:
    """The colour whose turn it is, or that has won; None before it is drawn who begins."""
    return int(colour(game, int(state[TURN]))) if state[TURN] >= 0 else None


def status(game: Ludo, state: np.ndarray) -> str:
    """Whose turn it is, with the die; or who has won."""
    owner = mover(game, state)
    if owner is None:
        return "Who begins?"
    if state[DIE] < 0:
        return f"{COLOURS[owner]} wins"
    return f"{COLOURS[owner]} to move: {state[DIE]}" if state[DIE] else f"{COLOURS[owner]} to roll"


def describe(game: Ludo, state: np.ndarray) -> str:
    """The position in words, for those who can't see the picture; squares as each colour counts them."""
    sides = []
    for owner in playing(game):
        at = pieces(state, owner)
        parts = [f"{at.count(0)} in the yard"] if 0 in at else []
        on = [str(r) for r in at if 0 < r < game.goal]
        parts += [f"on {' and '.join(filter(None, [', '.join(on[:-1]), on[-1]]))}"] if on else []
        parts += [f"{at.count(game.goal)} home"] if game.goal in at else []
        sides.append(f"{COLOURS[owner]}: {', '.join(parts)}.")
    return f"{status(game, state)}. {' '.join(sides)}"


# --- text ------------------------------------------------------------------------------------------------------------

# Foreground and background are always set together, from the 256 colours: so the board looks the same on dark and on
# light terminals.
_YARD_PAINT = ("38;5;231;48;5;124", "38;5;231;48;5;28", "38;5;16;48;5;178", "38;5;231;48;5;25")
_PIECE_PAINT = ("1;38;5;231;48;5;160", "1;38;5;231;48;5;34", "1;38;5;16;48;5;220", "1;38;5;231;48;5;33")
_LANE_PAINT = ("38;5;88;48;5;217", "38;5;22;48;5;157", "38;5;94;48;5;229", "38;5;18;48;5;153")
_PAINT = {"plain": "38;5;246;48;5;255", "safe": "38;5;238;48;5;250", "star": "38;5;238;48;5;250", "none": "0"}
_ABSENT_PAINT = "38;5;245;48;5;238"
_WIDE = 4  # columns of the terminal for a cell
_YARD = 6  # cells along an edge of a yard


def text(game: Ludo, state: np.ndarray, color: bool = False) -> str:
    """The board as lines of text, 60 columns wide, with the colours of an ANSI terminal where wanted.

    Safe squares (in ludopy globes and starts) are in brackets, stars have one; R2 is two red pieces, [R2] two at home.

    >>> import ludus
    >>> position = ludus.game("ludo").position("0,0,14,57 9,0,0,0 3,3,51,52 0,0,0,0 turn=red die=4")
    >>> print(text(position.game, position.state))
    +----------------------+ 11  12  13 +----------------------+
    | red has a 4          | 10  g  (R) | green                |
    |        R   R         |(9)  g   15 |        G   G         |
    |        .   .         | 8   g   16 |        G   .         |
    | on 14, home 1        | 7   g   17 | on 9                 |
    +----------------------+ 6   g   18 +----------------------+
     .  (1)  2   3   4   5      [ ]      19  20  21 (G)  23  24
     51  52  53  54  55  56 [R1]    [ ]  y   y   y   y   Y   Y
     50  49 (48) 47  46  45     [ ]      31  30  Y2  28 (27) 26
    +----------------------+ 44  b   32 +----------------------+
    | blue                 | 43  b   33 | yellow               |
    |        B   B         | 42  b   34 |        .   .         |
    |        B   B         | 41  b  (35)|        .   .         |
    |                      |(40) b   36 | on 52 51 3 3         |
    +----------------------+ 39  38  37 +----------------------+
    <BLANKLINE>
    red to move: 4
    """
    owner = mover(game, state)
    cells = _cells(game, state, owner)
    paints = _paints(game) if color else {}
    lines = []
    for row in range(SIDE):
        line = ""
        column = 0
        while column < SIDE:
            yard = _yard_at(row, column)
            if yard is not None:
                words = _yard_line(game, state, yard, row % 9, color)
                style = _YARD_PAINT[yard] if yard in playing(game) else _ABSENT_PAINT
                line += f"\x1b[{style}m{words}\x1b[0m" if color else words
                column += _YARD
            else:
                words = cells.get((row, column), _WIDE * " ")
                line += _painted(words, paints.get((row, column), _PAINT["none"])) if color else words
                column += 1
        lines.append(line.rstrip())
    return "\n".join([*lines, "", status(game, state)])


def _yard_at(row: int, column: int) -> int | None:
    """The colour whose yard covers a cell."""
    if 6 <= row <= 8 or 6 <= column <= 8:
        return None
    return (0 if column < 6 else 1) if row < 6 else (3 if column < 6 else 2)


def _yard_line(game: Ludo, state: np.ndarray, owner: int, line: int, color: bool) -> str:
    """One of the six lines of a yard: a frame, the colour, the pieces that wait there, and where the others are."""
    width = _YARD * _WIDE - 2
    edge, side = (" ", " ") if color else ("-", "|")
    if line in (0, _YARD - 1):
        corner = " " if color else "+"
        return corner + width * edge + corner
    if owner not in playing(game):
        return side + width * " " + side
    at = pieces(state, owner)
    waiting, home = at.count(0), at.count(game.goal)
    if line in (2, 3):
        spots = [SIGNS[owner] if i < waiting else "." for i in range(4)][2 * (line - 2) :][:2]
        words = f"{spots[0]}   {spots[1]}".center(width)
    elif line == 1:
        doing = {-1: " wins", 0: " rolls"}.get(int(state[DIE]), f" has a {state[DIE]}")
        words = f" {COLOURS[owner]}{doing if mover(game, state) == owner else ''}"
    else:
        on = [str(r) for r in at if 0 < r < game.goal]
        words = " " + ", ".join(["on " + " ".join(on)] * bool(on) + [f"home {home}"] * bool(home))
    return f"{side}{words:<{width}}{side}"


def _cells(game: Ludo, state: np.ndarray, owner: int | None) -> dict[Cell, str]:
    """What stands on each cell outside the yards."""
    special, on = marks(game), stacks(game, state)
    first = owner or 0  # before anybody is to move, squares are numbered as red counts
    out: dict[Cell, str] = {}
    # The square behind its start has no number for a colour that turns off before it.
    numbers = {TRACK[(13 * first + r - 1) % 52]: str(r) if r < lane(game) else "." for r in range(1, 53)}
    for c in playing(game):
        for r in range(lane(game), game.goal):
            numbers[cell_of(game, c, r)] = str(r) if c == first else SIGNS[c].lower()
    for cell, number in numbers.items():
        out[cell] = _square(_stack(on[cell]) if cell in on else number, special.get(cell))
    for c in playing(game):
        home = pieces(state, c).count(game.goal)
        out[cell_of(game, c, game.goal)] = f"[{SIGNS[c]}{home}]" if home else "[ ] "
    return out


def _stack(stack: dict[int, int]) -> str:
    """The pieces on one square: R, R2, RG; where there is no room for numbers, the colours alone."""
    words = "".join(SIGNS[c] + (str(n) if n > 1 else "") for c, n in stack.items())
    return words if len(words) <= (2 if len(stack) == 1 else _WIDE) else "".join(SIGNS[c] for c in stack)


def _square(words: str, mark: str | None) -> str:
    if len(words) > 2:
        return f"{words:>{_WIDE}}"
    if mark == "safe":
        return f"({words})".ljust(_WIDE)
    return f" {words}{'*' * (mark == 'star')}".ljust(_WIDE)


def _paints(game: Ludo) -> dict[Cell, str]:
    out = dict.fromkeys(TRACK, _PAINT["plain"])
    out |= {cell: _PAINT[mark] for cell, mark in marks(game).items()}
    for c in playing(game):
        out[cell_of(game, c, 1)] = _LANE_PAINT[c]
        out |= {cell_of(game, c, r): _LANE_PAINT[c] for r in range(lane(game), game.goal)}
        out[cell_of(game, c, game.goal)] = _YARD_PAINT[c]
    return out


def _painted(words: str, style: str) -> str:
    """A cell in its colours, each piece in those of its own."""
    out = f"\x1b[{style}m"
    owner = None
    for sign in words:
        owner = SIGNS.index(sign) if sign in SIGNS else owner if sign.isdecimal() else None
        out += sign if owner is None else f"\x1b[{_PIECE_PAINT[owner]}m{sign}\x1b[0;{style}m"
    return out + "\x1b[0m"


# --- picture ---------------------------------------------------------------------------------------------------------

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
_PIPS = {
    1: (4,),
    2: (0, 8),
    3: (0, 4, 8),
    4: (0, 2, 6, 8),
    5: (0, 2, 4, 6, 8),
    6: (0, 2, 3, 5, 6, 8),
}  # of a 3 × 3 grid


def svg(game: Ludo, state: np.ndarray) -> str:
    """The board as a picture: one self-contained SVG element, for notebooks, pages and files alike.

    >>> import ludus
    >>> svg(ludus.game("ludo"), ludus.game("ludo").start().state).splitlines()[-1]
    '</svg>'
    """
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"ludo{zlib.crc32(repr(tuple(game)).encode() + np.asarray(state, np.int64).tobytes()):08x}"
    title, words = escape(f"Ludo: {status(game, state)}"), escape(describe(game, state))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(_WIDTH)} {_n(_HEIGHT)}" width="{_n(_WIDTH)}" '
        f'height="{_n(_HEIGHT)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
        "font-family=\"Georgia, 'DejaVu Serif', serif\">",
        f'<title id="{key}-t">{title}</title>',
        f'<desc id="{key}-d">{words}</desc>',
        *_definitions(key),
        _box(1, 1, _WIDTH - 2, _HEIGHT - 2, f"url(#{key}-w)", 16, 'stroke="#2e1a0c" stroke-width="2"'),
        _box(_FRAME, _FRAME, _BOARD, _BOARD, _PAPER, 6),
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
    parts.append(_write(_WIDTH / 2, _HEIGHT - 19, status(game, state), 20))
    return "\n".join([*parts, "</svg>"])


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _center(cell: Cell) -> tuple[float, float]:
    return _FRAME + (cell[1] + 0.5) * _CELL, _FRAME + (cell[0] + 0.5) * _CELL


def _home(game: Ludo, owner: int) -> tuple[float, float]:
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


def _face(game: Ludo, owner: int) -> int:
    return owner if owner in playing(game) else 4


def _middle(game: Ludo) -> list[str]:
    """The goal: a triangle for each colour."""
    middle = _FRAME + _BOARD / 2
    out = []
    for owner in range(4):
        corners = [_turned((6, 6), owner), _turned((8, 6), owner)]  # the cells at both ends of its edge
        points = [(middle, middle)]
        for cell in corners:
            x, y = _center(cell)
            points.append((x + math.copysign(_CELL / 2, x - middle), y + math.copysign(_CELL / 2, y - middle)))
        shape = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        out.append(
            f'<polygon points="{shape}" fill="{_FACE[_face(game, owner)][1]}" stroke="{_PAPER}" stroke-width="2"/>'
        )
    return out


def _squares(game: Ludo, crowded: Collection[Cell]) -> list[str]:
    """The track and the home columns, with what is printed on them, unless pieces crowd there."""
    tint = {cell_of(game, c, 1): _FACE[_face(game, c)][3] for c in range(4)}
    columns = {cell_of(game, c, r): _FACE[_face(game, c)][1] for c in range(4) for r in range(lane(game), game.goal)}
    out = []
    for cell in (*TRACK, *columns):
        x, y = _center(cell)
        fill = columns.get(cell) or tint.get(cell, _PAPER)
        half = _CELL / 2
        out.append(_box(x - half, y - half, _CELL, _CELL, fill, 2, f'stroke="{_LINE}"'))
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
        points.append(f"{_n(x + radius * math.cos(angle))},{_n(y + 0.8 + radius * math.sin(angle))}")
    return (
        f'<polygon points="{" ".join(points)}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"/>'
    )


def _shield(x: float, y: float, ink: str) -> str:
    shape = f"M{_n(x - 9)} {_n(y - 9)}q9 0 9 -3q0 3 9 3v7q0 8 -9 13q-9 -5 -9 -13z"
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"/>'


def _globe(x: float, y: float, ink: str) -> str:
    r = 11
    shape = (
        f"M{_n(x - r)} {_n(y)}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0h{2 * r}M{_n(x)} {_n(y - r)}"
        f"a5 {r} 0 0 0 0 {2 * r}a5 {r} 0 0 0 0 {-2 * r}"
    )
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="1.6"/>'


def _arrow(game: Ludo, owner: int) -> str:
    """On the last square of the track that a colour enters: into its column."""
    (x, y), (there_x, there_y) = _center(cell_of(game, owner, 51)), _center(cell_of(game, owner, 52))
    dx, dy = (there_x - x) / _CELL, (there_y - y) / _CELL
    tip, tail = (x + 11 * dx, y + 11 * dy), (x - 11 * dx, y - 11 * dy)
    barbs = [(x + 3 * dx + side * 7 * dy, y + 3 * dy + side * 7 * dx) for side in (1, -1)]
    shape = f"M{_at(tail)}L{_at(tip)}M{_at(barbs[0])}L{_at(tip)}L{_at(barbs[1])}"
    ink = _FACE[_face(game, owner)][1]
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="3" stroke-linecap="round"/>'


def _at(point: tuple[float, float]) -> str:
    return f"{_n(point[0])} {_n(point[1])}"


def _yard_middle(owner: int) -> tuple[float, float]:
    row, column = _turned((0, 0), owner)
    return _FRAME + (3 if column == 0 else 12) * _CELL, _FRAME + (3 if row == 0 else 12) * _CELL


def _sockets(owner: int) -> list[tuple[float, float]]:
    x, y = _yard_middle(owner)
    return [(x + right * 48, y + down * 48) for down in (-1, 1) for right in (-1, 1)]


def _yard(game: Ludo, state: np.ndarray, key: str, owner: int) -> list[str]:
    """A colour's corner: its name, the pieces that wait, and the die if it is its turn."""
    face = _face(game, owner)
    _, body, rim, tint = _FACE[face]
    x, y = _yard_middle(owner)
    half = 3 * _CELL
    out = [
        _box(x - half, y - half, 2 * half, 2 * half, body, 6),
        _box(x - 84, y - 84, 168, 168, _PAPER, 22, f'stroke="{rim}" stroke-opacity="0.5" stroke-width="1.5"'),
    ]
    for cx, cy in _sockets(owner):
        out.append(_circle(cx, cy, 22, tint, f'stroke="{rim}" stroke-opacity="0.45" stroke-width="1.5"'))
    if face != owner:
        return out
    out.append(_write(x, y - 95, COLOURS[owner], 18, _ON_FACE[owner], "bold"))
    if mover(game, state) == owner:
        out.append(
            _box(
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
        _box(x - size / 2, y - size / 2 + 2, size, size, "#000", 9, 'fill-opacity="0.3"'),
        _box(x - size / 2, y - size / 2, size, size, "#fff", 9, 'stroke="#55504a" stroke-width="1.5"'),
    ]
    for spot in _PIPS[die]:
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
        out.append(_write(x, y + 0.35 * size, number, size, _ON_FACE[owner], "bold"))
    return out


def _halos(game: Ludo, state: np.ndarray) -> list[str]:
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
    return [f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r + 2.8)}" {style}/>' for x, y, r in rings]


def _circle(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="{fill}"{" " + more if more else ""}/>'


def _box(x: float, y: float, width: float, height: float, fill: str, radius: float, more: str = "") -> str:
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}" fill="{fill}"'
        f"{' ' + more if more else ''}/>"
    )


def _write(x: float, y: float, words: str, size: int, fill: str = _INK, weight: str = "normal") -> str:
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="middle" font-size="{size}" font-weight="{weight}" fill="{fill}">'
        f"{escape(words)}</text>"
    )
