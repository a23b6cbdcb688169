"""What is known exactly in Quoridor: races without walls in stock, and small boards, on which the search must find what their solution says."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import ludus
from ludus.contract.rules import OVER, ending, foregone, moves, play, start, turn
from ludus.games.quoridor import Quoridor, quoridor
from ludus.games.quoridor.bitboard import PAWN, TURN, distance
from ludus.kernel import JIT, stream
from ludus.players.alphabeta import make_alphabeta
from solved_quoridor import Solved, built_in

pytestmark = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python")


def boards(*shapes: tuple[int, int, int]) -> list[Quoridor]:
    """Games on boards of some rows and columns, with so many walls."""
    return [quoridor(rows, walls, limit=1000, columns=columns) for rows, columns, walls in shapes]


@cache
def solved(game: Quoridor) -> Solved:
    return Solved(game)


def legal(game: Quoridor, state: np.ndarray) -> list[int]:
    room = np.zeros(game.facts.max_moves, np.int64)
    return [int(move) for move in room[: moves(game, state, int(turn(game, state)), room)]]


def somewhere(game: Quoridor, seed: int, plies: int) -> np.ndarray:
    """A position after some random moves, not the end of a game."""
    draw, state = random.Random(seed), np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    for _ in range(plies):
        after = state.copy()
        play(game, after, draw.choice(legal(game, state)))
        if turn(game, after) == OVER:
            break
        state = after
    return state


def races(game: Quoridor, count: int) -> list[np.ndarray]:
    """Positions with all walls built."""
    found = []
    for seed in range(50 * count):
        state = somewhere(game, seed, 4 + seed % 40)
        if state[PAWN + 2] + state[PAWN + 3] == 0:
            found.append(state)
        if len(found) == count:
            break
    assert len(found) == count
    return found


@pytest.mark.parametrize(
    "game", boards((3, 3, 1), (5, 5, 0), (5, 5, 1), (5, 7, 0), (7, 5, 0), (5, 7, 1), (7, 5, 1)), ids=repr
)
def test_a_race_is_won_where_its_solution_says_so(game: Quoridor) -> None:
    exact = solved(game)
    for state in races(game, 60):
        move, plies = ending(game, state)
        assert np.sign(plies) == exact.value(state)
        if plies:
            after = state.copy()
            play(game, after, move)
            left = 0 if turn(game, after) == OVER else ending(game, after)[1]
            assert left == (1 - plies if plies > 0 else -1 - plies)


@pytest.mark.parametrize("game", [quoridor(), quoridor(7, 4), quoridor(7, 3, columns=5)], ids=repr)
def test_a_race_lasts_as_long_as_was_said(game: Quoridor) -> None:
    """The loser can't put it off, whatever it does, and the winner needs no longer."""
    draw, decided = random.Random(1), 0
    for state in races(game, 12):
        plies, seat = ending(game, state)[1], int(turn(game, state))
        winner = seat if plies > 0 else 1 - seat
        while plies and turn(game, state) != OVER:
            known, left = ending(game, state)
            assert abs(left) <= abs(plies)
            assert (left > 0) == (turn(game, state) == winner)
            play(game, state, known if turn(game, state) == winner else draw.choice(legal(game, state)))
            plies = abs(left) - 1 or 1
            decided += turn(game, state) == OVER
    assert decided >= 8


@pytest.mark.parametrize("game", boards((4, 4, 1), (5, 5, 0), (5, 5, 1), (5, 7, 0), (7, 5, 0), (5, 7, 1)), ids=repr)
def test_what_a_glance_proves_is_what_the_solution_says(game: Quoridor) -> None:
    """In every place of the pawns, on boards with some walls, where a seat or both have none left."""
    exact, proved = solved(game), {1: 0, -1: 0}
    known = [state for seed in range(40) if 0 in (state := somewhere(game, seed, 2 + seed % 9))[PAWN + 2 : PAWN + 4]]
    squares = [9 * row + column for row in range(1, game.size - 1) for column in range(game.columns)]
    for state in known[:8]:
        for state[PAWN] in squares:
            for state[PAWN + 1] in squares:
                for state[TURN] in range(2):
                    plies = 0 if state[PAWN] == state[PAWN + 1] else foregone(game, state)
                    if plies:
                        assert np.sign(plies) == exact.value(state)
                        proved[int(np.sign(plies))] += 1
    assert min(proved.values()) > 100


def test_a_run_that_is_proved_takes_no_longer_than_was_said() -> None:
    """On the large board too, as the solution of races says."""
    game, proved = quoridor(), 0
    for state in races(game, 60):
        plies, known = foregone(game, state), ending(game, state)[1]
        if plies:
            assert np.sign(plies) == np.sign(known)
            assert abs(known) <= abs(plies)
            proved += 1
    assert proved >= 10


def test_where_walls_are_left_nothing_is_said() -> None:
    game = quoridor()
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    assert ending(game, state) == (-1, 0)
    assert foregone(game, state) == 0
    four = quoridor(5, 0, 4)
    state = np.zeros(four.facts.state_size, np.int64)
    start(four, state)
    assert ending(four, state) == (-1, 0)


@pytest.mark.parametrize(
    "game", boards((3, 3, 1), (4, 4, 1), (5, 5, 0), (5, 5, 1), (5, 7, 0), (5, 7, 1), (7, 5, 0), (7, 5, 1)), ids=repr
)
@pytest.mark.parametrize("width", [0, 24])
def test_the_search_keeps_what_the_solution_says(game: Quoridor, width: int) -> None:
    """With all moves, and with those that promise most and reductions and margins, as it is played."""
    exact, player = solved(game), make_alphabeta(game, None, depth=8 if width == 0 else 20, width=width)
    kept = 0
    for seed in range(25):
        state = somewhere(game, seed, seed % 9)
        value = exact.value(state)
        move = player.choose_state(game, state, int(turn(game, state)), stream(1))
        after = state.copy()
        play(game, after, move)
        reached = 1 if turn(game, after) == OVER else -exact.value(after)
        if abs(player.value) > 1:  # what the search says it has proved
            assert np.sign(player.value) == value
        kept += reached == value
    assert kept == 25


def spread_out(game: Quoridor, seed: int, built: int, stocks: tuple[int, int]) -> np.ndarray:
    """A board with some random walls, pawns anywhere but at their goals, and these stocks."""
    draw = random.Random(seed)
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    for _ in range(built):
        state[PAWN + 2 : PAWN + 4] = 9
        play(game, state, draw.choice([move for move in legal(game, state) if move < 128]))
    rows = range(1, game.size - 1)
    while True:
        state[PAWN : PAWN + 2] = [9 * draw.choice(rows) + draw.randrange(game.columns) for _ in range(2)]
        if state[PAWN] != state[PAWN + 1] and min(distance(game, state, seat) for seat in range(2)) > 0:
            break
    state[PAWN + 2 : PAWN + 4] = stocks
    return state


@pytest.mark.parametrize(
    ("shape", "built", "stocks"),
    [
        ((5, 5), 4, (2, 0)),
        ((5, 5), 4, (0, 2)),
        ((5, 5), 5, (1, 1)),
        ((5, 5), 3, (0, 0)),
        ((7, 7), 8, (1, 0)),
        ((7, 7), 8, (0, 1)),
        ((7, 7), 6, (0, 0)),
        ((5, 7), 6, (1, 1)),
        ((5, 7), 6, (2, 0)),
        ((5, 7), 6, (1, 0)),
        ((5, 7), 5, (0, 0)),
        ((7, 5), 6, (1, 1)),
        ((7, 5), 6, (0, 2)),
        ((7, 5), 6, (0, 1)),
        ((7, 5), 5, (0, 0)),
    ],
)
def test_endings_of_small_boards_are_played_as_their_solution_says(
    shape: tuple[int, int], built: int, stocks: tuple[int, int]
) -> None:
    """With walls on both sides, on one, on none: a position that is won stays won, one that is not lost is not lost, and what is proved is so."""
    game = quoridor(shape[0], 9, limit=1000, columns=shape[1])
    player, decided = make_alphabeta(game, None, depth=20), 0
    for seed in range(8):
        state = spread_out(game, seed, built, stocks)
        exact = Solved(game, built_in(state))
        value = exact.value(state)
        plies = foregone(game, state)
        assert plies == 0 or np.sign(plies) == value
        after = state.copy()
        play(game, after, player.choose_state(game, state, int(turn(game, state)), stream(1)))
        assert (1 if turn(game, after) == OVER else -exact.value(after)) == value
        assert abs(player.value) <= 1 or np.sign(player.value) == value
        decided += abs(player.value) > 1
    assert decided > 0


def test_threads_that_share_a_table_prove_nothing_that_is_not_so() -> None:
    game = quoridor(5, 1, limit=1000)
    exact, player = solved(game), make_alphabeta(game, None, seconds=0.05, threads=3, ponder=True)
    said = 0
    for seed in range(25):
        state = somewhere(game, seed, seed % 9)
        move = player.choose_state(game, state, int(turn(game, state)), stream(1))
        assert move in legal(game, state)
        if abs(player.value) > 1:
            assert np.sign(player.value) == exact.value(state)
            said += 1
    player.forget()  # ends those that think on
    assert said > 0


def test_td_wins_a_won_race_in_time() -> None:
    game = ludus.game("quoridor")
    player = ludus.player("td(seconds=0.01)", game)
    for state in races(game, 4):
        plies, seat = ending(game, state)[1], int(turn(game, state))
        if plies <= 0:
            continue
        assert player.choose_state(game, state, seat, stream(1)) == ending(game, state)[0]
        assert player.reached == plies
