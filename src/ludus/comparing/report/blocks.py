"""What a report is made of, before it is HTML, Markdown or LaTeX: sections of texts, tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


class Sure(str):
    """A cell of a table that a corrected test stands behind; written bold."""

    __slots__ = ()


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Command:
    """What to type."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """A table. `reading` says in plain words how to read it; the first `names` columns hold names, the others numbers."""

    name: str  # for references
    reading: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1


@dataclass(frozen=True)
class Picture:
    """A drawing, as SVG, and how to read it."""

    name: str
    title: str
    reading: str
    svg: str


Block: TypeAlias = Text | Command | Bullets | Grid | Picture


@dataclass(frozen=True)
class Section:
    """A part of the report."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """A report: its sentence first."""

    title: str
    sentence: str
    warnings: Sequence[str]
    sections: Sequence[Section]
