"""Games of rulesheets against the naive interpreter: every sheet that ships, and random ones; what people see of them; files."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import ludus
from gdl_small import COINS, STUCK, sheets
from gdl_together import TooManyError, agree, moments, play_together
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.games import game_name, gdl
from ludus.games.gdl import datalog
from ludus.games.gdl.games import interpret
from ludus.games.gdl.grounding import Limits, ground
from ludus.games.gdl.lanes import NONE, lane_playouts
from ludus.games.gdl.sheet import read_sheet
from ludus.kernel import stream
from naive_gdl import Naive

NAMES = list(gdl.shipped())
LARGE = {"gomoku15", "reversi", "hex10", "hex11", "hex9", "hex8", "breakthrough", "checkers"}
# Without shrinking, which would call the grounder hundreds of times.
few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])


def interpreted(text: str, name: str = "game", origin: str = "") -> Any:
    return interpret(read_sheet(text, name), name, origin, text)


@cache
def naive(name: str) -> Naive:
    return Naive(gdl.shipped()[name].read_text())


# --- the same as the naive interpreter -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_shipped_sheets_are_played_as_they_are_written(name):
    game = ludus.game(name)
    assert type(getattr(game, "base", game)).__name__ == "Gdl"  # within, where information is hidden
    for seed in range(1 if name in LARGE else 3):
        play_together(game, naive(name), seed, 12 if name in LARGE else 70)


@pytest.mark.parametrize("name", sorted({*NAMES} - LARGE | {"gomoku15"}))
def test_shipped_sheets_are_interpreted_as_they_are_written(name):
    play_together(interpreted(gdl.shipped()[name].read_text(), name), naive(name), 5, 3 if name == "gomoku15" else 10)


@few
@given(sheets(), st.integers(0, 99))
def test_random_sheets_are_played_as_they_are_written(text, seed):
    known = Naive(text)
    for game in (gdl.load(text), interpreted(text)):
        for more in range(3):
            play_together(game, known, seed + more)


@settings(few, max_examples=12)
@given(sheets(steps=2), st.sampled_from([1, 4]))
def test_lanes_score_random_sheets_as_they_must(text, words):
    known = Naive(text)
    try:
        exact = moments(known, known.initial(), most=600)
    except TooManyError:
        assume(False)
    game, count = gdl.load(text), 2_000
    total = np.zeros(game.facts.seats)
    lane_playouts(game, game.first(), stream(7), count, total, (NONE,) * words)
    for found, (mean, variance) in zip(total / count, exact, strict=True):
        assert abs(found - mean) <= 5.5 * (variance / count) ** 0.5 + 1e-9


FRAME = "(role a) (init (p 1)) (legal a (m 1)) (legal a (m 2)) (legal a (m 3)) (init (t 0)) (tick 0 1) (tick 1 2) (tick 2 3) (num 1) (num 2) (num 3)" \
    "(<= (next (t ?y)) (true (t ?x)) (tick ?x ?y)) (<= (next (p ?x)) (does a (m ?x))) (<= (next (p ?x)) (true (p ?x)))" \
    "(<= terminal (true (t 3))) (<= (goal a 100) good) (<= (goal a 0) (not good))"  # fmt: skip


@pytest.mark.parametrize(
    "rules",
    [
        # Rules that are taken apart: a chain, a star, conditions of their own, negation of what a part gives values to.
        "(<= good (true (p ?a)) (tick ?a ?b) (tick ?b ?c) (true (p ?c)))",
        "(<= good (true (p ?a)) (true (p ?b)) (true (p ?c)) (distinct ?a ?b) (distinct ?b ?c) (distinct ?a ?c))",
        "(<= (pair ?a ?d) (true (p ?a)) (tick ?b ?c) (not (true (p ?b))) (true (p ?d)) (tick ?c ?e) (distinct ?e ?d)) (<= good (pair 1 2))",
        "(<= good (true (p ?a)) (tick ?a ?b) (not (true (p ?b))) (tick ?c ?d) (true (p ?c)) (true (t ?t)) (distinct ?t ?d))",
        # Terms within terms.
        "(<= (w (f ?a (g ?b))) (true (p ?a)) (num ?b)) (<= (x ?g) (w (f 2 ?g))) (<= good (x (g 3)) (w (f ?a ?g)) (distinct ?a 2))",
        # Names that could be mistaken for those of the machinery.
        "(* 2 3) (<= (*0 ?x ?y) (* ?x ?y) (true (p ?x)) (tick ?a ?b) (true (p ?b))) (<= good (*0 2 3)) (t 1) (d a b) (s0 x) (<= (r1 ?x) (t ?x)) (not* 1)",
    ],
)  # fmt: skip
def test_rules_mean_the_same_when_taken_apart(rules):
    text = FRAME + rules
    known = Naive(text)
    for game in (gdl.load(text), interpreted(text)):
        for seed in range(6):
            play_together(game, known, seed)


@pytest.mark.parametrize(
    ("macros", "plain"),
    [
        ("(<= (other ?x ?y) (distinct ?x ?y)) (<= good (true (p ?a)) (true (p ?b)) (other ?a ?b))", "(<= good (true (p ?a)) (true (p ?b)) (distinct ?a ?b))"),
        ("(same ?x ?x) (<= good (true (p ?a)) (true (p ?b)) (not (same ?a ?b)))", "(<= good (true (p ?a)) (true (p ?b)) (distinct ?a ?b))"),
        ("(<= (free ?x) (not (true (p ?x)))) (<= good (num ?x) (num ?y) (free ?x) (not (free ?y)) (tick ?y ?x))", "(<= good (tick ?y ?x) (true (p ?y)) (not (true (p ?x))))"),
        ("(<= (m ?x) (not (true (p ?x)))) (m 1) (<= good (num ?x) (not (m ?x)))", "(<= good (true (p ?x)) (distinct ?x 1))"),
    ],
)  # fmt: skip
def test_relations_for_all_terms_mean_what_they_say(macros, plain):
    known = Naive(FRAME + plain)
    for game in (gdl.load(FRAME + macros), interpreted(FRAME + macros)):
        for seed in range(6):
            play_together(game, known, seed)


def test_rules_are_not_taken_apart_where_that_makes_them_wider():
    # Five stones on a diagonal: each step along one of two runs, apart from the other run, would leave more rows than both together have.
    text, _ = ground(read_sheet(gdl.shipped()["gomoku"].read_text()), Limits(gdl.SECONDS, gdl.MEMORY))
    assert text.count(b"\n1 ") < 10_000


def test_a_rule_with_very_many_conditions_is_interpreted():
    # More loops within each other than Python allows in one function.
    count = 40
    body = " ".join(f"(true (c{i} ?v{i}))" for i in range(count))
    start = " ".join(f"(init (c{i} {i % 3}))" for i in range(count))
    text = f"""(role a) {start} (legal a go) (<= (next (all {" ".join(f"?v{i}" for i in range(count))})) {body})
        (<= terminal (not (true (c0 0)))) (goal a 100)"""
    play_together(interpreted(text), Naive(text), 1, 1)


# --- turns and chance ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tictactoe", "connectfour"])
def test_games_with_turns_look_like_games_with_turns(name):
    position, rng = ludus.game(name).start(), stream(3)
    seats = []
    while not position.over:
        assert position.kind == "decision"
        seats.append(position.turn)
        moves = position.moves()
        assert "noop" not in map(str, moves)
        position = position.play(moves[int(rng[0]) % len(moves)])
    assert seats == [i % 2 for i in range(len(seats))]


def test_who_has_just_one_move_keeps_the_turn():
    # The last stone of tic-tac-toe is a forced move, but it is the move of the one who places it.
    position = ludus.game("tictactoe").start()
    for cell in ("1 1", "1 2", "1 3", "2 2", "2 1", "2 3", "3 2", "3 1"):
        position = position.play(f"( mark {cell} )")
    assert (position.turn, [str(m) for m in position.moves()]) == (0, ["( mark 3 3 )"])
    assert position.play("mark 3 3").scores() == [0.5, 0.5]


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_moves_wait_for_chance(make):
    game = make(COINS, "coins")
    position = game.start().play(["( call heads )", "( call tails )"])
    assert position.kind == "chance"
    assert position.text == "( round 1 ) ( does a ( call heads ) ) ( does b ( call tails ) )"
    assert game.position(position.text) == position
    assert game.fixed(position.state) == [("a", "( call heads )"), ("b", "( call tails )")]
    assert game.legal(position.state) == game.legal(game.first())
    one = position.play("toss heads")
    assert one.text == "( right a 1 ) ( round 2 )" or sorted(game.fluents(one.state)) == [
        "( right a 1 )",
        "( round 2 )",
    ]
    waiting = one.play("call tails")
    assert game.fixed(waiting.state) == [("a", "( call tails )")]  # b could only wait
    assert game.position(waiting.text) == waiting


@pytest.mark.parametrize("make", [gdl.load, interpreted])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the position is empty: write ( ) for one in which nothing holds"),
        ("(round 1) (does c wait)", "names no role; roles are a, random, b"),
        ("(round 1) (does a wait)", "'wait' is not a legal move of a"),
        ("(round 1) (does a (call heads))", "the move of b is to be fixed too"),
        ("(round 1) (does random (toss heads))", "the move of random can't be fixed"),
        ("(round 4) (does a wait)", "moves are fixed only while chance has still to choose"),
        ("(round ?x)", "( round ?x ) has a variable in it"),
        ("(round 1", "'(' is never closed"),
    ],
)
def test_positions_that_cannot_be(make, text, message):
    with pytest.raises(LudusError, match=re.escape(message)):
        make(COINS, "coins").read_state(text)


def test_moves_are_fixed_only_where_there_is_chance():
    with pytest.raises(LudusError, match="only while chance has still to choose"):
        ludus.game("tictactoe").read_state(ludus.game("tictactoe").start().text + " (does xplayer (mark 1 1))")


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_a_state_in_which_nothing_holds_has_a_text(make):
    game = make("(role a) (legal a x) (legal a y) (<= (next on) (does a x)) (<= terminal (true on)) (goal a 7)")
    assert game.start().text == "( )"
    assert game.position("( )") == game.start()
    assert game.start().play("x").scores() == [0.07]


@pytest.mark.parametrize("make", [gdl.load, interpreted])
@pytest.mark.parametrize("texts", [[], ["go"], ["go", "go", "go"], ["left", "left"], ["nonsense", "go"], ["(", "go"]])
def test_moves_for_all_roles_must_be_legal(make, texts):
    game = make(STUCK)
    with pytest.raises(LudusError, match=r"a move for each of the 2 roles|not a legal move of"):
        game.advance(game.first(), texts)
    assert game.fluents(game.advance(game.first(), ["LEFT", "(Go)"])) == ["stuck"]


# --- games that end in odd ways --------------------------------------------------------------------------------------

ODD = {
    "over at the start": ("(role a) (init x) (legal a go) (<= terminal (true x)) (goal a 30)", [30]),
    "nobody can move": ("(role a) (role b) (init x) (<= (legal a go) (true y)) (<= terminal (true y)) (goal a 40)", [40, 0]),
    "one cannot move": ("(role a) (role b) (init x) (legal a go) (legal a on) (<= terminal (true y)) (goal b 60)", [0, 60]),
    "no goal": ("(role a) (init x) (legal a go) (<= terminal (true x)) (<= (goal a 30) (true y))", [0]),
    "several goals": ("(role a) (init x) (legal a go) (<= terminal (true x)) (goal a 30) (goal a 90) (goal a 9)", [90]),
    "nothing at all": ("(role a) (<= (legal a go) (true x)) (<= terminal (true x)) (<= (goal a 1) (true x))", [0]),
}  # fmt: skip


@pytest.mark.parametrize("make", [gdl.load, interpreted])
@pytest.mark.parametrize("name", ODD)
def test_games_that_end_before_they_begin(make, name):
    text, goals = ODD[name]
    game = make(text)
    position = game.start()
    assert position.over
    assert game.goals(position.state) == goals
    assert position.scores() == [g / 100 for g in goals]
    agree(game, Naive(text), position.state, frozenset(game.fluents(position.state)))
    total = np.zeros(len(goals))
    rules.playouts(game, position.state.copy(), stream(1), 70, rules.sizes_of(game), total)
    assert (total / 70).tolist() == pytest.approx([g / 100 for g in goals])


def test_goals_beyond_the_range_that_are_never_reached_do_no_harm():
    text = """(role a) (init (n 90)) (after 90 100) (after 100 110) (legal a go) (<= (next (n ?y)) (true (n ?x)) (after ?x ?y))
        (<= terminal (true (n 100))) (<= (goal a ?x) (true (n ?x)))"""
    for game in (gdl.load(text), interpreted(text)):
        assert game.start().play("go").scores() == [1.0]


# --- what Python sees ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_equal_games(make):
    game, same = make(COINS, "coins"), make("; once more\n" + COINS.replace("\n", "\n  "), "other")
    different = make(COINS.replace("75", "76"), "coins")
    assert game == same
    assert (game != same) is False
    assert hash(game) == hash(same)
    assert game != different
    assert (game == different) is False
    assert len({game, same, different}) == 2
    assert game != COINS
    assert repr(game) in ("Gdl(coins)", "Interpreted(coins)")
    assert gdl.load(COINS) != interpreted(COINS)
    # Their states mean the same, whatever was played in between.
    state = game.advance(game.first(), ["( call heads )", "( toss heads )", "( call heads )"])
    make("; again\n" + COINS, "third")
    assert same.fluents(state) == game.fluents(state)
    assert game.state_text(state) == same.state_text(state)


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_games_can_be_pickled_and_copied(make):
    game = make(COINS, "coins")
    for twin in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
        assert twin == game
        assert twin.facts == game.facts
        assert twin.start().text == game.start().text
        assert twin.source == COINS


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_games_go_to_other_processes(make, tmp_path):
    game = make(COINS, "coins")
    (tmp_path / "game").write_bytes(pickle.dumps(game))
    program = (
        "import pickle, sys; game = pickle.load(open(sys.argv[1], 'rb')); position = game.start()"
        ".play(['call heads', 'call heads']).play('toss heads'); print(position.text, game.legal(position.state))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "game")], capture_output=True, text=True, check=True
    )
    position = game.start().play(["call heads", "call heads"]).play("toss heads")
    assert found.stdout.strip() == f"{position.text} {game.legal(position.state)}"


class Last:
    """A player in Python: its last legal move."""

    def choose(self, position: Position, rng: Any) -> int:
        return position.moves()[-1]


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_the_arena_plays_on_two_cores(make):
    game = make(COINS, "coins")
    one, two = (ludus.arena(game, ["random", "random"], games=40, seed=3, jobs=jobs) for jobs in (1, 2))
    assert [row.wins for row in one.rows] == [row.wins for row in two.rows]
    assert [row.points_per_game for row in one.rows] == [row.points_per_game for row in two.rows]
    result = ludus.arena(game, [Last(), "random"], games=4, seed=3)
    assert sum(row.games for row in result.rows) == 8


def test_an_interpreted_state_may_be_asked_again_and_again():
    # What may be done does not depend on the state here: the state must not be lost when a move is tried.
    text = """(role a) (init (p 1)) (legal a stay) (legal a go) (<= (next (p 1)) (does a stay) (true (p 1))) (<= (next (q 1)) (does a go) (true (p 1)))
        (<= terminal (true (q 1))) (goal a 100)"""
    game = interpreted(text)
    state = game.first()
    for _ in range(3):
        game._referee().looks.clear()
        for _ in range(3):
            assert game.fluents(game.advance(state, ["go"])) == ["( q 1 )"]
            assert game.fluents(game.advance(state, ["stay"])) == ["( p 1 )"]


def test_an_interpreted_state_is_not_spoilt_by_an_interruption(monkeypatch):
    game = interpreted(COINS, "coins")
    moves = ["( call heads )", "( toss heads )", "( call tails )"]
    wanted = sorted(game.fluents(game.advance(game.first(), moves)))
    game._referee().looks.clear()
    state = game.first()
    with monkeypatch.context() as patch:
        patch.setattr(datalog, "SECONDS", -1.0)
        with pytest.raises(LudusError, match="take more than"):
            game.advance(state, moves)
    assert sorted(game.fluents(game.advance(state, moves))) == wanted


@pytest.mark.parametrize("name", ["tictactoe", "checkers", "pig", "maze", "trio", "rockpaperscissors"])
def test_boards_are_well_formed(name):
    for make in (gdl.load, interpreted):
        game = make(gdl.shipped()[name].read_text(), name)
        state, _ = play_together(game, naive(name), 1, 3)
        assert ET.fromstring(game.board_svg(state)).tag.endswith("svg")
        text = game.board_text(state)
        assert text.strip()
        assert max(map(len, text.splitlines())) <= 130


def test_a_board_shows_what_stands_where():
    position = ludus.game("tictactoe").start().play("mark 1 3").play("mark 2 2")
    lines = str(position).splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["3", "xplayer", ".", "."],
        ["2", ".", "oplayer", "."],
        ["1", ".", ".", "."],
        ["1", "2", "3"],
    ]
    assert "control xplayer" in lines[4]


def test_names_are_escaped_in_pictures():
    text = """(role <&>) (init (cell 1 1 "<b>")) (init (cell 2 2 <)) (init &amp) (legal <&> go)
        (<= (next x) (does <&> go)) (<= terminal (true x)) (goal <&> 100)"""
    game = gdl.load(text)
    shown = [node.text for node in ET.fromstring(game.board_svg(game.first())).iter() if node.text]
    assert {'"<b>"', "<", "&amp"} <= set(shown)


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_sheet_of_a_file(tmp_path):
    path = tmp_path / "coins.kif"
    path.write_text(COINS)
    game = ludus.game(str(path))
    assert game == gdl.load(COINS)
    assert game.facts.name == "coins"
    assert game_name(game) == str(path)
    assert ludus.game(f"{path}(seconds=5,memory=500)") == game
    path.write_bytes(
        b"\xef\xbb\xbf" + COINS.replace("75", "76").encode()
    )  # another version, with a mark of its encoding
    assert ludus.game(str(path)) == gdl.load(COINS.replace("75", "76"))


def test_paths_that_are_none(tmp_path):
    (tmp_path / "folder.kif").mkdir()
    (tmp_path / "binary.kif").write_bytes(bytes(range(256)))
    (tmp_path / "zeros.kif").write_bytes(bytes(1000))
    (tmp_path / "empty.kif").write_text("")
    with (tmp_path / "long.kif").open("wb") as file:
        file.truncate(40_000_000_000)
    for name, message in {
        "nowhere.kif": "there is no rulesheet",
        "folder.kif": "is a folder: give a file",
        "binary.kif": "is not text",
        "zeros.kif": "zeros, line 1: character 0 is none of a text",
        "empty.kif": "empty does not say what 'role' is",
        "long.kif": "is too large: it may hold at most 32 MB",
        "x" * 5000 + ".kif": "there is no rulesheet",
        "a\0b.kif": "can't read",
    }.items():
        with pytest.raises(LudusError, match=message):
            ludus.game(str(tmp_path / name))


@pytest.mark.parametrize("arguments", ["seconds=0", "memory=100", "seconds=-1", "seconds=x", "colour=red"])
def test_limits_that_are_none(arguments):
    with pytest.raises(LudusError):
        ludus.game(f"tictactoe({arguments})")
