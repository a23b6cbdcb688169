"""Matches in text: XGIDs, Position and Match IDs, `.mat` files with all games of a match, boards, and what of them is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.telling import Score, news_of, score_of
from ludus.contract.touching import places_of, turn_of
from ludus.errors import LudusError
from ludus.games.backgammon.mat import Cube, read_mat
from ludus.games.backgammon.match import (
    ACCEPT,
    CUBE,
    DOUBLE,
    EQUAL,
    OWNER,
    PHASE,
    PLAYING,
    REJECT,
    RESIGN,
    ROLL,
    ROLLING,
    SCORE,
)
from ludus.games.backgammon.match_ids import gnubg_id, match_id
from ludus.kernel import JIT
from ludus.play import saved
from ludus.play.table import Table
from tabletop import play_to_the_end, talk, terminal

MATCH = ludus.game("backgammon(match=7)")
MONEY = ludus.game("backgammon(cube=true,beavers=2)")
BEGUN = "XGID=-b----E-C---eE---c-e----B-"
START = "4HPwATDgc/ABMA"  # the Position ID of the same
examples = settings(deadline=None, max_examples=40 if JIT else 4)


def random_plays(game, seed, most=10_000, resign=0.003):
    """All rolls and moves of a random match, or the first of them, and the positions after each."""
    rng, position = random.Random(seed), game.start()
    plays, positions = [], [position]
    while not position.over and len(plays) < most:
        offers = [move for move in game.unlisted(position.state) if rng.random() < resign]
        if position.kind == "chance" and not offers:
            outcomes, odds = zip(*position.chances(), strict=True)
            move = int(rng.choices(outcomes, odds)[0])
        else:
            legal = [int(move) for move in position.moves()]
            rolls = legal[:2] == [ROLL, DOUBLE] and rng.random() < 0.9
            move = rng.choice(offers) if offers else ROLL if rolls else rng.choice(legal)
        plays.append(move)
        position = position.play(move)
        positions.append(position)
    return plays, positions


# --- positions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "xgid", "key"),
    [  # the Match IDs as GNU Backgammon 1.07 prints them
        ("backgammon(match=7)", f"{BEGUN}:0:0:1:00:0:0:0:7:10", "cAngAAAAAAAE"),
        ("backgammon(match=7)", f"{BEGUN}:0:0:1:65:0:0:0:7:10", "cAn3AAAAAAAE"),
        ("backgammon(match=7)", f"{BEGUN}:0:0:1:D:0:0:0:7:10", "cBHgAAAAAAAE"),
        ("backgammon(match=7)", f"{BEGUN}:1:-1:1:00:0:0:0:7:10", "QQngAAAAAAAE"),
        ("backgammon(match=7)", f"{BEGUN}:1:1:1:00:2:3:0:7:10", "UQngADAAEAAE"),
        ("backgammon(match=7)", f"{BEGUN}:0:0:-1:00:6:3:1:7:10", "sAHgADAAMAAE"),
        ("backgammon(match=7)", f"{BEGUN}:0:0:1:63:3:6:1:7:10", "8AnvAGAAGAAE"),
        ("backgammon(match=7)", f"{BEGUN}:0:0:1:63:3:6:1:7:10:X-resigns-2", "8EHvAGAAGAAE"),
        ("backgammon(match=5)", f"{BEGUN}:1:1:1:53:0:0:0:5:10", "UYmuAAAAAAAE"),
        ("backgammon(cube=true,jacoby=true,beavers=2)", f"{BEGUN}:0:0:1:00:0:0:3:0:10", "cAkAAAAAAAAA"),
        ("backgammon(cube=true,jacoby=true,beavers=2)", f"{BEGUN}:1:-1:1:B:0:0:3:0:10", "QRkAAAAAAAAA"),
        ("backgammon(cube=true,jacoby=true,beavers=2)", f"{BEGUN}:2:-1:1:R:0:0:3:0:10", "QhEAAAAAAAAA"),
        ("backgammon(cube=true)", f"{BEGUN}:0:0:-1:21:0:0:0:0:10", "MAEFAAAAAAAE"),
    ],
)
def test_ids_are_those_of_gnu_backgammon(game, xgid, key):
    position = ludus.game(game).position(xgid)
    code = match_id(position.game, position.state)
    assert position.text == xgid
    assert code == key
    assert position.game.position(f"{START}:{key}") == position


@examples
@given(
    st.sampled_from(
        ["backgammon(match=1)", "backgammon(match=5)", "backgammon(cube=true,jacoby=true,beavers=2,automatic=1)"]
    ),
    st.integers(0, 10_000),
)
def test_both_ids_hold_the_whole_position(name, seed):
    game = ludus.game(name)
    for position in random_plays(game, seed)[1]:
        state = position.state
        assert np.array_equal(game.read_state(game.state_text(state)), state)
        told = state.copy()
        told[PHASE] = PLAYING if state[PHASE] == ROLLING else state[PHASE]  # of which a Match ID knows nothing
        assert np.array_equal(game.read_state(gnubg_id(game, state)), told)


def test_ids_that_leave_something_out():
    assert MATCH.position(START).text == f"{BEGUN}:0:0:1:00:0:0:0:7:10"
    assert MATCH.position(f"{BEGUN}:0:0:1:31").text == f"{BEGUN}:0:0:1:31:0:0:0:7:10"
    assert MATCH.position(f"{BEGUN}:1:1:1:31:2:3").text == f"{BEGUN}:1:1:1:31:2:3:0:7:10"
    # The score of a session is no part of its games, and its rules are those of the game's name.
    assert MONEY.position(f"{BEGUN}:1:1:1:31:12:3:1:0:10").text == f"{BEGUN}:1:1:1:31:0:0:2:0:10"


def test_a_game_that_is_won_on_the_board_is_counted():
    bare = "XGID=-----------b--------------"
    next_game = MATCH.position(f"{bare}:1:1:-1:00:2:3:0:7:10")
    assert next_game.text == f"{BEGUN}:0:0:0:00:4:3:0:7:10"
    assert MATCH.position(f"{bare}:2:1:-1:00:5:3:0:7:10").over
    assert MONEY.position(f"{bare}:2:1:-1:00:0:0:0:0:10").scores() == [4, -4]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{BEGUN}:0:0:1:00:8:3:0:7:10", "score 8-3 is beyond the match, which goes to 7"),
        (f"{BEGUN}:0:0:1:00:7:7:0:7:10", "only one seat can have won"),
        (f"{BEGUN}:0:0:1:00:0:0:0:5:10", r"this is a match to 5, not a match to 7; its game is backgammon\(match=5\)"),
        (
            f"{BEGUN}:0:0:1:00:0:0:0:0:10",
            r"this is a game for money, not a match to 7; its game is backgammon\(cube=true\)",
        ),
        (f"{BEGUN}:0:0:1:00:5:3:1:7:10", "at 5-3 of 7 there is no Crawford game"),
        (f"{BEGUN}:0:0:1:00:6:6:1:7:10", "at 6-6 of 7 there is no Crawford game"),
        (f"{BEGUN}:1:1:1:00:6:3:1:7:10", "Crawford game, in which nobody may double"),
        (f"{BEGUN}:0:0:1:D:3:6:1:7:10", "Crawford game, in which nobody may double"),
        (f"{BEGUN}:0:0:1:D:6:3:0:7:10", "the cube is dead for X"),
        (f"{BEGUN}:1:-1:1:D:0:0:0:7:10", "the cube is O's"),
        (f"{BEGUN}:0:0:0:D:0:0:0:7:10", "before the opening roll"),
        (f"{BEGUN}:0:1:1:00:0:0:0:7:10", "the cube shows 1, and so is nobody's"),
        (f"{BEGUN}:2:0:1:00:0:0:0:7:10", "the cube shows 4, and so has an owner"),
        (f"{BEGUN}:11:1:1:00:0:0:0:7:10", "it may be 0 to 10"),
        (f"{BEGUN}:1:2:1:00:0:0:0:7:10", "owner '2' of the cube"),
        (f"{BEGUN}:x:0:1:00:0:0:0:7:10", "cube 'x'"),
        (f"{BEGUN}:0:0:1:00:-1:0:0:7:10", "score '-1'"),
        (f"{BEGUN}:1:-1:1:B:0:0:0:7:10", "beavers are for money"),
        (f"{BEGUN}:0:0:1:00:0:0:0:7:10:X-resigns-4", "field 11"),
        (f"{BEGUN}:0:0:1:00:0:0:0:7:10:over", "over, in field 11"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10:roll", "before the roll"),
        (f"{BEGUN}:0:0:0:00:0:0:0:7:10:O-resigns-1", "before the opening roll"),
        (f"{BEGUN}:0:0:1:31:7:3:0:7:10", "the game is over"),
        ("XGID=-A----------b-------------:0:0:1:21:0:0:0:7:10:X-resigns-2", "can't lose a gammon any more"),
        (f"{START}:cAmgAAAAAAAE", "this is a match to 5"),
        (f"{START}:cBHg", "a Match ID has 12 characters"),
        (f"{START}:YAngAAAAAAAE", "the owner of the cube is none of the players"),
        (f"{START}:fAngAAAAAAAE", "the cube shows 4096"),
    ],
)
def test_positions_that_can_not_be_are_refused_with_the_rule(text, reason):
    with pytest.raises(LudusError, match=reason):
        MATCH.position(text)


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        ("backgammon(cube=true)", f"{BEGUN}:1:-1:1:B:0:0:2:0:10", "this game has no beavers"),
        ("backgammon(cube=true,beavers=1)", f"{BEGUN}:2:-1:1:R:0:0:2:0:10", "this game has no raccoons"),
        ("backgammon(cube=true,beavers=1)", f"{BEGUN}:1:1:1:B:0:0:2:0:10", "who beavers owns the cube"),
        ("backgammon(cube=true)", f"{BEGUN}:1:0:1:00:0:0:0:0:10", "the cube shows 2, and so has an owner"),
        ("backgammon(cube=true)", f"{BEGUN}:0:0:1:00:0:0:0:0:10:over", "over, in field 11"),
        ("backgammon(cube=true)", f"{BEGUN}:0:0:1:00:1:1:0:0:10:over", "one seat wins a game"),
        ("backgammon(cube=true,jacoby=true)", f"{BEGUN}:0:0:1:00:0:0:1:0:10:X-resigns-3", "Jacoby's rule"),
        ("backgammon(match=3,crawford=false)", f"{BEGUN}:0:0:1:00:2:0:1:3:10", "without the Crawford rule"),
    ],
)
def test_positions_that_a_game_does_not_have(game, text, reason):
    with pytest.raises(LudusError, match=reason):
        ludus.game(game).position(text)


@examples
@given(st.integers(0, 1000), st.data())
def test_damaged_ids_are_refused_or_stand_for_a_position(seed, data):
    plays, positions = random_plays(MATCH, seed, most=40)
    assert plays
    state = positions[-1].state
    text = data.draw(st.sampled_from([MATCH.state_text(state), gnubg_id(MATCH, state)]))
    at = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from("0123456789ABDRXabc:-+/= é"))
    try:
        found = MATCH.position(text[:at] + sign + text[at + 1 :])
    except LudusError:
        return
    assert MATCH.position(found.text) == found


# --- files -----------------------------------------------------------------------------------------------------------

SAMPLE = """\
; [Player 1 "Ann"]
; [Player 2 "Bob"]

 3 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                 52: 13/11 13/8
  2)  Doubles => 2                Takes
  3) 61: 13/7 8/7                64: ????
      Wins 2 points

 Game 2
 Ann : 2                        Bob : 0
  1)                             21: 13/11 6/5
  2) 43: 24/20* 13/10            66: Cannot Move
      Wins 1 point and the match
"""
THREE = ludus.game("backgammon(match=3)")


def test_a_file_is_a_whole_match():
    names, plays, remarks = THREE.read_game("a.mat", SAMPLE)
    assert (list(names), remarks) == (["Ann", "Bob"], [])
    position, texts = THREE.start(), []
    for move in plays:
        texts.append(THREE.move_text(position.state, move))
        position = position.play(move)
    assert texts[:9] == ["31", "8/5 6/5", "roll", "52", "13/11 13/8", "double", "take", "61", "13/7 8/7"]
    assert texts[9:13] == ["roll", "64", "O resigns a single game", "accept"]
    assert texts[13:15] == ["12", "13/11 6/5"]  # the first digit is Ann's die
    assert texts.count("roll") == 2  # nobody may double in the Crawford game
    assert texts[-2:] == ["O resigns a single game", "accept"]
    assert position.over
    assert position.scores() == [1, -1]
    again = THREE.write_game("b.mat", names, plays)
    assert read_mat(again).games == read_mat(SAMPLE).games


def without_rejections(plays):
    """Plays without the offers to resign that were rejected, which a file has no place for."""
    kept = []
    for move in plays:
        if move == REJECT:
            kept.pop()
        else:
            kept.append(move)
    return kept


@examples
@given(
    st.sampled_from(
        [
            "backgammon(match=1)",
            "backgammon(match=4)",
            "backgammon(match=7,crawford=false)",
            "backgammon(cube=true,beavers=2)",
        ]
    ),
    st.integers(0, 10_000),
)
def test_matches_come_back_from_their_files(name, seed):
    game = ludus.game(name)
    plays, positions = random_plays(game, seed)
    text = game.write_game("a.mat", ("Ann", "Bob"), plays)
    names, back, _ = game.read_game("a.mat", text)
    assert list(names) == ["Ann", "Bob"]
    position = game.start()
    for move in back:
        position = position.play(move)
    end = positions[-1].state
    assert position.state[SCORE : SCORE + 2].tolist() == end[SCORE : SCORE + 2].tolist()
    # A file does not say whether who resigned had decided to roll.
    wanted = [move for move in without_rejections(plays) if move != ROLL]
    assert [move for move in back if move != ROLL] == wanted
    assert game.write_game("a.mat", names, back) == text


@examples
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_unfinished_matches_come_back_too(seed, most):
    plays, _ = random_plays(MATCH, seed, most=most, resign=0)
    text = MATCH.write_game("a.mat", ("Ann", "Bob"), plays)
    if not read_mat(text).games:
        return
    back = MATCH.read_game("a.mat", text)[1]
    assert back == plays[: len(back)]
    assert len(plays) - len(back) <= 2  # a roll that is not yet played, and what was decided before it


def test_money_games_with_beavers_in_files():
    plays, position = [], MONEY.start()
    for text in ("31", "8/5 6/5", "double", "beaver", "raccoon", "take", "64", "24/14", "double", "pass"):
        plays.append(MONEY.read_move(position.state, text))
        position = position.play(text)
    text = MONEY.write_game("a.mat", ("Ann", "Bob"), plays)
    assert "Doubles => 2" in text
    assert "Beavers => 4" in text
    assert "Beavers => 8" in text
    assert [t.action for t in read_mat(text).games[0].turns if isinstance(t, Cube)] == [
        "double",
        "beaver",
        "beaver",
        "take",
        "double",
        "drop",
    ]
    assert MONEY.read_game("a.mat", text)[1] == plays
    assert position.scores() == [8, -8]
    assert MONEY.read_game("a.mat", text.replace("Beavers => 8", "Raccoons => 8"))[1] == plays


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (" 3 point match", " 5 point match", r"a match to 5: play it as backgammon\(match=5\)"),
        (" 3 point match", " 0 point match", r"games for money: play them as backgammon\(cube=true\)"),
        ("Ann : 2    ", "Ann : 1    ", "game 2: it begins at 1-0, but the games before it make 2-0"),
        ("  2) 43: 24/20* 13/10 ", "  2)  Doubles => 2 ", "game 2: 'double': this is the Crawford game"),
        ("      Wins 2 points\n", "", "game 2: the game before it has no end"),
        (
            "Wins 2 points",
            "Wins 3 points",
            "game 1: X wins 3 points, which is no game, gammon or backgammon with the cube at 2",
        ),
        ("Wins 2 points", "Wins 4 points", "game 2: the match is over before it"),
    ],
)
def test_files_that_break_the_rules_are_refused(old, new, reason):
    assert old in SAMPLE
    text = SAMPLE.replace(old, new)
    if "Doubles" in new:
        text = text.replace("66: Cannot Move", "Takes").replace("      Wins 1 point and the match\n", "")
    if "4 points" in new:
        text = text.replace("Ann : 2", "Ann : 3")
    with pytest.raises(LudusError, match=f"a.mat.*{reason}" if "game" in reason else reason):
        THREE.read_game("a.mat", text)


def test_what_files_have_no_place_for():
    with pytest.raises(LudusError, match="one match, which is played as a whole: there is no match 2"):
        THREE.read_game("a.mat", SAMPLE, 2)
    game = ludus.game("backgammon(cube=true,automatic=1)")
    with pytest.raises(LudusError, match="no place for automatic doubles"):
        game.write_game("a.mat", ("Ann", "Bob"), [EQUAL, 31])
    assert ludus.game("backgammon(match=3,bearoff=2)").formats == ()
    money = SAMPLE.replace(" 3 point", " 0 point")
    assert MONEY.read_game("a.mat", money, 2)[2] == ["This is game 2 of 2 in the file."]
    assert MONEY.read_game("a.mat", money, 1)[1][0] == 31
    with pytest.raises(LudusError, match="2 games: there is no game 3"):
        MONEY.read_game("a.mat", money, 3)


@pytest.mark.parametrize("ending", ["json", "mat"])
def test_tables_save_and_load_matches(tmp_path, ending):
    table = Table(THREE, 1, (), ("Ann", "Bob"))
    plays, _ = random_plays(THREE, 5, resign=0.01)
    for move in without_rejections(plays):
        table.take([move])
    path = tmp_path / f"match.{ending}"
    saved.save(table, path)
    loaded = saved.load(THREE, path, None, 1)
    assert loaded.position == table.position
    if ending == "json":
        assert [step.moves for step in loaded.steps] == [step.moves for step in table.steps]


# --- boards ----------------------------------------------------------------------------------------------------------


def test_the_board_shows_cube_and_score():
    board = str(MATCH.position(f"{BEGUN}:1:-1:1:31:2:3:0:7:10"))
    assert "points 2 of 7" in board
    assert "points 3 of 7" in board
    assert "cube 2, O's" in board
    assert "X to move: 3-1" in board
    assert max(map(len, board.splitlines())) <= 72
    small = MATCH.board_for(MATCH.position(f"{BEGUN}:1:-1:1:31:2:3:0:7:10").state, False, 40)
    assert small.splitlines()[-1] == "cube 2, O's, O points 3 of 7, X points 2 of 7"
    crawford = MATCH.position(f"{BEGUN}:0:0:1:00:6:3:1:7:10")
    assert "Crawford game" in str(crawford)
    assert "cube" not in str(crawford)
    assert 'data-place="cube"' not in crawford._repr_svg_()
    assert "Crawford game." in crawford._repr_svg_()
    assert "points" not in str(MONEY.start())
    assert "cube 1\n" in str(MONEY.start())


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        (MATCH, f"{BEGUN}:0:0:0:00:0:0:0:7:10", "Opening roll"),
        (MATCH, f"{BEGUN}:0:0:1:00:0:0:0:7:10", "X to roll or double"),
        (MATCH, f"{BEGUN}:0:0:1:00:0:0:0:7:10:roll", "X rolls"),
        (MATCH, f"{BEGUN}:0:0:-1:D:0:0:0:7:10", "O doubles to 2"),
        (MATCH, f"{BEGUN}:1:1:-1:00:0:0:0:7:10", "O to roll"),
        (MATCH, f"{BEGUN}:0:0:-1:31:0:0:0:7:10:O-resigns-2", "O resigns a gammon"),
        (MATCH, f"{BEGUN}:0:0:-1:00:7:5:0:7:10", "X wins the match 7-5"),
        (MONEY, f"{BEGUN}:1:-1:1:B:0:0:2:0:10", "O beavers to 4"),
        (MONEY, f"{BEGUN}:2:-1:1:R:0:0:2:0:10", "X raccoons to 8"),
        (MONEY, f"{BEGUN}:1:-1:1:00:0:2:2:0:10:over", "O wins 2 points"),
    ],
)
def test_what_goes_on_in_words(game, text, words):
    position = game.position(text)
    assert game.status_text(position.state) == words
    assert words in str(position)
    svg = game.board_svg(position.state, 1)
    assert "<title id=" in svg
    assert words in svg
    assert f'data-place="cube" data-kind="{position.state[CUBE]}"' in svg
    assert ("of 7</text>" in svg) == bool(game.match)


def test_the_board_looks_different_after_every_decision_about_the_cube():
    asked = 0
    for position in random_plays(MONEY, 3)[1]:
        legal = position.moves()
        if legal and int(legal[0]) >= ROLL:
            asked += 1
            assert len({str(position.play(int(move))) for move in legal}) == len(legal)
    assert asked > 3


# --- people ----------------------------------------------------------------------------------------------------------


def test_a_match_in_the_terminal():
    said = talk("help", "double", "resign gammon", game=THREE)
    assert "resign gammon, resign backgammon, accept, reject" in said
    assert "one doubles before the roll, and the dice are rolled" in said
    assert "You play X resigns a gammon." in said
    assert "random (O): accept" in said or "random (O): reject" in said
    assert "points 0 of 3" in said
    assert "cube 1" in said


def test_a_whole_match_in_the_terminal():
    at_table = terminal(THREE)
    play_to_the_end(at_table)
    result = at_table.table.result()
    assert "the match 3-" in result
    assert max(at_table.table.position.state[SCORE : SCORE + 2]) == 3


def test_checkers_are_touched_as_without_the_cube():
    position = MATCH.start().play("31")
    turn = turn_of(MATCH, position.state, 0, ["8/5"])
    assert [touch.move for touch in turn.touches if touch.source == "p6"] == ["8/5 6/5"]
    assert len(turn.state) == MATCH.facts.state_size
    assert MATCH.board_svg(turn.state)
    assert places_of(MATCH, position.state, MATCH.read_move(position.state, "8/5 6/5")) == ["p8", "p6", "p5"]


def test_the_cube_and_the_dice_are_touched_and_answers_are_buttons():
    asked = MATCH.start().play("31").play("8/5 6/5")
    made = [(touch.target, touch.move, touch.button, touch.key) for touch in turn_of(MATCH, asked.state, 1).touches]
    assert made == [("dice", "roll", "Roll", "r"), ("cube", "double", "Double to 2", "d")]
    assert turn_of(MATCH, asked.state, 0).touches == (), "it is not X's turn"
    assert turn_of(MATCH, asked.state, 1, ["double"]).move == "double"
    assert places_of(MATCH, asked.state, DOUBLE) == ["cube"]
    doubled = asked.play("double")
    assert [touch.button for touch in turn_of(MATCH, doubled.state, 0).touches] == ["Take at 2", "Pass"]
    offered = asked.play("resign")
    assert [touch.button for touch in turn_of(MATCH, offered.state, 0).touches] == ["Accept", "Reject"]
    assert turn_of(MATCH, offered.state, 1).touches == ()
    assert places_of(MATCH, offered.state, ACCEPT) == places_of(MATCH, asked.state, RESIGN) == []
    with pytest.raises(LudusError, match="possible are: accept, reject"):
        turn_of(MATCH, offered.state, 0, ["8/5"])


def test_what_is_told_of_a_match():
    asked = MATCH.start().play("31").play("8/5 6/5")
    assert score_of(MATCH, asked.state) == Score("Match to 7 points", (0, 0), ("Cube at 1, in the middle",))
    resigned = (
        asked.play("double")
        .play("take")
        .play("21")
        .play("13/11 6/5")
        .play("double")
        .play("take")
        .play("X resigns a gammon")
    )
    told = news_of(MATCH, resigned.state, ACCEPT)
    assert told == "", "8 points win the match, and that is its result"
    told = news_of(MATCH, asked.play("O resigns a backgammon").state, ACCEPT)
    assert told == "O resigned: X wins a backgammon, 3 points. The score is X 3, O 0."
    assert news_of(MATCH, asked.state, DOUBLE) == ""
    plain = ludus.game("backgammon")
    assert (score_of(plain, plain.start().state), news_of(plain, plain.start().state, 31)) == (None, "")


def test_the_last_checker_of_a_game_can_be_touched():
    position = MATCH.position("XGID=-A---------o--------------:0:0:1:21:0:0:0:7:10")
    turn = turn_of(MATCH, position.state, 0, ["1/off"])
    assert turn.move == "1/off"
    assert position.play(turn.move).state[SCORE] == 2
    assert position.play(turn.move).state[OWNER] == -1


def test_matches_in_the_arena():
    count = 100 if JIT else 6
    rows = ludus.arena("backgammon(match=3)", ["random", "random"], games=count, seed=1).rows
    assert [row.games for row in rows] == [count, count]
    assert sum(row.wins for row in rows) == count
    assert ludus.arena("backgammon(match=3)", ["random", "random"], games=count, seed=1, jobs=1).rows == rows
