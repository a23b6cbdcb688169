"""Alpha-beta search: the value of minimax, whatever is cut; deeper within its time; and kind to who asks wrongly."""

from __future__ import annotations

import pickle
import threading
import time
from typing import Any, NamedTuple

import numpy as np
import pytest

import ludus
from ludus.bench.searching import whole
from ludus.contract.playing import assess
from ludus.errors import LudusError
from ludus.kernel import JIT, implements, stream
from ludus.nets.network import new_network
from ludus.players.alphabeta import AlphaBeta, make_alphabeta
from ludus.search.leaves import network_leaf
from ludus.search.minimax import run
from ludus.search.minimax_space import BEST, BEST_MOVE, begin, go_on_from, won_at
from toys import Nim

SMALL = ludus.game("quoridor(size=3,walls=1)")


def minimax(game: Any, view: Any, position: Any, depth: int, ply: int = 0) -> float:
    """What a position is worth to seat 0, by its definition."""
    low, high = game.facts.score_range
    if position.over:
        one, two = position.scores()
        return (one - two) / (high - low) * won_at(ply)
    if depth == 0:
        return assess(view, game, position.state.copy()) / (high - low)
    values = [minimax(game, view, position.play(move), depth - 1, ply + 1) for move in position.moves()]
    return max(values) if position.turn == 0 else min(values)


def somewhere(game: Any, plies: int, seed: int) -> Any:
    """A position after some random moves."""
    rng, position = np.random.default_rng(seed), game.start()
    for _ in range(plies):
        after = position.play(rng.choice([int(m) for m in position.moves()]))
        if after.over:
            break
        position = after
    return position


def exact(game: Any, view: Any, depth: int) -> AlphaBeta:
    return AlphaBeta(game, view, 1.0, depth, 0, "exact")


@pytest.mark.parametrize("seed", range(6 if JIT else 1))
@pytest.mark.parametrize("depth", [1, 2, 3, 4] if JIT else [2])
def test_the_value_is_that_of_minimax(depth: int, seed: int) -> None:
    position, view = somewhere(SMALL, seed, seed), SMALL.view()
    player = exact(SMALL, view, depth)
    chosen = player.choose(position, stream(1))
    sign = 1 if position.turn == 0 else -1
    want = minimax(SMALL, view, position, depth)
    # A win is found as soon as the depth allows; deeper searches need not be made.
    assert sign * player.value == pytest.approx(want, abs=1e-9)
    assert minimax(SMALL, view, position.play(chosen), depth - 1, 1) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("seed", range(6 if JIT else 1))
@pytest.mark.parametrize("depth", [2, 3, 4] if JIT else [2])
def test_it_is_that_of_minimax_too_where_no_move_is_far_off_and_none_is_reduced(depth: int, seed: int) -> None:
    """As it is played otherwise: the table's move before the others are judged, narrow windows, killers, the last ply at once."""
    position, view = somewhere(SMALL, seed, seed), SMALL.view()
    player = AlphaBeta(SMALL, view, 1.0, depth, SMALL.facts.max_moves, "whole")
    player._options = whole(player._options)._replace(repetition=0)
    sign, ws = 1 if position.turn == 0 else -1, player.workspace
    for plies in range(1, depth + 1):  # the table knows of the searches before
        begin(ws, SMALL, position.state.copy(), plies, -9.0, 9.0)
        assert run(ws, SMALL, view, player._options, 10**9)
        assert sign * ws.bounds[0, BEST] == pytest.approx(minimax(SMALL, view, position, plies), abs=1e-9)


def test_a_network_judges_as_well() -> None:
    encoding = SMALL.encodings()["side"]
    net = new_network(*encoding.shape(SMALL)[:2], 8, 1, seed=3)
    view = network_leaf(SMALL, encoding, net)
    player = exact(SMALL, view, 2)
    position = somewhere(SMALL, 2, 1)
    player.choose(position, stream(1))
    assert player.value == pytest.approx(minimax(SMALL, view, position, 2), abs=1e-5)


@pytest.mark.parametrize("name", ["quoridor(size=3,columns=4,walls=1)", "quoridor(size=4,columns=3,walls=1)"])
def test_on_a_rectangle_the_value_is_that_of_minimax_too(name: str) -> None:
    """With the difference of the ways, and with a network that sees what a move changes."""
    game = ludus.game(name)
    encoding = game.encodings()["side"]
    net = new_network(*encoding.shape(game)[:2], 8, 1, seed=3)
    for view, depth, off in ((game.view(), 3 if JIT else 2, 1e-9), (network_leaf(game, encoding, net), 2, 1e-5)):
        player = exact(game, view, depth)
        for seed in range(3 if JIT else 1):
            position = somewhere(game, seed, seed)
            sign = 1 if position.turn == 0 else -1
            player.choose(position, stream(1))
            assert sign * player.value == pytest.approx(minimax(game, view, position, depth), abs=off)


class Blank(NamedTuple):
    """A view that can't tell positions apart."""

    kind: int = 0


@implements(assess, Blank)
def _(view: Any, game: Any, state: Any) -> float:
    return 0.0


def test_nim_is_played_perfectly_without_any_knowledge() -> None:
    game = Nim(heaps=(2, 3, 1))
    player = AlphaBeta(game, Blank(), 1.0, 7, 0, "blank")
    for seed in range(4):
        position = somewhere(game, seed % 3, seed)
        won = minimax(game, Blank(), position, 7) > 0
        chosen = player.choose(position, stream(1))
        assert (minimax(game, Blank(), position.play(chosen), 6, 1) > 0) == won


def test_a_won_race_is_won_and_not_put_off() -> None:
    # Without walls the pawns meet in the middle, and it is the second one that gets to jump.
    game = ludus.game("quoridor(walls=0)")
    player = make_alphabeta(game, None, seconds=0.02)
    position = game.start()
    plies = 0
    while not position.over:
        position = position.play(player.choose(position, stream(1)))
        plies += 1
    assert position.scores() == [-1.0, 1.0]
    assert plies <= 20


def test_time_and_the_word_to_stop_are_kept() -> None:
    game = ludus.game("quoridor")
    player = make_alphabeta(game, None, seconds=0.05)
    player.prepare()
    position = game.start()
    assert player.think(position, 0.05, None, stream(1)) in position.moves()
    assert player.reached >= 1
    stop = threading.Event()
    stop.set()
    begun = time.perf_counter()
    assert player.think(position, 600.0, stop, stream(1)) in position.moves()
    assert time.perf_counter() - begun < 300  # it does not think on


def test_a_search_to_a_depth_is_the_same_whatever_was_played_before() -> None:
    game = ludus.game("quoridor(size=5,walls=2)")
    fresh, used = (make_alphabeta(game, None, depth=3) for _ in range(2))
    position = somewhere(game, 4, 1)
    for seed in range(3):
        used.choose(somewhere(game, seed, seed + 9), stream(1))
    assert used.choose(position, stream(1)) == fresh.choose(position, stream(2))
    again = pickle.loads(pickle.dumps(used))  # as workers get it
    assert again.choose(position, stream(1)) == fresh.choose(position, stream(2))


def test_hints_begin_with_the_move_that_would_be_played() -> None:
    game = ludus.game("quoridor(size=5,walls=2)")
    player = ludus.player("alphabeta(depth=2)", game)
    position = game.start()
    ranked = player.rank(position, stream(1))
    assert ranked[0][0] == player.choose(position, stream(1))
    assert {int(m) for m, _ in ranked} == {int(m) for m in position.moves()}


@pytest.mark.parametrize(
    ("game", "name", "complaint"),
    [
        ("backgammon", "alphabeta", "without chance"),
        ("quoridor(seats=4)", "alphabeta", "two seats"),
        ("tictactoe", "alphabeta", "name a network"),
        ("quoridor", "alphabeta(seconds=1,depth=3)", "not both"),
        ("quoridor", "alphabeta(depth=0)", "from 1 to"),
        ("quoridor", "alphabeta(depth=99)", "at most 64"),
        ("quoridor", "alphabeta(width=-1)", "a whole number from 0"),
        ("quoridor", "alphabeta:nowhere", "nowhere"),
        ("quoridor", "td(seconds=1,plies=1)", "give one of them"),
        ("quoridor", "td(threads=2)", "give seconds, too"),
        ("quoridor", "alphabeta(depth=3,threads=2)", "threads and ponder are for seconds"),
        ("quoridor", "td(seconds=1,threads=0)", "a number of cores is"),
    ],
)
def test_what_can_not_be_is_said(game: str, name: str, complaint: str) -> None:
    with pytest.raises(LudusError, match=complaint):
        ludus.player(name, ludus.game(game))


@pytest.mark.parametrize("name", ["alphabeta(depth=3)", "alphabeta(seconds=0.01)"])
def test_no_move_that_ranks_lower_shows_a_higher_value(name: str) -> None:
    game = ludus.game("quoridor(size=5,walls=2)")
    for seed in range(4):
        position = somewhere(game, 3 + seed, seed)
        ranked = ludus.player(name, game).rank(position, stream(1))
        values = [value for _, value in ranked]
        assert values == sorted(values, reverse=True)
        assert all(-1 <= value <= 1 for value in values)
        assert {int(m) for m, _ in ranked} == {int(m) for m in position.moves()}


def test_values_are_those_of_a_search_and_not_of_a_glance() -> None:
    # Yellow on b2 of 3 × 3 wins next move; green, who is to move, must stop it, and a glance does not tell.
    game = ludus.game("quoridor(size=3,walls=1)")
    position = game.start().play("b2")
    ranked = ludus.player("alphabeta(depth=4,width=0)", game).rank(position, stream(1))
    glance = ludus.player("alphabeta(depth=1,width=0)", game).rank(position, stream(1))
    assert dict(ranked) != dict(glance)
    assert ranked[0][0] == ludus.player("alphabeta(depth=4,width=0)", game).choose(position, stream(1))


@pytest.mark.parametrize("seed", range(3 if JIT else 1))
def test_a_line_ends_where_its_value_was_found(seed: int) -> None:
    """Its moves are legal, and what is judged at its end is what the move was said to be worth."""
    depth, view = 3, SMALL.view()
    player, position = exact(SMALL, view, depth), somewhere(SMALL, seed, seed)
    for move, value in player.rank(position, stream(1))[:3]:
        line = player.line(position, move)
        assert line[0] == move
        end = position
        for each in line:
            end = end.play(each)
        assert len(line) == depth or end.over
        sign = 1 if position.turn == 0 else -1
        found = sign * minimax(SMALL, view, end, 0, depth)
        assert min(max(found, -1), 1) == pytest.approx(value, abs=1e-9)


def searched(player: AlphaBeta, state: np.ndarray, **changes: Any) -> tuple[int, float]:
    """The best move of a search of three plies with an empty table, and its value."""
    player.forget()
    begin(player.workspace, player.game, state, 3, -9.0, 9.0)
    assert run(player.workspace, player.game, player._view, player._options._replace(**changes), 10**9)
    return int(player.workspace.frames[0, BEST_MOVE]), float(player.workspace.bounds[0, BEST])


def test_a_position_that_was_there_before_is_a_draw() -> None:
    """Who is ahead goes elsewhere, who is behind goes there."""
    game = ludus.game("quoridor(size=5,walls=2)")
    player = make_alphabeta(game, None, seconds=0.01)
    for text, ahead in (("c3 c5 / 2 2 / - / yellow 4", True), ("c4 c5 / 1 1 / a1h d3h / green 5", False)):
        position = game.position(text)
        state = position.state.copy()
        best, value = searched(player, state)
        assert (value > 0) == ahead
        there = best if ahead else int(position.moves()[-1])
        go_on_from(player.workspace, game, state, state)
        go_on_from(player.workspace, game, state, position.play(there).state.copy())
        again, after = searched(player, state)
        assert (again == there) != ahead
        assert after <= value if ahead else after == 0.0
        assert searched(player, state, repetition=0) == (best, value)


def test_what_was_there_is_forgotten_when_another_game_begins() -> None:
    game = ludus.game("quoridor(size=5,walls=2)")
    ws = make_alphabeta(game, None, seconds=0.01).workspace
    start, after = game.start(), game.start().play("c2")
    go_on_from(ws, game, start.state.copy(), after.state.copy())
    go_on_from(ws, game, after.state.copy(), after.play("c4").state.copy())
    assert np.count_nonzero(ws.past) == 2
    go_on_from(ws, game, after.play("c4").state.copy(), start.state.copy())
    assert np.count_nonzero(ws.past) == 1


def test_who_ponders_thinks_while_the_other_does_and_ends_when_asked() -> None:
    game = ludus.game("quoridor(size=5,walls=2)")
    player = make_alphabeta(game, None, seconds=0.01, ponder=True)
    position = game.start()
    position = position.play(player.choose(position, stream(1)))
    thinking = list(player.helpers._threads)
    assert len(thinking) == 1
    position = position.play(int(position.moves()[0]))
    assert player.choose(position, stream(1)) in [int(move) for move in position.moves()]
    assert not any(thread.is_alive() for thread in thinking)
    again = pickle.loads(pickle.dumps(player))  # threads stay where they are
    assert again.choose(position, stream(1)) in [int(move) for move in position.moves()]
    for each in (player, again):
        each.forget()
        assert not each.helpers._threads


def test_hints_are_no_moves_of_the_game() -> None:
    game = ludus.game("quoridor(size=5,walls=2)")
    player = make_alphabeta(game, None, seconds=0.01)
    position = game.start()
    position = position.play(player.choose(position, stream(1)))
    before, left = player.workspace.past.copy(), player._left.copy()
    player.rank(game.start().play("c2"), stream(1))
    assert (player.workspace.past == before).all()
    assert (player._left == left).all()
