"""Ludo in text: moves, dice and positions, both ways."""

from __future__ import annotations

import itertools
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import CHANCE, OVER, play, random_move, roll, start, turn
from ludus.errors import LudusError
from ludus.games.ludo import Ludo
from ludus.games.ludo.notation import LETTERS, move_text, read_move, read_state, state_text
from ludus.games.ludo.rules import BLOCKADES, CLASSIC, DIE, MOVABLE, STATE_SIZE, TURN, colour
from ludus.kernel import JIT, stream

CLASSIC_2, CLASSIC_4 = ludus.game("ludo(seats=2)"), ludus.game("ludo")
LUDOPY = ludus.game("ludo(rules=ludopy)")
examples = settings(deadline=None, max_examples=200 if JIT else 20)

seats = st.integers(2, 4)
games = st.sampled_from([Ludo(rules, n) for rules in (1, 2) for n in (2, 3, 4)]) | st.builds(
    Ludo, st.just(CLASSIC), seats, st.integers(0, len(BLOCKADES) - 1), *[st.booleans()] * 4
)


def random_state(game: Ludo, seed: int, plies: int) -> np.ndarray:
    """A state from the course of a random game, or its end."""
    rng, room, odds = stream(seed), np.zeros(6, np.int64), np.zeros(6)
    state = np.zeros(STATE_SIZE, np.int64)
    start(game, state)
    while plies > 0 and (seat := turn(game, state)) != OVER:
        rolled = seat == CHANCE
        play(game, state, roll(game, state, rng, room, odds) if rolled else random_move(game, state, seat, rng, room))
        plies -= 1
    return state


cases = st.tuples(games, st.integers(0, 2**32), st.integers(0, 1500 if JIT else 150)).map(
    lambda drawn: (drawn[0], random_state(*drawn))
)
decisions = cases.filter(lambda case: turn(*case) >= 0)


def legal_moves(state: np.ndarray) -> list[int]:
    return [piece for piece in range(4) if state[MOVABLE] >> piece & 1]


def of(text: str, game: Ludo = CLASSIC_4) -> np.ndarray:
    return read_state(game, text)


# --- moves -----------------------------------------------------------------------------------------------------------


@examples
@given(decisions)
def test_every_legal_move_has_a_text_of_its_own_that_reads_back(case):
    game, state = case
    legal = legal_moves(state)
    texts = [move_text(game, state, move) for move in legal]
    assert len(set(texts)) == len(legal)
    assert [read_move(game, state, text) for text in texts] == legal


@examples
@given(decisions)
def test_a_text_says_from_where_to_where_a_piece_really_gets_and_whether_it_hits(case):
    game, state = case
    own = 4 * int(colour(game, int(state[TURN])))
    for move in legal_moves(state):
        after = state.copy()
        play(game, after, move)
        enemies = [i for i in range(16) if not own <= i < own + 4]
        hit = any(after[i] != state[i] for i in enemies)
        step = f"{state[own + move]}/{after[own + move]}" + "*" * hit
        assert move_text(game, state, move).split()[-1] == step


@examples
@given(decisions, st.randoms(use_true_random=False))
def test_a_letter_or_a_square_is_enough_and_the_form_does_not_matter(case, rng: random.Random):
    game, state = case
    move = rng.choice(legal_moves(state))
    bare = move_text(game, state, move).split()[-1].rstrip("*")
    square = bare.split("/")[0]
    own = state[4 * int(colour(game, int(state[TURN]))) :][:4].tolist()
    letter = LETTERS[move]
    for text in (letter, f"{letter} {bare}", f"{letter}{square}", f" {letter.upper()}  {bare.replace('/', ' - ')} "):
        assert read_move(game, state, text) == move
    for text in (bare, square):
        assert read_move(game, state, text) == own.index(int(square)), "of pieces on one square the first is taken"


def test_of_pieces_on_one_square_only_the_first_goes_without_its_letter():
    state = of("0,5,5,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6")
    assert [move_text(CLASSIC_4, state, move) for move in range(4)] == ["0/1", "5/11", "c 5/11", "d 0/1"]


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ("2,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=3", "2/12"),  # from a star to the next one
        ("45,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6", "45/57"),  # from the last star home
        ("56,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=3", "56/54"),  # what is too much is gone back
        ("8,0,0,0 48,0,0,0 0,0,0,0 0,0,0,0 turn=red die=1", "8/0"),  # on a globe with an enemy: back to the yard
        ("2,0,0,0 42,0,0,0 0,0,0,0 0,0,0,0 turn=red die=1", "2/3*"),
    ],
)
def test_squares_that_move_a_piece_on_show_where_it_ends(position, text):
    state = of(position, LUDOPY)
    assert move_text(LUDOPY, state, 0) == text
    assert read_move(LUDOPY, state, text) == 0


def test_yard_and_home_may_be_written_in_words():
    assert read_move(CLASSIC_4, of("55,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=2"), "55/home") == 0
    assert read_move(CLASSIC_4, of("55,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6"), "yard") == 1


RED_HAS_A_4 = "0,14,57,55 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=4"


@pytest.mark.parametrize(
    ("position", "text", "reason"),
    [
        (RED_HAS_A_4, "", "can't read it as a move; write 14/18"),
        (RED_HAS_A_4, "roll", "can't read it as a move; write 14/18"),
        (RED_HAS_A_4, "*", "can't read it as a move"),
        (RED_HAS_A_4, "e 14/18", "can't read it as a move"),
        (RED_HAS_A_4, "15", "you have no piece on 15; yours are on 0, 14, 57 and 55"),
        (RED_HAS_A_4, "a 14/18", "piece a is on 0, not on 14; you can play 14/18"),
        (RED_HAS_A_4, "0/1", "a piece leaves the yard by a 6 only, and this is a 4; you can play 14/18"),
        (RED_HAS_A_4, "home", "a piece that is home stays there"),
        (RED_HAS_A_4, "55/57", "the piece on 55 needs exactly 2 to get home, and this is a 4"),
        (RED_HAS_A_4, "14/20", "a 4 takes the piece on 14 to 18, not to 20"),
        (RED_HAS_A_4, "14/18*", "14/18 sends no enemy to its yard; write it without the star"),
        ("2,14,0,0 0,0,0,0 30,30,0,0 0,0,0,0 turn=red die=2", "2/4", "a blockade keeps the piece on 2 from going by a 2"),
        ("0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red", "0/1", "the die is to be rolled here; write what it shows, 1 to 6"),
        ("0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red", "7", "a die shows 1 to 6, not 7"),
        ("0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 opening", "6", "it is to be drawn here who begins; write one of red, green"),
        ("57,57,57,57 0,0,0,0 0,0,0,0 0,0,0,0 won=red", "57", "the game is over"),
    ],
)  # fmt: skip
def test_a_wrong_move_is_refused_with_its_reason(position, text, reason):
    with pytest.raises(LudusError, match=f"^{re.escape(repr(text))}: .*{re.escape(reason)}"):
        read_move(CLASSIC_4, of(position), text)


def test_who_begins_is_read_by_colour_or_by_seat():
    opening = of("0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 opening", CLASSIC_2)
    assert [move_text(CLASSIC_2, opening, seat) for seat in (0, 1)] == ["red begins", "yellow begins"]
    for text in ("yellow begins", "Yellow", "1"):
        assert read_move(CLASSIC_2, opening, text) == 1
    with pytest.raises(LudusError, match="write one of red and yellow"):
        read_move(CLASSIC_2, opening, "green")


# --- positions -------------------------------------------------------------------------------------------------------


@examples
@given(cases)
def test_a_state_reads_back_from_its_line(case):
    game, state = case
    text = state_text(game, state)
    assert "\n" not in text
    assert read_state(game, text).tolist() == state.tolist()
    assert read_state(game, f"  {text.upper()} ").tolist() == state.tolist()


@pytest.mark.parametrize("game", [Ludo(rules, n) for rules, n in itertools.product(range(3), (2, 3, 4))], ids=repr)
def test_the_beginning_and_the_end_read_back(game):
    for plies in (0, 10**9):
        state = random_state(game, 3, plies)
        assert read_state(game, state_text(game, state)).tolist() == state.tolist()
    assert state[DIE] == -1
    assert f" won={game.seat_names[state[TURN]]}" in state_text(game, state)


def test_a_line_can_be_read_by_people():
    position = CLASSIC_4.start()
    assert position.text == "0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 opening"
    position = position.play("green begins").play("6")
    assert position.text == "0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=green die=6"
    position = position.play("0/1")
    assert position.text == "0,0,0,0 1,0,0,0 0,0,0,0 0,0,0,0 turn=green sixes=1"
    position = position.play("4").play("1/5")
    assert position.text == "0,0,0,0 5,0,0,0 0,0,0,0 0,0,0,0 turn=yellow"
    position = LUDOPY.start()
    assert position.text == "0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red round=1"
    assert position.play("2").text == "0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red round=1 tries=1"


def test_a_seat_may_be_a_number():
    yard = "0,0,0,0"
    assert (
        of(f"{yard} {yard} {yard} {yard} turn=1", CLASSIC_2).tolist()
        == of(f"{yard} {yard} {yard} {yard} turn=yellow", CLASSIC_2).tolist()
    )


YARD = "0,0,0,0"
HOME = "57,57,57,57"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("ludo", "", "it has 0 groups of pieces, not 4"),
        ("ludo", f"{YARD} {YARD} turn=red", "it has 2 groups of pieces, not 4"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} {YARD} turn=red", "it has 5 groups of pieces, not 4"),
        ("ludo", f"turn=red {YARD} {YARD} {YARD} {YARD}", "the pieces come first"),
        ("ludo", f"{YARD} 0,0,0 {YARD} {YARD} turn=red", "can't read '0,0,0' as the pieces of green; write four positions"),
        ("ludo", f"{YARD} 0,0,-1,0 {YARD} {YARD} turn=red", "can't read '0,0,-1,0' as the pieces of green"),
        ("ludo", f"58,0,0,0 {YARD} {YARD} {YARD} turn=red", "red has a piece on 58; positions are 0, the yard, to 57, the goal"),
        ("ludo(rules=ludopy-1.3.1)", f"60,0,0,0 {YARD} {YARD} {YARD} turn=red", "positions are 0, the yard, to 59, the goal"),
        ("ludo(seats=2)", f"{YARD} 0,1,0,0 {YARD} {YARD} turn=red", "green does not play among 2"),
        ("ludo(seats=3)", f"{YARD} {YARD} {YARD} 1,0,0,0 turn=red", "blue does not play among 3"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD}", "write turn=, with die= if it is rolled, or won= alone"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} turn=red won=red", "write turn=, with die= if it is rolled, or won= alone"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} won=red die=2", "write turn=, with die= if it is rolled, or won= alone"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} turn=red turn=red", "turn is given twice"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} turn=red dice=3", "can't read 'dice=3'; after the pieces come turn=, die=, won= or sixes="),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} turn=red round=1", "can't read 'round=1'"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} turn=4", "'4' is no seat; they are red, green, yellow and blue, or 0 to 3"),
        ("ludo(seats=2)", f"{YARD} {YARD} {YARD} {YARD} turn=green", "'green' is no seat; they are red and yellow, or 0 to 1"),
        ("ludo", f"1,0,0,0 {YARD} {YARD} {YARD} turn=red die=7", "a die shows 1 to 6, not 7"),
        ("ludo", f"1,0,0,0 {YARD} {YARD} {YARD} turn=red die=0", "a die shows 1 to 6, not 0; leave it out"),
        ("ludo", f"1,0,0,0 {YARD} {YARD} {YARD} turn=red die=six", "die=six: it must be a whole number"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} turn=red die=5", "red can't move by a 5, so that the turn has passed on"),
        ("ludo", f"56,57,57,57 {YARD} {YARD} {YARD} turn=red die=5", "red can't move by a 5"),
        ("ludo", f"{HOME} {HOME} {YARD} {YARD} won=red", "red and green are all home, but only one can win"),
        ("ludo", f"{HOME} {YARD} {YARD} {YARD} turn=green", "all pieces of red are home, so that the game is over; write won=red"),
        ("ludo", f"{HOME} {YARD} {YARD} {YARD} won=green", "green has not won: it has pieces that are not home"),
        ("ludo", f"15,0,0,0 2,0,0,0 {YARD} {YARD} turn=red", "red's 15 is green's 2: two colours can stand together on safe squares only"),
        ("ludo(safe_squares=false)", f"14,0,0,0 1,0,0,0 {YARD} {YARD} turn=red", "nowhere, as no square is safe"),
        ("ludo(three_sixes=true)", f"1,0,0,0 {YARD} {YARD} {YARD} turn=red sixes=3", "sixes=3: it must be 0 to 2 here"),
        ("ludo", f"1,0,0,0 {YARD} {YARD} {YARD} turn=red die=6 sixes=0", "sixes=0: it must be 1 to"),
        ("ludo", f"1,0,0,0 {YARD} {YARD} {YARD} opening", "at the opening all pieces are in their yards"),
        ("ludo", f"{YARD} {YARD} {YARD} {YARD} opening die=3", "'opening' stands alone"),
        ("ludo(rules=ludopy)", f"{YARD} {YARD} {YARD} {YARD} opening", "'opening' is for classic rules only; here red begins"),
        ("ludo(rules=ludopy)", f"{YARD} {YARD} {YARD} {YARD} turn=red round=3", "round=3: it is 1 in the first round, and 2 later"),
        ("ludo(rules=ludopy)", f"{YARD} {YARD} {YARD} {YARD} turn=red tries=1", "tries=1: it must be 0 to 3 in the first round, and 0 later"),
        ("ludo(rules=ludopy)", f"{YARD} {YARD} {YARD} {YARD} turn=red round=1 tries=4", "tries=4"),
        ("ludo(rules=ludopy)", f"{YARD} 1,0,0,0 {YARD} {YARD} turn=red round=1", "in the first round green, who is still to get a piece out"),
        ("ludo(rules=ludopy)", f"7,0,0,0 {YARD} {YARD} {YARD} turn=green round=1", "in the first round red can have no more out of its yard"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_is_refused_with_its_reason(name, text, reason):
    with pytest.raises(LudusError, match=re.escape(reason)):
        read_state(ludus.game(name), text)


def test_what_is_safe_may_be_shared():
    state = of("14,0,0,0 1,0,0,0 0,0,0,0 0,0,0,0 turn=red")
    assert state[[0, 4]].tolist() == [14, 1]


@examples
@given(cases, st.data())
def test_a_damaged_line_is_refused_or_stands_for_a_state_that_reads_back(case, data):
    game, state = case
    text = state_text(game, state)
    at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 6))
    damaged = text[:at] + data.draw(st.sampled_from(["", "7", ",", "=", " ", "die=6", "é"])) + text[at + length :]
    try:
        read = read_state(game, damaged)
    except LudusError:
        return
    assert read_state(game, state_text(game, read)).tolist() == read.tolist()
    assert turn(game, read) in (CHANCE, OVER, *range(game.seats))
