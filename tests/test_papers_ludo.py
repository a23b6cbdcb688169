"""The papers on Ludo, with hardly any games: that every table and figure has its rows, and that rows say what they should.

Also what only the papers need: the t-test, and who won each game of a contest.
"""

from __future__ import annotations

import math
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
from ludus.papers.report import FULL, QUICK, Bench, Budget, Drawing, Report, Row
from paper_checks import section, sound

TRIAL = Budget(share=1 / 2_500, least=8)  # Alhajry: 40 games a training, 20 a cell of a table, 8 an evaluation
SHORT = Budget(share=1 / 125, whole=1 / 50, least=2)  # Rossen: 60 and 160 games a training, 8 a test


def bench_of(folder: Path, budget: Budget) -> Bench:
    return Bench(folder, 1, budget, lambda line: None)


@pytest.fixture
def no_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curve takes as long as a small training, and these papers draw their own."""
    monkeypatch.setattr(Run, "plot", lambda run, log=False: ())


# --- Alhajry ---------------------------------------------------------------------------------------------------------


def test_alhajry2012(tmp_path: Path, no_curves: None) -> None:
    bench = bench_of(tmp_path, TRIAL)
    made = alhajry2012.run(bench)
    sound(made, bench)
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

    beyond = section(made, "Beyond")
    assert [(row.experiment, row.paper) for row in beyond] == [
        (f"{name} against three {opponent}", paper)
        for name in ("td", "td(rollouts=24)")
        for opponent, paper in (("random", 0.66), ("expert", 0.3))
    ]

    expert = first[6].ours
    assert first[6].experiment == "expert, releasing"
    drawn = [Drawing(*figure).svg for figure in made.figures]
    assert all(f"an expert in its place (measured here): {expert:.0%}" in svg for svg in drawn)
    assert all("an expert in its place (four alike): 25%" in svg for svg in drawn)

    trained = [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]
    again = alhajry2012.run(bench)
    assert again.to_json() == made.to_json()
    assert again.notes == made.notes
    assert len(trained) == 6
    assert trained == [path.stat().st_mtime_ns for path in bench.folder.glob("runs/*/model.safetensors")]


def test_notes_of_alhajry2012_tell_of_the_run(tmp_path: Path) -> None:
    def row(section: str, experiment: str, quantity: str, ours: float) -> Row:
        return Row(experiment, quantity, None, ours, section=section)

    rows = [row("Table I", f"{name}, releasing", "win rate", 0.1 * i) for i, name in enumerate(alhajry2012.TABLE_1, 3)]
    for how, more in (("expert alone releasing", 0.01), ("all releasing", 0.07)):
        rows += [
            row("Table II", f"{name} ({how})", "win rate", rate + more) for name, rate in alhajry2012.TABLE_2.items()
        ]
    for i, setting in enumerate(alhajry2012.SETTINGS):
        rows.append(
            row(setting.section, "against three experts", "mean of the evaluations after 3 games", 0.2 + 0.01 * i)
        )
    text = " ".join(alhajry2012.findings(bench_of(tmp_path, QUICK), rows))
    assert (
        "alone releasing our figures lie up to 1.0 points from the paper's, with all releasing up to 7.0 points" in text
    )
    assert "by the paper's own table I it is the fast one, here the fast one" in text
    assert "An evaluation is 2,000 games" in text
    assert "about 4.0 points from 500 games a seat" in text
    assert "come to 20.0 %, 21.0 %, 22.0 % (the paper: 30 %, 26 %, degraded)" in text
    assert "to 23.0 %, 24.0 %, 25.0 % (the paper: 27 ± 1 %)" in text


def test_trainings_of_alhajry2012_are_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(Bench, "train", lambda bench, *given, **settings: asked.append((*given, settings)))
    for budget, shrink in ((FULL, 1), (QUICK, 10)):
        asked.clear()
        for setting in alhajry2012.SETTINGS:
            alhajry2012._train(Bench(tmp_path, 1, budget, print), setting)
        for game, preset, seed, games, settings in asked:
            assert (game, seed, games) == ("ludo", 1, 100_000 // shrink)
            assert settings["evaluate_every"] == (2_500 if budget == FULL else 1_000)
            assert settings["evaluation_games"] == 20_000 // shrink
            assert settings.get("exploration_games") == (30_000 // shrink if "ql" in preset else None)


# --- Rossen ----------------------------------------------------------------------------------------------------------


def test_rossen2022(tmp_path: Path, no_curves: None) -> None:
    bench = bench_of(tmp_path, SHORT)
    made = rossen2022.run(bench)
    sound(made, bench)
    drawn = [Drawing(*figure).section for figure in made.figures]
    assert drawn == ["Figure 1", "Figure 2", "Figure 2"] + [f"Figure {n}" for n in (3, 3, 4, 4, 5, 5)]

    changed = section(made, "Figure 1")
    assert [row.paper for row in changed] == [1.537, 0.062] * 2
    assert [row.experiment for row in changed[:2]] == ["the text, games 1 to 20", "the text, games 61 to 160"]
    tuned = [*rossen2022.RATES.values(), *rossen2022.DISCOUNTS.values()]
    assert [row.paper for row in section(made, "Figure 2")] == tuned * 2
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
    assert [row.games for row in cells] == [60] * 4 + [160] * 2
    assert all(0 < (row.ours or 0) < 1 for row in cells)

    tests = {row.experiment: row.ours for row in section(made, "Section 4")}
    assert tests["against one: the paper's ten results"] == pytest.approx(8.54e-5, rel=0.02)
    assert tests["against three: the paper's ten results"] == pytest.approx(0.0075, rel=0.02)
    assert tests["against one: the paper's means and ±"] == pytest.approx(1.59e-4, rel=0.01)
    assert all(0 <= (p if p is not None else -1) <= 1 for p in tests.values())

    assert [row.games for row in section(made, "Peters")] == [160] * 2
    beyond = section(made, "Beyond")
    assert [row.paper for row in beyond] == pytest.approx([0.8143, 0.5815, 0.1318])

    text = " ".join(made.notes)
    for row in cells[2:]:  # the program's
        assert f"{100 * (row.ours or 0):.1f} %" in text
    assert "after 60 games" in text
    assert "after 160 games, which is what the preset does" in text
    p = tests["against three: the paper's ten results"]
    assert f"{p:.2g}, which is its 0.01" in text


def test_cells_that_can_occur() -> None:
    mask = rossen2022.possible_cells()
    assert mask.sum() == rossen2022.CELLS
    assert not mask[:, rossen2022.tabular.STAY].any()
    assert not mask[rossen2022.tabular.MULTISETS[1, 1, 1, 1]].any()  # all in the goal: nothing left to do


def test_untouched_cells_of_a_table(tmp_path: Path, no_curves: None) -> None:
    bench = bench_of(tmp_path, SHORT)
    game, seating = rossen2022.TRAINED_ON["one"]
    few = bench.train(game, "rossen2022", 1, 20, "few", seating=seating, evaluation_games=2)
    more = bench.train(game, "rossen2022", 1, 200, "more", seating=seating, evaluation_games=2)
    assert 1 > rossen2022.untouched(few) > rossen2022.untouched(more) > 0


def test_tests_count_games_in_the_first_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_curves: None) -> None:
    bench = bench_of(tmp_path, SHORT)
    game, seating = rossen2022.TRAINED_ON["one"]
    table = bench.train(game, "rossen2022", 1, 20, "few", seating=seating, evaluation_games=2)
    results: list[Result] = []

    play = Bench.arena

    def kept(*given: Any) -> Result:
        results.append(play(*given))
        return results[-1]

    monkeypatch.setattr(Bench, "arena", kept)
    wins = rossen2022.measure(bench, table, "three", None)
    assert wins.shape == (10, 8)
    assert results[0].games == 4 * wins.size
    assert wins.mean() == results[0].rows[0].by_seat[0]


# --- the bench and the report ----------------------------------------------------------------------------------------


def test_bench_refuses_a_folder_with_other_trainings(tmp_path: Path, no_curves: None) -> None:
    bench = bench_of(tmp_path, FULL)
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
