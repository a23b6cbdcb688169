"""Positions for `render()` of environments: text, SVG, or an image.

Images are made of the games' own SVG by resvg, a small renderer without any other library behind it, so that they look as on the page. Its font comes with
matplotlib: what fonts a machine has does not matter.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from ludus.contract.touching import board_of
from ludus.errors import LudusError, NotInstalledError

MODES = ("human", "ansi", "svg", "rgb_array")
WIDTH = 480  # of an image, in pixels


def check_mode(mode: str | None) -> None:
    """LudusError if there is no such way to render."""
    if mode is not None and mode not in MODES:
        raise LudusError(f"render_mode={mode!r} is none of {', '.join(MODES)}")


def rendered(game: Any, state: np.ndarray, mode: str | None, seat: int | None = None) -> Any:
    """A state in one of the modes: text for `ansi`, SVG, an array of colours for `rgb_array`; `human` prints it and returns None.

    >>> import ludus
    >>> position = ludus.game("tictactoe").start()
    >>> rendered(position.game, position.state, "human")
    3  . . .
    2  . . .
    1  . . .
       1 2 3
    ( control xplayer )
    """
    check_mode(mode)
    if mode == "ansi":
        return str(game.board_text(state))
    if mode == "human":
        print(game.board_text(state))
        return None
    if mode is None:
        return None
    svg = board_of(game, state, seat)
    return svg if mode == "svg" else pixels(svg)


def pixels(svg: str) -> np.ndarray:
    """An SVG as an array (height, width, 3) of bytes."""
    try:
        import resvg_py  # an optional package
    except ImportError:
        raise NotInstalledError("render_mode='rgb_array' needs resvg_py: pip install 'ludus[gymnasium]'") from None
    from matplotlib import get_data_path
    from PIL import Image

    font = Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    family = "DejaVu Sans"
    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=WIDTH,
        background="#ffffff",
        skip_system_fonts=True,
        font_files=[str(font)],
        font_family=family,
        sans_serif_family=family,
        serif_family=family,
        monospace_family=family,
    )
    return np.array(Image.open(io.BytesIO(bytes(png))).convert("RGB"))
