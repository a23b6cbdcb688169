"""States of any rulesheet as SVG pictures: a board of squares, of hexagons or of joined points where there is one, everything else as a list.

Cells can be touched by a page; their ids are `column,row` in the sheet's own names.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple
from xml.sax.saxutils import escape

from ludus.errors import brief
from ludus.games.gdl.board import legend, short_names, words_of
from ludus.games.gdl.layout import Cell, Layout, Seen
from ludus.games.gdl.pieces import definitions, draw, is_tile
from ludus.games.svg import HIT, box, length, piece, place, write

LONG = 7  # characters that fit on a tile
MOST, WIDEST = 60, 80  # lines of the list, and characters of a line
_SQUARE = 52.0
_FRAME = 34.0
_LINE = 24.0  # height of a line of the list
_LETTER = 8.6  # width of a letter of the list, about
_WOOD, _EDGE, _BED, _INK = "#5a3820", "#2e1a0c", "#4a2c16", "#f2e2c4"
LIGHT, DARK = "#dfc092", "#b98d5c"


class Scene(NamedTuple):
    """What a picture shows."""

    name: str  # of the game
    status: str
    roles: tuple[str, ...]  # of the seats
    layout: Layout | None
    fluents: list[str]
    turned: bool = False  # the top of the board is at the bottom


def board_svg(scene: Scene) -> str:
    """The picture: one self-contained SVG element."""
    # Pictures on one page share their names: those of another position must not be taken for ours.
    key = f"gdl{zlib.crc32(repr((scene.name, *scene.fluents)).encode()):08x}"
    others, words, described = scene.fluents, [], ""
    board: _Board | None = None
    if scene.layout is not None:
        seen = scene.layout.look(scene.fluents)
        words = words_of(seen)
        tiles = {word for word in (*scene.layout.words, *words) if is_tile(word, scene.roles)}
        long = scene.layout.joined or max(map(len, tiles), default=0) > LONG
        names = {word: short for word, short in short_names(tiles).items() if long} if tiles else {}
        board = _Board(scene, scene.layout, seen, names, key)
        others = [*legend(names, [word for word in words if word in names]), *seen.others]
        described = " ".join(f"{c} {r}: {', '.join(seen.cells[c, r])}." for c, r in seen.cells if seen.cells[c, r])
    lines = [_bare(text) for text in others[:MOST]]
    if len(others) > MOST:
        lines.append(f"… and {len(others) - MOST:,} more")
    reach, high = board.reach() if board else (0.0, _FRAME / 2)
    wide = max(240.0, reach, *(2 * _FRAME + _LETTER * len(line) for line in lines))
    shapes = board.shapes((wide - reach) / 2) if board else []
    for i, line in enumerate(lines):
        shapes.append(write(wide / 2, high + (i + 0.75) * _LINE, line, 16, _INK))
    high += len(lines) * _LINE + _FRAME / 2
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {length(wide)} {length(high)}" width="{length(wide)}" '
            f'height="{length(high)}" role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" '
            "font-family=\"Georgia, 'DejaVu Serif', serif\">",
            f'<title id="{key}-t">{escape(f"{scene.name}: {scene.status}")}</title>',
            f'<desc id="{key}-d">{escape(" ".join([f"{scene.status}.", described, *(f"{line}." for line in lines)]))}</desc>',
            *(["<defs>", *paints, "</defs>"] if (paints := definitions(key, words, scene.roles)) else []),
            box(1, 1, wide - 2, high - 2, _WOOD, 14, f'stroke="{_EDGE}" stroke-width="2"'),
            *shapes,
            "</svg>",
        ]
    )


def _bare(text: str) -> str:
    """A proposition without the parentheses around it, and without its end if it is very long."""
    return brief(text[2:-2] if text.startswith("( ") else text, WIDEST)


class _Board:
    """A board in squares, in hexagons where a cell has six neighbours, or in points that are joined by lines."""

    def __init__(self, scene: Scene, layout: Layout, seen: Seen, names: dict[str, str], key: str) -> None:
        self.scene, self.layout, self.seen, self.names, self.key = scene, layout, seen, names, key
        self.height = _SQUARE * sqrt(3) / 2 if layout.slant else _SQUARE
        step = -1 if scene.turned else 1
        self.columns, self.rows = layout.columns[::step], layout.rows[::step]
        self.beside = _SQUARE * 1.6 * ("left" in layout.sides.values())  # room for what lies beside the board
        self.left = _FRAME + self.beside

    def centre(self, column: int, row: int) -> tuple[float, float]:
        """The middle of a cell, counted from the upper left corner."""
        shift = 0.0
        if self.layout.slant:
            shift = (len(self.rows) - 1 - row if self.layout.slant > 0 else row) / 2
        return self.left + (column + 0.5 + shift) * _SQUARE, _FRAME + (row + 0.5) * self.height

    def reach(self) -> tuple[float, float]:
        """How far it reaches to the right and down."""
        last = len(self.rows) - 1
        right = max(self.centre(len(self.columns) - 1, r)[0] for r in (0, last)) + _SQUARE / 2 + _FRAME
        right += _SQUARE * 1.6 * ("right" in self.layout.sides.values())
        return right, self.centre(0, last)[1] + _SQUARE / 2 + _FRAME

    def shapes(self, right: float) -> list[str]:
        """All that is to be seen of it, so far to the right."""
        self.left += right
        cells = [(c, r, (column, row)) for r, row in enumerate(self.rows) for c, column in enumerate(self.columns)]
        out = list(self._bed())
        if self.layout.joined:
            for c, r, cell in cells:
                out += self._links(c, r, cell)
        for c, r, cell in cells:
            out += self._ground(c, r, cell)
        out += self._labels()
        for c, r, cell in cells:
            out += self._pieces(c, r, cell)
        return out

    def _bed(self) -> Iterator[str]:
        if not self.layout.slant and not self.layout.joined:
            wide, high = len(self.columns) * _SQUARE, len(self.rows) * _SQUARE
            yield box(self.left - 4, _FRAME - 4, wide + 8, high + 8, _BED, 5, f'stroke="{_EDGE}" stroke-width="2"')

    def _ground(self, c: int, r: int, cell: Cell) -> Iterator[str]:
        """A cell without what stands on it; on some cells of a board nothing ever stands, and they can't be touched."""
        x, y = self.centre(c, r)
        what = ", ".join(self.seen.cells.get(cell, ())) or "empty"
        touch = " " + place(",".join(cell), f"cell {cell[0]} {cell[1]}, {what}") if cell in self.layout.named else ""
        if self.layout.joined:
            at = f'cx="{length(x)}" cy="{length(y)}"'
            yield f'<circle {at} r="7" fill="{LIGHT}" stroke="{_EDGE}"/><circle {at} r="20" {HIT}{touch}/>'
        elif self.layout.slant:
            yield f'<polygon points="{_hexagon(x, y)}" fill="{LIGHT}" stroke="{_WOOD}" stroke-width="2"{touch}/>'
        else:
            # The corner at the left of the bottom is dark.
            shade = (
                DARK if (self.layout.rows[::-1].index(cell[1]) + self.layout.columns.index(cell[0])) % 2 == 0 else LIGHT
            )
            half = _SQUARE / 2
            yield box(x - half + 0.5, y - half + 0.5, _SQUARE - 1, _SQUARE - 1, shade, 2, touch.strip())

    def _labels(self) -> Iterator[str]:
        """The names of columns and rows."""
        last = len(self.rows) - 1
        for r, row in enumerate(self.rows):
            x = self.centre(0, r)[0] if self.layout.slant else self.left + _SQUARE / 2 - self.beside
            x -= _SQUARE / 2 + 17
            yield write(x, self.centre(0, r)[1] + 5, row, 14, _INK)
        for c, column in enumerate(self.columns):
            x, y = self.centre(c, last)
            yield write(x, y + _SQUARE / 2 + 22, column, 14, _INK)

    def _pieces(self, c: int, r: int, cell: Cell) -> Iterator[str]:
        """What stands on a cell; what else is said of it is written below it."""
        words, (x, y) = self.seen.cells.get(cell, []), self.centre(c, r)
        size = _SQUARE * (0.86 if self.layout.slant or self.layout.joined else 1)
        for word in words[:1]:
            spot = (x, y - 5, 0.78 * size) if len(words) > 1 else (x, y, size)
            yield from piece(
                ",".join(cell), word, 0, draw(self.key, word, self.scene.roles, spot, self.names.get(word, word))
            )
        if len(words) > 1:
            more = ", ".join(self.names.get(word, word) for word in words[1:])
            caption = write(x, y + 0.44 * _SQUARE, more, 11 if len(more) < 9 else 8, "#3a2a18")
            yield f'<g pointer-events="none">{caption}</g>'

    def _links(self, c: int, r: int, cell: Cell) -> Iterator[str]:
        """The links of a cell to the right, upwards, and to what lies beside the board."""
        layout, here = self.layout, self.centre(c, r)
        for dx, dy in ((1, 0), (0, 1)):
            if c + dx < len(self.columns) and r - dy >= 0:
                link = cell, (self.columns[c + dx], self.rows[r - dy])
                if link in layout.joined:
                    yield from self._line(here, self.centre(c + dx, r - dy), self.seen.links.get(link, ""))
        for name, side in layout.sides.items():
            if (cell, name) in layout.side_cells:
                beyond = self.centre(-1 if side == "left" else len(self.columns), r)
                word = self.seen.ends.get((cell, name), "")
                yield from self._line(here, beyond, word)
                x, y = beyond[0] + (-28 if side == "left" else 24), beyond[1]
                yield write(x, y + 5, name, 14, _INK)
                hit = f'<rect x="{length(x - 24)}" y="{length(y - 18)}" width="48" height="36" {HIT}'
                yield f"{hit} {place(f'{name},{cell[1]}', f'{name}, row {cell[1]}')}/>"

    def _line(self, a: tuple[float, float], b: tuple[float, float], word: str) -> Iterator[str]:
        x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
        yield (
            f'<line x1="{length(a[0])}" y1="{length(a[1])}" x2="{length(b[0])}" y2="{length(b[1])}" stroke="{_INK}" '
            f'stroke-width="{3 if word else 1.5}"/>'
        )
        if word:
            yield f'<circle cx="{length(x)}" cy="{length(y)}" r="11" fill="{LIGHT}" stroke="{_EDGE}"/>'
            yield write(x, y + 5, self.names.get(word, word), 14, _EDGE, "bold")


def _hexagon(x: float, y: float) -> str:
    """The corners of a hexagon as wide as a square."""
    side = _SQUARE / sqrt(3)
    corners = ((0, -1), (0.5, -0.5), (0.5, 0.5), (0, 1), (-0.5, 0.5), (-0.5, -0.5))
    return " ".join(f"{length(x + dx * _SQUARE)},{length(y + dy * side)}" for dx, dy in corners)
