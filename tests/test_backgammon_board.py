"""What the board shows must be what the state says: both pictures are read back and compared with it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contract.rules import CHANCE, OVER, moves, play, roll, start, turn
from ludus.games.backgammon import Backgammon, board, picture
from ludus.games.backgammon.rules import BAR, OFF, SIDE, STATE_SIZE, TURN
from ludus.kernel import below, stream

GAME = Backgammon()
SVG = "{http://www.w3.org/2000/svg}"


def state_after(seed: int, plies: int) -> np.ndarray:
    """Where a game at random is after so many rolls and moves, or at its end."""
    rng, state, room = stream(seed), np.zeros(STATE_SIZE, np.int64), np.zeros(GAME.facts.max_moves, np.int64)
    start(GAME, state)
    for _ in range(plies):
        seat = turn(GAME, state)
        if seat == OVER:
            break
        if seat == CHANCE:
            play(GAME, state, roll(GAME, state, rng, room, np.zeros(30)))
        else:
            play(GAME, state, room[below(rng, moves(GAME, state, seat, room))])
    return state


def state_of(x: dict[int, int], o: dict[int, int], turn: int, dice: tuple[int, int] = (0, 0)) -> np.ndarray:
    """A state from each side's checkers (0: off, 25: bar), the points as that side counts them."""
    state = np.zeros(STATE_SIZE, np.int64)
    for side, checkers in ((0, x), (SIDE, o)):
        for point, count in checkers.items():
            state[side + point] = count
    state[TURN:] = turn, *dice
    return state


some_states = st.builds(state_after, st.integers(0, 1000), st.integers(0, 400))
ends = st.builds(state_after, st.integers(0, 1000), st.just(5000))
CROWDED = state_of({0: 3, 1: 8, 2: 3, 5: 1}, {0: 2, 1: 6, 2: 4, 6: 1, 25: 2}, turn=1, dice=(6, 6))


# --- text ------------------------------------------------------------------------------------------------------------


def test_points_are_numbered_as_the_seat_to_move_counts_them():
    assert board.text(CROWDED).splitlines() == [
        "+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+",
        "|                  | O | O           O  O |   O   pips 70   off 2",
        "|                  | O |             O  O |",
        "|                  |   |             O  O |",
        "|                  |   |             O  O |",
        "|                  |   |                6 |",
        "|                  |BAR|                  |   O to move: 6-6",
        "|                  |   |                8 |",
        "|                  |   |                X |",
        "|                  |   |             X  X |",
        "|                  |   |             X  X |",
        "|                  |   |    X        X  X |   X   pips 19   off 3",
        "+13-14-15-16-17-18-+---+19-20-21-22-23-24-+",
    ]


def read_text(text: str) -> dict[str, dict[int, int]]:
    """Each side's checkers on a board of text, by points as X counts them, with the bar as 25 and off as 0."""
    lines = text.splitlines()
    found: dict[str, dict[int, int]] = {"X": {}, "O": {}}
    for half, points in ((lines[1:6], [*board.TOP]), (lines[7:12][::-1], [*board.BOTTOM])):
        columns = [1 + 3 * i for i in range(6)] + [24 + 3 * i for i in range(6)]
        for column, point in zip([*columns, 20], [*points, BAR], strict=True):
            cells = [line[column : column + 3].strip() for line in half]
            if cells[0]:
                found[cells[0]][point] = int(cells[4]) if cells[4].isdecimal() else sum(map(bool, cells))
    for line in lines:
        if note := re.search(r"([XO]) +pips \d+ +off (\d+)", line):
            found[note[1]][OFF] = int(note[2])
    return found


@given(some_states)
@settings(max_examples=60, deadline=None)
def test_every_checker_can_be_read_off_the_text(state):
    found = read_text(board.text(state))
    x = {p: int(n) for p, n in enumerate(state[:SIDE]) if n}
    o = {p if p in (OFF, BAR) else 25 - p: int(n) for p, n in enumerate(state[SIDE : 2 * SIDE]) if n}
    assert {p: n for p, n in found["X"].items() if n} == x
    assert {p: n for p, n in found["O"].items() if n} == o


@given(some_states | ends)
@settings(max_examples=60, deadline=None)
def test_the_text_fits_a_terminal_of_80_columns_and_pure_ascii(state):
    text = board.text(state)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80
    assert len({line.find("|", 30) for line in text.splitlines()[1:-1]}) == 1, "the right edge is straight"


@given(some_states)
@settings(max_examples=30, deadline=None)
def test_colours_change_nothing_but_colours(state):
    bare = re.sub(r"\x1b\[[\d;]*m", "", board.text(state, color=True))
    assert bare != board.text(state, color=True)
    signs = r"[A-Za-z]+|\d+"
    assert re.findall(signs, bare) == re.findall(signs, board.text(state))
    assert max(map(len, bare.splitlines())) <= 80


def test_each_colour_is_taken_back_before_the_line_ends():
    # Otherwise the rest of the terminal would be painted too.
    for line in board.text(CROWDED, color=True).splitlines():
        last = list(re.finditer(r"\x1b\[([\d;]*)m", line))[-1]
        assert last[1] == "0"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (state_after(0, 0), "Opening roll"),
        (state_of({6: 15}, {6: 15}, turn=0), "X to roll"),
        (state_of({6: 15}, {6: 15}, turn=1, dice=(5, 3)), "O to move: 5-3"),
        (state_of({0: 15}, {0: 1, 6: 14}, turn=1), "X wins a single game"),
        (state_of({6: 15}, {0: 15}, turn=0), "O wins a gammon"),
        (state_of({0: 15}, {19: 1, 6: 14}, turn=1), "X wins a backgammon"),
        (state_of({0: 15}, {25: 1, 6: 14}, turn=1), "X wins a backgammon"),
    ],
)
def test_both_pictures_say_what_is_going_on(state, words):
    assert board.status(state) == words
    assert words in board.text(state)
    assert words in picture.svg(state)


def test_pips_count_every_step_to_bear_off():
    assert [board.pips(state_after(0, 0), seat) for seat in (0, 1)] == [167, 167]
    assert [board.pips(CROWDED, seat) for seat in (0, 1)] == [8 + 6 + 5, 6 + 8 + 6 + 50]


# --- picture ---------------------------------------------------------------------------------------------------------


def shapes(state: np.ndarray, tag: str, fill: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(picture.svg(state)).iter(SVG + tag) if re.fullmatch(fill, e.get("fill", ""))]


@given(some_states | ends | st.just(CROWDED))
@settings(max_examples=60, deadline=None)
def test_the_picture_has_every_checker_slab_and_spot(state):
    for seat in (0, 1):
        side = state[SIDE * seat : SIDE * (seat + 1)]
        drawn = sum(min(int(n), 5) for n in side[1:25]) + min(int(side[BAR]), 3)
        assert len(shapes(state, "circle", rf"url\(#bg.*-c{seat}\)")) == drawn
        dice = 2 * int(state[TURN] == seat and state[TURN + 1] > 0)
        assert len(shapes(state, "rect", rf"url\(#bg.*-s{seat}\)")) == side[OFF] + dice
    spots = [e for e in ET.fromstring(picture.svg(state)).iter(SVG + "circle") if e.get("r") == "4"]
    assert len(spots) == state[TURN + 1] + state[TURN + 2]


def test_stacks_too_tall_to_draw_carry_their_height():
    words = [e.text for e in ET.fromstring(picture.svg(CROWDED)).iter(SVG + "text") if e.get("font-size") == "20"]
    assert sorted(words) == ["6", "8"]
    crowd_on_the_bar = state_of({25: 4, 6: 11}, {6: 15}, turn=0)
    words = [
        e.text for e in ET.fromstring(picture.svg(crowd_on_the_bar)).iter(SVG + "text") if e.get("font-size") == "20"
    ]
    assert sorted(words) == ["11", "15", "4"]


@given(some_states)
@settings(max_examples=20, deadline=None)
def test_everything_lies_within_the_picture(state):
    root = ET.fromstring(picture.svg(state))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for e in root.iter():
        x, y = float(e.get("cx", e.get("x", 0))), float(e.get("cy", e.get("y", 0)))
        r = float(e.get("r", 0)) if e.tag == SVG + "circle" else 0
        assert r <= x <= width - r - float(e.get("width", 0)) * (e.tag == SVG + "rect")
        assert r <= y <= height - r - float(e.get("height", 0)) * (e.tag == SVG + "rect")


def test_the_picture_needs_nothing_from_outside():
    text = picture.svg(CROWDED)
    assert text.replace('xmlns="http://www.w3.org/2000/svg"', "").count("http") == 0
    assert "href" not in text
    assert "<script" not in text
    names = set(re.findall(r'id="([^"]+)"', text))
    used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'aria-labelledby="([^"]+)"', text)[0].split())
    assert used == names


def test_pictures_on_one_page_do_not_share_names():
    one, other = (set(re.findall(r'id="([^"]+)"', picture.svg(s))) for s in (CROWDED, state_after(1, 8)))
    assert one.isdisjoint(other)


def test_the_picture_tells_the_position_to_those_who_cannot_see_it():
    root = ET.fromstring(picture.svg(CROWDED))
    assert root.get("role") == "img"
    assert root.findtext(SVG + "title") == "Backgammon: O to move: 6-6"
    assert root.findtext(SVG + "desc") == (
        "O to move: 6-6. X has 1 on 20, 3 on 23, 8 on 24, 3 off; 19 pips to go. "
        "O has 1 on 6, 4 on 2, 6 on 1, 2 on the bar, 2 off; 70 pips to go."
    )


def test_a_position_shows_itself():
    position = GAME.start()
    assert str(position) == board.text(position.state)
    assert position._repr_svg_() == picture.svg(position.state)
