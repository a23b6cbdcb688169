"""Quoridor in text: moves in three notations, positions on a line, and whole games as files."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import OVER, moves, play, random_move, start, turn
from ludus.errors import LudusError
from ludus.games.quoridor import record
from ludus.games.quoridor.bitboard import ACTIONS, PASS, STEP
from ludus.games.quoridor.notation import STYLES, move_text, read_move, read_state, state_text
from ludus.games.quoridor.objections import objection
from ludus.kernel import JIT, stream

NINE = ludus.game("quoridor")
GAMES = [NINE, *map(ludus.game, ("quoridor(size=5)", "quoridor(size=4,walls=3)", "quoridor(seats=4)"))]
GAMES.append(ludus.game("quoridor(size=5,walls=4,seats=4)"))
TALL, WIDE = ludus.game("quoridor(size=7,columns=5)"), ludus.game("quoridor(size=4,columns=9,seats=4)")
GAMES += [TALL, WIDE]
examples = settings(deadline=None, max_examples=150 if JIT else 15)


def random_plays(game: Any, seed: int, plies: int) -> tuple[np.ndarray, list[int]]:
    """Where a random game is after so many plies, or at its end, and how it came there."""
    rng, room = stream(seed), np.zeros(ACTIONS, np.int64)
    state, out = np.zeros(game.facts.state_size, np.int64), []
    start(game, state)
    while len(out) < plies and turn(game, state) != OVER:
        out.append(int(random_move(game, state, turn(game, state), rng, room)))
        play(game, state, out[-1])
    return state, out


drawn = st.tuples(st.sampled_from(GAMES), st.integers(0, 2**32), st.integers(0, 330 if JIT else 60))
cases = drawn.map(lambda case: (case[0], random_plays(*case)[0]))
decisions = cases.filter(lambda case: turn(*case) >= 0)


def legal(game: Any, state: np.ndarray) -> list[int]:
    out = np.zeros(ACTIONS, np.int64)
    return out[: moves(game, state, turn(game, state), out)].tolist()


def of(text: str, game: Any = NINE) -> np.ndarray:
    return read_state(game, text)


def refusal(text: str, at: str = "e1 e9 / 10 10 / - / yellow", game: Any = NINE, style: str | None = None) -> str:
    """What is said against a move."""
    with pytest.raises(LudusError) as caught:
        read_move(game, of(at, game), text, style)
    message = str(caught.value)
    assert message.startswith(f"{text!r}: "), "it names the move"
    return message.removeprefix(f"{text!r}: ")


# --- moves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "official", "thesis", "glendenning"),
    [  # the first player, on e1, sees the board as it is printed; Glendenning calls that square e9
        (STEP, "e2", "u", "e8"),
        (STEP + 1, "f1", "r", "f9"),
        (STEP + 3, "d1", "l", "d9"),
        (0, "a1h", "h0", "a8h"),
        (64 + 63, "h8v", "v63", "h1v"),
        (64 + 8 * 5 + 4, "e6v", "v44", "e3v"),  # her example: between columns e and f, from her row 3 to her row 4
    ],
)
def test_the_same_move_in_three_notations(move, official, thesis, glendenning):
    state = of("e1 e9 / 10 10 / - / yellow")
    for style, text in zip(STYLES, (official, thesis, glendenning), strict=True):
        assert move_text(NINE, state, move, style) == text
        assert read_move(NINE, state, text, style) == move


@examples
@given(decisions)
def test_every_legal_move_is_read_back_in_every_notation(case):
    game, state = case
    for move in legal(game, state):
        for style in STYLES:
            text = move_text(game, state, move, style)
            assert read_move(game, state, text, style) == read_move(game, state, f"{style[0]}:{text}") == move
        assert read_move(game, state, move_text(game, state, move)) == move


@examples
@given(decisions)
def test_there_is_an_objection_exactly_to_what_the_rules_do_not_allow(case):
    game, state = case
    assert [move for move in range(ACTIONS) if not objection(game, state, move)] == sorted(legal(game, state))


def test_on_a_smaller_board_no_pawn_leaves_by_the_left_side():
    five = ludus.game("quoridor(size=5)")
    state = of("a3 c5 / 0 0 / - / yellow", five)
    assert {move_text(five, state, move) for move in legal(five, state)} == {"a2", "a4", "b3"}


@pytest.mark.parametrize("text", ["e2", "E2", " e2 ", "u", "U"])
def test_reading_is_liberal_in_form(text):
    assert read_move(NINE, of("e1 e9 / 10 10 / - / yellow"), text) == STEP


def test_a_way_round_a_corner_may_be_told_in_either_order():
    state = of("e5 e6 / 9 10 / e6h / yellow")
    assert read_move(NINE, state, "ur") == read_move(NINE, state, "ru") == read_move(NINE, state, "f6") == STEP + 8


def test_h3_is_the_square_for_a_pawn_beside_it_and_the_thesiss_wall_for_others():
    beside, afar = of("h2 e9 / 10 10 / - / yellow"), of("e1 e9 / 10 10 / - / yellow")
    assert read_move(NINE, beside, "h3") == STEP
    assert read_move(NINE, afar, "h3") == 3
    assert read_move(NINE, beside, "h03") == read_move(NINE, beside, "h3", "thesis") == 3
    assert "too far" in refusal("h3", style="official")
    assert "too far" in refusal("o:h3")
    assert read_move(NINE, beside, "t:h3") == 3


@pytest.mark.parametrize(
    ("at", "text", "reason"),
    [
        ("e1 e9 / 10 10 / - / yellow", "e4", "that is too far; the pawn on e1 can go to e2, f1, d1"),
        ("e1 e9 / 10 10 / - / yellow", "e1", "that is where the pawn is"),
        ("e1 e9 / 10 10 / - / yellow", "d", "that is off the board"),
        ("e1 e9 / 10 10 / - / yellow", "j1", "j1 is off the board; its squares are a1 to i9"),
        ("e1 e9 / 10 10 / - / yellow", "e10", "e10 is off the board"),
        ("e1 e9 / 10 10 / - / yellow", "e0", "e0 is off the board"),
        ("e1 e9 / 10 10 / - / yellow", "uu", "too far: there is no pawn on e2 to jump over"),
        ("e1 e9 / 10 10 / - / yellow", "ur", "pawns go round a corner only where they jump"),
        ("e4 e5 / 10 10 / - / yellow", "e5", "green's pawn is on e5; the pawn on e4 can go to f4, e3, d4, e6"),
        ("e4 e5 / 10 10 / - / yellow", "d5", "neither a wall nor the edge is behind the pawn on e5"),
        ("e4 e5 / 9 10 / e4h / yellow", "e5", "the wall e4h is between e4 and e5"),
        ("e4 e5 / 9 10 / d4h / yellow", "uu", "the wall d4h is between e4 and e5"),
        ("e4 e5 / 9 10 / e5h / yellow", "e6", "the wall e5h is between e5 and e6, so that a jump goes to a side"),
        ("e4 e5 / 8 10 / e5h d4v / yellow", "d5", "the wall d4v is between e5 and d5"),
        ("e4 f4 / 9 10 / e4v / yellow", "f4", "the wall e4v is between e4 and f4"),
        ("e4 f4 / 9 10 / e3v / yellow", "f4", "the wall e3v is between e4 and f4"),
        ("e4 e6 / 9 10 / e3h / yellow", "e3v", "it would cross e3h"),
        ("e4 e6 / 9 10 / e3h / yellow", "f3h", "it would overlap e3h"),
        ("e4 e6 / 9 10 / e3h / yellow", "d3h", "it would overlap e3h"),
        ("e4 e6 / 9 10 / e3v / yellow", "e4v", "it would overlap e3v"),
        ("e4 e6 / 9 10 / e3h / yellow", "h20", "e3h is built already"),
        ("e4 e6 / 0 10 / - / yellow", "e3v", "yellow has no walls left; the pawn on e4 can go to"),
        ("e1 e9 / 8 10 / d1v e2h / yellow", "f1v", "it would cut yellow's pawn on e1 off from its goal, row 9"),
        ("e1 e9 / 10 10 / - / yellow", "i3h", "that wall would stick out of the board; walls are named by the square"),
        ("e1 e9 / 10 10 / - / yellow", "e9v", "that wall would stick out of the board"),
        ("e1 e9 / 10 10 / - / yellow", "v64", "there is no wall 64; walls are numbered 0 to 63"),
        ("e1 e9 / 10 10 / - / yellow", "pass", "nobody may pass who can do anything else"),
        ("e9 e5 / 10 10 / - / over 40", "e8", "the game is over"),
        ("e1 e9 / 10 10 / - / yellow", "", "it is no move; a move is the pawn's square, as e2, or way"),
        ("e1 e9 / 10 10 / - / yellow", "e3x", "it is no move; a move is the pawn's square"),
        ("e1 e9 / 10 10 / - / yellow", "e³", "it is no move"),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule_against_it(at, text, reason):
    assert reason in refusal(text, at)


def test_a_wall_may_cut_off_the_one_who_builds_and_others():
    assert refusal("b1v", "a1 e9 / 9 10 / a1h / green") == "it would cut yellow's pawn on a1 off from its goal, row 9"
    game = ludus.game("quoridor(seats=4)")
    said = refusal("a2h", "a1 a2 e9 i5 / 5 4 5 5 / b1v / yellow", game)
    assert "cut yellow's pawn on a1 off from its goal, row 9 and blue's pawn on a2 off from its goal, column i" in said


def test_who_can_do_nothing_passes():
    # A wall is above yellow, blue beside it, and red behind blue: two pawns can't be jumped at once.
    game = ludus.game("quoridor(size=4,walls=1,seats=4)")
    state = of("a1 b1 d4 c1 / 0 0 0 0 / a1h / yellow", game)
    assert legal(game, state) == [PASS]
    assert read_move(game, state, "pass") == PASS
    assert move_text(game, state, PASS) == "pass"


def test_a_style_that_there_is_not():
    with pytest.raises(LudusError, match="no style 'chess' of writing moves; there are official, thesis, glendenning"):
        read_move(NINE, of("e1 e9 / 10 10 / - / yellow"), "e2", "chess")


@examples
@given(decisions, st.text(max_size=8) | st.from_regex(r"[a-j][0-9]{1,2}[hv]?", fullmatch=True))
def test_whatever_is_typed_is_a_legal_move_or_an_error_for_people(case, text):
    game, state = case
    with contextlib.suppress(LudusError):
        assert read_move(game, state, text) in legal(game, state)


# --- positions -------------------------------------------------------------------------------------------------------


@examples
@given(cases)
def test_every_position_is_read_back_as_it_was(case):
    game, state = case
    assert read_state(game, state_text(game, state)).tolist() == state.tolist()


def test_a_position_says_pawns_stocks_walls_turn_and_plies():
    position = NINE.start()
    for move in ("e2", "e8", "e3h", "c5v"):
        position = position.play(move)
    assert position.game.state_text(position.state) == "e2 e8 / 9 9 / e3h c5v / yellow 4"


def test_plies_may_be_left_out():
    assert of("e1 e9 / 10 10 / - / yellow").tolist() == NINE.start().state.tolist()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("e1 e9 / 9 10 / e3h e3v / yellow", "the wall e3v can't be: it would cross e3h"),
        ("e1 e9 / 9 10 / e3h f3h / yellow", "the wall f3h can't be: it would overlap e3h"),
        ("e1 e9 / 9 10 / e3h e3h / yellow", "the wall e3h can't be: e3h is built already"),
        ("e1 e9 / 10 10 / a1h c1h e1h g1h h2v h1h / yellow", "the wall h1h can't be: it would overlap g1h"),
        (
            "a1 e9 / 9 9 / a1h b1v / yellow",
            "the walls can't be so: they cut yellow's pawn on a1 off from its goal, row 9",
        ),
        (
            "a1 e9 / 9 9 / a1v a2h / yellow",
            "the walls can't be so: they cut yellow's pawn on a1 off from its goal, row 9",
        ),
        ("e1 e9 / 10 10 / e3h / yellow", "too many walls: 1 on the board and 20 in stock, but there are 2 × 10"),
        ("e1 e9 / 11 9 / - / yellow", "yellow can't have 11 walls left; a seat has 0 to 10"),
        ("e1 e9 / 10 -1 / - / yellow", "green can't have -1 walls left"),
        ("e1 e9 / 10 / - / yellow", "there are 1 stocks of walls; there must be 2: yellow, green"),
        ("e4 e4 / 10 10 / - / yellow", "two pawns can't be on one square: yellow's and green's are on e4"),
        (
            "e9 e1 / 10 10 / - / over 9",
            "yellow and green are at their goals, but the first who gets there ends the game",
        ),
        ("e1 / 10 10 / - / yellow", "there are 1 pawns; there must be 2: yellow, green"),
        ("e1 j9 / 10 10 / - / yellow", "green's pawn can't be on 'j9'; squares are a1 to i9"),
        ("e1 e9 / 9 10 / i3h / yellow", "there is no wall 'i3h'; walls are a1h to h8h and a1v to h8v"),
        ("e1 e9 / 10 10 / - / blue", "the last part must be yellow, green or over"),
        ("e1 e9 / 10 10 / - / yellow x", "'x' can't be the number of plies"),
        ("e1 e9 / 10 10 / - / yellow 325", "325 plies are too many: a game is a draw after 324"),
        ("e1 e9 / 10 10 / - / yellow 324", "after 324 plies the game is over"),
        ("e1 e9 / 10 10 / - / over 4", "the game can't be over: no pawn is at its goal"),
        ("e9 e5 / 10 10 / - / green 9", "yellow is at its goal, so that the game is over and green can't be to move"),
        ("e1 e9", "a position is pawns / stocks / walls / turn and plies"),
        ("", "a position is pawns / stocks / walls / turn and plies"),
    ],
)
def test_an_impossible_position_is_refused_with_what_is_wrong(text, reason):
    with pytest.raises(LudusError) as caught:
        of(text)
    assert str(caught.value).startswith(f"{text!r}: ")
    assert reason in str(caught.value)


def test_a_smaller_board_has_fewer_squares_and_walls():
    five = ludus.game("quoridor(size=5)")
    assert "squares are a1 to e5" in refusal("f1", "c1 c5 / 3 3 / - / yellow", five)
    assert "walls are numbered 8 × row + column, each from 0 to 3" in refusal("v5", "c1 c5 / 3 3 / - / yellow", five)
    with pytest.raises(LudusError, match="walls are a1h to d4h"):
        of("c1 c5 / 3 2 / e1h / yellow", five)


def test_a_rectangle_has_its_own_squares_and_walls():
    at = "c1 c7 / 4 4 / - / yellow"
    assert "squares are a1 to e7" in refusal("f1", at, TALL)
    assert "squares are a1 to e7" in refusal("c8", at, TALL)
    assert "a1 to d6" in refusal("e3h", at, TALL)
    assert "a1 to d6" in refusal("a7v", at, TALL)
    assert "8 × row + column, rows from 0 to 5 and columns from 0 to 3" in refusal("v4", at, TALL)
    assert move_text(TALL, of(at, TALL), 8 * 5 + 3, "glendenning") == "d1h"
    assert refusal("b1v", "a1 c7 / 3 4 / a1h / yellow", TALL).endswith("off from its goal, row 7")
    with pytest.raises(LudusError, match="walls are a1h to d6h"):
        of("c1 c7 / 4 3 / e1h / yellow", TALL)
    with pytest.raises(LudusError, match="squares are a1 to i4"):
        of("e1 a3 e5 i3 / 1 1 1 1 / - / yellow", WIDE)
    with pytest.raises(LudusError, match="blue is at its goal"):
        of("e1 i2 e4 i3 / 1 1 1 1 / - / yellow 3", WIDE)


@examples
@given(st.text(alphabet="abcdehiv0123456789/- yelowgrn", max_size=40))
def test_whatever_is_read_as_a_position_is_one_or_an_error_for_people(text):
    with contextlib.suppress(LudusError):
        assert of(state_text(NINE, of(text))).tolist() == of(text).tolist()


# --- files -----------------------------------------------------------------------------------------------------------

FILE = '[Game "quoridor"]\n[Yellow "you"]\n[Green "path"]\n\n1. e2 e8\n2. e3 e3h\n3. d3\n'


def test_a_file_says_who_plays_and_what_in_rounds():
    names, plays = record.read(NINE, "game.quoridor", FILE)
    assert names == ["you", "path"]
    assert record.write(NINE, names, plays) == FILE


@examples
@given(drawn, st.sampled_from(STYLES))
def test_every_game_comes_back_from_its_file(case, style):
    game, (_, plays) = case[0], random_plays(*case)
    names = [f'{seat} \\ the "great"' for seat in game.seat_names]
    assert record.read(game, "game.quoridor", record.write(game, names, plays, style)) == (names, plays)


def test_a_file_may_be_bare_and_have_comments():
    assert record.read(NINE, "x", "; an opening\ne2 e8 ; both run\n2.e3 e7") == (["yellow", "green"], [128, 130] * 2)


@pytest.mark.parametrize("name", ["quoridor(size=7,columns=5)", "quoridor(size=7,columns=5,walls=4,limit=140)"])
def test_a_header_may_say_or_leave_out_what_is_usual(name):
    text = f'[Game "{name}"]\n[Yellow "you"]\n[Green "path"]\n\n1. c2 c6\n2. d6h\n'
    names, plays = record.read(TALL, "x.quoridor", text)
    assert plays == [128, 130, 8 * 5 + 3]
    assert record.read(TALL, "x.quoridor", record.write(TALL, names, plays)) == (names, plays)
    for other in ("quoridor(size=7)", "quoridor(size=5,columns=7)", "quoridor(columns=99)", "tictactoe", "x.py:Game"):
        with pytest.raises(LudusError, match=r"it is a game of .* and this is quoridor"):
            record.read(TALL, "x.quoridor", text.replace(name, other))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FILE.replace("d3", "e4"), "x.quoridor, line 7, move 5: 'e4': the wall e3h is between e3 and e4"),
        (FILE.replace("e3h", "h3"), "x.quoridor, line 6, move 4: 'h3': that is too far"),
        (FILE.replace("3. ", "4. "), "x.quoridor, line 7: '4.' comes where round 3 is due"),
        (FILE.replace("you", "y\x1b[2J"), "x.quoridor, line 2: Yellow has characters that can't be printed"),
        (FILE.replace('"you"', "you"), "x.quoridor, line 2: can't read '[Yellow you]'"),
        (FILE.replace("Green", "Yellow"), "x.quoridor, line 3: [Yellow …] comes a second time"),
        (FILE + '[Site "here"]', "x.quoridor, line 8: [Site …] comes after the first move"),
        (FILE.replace("quoridor", "quoridor(size=5)", 1), "it is a game of 'quoridor(size=5)', and this is quoridor"),
        ('[Notation "chess"]', "line 1: there is no notation 'chess'"),
        ("", "x.quoridor holds no game of Quoridor"),
        ("e2 e8 e3 e7 e4 e6 e5 d6 e6 d5 e7 d4 e8 d3 e9 d2", "line 1, move 16: 'd2' comes after the end of the game"),
    ],
)
def test_a_file_with_a_slip_is_refused_with_the_line_the_move_and_the_rule(text, reason):
    with pytest.raises(LudusError) as caught:
        record.read(NINE, "x.quoridor", text)
    assert reason in str(caught.value)
