"""Training runs that several tests look at, as a plugin for pytest: `pytest_plugins = ("run_fixtures",)`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ludus.lab import Run, Stopped, train
from runs import TRACES, Ear, press_ctrl_c


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train("backgammon", out=tmp_path_factory.mktemp("undisturbed") / "run", **TRACES)


@pytest.fixture(scope="session")
def stopped_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped after 200 of its 400 games. Its checkpoints: 120, 180 and 200."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    with pytest.raises(Stopped):
        train("backgammon", out=folder, progress=Ear(200, press_ctrl_c), **TRACES)
    return folder


@pytest.fixture
def stopped(stopped_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(stopped_once, tmp_path / "run"))
