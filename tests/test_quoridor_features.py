"""What a network sees of Quoridor: the same from both sides and in the mirror, and the same by what a move changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import OVER, moves, play, random_move, start, turn
from ludus.contract.views import MEMO, changes, features, standing
from ludus.games.quoridor.bitboard import HORIZONTAL, PAWN, PLY, TURN, VERTICAL, WIDTH, shut
from ludus.games.quoridor.features import INPUTS, Side
from ludus.games.quoridor.objections import objection
from ludus.kernel import stream

NAMES = ("quoridor", "quoridor(size=5,walls=4)", "quoridor(size=7,columns=5)", "quoridor(size=4,columns=7,walls=4)")
BOARDS = [ludus.game(name) for name in NAMES]


def walked(game: Any, plies: int, seed: int) -> np.ndarray:
    """A state after some random moves, before the end of the game."""
    state, room, rng = np.zeros(game.facts.state_size, np.int64), np.zeros(200, np.int64), stream(seed)
    start(game, state)
    for _ in range(plies):
        after = state.copy()
        play(game, after, random_move(game, after, turn(game, after), rng, room))
        if turn(game, after) == OVER:
            break
        state = after
    return state


def seen(game: Any, state: np.ndarray) -> np.ndarray:
    """The inputs as one dense vector."""
    index, value, out = np.zeros(INPUTS, np.int64), np.zeros(INPUTS, np.float32), np.zeros(INPUTS)
    count = features(Side(), game, state, index, value)
    np.add.at(out, index[:count], value[:count])
    return out


def changed(game: Any, state: np.ndarray, square: Any, anchor: Any, swap: bool) -> np.ndarray:
    """The state with every square and anchor put elsewhere, and the seats exchanged if told."""
    out = np.zeros_like(state)
    start(game, out)
    out[TURN], out[PLY] = 1 - state[TURN] if swap else state[TURN], state[PLY]
    for seat in range(2):
        to = 1 - seat if swap else seat
        out[PAWN + to] = square(int(state[PAWN + seat]))
        out[PAWN + 2 + to] = state[PAWN + 2 + seat]
    for at in (HORIZONTAL, VERTICAL):
        for old in range(64):
            if int(state[at]) >> old & 1:
                new = anchor(old)
                out[at] |= np.uint64(1 << new).astype(np.int64)
                shut(out, new + (64 if at == VERTICAL else 0))
    return out


@pytest.mark.parametrize("game", BOARDS, ids=str)
@settings(max_examples=40, deadline=None)
@given(plies=st.integers(0, 40), seed=st.integers(0, 10_000))
def test_both_seats_and_the_mirror_see_the_same(game: Any, plies: int, seed: int) -> None:
    state, row, last = walked(game, plies, seed), game.size - 1, game.columns - 1
    turned = changed(
        game, state,
        lambda s: WIDTH * (row - s // WIDTH) + last - s % WIDTH, lambda a: 8 * (row - 1 - a // 8) + last - 1 - a % 8, True,
    )  # fmt: skip
    assert (seen(game, turned) == seen(game, state)).all()
    pawns = [int(state[PAWN + seat]) % WIDTH for seat in range(2)]
    mirrored = changed(
        game, state, lambda s: s - s % WIDTH + last - s % WIDTH, lambda a: a - a % 8 + last - 1 - a % 8, False
    )  # fmt: skip
    if pawns != [last / 2, last / 2]:  # with both in the middle there is no side to prefer
        assert (seen(game, mirrored) == seen(game, state)).all()


@pytest.mark.parametrize("game", BOARDS, ids=str)
@settings(max_examples=25, deadline=None)
@given(plies=st.integers(0, 40), seed=st.integers(0, 10_000))
def test_what_a_move_changes_leads_to_what_is_seen_after_it(game: Any, plies: int, seed: int) -> None:
    state = walked(game, plies, seed)
    before, listed = state.copy(), np.zeros(200, np.int64)
    passed, memo = np.zeros_like(state), np.zeros(MEMO, np.int64)
    index, value = np.zeros(INPUTS, np.int64), np.zeros(INPUTS, np.float32)
    assert standing(Side(), game, state, passed, memo)
    base = seen(game, passed)
    walls = 0
    for move in listed[: moves(game, state, turn(game, state), listed)]:
        count = changes(Side(), game, state, move, memo, index, value)
        assert (count < 0) == (move >= 128)  # pawns change too much
        assert (state == before).all()
        if count >= 0:
            after = state.copy()
            play(game, after, move)
            by_change = base.copy()
            np.add.at(by_change, index[:count], value[:count])
            np.testing.assert_allclose(by_change, seen(game, after), atol=1e-6)
            walls += 1
    assert walls == sum(not objection(game, state, wall) for wall in range(128))


def test_the_last_ply_before_the_limit_is_seen_as_a_whole() -> None:
    game = ludus.game("quoridor(limit=1)")
    state = game.start().state.copy()
    memo, index, value = np.zeros(MEMO, np.int64), np.zeros(INPUTS, np.int64), np.zeros(INPUTS, np.float32)
    standing(Side(), game, state, state.copy(), memo)
    assert changes(Side(), game, state, 0, memo, index, value) == -1
