"""The paper on General Game Playing, with hardly any matches: that every figure has its rows, and that rows say what they should."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.lab import Run
from ludus.matches import Result
from ludus.papers import wang2018
from ludus.papers.report import Bench, Drawing, Report, Row
from ludus.papers.reproduce import PAPERS


class Tiny(Bench):
    """A bench that plays hardly any matches, and none by tree search."""

    def games(self, number: int) -> int:
        return max(number // 250, 40)

    def arena(self, game: str, players: Sequence[Any], games: int, what: str | None = None) -> Result:
        if str(players[0]).startswith("mcts"):
            raise LudusError("no tree search today")
        return super().arena(game, players, games, what)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def bench(tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Run, "plot", lambda run, log=False: ())  # a second a run, for curves that nobody looks at
    monkeypatch.setattr(wang2018, "EVALUATION_GAMES", 2)
    return Tiny(tmp_path, 1, True, said.append)


def section(made: Report, name: str) -> list[Row]:
    return [row for row in made.rows if row.section == name]


def test_wang2018(bench: Bench, said: list[str]) -> None:
    made = wang2018.run(bench)
    assert made.paper in PAPERS
    data = made.to_json()["rows"]
    assert len({(row["experiment"], row["quantity"]) for row in data}) == len(data), "two rows with one name"
    for row in made.rows:
        assert row.section in made.sections
        if row.ci95 is not None:
            assert row.ours is not None
            assert row.ci95[0] <= row.ours <= row.ci95[1]
    page = made.html()
    assert page.count("<svg") == len(made.figures)
    assert "Quick form" in page
    drawn = [Drawing(*figure).section for figure in made.figures]
    assert drawn == ["Figure 1", *["Figure 2"] * 3, "Figure 3", "Figure 4", *["Figure 6"] * 4]

    won = [row for row in made.rows if row.quantity.startswith("win rate after learning")]
    papers = {name: [row.paper for row in won if row.section == name] for name in made.sections}
    assert papers["Figure 1"] == [None, None, 0.885, 0.755]
    assert papers["Figure 2"] == [0.697, 0.816, 0.844, 0.885, 0.885] * 3
    assert papers["Figure 3"] == papers["Figure 4"] == [None] * 3
    assert papers["Figure 6"] == [0.935, 0.86, 0.91] * 3
    assert section(made, "Figure 5") == []
    assert said.count("left out: no tree search today") == 3

    exact = {(row.experiment.split(",")[0], row.quantity): row.ours for row in section(made, "Optimum")}
    assert exact["tic-tac-toe", "highest win rate"] == pytest.approx(0.966708, abs=5e-7)
    assert exact["connect four 4×4", "best score"] == pytest.approx(0.978337, abs=5e-7)
    score, short = section(made, "Beyond")[:2]
    assert (score.ours or 0) + (short.ours or 0) == pytest.approx(exact["tic-tac-toe", "best score"])

    trained = [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]
    assert wang2018.run(bench).to_json() == made.to_json()
    assert trained == [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]


def test_matches_after_learning_are_those_that_count(bench: Bench) -> None:
    (made,) = wang2018.train(bench, "tictactoe", wang2018.Q, 50_000, 1)
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
    wang2018.train(Bench(tmp_path, 3, False, print), "tictactoe", wang2018.Q_OWN, 30_000)
    assert [(given[:4], given[-1]["watch"]) for given in asked] == [
        (("tictactoe", "wang2018-q", seed, 45_000), False) for seed in (3, 4, 5, 6, 7)
    ]
