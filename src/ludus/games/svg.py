"""The few shapes of which the games' pictures are made, as SVG text."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

# The spots of a die's faces, on a 3 × 3 grid.
PIPS = {
    1: (4,),
    2: (0, 8),
    3: (0, 4, 8),
    4: (0, 2, 6, 8),
    5: (0, 2, 4, 6, 8),
    6: (0, 2, 3, 5, 6, 8),
}


def length(value: float) -> str:
    """A length with as many digits as a picture needs.

    >>> length(2.0), length(1 / 3)
    ('2', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def box(x: float, y: float, width: float, height: float, fill: str, radius: float, more: str = "") -> str:
    """A rectangle with round corners; `more` are further attributes."""
    return (
        f'<rect x="{length(x)}" y="{length(y)}" width="{length(width)}" height="{length(height)}" rx="{length(radius)}" '
        f'fill="{fill}"{" " + more if more else ""}/>'
    )


def write(x: float, y: float, words: str, size: int, fill: str, weight: str = "normal") -> str:
    """Words, centred on x."""
    return (
        f'<text x="{length(x)}" y="{length(y)}" text-anchor="middle" font-size="{size}" font-weight="{weight}" fill="{fill}">'
        f"{escape(words)}</text>"
    )


# --- what a page can touch and move ----------------------------------------------------------------------------------

HIDDEN = 'fill-opacity="0"'
HIT = f'fill="#fff" {HIDDEN}'  # not to be seen, but to be hit: what has no fill at all is not


def place(where: str, name: str) -> str:
    """The attributes of a shape that can be touched: its id, and its name as one says it.

    >>> place("a1", "a1, empty")
    'class="place" data-place="a1" data-name="a1, empty"'
    """
    return f'class="place" data-place={quoteattr(where)} data-name={quoteattr(name)}'


def area(x: float, y: float, width: float, height: float, where: str, name: str) -> str:
    """A rectangle that can be touched, and not be seen."""
    return f'<rect x="{length(x)}" y="{length(y)}" width="{length(width)}" height="{length(height)}" {HIT} {place(where, name)}/>'


def piece(where: str, kind: str, index: int, shapes: Iterable[str]) -> list[str]:
    """A piece on a place, the n-th of those there. Pieces of one kind are interchangeable. Touches go through it, to its place."""
    opening = f'<g class="piece" data-place={quoteattr(where)} data-kind={quoteattr(kind)} data-index="{index}" pointer-events="none">'
    return [opening, *shapes, "</g>"]


def die(value: int, shapes: Iterable[str], more: str = "") -> list[str]:
    """A die; `more` are further attributes."""
    return [f'<g class="die" data-value="{value}" pointer-events="none"{" " + more if more else ""}>', *shapes, "</g>"]
