"""A report as Markdown, for places that show tables but no page: its pictures are in report.html."""

from __future__ import annotations

import re

from ludus.comparing.judging.figures import plain
from ludus.comparing.report.blocks import Block, Bullets, Command, Document, Grid, Picture, Sure, Text


def to_markdown(document: Document) -> str:
    """The text of report.md."""
    parts = [f"# {escaped(document.title)}", f"**{escaped(document.sentence)}**"]
    parts += [f"> {escaped(warning)}" for warning in document.warnings]
    for section in document.sections:
        blocks = list(filter(None, map(_block, section.blocks)))
        if blocks:
            parts += [f"## {escaped(section.title)}", *blocks]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text of which nothing is taken as markup.

    >>> escaped("a|b <b>*c*</b> q_1")
    'a\\\\|b &lt;b&gt;\\\\*c\\\\*&lt;/b&gt; q\\\\_1'
    """
    safe = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~!$])", r"\\\1", safe)


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return escaped(block.text)
    if isinstance(block, Command):
        return f"    {plain(block.text)}"
    if isinstance(block, Bullets):
        return "\n".join(f"- {escaped(item)}" for item in block.items)
    if isinstance(block, Picture):
        return ""
    return _table(block)


def _table(grid: Grid) -> str:
    if not grid.rows:
        return ""
    rule = [":--" if number < grid.names else "--:" for number in range(len(grid.heads))]
    rows = [[escaped(head) for head in grid.heads], rule, *([_cell(cell) for cell in row] for row in grid.rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + f"\n\n*{escaped(grid.reading)}*"


def _cell(cell: str) -> str:
    return f"**{escaped(cell)}**" if isinstance(cell, Sure) else escaped(cell)
