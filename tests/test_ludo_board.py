"""What the board shows must be what the state says: both pictures are read back and compared with it."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import CHANCE, OVER, play, random_move, roll, start, turn
from ludus.games.ludo import Ludo, board, picture
from ludus.games.ludo.rules import DIE, LUDOPY_131, MOVABLE, STATE_SIZE
from ludus.kernel import stream

CLASSIC, LUDOPY, LUDOPY_OLD = (ludus.game(f"ludo(rules={rules})") for rules in ("classic", "ludopy", "ludopy-1.3.1"))
GAMES = [Ludo(rules, seats) for rules, seats in itertools.product(range(3), (2, 3, 4))]
SVG = "{http://www.w3.org/2000/svg}"


def state_after(game: Ludo, seed: int, plies: int) -> np.ndarray:
    """Where a game at random is after so many rolls and moves, or at its end."""
    rng, room, odds = stream(seed), np.zeros(6, np.int64), np.zeros(6)
    state = np.zeros(STATE_SIZE, np.int64)
    start(game, state)
    while plies > 0 and (seat := turn(game, state)) != OVER:
        rolled = seat == CHANCE
        play(game, state, roll(game, state, rng, room, odds) if rolled else random_move(game, state, seat, rng, room))
        plies -= 1
    return state


cases = st.tuples(st.sampled_from(GAMES), st.integers(0, 1000), st.integers(0, 1500)).map(
    lambda drawn: (drawn[0], state_after(*drawn))
)
CROWDED = CLASSIC.position("14,14,0,57 1,9,1,0 40,3,51,52 27,0,9,56 turn=red die=4").state


# --- where things are ------------------------------------------------------------------------------------------------


def test_the_track_is_a_ring_of_52_cells_round_the_cross():
    assert len(set(board.TRACK)) == 52
    for one, other in itertools.pairwise([*board.TRACK, board.TRACK[0]]):
        assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1, "each square touches the next"
        assert board._yard_at(*one) is None


@pytest.mark.parametrize(
    ("owner", "cells"),
    [  # position 1, 9, 14, 51, and the first and last square of the column, as on a board of cardboard
        (0, [(6, 1), (2, 6), (1, 8), (7, 0), (7, 1), (7, 5)]),
        (1, [(1, 8), (6, 12), (8, 13), (0, 7), (1, 7), (5, 7)]),
        (2, [(8, 13), (12, 8), (13, 6), (7, 14), (7, 13), (7, 9)]),
        (3, [(13, 6), (8, 2), (6, 1), (14, 7), (13, 7), (9, 7)]),
    ],
)
def test_each_colour_finds_its_squares_on_its_arm(owner, cells):
    for game in (CLASSIC, LUDOPY):
        assert [board.cell_of(game, owner, r) for r in (1, 9, 14, 51, 52, 56)] == cells
    assert [board.cell_of(LUDOPY_OLD, owner, r) for r in (1, 9, 14, 51, 53, 57)] == cells
    assert board.cell_of(LUDOPY_OLD, owner, 52) == board.TRACK[(13 * owner - 1) % 52], "behind its start"


@pytest.mark.parametrize("game", [CLASSIC, LUDOPY, LUDOPY_OLD], ids=repr)
def test_no_two_places_of_one_colour_share_a_cell_and_columns_are_nobody_elses(game):
    ways = [[board.cell_of(game, owner, r) for r in range(1, game.goal + 1)] for owner in range(4)]
    for way in ways:
        assert len(set(way)) == len(way)
    private = [cell for way in ways for cell in way[board.lane(game) - 1 :]]
    assert len(set(private)) == len(private)
    assert set(private).isdisjoint(board.TRACK)


def test_marks_are_the_same_for_every_colour():
    def positions(game: Ludo, mark: str, owner: int) -> list[int]:
        cells = {board.TRACK[(13 * owner + r - 1) % 52]: r for r in range(1, 53)}
        return sorted(cells[cell] for cell, what in board.marks(game).items() if what == mark)

    for owner in range(4):
        assert positions(CLASSIC, "safe", owner) == [1, 9, 14, 22, 27, 35, 40, 48]
        assert positions(CLASSIC, "star", owner) == []
        assert positions(LUDOPY, "safe", owner) == [1, 9, 14, 22, 27, 35, 40, 48]
        assert positions(LUDOPY, "star", owner) == [5, 12, 18, 25, 31, 38, 44, 51]
    assert board.marks(ludus.game("ludo(safe_squares=false)")) == {}


# --- text ------------------------------------------------------------------------------------------------------------


def test_squares_are_numbered_as_the_seat_to_move_counts_them():
    position = CLASSIC.position("0,0,14,57 9,0,0,0 3,3,51,52 0,0,9,0 turn=green die=4")
    assert str(position).splitlines() == [
        "+----------------------+ 50  51  .  +----------------------+",
        "| red                  | 49  52 (R) | green has a 4        |",
        "|        R   R         |(48) 53  2  |        G   G         |",
        "|        .   .         | 47  54  3  |        G   .         |",
        "| on 14, home 1        | 46  55  4  | on 9                 |",
        "+----------------------+ 45  56  5  +----------------------+",
        " 39 (40) 41  42  43  44     [ ]      6   7   8  (G)  10  11",
        " 38  r   r   r   r   r  [R1]    [ ]  y   y   y   y   Y   Y",
        " 37  36 (B)  34  33  32     [ ]      18  17  Y2  15 (14) 13",
        "+----------------------+ 31  b   19 +----------------------+",
        "| blue                 | 30  b   20 | yellow               |",
        "|        B   B         | 29  b   21 |        .   .         |",
        "|        B   .         | 28  b  (22)|        .   .         |",
        "| on 9                 |(27) b   23 | on 52 51 3 3         |",
        "+----------------------+ 26  25  24 +----------------------+",
        "",
        "green to move: 4",
    ]


def read_text(text: str) -> tuple[dict[tuple[int, int], dict[str, int]], dict[str, int], dict[str, int]]:
    """The pieces on a board of text: on each cell, in each yard, and home; numbers left out count as one."""
    lines = [line.ljust(60) for line in text.splitlines()[:15]]
    on: dict[tuple[int, int], dict[str, int]] = {}
    home: Counter[str] = Counter()
    yards: Counter[str] = Counter()
    for row, line in enumerate(lines):
        for column in range(15):
            cell = line[4 * column : 4 * column + 4]
            if board._yard_at(row, column) is not None:
                yards.update(re.findall(r"[RGYB]", cell))
            elif found := re.search(r"\[([RGYB])(\d)\]", cell):
                home[found[1]] += int(found[2])
            elif found := re.findall(r"([RGYB])(\d?)", cell):
                on[row, column] = {sign: int(count or 1) for sign, count in found}
    return on, dict(yards), dict(home)


@given(cases | st.just((CLASSIC, CROWDED)))
@settings(max_examples=60, deadline=None)
def test_every_piece_can_be_read_off_the_text(case):
    game, state = case
    on, yards, home = read_text(board.text(game, state))
    expected = {
        cell: {board.SIGNS[c]: n for c, n in stack.items()} for cell, stack in board.stacks(game, state).items()
    }
    assert set(on) == set(expected)
    for cell, stack in on.items():
        assert set(stack) == set(expected[cell])
        if len(stack) < 3:
            assert stack == expected[cell]
    for owner in board.playing(game):
        at = state[4 * owner : 4 * owner + 4].tolist()
        assert yards.get(board.SIGNS[owner], 0) == at.count(0)
        assert home.get(board.SIGNS[owner], 0) == at.count(game.goal)


@given(cases)
@settings(max_examples=40, deadline=None)
def test_the_squares_of_all_pieces_are_listed_in_their_yards(case):
    game, state = case
    lines = board.text(game, state).splitlines()
    for owner in board.playing(game):
        line = lines[4 if owner < 2 else 13][slice(1, 23) if owner in (0, 3) else slice(37, 59)]
        on = sorted((r for r in state[4 * owner : 4 * owner + 4].tolist() if 0 < r < game.goal), reverse=True)
        assert [int(n) for n in re.findall(r"\d+", line.split("home")[0])] == on


@given(cases)
@settings(max_examples=40, deadline=None)
def test_the_text_fits_a_terminal_and_is_pure_ascii(case):
    text = board.text(*case)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 60
    assert len(text.splitlines()) == 17


@given(cases | st.just((CLASSIC, CROWDED)))
@settings(max_examples=40, deadline=None)
def test_colours_change_nothing_but_colours(case):
    bare = re.sub(r"\x1b\[[\d;]*m", "", board.text(*case, color=True))
    assert bare != board.text(*case, color=True)
    signs = r"[A-Za-z]+|\d+"
    assert re.findall(signs, bare) == re.findall(signs, board.text(*case))


def test_each_colour_is_taken_back_before_the_line_ends():
    # Otherwise the rest of the terminal would be painted too.
    for line in board.text(CLASSIC, CROWDED, color=True).splitlines()[:15]:
        assert list(re.finditer(r"\x1b\[([\d;]*)m", line))[-1][1] == "0"


def test_a_crowd_on_one_square_shows_all_its_colours():
    crowd = CLASSIC.position("1,1,0,0 40,0,0,0 27,27,0,0 14,0,0,0 turn=red").state
    assert "RGYB" in board.text(CLASSIC, crowd)
    assert "(R2)" in str(CLASSIC.position("1,1,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red"))
    assert "R2G2" in str(CLASSIC.position("1,1,0,0 40,40,0,0 0,0,0,0 0,0,0,0 turn=red"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 opening", "Who begins?"),
        ("1,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=green", "green to roll"),
        ("1,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=5", "red to move: 5"),
        ("1,0,0,0 0,0,0,0 57,57,57,57 0,0,0,0 won=yellow", "yellow wins"),
    ],
)
def test_both_pictures_say_what_is_going_on(text, words):
    state = CLASSIC.position(text).state
    assert board.text(CLASSIC, state).endswith("\n" + words)
    visible = [e.text for e in ET.fromstring(picture.svg(CLASSIC, state)).iter(SVG + "text")]
    assert words in visible


def test_colours_that_do_not_play_have_no_name_on_the_board():
    two = ludus.game("ludo(seats=2)").start()
    assert "red" in str(two)
    assert "green" not in str(two)
    assert ">green<" not in two._repr_svg_()


# --- picture ---------------------------------------------------------------------------------------------------------


def circles(game: Ludo, state: np.ndarray, fill: str) -> list[tuple[float, float, float]]:
    root = ET.fromstring(picture.svg(game, state))
    found = [e for e in root.iter(SVG + "circle") if re.fullmatch(fill, e.get("fill", ""))]
    return [(float(e.get("cx", 0)), float(e.get("cy", 0)), float(e.get("r", 0))) for e in found]


@given(cases | st.just((CLASSIC, CROWDED)))
@settings(max_examples=60, deadline=None)
def test_the_picture_has_every_piece_on_its_cell_and_the_spots_of_the_die(case):
    game, state = case
    on = board.stacks(game, state)
    for owner in board.playing(game):
        drawn = circles(game, state, rf"url\(#ludo.*-c{owner}\)")
        at = state[4 * owner : 4 * owner + 4].tolist()
        under_way = [cell for cell, stack in on.items() if owner in stack]
        assert len(drawn) == len(at)
        cells = [(int((y - 18) // 40), int((x - 18) // 40)) for x, y, _ in drawn]
        for cell in under_way:
            assert cell in cells
        assert sum(board._yard_at(*cell) == owner for cell in cells) == at.count(0)
        assert (board.cell_of(game, owner, game.goal) in cells) == (game.goal in at)
    assert len([r for *_, r in circles(game, state, ".*") if r == 4]) == max(int(state[DIE]), 0)


def test_stacks_and_homes_carry_their_number():
    numbers = [e.text for e in ET.fromstring(picture.svg(CLASSIC, CROWDED)).iter(SVG + "text")]
    assert sorted(n for n in numbers if n and n.isdecimal()) == ["1", "2", "2"], "one home, two red, two green pieces"


@given(cases.filter(lambda case: case[1][MOVABLE] > 0))
@settings(max_examples=30, deadline=None)
def test_rings_show_what_may_move(case):
    game, state = case
    owner = board.mover(game, state)
    own = state[4 * owner : 4 * owner + 4]
    free = [int(own[i]) for i in range(4) if state[MOVABLE] >> i & 1]
    root = ET.fromstring(picture.svg(game, state))
    rings = [e for e in root.iter(SVG + "circle") if e.get("stroke-dasharray")]
    assert len(rings) == len({r for r in free if r}) + free.count(0)
    pieces = [(x, y) for x, y, _ in circles(game, state, rf"url\(#ludo.*-c{owner}\)")]
    assert all((float(e.get("cx", 0)), float(e.get("cy", 0))) in pieces for e in rings)


@given(cases)
@settings(max_examples=20, deadline=None)
def test_everything_lies_within_the_picture(case):
    root = ET.fromstring(picture.svg(*case))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for e in root.iter():
        x, y = float(e.get("cx", e.get("x", 0))), float(e.get("cy", e.get("y", 0)))
        r = float(e.get("r", 0)) if e.tag == SVG + "circle" else 0
        assert r <= x <= width - r - float(e.get("width", 0)) * (e.tag == SVG + "rect")
        assert r <= y <= height - r - float(e.get("height", 0)) * (e.tag == SVG + "rect")


def test_the_picture_needs_nothing_from_outside():
    text = picture.svg(CLASSIC, CROWDED)
    assert text.replace('xmlns="http://www.w3.org/2000/svg"', "").count("http") == 0
    assert "href" not in text
    assert "<script" not in text
    names = set(re.findall(r'id="([^"]+)"', text))
    used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'aria-labelledby="([^"]+)"', text)[0].split())
    assert used == names


def test_pictures_on_one_page_do_not_share_names():
    states = [(CLASSIC, CROWDED), (CLASSIC, state_after(CLASSIC, 1, 60)), (LUDOPY, CROWDED)]
    for one, other in itertools.combinations(states, 2):
        first, second = (set(re.findall(r'id="([^"]+)"', picture.svg(*case))) for case in (one, other))
        assert first.isdisjoint(second)


def test_the_picture_tells_the_position_to_those_who_cannot_see_it():
    root = ET.fromstring(picture.svg(CLASSIC, CROWDED))
    assert root.get("role") == "img"
    assert root.findtext(SVG + "title") == "Ludo: red to move: 4"
    assert root.findtext(SVG + "desc") == (
        "red to move: 4. red: 1 in the yard, on 14 and 14, 1 home. green: 1 in the yard, on 9, 1 and 1. "
        "yellow: on 52, 51, 40 and 3. blue: 1 in the yard, on 56, 27 and 9."
    )


def test_the_longer_column_of_old_ludopy_reaches_into_the_middle():
    state = LUDOPY_OLD.position("58,59,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red").state
    assert board.cell_of(LUDOPY_OLD, 0, 58) == (7, 6)
    assert LUDOPY_OLD.rules == LUDOPY_131
    cells = {(int((y - 18) // 40), int((x - 18) // 40)) for x, y, _ in circles(LUDOPY_OLD, state, r".*-c0\)")}
    assert {(7, 6), (6, 6)} <= cells, "the piece before the goal, and the goal beside it"


def test_who_sits_at_the_bottom_has_its_yard_at_the_left_there():
    for game in (CLASSIC, LUDOPY_OLD, ludus.game("ludo(seats=2)")):
        for seat, name in enumerate(game.seat_names):
            root = ET.fromstring(picture.svg(game, game.start().state, seat))
            yard = next(e for e in root.iter() if e.get("data-place") == f"{name}-yard")
            assert (float(yard.get("x", 0)), float(yard.get("y", 0))) == (18, 18 + 9 * 40)


def test_places_say_what_stands_there_as_the_mover_counts():
    names = dict(re.findall(r'data-place="([\w-]+)" data-name="([^"]+)"', picture.svg(CLASSIC, CROWDED)))
    assert len(names) == 52 + 4 * 5 + 4 + 4
    assert names["red-yard"] == "red's yard, 1 piece"
    assert names["red-home"] == "red's home, 1 piece"
    assert names["green-home"] == "green's home, empty"
    assert names["t13"] == "square 14, safe, 2 red, 2 green, 1 yellow, 1 blue"
    assert names["t0"] == "square 1, safe, empty"
    assert names["yellow-lane-1"] == "yellow's column, square 52, 1 yellow"
    green = CLASSIC.position("0,0,0,0 1,0,0,0 0,0,0,0 0,0,0,0 turn=green die=4").state
    assert 'data-place="t13" data-name="square 1, safe, 1 green"' in picture.svg(CLASSIC, green)


def test_colours_are_told_apart_without_colour():
    state = CLASSIC.position("5,0,0,0 5,0,0,0 5,0,0,0 5,0,0,0 turn=red").state
    shapes = {}
    for group in ET.fromstring(picture.svg(CLASSIC, state)).iter(SVG + "g"):
        if group.get("class") == "piece" and group.get("data-place", "").startswith("t"):
            mark = group[2]
            shapes[group.get("data-kind")] = len(mark.get("points", "").split()), mark.tag == SVG + "circle"
    assert shapes["red"] == (0, True)
    assert shapes["green"] == (3, False)
    assert shapes["yellow"] == shapes["blue"] == (4, False), "a square, and a diamond: a square on its tip"


def test_pieces_on_one_square_are_one_touch():
    position = CLASSIC.position("14,14,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=3")
    assert [touch[:4] for touch in CLASSIC.turn_of(position.state, 0).touches] == [("t13", "t16", "14/17", "14/17")]
    assert CLASSIC.turn_of(position.state, 1).touches == ()


def test_a_position_shows_itself():
    position = CLASSIC.start()
    assert str(position) == board.text(CLASSIC, position.state)
    assert position._repr_svg_() == picture.svg(CLASSIC, position.state)
