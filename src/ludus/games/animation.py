"""A whole game as one picture that moves: an SVG file that needs nothing else, made from the pictures of its positions.

What several pictures share is in the file once, and is shown as long as it is on the board. So a long game takes little more room than a few of its pictures.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from ludus.errors import LudusError
from ludus.games.svg import length
from ludus.quantities import SECONDS

SVG = "http://www.w3.org/2000/svg"
LAST = 4  # the last position is shown as long as so many others
_FOR_PAGES = ("class", "pointer-events")  # attributes that a file has no use for


class _Frame(NamedTuple):
    """One picture, taken apart."""

    wide: float
    high: float
    font: str
    title: str
    words: str
    shapes: list[str]


def animated(pictures: Sequence[str], seconds: float = 1.0) -> str:
    """The pictures one after another, each for some seconds, over and over again. A viewer that knows no motion shows the first one.

    >>> import ludus
    >>> start = ludus.game("tictactoe").start()
    >>> positions = [start, start.play("mark 2 2"), start.play("mark 2 2").play("mark 1 1")]
    >>> moving = animated([position._repr_svg_() for position in positions], seconds=0.5)
    >>> moving.count("<path "), moving.count('dur="3s"') > 0
    (1, True)
    """
    if not pictures:
        raise LudusError("there are no pictures to show one after another; give one at least")
    seconds = SECONDS.read(seconds, f"seconds={seconds}")
    key = f"m{zlib.crc32(''.join(pictures).encode()):08x}"
    frames = [_read(picture, key) for picture in pictures]
    wide, high = max(frame.wide for frame in frames), max(frame.high for frame in frames)
    shown: dict[str, set[int]] = {}
    for number, frame in enumerate(frames):
        for shape in frame.shapes:
            shown.setdefault(shape, set()).add(number)
    parts = [
        f'<svg xmlns="{SVG}" viewBox="0 0 {length(wide)} {length(high)}" width="{length(wide)}" height="{length(high)}" '
        f'role="img" aria-labelledby="{key}-t {key}-d" style="max-width:100%" font-family="{escape(frames[0].font)}">',
        f'<title id="{key}-t">{escape(frames[-1].title)}</title>',
        f'<desc id="{key}-d">{escape(frames[-1].words)}</desc>',
    ]
    for when, shapes in groupby(_order(frames), lambda shape: shown[shape]):
        parts += _timed(list(shapes), when, len(frames), seconds)
    return "\n".join([*parts, "</svg>"])


def _read(picture: str, key: str) -> _Frame:
    """A picture without what only pages need, and with names of its own replaced by those of the whole file."""
    root = ET.fromstring(picture)
    own = (root.get("aria-labelledby") or "").split("-")[0]
    wide, high = _size(root)
    title, words = (root.findtext(f"{{{SVG}}}{tag}") or "" for tag in ("title", "desc"))
    shapes = []
    for node in _visible(root):
        node.tail = None
        text = ET.tostring(node, encoding="unicode")
        text = re.sub(r"<(/?)ns\d+:", r"<\1", re.sub(r' xmlns(:ns\d+)?="[^"]*"', "", text))
        shapes.append(text.replace(f"{own}-", f"{key}-") if own else text)
    return _Frame(wide, high, root.get("font-family", "serif"), title, words, shapes)


def _size(root: ET.Element) -> tuple[float, float]:
    """How wide and how high a picture is."""
    given = (root.get("viewBox") or f"0 0 {root.get('width')} {root.get('height')}").split()
    try:
        return float(given[2]), float(given[3])
    except (IndexError, ValueError):
        raise LudusError(
            f"a picture must say how large it is, by a viewBox or in units, not {' '.join(given)!r}"
        ) from None


def _visible(parent: ET.Element) -> Iterator[ET.Element]:
    """The shapes in an element that are to be seen; groups that only hold them together are opened."""
    for node in list(parent):
        tag = node.tag.rpartition("}")[2]
        if tag in ("title", "desc") or node.get("fill-opacity") == "0":
            continue
        if tag == "g" and set(node.keys()) <= {"class"}:
            yield from _visible(node)
            continue
        for name in list(node.keys()):
            if name in _FOR_PAGES or name.startswith("data-"):
                del node.attrib[name]
        for part in node:
            part.tail = None
        node.text = node.text.strip() if node.text else None
        yield node


def _order(frames: Sequence[_Frame]) -> list[str]:
    """All shapes, each once, so that what lies above something in a picture is behind it in the list, as far as that can be."""
    order: list[str] = []
    known: set[str] = set()
    for frame in frames:
        at = 0
        for shape in frame.shapes:
            if shape in known:
                at = order.index(shape) + 1
            else:
                order.insert(at, shape)
                known.add(shape)
                at += 1
    return order


def _timed(shapes: list[str], when: set[int], count: int, seconds: float) -> list[str]:
    """Shapes that are shown in some of the pictures."""
    if len(when) == count:
        return shapes
    total = count - 1 + LAST
    changes = [i for i in range(count) if i == 0 or (i in when) != (i - 1 in when)]
    values = ";".join("inline" if i in when else "none" for i in changes)
    times = ";".join(f"{i / total:.5f}".rstrip("0").rstrip(".") for i in changes)
    hidden = "" if 0 in when else ' display="none"'
    motion = (
        f'<animate attributeName="display" values="{values}" keyTimes="{times}" calcMode="discrete" '
        f'dur="{length(total * seconds)}s" repeatCount="indefinite"/>'
    )
    return [f"<g{hidden}>{motion}", *shapes, "</g>"]
