"""An installed package brings a method, a game and a player, by entry points. They have plain names then, and no file of ludus knows of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import outsiders

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "kit"
version = "1.0"

[project.entry-points."ludus.methods"]
opener = "kit.opener:Opener"
broken = "kit.broken:Method"

[project.entry-points."ludus.games"]
heap = "kit.heap:Heap"

[project.entry-points."ludus.players"]
stubborn = "kit.stubborn:Stubborn"
guarded = "kit.stubborn:guarded"

[tool.setuptools]
packages = ["kit"]
"""
SET = ["--set", "evaluation_games=4", "--set", "evaluate_every=40", "--set", "opponents=stubborn,random"]
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which pip has installed the package, without asking the network for anything."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    outsiders.write(source / "kit")
    (source / "kit" / "__init__.py").write_text("")
    (source / "kit" / "broken.py").write_text("1 / 0\n")
    (source / "pyproject.toml").write_text(PROJECT)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--no-build-isolation", "--target", str(target), str(source)], check=True)
    return target


@pytest.fixture
def command(installed: Path, tmp_path: Path) -> Command:
    """Runs a command in a process that finds the package, unless told otherwise."""

    def run(*arguments: Any, with_kit: bool = True) -> subprocess.CompletedProcess[str]:
        paths = [str(installed)] * with_kit + [os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        line = [sys.executable, "-m", "ludus", *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment)

    return run


def test_all_three_by_their_plain_names(command: Command, tmp_path: Path) -> None:
    trained = command("train", "heap(size=5)", "--method", "opener", "--games", 60, "--out", "run", *SET)
    assert trained.returncode == 0, trained.stderr
    assert "ludus play heap(size=5) --against run:run" in trained.stdout
    config = (tmp_path / "run" / "config.toml").read_text()
    assert 'game = "heap(size=5)"' in config
    assert 'method = "opener"' in config

    # What is installed need not be named again.
    (tmp_path / "run" / "model.safetensors").unlink()
    resumed = command("train", "--resume", "run", "--json")
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout.splitlines()[-1]) == {"run": "run", "games": 60, "finished": True}

    for opponent in ("stubborn(last=true)", "guarded", "random"):
        played = command("arena", "heap(size=5)", "run:run", opponent, "--games", 6, "--json")
        assert played.returncode == 0, played.stderr
        assert [row["name"] for row in json.loads(played.stdout)["players"]] == ["run:run", opponent]

    swept = command("sweep", "heap", "--method", "opener", "--over", "rate=0.1,0.9", "--games", 20, *SET)
    assert swept.returncode == 0, swept.stderr
    assert (tmp_path / "sweeps" / "opener" / "rate=0.9" / "curve.svg").exists()


def test_they_are_listed_and_found_by_nearly_their_names(command: Command) -> None:
    assert re.search(r"^heap ", command("games").stdout, re.MULTILINE)
    assert re.search(r"^stubborn ", command("players").stdout, re.MULTILINE)
    assert re.search(r"rate=0\.5 +step size", command("train", "--method", "opener", "--help").stdout)
    for line, near in (
        (["train", "heap", "--method", "openr"], "unknown method 'openr'; did you mean 'opener'?"),
        (["arena", "heep", "random"], "unknown game 'heep'; did you mean 'heap'"),
        (["arena", "heap", "stuborn", "random"], "unknown player 'stuborn'; did you mean 'stubborn'?"),
        (["train", "heap", "--method", "opener", "--set", "rte=1"], "did you mean 'rate'?"),
    ):
        done = command(*line)
        assert (done.returncode, done.stdout) == (2, "")
        assert near in done.stderr


def test_a_package_that_is_broken_or_gone(command: Command) -> None:
    done = command("train", "heap", "--method", "broken")
    assert done.returncode == 2
    assert re.fullmatch(
        r"ludus: 'broken' of an installed package can't be loaded \(kit\.broken:Method\): [^\n]*division[^\n]*\n",
        done.stderr,
    )
    assert command("train", "heap", "--method", "opener", "--games", 20, "--out", "run", *SET).returncode == 0
    for line, complaint in (
        (["train", "--resume", "run"], "unknown game 'heap'"),
        (["arena", "heap", "random"], "unknown game 'heap'"),
        (["arena", "tictactoe", "stubborn", "random"], "unknown player 'stubborn'"),
    ):
        gone = command(*line, with_kit=False)
        assert gone.returncode == 2
        assert re.fullmatch(rf"ludus: [^\n]*{complaint}[^\n]*\n", gone.stderr), gone.stderr
    assert command("plot", "run", with_kit=False).returncode == 0  # to look at it needs nobody's code
