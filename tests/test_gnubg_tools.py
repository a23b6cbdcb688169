"""The tools that measure us by GNU Backgammon, the program: small runs of each, what they count, and what goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnubg_bearoffs import program
from ludus.contract.rules import moves
from ludus.errors import LudusError, NotInstalledError
from ludus.games.backgammon import backgammon
from ludus.games.backgammon.mat import replay
from ludus.players.engines.process import Engine
from test_gnubg_with_cube import children, ended, process_of

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import bearoff_databases
import evaluation_speed
import gnubg_rating

TOOLS = Path(gnubg_rating.__file__).parent
GAME = backgammon()

installed = pytest.mark.skipif(program("gnubg") is None, reason="GNU Backgammon, the program, is not installed here")


def run(tool: str, *arguments: str) -> dict[str, Any] | list[Any]:
    """What a tool prints as JSON."""
    command = [sys.executable, str(TOOLS / f"{tool}.py"), *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- error rates -----------------------------------------------------------------------------------------------------

RATING = ("--against", "random", "--games", "3", "--plies", "0")


@installed
def test_error_rates_are_pooled_over_all_games() -> None:
    found = run("gnubg_rating", *RATING, "--jobs", "1")
    assert isinstance(found, dict)
    ours, theirs, difference = found["rows"]
    lost, unforced = np.array(found["lost"]), np.array(found["unforced"])
    assert lost.shape == unforced.shape == (3, 2)
    assert [ours["rate"], theirs["rate"]] == pytest.approx(1000 * lost.sum(0) / unforced.sum(0))
    assert ours["low"] <= ours["rate"] <= ours["high"]
    assert ours["rate"] < 20 < 100 < theirs["rate"], "td errs little, a random player much, and seats are told apart"
    assert difference["rate"] == pytest.approx(ours["rate"] - theirs["rate"])
    assert run("gnubg_rating", *RATING, "--jobs", "2") == found


@installed
def test_unforced_moves_are_those_of_the_rules(tmp_path: Path) -> None:
    games = list(gnubg_rating.played_games(("td", "random"), 3, seed=2))
    rated = gnubg_rating.gathered(games, list(gnubg_rating.analysed(games, tmp_path, program("gnubg") or "", 0, 1)))
    room = np.zeros(4096, np.int64)
    for number, game in enumerate(games):
        choices = [0, 0]
        for state, turn in replay(game):
            choices[turn.seat] += moves(GAME, state.copy(), turn.seat, room) > 1
        assert rated.unforced[number].tolist() == choices[:: -1 if number % 2 else 1]
        won = game.points if (game.winner == 0) == (number % 2 == 0) else -game.points
        assert rated.points[number].tolist() == [won, -won]


@installed
def test_a_program_that_dies_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Engine] = []

    class Observed(Engine):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(gnubg_rating, "Engine", Observed)
    games = list(gnubg_rating.played_games(("td", "td"), 6, seed=1))
    answers = gnubg_rating.analysed(games, tmp_path, program("gnubg") or "", 2, 1)
    next(answers)
    os.kill(process_of(made[0]), signal.SIGKILL)
    with pytest.raises(
        LudusError, match=r"player 'GNU Backgammon': the engine ended with code 137 when asked 'game \d'"
    ):
        list(answers)


@installed
def test_ctrl_c_ends_the_tool_and_the_program() -> None:
    command = [
        sys.executable,
        str(TOOLS / "gnubg_rating.py"),
        "--against",
        "td",
        "--games",
        "10",
        "--plies",
        "3",
        "--jobs",
        "1",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        while "10 of 10 games played" not in running.stderr.readline():
            assert running.poll() is None
        while len(started := list(children(running.pid))) < 2:  # the keeper and the program
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.wait() == 130
        assert "Traceback" not in running.stderr.read()
        assert running.stdout.read() == ""
    assert all(ended(child) for child in started)


@pytest.mark.parametrize("tool", [gnubg_rating, evaluation_speed])
def test_without_the_program_one_is_told_how_to_get_it(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(sys, "argv", [tool.__name__, "--player", "td"])
    with pytest.raises(NotInstalledError, match="apt-get install gnubg"):
        tool.main()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["--games", "0"], "--games 0"), (["--jobs", "0"], "--jobs 0"), (["--seed", "-1"], "--seed -1"), (["--player", "tdd"], "did you mean 'td'")],
)  # fmt: skip
def test_odd_arguments_are_refused_in_one_line(arguments: list[str], complaint: str) -> None:
    done = subprocess.run(
        [sys.executable, str(TOOLS / "gnubg_rating.py"), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    if program("gnubg") is not None or complaint != "did you mean 'td'":
        assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


# --- speed and databases ---------------------------------------------------------------------------------------------


@installed
def test_evaluations_are_counted_on_both_sides() -> None:
    found = run("evaluation_speed", "--decisions", "100", "--iterations", "20", "--rounds", "2", "--seconds", "0.1")
    assert isinstance(found, dict)
    assert found["positions"] > 300
    assert len(found["rounds"]) == 2
    assert all(rate > 0 for each in found["rounds"] for rate in each.values())
    assert found["ratios"]["gnubg"] == pytest.approx(found["medians"]["ours"] / found["medians"]["gnubg"])


def test_a_program_that_prints_no_result_is_named() -> None:
    with pytest.raises(LudusError, match="gnubg printed no result of calibrate; it ended with code 1"):
        evaluation_speed._calibrate(shutil.which("false") or "", 1)


@installed
def test_the_databases_are_compared_figure_by_figure() -> None:
    found = run("bearoff_databases")
    assert isinstance(found, list)
    assert [row["figures"] for row in found[:4]] == [923 * 923] * 4
    assert max(row["largest"] for row in found[:4]) < 2.5e-4
    assert found[0]["what"] == f"two sides, {bearoff_databases.CUBES[0]}"
