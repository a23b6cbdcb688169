"""The exact solver of connect four against plain recursion, and the yardstick made with it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import ludus
from ludus.bench.connectfour import Solver, board_of
from ludus.errors import LudusError
from ludus.kernel import JIT

TOOL = Path(__file__).parent.parent / "tools" / "connectfour_moves.py"
DATA = Path(__file__).parent / "data" / "connectfour.txt"

Board = tuple[str, ...]  # the stones of each column from the bottom, "x" and "o"; "x" begins


def wins(board: Board, column: int) -> bool:
    """Whether the top stone of a column is in a line of four."""
    row, stone = len(board[column]) - 1, board[column][-1]

    def same(c: int, r: int) -> bool:
        return 0 <= c < 7 and 0 <= r < len(board[c]) and board[c][r] == stone

    for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            step = 1
            while same(column + way * step * across, row + way * step * up):
                length, step = length + 1, step + 1
        if length >= 4:
            return True
    return False


@cache
def plainly(board: Board) -> dict[int, int]:
    """The score of each move by its column from 1 to 7, by going through all games."""
    stones = sum(map(len, board))
    found = {}
    for column in range(7):
        if len(board[column]) == 6:
            continue
        after = (*board[:column], board[column] + "xo"[stones % 2], *board[column + 1 :])
        if wins(after, column):
            found[column + 1] = 22 - (stones // 2 + 1)
        elif stones == 41:
            found[column + 1] = 0
        else:
            found[column + 1] = -max(plainly(after).values())
    return found


def late(seed: int, stones: int) -> tuple[str, Board]:
    """A position after so many moves at random without a line of four."""
    rng = random.Random(seed)
    while True:
        columns, board = "", ("",) * 7
        while len(columns) < stones:
            column = rng.choice([c for c in range(7) if len(board[c]) < 6])
            stone = "xo"[len(columns) % 2]
            board = (*board[:column], board[column] + stone, *board[column + 1 :])
            columns += str(column + 1)
            if wins(board, column):
                break
        else:
            return columns, board


@pytest.mark.parametrize("seed", range(30 if JIT else 3))
def test_late_positions_by_plain_recursion(seed: int) -> None:
    columns, board = late(seed, 30 + seed % 11)
    solver = Solver(1 << 12)  # so small that entries are written over
    assert solver.scores(columns) == plainly(board)
    signs = {column: (score > 0) - (score < 0) for column, score in plainly(board).items()}
    assert Solver(1 << 12).values(columns) == solver.values(columns) == signs


@pytest.mark.skipif(not JIT, reason="takes long in plain Python")
def test_a_win_at_once_and_a_threat_that_must_be_met() -> None:
    assert Solver().scores("112233")[4] == 18  # with the fourth stone: 22 - 4
    scores = Solver().scores("414147171")  # three in column 4: whoever does not play there loses to the sixth stone
    assert [column for column, score in scores.items() if score > 6 - 22] == [4]


@pytest.mark.skipif(not JIT, reason="takes long in plain Python")
def test_mirrored_positions_have_mirrored_scores() -> None:
    for seed in range(20):
        columns, _ = late(seed, 20)
        mirrored = "".join(str(8 - int(column)) for column in columns)
        assert Solver().scores(mirrored) == {
            8 - c: score for c, score in sorted(Solver().scores(columns).items())[::-1]
        }


@pytest.mark.long
def test_the_first_moves() -> None:
    # Known since 1988 (James Allen, Victor Allis): the middle wins, the columns beside it draw, the others lose.
    assert Solver(1 << 24).values("") == {1: -1, 2: -1, 3: 0, 4: 1, 5: 0, 6: -1, 7: -1}


@pytest.mark.parametrize(
    ("columns", "words"),
    [("4448", "move 4 of '4448' is '8'"), ("1111111", "column 1 is full at move 7"), ("12121212", "over after move 7")],
)
def test_games_that_there_are_not(columns: str, words: str) -> None:
    with pytest.raises(LudusError, match=words):
        board_of(columns)


# --- the yardstick ---------------------------------------------------------------------------------------------------


def test_the_stored_positions_are_what_they_should_be() -> None:
    lines = [line.split() for line in DATA.read_text().splitlines()[1:]]
    assert len(lines) == len({columns for columns, *_ in lines}) == 1000
    game, solver = ludus.game("connectfour"), Solver()
    for columns, *texts in lines:
        scores = {column: int(text) for column, text in enumerate(texts, 1) if text != "."}
        assert len({(score > 0) - (score < 0) for score in scores.values()}) > 1
        assert 6 <= len(columns) <= 32
        if len(columns) > (20 if JIT else 31):
            assert solver.scores(columns) == scores
    position = game.start()
    for column in lines[0][0]:
        position = position.play(f"(drop {column})")
    assert {move.text for move in position.moves()} == {
        f"( drop {c} )" for c, text in enumerate(lines[0][1:], 1) if text != "."
    }


def test_a_player_is_measured() -> None:
    command = [sys.executable, str(TOOL), "--positions", "12", "--json", "--player"]
    found = json.loads(subprocess.run([*command, "mcts(simulations=50)"], capture_output=True, check=True).stdout)
    assert found["positions"] == 12
    low, high = found["optimal"]["interval"]
    assert 0 <= low <= found["optimal"]["share"] <= high <= 1
    assert found["exact"]["share"] <= found["optimal"]["share"] == 1 - len(found["wrong"]) / 12
    assert sum(stage["positions"] for stage in found["stages"]) == 12
    refused = subprocess.run([*command, "nobody"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "unknown player 'nobody'" in refused.stderr
    assert "Traceback" not in refused.stderr
