"""Rulesheets with hidden information (GDL-II): what roles perceive, what a seat knows, and that it knows nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ludus
from ludus.cli.main import app
from ludus.contract.knowing import hides, known_to
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.games import interpret
from ludus.games.gdl.hidden import Hidden, Seen
from ludus.games.gdl.sheet import read_sheet
from ludus.search.solve import solve
from naive_gdl import Naive
from tabletop import talk

NAMES = ("montyhall", "kuhnpoker", "kriegtictactoe")


def interpreted(name: str) -> Any:
    text = gdl.read_text(gdl.shipped()[name])
    return interpret(read_sheet(text, name), name, "", text)


BOTH = [ludus.game(name) for name in NAMES] + [interpreted(name) for name in NAMES]
both_kinds = pytest.mark.parametrize("game", BOTH, ids=lambda g: f"{type(g.base).__name__} {g.facts.name}")


def walk(game: Any, seed: int) -> Iterator[tuple[np.ndarray, list[str]]]:
    """A random game: the states, and the moves made in each."""
    rng, state = random.Random(seed), game.first()
    while not game.terminal(state):
        joint = [rng.choice(sorted(moves)) for moves in game.legal(state)]
        yield state, joint
        state = game.advance(state, joint)


# --- percepts --------------------------------------------------------------------------------------------------------


def test_the_guest_sees_which_door_is_opened_and_not_where_the_car_is():
    game = ludus.game("montyhall")
    state = game.first()
    assert game.percepts(state, ["noop", "( hide 1 )"]) == [[], []]
    state = game.advance(game.advance(state, ["noop", "( hide 1 )"]), ["( choose 1 )", "noop"])
    assert game.percepts(state, ["noop", "( open 2 )"]) == [["( opened 2 )"], []]


def test_the_referee_says_whether_a_mark_was_set():
    game = ludus.game("kriegtictactoe")
    state = game.first()
    assert game.percepts(state, ["( mark 2 2 )", "noop"]) == [["( set 2 2 )"], ["your_turn"]]
    state = game.advance(state, ["( mark 2 2 )", "noop"])
    assert game.percepts(state, ["noop", "( mark 2 2 )"]) == [[], ["( taken 2 2 )"]]
    state = game.advance(state, ["noop", "( mark 2 2 )"])
    assert "( mark 2 2 )" not in game.legal(state)[1]
    assert len(game.legal(state)[1]) == 8


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_interpreted_games_perceive_the_same(name):
    compiled, slow = ludus.game(name), interpreted(name)
    for seed in range(5):
        other = slow.first()
        for state, joint in walk(compiled, seed):
            assert compiled.percepts(state, joint) == slow.percepts(other, joint)
            for seat in range(compiled.facts.seats):
                assert compiled.memory(state, seat) == slow.memory(other, seat)
            other = slow.advance(other, joint)


@both_kinds
def test_percepts_are_those_of_an_independent_prover(game):
    naive = Naive(game.source)
    for seed in range(5):
        state_there = naive.initial()
        for state, joint in walk(game, seed):
            assert [sorted(seen) for seen in game.percepts(state, joint)] == naive.percepts(state_there, joint)
            state_there = naive.next(state_there, joint)


@both_kinds
def test_a_seat_remembers_its_moves_and_percepts(game):
    memory: list[list[Seen]] = [[] for _ in game.seat_names]
    for state, joint in walk(game, 3):
        for seat, role in enumerate(game.seat_role.tolist()):
            assert game.memory(state, seat) == memory[seat]
            memory[seat].append(Seen(joint[role], tuple(game.percepts(state, joint)[role])))


@both_kinds
def test_the_contract_and_the_roles_come_to_the_same_states(game):
    for seed in range(4):
        position, steps = game.start(), list(walk(game, seed))
        for state, joint in steps:
            assert position.state.tolist() == state.tolist()
            made = int(state[int(game.sizes[0]) + 1])
            while not position.over and int(position.state[int(game.sizes[0]) + 1]) == made:
                role = game.roles.index("random") if position.kind == "chance" else int(game.seat_role[position.turn])
                position = position.play(joint[role])
        assert position.over


def test_a_role_may_stand_for_all_and_others_than_roles_see_nothing():
    sheet = """(role a) (role b) (init (step 1)) (legal a left) (legal a right) (legal b wait)
    (<= (sees ?r (did ?m)) (does a ?m)) (<= (sees nobody ?m) (does a ?m)) (<= (next (step 2)) (true (step 1)))
    (<= terminal (true (step 2))) (goal a 100) (goal b 0)"""
    for game in (gdl.load(sheet), interpret(read_sheet(sheet), "two", "", sheet)):
        assert game.percepts(game.first(), ["left", "wait"]) == [["( did left )"], ["( did left )"]]


def test_a_long_game_keeps_the_last_steps():
    steps = " ".join(f"(tick {i} {i + 1})" for i in range(300))
    sheet = f"""(role a) {steps} (init (at 0)) (legal a up) (legal a on) (<= (sees a (now ?n)) (true (at ?n)))
    (<= (next (at ?n)) (true (at ?m)) (tick ?m ?n)) (<= terminal (true (at 300))) (goal a 50)"""
    game = gdl.load(sheet)
    state = game.first()
    for _ in range(299):
        state = game.advance(state, ["up"])
    memory = game.memory(state, 0)
    assert len(memory) == 256
    assert memory[0].percepts == ("( now 43 )",)
    assert memory[-1].percepts == ("( now 298 )",)
    player = ludus.player("mcts(simulations=20)", game)
    assert player.choose(Position(game, state).seen_by(0), np.random.default_rng(1)) in (0, 1)


# --- what a seat knows -----------------------------------------------------------------------------------------------


@both_kinds
def test_states_that_a_seat_cannot_tell_apart_are_the_same_to_it(game):
    seen: dict[tuple[int, str], list[int]] = {}
    for seed in range(40):
        for state, _ in walk(game, seed):
            for seat, role in enumerate(game.seat_role.tolist()):
                if len(game.legal(state)[role]) > 1:
                    veiled = known_to(game, state, seat)
                    key = seat, f"{game.memory(state, seat)}"
                    assert seen.setdefault(key, veiled.tolist()) == veiled.tolist()
                    assert known_to(game, veiled, seat).tolist() == veiled.tolist()


@both_kinds
def test_what_a_seat_knows_shows_its_moves_and_nothing_else(game):
    for state, _ in walk(game, 1):
        for seat, role in enumerate(game.seat_role.tolist()):
            veiled = known_to(game, state, seat)
            assert game.fluents(veiled) == []
            assert game.legal(veiled)[role] == game.legal(state)[role]
            assert all(moves == [] for r, moves in enumerate(game.legal(veiled)) if r != role)
            assert game.memory(veiled, seat) == game.memory(state, seat)
            with pytest.raises(LudusError, match="not the whole state"):
                Position(game, veiled, seat).play(0)
            with pytest.raises(LudusError, match="not the whole state"):
                game.goals(veiled)


def test_a_board_tells_what_a_seat_knows():
    game = ludus.game("montyhall")
    position = game.start().play("hide 2").play("choose 1").play("open 3")
    told = str(position.seen_by(0))
    assert "choose 1" in told
    assert "sees opened 3" in told
    assert "car" not in told
    assert "car" not in position.seen_by(0)._repr_svg_()
    assert position.seen_by(0).text == "( sees guest ( noop ) ( ( choose 1 ) ) ( noop ( opened 3 ) ) )"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("( car 1 ) ( stage choose )", "what has each role of montyhall seen"),
        ("( car 1 ) ( stage choose ) ( sees guest noop )", "is no step"),
        ("( car 1 ) ( stage choose ) ( sees guest ( noop ( opened 9 ) ) )", "can't perceive ( opened 9 )"),
        ("( car 1 ) ( stage choose ) ( sees guest ( jump ) )", "not a legal move of guest"),
    ],
)
def test_a_position_must_say_what_was_seen(text, wrong):
    with pytest.raises(LudusError) as problem:
        ludus.game("montyhall").position(text)
    assert wrong in str(problem.value)


# --- who may look ----------------------------------------------------------------------------------------------------


class Spy:
    """Plays the first move, and remembers what it was shown."""

    def __init__(self) -> None:
        self.shown: list[Position] = []

    def choose(self, position: Position, rng: Any) -> int:
        self.shown.append(position)
        return int(position.moves()[0])


def test_the_arena_shows_players_what_they_know():
    game, spy = ludus.game("kuhnpoker"), Spy()
    ludus.arena(game, [spy, "random"], games=20)
    assert len(spy.shown) >= 20
    for position in spy.shown:
        assert game.veiled_for(position.state) == position.turn
        assert position.text.startswith(f"( sees {game.seat_names[position.turn]} ")


@pytest.mark.parametrize("name", ["td", "mcs", "nmcs", "alphabeta", "perfect"])
def test_players_that_would_cheat_are_refused(name):
    with pytest.raises(LudusError) as problem:
        ludus.player(name, ludus.game("kuhnpoker"))
    assert str(problem.value) == (
        f"player '{name}' looks at the whole state, and kuhnpoker hides some of it from each seat: it would cheat; "
        "players that go by what they know are random, mcts"
    )


def test_nothing_is_learned_or_solved_by_looking_at_whole_states(tmp_path):
    with pytest.raises(LudusError, match="methods learn from whole states, and kuhnpoker hides"):
        ludus.train("kuhnpoker", out=tmp_path / "run", games=10)
    with pytest.raises(LudusError, match="kuhnpoker hides some of its state"):
        solve(ludus.game("kuhnpoker"))


def test_a_sheet_is_checked_with_a_word_on_what_is_hidden():
    said = CliRunner().invoke(app, ["gdl", "check", "kuhnpoker"]).output
    assert "compiled" in said
    assert "information is hidden (sees, GDL-II)" in said
    assert "not used" not in said


def test_games_without_sees_hide_nothing():
    game = ludus.game("tictactoe")
    assert not hides(game)
    assert not isinstance(game, Hidden)
    state = game.first()
    assert known_to(game, state, 0).tolist() == state.tolist()


def test_a_person_at_the_table_is_told_what_the_seat_knows():
    said = talk("check", "call", game=ludus.game("kuhnpoker"), seed=1)
    assert said.index("1. noop; sees card king") < said.index("3. noop; sees did bob bet")
    during, _, end = said.partition("You play call.")
    assert "deal" not in during  # nobody says what chance did, and what the other has
    assert "jack" not in during
    assert "( holds bob jack )" in end


def test_the_page_leaves_games_with_secrets_to_others():
    from ludus.web.catalog import games
    from ludus.web.data import Ref
    from ludus.web.referee import game_of

    assert not {game["name"] for game in games()} & set(NAMES)
    with pytest.raises(LudusError, match="the page would show it"):
        game_of(Ref("kuhnpoker", None))
