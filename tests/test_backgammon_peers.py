"""Our rules of backgammon beside those of GNU Backgammon and OpenSpiel, which other people wrote.

GNU Backgammon's move generator answers every position of a good hundred thousand, half from random play and half from
play that knows what it does, with the set of positions to which the roll can lead. OpenSpiel plays whole games along.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ludus.contract.rules import CHANCE, OVER, moves, play, roll, scores, start, turn
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.notation import legal_moves, position_id, read_position_id, steps
from ludus.games.backgammon.rules import BAR, DIE1, DIE2, OFF, SIDE, STATE_SIZE, TURN
from ludus.kernel import JIT, below, stream

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(not JIT, reason="a hundred thousand positions take too long in plain Python"),
]

GAME = Backgammon()


def start_state() -> np.ndarray:
    state = np.zeros(STATE_SIZE, np.int64)
    start(GAME, state)
    return state


# --- GNU Backgammon --------------------------------------------------------------------------------------------------

Board = list[list[int]]  # the opponent's points 1 to 24 and bar, then the mover's


def gnubg_board(state: np.ndarray, mover: int) -> Board:
    own, enemy = SIDE * mover, SIDE * (1 - mover)
    return [state[enemy + 1 : enemy + SIDE].tolist(), state[own + 1 : own + SIDE].tolist()]


def after_steps(board: Board, pairs: list[int]) -> Board:
    """The board after GNU Backgammon's list of sources and targets, which counts points from 0; below 0 is off."""
    enemy, own = board[0].copy(), board[1].copy()
    for source, target in zip(pairs[::2], pairs[1::2], strict=True):
        own[source] -= 1
        if target >= 0:
            own[target] += 1
            if enemy[23 - target]:
                enemy[23 - target] = 0
                enemy[24] += 1
    return [enemy, own]


def compare_with_gnubg(gnubg: Any, positions: int, sensible: bool) -> Counter[str]:
    """Play games until so many positions have been compared. Says what kinds of positions there were."""
    rng = stream(20, purpose=int(sensible))
    room, odds = np.zeros(GAME.facts.max_moves, np.int64), np.zeros(30)
    after = np.zeros(STATE_SIZE, np.int64)
    state = start_state()
    seen: Counter[str] = Counter()
    while seen["positions"] < positions:
        mover = turn(GAME, state)
        if mover == OVER:
            seen["games"] += 1
            start(GAME, state)
            continue
        if mover == CHANCE:
            play(GAME, state, roll(GAME, state, rng, room, odds))
            continue
        die, other_die = state[DIE1].item(), state[DIE2].item()
        board = gnubg_board(state, mover)
        found = {}
        count = moves(GAME, state, mover, room)
        for move in room[:count].tolist():
            after[:] = state
            play(GAME, after, move)
            found[gnubg.key_of_board(gnubg_board(after, mover))] = move
        assert len(found) == count, f"a position is listed twice: {state.tolist()}"
        theirs = set(gnubg.moves(board, die, other_die))
        if theirs:
            assert found.keys() == theirs, state.tolist()
        else:
            assert list(found.values()) == [0], state.tolist()

        seen["positions"] += 1
        seen["doubles"] += die == other_die
        seen["dances"] += not theirs
        seen["on the bar"] += board[1][24] > 0
        seen["bearing off"] += not any(board[1][6:])
        if sensible:
            best = after_steps(board, gnubg.pub_best_move(board, die, other_die))
            play(GAME, state, found[gnubg.key_of_board(best)])
        else:
            play(GAME, state, room[below(rng, count)])
    return seen


@pytest.mark.parametrize("sensible", [False, True], ids=["random play", "sensible play"])
def test_every_roll_leads_where_gnubg_says(sensible):
    gnubg = pytest.importorskip("gnubg_nn")
    seen = compare_with_gnubg(gnubg, 51_000, sensible)
    # The comparison means something only if all sorts of positions took part in it.
    for kind in ("doubles", "dances", "on the bar", "bearing off"):
        assert seen[kind] > 1_000, seen


def test_position_ids_are_those_of_gnubg():
    gnubg = pytest.importorskip("gnubg_nn")
    rng = stream(21)
    room, odds = np.zeros(GAME.facts.max_moves, np.int64), np.zeros(30)
    state = start_state()
    different = set()
    for _ in range(5_000):
        mover = turn(GAME, state)
        if mover == OVER:
            start(GAME, state)
        elif mover == CHANCE:
            play(GAME, state, roll(GAME, state, rng, room, odds))
        else:
            board, text = gnubg_board(state, mover), position_id(state)
            different.add(text)
            assert text == gnubg.position_id(board)
            assert gnubg_board(read_position_id(text), 0) == board
            assert gnubg.board_from_position_id(text) == board
            play(GAME, state, room[below(rng, moves(GAME, state, mover, room))])
    assert len(different) > 2_000


# --- OpenSpiel -------------------------------------------------------------------------------------------------------

Key = tuple[int, ...]  # seat 0's points, seat 1's, then bar and off of both

# OpenSpiel numbers points from 0 for both players alike, as O counts them; X, who is player 0, goes the other way.
_POINTS = [(0, 24 - point) for point in range(1, 25)] + [(1, point - 1) for point in range(1, 25)]


def spiel_key(spiel: Any) -> Key:
    seen = spiel.observation_tensor(0)  # ends with bar, off and turn of player 0, the same of player 1, and the dice
    return (*(spiel.board(*point) for point in _POINTS), int(seen[-8]), int(seen[-7]), int(seen[-5]), int(seen[-4]))


def our_key(state: np.ndarray) -> Key:
    s = state.tolist()
    return (*s[1:25], *s[SIDE + 1 : SIDE + 25], s[BAR], s[OFF], s[SIDE + BAR], s[SIDE + OFF])


def key_after(state: np.ndarray, move: int) -> Key:
    after = state.copy()
    play(GAME, after, move)
    return our_key(after)


def key_half_way(state: np.ndarray, move: int) -> Key:
    """The position after the first two steps of a double, which OpenSpiel plays as two turns of the same player."""
    after = state.copy()
    own, enemy = SIDE * state[TURN], SIDE * (1 - state[TURN])
    for source, target, hits in steps(state, move)[:2]:
        after[own + source] -= 1
        after[own + target] += 1
        after[enemy + 25 - target] -= hits
        after[enemy + BAR] += hits
    return our_key(after)


def roll_in_spiel(spiel: Any, state: np.ndarray, opening: bool) -> None:
    dice = sorted((state[DIE1].item(), state[DIE2].item()))
    for action, _ in spiel.chance_outcomes():
        text = spiel.action_to_string(action)
        digits = text.split("roll: ")[1][:2]
        if sorted(map(int, digits)) == dice and (not opening or f"{'XO'[state[TURN]]} starts" in text):
            spiel.apply_action(action)
            return
    raise AssertionError(f"OpenSpiel has no roll {dice}")


def children(spiel: Any) -> Iterator[tuple[Any, Key]]:
    for action in spiel.legal_actions():
        child = spiel.child(action)
        yield child, spiel_key(child)


def go_to(spiel: Any, key: Key) -> Any:
    """OpenSpiel's state after the action that leads to this position."""
    for child, reached in children(spiel):
        if reached == key:
            return child
    raise AssertionError(f"no action of OpenSpiel's leads to {key} from\n{spiel}")


def all_ends(spiel: Any) -> set[Key]:
    """All positions in which the turn can end."""
    mover = spiel.current_player()
    half_way = {key: child for child, key in children(spiel)}
    ends: set[Key] = set()
    for key, child in half_way.items():
        if child.current_player() == mover:
            ends.update(end for _, end in children(child))
        else:
            ends.add(key)
    return ends


def test_games_go_in_openspiel_as_they_go_here():
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    rng, choice = stream(22), random.Random(22)
    room, odds = np.zeros(GAME.facts.max_moves, np.int64), np.zeros(30)
    results: Counter[tuple[float, ...]] = Counter()
    compared = 0
    for _ in range(300):
        spiel, state = game.new_initial_state(), start_state()
        while True:
            assert spiel_key(spiel) == our_key(state)
            seat = turn(GAME, state)
            assert spiel.is_terminal() == (seat == OVER)
            if seat == OVER:
                break
            if seat == CHANCE:
                opening = state[TURN] < 0
                play(GAME, state, roll(GAME, state, rng, room, odds))
                roll_in_spiel(spiel, state, opening)
                continue
            assert spiel.current_player() == seat
            legal = legal_moves(GAME, state)
            if choice.random() < 0.04:
                compared += 1
                assert all_ends(spiel) == {key_after(state, move) for move in legal}, f"{spiel}"
            move = choice.choice(legal)
            if state[DIE1] == state[DIE2]:
                spiel = go_to(spiel, key_half_way(state, move))
            if spiel.current_player() == seat:
                spiel = go_to(spiel, key_after(state, move))
            play(GAME, state, move)
        result = np.zeros(2)
        scores(GAME, state, result)
        assert spiel.returns() == result.tolist()
        results[tuple(result.tolist())] += 1
    assert compared > 500
    assert set(results) == {(1, -1), (2, -2), (3, -3), (-1, 1), (-2, 2), (-3, 3)}
