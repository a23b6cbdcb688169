"""The thesis's two players of Quoridor: each rule in a position where it decides, and legal moves everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import ludus
from ludus.contract.playing import choose
from ludus.contract.rules import OVER, moves, play, random_move, start, turn
from ludus.errors import LudusError
from ludus.games.quoridor import Quoridor, quoridor
from ludus.games.quoridor.bitboard import BIT, HORIZONTAL, PASS, PAWN, STEP, VERTICAL, shut
from ludus.kernel import JIT, stream
from ludus.players import player
from ludus.players.quoridor import Heuristic, Path

UP, RIGHT, UP_UP, UP_RIGHT, UP_LEFT = STEP, STEP + 1, STEP + 4, STEP + 8, STEP + 9
GAME = quoridor()
DRAWS = 400 if JIT else 60


def h(row: int, column: int) -> int:
    """The horizontal wall above this row, over this column and the next; both count from 0."""
    return 8 * row + column


def v(row: int, column: int) -> int:
    """The vertical wall to the right of this column, along this row and the next."""
    return 64 + 8 * row + column


def position(pawns: str, *walls: int, game: Quoridor = GAME, stocks: tuple[int, ...] | None = None) -> np.ndarray:
    """A state in which seat 0 is to move, with the pawns on these squares."""
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    for seat, square in enumerate(pawns.split()):
        state[PAWN + seat] = 9 * (int(square[1]) - 1) + "abcdefghi".index(square[0])
    for wall in walls:
        state[HORIZONTAL if wall < 64 else VERTICAL] |= BIT[wall & 63]
        shut(state, wall)
    if stocks is not None:
        state[PAWN + game.seats :] = stocks
    return state


def answers(who: Path | Heuristic, state: np.ndarray, game: Quoridor = GAME) -> dict[int, float]:
    """How often a player makes each move for seat 0; the state must come out as it went in."""
    before = state.copy()
    shares: dict[int, float] = {}
    for i in range(DRAWS):
        move = int(choose(who, game, state, 0, stream(7, i)))
        shares[move] = shares.get(move, 0) + 1 / DRAWS
    assert (state == before).all()
    return shares


# --- path ------------------------------------------------------------------------------------------------------------


def test_path_goes_straight_where_it_can() -> None:
    assert answers(Path(), position("e1 e9")).keys() == {UP}


def test_path_goes_round_a_wall_on_the_shorter_side() -> None:
    assert answers(Path(), position("e1 e9", h(0, 3))).keys() == {RIGHT}


def test_path_draws_among_shortest_ways() -> None:
    shares = answers(Path(), position("e1 e9", h(1, 3)))  # over d2 and e2: to f at once, or from e2
    assert shares.keys() == {UP, RIGHT}
    assert shares[UP] == pytest.approx(0.5, abs=0.2)


def test_path_jumps_over_a_pawn() -> None:
    assert answers(Path(), position("e4 e5")).keys() == {UP_UP}


def test_path_jumps_aside_where_a_wall_is_behind_the_pawn() -> None:
    assert answers(Path(), position("e4 e5", h(4, 4))).keys() == {UP_LEFT}  # over e5 and f5: d5 is past it
    # Over d5, e5, f5 and g5, in two walls: from d5 the end is nearer than from f5.
    assert answers(Path(), position("e4 e5", h(4, 3), h(4, 5))).keys() == {UP_LEFT}


def test_path_of_a_pawn_that_is_shut_in_builds_a_wall_or_passes() -> None:
    game = quoridor(size=3, seats=4)
    # a1 is left by b1 only, where a pawn stands with a wall behind it and another pawn aside.
    state = position("a1 b1 b2 c3", h(0, 0), v(0, 1), game=game)
    assert (answers(Path(), state, game).keys() == {PASS}) == (moves(game, state, 0, np.zeros(141, np.int64)) == 1)
    assert all(move < STEP or move == PASS for move in answers(Path(), state, game))


# --- heuristic: the six rules ----------------------------------------------------------------------------------------


def test_without_walls_it_follows_its_path() -> None:
    assert answers(Heuristic(), position("e5 d2", stocks=(0, 10))).keys() == {UP}


def test_a_step_from_the_goal_it_wins() -> None:
    assert answers(Heuristic(), position("e8 d2")).keys() == {UP}


def test_on_its_starting_line_it_follows_its_path() -> None:
    assert answers(Heuristic(), position("c1 h2")).keys() == {UP}


def test_with_two_ways_to_block_it_blocks() -> None:
    assert answers(Heuristic(), position("g5 d2")).keys() == {h(0, 2), h(0, 3)}


def test_with_more_than_two_it_runs_in_sixty_of_a_hundred() -> None:
    shares = answers(Heuristic(), position("g5 d3"))
    assert shares.keys() == {UP, h(0, 2), h(0, 3), h(1, 2), h(1, 3)}
    assert shares[UP] == pytest.approx(0.6, abs=0.2)


def test_it_does_not_block_its_own_path() -> None:
    shares = answers(Heuristic(patience=0.0), position("d2 d3"))  # the way between d2 and d3 is both's
    assert shares.keys() == {h(0, 2), h(0, 3)}


def test_it_does_not_cut_the_opponent_off() -> None:
    # a2 and a3 are a room with one door, to a1.
    assert answers(Heuristic(), position("g5 a2", v(1, 0), h(2, 0))).keys() == {UP}


def test_among_four_the_one_nearest_to_the_goal_is_blocked() -> None:
    game = quoridor(seats=4)
    state = position("c3 b7 f2 f8", game=game)
    assert answers(Heuristic(), state, game).keys() == {h(0, 4), h(0, 5)}


def test_walls_that_prolong_are_those_with_no_way_round_as_short() -> None:
    # From e3 two ways lead round the wall under d2 and e2 to f1; the thesis keeps one of them, e2-f2-f1.
    state = position("a5 e3", h(0, 3))
    blocking = {h(1, 3), h(1, 4), v(0, 4), v(1, 4), h(0, 5)}
    assert answers(Heuristic(patience=0.0), state).keys() == blocking
    assert answers(Heuristic(patience=0.0, prolong=True), state).keys() == {h(1, 4), v(1, 4), h(0, 5)}


# --- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["path", "heuristic", "heuristic(prolong=true)"])
@pytest.mark.parametrize(
    "game", [GAME, quoridor(size=5, walls=4), quoridor(seats=4), quoridor(size=3, walls=1)], ids=repr
)
def test_all_moves_are_legal(name: str, game: Quoridor) -> None:
    who, state, listed = player(name, game), np.zeros(game.facts.state_size, np.int64), np.zeros(141, np.int64)
    for number in range(20 if JIT else 1):
        rng = stream(3, number)
        start(game, state)
        while (seat := turn(game, state)) != OVER:
            move = choose(who, game, state, seat, rng)
            assert move in listed[: moves(game, state, seat, listed)]
            # Random walls and steps in between lead to positions that neither player would see by itself.
            play(game, state, move if number % 2 else random_move(game, state, seat, rng, listed))


def test_heuristic_beats_path() -> None:
    rows = ludus.arena(GAME, ["heuristic", "path"], games=200 if JIT else 4, jobs=1).rows
    assert rows[0].wins > rows[1].wins


@pytest.mark.parametrize("patience", [-0.1, 1.5])
def test_patience_is_a_share(patience: float) -> None:
    with pytest.raises(LudusError, match="from 0 to 1"):
        player(f"heuristic(patience={patience})", GAME)


def test_they_play_quoridor_only() -> None:
    with pytest.raises(LudusError, match="plays quoridor only"):
        player("path", ludus.game("backgammon"))
