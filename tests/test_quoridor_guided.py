"""Sensible moves and games of Quoridor, the search that uses them, and small boards that are solved exactly."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.position import Position
from ludus.contract.rules import OVER, guided_playouts, moves, play, random_move, sensible_moves, sizes_of, turn
from ludus.contract.rules import start as begin
from ludus.errors import LudusError
from ludus.games.quoridor import Quoridor, bitboard, quoridor, rules
from ludus.games.quoridor.bitboard import PAWN, STEP, distance
from ludus.games.quoridor.context import LENGTH, PATH_SIZE, find_path
from ludus.games.quoridor.guided import DRAWN, UNDECIDED, guided_move, race
from ludus.kernel import JIT, stream
from solved_quoridor import Solved
from toys import Nim

needs_jit = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python")


def start_of(game: Quoridor) -> np.ndarray:
    state = np.zeros(game.facts.state_size, np.int64)
    begin(game, state)
    return state


def legal(game: Quoridor, state: np.ndarray) -> list[int]:
    out = np.zeros(game.facts.max_moves, np.int64)
    return out[: moves(game, state, turn(game, state), out)].tolist()


shapes = st.tuples(st.integers(3, 9), st.none() | st.integers(3, 9))  # rows and columns


def paths_of(game: Quoridor, state: np.ndarray) -> np.ndarray:
    paths = np.zeros((game.seats, PATH_SIZE), np.int64)
    for seat in range(game.seats):
        assert find_path(game, state, seat, 1, paths, np.zeros(162, np.int64))
    return paths


# --- games -----------------------------------------------------------------------------------------------------------


@settings(max_examples=50 if JIT else 10, deadline=None)
@given(shapes, st.integers(0, 10), st.sampled_from([2, 4]), st.integers(0, 2**31))
def test_guided_games_are_legal_and_keep_their_paths(shape, walls, seats, seed):
    game, rng = quoridor(shape[0], walls, seats, columns=shape[1]), stream(seed)
    state = start_of(game)
    paths, room = paths_of(game, state), np.zeros(162, np.int64)
    while turn(game, state) != OVER and state[bitboard.PLY] < 120:
        before = state.copy()
        move = guided_move(game, state, 1, paths, room, rng)
        assert move in legal(game, before)
        play(game, before, move)
        assert np.array_equal(before, state)
        assert [int(length) for length in paths[:, LENGTH]] == [distance(game, state, s) for s in range(seats)]


def test_a_race_is_decided_when_only_the_first_could_still_build():
    game = quoridor()
    state = start_of(game)
    assert race(game, state, paths_of(game, state)) == UNDECIDED
    state[PAWN + 2 : PAWN + 4] = 0
    assert race(game, state, paths_of(game, state)) == 0  # eight steps each, and the first moves
    state[bitboard.TURN] = 1
    assert race(game, state, paths_of(game, state)) == 1
    state[PAWN + 2] = 1
    assert race(game, state, paths_of(game, state)) == UNDECIDED  # who is behind has a wall
    state[PAWN + 2 : PAWN + 4] = 0, 1
    assert race(game, state, paths_of(game, state)) == 1
    state[bitboard.PLY] = game.limit - 15
    assert race(game, state, paths_of(game, state)) == 1
    state[bitboard.PLY] += 1
    assert race(game, state, paths_of(game, state)) == DRAWN


@pytest.mark.parametrize("seats", [2, 4])
def test_guided_games_have_a_winner_and_a_beginning_by_chance(seats):
    game, total, count = quoridor(seats=seats), np.zeros(seats), 2000 if JIT else 10
    state = start_of(game)
    guided_playouts(game, state, stream(1), count, sizes_of(game), total)
    assert np.array_equal(state, start_of(game))
    assert total.sum() == pytest.approx(0, abs=1e-6)
    assert total[0] != count


# --- moves -----------------------------------------------------------------------------------------------------------


@settings(max_examples=100 if JIT else 20, deadline=None)
@given(shapes, st.integers(0, 10), st.sampled_from([2, 4]), st.integers(0, 2**31), st.integers(0, 40))
def test_sensible_moves_are_legal_and_have_all_steps(shape, walls, seats, seed, plies):
    game, rng = quoridor(shape[0], walls, seats, columns=shape[1]), stream(seed)
    state, out, odds = start_of(game), np.zeros(200, np.int64), np.zeros(200)
    for _ in range(plies):
        if turn(game, state) == OVER:
            return
        play(game, state, random_move(game, state, turn(game, state), rng, out))
    if turn(game, state) == OVER:
        return
    before = state.copy()
    count = sensible_moves(game, state, turn(game, state), out, odds)
    assert np.array_equal(state, before)
    found, all_moves = out[:count].tolist(), legal(game, state)
    assert len(set(found)) == count
    assert set(found) <= set(all_moves)
    assert odds[:count].sum() == pytest.approx(1)
    assert (odds[:count] > 0).all()
    if count == 1:
        play(game, before, found[0])
        assert turn(game, before) == OVER or len(all_moves) == 1
    else:
        assert {move for move in all_moves if move >= STEP} <= set(found)


def test_a_step_more_for_the_rival_is_as_promising_as_a_step_less_for_oneself():
    game = quoridor()
    state, out, odds = start_of(game), np.zeros(200, np.int64), np.zeros(200)
    for wall in (8 * 7 + 2, 8 * 7 + 4):  # c8h and e8h: the second pawn goes round by g
        play(game, state, wall)
    state[PAWN] = 9 * 4  # a5
    count = sensible_moves(game, state, 0, out, odds)
    promise = dict(zip(out[:count].tolist(), odds[:count].tolist(), strict=True))
    assert (
        promise[8 * 7 + 6] == promise[STEP] > promise[STEP + 1] > promise[64 + 8 * 3]
    )  # g8h, up, right; a4v, beside the pawn
    assert 8 * 2 + 2 not in promise  # c3h, far from everything


# --- the player ------------------------------------------------------------------------------------------------------


@needs_jit
def test_guided_search_beats_one_that_plays_at_random():
    game = quoridor(7, 5)
    players = [ludus.player(f"mcts(simulations=100{how})", game) for how in (",guided=true", "")]
    won = 0
    for number in range(10):
        state, rng = start_of(game), stream(3, number)
        while (seat := turn(game, state)) != OVER:
            play(game, state, players[(seat + number) % 2].choose_state(game, state, seat, rng))
        won += rules.is_home(game, state, number % 2)
    assert won >= 8


@needs_jit
def test_a_guided_search_is_the_same_from_the_same_seed():
    game = ludus.game("quoridor")
    player = ludus.player("mcts(simulations=300,guided=true)", game)
    assert player.name == "mcts(simulations=300,guided)"
    ranks = [player.rank(game.start(), np.random.default_rng(5)) for _ in range(2)]
    assert ranks[0] == ranks[1]
    assert {move for move, _ in ranks[0]} < set(game.start().moves())


def test_games_that_know_no_sensible_moves_say_so():
    with pytest.raises(LudusError, match="backgammon does not say which moves are sensible; quoridor does"):
        ludus.player("mcts(guided=true)", ludus.game("backgammon"))
    with pytest.raises(LudusError, match="network can't be named"):
        ludus.player("mcts:somewhere(guided=true)", ludus.game("quoridor"))


def test_by_default_all_moves_are_sensible():
    game = Nim()
    state, out, odds = game.start().state.copy(), np.zeros(64, np.int64), np.zeros(64)
    count = sensible_moves(game, state, 0, out, odds)
    assert out[:count].tolist() == [int(move) for move in game.start().moves()]
    assert odds[:count].tolist() == pytest.approx([1 / count] * count)


# --- small boards, solved --------------------------------------------------------------------------------------------


@cache
def solved(game: Quoridor) -> Solved:
    return Solved(game)


@needs_jit
@pytest.mark.parametrize("game", [quoridor(3, 1), quoridor(4, 1), quoridor(5, 0), quoridor(5, 1)], ids=repr)
def test_the_value_of_a_position_is_that_of_its_best_move(game):
    choice, found = random.Random(1), solved(game)
    met = set()
    for _ in range(40):
        state = start_of(game)
        while turn(game, state) != OVER:
            values = []
            for move in legal(game, state):
                child = state.copy()
                play(game, child, move)
                values.append(
                    1 if turn(game, child) == OVER and child[bitboard.PLY] < game.limit else -found.value(child)
                )
                if child[bitboard.PLY] == game.limit:
                    break
            else:
                assert found.value(state) == max(values)
                met.add(max(values))
            play(game, state, choice.choice(legal(game, state)))
    assert {1, -1} <= met


@needs_jit
@pytest.mark.parametrize(
    ("player", "positions"), [("alphabeta(depth=7,width=0)", 12), ("mcts(simulations=2000,guided=true)", 40)]
)
def test_searches_agree_with_the_solution(player, positions):
    """From positions that are won, on 5×5 with a wall each, the move that is chosen keeps the win."""
    game, choice = quoridor(5, 1), random.Random(2)
    found, who = solved(game), ludus.player(player, game)
    tried = 0
    while tried < positions:
        state = start_of(game)
        for _ in range(choice.randrange(7)):
            if turn(game, state) != OVER:
                play(game, state, choice.choice(legal(game, state)))
        if turn(game, state) == OVER or found.value(state) != 1:
            continue
        tried += 1
        play(game, state, int(who.choose(Position(game, state), np.random.default_rng(tried))))
        assert turn(game, state) == OVER or found.value(state) == -1
