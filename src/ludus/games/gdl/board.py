"""States of any rulesheet as text: a grid where there is a board (`layout.py` finds it), everything else as a list. `picture.py` draws them.

Long names are shortened where the board would be too wide with them, and told below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from ludus.games.gdl.layout import Cell, Layout, Link, Seen

WIDE = 40  # columns of a terminal: names in wider boards are shortened
_LINK = 3  # characters between two cells that may be joined


def board_text(layout: Layout | None, fluents: list[str]) -> str:
    """What holds as text."""
    lines, others = [], fluents
    if layout is not None:
        seen = layout.look(fluents)
        others = seen.others
        lines = _Text(layout, seen, {}).lines()
        words = {*layout.words, *words_of(seen)}
        # As wide as it can become: names are to be the same from the first state to the last.
        widest = len(layout.columns) * (1 + max(map(len, words), default=0))
        if max(widest, *map(len, lines)) > WIDE or layout.joined:
            names = short_names(words)
            lines = [*_Text(layout, seen, names).lines(), *_listed(legend(names, words_of(seen)), ", ")]
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


def words_of(seen: Seen) -> list[str]:
    """All that is to be seen in a state."""
    on_cells = [word for words in seen.cells.values() for word in words]
    return list(dict.fromkeys((*on_cells, *seen.links.values(), *seen.ends.values())))


def legend(names: dict[str, str], words: list[str]) -> list[str]:
    """What short names stand for."""
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
