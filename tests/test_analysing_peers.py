"""The analysis of whole matches beside GNU Backgammon's own: what it calls a clear mistake, we do, and the other way round; and it reads our comments."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysed import careless_match
from ludus.analysing import MatchAnalysis, analyse_match
from ludus.analysing.annotating import annotated
from ludus.analysing.turns import Turn
from ludus.errors import NotInstalledError
from ludus.games.backgammon.equities import equities
from ludus.games.backgammon.judging import stake_of
from ludus.games.backgammon.mat import read_mat
from ludus.games.backgammon.points import normalised
from ludus.games.backgammon.rules import TURN
from ludus.kernel import JIT
from ludus.players.engines import process

pytestmark = [pytest.mark.peers, pytest.mark.skipif(not JIT, reason="takes too long in plain Python")]
# Runs inside GNU Backgammon: reads a match, analyses it, and writes what it found.
INSIDE = """
import json
import gnubg
for command in ("set jacoby off", "set beavers 0", "import mat {name}", *("set analysis %s evaluation plies {plies}" % part for part in ("chequerplay", "cubedecision")),
                "analyse match", "show statistics match"):
    gnubg.command(command)
with open("told.json", "w") as file:
    json.dump(gnubg.match(analysis=1, boards=0, statistics=0, verbose=0), file)
"""
CLEAR, SLIGHT = 0.12, 0.04  # points: who sees a clear mistake expects the other to see at least a slight one


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    """Has the program analyse a match in the folder, and tells all that it found."""
    try:
        program = process.installed("gnubg", "gnubg-program", "")
    except NotInstalledError:
        pytest.skip("GNU Backgammon, the program, is not installed here")

    def asked(name: str, plies: int) -> dict[str, Any]:
        script = tmp_path / "inside.py"
        script.write_text(INSIDE.format(name=name, plies=plies))
        done = subprocess.run(
            [program, "-t", "-q", "-r", "-p", str(script)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        )
        (tmp_path / "said.txt").write_text(done.stdout)
        found: dict[str, Any] = json.loads((tmp_path / "told.json").read_text())
        return found

    return asked


def move_of(action: dict[str, Any]) -> float | None:
    """What a move lost; None where nothing was to be decided."""
    listed, made = action["analysis"].get("moves", []), action["analysis"].get("imove")
    return listed[0]["score"] - listed[made]["score"] if made is not None and len(listed) > 1 else None


def points(found: MatchAnalysis, turn: Turn, chance: float) -> float:
    """A match winning chance of who is to roll as points of a money game: 1 is to win what the cube shows, -1 to lose it."""
    stake, table = stake_of(found.sheet.game, turn.state, turn.state[TURN]), equities(found.sheet.game.match)
    return normalised(table, stake, 2 * chance - 1)


def beside(found: MatchAnalysis, told: dict[str, Any]) -> Iterator[tuple[Turn, float]]:
    """Our decisions with what GNU Backgammon says that they lost, in points."""
    for game, there in zip(found.games, told["games"], strict=True):
        actions = iter(each for each in there["game"] if each["action"] in ("move", "double", "take", "drop"))
        waiting: list[Turn] = []  # who might have doubled and rolled: GNU Backgammon tells it with the move
        take = 0.0
        for turn in game.turns:
            if turn.played == "no double":
                waiting.append(turn)
                continue
            action = next(actions)
            assert turn.seat == "XO".index(action["player"])
            seen = action.get("analysis") or {}
            if turn.kind == "cube" and turn.played != "double":
                yield turn, max(take - 1, 0.0) if turn.played == "take" else max(1 - take, 0.0)
                continue
            if "dt-cubeful-eq" in seen and (turn.kind == "cube" or waiting):
                one = waiting.pop() if waiting else turn
                hold, take = (points(found, one, seen[key]) for key in ("nd-cubeful-eq", "dt-cubeful-eq"))
                gain = min(take, 1.0) - hold
                yield one, max(-gain if turn.played == "double" else gain, 0.0)
            waiting.clear()
            if turn.kind == "move" and (lost := move_of(action)) is not None:
                yield turn, lost
        assert next(actions, None) is None


def flagged(pairs: list[tuple[Turn, float]]) -> list[tuple[Turn, float]]:
    """Decisions that one side calls a clear mistake, and the other not even a slight one."""
    return [
        (turn, lost)
        for turn, lost in pairs
        if max(turn.loss or 0.0, lost) >= CLEAR and min(turn.loss or 0.0, lost) < SLIGHT
    ]


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_mistakes_are_those_that_gnu_backgammon_finds(tmp_path: Path, ask: Any, seed: int) -> None:
    path = careless_match(tmp_path / "match.mat", 7, seed, (0.1, 0.25))
    found = analyse_match(path, plies=1)
    pairs = list(beside(found, ask("match.mat", 0)))
    moves, cube = ([pair for pair in pairs if pair[0].kind == kind] for kind in ("move", "cube"))
    assert len(moves) > 60
    assert len(cube) >= 20
    assert sum(lost >= CLEAR for _, lost in moves) >= 3
    assert sum(lost >= CLEAR for _, lost in cube) >= 1
    assert flagged(pairs) == []
    for part in (moves, cube):
        ours, theirs = sum(turn.loss or 0.0 for turn, _ in part), sum(lost for _, lost in part)
        assert ours == pytest.approx(theirs, rel=0.3, abs=0.2)


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_the_same_decisions_count(tmp_path: Path, ask: Any, seed: int) -> None:
    """Unforced moves and all decisions about the cube; which of these are close depends on the judge, and so do rates."""
    found = analyse_match(careless_match(tmp_path / "match.mat", 7, seed, (0.1, 0.25)), plies=0)
    ask("match.mat", 0)
    said = (tmp_path / "said.txt").read_text()

    def figures(label: str) -> list[float]:
        """Of both players, as they are said last."""
        return [float(number) for number in re.findall(rf"{label}\D*?(-?[\d.]+)(?: +\([^)]*\))? +(-?[\d.]+)", said)[-1]]

    sums = [found.sums(seat) for seat in (0, 1)]
    assert figures("Unforced moves") == [each.checker.counted for each in sums]
    assert figures("Total cube decisions") == [each.cube.decisions for each in sums]
    assert figures("Close or actual cube decisions") == pytest.approx([each.cube.counted for each in sums], abs=2)
    overall = [-rate for rate in figures(r"Error rate mEMG \(MWC\)")]  # the last of the three
    assert overall == pytest.approx([each.error_rate for each in sums], rel=0.3)


def test_gnu_backgammon_reads_a_match_with_our_comments(tmp_path: Path, ask: Any) -> None:
    path = careless_match(tmp_path / "match.mat", 5, 2, (0.1, 0.25))
    text = annotated(analyse_match(path, plies=0))
    assert "wrong double" in text
    (tmp_path / "commented.mat").write_text(text)
    assert read_mat(text) == read_mat(path.read_text())
    assert ask("commented.mat", 0)["games"] == ask("match.mat", 0)["games"]
