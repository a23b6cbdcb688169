"""The papers on Ludo, with hardly any games: that every table and figure has its rows, and that rows say what they should.

Also what only the papers need: the t-test, and who won each game of a contest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ludus
from ludus.errors import LudusError
from ludus.lab import Run
from ludus.matches import Result, arena
from ludus.matches.statistics import student_p, student_reach, welch, welch_of
from ludus.papers import alhajry2012, report, rossen2022
from ludus.papers.report import Bench, Drawing, Report, Row
from ludus.papers.reproduce import PAPERS


class Tiny(Bench):
    """A bench that plays hardly any games, and none of the shipped player."""

    def games(self, number: int) -> int:
        return max(number // 2_500, 8)

    def arena(self, game: str, players: Sequence[Any], games: int, what: str | None = None) -> Result:
        if str(players[0]).startswith("td"):
            raise LudusError("no player is shipped")
        return super().arena(game, players, games, what)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def bench(tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(Run, "plot", lambda run, log=False: ())  # a second a run, for curves that nobody looks at
    return Tiny(tmp_path, 1, True, said.append)


def section(made: Report, name: str) -> list[Row]:
    return [row for row in made.rows if row.section == name]


def sound(made: Report) -> None:
    """What holds for every report of these papers."""
    assert made.paper in PAPERS
    data = made.to_json()["rows"]
    assert len({(row["experiment"], row["quantity"]) for row in data}) == len(data), "two rows with one name"
    assert all(set(row) == {"experiment", "quantity", "paper", "ours", "ci95", "games"} for row in data)
    for row in made.rows:
        assert row.section in made.sections
        if row.ours is not None and row.ci95 is not None:
            assert row.ci95[0] <= row.ours <= row.ci95[1]
        if row.shown.endswith("%}") and row.ours is not None:
            assert 0 <= row.ours <= 1
    page = made.html()
    for name in {row.section for row in made.rows}:
        assert f"<h2>{name}: " in page
    assert page.count("<svg") == len(made.figures)
    assert "Quick form" in page
    assert sum(table.row_count for table in made.tables()) == len(made.rows)


# --- Alhajry ---------------------------------------------------------------------------------------------------------


def test_alhajry2012(bench: Bench, said: list[str]) -> None:
    made = alhajry2012.run(bench)
    sound(made)
    assert [Drawing(*figure).section for figure in made.figures] == [f"Figure {n}" for n in range(2, 8)]

    first = section(made, "Table I")
    assert [row.paper for row in first[::2]] == [0.3468, 0.2708, 0.5378, 0.6109]
    for strategy, others in zip(first[::2], first[1::2], strict=True):
        assert strategy.ours is not None
        assert others.ours is not None
        assert strategy.ours + 3 * others.ours == pytest.approx(1)
    second = section(made, "Table II")
    assert [row.paper for row in second] == [0.4864, 0.1824, 0.126, 0.2052] * 2
    assert sum(row.ours or 0 for row in second) == pytest.approx(2)
    third = section(made, "Table III")
    assert [row.paper for row in third] == [0.2737, 0.2237]
    assert 2 * sum(row.ours or 0 for row in third) == pytest.approx(1)

    for setting in alhajry2012.SETTINGS:
        rows = section(made, setting.section)
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            values = [row.ours or 0.0 for row in half]
            if "td" in setting.preset:  # last, mean, lowest, highest
                assert values[2] <= values[0] <= values[3]
            else:  # last, mean, best
                assert max(values) == values[2]
                assert "biased" in half[2].quantity
                assert half[2].ci95 is None
    assert [row.paper for row in section(made, "Figure 2")] == [0.66, 0.66, None, None, 0.30, 0.30, None, None]

    assert section(made, "Beyond") == []
    assert said.count("left out: no player is shipped") == 4

    said.clear()
    trained = [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]
    again = alhajry2012.run(bench)
    assert again.to_json() == made.to_json()
    assert len(trained) == 6
    assert trained == [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]


def test_trainings_of_alhajry2012_are_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(Bench, "train", lambda bench, *given, **settings: asked.append((*given, settings)))
    for quick, shrink in ((False, 1), (True, 10)):
        asked.clear()
        for setting in alhajry2012.SETTINGS:
            alhajry2012._train(Bench(tmp_path, 1, quick, print), setting)
        for game, preset, seed, games, settings in asked:
            assert (game, seed, games) == ("ludo", 1, 100_000 // shrink)
            assert settings["evaluate_every"] == (1_000 if quick else 2_500)
            assert settings["evaluation_games"] == 20_000 // shrink
            assert settings.get("exploration_games") == (30_000 // shrink if "ql" in preset else None)


# --- Rossen ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_rossen(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "TRAINING_GAMES": 60, "LONG_GAMES": 80, "LENGTHS": {"rossen2022": (60,), "rossen2022-as-run": (60, 80)}, "QUICK_TRAININGS": 2, "EVALUATION_GAMES": 2,
        "RATES": {0.1: 0.374, 0.5: 0.4607}, "DISCOUNTS": {0.4: 0.5157},
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setattr(rossen2022, name, value)


def test_rossen2022(bench: Bench, said: list[str], small_rossen: None) -> None:
    made = rossen2022.run(bench)
    sound(made)
    drawn = [Drawing(*figure).section for figure in made.figures]
    assert drawn == ["Figure 1", "Figure 2", "Figure 2"] + [f"Figure {n}" for n in (3, 3, 4, 4, 5, 5)]

    assert [row.paper for row in section(made, "Figure 2")] == [0.374, 0.4607, 0.5157] * 2
    for name, wanted, ways in (
        ("Figure 3", (0.8143, 0.7828), 2),
        ("Figure 4", (0.5815, 0.5615), 2),
        ("Figure 5", (0.1318,), 1),
    ):
        rows = section(made, name)
        assert (
            len(rows) == 3 * ways * 4
        )  # text, program, program for longer; mean and deviation of tests and of trainings
        assert [row.paper for row in rows[::4]] == pytest.approx(list(wanted) * 3)
        assert [row.games for row in rows[:4]] == [80, 80, 160, 160]
    assert section(made, "Figure 3")[0].paper_shown == "81.43 ± 1.08 %"

    cells = section(made, "Cells")
    assert [row.paper for row in cells] == [0.3766, 0.3123] * 3
    assert [row.games for row in cells] == [60] * 4 + [80] * 2
    assert all(0 < (row.ours or 0) < 1 for row in cells)

    tests = {row.experiment: row.ours for row in section(made, "Section 4")}
    assert tests["against one: the paper's ten results"] == pytest.approx(8.54e-5, rel=0.02)
    assert tests["against three: the paper's ten results"] == pytest.approx(0.0075, rel=0.02)
    assert tests["against one: the paper's means and ±"] == pytest.approx(1.59e-4, rel=0.01)
    assert all(0 <= (p if p is not None else -1) <= 1 for p in tests.values())

    assert len(section(made, "Peters")) == 2
    assert said.count("left out: no player is shipped") == 3


def test_cells_that_can_occur() -> None:
    mask = rossen2022.possible_cells()
    assert mask.sum() == rossen2022.CELLS
    assert not mask[:, rossen2022.tabular.STAY].any()
    assert not mask[rossen2022.tabular.MULTISETS[1, 1, 1, 1]].any()  # all in the goal: nothing left to do


def test_untouched_cells_of_a_table(bench: Bench) -> None:
    game, seating = rossen2022.TRAINED_ON["one"]
    few = bench.train(game, "rossen2022", 1, 20, "few", seating=seating, evaluation_games=2)
    more = bench.train(game, "rossen2022", 1, 200, "more", seating=seating, evaluation_games=2)
    assert 1 > rossen2022.untouched(few) > rossen2022.untouched(more) > 0


def test_tests_count_games_in_the_first_seat(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    game, seating = rossen2022.TRAINED_ON["one"]
    table = bench.train(game, "rossen2022", 1, 20, "few", seating=seating, evaluation_games=2)
    results: list[Result] = []

    def kept(*given: Any) -> Result:
        results.append(Bench.arena(*given))
        return results[-1]

    monkeypatch.setattr(Tiny, "arena", kept)
    wins = rossen2022.measure(bench, table, "three", None)
    assert wins.shape == (10, 8)
    assert results[0].games == 4 * wins.size
    assert wins.mean() == results[0].rows[0].by_seat[0]


# --- the bench and the report ----------------------------------------------------------------------------------------


def test_bench_refuses_a_folder_with_other_trainings(bench: Bench) -> None:
    game, seating = rossen2022.TRAINED_ON["one"]
    bench.train(game, "rossen2022", 1, 20, "few", seating=seating, evaluation_games=2)
    with pytest.raises(LudusError, match="holds another run: its games is 20 instead of 40"):
        bench.train(game, "rossen2022", 1, 40, "few", seating=seating, evaluation_games=2)


def test_report_without_sections_is_one_table() -> None:
    rows = (
        Row("a < b", "rate", 0.5, 0.25, None, 10, "{:.0%}"),
        Row("c", "rate", None, 0.5, (0.25, 0.75), None, "{:.0%}"),
    )
    made = Report("p", "A title", "An author", 1, rows, figures=(("a caption", "<?xml?><svg></svg>"),))
    page = made.html()
    assert page.count("<table>") == 1
    assert page.count("<h2>") == 1  # the notes'
    assert "<td>a &lt; b</td><td>rate</td><td>50%</td><td>25%</td>" in page
    assert "<td>25% – 75%</td>" in page
    assert made.to_json()["rows"][0]["experiment"] == "a < b"
    assert [table.row_count for table in made.tables()] == [2]


def test_report_with_sections_keeps_their_order() -> None:
    rows = (Row("x", "rate", 0.5, 0.5, section="Late"), Row("y", "rate", 0.5, 0.5, section="Early"))
    figures = (report.Drawing("a caption", "<svg></svg>", "Early"),)
    made = Report("p", "A title", "An author", 1, rows, figures=figures, sections={"Early": "first", "Late": "last"})
    page = made.html()
    assert page.index("<h2>Early: first</h2>") < page.index("<svg") < page.index("<h2>Late: last</h2>")
    assert made.to_json()["rows"][0]["experiment"] == "Late: x"


# --- statistics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("df", [1.0, 1.5, 2.0, 9.0, 17.7, 100.0, 1e4])
@pytest.mark.parametrize("t", [0.0, 1e-3, 0.5, 1.0, 2.0, 5.0, 40.0, 1000.0])
def test_student(t: float, df: float) -> None:
    assert student_p(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-9, abs=1e-300)
    assert student_p(-t, df) == student_p(t, df)


def test_reach_of_student() -> None:
    for df in (1, 2, 9, 1000):
        assert student_reach(df) == pytest.approx(stats.t.ppf(0.975, df))


def test_welch() -> None:
    rng = np.random.default_rng(1)
    for n, m in ((2, 2), (3, 10), (10, 10)):
        a, b = rng.normal(0.8, 0.01, n), rng.normal(0.79, 0.03, m)
        ours, theirs = welch(a, b), stats.ttest_ind(a, b, equal_var=False)
        assert ours == pytest.approx((theirs.statistic, theirs.df, theirs.pvalue))
        swapped = welch(b, a)
        assert (swapped.t, swapped.p) == pytest.approx((-ours.t, ours.p))
        assert welch_of(a.mean(), a.std(ddof=1), n, b.mean(), b.std(ddof=1), m) == pytest.approx(ours)


def test_welch_at_its_edges() -> None:
    assert math.isnan(welch([0.5], [0.4, 0.6]).p)
    assert welch([0.5, 0.5], [0.5, 0.5]).p == 1
    assert welch([0.5, 0.5], [0.4, 0.4]).p == 0


def test_who_won_each_game() -> None:
    result = arena("ludo", ["expert", "random", "random", "random"], games=40, seed=3)
    assert result.shares.shape == (40, 4)
    assert (result.shares.sum(axis=1) == 1).all()
    for player, row in enumerate(result.rows):
        assert result.won(player).sum() == row.wins
        for seat, rate in enumerate(row.by_seat):
            assert len(result.won(player, seat)) == 10
            assert result.won(player, seat).mean() == rate
    assert "shares" not in repr(result)
    assert "shares" not in result.to_json()


def test_players_by_name_are_ready() -> None:
    """The strategies in the form in which the paper's tables name them."""
    game = ludus.game("ludo")
    for name in alhajry2012.TABLE_1:
        assert ludus.players.player(name, game).release
        assert not ludus.players.player(f"{name}(release=false)", game).release
