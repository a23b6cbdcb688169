"""Circuits: smaller, and still what the rules say. Conditions that are known anyway are left out, but only those; closures go on by single steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ludus
from gdl_together import play_together
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.games import interpret
from ludus.games.gdl.lanes import REGISTERS
from ludus.games.gdl.sheet import read_sheet
from ludus.kernel import join_words, kernel
from naive_gdl import Naive

# A token goes round, and whoever has it may keep it or hand it on.
TOKEN = """(role a) (role b) (other a b) (other b a) (init (holds a)) (init (time 0)) (tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4)
    (<= (legal ?p keep) (true (holds ?p))) (<= (legal ?p give) (true (holds ?p)))
    (<= (legal ?q wait) (true (holds ?p)) (other ?p ?q))
    (<= (next (time ?n)) (true (time ?t)) (tick ?t ?n)) (<= terminal (true (time 4)))
    (<= (goal ?p 100) (true (holds ?p))) (<= (goal ?p 0) (role ?p) (not (true (holds ?p))))"""
HANDED = "(<= (next (holds ?p)) (does ?p keep)) (<= (next (holds ?q)) (does ?p give) (other ?p ?q))"
HANDED_AT_LENGTH = """(<= (next (holds ?p)) (does ?p keep) (true (holds ?p)) (other ?p ?q) (does ?q wait) (not (true (holds ?q))))
    (<= (next (holds ?q)) (does ?p give) (other ?p ?q) (does ?q wait) (not (does ?p keep)) (not (true (holds ?q))) (true (holds ?p)))"""
# Both may get it at once, although only one has it at first.
HANDED_TWICE = HANDED + "(<= (next (holds ?p)) (does ?p give) (true (time 1)))"


def gates(text: str) -> int:
    return len(gdl.load(text).left)


def test_conditions_that_are_known_anyway_cost_next_to_nothing():
    # Only the holder has more than one move, one player holds the token, and each makes one move.
    assert gates(TOKEN + HANDED_AT_LENGTH) <= gates(TOKEN + HANDED) + 1


@pytest.mark.parametrize("rules", [HANDED, HANDED_AT_LENGTH, HANDED_TWICE])
def test_what_is_left_out_changes_nothing(rules):
    game, known = gdl.load(TOKEN + rules), Naive(TOKEN + rules)
    for seed in range(20):
        play_together(game, known, seed)


def test_a_set_that_does_not_stay_exclusive_is_not_taken_for_one():
    either = "(<= both (true (holds a)) (true (holds b))) (<= (goal a 50) both)"
    game = gdl.load(TOKEN + HANDED_TWICE + either)
    state = game.advance(game.advance(game.first(), ["keep", "wait"]), ["give", "wait"])
    assert {"( holds a )", "( holds b )"} < set(game.fluents(state))
    assert game.ending(state).goals[0] == [50, 100]


def test_positions_in_which_a_game_never_is_are_refused():
    game = ludus.game("tictactoe")
    with pytest.raises(
        LudusError, match=r"\( cell 2 2 oplayer \) and \( cell 2 2 xplayer \) can never hold together in tictactoe"
    ):
        game.position(board_with("xplayer", "oplayer"))
    assert len(game.position(board_with("xplayer")).moves()) == 8


def board_with(*marks: str) -> str:
    start = ludus.game("tictactoe").start().text
    return f"{start} " + " ".join(f"( cell 2 2 {mark} )" for mark in marks)


# --- closures --------------------------------------------------------------------------------------------------------

WAYS = """(role a) (init (time 0)) (tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5)
    (near 1 2) (near 2 3) (near 3 4) (near 4 5) (near 5 6) (near 6 1) (near 2 5)
    (<= (legal a (build ?x ?y)) (near ?x ?y))
    (<= (next (way ?x ?y)) (true (way ?x ?y))) (<= (next (way ?x ?y)) (does a (build ?x ?y)))
    (<= (next (time ?n)) (true (time ?t)) (tick ?t ?n)) (<= terminal (true (time 5)))
    (<= (joined ?x ?y) (true (way ?x ?y)))"""
GOALS = "(<= (goal a 100) (joined 1 4)) (<= (goal a 0) (not (joined 1 4)))"
CLOSURES = {
    "written for all pairs": "(<= (joined ?x ?z) (joined ?x ?y) (joined ?y ?z))",
    "in the other order": "(<= (joined ?x ?z) (joined ?y ?z) (joined ?x ?y))",
    "by single steps": "(<= (joined ?x ?z) (joined ?x ?y) (true (way ?y ?z)))",
    "no closure: a step is asked for beside": "(<= (joined ?x ?z) (joined ?x ?y) (joined ?y ?z) (near ?x ?y))",
    "no closure: backwards": "(<= (joined ?z ?x) (joined ?x ?y) (joined ?y ?z))",
    "no closure: two rules": "(<= (joined ?x ?z) (joined ?x ?y) (joined ?y ?z)) (<= (joined ?y ?x) (joined ?x ?y))",
}


def interpreted(text: str) -> Any:
    return interpret(read_sheet(text), "ways", "", text)


@pytest.mark.parametrize("closure", CLOSURES.values(), ids=CLOSURES)
def test_closures_mean_what_is_written(closure):
    text = WAYS + GOALS + closure
    known = Naive(text)
    for game in (gdl.load(text), interpreted(text)):
        for seed in range(12):
            play_together(game, known, seed)


@pytest.mark.parametrize("far", ["(<= far (joined 1 4))", "(<= far (near 1 ?x) (joined ?x 4))"])
def test_a_closure_needs_only_what_is_reached_from_the_place_that_is_asked_for(far):
    goals = f"{far} (<= (goal a 100) far) (<= (goal a 0) (not far))"
    game = gdl.load(WAYS + goals + CLOSURES["written for all pairs"])
    assert game.sizes[REGISTERS] <= 6  # and not all 36 pairs


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_the_circuits_of_the_shipped_sheets_stay_small():
    # Before there was any simplification: 51,514 gates in all.
    shipped = {name: ludus.game(name) for name in gdl.shipped()}
    sizes = {
        name: len(getattr(game, "base", game).left) for name, game in shipped.items()
    }  # what hides lies around another
    later = ("blocks", "fifteenpuzzle", "kriegtictactoe", "kuhnpoker", "montyhall", "pegs")  # came after that count
    assert sum(size for name, size in sizes.items() if name not in later) < 41_500
    assert sizes["shannon"] < 400  # a closure
    assert sizes["pig"] < 1_400  # common conditions
    assert sizes["gomoku15"] < 5_300  # shared pairs
    assert sizes["maze"] < 220  # exclusive sets


# --- gates -----------------------------------------------------------------------------------------------------------


@kernel
def _join_all(values: Any, literals: Any, base: int, lanes: Any) -> None:
    for g in range(len(literals)):
        join_words(values, base + g, literals[g, 0], literals[g, 1], lanes)


@pytest.mark.parametrize("words", [1, 4, 8])
def test_gates_join_all_their_words(words):
    rng = np.random.default_rng(words)
    sources, count = 10, 50
    literals = np.array([[rng.integers(2 * (sources + g)) for _ in range(2)] for g in range(count)], np.int32)
    values = rng.integers(-(2**62), 2**62, ((sources + count), words))
    expected = values.copy()
    for g, (a, b) in enumerate(literals.tolist()):
        expected[sources + g] = (expected[a >> 1] ^ -(a & 1)) & (expected[b >> 1] ^ -(b & 1))
    flat = values.reshape(-1)
    _join_all(flat, literals, sources, (np.int64(0),) * words)
    assert (flat.reshape(values.shape) == expected).all()


# --- moves by their texts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [gdl.load, interpreted])
def test_moves_are_found_by_their_texts_for_each_role(make):
    text = """(role a) (role b) (init on) (<= (legal a (take 1)) (true on)) (<= (legal a wait) (true on)) (<= (legal b wait) (true on))
        (<= (legal b (take 2)) (true off)) (<= (next (got ?r ?n)) (does ?r (take ?n))) (<= terminal (not (true on))) (<= (goal ?r 50) (role ?r))"""
    game = make(text)
    assert game.fluents(game.advance(game.first(), ["(take  1)", "wait"])) == ["( got a 1 )"]
    for moves, message in (
        (["wait", "( take 2 )"], r"'\( take 2 \)' is not a legal move of b; legal are: wait"),
        (["( take 2 )", "wait"], r"'\( take 2 \)' is not a legal move of a; legal are: \( take 1 \), wait"),
        (["))", "wait"], "is not a legal move of a"),
        (["wait"], "give a move for each of the 2 roles, not 1"),
    ):
        with pytest.raises(LudusError, match=message):
            game.advance(game.first(), moves)


def test_many_roles_and_many_moves_are_no_burden():
    roles = "".join(f"(role r{i})" for i in range(2_000))
    game = gdl.load(
        f"{roles} (init on) (<= (legal ?r wait) (role ?r)) (<= (next off) (true on)) (<= terminal (true off)) (goal r0 100)"
    )
    assert game.fluents(game.advance(game.first(), ["wait"] * 2_000)) == ["off"]
    numbers = "".join(f"(n {i})" for i in range(20_000))
    game = gdl.load(
        f"(role a) {numbers} (<= (legal a (say ?x)) (n ?x)) (<= (next (said 7)) (does a (say 7))) (<= terminal (true (said 7))) (goal a 100)"
    )
    assert game.terminal(game.advance(game.first(), ["( say 7 )"]))
    assert not game.terminal(game.advance(game.first(), ["( say 19999 )"]))
