"""What a Context keeps along a game is what one finds by looking at the position alone; and taking moves back leaves no trace."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contract.rules import OVER, moves, turn
from ludus.contract.rules import start as begin
from ludus.games.quoridor import Quoridor, bitboard, quoridor, rules
from ludus.games.quoridor.bitboard import ANCHORS, OFFSET, PAWN, STEP, board_of
from ludus.games.quoridor.context import (
    LENGTH,
    TRAIL,
    Context,
    advance,
    blockers_of,
    distance_of,
    legal_walls_in,
    new_context,
    refresh,
    undo,
)
from ludus.kernel import JIT


def start_of(game: Quoridor) -> np.ndarray:
    state = np.zeros(game.facts.state_size, np.int64)
    begin(game, state)
    return state


def check(context: Context, game: Quoridor) -> None:
    """That what is kept is true of the state."""
    state = context.state
    for seat in range(game.seats):
        length = distance_of(context, seat)
        assert length == bitboard.distance(game, state, seat)
        trail = [int(square) for square in context.paths[seat, TRAIL : TRAIL + length + 1]]
        assert trail[-1] == state[PAWN + seat]
        walker, cut = state.copy(), [0, 0]
        for here, there in zip(trail[:0:-1], trail[-2::-1], strict=True):
            way = OFFSET[:4].tolist().index(there - here)
            assert bitboard.is_open(state, here, way)
            for kind, word in enumerate(bitboard.cuts(here, way)):
                cut[kind] |= int(word)
        walker[PAWN + seat] = trail[0]
        assert rules.is_home(game, walker, seat)
        assert [int(word) for word in blockers_of(context, seat)] == cut
    free = [int(word) for word in rules.free_anchors(game, state)]
    assert [int(ANCHORS[board_of(game)]) & ~int(word) for word in context.crossing] == free
    assert legal_walls_in(context, game) == rules.legal_walls(game, state)


@settings(max_examples=60 if JIT else 8, deadline=None)
@given(
    size=st.integers(3, 9),
    columns=st.none() | st.integers(3, 9),
    walls=st.integers(0, 12),
    seats=st.sampled_from([2, 4]),
    seed=st.integers(0, 2**31),
    steps=st.sampled_from([0.1, 0.5, 0.9]),
    back=st.sampled_from([0.0, 0.3, 0.45]),
)
def test_what_is_kept_along_a_game_is_what_one_would_find(size, columns, walls, seats, seed, steps, back):
    game, choice = quoridor(size, walls, seats, 80, columns), random.Random(seed)
    context, room = new_context(game, start_of(game)), np.zeros(160, np.int64)
    before: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = []
    for _ in range(120):
        check(context, game)
        if before and (turn(game, context.state) == OVER or choice.random() < back):
            move, state, paths, crossing = before.pop()
            assert undo(context, game) == move
            assert np.array_equal(context.state, state)
            assert np.array_equal(context.crossing, crossing)
            for seat in range(seats):
                end = TRAIL + paths[seat, LENGTH] + 1  # beyond it lies what was kept of longer paths
                assert np.array_equal(context.paths[seat, :end], paths[seat, :end])
            if turn(game, state) != OVER and choice.random() < 0.2:
                break
            continue
        found = room[: moves(game, context.state, turn(game, context.state), room)]
        own = found[found >= STEP]
        move = int(choice.choice(own if len(own) and choice.random() < steps else found))
        before.append((move, context.state.copy(), context.paths.copy(), context.crossing.copy()))
        advance(context, game, move)
    while before:
        assert undo(context, game) == before.pop()[0]
    assert np.array_equal(context.state, start_of(game))
    assert undo(context, game) == -1


def test_a_path_is_searched_for_only_when_it_is_cut_or_left(monkeypatch):
    if JIT:
        pytest.skip("counts calls in plain Python")
    from ludus.games.quoridor import context as module

    searched: list[int] = []
    found = module.find_path

    def counting(game, state, seat, *rest):
        searched.append(seat)
        return found(game, state, seat, *rest)

    monkeypatch.setattr(module, "find_path", counting)
    game = quoridor()
    context = new_context(game, start_of(game))
    assert searched == [0, 1]
    for move, expected in (
        (STEP, []),  # along the path
        (8 * 3 + 1, []),  # a horizontal wall on the left cuts nothing
        (STEP + 1, [0]),  # aside
        (8 * 6 + 4, [0, 1]),  # a wall in front of both
    ):
        searched.clear()
        advance(context, game, move)
        assert searched == expected, move


def test_refreshing_forgets_the_moves():
    game = quoridor(5, walls=2)
    context = new_context(game, start_of(game))
    advance(context, game, STEP)
    refresh(context, game)
    assert undo(context, game) == -1
    check(context, game)
