"""Pictures of states of any rulesheet. Nothing says what a proposition looks like, but most boards are written alike: as a relation of a
column, a row and what stands there. That is drawn as a grid; everything else is listed.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import NamedTuple

from ludus.games.gdl.kif import Term, natural, read_term, write

_BLANKS = ("b", "blank", "empty", "e", "none", "nil", "free")
_SQUARE = 36


class Grid(NamedTuple):
    """A board: its columns and rows from the top, and what stands where."""

    columns: list[str]
    rows: list[str]
    cells: dict[tuple[str, str], str]


def _layout(fluents: list[str], possible: list[str]) -> tuple[Grid | None, list[str]]:
    """The board of a state, if it has one, and all other propositions."""
    terms = [read_term(text) for text in fluents]
    everything = [read_term(text) for text in possible] or terms
    kinds = Counter(t[0] for t in everything if _is_cell(t))
    if not kinds:
        return None, [write(t) for t in terms]
    kind = max(kinds, key=lambda k: (kinds[k], k))
    cells = {(t[1], t[2]): t[3] for t in terms if _is_cell(t) and t[0] == kind}
    columns = sorted({t[1] for t in everything if _is_cell(t) and t[0] == kind}, key=natural)
    rows = sorted({t[2] for t in everything if _is_cell(t) and t[0] == kind}, key=natural, reverse=True)
    if len(columns) > 30 or len(rows) > 30 or len(columns) < 2 or len(rows) < 2:
        return None, [write(t) for t in terms]
    return Grid(columns, rows, cells), [write(t) for t in terms if not (_is_cell(t) and t[0] == kind)]


def _is_cell(term: Term) -> bool:
    return isinstance(term, tuple) and len(term) == 4 and all(isinstance(part, str) for part in term)


def board_text(fluents: list[str], possible: list[str]) -> str:
    """What holds as text, with a grid where there is a board; `possible` is what can hold in any state, if that is known."""
    grid, rest = _layout(fluents, possible)
    lines = []
    if grid is not None:
        width = max([len(c) for c in grid.columns] + [len(v) for v in grid.cells.values()] + [1])
        margin = max(len(r) for r in grid.rows)
        for row in grid.rows:
            marks = (grid.cells.get((c, row), ".") for c in grid.columns)
            lines.append(
                f"{row:>{margin}}  " + " ".join(f"{'.' if m in _BLANKS else m:<{width}}" for m in marks).rstrip()
            )
        lines.append(" " * (margin + 2) + " ".join(f"{c:<{width}}" for c in grid.columns).rstrip())
    line = ""
    for text in rest:
        if len(line) + len(text) > 78:
            lines.append(line.rstrip())
            line = ""
        line += text + "  "
    lines.append(line.rstrip())
    return "\n".join(lines).rstrip()


def board_svg(fluents: list[str], possible: list[str]) -> str:
    """What holds as a picture."""
    grid, rest = _layout(fluents, possible)
    shapes = []
    width, y = 320, 10
    if grid is not None:
        width = max(width, 40 + len(grid.columns) * _SQUARE)
        for r, row in enumerate(grid.rows):
            for c, column in enumerate(grid.columns):
                x, top = 30 + c * _SQUARE, y + r * _SQUARE
                shade = "#f4e8d0" if (r + c) % 2 else "#e6d3ae"
                shapes.append(
                    f'<rect x="{x}" y="{top}" width="{_SQUARE}" height="{_SQUARE}" fill="{shade}" stroke="#8a7a5a"/>'
                )
                mark = grid.cells.get((column, row), "")
                if mark and mark not in _BLANKS:
                    size = 20 if len(mark) < 3 else 10
                    shapes.append(_text(x + _SQUARE / 2, top + _SQUARE / 2 + size / 3, mark, size, "middle"))
            shapes.append(_text(15, y + (r + 0.6) * _SQUARE, row, 12, "middle"))
        y += len(grid.rows) * _SQUARE + 16
        for c, column in enumerate(grid.columns):
            shapes.append(_text(30 + (c + 0.5) * _SQUARE, y, column, 12, "middle"))
        y += 10
    for text in rest:
        y += 16
        shapes.append(_text(10, y, text, 12, "start"))
    height = y + 14
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(shapes)}</svg>'
    )


def _text(x: float, y: float, text: str, size: int, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-family="sans-serif" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
