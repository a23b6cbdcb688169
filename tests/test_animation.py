"""A whole game as one moving picture: at every moment it shows what the picture of that position shows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

import ludus
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.games.animation import LAST, animated
from ludus.kernel import stream
from toys import Nim
from wandering import one_on

SHAPES = ("rect", "circle", "polygon", "path", "text", "line")
GEOMETRY = ("x", "y", "width", "height", "cx", "cy", "r", "points", "d", "opacity", "font-size", "stroke-width")


def pictures_of(name: str, plies: int) -> list[str]:
    """The pictures of a random game's first positions."""
    rng, position = stream(7), ludus.game(name).start()
    out = [position._repr_svg_()]
    while len(out) <= plies and not position.over:
        position = one_on(position, rng)
        out.append(position._repr_svg_())
    return out


def is_shown(node: ET.Element, time: float) -> bool:
    """Whether an element is shown at a time, a part of the whole from 0 to 1."""
    motion = node.find("{*}animate")
    if motion is None:
        return node.get("fill-opacity") != "0"
    values, times = motion.get("values", "").split(";"), [float(t) for t in motion.get("keyTimes", "").split(";")]
    return [value for value, begin in zip(values, times, strict=True) if begin <= time][-1] == "inline"


def visible(node: ET.Element, time: float = 0) -> Iterator[tuple[str, ...]]:
    """The shapes that are shown at a time, as what one sees of them."""
    for part in node:
        tag = part.tag.rpartition("}")[2]
        if is_shown(part, time) and tag not in ("title", "desc"):
            if tag in SHAPES:
                yield (tag, *(part.get(name, "") for name in GEOMETRY), part.text or "")
            yield from visible(part, time)


@pytest.mark.parametrize("name", ["backgammon", "quoridor(size=5)", "ludo(seats=2)", "checkers", "shannon"])
def test_at_every_moment_it_shows_one_position(name):
    pictures = pictures_of(name, 30)
    root = ET.fromstring(animated(pictures, seconds=1))
    total = len(pictures) - 1 + LAST
    for number, picture in enumerate(pictures):
        moment = (number + 0.5) / total
        assert set(visible(root, moment)) == set(visible(ET.fromstring(picture)))


def test_what_positions_share_is_there_once():
    pictures = pictures_of("quoridor", 60)
    assert len(animated(pictures)) < sum(map(len, pictures)) / 20


def test_it_needs_nothing_from_outside_and_shares_no_names_with_another():
    one, other = animated(pictures_of("connectfour4x4", 6)), animated(pictures_of("connectfour4x4", 7))
    for moving in (one, other):
        assert "href" not in moving
        assert "data-" not in moving
        assert set(re.findall(r"url\(#([^)]+)\)", moving)) <= set(re.findall(r'id="([^"]+)"', moving))
    assert not set(re.findall(r'id="([^"]+)"', one)) & set(re.findall(r'id="([^"]+)"', other))


def test_it_tells_how_the_game_stands_at_the_end():
    start = ludus.game("backgammon").start()
    root = ET.fromstring(animated([start._repr_svg_(), start.play("31")._repr_svg_()]))
    assert root.findtext("{*}title") == "Backgammon: X to move: 3-1"
    assert (root.findtext("{*}desc") or "").startswith("X to move: 3-1. X has 2 on 24")


def test_one_picture_stands_still():
    moving = animated(pictures_of("tictactoe", 0))
    assert "<animate" not in moving


@pytest.mark.parametrize(
    ("count", "seconds", "words"), [(0, 1, "no pictures"), (1, 0, "seconds=0"), (1, -1, "seconds=-1")]
)
def test_nothing_can_not_be_shown(count, seconds, words):
    with pytest.raises(LudusError, match=words):
        animated(pictures_of("tictactoe", 0)[:count], seconds)


def test_pictures_of_games_from_outside_move_too():
    start = Position.start(Nim())
    moving = ET.fromstring(animated([start._repr_svg_(), start.play("B3")._repr_svg_()]))
    assert moving.get("viewBox") == "0 0 200 40"
    assert [shape[-1] for shape in visible(moving, 0.99)] == [start.play("B3").text]
    with pytest.raises(LudusError, match="how large it is"):
        animated(['<svg xmlns="http://www.w3.org/2000/svg" width="100%"/>'])
