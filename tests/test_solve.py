"""The solver: published values, plain recursion, what is known of nim, Quoridor and king and rook, what it refuses, and the player that goes by it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.cli.main import main
from ludus.contract import rules
from ludus.contract.clock import clock_of
from ludus.contract.playing import choose
from ludus.contract.rules import OVER
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.kernel import JIT, stream
from ludus.matches import arena
from ludus.players.base import ask
from ludus.search import solve as search
from ludus.search.graph import graph_of
from ludus.search.solve import solve
from plain_solver import all_states, first_state, plainly, ways
from roaming import roaming
from solved_quoridor import Solved
from toys import Nim, Pennies, Race


@pytest.mark.parametrize(
    ("name", "positions", "value", "known"),
    [
        ("tictactoe", 5_478, (0.5, 0.5), {"safe": 0.977798, "exploiter": 0.979915, "wins": 0.966708}),
        ("hex3", 5_514, (1.0, 0.0), {"safe": 0.988889, "exploiter": 0.988889, "wins": 0.988889}),
        ("connectfour4x4", 161_029, (0.5, 0.5), {"safe": 0.973538, "exploiter": 0.978337}),
    ],
)
def test_known_values(name: str, positions: int, value: tuple[float, float], known: dict[str, float]) -> None:
    found = solve(ludus.game(name))
    assert (found.positions, found.value) == (positions, value)
    for kind, number in known.items():
        assert found.mean(kind) == pytest.approx(number, abs=5e-7)
    assert found.mean("random") == pytest.approx(0.5)


def assert_as_plain(game: Any) -> None:
    """The solver says what plain recursion says, and `perfect` moves by it, in every state of the game."""
    found, known = solve(game), [plainly(game, seat) for seat in (0, 1)]
    for seat in (0, 1):
        for kind, number in known[seat](first_state(game)).items():
            assert getattr(found, kind)[seat] == pytest.approx(float(number), abs=1e-12), kind
    perfect, rng = ludus.player("perfect", game), stream(1)
    for state in all_states(game):
        now = np.array(state, np.int64)
        mover = rules.turn(game, now)
        chosen = choose(perfect, game, now, mover, rng)
        after = {move: known[mover](there) for move, _, there in ways(game, state)}
        here = known[mover](state)
        assert (after[chosen]["value"], after[chosen]["safe"]) == (here["value"], here["safe"])
        assert now.tolist() == list(state)


@pytest.mark.parametrize("heaps", [(1, 1, 0), (2, 1, 0), (1, 2, 3), (2, 2, 2)])
def test_nim_by_plain_recursion(heaps: tuple[int, int, int]) -> None:
    assert_as_plain(Nim(heaps))
    lost = np.bitwise_xor.reduce(heaps) == 0
    assert solve(Nim(heaps)).value == ((-1, 1) if lost else (1, -1))


@settings(max_examples=200 if JIT else 20, deadline=None)
@given(seed=st.integers(0, 2**32), limit=st.integers(0, 9))
def test_games_made_at_random_with_chance_and_returns(seed: int, limit: int) -> None:
    assert_as_plain(roaming(seed, limit))


@pytest.mark.parametrize(
    "name", ["quoridor(size=3,walls=0)", "quoridor(size=3,walls=1,limit=4)", "backgammon(bearoff=1)"]
)
def test_real_games_by_plain_recursion(name: str) -> None:
    assert_as_plain(ludus.game(name))


def test_random_players_score_what_the_solver_says() -> None:
    found = solve(ludus.game("connectfour4x4"))
    row = arena("connectfour4x4", ["random", "random"], 20_000, seed=1).rows[0]
    assert row.by_seat == pytest.approx(found.random, abs=0.02)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("tictactoe4", "too large: it has more than 2,000 positions"),
        ("pig", "too large"),
        ("rockpaperscissors", "both seats move at once"),
        ("maze", "has 1 seat"),
        ("trio", "has 3 seats"),
        (Race(), "4 seats"),
        (Pennies(), "both seats move at once"),
    ],
    ids=str,
)
def test_refusals(game: Any, words: str) -> None:
    with pytest.raises(LudusError, match=words):
        solve(ludus.game(game) if isinstance(game, str) else game, limit=2_000)


# --- games that come back to a position ------------------------------------------------------------------------------

TUG = """
(role a) (role b)
(init (at 1)) (init (control a)) (init (step 0))
(<= (legal ?r (go left)) (true (control ?r)))
(<= (legal ?r (go right)) (true (control ?r)))
(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does ?r (go right)))
(<= (next (at ?y)) (true (at ?x)) (succ ?y ?x) (does ?r (go left)))
(<= terminal (true (at 0))) (<= terminal (true (at 3)))
(<= (goal a 100) (true (at 3))) (<= (goal b 0) (true (at 3)))
(<= (goal a 0) (not (true (at 3)))) (<= (goal b 100) (not (true (at 3))))
"""
COUNTING = "(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))"


def tug(*more: str) -> Any:
    """A tug of war: a pulls to the right, b to the left, and nobody need ever win."""
    return gdl.load("\n".join([TUG, *more]), name="tug")


def test_games_that_can_go_on_for_ever_are_refused() -> None:
    with pytest.raises(LudusError, match="come back to a position"):
        solve(tug())


@pytest.mark.parametrize(
    ("rules", "limit"),
    [
        ((COUNTING, "(<= terminal (true (step 5)))"), 5),
        ((COUNTING, "(<= terminal (true (step 6)) (true (at 1)))", "(<= terminal (true (step 5)))"), 5),
        # Not every game is over when this count has come to 4, so that it is no clock, but a part of the position.
        ((COUNTING, "(<= terminal (true (step 5)))", "(<= terminal (true (step 4)) (true (at 1)))"), 0),
        # Neither is one that decides about moves, nor one that moves decide about.
        ((COUNTING, "(<= terminal (true (step 5)))", "(<= (legal a wait) (true (control a)) (true (step 2)))"), 0),
        (("(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y) (does ?r ?m))", "(<= terminal (true (step 5)))"), 0),
    ],
    ids=["a clock", "what comes too late", "not always the end", "decides about moves", "asks for moves"],
)
def test_a_count_of_steps_is_a_clock_only_if_it_does_nothing_else(rules: tuple[str, ...], limit: int) -> None:
    game = tug(*rules)
    assert solve(game).plies == limit
    assert_as_plain(game)


@pytest.mark.parametrize(
    "name",
    [
        "quoridor(size=3,walls=1)",
        "quoridor(size=3,walls=2)",
        "quoridor(size=4,walls=1)",
        "quoridor(size=3,columns=4,walls=1)",
    ],
)
def test_quoridor_solved_otherwise(name: str) -> None:
    game = ludus.game(name)
    first = Solved(game).value(game.start().state)
    assert first != 0  # who wins without a limit wins in time
    assert solve(game).value == (first, -first)


@pytest.mark.long
def test_king_and_rook_mate_in_sixteen_moves_at_most() -> None:
    """As is known since the first endgame tables; here by what the graph leads to, without the solver's own judgement."""
    game = ludus.game("kingrook")
    _, graph = graph_of(game, clock_of(game), rules.sizes_of(game), 1_000_000)
    nodes = int(graph.used[0])
    whose, ended = graph.mover[:nodes], graph.mover[:nodes] == OVER
    moving = np.flatnonzero(~ended)
    moving = moving[np.argsort(graph.first[moving])]
    to = -1 - graph.way[: int(graph.used[1])]
    won = ended & (graph.score[:nodes, 0] == 1)
    found = [int(won.sum())]  # how many are won in 0, 1, 2, … plies
    while True:
        after = won[to]
        here = won.copy()
        some = np.logical_or.reduceat(after, graph.first[moving])
        every = np.logical_and.reduceat(after, graph.first[moving])
        here[moving] |= np.where(whose[moving] == 0, some, every)
        if (here == won).all():
            break
        found.append(int((here & ~won).sum()))
        won = here
    assert found[0] == 216  # mates on the board
    assert len(found) - 1 == 2 * 16  # black moves, and white mates with the sixteenth move from then on
    assert won[whose == 0].all()
    assert solve(game).value == (1, 0)


def test_pig_is_what_it_was_in_the_arena() -> None:
    found = solve(ludus.game("pig"))
    assert found.plies == 100
    assert sum(found.value) == pytest.approx(1)
    row = arena("pig", ["random", "random"], 20_000, seed=1).rows[0]
    assert row.by_seat == pytest.approx(found.random, abs=0.02)


# --- the player ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lost"),  # what a lost game counts; a game that is won counts 1
    [
        ("tictactoe", 0),
        ("hex3", 0),
        ("nim", 0),
        ("quoridor(size=3,walls=1)", -1),
        ("pig", 0),
        ("backgammon(bearoff=2)", -1),
    ],
)
def test_perfect_scores_what_the_solver_says(name: str, lost: int) -> None:
    found, games = solve(ludus.game(name)), 4_000
    row = arena(name, ["perfect", "random"], games, seed=1).rows[0]
    assert row.points_per_game == pytest.approx(found.mean("safe"), abs=4 * row.points_se + 4 / games)
    won = arena(name, ["perfect", "perfect"], games, seed=2).rows[0].by_seat
    chance = ludus.game(name).facts.max_chances > 0
    expected = [(value - lost) / (1 - lost) for value in found.value]
    assert won == pytest.approx(expected, abs=4 * 0.5 / (games / 2) ** 0.5 if chance else 1e-9)


def test_perfect_refuses_what_can_not_be_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_POSITIONS", 2_000)
    with pytest.raises(LudusError, match=r"nobody plays tictactoe4 perfectly here: .* more than 2,000 positions"):
        ludus.player("perfect", ludus.game("tictactoe4"))
    with pytest.raises(LudusError, match=r"nobody plays rockpaperscissors perfectly here: .* at once"):
        ludus.player("perfect", ludus.game("rockpaperscissors"))


def test_perfect_moves_at_random_where_no_game_comes_to() -> None:
    game = ludus.game("tictactoe")
    perfect = ludus.player("perfect", game)
    odd = game.position(game.start().text.replace("xplayer", "oplayer"))
    drawn = {int(ask(perfect, odd, stream(seed))) for seed in range(200)}
    assert drawn == set(map(int, odd.moves()))


def test_a_game_is_solved_once_for_many_players() -> None:
    game = ludus.game("tictactoe")
    assert ludus.player("perfect", game).book is ludus.player("perfect", ludus.game("tictactoe")).book


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["solve", "tictactoe", "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["positions"] == 5_478
    assert shown["safe"]["mean"] == pytest.approx(0.977798, abs=5e-7)
    assert shown["value"]["seats"] == [0.5, 0.5]
    assert shown["plies"] is None
    with pytest.raises(SystemExit):
        main(["solve", "quoridor(size=3,walls=1)"])
    assert "quoridor(size=3,walls=1): 2,856 positions, at most 36 plies" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["solve", "hex9", "--limit", "100"])
    assert ended.value.code == 2
