"""The report on backgammon, with hardly any games: every row, what its notes say of the run, and what is said of a peer that is not there."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest

from ludus.lab import Run
from ludus.papers import mauermann2015
from ludus.papers.report import FULL, QUICK, Bench, Budget
from paper_checks import sound

TRIAL = Budget(share=1 / 250, whole=1 / 100)  # 50 games a training, 40 a match


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trainings are made once for the whole module: a bench finds finished ones again."""
    return tmp_path_factory.mktemp("mauermann2015")


def test_mauermann2015(folder: Path) -> None:
    pytest.importorskip("gnubg_nn")
    bench = Bench(folder, 1, TRIAL, lambda line: None)
    made = mauermann2015.run(bench)
    sound(made, bench)
    assert [(row.experiment, row.quantity, row.paper, row.games) for row in made.rows] == [
        ("50 games of self-play, then against random", "win rate", 0.7, 40),
        ("50 games of self-play, then against random", "points per game", None, 40),
        ("2 such trainings", "mean win rate", 0.7, 80),
        ("2 such trainings", "lowest win rate", None, 40),
        ("training time", "hours", 11, 50),
        ("against pubeval", "points per game", None, 40),
        ("against gnubg(plies=0)", "points per game", None, 40),
    ]
    assert not any(row.missing for row in made.rows)
    one, _, mean, lowest, *_ = (row.ours for row in made.rows)
    assert lowest is not None
    assert mean is not None
    assert lowest <= mean
    assert lowest <= (one or 0)
    assert len(made.figures) == 1


def test_missing_peers_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)
    said: list[str] = []
    bench = Bench(folder, 1, TRIAL, said.append)
    made = mauermann2015.run(bench)
    sound(made, bench)
    assert "40 games of mauermann2015-1 against random" in said
    assert not any("Player" in line for line in said), "classes are no names for people"
    assert [(row.experiment, row.ours, row.missing) for row in made.rows[-2:]] == [
        ("against pubeval", None, "not installed: gnubg-nn"),
        ("against gnubg(plies=0)", None, "not installed: gnubg-nn"),
    ]
    assert made.rows[-1].cells()[3] == "not installed: gnubg-nn"
    assert made.to_json()["rows"][-1]["missing"] == "not installed: gnubg-nn"


def test_notes_tell_of_the_run_and_of_no_other(folder: Path) -> None:
    first = Bench(folder, 1, TRIAL, lambda line: None).train("backgammon", "mauermann2015", 1, 50)

    def note(*rates: float) -> str:
        return mauermann2015.findings(first, rates)[0]

    assert "2 of 2 trainings end above it, at 98.0 to 99.0 %" in note(0.98, 0.99)
    assert "lies above it" in note(0.98, 0.99)
    assert "0 of 2 trainings end above it, at 50.0 to 51.0 %" in note(0.5, 0.51)
    assert "lies below it" in note(0.5, 0.51)
    assert "1 of 2 trainings end above it" in note(0.5, 0.9)
    assert "includes it" in note(0.5, 0.9)


def test_where_the_curve_passes_the_papers_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    def curve(*rates: float) -> list[str]:
        lines = [
            {"games": 500 * i, "opponents": [{"name": "random", "win_rate": rate}]} for i, rate in enumerate(rates)
        ]
        monkeypatch.setattr(Run, "evaluations", lambda run: lines)
        return mauermann2015.findings(Run.__new__(Run), [0.9, 0.9])[1:]

    assert curve(0.5, 0.6, 0.65) == []
    (note,) = curve(0.5, 0.6, 0.8, 0.6, 0.9)
    assert "between 500 and 1,000 games" in note


@pytest.mark.parametrize(("budget", "trainings"), [(FULL, 10), (QUICK, 3)])
def test_quick_trainings_are_fewer_and_as_long(
    budget: Budget, trainings: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(Bench, "train", lambda bench, *given: asked.append(given))
    with contextlib.suppress(AttributeError):  # there is nothing to play with
        mauermann2015.run(Bench(tmp_path, 7, budget, print))
    assert asked == [("backgammon", "mauermann2015", 7 + i, 5_000) for i in range(trainings)]
