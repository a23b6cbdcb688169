"""The paper on General Game Playing, with hardly any matches: that every figure has its rows, and that rows say what they should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ludus.lab import Run
from ludus.papers import wang2018
from ludus.papers.report import FULL, Bench, Budget, Drawing
from paper_checks import section, sound

# 10 to 250 matches to learn from, 5 of tree search; two trainings of each kind.
TRIAL = Budget(share=1 / 200, whole=1 / 50)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    # A curve takes longer than a small training, and the paper's figures are drawn from the records.
    monkeypatch.setattr(Run, "plot", lambda run, log=False: ())
    return Bench(tmp_path, 1, TRIAL, lambda line: None)


def test_wang2018(bench: Bench) -> None:
    made = wang2018.run(bench)
    sound(made, bench)
    drawn = [Drawing(*figure).section for figure in made.figures]
    assert drawn == ["Figure 1", *["Figure 2"] * 3, "Figure 3", "Figure 4", *["Figure 6"] * 4]

    won = [row for row in made.rows if row.quantity.startswith("win rate after learning")]
    papers = {name: [row.paper for row in won if row.section == name] for name in made.sections}
    assert papers["Figure 1"] == [None, None, 0.885, 0.755]
    assert papers["Figure 2"] == [0.697, 0.816, 0.844, 0.885, 0.885] * 3
    assert papers["Figure 3"] == papers["Figure 4"] == [None] * 3
    assert papers["Figure 6"] == [0.935, 0.86, 0.91] * 3
    assert papers["Figure 5"] == [None] * 3
    assert [row.experiment for row in section(made, "Figure 5")[::3]] == [
        f"{wang2018.MCTS}, tic-tac-toe {board}" for board in ("3×3", "4×4", "5×5")
    ]
    labels = [row.experiment for row in section(made, "Figure 2")[:10:2]]
    assert labels == [
        f"QPlayer, {n} matches" for n in (10, 25, 100, 150, 250)
    ]  # what was learned from, not what the paper did

    few = {row.experiment: row.ours or 0 for row in won if row.section == "Figure 6"}
    text = " ".join(made.notes)
    for name in ("QMPlayer, 25 matches", "QMPlayer, follows any value, 25 matches", "QMPlayer, all moves, 250 matches"):
        assert f"{100 * few[name]:.1f} %" in text
    assert "From 25 matches it comes to" in text

    exact = {(row.experiment.split(",")[0], row.quantity): row.ours for row in section(made, "Optimum")}
    assert exact["tic-tac-toe", "highest win rate"] == pytest.approx(0.966708, abs=5e-7)
    assert exact["connect four 4×4", "best score"] == pytest.approx(0.978337, abs=5e-7)
    score, short = section(made, "Beyond")[:2]
    assert (score.ours or 0) + (short.ours or 0) == pytest.approx(exact["tic-tac-toe", "best score"])

    trained = [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]
    assert wang2018.run(bench).to_json() == made.to_json()
    assert trained == [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]


def test_matches_after_learning_are_those_that_count(bench: Bench) -> None:
    (made,) = wang2018.train(bench, "tictactoe", wang2018.Q, 40_000, 1)
    assert made.config.training.games == 300  # 200 to learn from
    value, matches = wang2018.rate(made, "won", wang2018.LEARNED_FROM, 1.0)
    lines = [line for line in wang2018.lines(made) if line["games"] > 201]
    assert matches == 99  # in lines of three; the one that begins while something is still learned does not count
    assert value == pytest.approx(sum(line["won"] for line in lines) / len(lines))
    everything, all_matches = wang2018.rate(made, "won", 0.0, 1.0)
    assert all_matches == 300
    assert everything == pytest.approx(wang2018.lines(made)[-1]["won_so_far"])


def test_trainings_are_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(Bench, "train", lambda bench, *given, **settings: asked.append((*given, settings)))
    wang2018.train(Bench(tmp_path, 3, FULL, print), "tictactoe", wang2018.Q_OWN, 30_000)
    assert [(given[:4], given[-1]["watch"]) for given in asked] == [
        (("tictactoe", "wang2018-q", seed, 45_000), False) for seed in (3, 4, 5, 6, 7)
    ]
