"""Matches as `.mat` files: what is read, what is written, and what is refused."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contract.rules import CHANCE, OVER, play, random_move, roll, start, turn
from ludus.errors import LudusError
from ludus.games.backgammon.mat import (
    GAME,
    Cube,
    GameRecord,
    Record,
    Turn,
    load,
    read_mat,
    record_plays,
    replay,
    write_mat,
)
from ludus.games.backgammon.rules import STATE_SIZE
from ludus.kernel import JIT, stream

SAMPLE = """\
; [Site "The kitchen table"]
; [Player 1 "Ann"]
; [Player 2 "Bob Black"]

 5 point match

 Game 1
 Ann : 0                        Bob Black : 0
  1) 31: 8/5 6/5                 52: 13/11 13/8
  2) 65: 24/18 18/13             44: 13/9 13/9 8/4 8/4
  3)  Doubles => 2                Takes
  4) 61: 13/7 8/7                61: 24/23 13/7
  5) 22: 13/11 13/11 6/4 6/4      Doubles => 4
  6)  Drops
                                  Wins 2 points

 Game 2
 Ann : 0                        Bob Black : 2
  1)                             21: 13/11 6/5
  2) 43: 24/20* 13/10            66: Cannot Move
  3) 51: 13/8 6/5                64: ????
      Wins 1 point
"""
examples = settings(deadline=None, max_examples=40 if JIT else 8)


def random_plays(seed: int, most: int = 10_000) -> list[int]:
    """The rolls and moves of a random game."""
    rng = stream(seed)
    room, odds = np.zeros(GAME.facts.max_moves, np.int64), np.zeros(30)
    state = np.zeros(STATE_SIZE, np.int64)
    start(GAME, state)
    plays: list[int] = []
    while turn(GAME, state) != OVER and len(plays) < most:
        seat = turn(GAME, state)
        plays.append(
            int(roll(GAME, state, rng, room, odds) if seat == CHANCE else random_move(GAME, state, seat, rng, room))
        )
        play(GAME, state, plays[-1])
    return plays


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_file_is_read_with_its_cube_its_resignations_and_its_results():
    record = read_mat(SAMPLE)
    assert (record.names, record.length) == (("Ann", "Bob Black"), 5)
    assert record.tags == (("Site", "The kitchen table"),)
    first, second = record.games
    assert [(t.seat, t.dice, t.text) if isinstance(t, Turn) else (t.seat, t.action, t.value) for t in first.turns] == [
        (0, 31, "8/5 6/5"),
        (1, 52, "13/11 13/8"),
        (0, 65, "24/13"),
        (1, 44, "13/9(2) 8/4(2)"),
        (0, "double", 2),
        (1, "take", 2),
        (0, 61, "13/7 8/7"),
        (1, 61, "24/23 13/7"),
        (0, 22, "13/11(2) 6/4(2)"),
        (1, "double", 4),
        (0, "drop", 4),
    ]
    assert (first.winner, first.points, first.score) == (1, 2, (0, 0))
    assert [(t.seat, t.dice, t.text) for t in second.turns] == [
        (1, 21, "13/11 6/5"),
        (0, 43, "24/20* 13/10"),
        (1, 66, "pass"),
        (0, 51, "13/8 6/5"),
        (1, 64, "????"),
    ]
    assert (second.winner, second.points, second.score) == (0, 1, (0, 2))


def test_points_are_counted_from_the_side_of_whose_column_it_is():
    turns = read_mat(SAMPLE).games[0].turns
    mirrored = SAMPLE.replace(
        "  1) 31: 8/5 6/5                 52: 13/11 13/8", "  1)                             31: 8/5 6/5"
    )
    other = read_mat(mirrored.split("  2)")[0]).games[0].turns
    assert (other[0].seat, other[0].move) == (1, turns[0].move)


def one_game(*rows: str) -> str:
    return "\n".join([" 0 point match", "", " Game 1", " Ann : 0      Bob : 0", *rows])


@pytest.mark.parametrize(
    ("rows", "turns", "winner", "points"),
    [
        ([], 0, None, 0),
        (["  1)", "      Wins 3 points and the match"], 0, 0, 3),  # a forfeit
        (["  1) 31: 8/5 6/5"], 1, None, 0),
        (["1) 13: 6/5 8/5      52: 24/22 13/8"], 2, None, 0),
        (["  1)\t31: 8/5 6/5\t\t52: 24/22 13/8"], 2, None, 0),
        (["  1)                             13: 8/5(1), 6/5"], 1, None, 0),
        (["  1) 31: 8/5 6/5                 52:", "      Wins 1 point"], 2, 0, 1),  # given up after the roll
        (["  1) 31: 8/5 6/5                 52: ???", "      Wins 2 points"], 2, 0, 2),
        (["  1) 31: 8/5 6/5", "                                  Wins 1 point"], 1, 1, 1),
        (["  1) 31: 8/5 6/5                  Doubles => 2", "  2)  Drops                       Wins 1 point"], 3, 1, 1),
        (["  1) 31: 8/5 6/5                  Doubles => 2", "  2)  Drops"], 3, 1, 1),
        (["; a remark", "  1) 31: 8/5 6/5                  doubles => 2", "  2)  takes                       51: 13/8 6/5"], 4, None, 0),
    ],
)  # fmt: skip
def test_the_many_ways_in_which_programs_write(rows, turns, winner, points):
    game = read_mat(one_game(*rows)).games[0]
    assert (len(game.turns), game.winner, game.points) == (turns, winner, points)


def test_line_ends_and_byte_order_marks_of_other_systems_are_nothing_special(tmp_path):
    path = tmp_path / "match.mat"
    path.write_bytes(b"\xef\xbb\xbf" + SAMPLE.replace("\n", "\r\n").encode())
    assert load(path) == load(str(path)) == read_mat(SAMPLE)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("31: 8/5 6/5", "31: 8/5 6/4", 9, "'8/5 6/4': 6/4 needs a 2; you have 3 and 1"),
        ("31: 8/5 6/5", "31: 8/5", 9, "'8/5': both dice can be played, and so must be"),
        ("65: 24/18 18/13", "65: 24/18 18/14", 10, "18/14 needs a 4; you have 6 and 5"),
        ("65: 24/18 18/13", "65: 24/19 19/13", 10, "point 19 is blocked by 5 enemy checkers"),
        ("44: 13/9 13/9 8/4 8/4", "45: 13/9 13/9 8/4 8/4", 10, "too many steps"),
        ("31: 8/5 6/5", "33: 8/5 8/5 6/3 6/3", 9, "the opening roll can't be a double"),
        ("65: 24/18 18/13", "75: 24/18 18/13", 10, "a die shows 1 to 6, not 7"),
        ("65: 24/18 18/13", "655: 24/18 18/13", 10, "can't read '655: 24/18 18/13'"),
        ("65: 24/18 18/13", "65: Cannot Move", 10, "you may not pass while you can move"),
        ("65: 24/18 18/13", "65:            ", 10, "you may not pass while you can move"),
        ("65: 24/18 18/13", "65: ????       ", 10, "Ann rolled 65 and did not move, so that no turn can follow"),
        ("65: 24/18 18/13", "hello          ", 10, "can't read 'hello'"),
        ("65: 24/18 18/13", "               ", 10, "Bob Black has a turn, but it is Ann's"),
        ("65: 24/18 18/13", "65: 24/18 18/13  21: 6/5", 10, "more than two turns on one line"),
        ("  2) 65: 24/18 18/13", "     65: 24/18 18/13", 10, "expected a number with ')'"),
        (" Doubles => 2", " Doubles => 4", 11, "the cube shows 1, so that a double makes it 2, not 4"),
        (" Doubles => 2", " Doubles     ", 11, "can't read 'Doubles'"),
        (" Takes", "      ", 12, "Bob Black must take or drop the double first"),
        (" Takes", "61: 6/5", 11, "Bob Black must take or drop the double first"),
        ("44: 13/9 13/9 8/4 8/4", " Takes", 10, "Bob Black has no double to answer"),
        ("22: 13/11 13/11 6/4 6/4", " Doubles => 4", 13, "Ann can't double: the cube is Bob Black's"),
        ("31: 8/5 6/5", " Doubles => 2", 9, "Ann can't double before the opening roll"),
        ("Wins 2 points", "Wins 3 points", 15, "Bob Black can't win 3 points here, but 1 to 2"),
        ("Wins 2 points", "Wins 0 points", 15, "Bob Black can't win 0 points here"),
        ("Wins 2 points", "Wins 2", 15, "can't read 'Wins 2'"),
        ("Wins 2 points\n", "Wins 2 points\n      Wins 2 points\n", 16, "the result of the game is given twice"),
        ("Wins 2 points\n", "Wins 2 points\n  7) 31: 8/5 6/5\n", 16, "Ann has another turn, but the game is over"),
        (" 5 point match", " a match", 5, "expected a line such as '7 point match', found 'a match'"),
        (" 5 point match\n", "", 6, "expected a line such as '7 point match', found 'Game 1'"),
        (" Game 1\n", " 7 point match\n", 7, "the length of the match is given twice"),
        (" Game 1\n", "", 7, "expected a line such as 'Game 1'"),
        (" Ann : 0 ", " Ann     ", 8, "expected both players and their scores"),
        ("24/18 18/13", "24/18\x0018/13", 10, "this is not text: character 15 is '\\x00'"),
        ("Site", "x" * 5000, 1, "a line of 5024 characters"),
    ],
)  # fmt: skip
def test_an_error_names_the_file_the_line_and_the_reason(old, new, line, reason):
    assert SAMPLE.count(old) >= 1
    with pytest.raises(LudusError) as raised:
        read_mat(SAMPLE.replace(old, new, 1), "match.mat")
    assert str(raised.value).startswith(f"match.mat, line {line}: ")
    assert reason in str(raised.value)


@pytest.mark.parametrize("text", ["", "\n\n", '; [Player 1 "Ann"]'])
def test_a_file_without_a_match_is_refused(text):
    with pytest.raises(LudusError, match="there is no line such as '7 point match'"):
        read_mat(text)


def test_a_game_that_stops_at_its_title_is_refused():
    with pytest.raises(LudusError, match="a game ends before its players are named"):
        read_mat(SAMPLE.split(" Ann")[0])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (SAMPLE.replace("Bob", "Bób").encode("latin-1"), "line 3: this is not text in UTF-8: byte 0xf3"),
        (bytes(range(256)), "line 2: this is not text in UTF-8: byte 0x80"),
        (b"\x00" * 100, "line 1: this is not text: character 1"),
    ],
)
def test_a_file_that_is_not_text_is_refused(tmp_path, content, reason):
    path = tmp_path / "match.mat"
    path.write_bytes(content)
    with pytest.raises(LudusError) as raised:
        load(path)
    assert str(path) in str(raised.value)
    assert reason in str(raised.value)


def test_a_file_that_can_not_be_opened_is_an_error_too(tmp_path):
    with pytest.raises(LudusError, match=r"there is no file .*missing\.mat"):
        load(tmp_path / "missing.mat")
    with pytest.raises(LudusError, match="is a folder"):
        load(tmp_path)


def test_a_file_cut_off_anywhere_is_the_complete_turns_before_it_or_an_error():
    whole = read_mat(SAMPLE)
    complete = failed = 0
    for end in range(len(SAMPLE)):
        try:
            part = read_mat(SAMPLE[:end])
        except LudusError:
            failed += 1
            continue
        complete += 1
        for game, full in zip(part.games, whole.games, strict=False):
            assert game.turns == full.turns[: len(game.turns)]
            assert game.winner in (None, full.winner)
    assert complete > 100
    assert failed > 200


@examples
@given(st.randoms(use_true_random=False), st.integers(1, 5))
def test_a_damaged_file_is_a_record_or_an_error(rng: random.Random, count: int):
    text = SAMPLE
    for _ in range(count):
        at = rng.randrange(len(text))
        junk = rng.choice(
            ["", " ", "\n", "\t", "/", "*", ":", ")", "0", "7", "25/", "Doubles => 2", "Takes", "\x1b", "é"]
        )
        text = text[:at] + junk + text[at + rng.randrange(4) :]
    try:
        record, error = read_mat(text, "x.mat"), None
    except LudusError as raised:
        record, error = None, str(raised)
    if error is None:
        assert read_mat(write_mat(record)) == record
    else:
        assert error.startswith("x.mat, line ")


@examples
@given(st.binary(max_size=300))
def test_junk_is_an_error_that_names_the_file(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("junk") / "junk.mat"
    path.write_bytes(junk)
    with pytest.raises(LudusError, match=r"junk\.mat, line \d+: "):
        load(path)


# --- writing ---------------------------------------------------------------------------------------------------------


def test_a_file_is_written_in_two_columns_as_other_programs_do():
    # Who drops in the left column has the result beside it: GNU Backgammon reads a line of its own there as a beaver.
    apart, beside = "  6)  Drops\n                                  Wins", "  6)  Drops                       Wins"
    assert apart in SAMPLE
    assert write_mat(read_mat(SAMPLE)) == SAMPLE.replace(apart, beside) + "\n"
    assert read_mat(SAMPLE.replace(apart, beside)) == read_mat(SAMPLE)


def test_a_match_that_is_won_says_so():
    forfeit = Record(("Ann", "Bob"), 3, (GameRecord((), 1, 2, (2, 1)), GameRecord((), 0, 1, (1, 0))))
    text = write_mat(forfeit)
    assert "                                  Wins 2 points and the match\n" in text
    assert "      Wins 1 point\n" in text
    assert read_mat(text) == forfeit


def with_cube(game: GameRecord, rng: random.Random) -> GameRecord:
    """The same game with doubles here and there, the last of which may be dropped."""
    turns: list[Turn | Cube] = [game.turns[0]]
    cube, owner = 1, None
    for turn_ in game.turns[1:]:
        if owner in (None, turn_.seat) and cube < 64 and rng.random() < 0.1:
            turns.append(Cube(turn_.seat, "double", 2 * cube))
            if rng.random() < 0.1:
                turns.append(Cube(1 - turn_.seat, "drop", 2 * cube))
                return GameRecord(tuple(turns), turn_.seat, cube, game.score)
            turns.append(Cube(1 - turn_.seat, "take", 2 * cube))
            cube, owner = 2 * cube, 1 - turn_.seat
        turns.append(turn_)
    return dataclasses.replace(game, turns=tuple(turns), points=game.points * cube)


names = st.text(max_size=40).map(str.strip).filter(lambda name: name and all(ord(c) > 31 and c != "\x7f" for c in name))


@examples
@given(
    st.tuples(names, names),
    st.integers(0, 25),
    st.lists(st.integers(0, 2**32), max_size=3),
    st.randoms(use_true_random=False),
)
def test_writing_and_reading_give_the_same_record(players, length, seeds, rng: random.Random):
    games = [record_plays(random_plays(seed), (rng.randrange(9), rng.randrange(9))) for seed in seeds]
    record = Record(players, length, tuple(with_cube(game, rng) for game in games), (("Event", 'A "great" one'),))
    assert read_mat(write_mat(record)) == record


@examples
@given(st.integers(0, 2**32), st.integers(0, 200))
def test_a_game_that_is_not_over_is_recorded_as_far_as_it_went(seed, most):
    plays = random_plays(seed, most)
    game = record_plays(plays)
    assert [x for t in game.turns for x in (t.dice, t.move)][1:] == plays[: len(plays) // 2 * 2][1:]
    record = Record(("Ann", "Bob"), 0, (game,))
    assert read_mat(write_mat(record)) == record


def test_replaying_shows_each_state_in_which_a_turn_was_taken():
    plays = random_plays(7)
    game = record_plays(plays)
    state = np.zeros(STATE_SIZE, np.int64)
    start(GAME, state)
    for (before, turn_), dice, move in zip(replay(game), plays[::2], plays[1::2], strict=True):
        play(GAME, state, dice)
        assert before.tolist() == state.tolist()
        assert turn_.move == move
        play(GAME, state, move)
    assert turn(GAME, state) == OVER
    assert game.winner == turn_.seat


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"turns": (Turn(0, 31, 12345, "8/5 6/5"),)}, "12345 is not a legal move of Ann with 31"),
        ({"turns": (Cube(0, "double", 2),)}, "Ann can't double before the opening roll"),
        ({"winner": None, "points": 0}, "its dice, texts, winner or points are not what its moves make of them"),
        ({"winner": 0}, "Bob has won, not Ann"),
        ({"points": 9}, "Bob can't win 9 points here"),
    ],
)
def test_a_record_that_breaks_the_rules_is_not_written(change, reason):
    game = dataclasses.replace(record_plays(random_plays(1)), **change)
    with pytest.raises(LudusError) as raised:
        write_mat(Record(("Ann", "Bob"), 0, (game,)))
    assert str(raised.value).startswith(f"game 1 of the record: {reason}")


@pytest.mark.parametrize("name", ["", " Ann", "A\nB", "A\tB"])
def test_names_that_a_file_can_not_hold_are_refused(name):
    with pytest.raises(LudusError, match="can't be a name"):
        Record((name, "Bob"), 0, ())


@pytest.mark.parametrize("tags", [(("Player 1", "x"),), (("a]", "x"),), (("a", "x\n"),), (("a", "x"), ("a", "y"))])
def test_tags_that_a_file_can_not_hold_are_refused(tags):
    with pytest.raises(LudusError, match=r"\.mat file"):
        Record(("Ann", "Bob"), 0, (), tags)
