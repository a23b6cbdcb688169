"""What a Quoridor board shows must be what the state says: text and picture are read back and compared with it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import OVER, play, random_move, start, turn
from ludus.games.quoridor import board
from ludus.games.quoridor.bitboard import ACTIONS, PAWN
from ludus.games.quoridor.naming import square_text, wall_text, walls_on
from ludus.kernel import JIT, stream

NINE = ludus.game("quoridor")
GAMES = [NINE, *map(ludus.game, ("quoridor(size=3,walls=2)", "quoridor(size=6)", "quoridor(seats=4)"))]
WIDE = ludus.game("quoridor(size=5,columns=7,seats=4)")
GAMES += [ludus.game("quoridor(size=7,columns=5)"), WIDE]
SVG = "{http://www.w3.org/2000/svg}"
examples = settings(deadline=None, max_examples=80 if JIT else 10)


def state_after(game: Any, seed: int, plies: int) -> np.ndarray:
    """Where a random game is after so many plies, or at its end."""
    rng, room = stream(seed), np.zeros(ACTIONS, np.int64)
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    while plies > 0 and (seat := turn(game, state)) != OVER:
        play(game, state, random_move(game, state, seat, rng, room))
        plies -= 1
    return state


cases = st.tuples(st.sampled_from(GAMES), st.integers(0, 1000), st.integers(0, 330 if JIT else 40)).map(
    lambda drawn: (drawn[0], state_after(*drawn))
)


def position(text: str, game: Any = NINE) -> np.ndarray:
    return game.position(text).state


# --- text ------------------------------------------------------------------------------------------------------------


def seen(game: Any, state: np.ndarray) -> tuple[list[str], set[str]]:
    """The pawns' squares and the walls, read off the text."""
    lines = board.text(game, state).splitlines()
    rows = [line[4 : 4 + 4 * game.columns - 1] for line in reversed(lines[2 : 2 + 2 * game.size - 1])]
    pawns = {}
    for row in range(game.size):
        for column in range(game.columns):
            sign = rows[2 * row][4 * column + 1]
            if sign != ".":
                pawns[sign] = f"{'abcdefghi'[column]}{row + 1}"
    walls = set()
    for row in range(game.size - 1):
        for column in range(game.columns - 1):
            name = f"{'abcdefghi'[column]}{row + 1}"
            if rows[2 * row + 1][4 * column : 4 * column + 7] == "=======":
                walls.add(f"{name}h")
            if {rows[2 * row + i][4 * column + 3] for i in range(3)} == {"|"}:
                walls.add(f"{name}v")
    return [pawns[name[0].upper()] for name in game.seat_names], walls


@examples
@given(cases)
def test_the_text_shows_each_pawn_and_each_wall_where_it_is(case):
    game, state = case
    pawns = [square_text(int(square)) for square in state[PAWN : PAWN + game.seats]]
    assert seen(game, state) == (pawns, {wall_text(wall) for wall in walls_on(state)})


@examples
@given(cases)
def test_colours_change_nothing_but_colours_and_the_board_is_narrow(case):
    game, state = case
    plain = board.text(game, state).splitlines()
    painted = re.sub(r"\x1b\[[0-9;]*m", "", board.text(game, state, color=True)).splitlines()
    assert max(map(len, plain)) <= 43
    assert max(map(len, painted)) <= 43
    assert [line.split() for line in painted[-game.seats - 1 :]] == [line.split() for line in plain[-game.seats - 1 :]]


def test_walls_in_a_row_can_be_told_apart():
    lines = board.text(NINE, position("e1 e9 / 8 8 / a3h c3h e3h d6v / yellow")).splitlines()
    assert "   |======= ======= =======            |" in lines


def test_the_foot_tells_whose_turn_it_is_and_everybodys_walls_and_distance():
    lines = board.text(NINE, position("e3 d7 / 9 10 / e3h / green 5")).splitlines()
    assert lines[-3:] == ["   Y yellow   9 walls  7 to row 9", " > G green   10 walls  6 to row 1", "   move 3"]


@pytest.mark.parametrize(
    ("text", "foot"),
    [
        ("e9 d7 / 9 10 / e3h / over 25", "   move 13: yellow wins"),
        ("e5 d1 / 9 10 / e3h / over 26", "   move 13: green wins"),
        ("e5 d3 / 9 10 / e3h / over 324", "   move 162: a draw"),
    ],
)
def test_at_the_end_the_foot_tells_the_result(text, foot):
    assert board.text(NINE, position(text)).splitlines()[-1] == foot


# --- picture ---------------------------------------------------------------------------------------------------------


@examples
@given(cases)
def test_the_picture_has_every_square_pawn_and_wall(case):
    game, state = case
    root = ET.fromstring(game.board_svg(state))
    boxes = [tuple(float(box.get(key)) for key in ("width", "height")) for box in root.iter(f"{SVG}rect")]
    assert boxes.count((44, 44)) == game.size * game.columns
    walls = walls_on(state)
    assert boxes.count((99, 8)) == 2 * sum(wall < 64 for wall in walls), "each with its shadow"
    assert boxes.count((8, 99)) == 2 * sum(wall >= 64 for wall in walls)
    assert sum("url(" in (circle.get("fill") or "") for circle in root.iter(f"{SVG}circle")) == 2 * game.seats


def test_the_picture_says_in_words_what_it_shows():
    picture = NINE.board_svg(position("e3 d7 / 9 10 / e3h / green 5"))
    assert "Quoridor: green to move" in picture
    assert (
        "green to move. yellow is on e3, 7 from row 9, with 9 walls left. green is on d7, 6 from row 1, "
        "with 10 walls left. Walls: e3h." in picture
    )


def test_pictures_of_different_positions_share_no_names_on_one_page():
    names = [set(re.findall(r'id="([^"]+)"', NINE.board_svg(state_after(NINE, 1, plies)))) for plies in (0, 1)]
    assert not names[0] & names[1]


def boxes_of(picture: str, where: str) -> list[tuple[float, ...]]:
    """The rectangles of a piece: left, top, width and height."""
    group = next(
        g for g in ET.fromstring(picture).iter(f"{SVG}g") if (g.get("data-place"), g.get("class")) == (where, "piece")
    )
    return [tuple(float(box.get(key, 0)) for key in ("x", "y", "width", "height")) for box in group.iter(f"{SVG}rect")]


def test_any_seat_can_sit_at_the_bottom():
    game = GAMES[3]
    state = game.start().play("c3h").state
    for seat, name in enumerate(game.seat_names):
        root = ET.fromstring(game.board_svg(state, seat))
        pawn = next(g for g in root.iter(f"{SVG}g") if g.get("data-kind") == name)
        assert float(pawn[1].get("cy", 0)) == 34 + 8 * 55 + 22, "its pawn is in the last row"
    lying, standing = boxes_of(game.board_svg(state, 0), "c3h")[1], boxes_of(game.board_svg(state, 1), "c3h")[1]
    assert lying[2:] == (99, 8)
    assert standing[2:] == (8, 99)
    x, y, *_ = lying
    assert boxes_of(game.board_svg(state, 2), "c3h")[1][:2] == (552 - x - 99, 552 - y - 8)


@pytest.mark.parametrize(("seat", "high", "wide"), [(0, 5, 7), (1, 7, 5), (2, 5, 7), (3, 7, 5)])
def test_a_turned_rectangle_stands_upright_or_lies(seat, high, wide):
    """Each seat's pawn is in the middle of the last row, and its goal, with a line for each square, is at the top."""
    picture = WIDE.board_svg(WIDE.start().state, seat)
    across, upright = 34 * 2 + 55 * wide - 11, 34 * 2 + 55 * high - 11
    assert f'data-board="0 0 {across} {upright}"' in picture
    root = ET.fromstring(picture)
    pawn = next(g for g in root.iter(f"{SVG}g") if g.get("data-kind") == WIDE.seat_names[seat])
    assert (float(pawn[1].get("cx", 0)), float(pawn[1].get("cy", 0))) == (across / 2, upright - 34 - 22)
    squares = [box for box in root.iter(f"{SVG}rect") if box.get("width") == box.get("height") == "44"]
    assert len({box.get("x") for box in squares}) == wide
    assert len({box.get("y") for box in squares}) == high
    lines = [box for box in root.iter(f"{SVG}rect") if box.get("fill-opacity") == "0.8" and box.get("height") == "3"]
    assert sum(float(box.get("y", 0)) < 44 for box in lines) == wide


def test_places_say_what_stands_there():
    picture = NINE.board_svg(position("e3 d7 / 9 10 / e3h / green 5"))
    names = dict(re.findall(r'data-place="(\w+)" data-name="([^"]+)"', picture))
    assert len(names) == 81 + 128
    assert [names[where] for where in ("e3", "d7", "a1")] == ["e3, yellow's pawn", "d7, green's pawn", "a1"]
    assert [names[where] for where in ("e3h", "e3v")] == ["wall e3h, built", "wall e3v"]


def test_a_wall_is_asked_for_again_and_a_step_is_not():
    touches = {touch.text: touch for touch in NINE.turn_of(NINE.start().state, 0).touches}
    assert touches["e2"][:2] == ("e1", "e2")
    assert not touches["e2"].confirm
    assert touches["e2h"][:2] == (None, "e2h")
    assert touches["e2h"].confirm
    assert NINE.turn_of(NINE.start().state, 1).touches == (), "it is not green's turn"
