"""The few shapes of which the games' pictures are made, as SVG text."""

from __future__ import annotations

from xml.sax.saxutils import escape

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
