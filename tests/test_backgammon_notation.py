"""Backgammon in text: moves, dice and positions, both ways."""

from __future__ import annotations

import base64
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contract.rules import CHANCE, OVER, play, random_move, roll, start, turn
from ludus.errors import LudusError
from ludus.games.backgammon import Backgammon, notation
from ludus.games.backgammon.notation import legal_moves, move_text, position_id, read_move, read_position, xgid
from ludus.games.backgammon.rules import BAR, DIE1, DIE2, OFF, SIDE, STATE_SIZE, TURN
from ludus.kernel import JIT, stream

GAME = Backgammon()
START = "XGID=-b----E-C---eE---c-e----B-"
examples = settings(deadline=None, max_examples=200 if JIT else 40)


def random_state(seed: int, plies: int, decision: bool = False) -> np.ndarray:
    """A state from the course of a random game; on request one where a seat has to move."""
    rng = stream(seed)
    room, odds = np.zeros(GAME.facts.max_moves, np.int64), np.zeros(30)
    state = np.zeros(STATE_SIZE, np.int64)
    start(GAME, state)
    while turn(GAME, state) != OVER and (plies > 0 or (decision and turn(GAME, state) == CHANCE)):
        seat = turn(GAME, state)
        play(
            GAME,
            state,
            roll(GAME, state, rng, room, odds) if seat == CHANCE else random_move(GAME, state, seat, rng, room),
        )
        plies -= 1
    return state


states = st.builds(random_state, st.integers(0, 2**32), st.integers(0, 160))
decisions = st.builds(random_state, st.integers(0, 2**32), st.integers(0, 100), st.just(True)).filter(
    lambda state: turn(GAME, state) >= 0
)


def board(mine: dict[int, int], theirs: dict[int, int], dice: int) -> np.ndarray:
    """Seat 0 to move; all points as seat 0 counts them, so that 25 is its own bar and 0 the enemy's."""
    state = np.zeros(STATE_SIZE, np.int64)
    for point, count in mine.items():
        state[point] = count
    for point, count in theirs.items():
        state[SIDE + 25 - point] = count
    state[OFF], state[SIDE + OFF] = 15 - sum(mine.values()), 15 - sum(theirs.values())
    state[TURN], state[DIE1], state[DIE2] = 0, dice // 10, dice % 10
    return state


def opening(dice: int, turn: int = 1) -> np.ndarray:
    return read_position(f"{START}:0:0:{turn}:{dice:02d}:0:0:0:0:10")


# --- moves -----------------------------------------------------------------------------------------------------------


@examples
@given(decisions)
def test_every_legal_move_has_a_text_of_its_own_that_reads_back(state):
    legal = legal_moves(GAME, state)[:40]
    texts = [move_text(GAME, state, move) for move in legal]
    assert len(set(texts)) == len(legal)
    assert [read_move(GAME, state, text) for text in texts] == legal


@examples
@given(decisions)
def test_a_text_says_which_checkers_go_where_and_which_are_hit(state):
    own, enemy = SIDE * state[TURN], SIDE * (1 - state[TURN])
    for move in legal_moves(GAME, state)[:40]:
        expected = state.copy()
        for word in move_text(GAME, state, move).replace("bar", "25").replace("off", "0").split():
            if word == "pass":
                continue
            path, _, count = word.partition("(")
            points = [int(point.rstrip("*")) for point in path.split("/")]
            expected[own + points[0]] -= int(count.rstrip(")") or 1)
            expected[own + points[-1]] += int(count.rstrip(")") or 1)
            for point in re.findall(r"(\d+)\*", path):
                expected[enemy + 25 - int(point)] -= 1
                expected[enemy + BAR] += 1
        after = state.copy()
        play(GAME, after, move)
        assert after[:TURN].tolist() == expected[:TURN].tolist()


@examples
@given(decisions, st.randoms(use_true_random=False))
def test_the_form_of_a_text_does_not_matter(state, rng: random.Random):
    move = rng.choice(legal_moves(GAME, state))
    words = []
    for word in move_text(GAME, state, move).split():
        path, _, count = word.partition("(")
        if rng.random() < 0.5:
            path = path.replace("bar", "25").replace("off", "0")
        if rng.random() < 0.5:
            path = path.replace("*", "")
        if rng.random() < 0.3:
            path = path.replace("/", rng.choice(["-", " / "]))
        words += (
            [path] * int(count.rstrip(")") or 1)
            if rng.random() < 0.5
            else [path + word[word.find("(") :] * bool(count)]
        )
    rng.shuffle(words)
    text = rng.choice([" ", ", ", ",", "  ", "; "]).join(words)
    assert read_move(GAME, state, rng.choice([text, text.upper(), f"  {text} "])) == move


@pytest.mark.parametrize(
    ("state", "text", "written"),
    [
        (opening(31), "6/5 8/5", "8/5 6/5"),
        (opening(31), "13/10 10/9", "13/9"),
        (opening(31), "10/9 13/10", "13/9"),
        (opening(31, turn=-1), "8/5, 6/5", "8/5 6/5"),
        (opening(64), "24/14", "24/14"),
        (opening(64), "24/18/14", "24/14"),
        (opening(11), "8/7/6 6/5 (2)", "8/5 6/5"),  # one of them runs on
        (opening(22), "13-11 13-11 6-4 6-4", "13/11(2) 6/4(2)"),
        (opening(22), "6/4(2) 13/11(2)", "13/11(2) 6/4(2)"),
        (opening(22), "13/5", "13/5"),
        (board({24: 2, 6: 4}, {20: 1, 1: 2}, 44), "24/20/16 6/2(2)", "24/20*/16 6/2(2)"),
        (board({13: 2, 6: 2}, {11: 1, 1: 2}, 22), "13/9(2)", "13/11*/9(2)"),
        (board({13: 2, 6: 2}, {11: 1, 1: 2}, 22), "13/11 13/9 6/4", "13/11*/9 13/11 6/4"),
        (board({6: 2}, {4: 1, 24: 2}, 22), "6/4(2) 4/2 4/2", "6/4*/2(2)"),
        (board({25: 1, 13: 2}, {24: 2}, 53), "13/8 25/22", "bar/22 13/8"),
        (board({25: 2}, {20: 1, 1: 2}, 55), "bar/20(2) 20/10", "bar/20*/10 bar/20"),
        (board({6: 1, 2: 1}, {24: 2}, 61), "6/0 2/1", "6/off 2/1"),
        (board({5: 1, 4: 1}, {24: 2}, 65), "4/off, 5/off", "5/off 4/off"),
        (board({7: 1, 3: 1}, {24: 2}, 64), "7/off", "7/off"),  # 7/1 and 1/off, or 7/3 and 3/off, which is the same
        (board({3: 1, 1: 5}, {24: 2}, 51), "3/off", "3/off"),  # 3/2/off plays both dice
        (board({25: 1}, {19: 2, 20: 2, 1: 2}, 65), "no play", "pass"),
        (board({25: 1}, {19: 2, 20: 2, 1: 2}, 65), "Cannot Move", "pass"),
        (board({25: 1}, {19: 2, 20: 2, 1: 2}, 65), "", "pass"),
    ],
)
def test_reading_is_liberal_and_writing_is_standard(state, text, written):
    assert move_text(GAME, state, read_move(GAME, state, text)) == written


@pytest.mark.parametrize(
    ("blots", "text", "written"),
    [
        ([18], "24/16", "24/16"),  # over 22, without a hit
        ([18], "24/18/16", "24/18*/16"),
        ([18], "24/18*/16", "24/18*/16"),
        ([18], "24/18 18/16", "24/18*/16"),
        ([18], "24/22/16", "24/16"),
        ([18, 22], "24/18/16", "24/18*/16"),
        ([18, 22], "24/22*/16", "24/22*/16"),
        ([16], "24/16", "24/16*"),
        ([16, 18], "24/16", "24/16*"),
        ([16, 18], "24/18/16", "24/18*/16*"),
    ],
)
def test_hits_on_the_way_are_made_where_they_are_written(blots, text, written):
    state = board({24: 1}, {**dict.fromkeys(blots, 1), 1: 2}, 62)
    assert move_text(GAME, state, read_move(GAME, state, text)) == written


def test_the_hit_on_the_way_is_taken_where_there_is_no_other_way():
    state = board({24: 1}, {18: 1, 22: 2}, 62)
    assert move_text(GAME, state, read_move(GAME, state, "24/16")) == "24/18*/16"


@pytest.mark.parametrize(
    ("state", "text", "reason"),
    [
        (opening(31), "24/21 8", "can't read '8'"),
        (opening(31), "hello", "can't read 'hello'"),
        (opening(31), "8/5 6/5(", "can't read '6/5('"),
        (opening(31), "8/", "can't read '8/'"),
        (opening(31), "31", "the dice are rolled already"),
        (opening(31), "30/27", "there is no point 30"),
        (opening(31), "5/8", "5/8 moves backwards"),
        (opening(31), "off/8", "off/8 moves backwards"),
        (opening(31), "8/bar", "8/bar moves backwards"),
        (opening(11), "8/7(5)", "8/7(5) repeats a step 5 times"),
        (opening(31), "13/8", "13/8 needs a 5; you have 3 and 1"),
        (opening(33), "13/8", "13/8 needs a 5; you have four 3s"),
        (opening(31), "13/11/9", "13/11 needs a 2; you have 3 and 1"),
        (opening(31), "6/off", "6/off needs a 6; you have 3 and 1"),
        (opening(31), "8/5 6/3", "too many steps: 8/5 a 3 and 6/3 a 3; you have 3 and 1"),
        (opening(31), "8/5 6/5 6/5", "too many steps"),
        (opening(33), "13/10(3) 8/2", "too many steps"),
        (opening(31), "12/11 8/5", "there is no checker on point 12"),
        (opening(31), "bar/22", "there is no checker on the bar"),
        (opening(51), "24/19 6/5", "point 19 is blocked by 5 enemy checkers"),
        (opening(31), "13/12/9", "point 12 is blocked by 5 enemy checkers"),
        (opening(31), "6/5*", "there is no enemy checker on point 5 to hit"),
        (opening(31), "8/5", "both dice can be played, and so must be, as in "),
        (opening(44), "24/20(2) 13/9", "4 steps can be played, and so must be, as in "),
        (opening(31), "pass", "you may not pass while you can move, as by "),
        (opening(31), "", "you may not pass while you can move"),
        (board({25: 1, 13: 2}, {20: 2, 1: 2}, 53), "13/8 13/10", "a checker on the bar must enter first"),
        (board({25: 1, 13: 2}, {20: 2, 1: 2}, 53), "13/10 bar/20", "point 20 is blocked by 2 enemy checkers"),
        (board({25: 1}, {19: 2, 20: 2, 1: 2}, 65), "bar/20", "no move is possible here: write pass"),
        (board({10: 1}, {3: 2}, 61), "10/9", "it must be the larger, the 6, as in 10/4"),
        (board({13: 1, 6: 2}, {24: 2}, 61), "6/off 6/5", "borne off yet: one is still on point 13"),
        (board({5: 2, 4: 1}, {24: 2}, 61), "4/off 5/4", "a 6 can't bear off from point 4 while a checker is behind it, on point 5"),
        (board({24: 1}, {18: 1, 22: 1, 1: 2}, 62), "24/16", "write 24/18*/16 or 24/22*/16"),
        (board({}, {18: 1}, 0), "24/16", "the game is over"),
        (opening(0), "8/5 6/5", "the dice are to be rolled here"),
        (opening(0), "71", "a die shows 1 to 6, not 7"),
        (opening(0), "3", "write them as two digits, such as 31"),
        (opening(0, turn=0), "44", "the opening roll can't be a double"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_move_is_said(state, text, reason):
    with pytest.raises(LudusError) as raised:
        read_move(GAME, state, text)
    assert str(raised.value).startswith(f"{text!r}: ")
    assert reason in str(raised.value)


def test_an_error_does_not_repeat_an_endless_text():
    with pytest.raises(LudusError) as raised:
        read_move(GAME, opening(31), "6/5 " * 10_000)
    assert len(str(raised.value)) < 250


@examples
@given(decisions, st.text(alphabet="0123456789/*()-, baroff", max_size=20))
def test_any_text_is_a_legal_move_or_an_error(state, text):
    try:
        found, error = read_move(GAME, state, text), None
    except LudusError as raised:
        found, error = None, str(raised)
    assert found in legal_moves(GAME, state) if error is None else error.startswith(f"{text!r}: ")


def test_dice_are_two_digits_in_any_order_but_for_the_opening_roll():
    before = opening(0)
    assert [read_move(GAME, before, text) for text in ("31", "13", "3-1", "1 3", " (3,1) ", "3, 1", "66")] == [
        31
    ] * 6 + [66]
    assert move_text(GAME, before, 31) == "31"
    first = opening(0, turn=0)
    assert [read_move(GAME, first, text) for text in ("31", "13")] == [31, 13]
    assert [move_text(GAME, first, dice) for dice in (31, 13)] == ["31", "13"]


def test_reading_and_writing_leave_the_state_alone():
    state = opening(22)
    state.setflags(write=False)
    assert move_text(GAME, state, read_move(GAME, state, "13/11(2) 6/4(2)")) == "13/11(2) 6/4(2)"


# --- positions -------------------------------------------------------------------------------------------------------


def test_the_beginning_of_a_game_has_the_ids_that_other_programs_give_it():
    state = np.zeros(STATE_SIZE, np.int64)
    start(GAME, state)
    assert position_id(state) == "4HPwATDgc/ABMA"
    assert xgid(state) == f"{START}:0:0:0:00:0:0:0:0:10"  # turn 0: the opening roll is to come
    state[TURN] = 0
    assert xgid(state) == f"{START}:0:0:1:00:0:0:0:0:10"
    assert read_position("4HPwATDgc/ABMA").tolist() == state.tolist()


@examples
@given(states)
def test_an_xgid_is_the_whole_state(state):
    assert read_position(xgid(state)).tolist() == state.tolist()
    assert read_position(xgid(state).removeprefix("XGID=")).tolist() == state.tolist()


@examples
@given(states)
def test_a_position_id_is_the_board_as_the_player_on_roll_sees_it(state):
    read = read_position(position_id(state))
    own = SIDE * max(state[TURN], 0)
    assert read.tolist() == [*np.roll(state[: 2 * SIDE], -own).tolist(), 0, 0, 0]


def match_id(player: int, dice: tuple[int, int]) -> str:
    key = 3 << 4 | player << 6 | 1 << 8 | player << 11 | dice[0] << 15 | dice[1] << 18
    return base64.b64encode(key.to_bytes(9, "little")).decode()


@examples
@given(states.filter(lambda state: state[TURN] >= 0))
def test_a_position_id_with_a_match_id_is_the_whole_state(state):
    text = f"{position_id(state)}:{match_id(1 - state[TURN].item(), (state[DIE1].item(), state[DIE2].item()))}"
    assert read_position(text).tolist() == state.tolist()


@pytest.mark.parametrize(
    ("text", "seat", "dice"),
    [
        ("4HPwATDgc/ABMA:cAkAAAAAAAAA", 0, (0, 0)),  # what GNU Backgammon shows when one starts it
        ("4HPwATDgc/ABMA:cIkmAQAAAAAA", 0, (5, 1)),
        ("4HPwATDgc/ABMA:QYkqASAAIAAA", 0, (5, 2)),  # the example of its manual, but for the board
        (" 4HPwATDgc/ABMA ", 0, (0, 0)),
        (f"{START}:0:0:-1:13:0:0:0:0:10", 1, (3, 1)),
        (f"{START}:0:0:1:D:0:0:0:0:10", 0, (0, 0)),
        (f"{START}:3:-1:-1:R:2:4:1:7:10", 1, (0, 0)),
        (f"{START}:odd:cube:1:66", 0, (6, 6)),
        (f"{START[5:]}:0:0:1:42:0:0:0:0:10", 0, (4, 2)),
        (f"xgid={START[5:]}:0:0:1:42:0:0:0:0:10", 0, (4, 2)),
    ],
)
def test_whose_turn_it_is_and_the_dice_are_read_and_the_cube_is_not(text, seat, dice):
    state = read_position(text)
    assert (state[TURN], (state[DIE1], state[DIE2])) == (seat, dice)
    assert position_id(state) == "4HPwATDgc/ABMA"


def test_both_sides_may_be_on_the_bar_before_closed_boards():
    state = read_position("XGID=cBBBBBB------------bbbbbbC:0:0:1:66:0:0:0:0:10")
    assert (state[BAR], state[SIDE + BAR]) == (3, 3)
    assert read_move(GAME, state, "pass") == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a Position ID has 14 characters, this has 0"),
        ("4HPwATDgc/ABM", "a Position ID has 14 characters, this has 13"),
        ("4HPwATDgc?ABMA", "character 10 of the Position ID, '?', is not one of A-Z a-z 0-9 + /"),
        ("4HPwATDgc/ABMé", "character 14 of the Position ID, 'é'"),
        ("4HPwATDgc/ABMB", "character 14 of the Position ID, 'B', has bits that stand for nothing"),
        ("//////////////", "character 14 of the Position ID, '/', has bits"),
        ("/////////////w", "the Position ID has too many checkers"),
        ("4HPwATDgc/ABNA", "the player on roll has 16 checkers on the board; a side has 15"),
        ("AAAAAAAAAAAAgA", "the Position ID goes on with checkers after both sides' 25 points"),
        ("AAAAAAAAAAAAAA", "no checker is on the board"),
        ("//8AAAAAAAAAAA", "point 1 (as the opponent counts) has 16 checkers; a side has 15"),
        ("AQAAAAAAAAAAAA:", "a Match ID has 12 characters, this has 0"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAA", "a Match ID has 12 characters, this has 11"),
        ("4HPwATDgc/ABMA:cAkAAAAAAA!A", "character 11 of the Match ID, '!'"),
        (f"4HPwATDgc/ABMA:{match_id(1, (7, 1))}", "a die shows 1 to 6, not 7"),
        (f"4HPwATDgc/ABMA:{match_id(1, (3, 0))}", "a die shows 1 to 6, not 0"),
        (START, "with 5 to 10 fields, this has 1"),
        (f"{START}:0:0:1", "with 5 to 10 fields, this has 4"),
        (f"{START}:0:0:1:00:0:0:0:0:10:99", "with 5 to 10 fields, this has 11"),
        (f"{START}-:0:0:1:00:0:0:0:0:10", "26 characters, this has 27"),
        (f"{START[:-1]}:0:0:1:00:0:0:0:0:10", "26 characters, this has 25"),
        ("XGID=-b----E-C---e*---c-e----B-:0:0:1:00", "character 14 of the board, '*', can't stand for point 13"),
        ("XGID=Ab----E-C---eE---c-e----A-:0:0:1:00", "character 1 of the board, 'A', can't stand for O's bar: a-o or -"),
        ("XGID=-b----E-C---eE---c-e----Ba:0:0:1:00", "character 26 of the board, 'a', can't stand for X's bar: A-O or -"),
        ("XGID=-b----P-----eE---c-e----B-:0:0:1:00", "point 6 (as X counts) has 16 checkers; a side has 15"),
        ("XGID=-b----E-C---eE---c-z----B-:0:0:1:00", "point 6 (as O counts) has 26 checkers; a side has 15"),
        ("XGID=-b----E-C---eE---c-e----BP:0:0:1:00", "the bar (as X counts) has 16 checkers; a side has 15"),
        ("XGID=-b----E-C---eE---c-e----C-:0:0:1:00", "X has 16 checkers on the board; a side has 15"),
        ("XGID=ab----E-C---eE---c-e----B-:0:0:1:00", "O has 16 checkers on the board; a side has 15"),
        ("XGID=--------------------------:0:0:1:00", "no checker is on the board"),
        (f"{START}:0:0:2:00:0:0:0:0:10", "turn '2' is not 1 (X), -1 (O) or 0"),
        (f"{START}:0:0:1:71:0:0:0:0:10", "dice 71: a die shows 1 to 6, not 7"),
        (f"{START}:0:0:1:30:0:0:0:0:10", "dice 30: a die shows 1 to 6, not 0"),
        (f"{START}:0:0:1:3:0:0:0:0:10", "dice '3' are not two digits"),
        (f"{START}:0:0:1:٣١:0:0:0:0:10", "are not two digits"),
        (f"{START}:0:0:0:31:0:0:0:0:10", "turn 0 stands for the time before the opening roll"),
        ("XGID=------E-------------------:0:0:-1:31", "the game is over, so that there can't be dice 31"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_position_is_said(text, reason):
    with pytest.raises(LudusError) as raised:
        read_position(text)
    assert str(raised.value).startswith(f"{text!r}: ")
    assert reason in str(raised.value)


def test_checkers_of_both_sides_on_a_point_are_an_error():
    """An XGID can't even say so; a Position ID can."""
    both = np.zeros(STATE_SIZE, np.int64)
    both[6], both[SIDE + 25 - 6] = 2, 3
    with pytest.raises(LudusError, match=r"point 6 \(as the player on roll counts\) has checkers of both sides"):
        notation.read_position_id(position_id(both))


@examples
@given(st.text(max_size=40) | st.text(alphabet="-abcdeABCDEFoOpP:01", min_size=30, max_size=50))
def test_any_text_is_a_position_or_an_error(text):
    try:
        counts, error = read_position(text)[: 2 * SIDE].reshape(2, SIDE).sum(axis=1).tolist(), None
    except LudusError as raised:
        counts, error = None, str(raised)
    assert counts == [15, 15] if error is None else error.startswith(f"{text!r}: ")
