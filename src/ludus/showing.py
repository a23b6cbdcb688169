"""How results show themselves: as tables in notebooks, and as frames of pandas or polars for those who have them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ludus.errors import LudusError, NotInstalledError, choice

Rows = Sequence[Mapping[str, Any]]
FRAMES = {"pandas": "pandas", "polars": "polars"}
_CELL = "padding:2px 10px 2px 0"


def html_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """A table for a notebook: the first column is words, the others are numbers.

    >>> html_table("Games", ["player", "wins"], [["<td>", "7"]]).count("&lt;td&gt;")
    1
    """

    def cells(texts: Sequence[str], tag: str) -> str:
        sides = ("left", *["right"] * (len(texts) - 1))
        return "".join(
            f'<{tag} style="{_CELL};text-align:{side}">{escape(text)}</{tag}>'
            for side, text in zip(sides, texts, strict=True)
        )

    caption = f'<caption style="caption-side:top;text-align:left;font-weight:bold">{escape(title)}</caption>'
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    below = f"<div>{escape(note)}</div>" if note else ""
    return f"<table>{caption}<thead><tr>{cells(heads, 'th')}</tr></thead><tbody>{body}</tbody></table>{below}"


def html_picture(svg: str, words: str = "", wide: int = 480) -> str:
    """A drawing for a notebook, not wider than so many pixels, with words below it."""
    below = f'<div style="font-size:90%">{escape(words)}</div>' if words else ""
    return f'<div style="max-width:{wide}px">{svg[svg.index("<svg") :]}{below}</div>'


def frame(rows: Rows, kind: str = "pandas") -> Any:
    """A frame of pandas or polars with a line for each row; LudusError if the library is not there. ludus needs neither.

    >>> frame([{"player": "td", "wins": 7}], "numpy")
    Traceback (most recent call last):
    ludus.errors.LudusError: unknown kind of frame 'numpy'; there are: pandas, polars
    """
    try:
        library = importlib.import_module(choice("kind of frame", kind, FRAMES))
    except LudusError:
        raise
    except ImportError:
        other = "polars" if kind == "pandas" else "pandas"
        raise NotInstalledError(
            f"{kind} is not installed: pip install {kind}, or ask for to_frame('{other}')"
        ) from None
    return library.DataFrame([dict(row) for row in rows])


def in_notebook() -> bool:
    """Whether this is a notebook, where what is shown can change later; a terminal of IPython is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")
