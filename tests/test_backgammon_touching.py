"""Backgammon by touch: dice in either order, whole ways at once, and only what can still become a legal move."""

from __future__ import annotations

import re

from ludus.contract.touching import Touch, Turn
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.rules import DIE1, DIE2

GAME = Backgammon()


OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def xgid(dice: str, **checkers: str) -> str:
    """A position with X to move, its points as X counts: x="13 8" are two checkers of X's, o="5 5" two of O's."""
    board = ["-"] * 26
    for side, points in checkers.items():
        for point in set(points.split()):
            board[int(point)] = chr(ord("A" if side == "x" else "a") + points.split().count(point) - 1)
    return f"XGID={''.join(board)}:0:0:1:{dice}:0:0:0:0:10"


def turn(text: str, *touched: str) -> Turn:
    position = GAME.position(text)
    assert position.turn is not None
    return GAME.turn_of(position.state, position.turn, touched)


def texts(made: Turn) -> list[str]:
    return [touch.text for touch in made.touches]


def test_dice_are_used_in_either_order():
    assert turn(OPENING, "8/5", "6/5").move == turn(OPENING, "6/5", "8/5").move == "8/5 6/5"
    assert turn(OPENING, "8/5").move is None
    assert {"8/5", "8/7", "6/5", "6/3"} <= set(texts(turn(OPENING)))
    assert {"8/7", "6/5", "5/4"} <= set(texts(turn(OPENING, "8/5")))
    assert "6/3" not in texts(turn(OPENING, "8/5")), "the 3 is used"


def test_a_checker_can_go_its_whole_way_at_once():
    made = turn(OPENING, "24/20")
    assert made.move == "24/20"
    assert made.touches == ()
    assert Touch("p24", "p20", "24/20", "24/20", "24 to 20") in turn(OPENING).touches


def test_places_are_those_of_the_first_seat_and_texts_those_of_the_mover():
    made = turn("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10")
    assert Touch("p17", "p20", "8/5", None, "8 to 5") in made.touches


def test_who_can_not_move_has_made_the_turn():
    made = turn(xgid("66", x="25 6", o="19 19"))
    assert (made.move, made.touches) == ("pass", ())


def test_a_step_that_would_waste_a_die_is_not_offered():
    assert texts(turn(xgid("62", x="24", o="16 16"))) == ["24/18"], "either die can be played, and the larger must be"
    # After 24/22 nothing could go on by the 6: the 2 is for the other checker.
    assert texts(turn(xgid("62", x="24 10", o="16 16 4 4 2 2"))) == ["24/18", "10/8"]


def test_it_does_not_matter_by_which_die_a_checker_is_borne_off():
    last = xgid("65", x="4 2", o="19 19")
    assert texts(turn(last)) == ["4/off"]
    assert turn(last, "4/off", "2/off").move == "4/off 2/off"


def test_the_last_checker_goes_off_by_one_die_if_that_is_enough():
    assert turn(xgid("61", x="2", o="19 19"), "2/off").move == "2/off"


def test_a_whole_way_that_could_hit_one_checker_or_another_is_made_step_by_step():
    hits = xgid("53", x="13", o="10 8")
    assert [(touch.text, touch.name) for touch in turn(hits).touches] == [
        ("13/10", "13 to 10, hits"),
        ("13/8", "13 to 8, hits"),
    ]
    assert turn(hits, "13/10", "10/5").move == "13/10*/5"
    assert "13/5" in texts(turn(xgid("53", x="13", o="10 8 8"))), "where there is one way only, it can be gone at once"


def test_dice_that_are_used_are_pale():
    assert [int(turn(OPENING, "8/5").state[at]) for at in (DIE1, DIE2)] == [-3, 1]
    double = "XGID=-b----E-C---eE---c-e----B-:0:0:1:22:0:0:0:0:10"
    steps = ["13/11", "13/11", "6/4", "6/4"]
    pale = [GAME.board_svg(turn(double, *steps[:n]).state).count('opacity="0.4"') for n in range(5)]
    assert pale == [0, 0, 1, 1, 2]


def test_the_last_move_is_marked_where_it_changed_the_board():
    position = GAME.position(xgid("53", x="13", o="10 8"))
    assert GAME.places_of(position.state, GAME.read_move(position.state, "13/10*/5")) == ["p13", "p10", "p5"]
    assert GAME.places_of(position.state, GAME.read_move(position.state, "13/8*/5")) == ["p13", "p8", "p5"]
    assert GAME.places_of(GAME.start().state, 31) == []


def test_places_have_the_numbers_that_are_written_on_the_board():
    names = dict(re.findall(r'data-place="(\w+)" data-name="([^"]+)"', GAME.board_svg(GAME.position(OPENING).state)))
    assert len(names) == 28
    assert (names["p8"], names["p7"], names["p19"]) == ("point 8, 3 X", "point 7, empty", "point 19, 5 O")
    assert (names["bar1"], names["off0"]) == ("O bar, empty", "X off, empty")
    other = GAME.board_svg(GAME.position(OPENING.replace(":1:31", ":-1:31")).state)
    assert dict(re.findall(r'data-place="(\w+)" data-name="([^"]+)"', other))["p19"] == "point 6, 5 O"
