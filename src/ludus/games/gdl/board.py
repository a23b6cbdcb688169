"""Pictures of states of any rulesheet: a grid where there is a board (`layout.py` finds it), everything else as a list.

Long names are shortened where the board would be too wide with them, and told below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import count
from math import sqrt

from ludus.games.gdl.layout import Cell, Layout, Link, Seen

WIDE = 40  # columns of a terminal: names in wider boards are shortened
LONG = 7  # characters that fit into a square of a picture
_SQUARE = 36
_LINK = 3  # characters between two cells that may be joined


def board_text(layout: Layout | None, fluents: list[str]) -> str:
    """What holds as text."""
    lines, others = [], fluents
    if layout is not None:
        seen = layout.look(fluents)
        others = seen.others
        lines = _Text(layout, seen, {}).lines()
        words = {*layout.words, *_words(seen)}
        # As wide as it can become: names are to be the same from the first state to the last.
        widest = len(layout.columns) * (1 + max(map(len, words), default=0))
        if max(widest, *map(len, lines)) > WIDE or layout.joined:
            names = short_names(words)
            lines = [*_Text(layout, seen, names).lines(), *_listed(_legend(names, _words(seen)), ", ")]
    return "\n".join([*lines, *_listed(others, "  ")]).rstrip()


def short_names(words: Iterable[str]) -> dict[str, str]:
    """Names as short as they can be told apart.

    >>> short_names(["white man", "black man", "white king"])
    {'black man': 'bm', 'white king': 'wk', 'white man': 'wm'}
    """
    ordered = sorted(set(words))
    for length in count(1):
        found = {word: "".join(part[:length] for part in word.split()) for word in ordered}
        if len(set(found.values())) == len(ordered) or length > max(map(len, ordered)):
            break
    return found


def _words(seen: Seen) -> list[str]:
    """All that is to be seen in a state."""
    on_cells = [word for words in seen.cells.values() for word in words]
    return list(dict.fromkeys((*on_cells, *seen.links.values(), *seen.ends.values())))


def _legend(names: dict[str, str], words: list[str]) -> list[str]:
    return [f"{names[word]} {word}" for word in sorted(words) if names[word] != word]


def _listed(texts: Iterable[str], between: str) -> list[str]:
    """Texts, as many on a line as fit."""
    lines: list[str] = []
    for text in texts:
        if lines and len(lines[-1]) + len(between) + len(text) <= 78:
            lines[-1] += between + text
        else:
            lines.append(text)
    return lines


class _Text:
    """A board in letters."""

    def __init__(self, layout: Layout, seen: Seen, names: dict[str, str]) -> None:
        self.layout, self.seen, self.names = layout, seen, names
        self.linked = bool(layout.joined)
        marks = [self.mark((c, r)) for c in layout.columns for r in layout.rows]
        width = max(map(len, (*layout.columns, *marks)))
        if layout.slant:
            width += 1 - width % 2  # so that half of a cell is a whole number
        self.width = width
        self.gap = _LINK if self.linked else 1
        self.margin = max(map(len, layout.rows))
        lefts = [name for name, side in layout.sides.items() if side == "left"]
        self.left = max(map(len, lefts), default=0) + _LINK * bool(lefts)

    def mark(self, cell: Cell) -> str:
        words = [self.names.get(word, word) for word in self.seen.cells.get(cell, ())]
        return "/".join(words) or ("." if cell in self.layout.named else "")

    def lines(self) -> list[str]:
        layout, half = self.layout, (self.width + self.gap) // 2
        lines = []
        for i, row in enumerate(layout.rows):
            up = len(layout.rows) - i  # rows above the labels of the columns, half a cell from each to the next
            shift = half * (up if layout.slant > 0 else i) if layout.slant else 0
            lines.append(f"{row:>{self.margin}}  {' ' * shift}{self.row(row)}".rstrip())
            if self.linked and i + 1 < len(layout.rows):
                lines.append(" " * (self.margin + 2) + self.between(layout.rows[i + 1], row).rstrip())
        below = half * len(layout.rows) if layout.slant < 0 else 0
        labels = (" " * self.gap).join(f"{c:<{self.width}}" for c in layout.columns)
        lines.append(" " * (self.margin + 2 + below + self.left) + labels.rstrip())
        return lines

    def row(self, row: str) -> str:
        if not self.linked:
            return " ".join(f"{self.mark((c, row)):<{self.width}}" for c in self.layout.columns)
        out = " " * self.left
        for name, side in self.layout.sides.items():
            if side == "left" and ((self.layout.columns[0], row), name) in self.layout.side_cells:
                out = f"{name + self.sign(self.end(row, 0, name)):<{self.left}}"
        for i, column in enumerate(self.layout.columns):
            right = self.layout.columns[i + 1] if i + 1 < len(self.layout.columns) else None
            link: Link | None = ((column, row), (right, row)) if right is not None else None
            joined = link in self.layout.joined
            out += f"{self.mark((column, row)):{'-' if joined else ' '}<{self.width}}"
            out += self.sign(self.seen.links.get(link, "")) if joined and link else " " * self.gap
        for name, side in self.layout.sides.items():
            if side == "right" and ((self.layout.columns[-1], row), name) in self.layout.side_cells:
                out = out[: -self.gap] + self.sign(self.end(row, -1, name)) + name
        return out

    def end(self, row: str, column: int, name: str) -> str:
        return self.seen.ends.get(((self.layout.columns[column], row), name), "")

    def sign(self, word: str) -> str:
        """A link to the right, with what is said of it."""
        return f"{self.names.get(word, word)[:1]:-^{_LINK}}"

    def between(self, lower: str, upper: str) -> str:
        """What joins the cells of two rows."""
        out = " " * self.left
        for column in self.layout.columns:
            link = (column, lower), (column, upper)
            word = self.seen.links.get(link, "")
            sign = (self.names.get(word, word)[:1] or "|") if link in self.layout.joined else ""
            out += f"{sign:<{self.width + self.gap}}"
        return out


# --- as a picture ----------------------------------------------------------------------------------------------------


def board_svg(layout: Layout | None, fluents: list[str]) -> str:
    """What holds as a picture."""
    shapes: list[str] = []
    width, height, others = 320.0, 10.0, fluents
    if layout is not None:
        seen = layout.look(fluents)
        words = _words(seen)
        long = layout.joined or max(map(len, words), default=0) > LONG
        names = short_names([*layout.words, *words]) if long else {}
        shapes, reach, height = _Picture(layout, seen, names).shapes()
        width, others = max(width, reach), [*_legend(names, words if names else []), *seen.others]
    for text in others:
        height += 16
        shapes.append(_text(10, height, text, 12, "start"))
    height += 14
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><rect width="100%" height="100%" fill="white"/>{"".join(shapes)}</svg>'


class _Picture:
    """A board in squares, or in hexagons where a cell has six neighbours."""

    def __init__(self, layout: Layout, seen: Seen, names: dict[str, str]) -> None:
        self.layout, self.seen, self.names = layout, seen, names
        self.height = _SQUARE * sqrt(3) / 2 if layout.slant else _SQUARE
        lefts = [name for name, side in layout.sides.items() if side == "left"]
        self.left = 30 + _SQUARE * 2 * bool(lefts)

    def centre(self, column: int, row: int) -> tuple[float, float]:
        shift = 0.0
        if self.layout.slant:
            shift = (len(self.layout.rows) - 1 - row if self.layout.slant > 0 else row) / 2
        return self.left + (column + 0.5 + shift) * _SQUARE, 12 + (row + 0.5) * self.height

    def shapes(self) -> tuple[list[str], float, float]:
        """The shapes, and how far they reach to the right and down."""
        layout, out, marks = self.layout, [], []
        for r, row in enumerate(layout.rows):
            for c, column in enumerate(layout.columns):
                x, y = self.centre(c, r)
                light = (
                    layout.slant or (len(layout.rows) - r + c) % 2 == 0
                )  # the corner at the left of the bottom is dark
                shade = "#f4e8d0" if light else "#e6d3ae"
                if layout.joined:
                    out += self._links(c, r)
                elif layout.slant:
                    out.append(f'<polygon points="{_hexagon(x, y)}" fill="{shade}" stroke="#8a7a5a"/>')
                else:
                    out.append(
                        f'<rect x="{x - _SQUARE / 2:g}" y="{y - _SQUARE / 2:g}" width="{_SQUARE}" height="{_SQUARE}" '
                        f'fill="{shade}" stroke="#8a7a5a"/>'
                    )
                words = "/".join(self.names.get(word, word) for word in self.seen.cells.get((column, row), ()))
                if layout.joined:
                    marks.append(
                        f'<circle cx="{x:g}" cy="{y:g}" r="{10 if words else 4}" fill="#e6d3ae" stroke="#8a7a5a"/>'
                    )
                size = 20 if len(words) < 3 else 10
                size = 12 if layout.joined and size == 20 else size
                if words:
                    marks.append(_text(x, y + size / 3, words, size, "middle"))
            out.append(_text(15, self.centre(0, r)[1] + 4, row, 12, "middle"))
        down = 12 + (len(layout.rows) - 1) * self.height + _SQUARE + 14
        last = len(layout.rows) - 1
        out += [_text(self.centre(c, last)[0], down, column, 12, "middle") for c, column in enumerate(layout.columns)]
        reach = max(self.centre(len(layout.columns) - 1, r)[0] for r in (0, last)) + _SQUARE
        return [*out, *marks], reach + _SQUARE * 2 * ("right" in layout.sides.values()), down + 10

    def _links(self, c: int, r: int) -> list[str]:
        """The links of a cell to the right, upwards, and to what lies beside the board."""
        layout, out = self.layout, []
        column, row = layout.columns[c], layout.rows[r]
        here = column, row
        if c + 1 < len(layout.columns) and (here, (layout.columns[c + 1], row)) in layout.joined:
            out += self._line(
                self.centre(c, r), self.centre(c + 1, r), self.seen.links.get((here, (layout.columns[c + 1], row)), "")
            )
        if r and (here, (column, layout.rows[r - 1])) in layout.joined:
            out += self._line(
                self.centre(c, r), self.centre(c, r - 1), self.seen.links.get((here, (column, layout.rows[r - 1])), "")
            )
        for name, side in layout.sides.items():
            if (here, name) in layout.side_cells:
                beyond = self.centre(-1 if side == "left" else len(layout.columns), r)
                out += self._line(self.centre(c, r), beyond, self.seen.ends.get((here, name), ""))
                out.append(_text(beyond[0], beyond[1] + 4, name, 10, "end" if side == "left" else "start"))
        return out

    def _line(self, a: tuple[float, float], b: tuple[float, float], word: str) -> list[str]:
        x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
        line = f'<line x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}" stroke="#8a7a5a"/>'
        return [line, _text(x, y + 4, self.names.get(word, word), 12, "middle")] if word else [line]


def _hexagon(x: float, y: float) -> str:
    """The corners of a hexagon as wide as a square."""
    side = _SQUARE / sqrt(3)
    corners = ((0, -1), (0.5, -0.5), (0.5, 0.5), (0, 1), (-0.5, 0.5), (-0.5, -0.5))
    return " ".join(f"{x + dx * _SQUARE:.1f},{y + dy * side:.1f}" for dx, dy in corners)


def _text(x: float, y: float, text: str, size: int, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-family="sans-serif" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
