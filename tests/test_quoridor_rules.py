"""The rules of Quoridor: counted, against a naive table in plain Python, against OpenSpiel, and one by one on boards set up by hand."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contract.rules import OVER, moves, play, random_move, scores, turn
from ludus.contract.rules import start as begin
from ludus.errors import LudusError
from ludus.games import game as ludus_game
from ludus.games import game_name
from ludus.games.quoridor import Quoridor, bitboard, quoridor, rules
from ludus.games.quoridor.bitboard import (
    DIRECTIONS,
    OFFSET,
    PASS,
    PAWN,
    STEP,
    WIDTH,
    distance,
    path_blockers,
    shortest_path,
    side_of,
)
from ludus.games.quoridor.naming import goal_text
from ludus.games.quoridor.rules import count_moves, legal_walls, perft, steps
from ludus.kernel import JIT, stream
from naive_quoridor import Action, Table

needs_jit = pytest.mark.skipif(not JIT, reason="takes hours in plain Python")


def start_of(game: Quoridor) -> np.ndarray:
    state = np.zeros(game.facts.state_size, np.int64)
    begin(game, state)
    return state


def legal(game: Quoridor, state: np.ndarray) -> list[int]:
    out = np.full(game.facts.max_moves, -1, np.int64)
    count = moves(game, state, turn(game, state), out)
    return [int(move) for move in out[:count]]


def after(game: Quoridor, *played: int) -> np.ndarray:
    """The state after these moves, which must be legal."""
    state = start_of(game)
    for move in played:
        assert move in legal(game, state), f"move {move} is not legal"
        play(game, state, move)
    return state


def square(name: str) -> int:
    return WIDTH * (int(name[1]) - 1) + ord(name[0]) - ord("a")


def wall(name: str) -> int:
    """`e3h`: the wall whose middle is above and to the right of e3."""
    return 8 * (int(name[1]) - 1) + ord(name[0]) - ord("a") + (64 if name[2] == "v" else 0)


def board(game: Quoridor, pawns: str, walls: str = "", mover: int = 0) -> np.ndarray:
    """A position with pawns on these squares and these walls on the board, taken from nobody's stock."""
    state = start_of(game)
    for name in walls.split():
        state[bitboard.HORIZONTAL + wall(name) // 64] |= bitboard.BIT[wall(name) % 64]
        bitboard.shut(state, wall(name))
    for seat, name in enumerate(pawns.split()):
        state[PAWN + seat] = square(name)
    state[bitboard.TURN] = mover
    return state


def landings(game: Quoridor, state: np.ndarray) -> str:
    """The squares that the pawn to move can go to, in order."""
    seat = turn(game, state)
    mask = steps(game, state, seat)
    there = [int(state[PAWN + seat]) + int(OFFSET[i]) for i in range(12) if mask >> i & 1]
    return " ".join(sorted(f"{chr(ord('a') + s % WIDTH)}{s // WIDTH + 1}" for s in there))


# --- counting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("depth", "count"),
    [
        (1, 131),
        pytest.param(2, 16_677, marks=needs_jit),
        pytest.param(3, 2_062_264, marks=needs_jit),
        pytest.param(4, 247_569_030, marks=needs_jit),
    ],
)
def test_the_known_counts_of_the_usual_game(depth, count):
    game = quoridor()
    assert perft(game, start_of(game), depth) == count


@pytest.mark.parametrize(
    ("game", "depth"),
    [
        (quoridor(3, walls=2), 4),
        (quoridor(3, walls=2, limit=3), 4),  # after the last ply nobody moves
        (quoridor(4, walls=3), 3),
        (quoridor(5, walls=0), 7),
        (quoridor(5, walls=1), 3),
        (quoridor(6, walls=2), 2),
        (quoridor(3, walls=1, seats=4), 4),
        (quoridor(4, walls=1, seats=4), 3),
        (quoridor(5, walls=1, seats=4), 2),
        (quoridor(7, walls=0, seats=4), 6),
        (quoridor(5, walls=2, columns=7), 2),
        (quoridor(7, walls=0, columns=5), 7),
        (quoridor(3, walls=2, columns=4), 3),
        (quoridor(9, walls=1, columns=3), 3),
        (quoridor(3, walls=1, columns=9, seats=4), 2),
    ],
    ids=repr,
)
def test_counts_of_other_boards_are_those_of_a_naive_table(game, depth):
    depth = depth if JIT else min(depth, 2 + 2 * (game.walls == 0))
    expected = table_of(game).perft(depth)
    assert perft(game, start_of(game), depth) == expected


# --- a naive table beside it -----------------------------------------------------------------------------------------


def table_of(game: Quoridor) -> Table:
    """The naive table of a game."""
    return Table(game.size, game.walls, game.seats, game.limit, columns=game.columns)


def as_action(game: Quoridor, state: np.ndarray, move: int) -> Action:
    """A move in the words of the naive table."""
    if move < STEP:
        return "hv"[move // 64], move % 64 // 8, move % 8
    if move == PASS:
        return "pass", 0, 0
    row, column = divmod(int(state[PAWN + turn(game, state)] + OFFSET[move - STEP]), WIDTH)
    return "to", row, column


def check_the_same(game: Quoridor, state: np.ndarray, table: Table) -> list[int]:
    """That both see the same position; returns the legal moves."""
    seats = range(game.seats)
    assert [divmod(int(state[PAWN + s]), WIDTH) for s in seats] == table.pawns
    assert [int(state[PAWN + game.seats + s]) for s in seats] == table.stocks
    assert [distance(game, state, s) for s in seats] == [table.distance(s) for s in seats]
    before = state.copy()
    assert (turn(game, state) == OVER) == table.over
    if table.over:
        result = np.full(game.seats, np.nan)
        scores(game, state, result)
        won = [1.0 if s == table.winner else -1 / (game.seats - 1) for s in seats]
        assert result.tolist() == (won if table.winner is not None else [0.0] * game.seats)
        return []
    assert turn(game, state) == table.turn
    found = legal(game, state)
    assert len(found) == len(set(found)) == count_moves(game, state, table.turn)
    assert {as_action(game, state, move) for move in found} == table.actions()
    assert np.array_equal(state, before)
    return found


# Pawns move less often where more walls are wanted; with few walls they meet more often.
positions = st.fixed_dictionaries(
    {
        "size": st.integers(3, 9),
        "columns": st.none() | st.integers(3, 9),
        "walls": st.integers(0, 12),
        "seats": st.sampled_from([2, 4]),
        "seed": st.integers(0, 2**31),
        "plies": st.integers(0, 60),
        "steps": st.sampled_from([0.1, 0.5, 0.9]),
    }
)


@settings(max_examples=150 if JIT else 30, deadline=None)
@given(positions)
def test_positions_are_those_of_a_naive_table(how):
    game = quoridor(how["size"], how["walls"], how["seats"], columns=how["columns"])
    state, table, choice = start_of(game), table_of(game), random.Random(how["seed"])
    for _ in range(how["plies"]):
        if table.over:
            break
        found = legal(game, state)
        own = [move for move in found if move >= STEP]
        move = choice.choice(own if own and choice.random() < how["steps"] else found)
        table.play(as_action(game, state, move))
        play(game, state, move)
    check_the_same(game, state, table)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize(
    ("size", "columns", "limit", "games"), [(3, 3, 60, 15), (5, 5, 60, 15), (5, 7, 150, 4), (7, 5, 150, 4)]
)
def test_whole_games_are_those_of_a_naive_table(size, columns, limit, games, seats):
    game, choice = quoridor(size, 3, seats, limit, columns), random.Random(size + seats)
    ends: Counter[int | None] = Counter()
    for _ in range(games if JIT else 4):
        state, table = start_of(game), table_of(game)
        while found := check_the_same(game, state, table):
            move = choice.choice(found)
            table.play(as_action(game, state, move))
            play(game, state, move)
        ends[table.winner] += 1
    assert len(ends) > 1


@pytest.mark.parametrize("seats", [2, 4])
def test_a_random_move_is_any_legal_move(seats):
    game, rng = quoridor(4, walls=4, seats=seats), stream(7)
    room = np.zeros(game.facts.max_moves, np.int64)
    state = start_of(game)
    for _ in range(8):
        play(game, state, random_move(game, state, turn(game, state), rng, room))
    assert turn(game, state) != OVER
    found = legal(game, state)
    drawn = Counter(int(random_move(game, state, turn(game, state), rng, room)) for _ in range(300 * len(found)))
    assert sorted(drawn) == sorted(found)
    assert all(200 < count < 400 for count in drawn.values())


# --- paths -----------------------------------------------------------------------------------------------------------


@settings(max_examples=100 if JIT else 20, deadline=None)
@given(positions)
def test_a_shortest_path_leads_to_the_goal_and_its_blockers_lengthen_or_leave_it(how):
    game, rng = quoridor(how["size"], how["walls"], how["seats"], columns=how["columns"]), stream(how["seed"])
    state, room = start_of(game), np.zeros(3 * 81, np.int64)
    listed = np.zeros(game.facts.max_moves, np.int64)
    for _ in range(how["plies"]):
        if turn(game, state) == OVER:
            return
        play(game, state, random_move(game, state, turn(game, state), rng, listed))
    if turn(game, state) == OVER:
        return
    for seat in range(game.seats):
        path = np.zeros(81, np.int64)
        length = shortest_path(game, state, seat, path, room)
        assert length == distance(game, state, seat)
        walker = state.copy()
        horizontal, vertical = (int(word) & (2**64 - 1) for word in path_blockers(game, state, seat, room))
        crossed = 0
        for way in path[:length]:
            assert bitboard.is_open(walker, walker[PAWN + seat], way)
            h, v = bitboard.cuts(walker[PAWN + seat], way)
            crossed |= (int(h) & (2**64 - 1)) | (int(v) & (2**64 - 1)) << 64
            walker[PAWN + seat] += OFFSET[way]
        assert rules.is_home(game, walker, seat)
        assert crossed == horizontal | vertical << 64
        # A wall that is not among the blockers leaves the path as it is.
        free_h, free_v = (int(word) & (2**64 - 1) for word in legal_walls(game, state))
        for move in range(128):
            if (free_h | free_v << 64) >> move & 1 and not crossed >> move & 1:
                bitboard.shut(state, move)
                assert distance(game, state, seat) == length
                bitboard.shut(state, move)


# --- one by one ------------------------------------------------------------------------------------------------------

GAME = quoridor()


@pytest.mark.parametrize(
    ("pawns", "walls", "expected"),
    [
        ("e5 a9", "", "d5 e4 e6 f5"),
        ("a1 a9", "", "a2 b1"),
        ("e5 a9", "e5h e4v", "d5 e4"),
        ("e5 a9", "d4h", "d5 e6 f5"),
        ("e5 e6", "", "d5 e4 e7 f5"),  # a jump
        ("e5 e6", "e6h", "d5 d6 e4 f5 f6"),  # a wall behind: to both sides
        ("e5 e6", "e6h e5v", "d5 d6 e4"),  # on the right there is a wall too
        ("e5 e6", "e6h d5v e6v", "e4 f5"),
        ("e5 e6", "e5h", "d5 e4 f5"),  # a wall between them
        ("e1 d1", "", "c1 e2 f1"),
        ("b5 a5", "", "a4 a6 b4 b6 c5"),  # the edge is behind
        ("b9 a9", "", "a8 b8 c9"),
    ],
)  # fmt: skip
def test_steps_and_jumps(pawns, walls, expected):
    assert landings(GAME, board(GAME, pawns, walls)) == expected


def test_with_four_seats_nobody_jumps_over_two():
    four = quoridor(seats=4)
    assert landings(four, board(four, "e5 e6 e7 a1")) == "d5 e4 f5"
    assert landings(four, board(four, "e5 e6 d6 a1", "e6h")) == "d5 e4 f5 f6"


def test_walls_do_not_cross_or_overlap():
    for built, gone in (("e3h", "d3h e3h f3h e3v"), ("e3v", "e2v e3v e4v e3h"), ("a1h", "a1h b1h a1v")):
        walls = {move for move in legal(GAME, after(GAME, wall(built))) if move < STEP}
        assert set(range(128)) - walls == {wall(name) for name in gone.split()}


def test_no_wall_cuts_off_a_pawn():
    corridor = "a1h c1h e1h g1h"  # the row is shut but for the last square
    state = board(GAME, "e1 e9", corridor)
    assert distance(GAME, state, 0) == 12
    found = legal(GAME, state)
    assert wall("h1v") not in found
    assert wall("h1h") not in found  # it would overlap
    assert wall("h2h") in found
    assert distance(GAME, board(GAME, "e1 e9", corridor + " h1v"), 0) == -1


def test_a_seat_without_walls_only_steps():
    state = start_of(quoridor(walls=0))
    assert legal(quoridor(walls=0), state) == [STEP, STEP + 1, STEP + 3]


def test_a_seat_that_can_do_nothing_passes():
    four = quoridor(3, walls=0, seats=4)
    state = board(four, "a1 a2 a3 c1", "a1v")  # two pawns above it, and a wall to the right
    assert legal(four, state) == [PASS]
    before = state.copy()
    play(four, state, PASS)
    assert state[bitboard.TURN] == 1
    assert np.array_equal(state[PAWN:], before[PAWN:])


def test_the_first_at_the_other_side_wins_and_the_limit_is_a_draw():
    result = np.zeros(2)
    game = quoridor(3, walls=0)
    state = after(game, STEP + 1, STEP + 2, STEP)  # right, down, up
    play(game, state, STEP + 2)
    assert turn(game, state) == OVER
    scores(game, state, result)
    assert result.tolist() == [-1, 1]
    drawn = quoridor(limit=2)
    state = after(drawn, STEP, STEP + 2)
    assert turn(drawn, state) == OVER
    scores(drawn, state, result)
    assert result.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"size": 2}, "size=2"), ({"size": 10}, "3 to 9"), ({"columns": 2}, "columns=2.*a number of columns is"), ({"seats": 3}, "two or four"), ({"walls": -1}, "walls=-1"), ({"limit": 0}, "limit=0")],
)  # fmt: skip
def test_impossible_parameters_are_named(wrong, named):
    with pytest.raises(LudusError, match=named):
        quoridor(**wrong)


def test_a_board_has_as_many_columns_as_rows_unless_told():
    for size in range(3, 10):
        square = quoridor(size)
        assert (square.columns, square) == (size, quoridor(size, columns=size))
        assert Quoridor(size=size, walls=square.walls, limit=square.limit) == square
        assert "columns" not in f"{square!r} {game_name(square)} {square.facts.model}"


@pytest.mark.parametrize(
    ("game", "starts", "goals"),
    [
        (quoridor(5, columns=7), "d1 d5", "row 5, row 1"),
        (quoridor(7, columns=5, seats=4), "c1 a4 c7 e4", "row 7, column e, row 1, column a"),
        (quoridor(4, columns=9, seats=4), "e1 a3 e4 i3", "row 4, column i, row 1, column a"),
    ],
    ids=repr,
)
def test_on_a_rectangle_each_seat_runs_to_the_other_side(game, starts, goals):
    assert game.start().text.startswith(f"{starts} / ")
    assert ", ".join(goal_text(game, seat) for seat in range(game.seats)) == goals
    assert [distance(game, start_of(game), s) for s in range(game.seats)] == [
        game.size - 1 if side_of(game, s) % 2 == 0 else game.columns - 1 for s in range(game.seats)
    ]


def test_a_rectangle_has_a_name_of_its_own_and_walls_and_plies_by_its_squares():
    tall, wide = quoridor(7, columns=5), quoridor(5, columns=7)
    assert (tall.walls, tall.limit, quoridor(7, columns=5, seats=4).walls) == (4, 140, 2)
    assert (tall.facts.model, wide.facts.model) == ("quoridor-7x5", "quoridor-5x7")
    assert game_name(tall) == "quoridor(size=7,columns=5,walls=4,limit=140)"
    assert ludus_game(game_name(tall)) == ludus_game("quoridor(size=7,columns=5)") == tall
    assert tall.facts.max_moves == 2 * 6 * 4 + 12
    with pytest.raises(LudusError, match="columns=10"):
        ludus_game("quoridor(columns=10)")


@pytest.mark.skipif(not JIT, reason="counts compiled code")
def test_all_boards_are_played_by_the_same_compiled_code():
    before = len(perft.signatures)
    counts = [perft(game, start_of(game), 2) for game in (quoridor(), quoridor(7, columns=5), quoridor(3, columns=8))]
    assert counts == [16_677, *(table_of(game).perft(2) for game in (quoridor(7, columns=5), quoridor(3, columns=8)))]
    assert len(perft.signatures) <= max(before, 1)


# --- OpenSpiel -------------------------------------------------------------------------------------------------------


def spiel_actions(size: int) -> np.ndarray:
    """OpenSpiel's number for each of our moves.

    It numbers squares and grooves together, 2 · size - 1 a row, from the top left. A wall has the number of its upper or left half; a
    pawn's move that of where it would lead from the square (1, 1), and a jump straight on that of a step the same way.
    """
    row = 2 * size - 1
    table = np.full(bitboard.ACTIONS, -1, np.int64)
    for r in range(size - 1):
        for c in range(size - 1):
            table[8 * r + c] = row * (2 * (size - 1 - r) - 1) + 2 * c
            table[64 + 8 * r + c] = row * (2 * (size - 2 - r)) + 2 * c + 1
    for i, name in enumerate(DIRECTIONS):
        x = 2 + 2 * (("r" in name) - ("l" in name))
        y = 2 + 2 * (("d" in name) - ("u" in name))
        table[STEP + i] = row * y + x
    return table


@pytest.mark.peers
@needs_jit
@pytest.mark.parametrize(
    ("game", "games"),
    [(quoridor(), 1000), (quoridor(5, walls=3), 300), (quoridor(5, walls=8), 100), (quoridor(8, walls=8), 30), (quoridor(seats=4), 60), (quoridor(5, walls=3, seats=4), 200)],
    ids=repr,
)  # fmt: skip
def test_games_go_in_openspiel_as_they_go_here(game: Quoridor, games: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    name = f"quoridor(board_size={game.size},wall_count={game.walls},players={game.seats})"
    theirs: Any = pyspiel.load_game(name)
    table, choice = spiel_actions(game.size), random.Random(game.size)
    room, result = np.zeros(game.facts.max_moves, np.int64), np.zeros(game.seats)
    ends: Counter[str] = Counter()
    for number in range(games):
        wish = (number % 4) / 4  # how often a pawn is moved although a wall could be built
        spiel, state = theirs.new_initial_state(), start_of(game)
        while (seat := turn(game, state)) != OVER:
            assert not spiel.is_terminal()
            found = room[: moves(game, state, seat, room)]
            if found[0] == PASS:  # it means to pass too, but its number for that leads elsewhere
                ends["stuck"] += 1
                break
            assert np.array_equal(np.unique(table[found]), np.unique(spiel.legal_actions())), f"{spiel}"
            own = int((found >= STEP).sum())  # listed first
            move = int(found[choice.randrange(own if own and choice.random() < wish else len(found))])
            spiel.apply_action(int(table[move]))
            play(game, state, move)
        else:
            assert spiel.is_terminal()
            scores(game, state, result)
            if state[bitboard.PLY] < game.limit:
                assert spiel.returns() == pytest.approx(result.tolist())
                ends[f"won by {result.argmax()}"] += 1
            else:  # it calls the last ply a draw even where it wins
                assert spiel.returns() == [0.0] * game.seats
                ends["limit"] += 1
    assert ends["stuck"] <= games // 50
    assert len(ends) > game.seats - 1
