"""Sweeps: the grid, going on after an end of any kind, what is said of mistakes, and the command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.lab import Run, Stopped, points
from ludus.lab.plots import Curve, Panel, chart, svg
from ludus.lab.points import run_in
from ludus.lab.sweep import Sweep, points_of, read_axis, sweep
from runs import weights

GAME = "ludo(rules=ludopy-1.3.1,seats=2)"
SMALL: dict[str, Any] = {"games": 60, "evaluate_every": 20, "evaluation_games": 4}
OVER = {"rate": [0.1, 0.5], "discount": [0.4, 0.8]}


def small(folder: Path, **changes: Any) -> Sweep:
    return sweep(GAME, "rossen2022", OVER, folder, **(SMALL | changes))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return small(tmp_path_factory.mktemp("sweep") / "grid")


# --- the grid --------------------------------------------------------------------------------------------------------


def test_axes_as_people_type_them() -> None:
    assert read_axis("rate = 0.1, 0.2") == ("rate", ["0.1", "0.2"])
    assert read_axis("hidden=10") == ("hidden", ["10"])


def test_grid_holds_every_combination_once() -> None:
    assert points_of({"rate": ["1", 2.0], "hidden": [3, "4"]}, {}, {"rate": 0.1, "hidden": 40}) == [
        {"rate": 1.0, "hidden": 3},
        {"rate": 1.0, "hidden": 4},
        {"rate": 2.0, "hidden": 3},
        {"rate": 2.0, "hidden": 4},
    ]


def test_points_are_trained_as_asked(swept: Sweep) -> None:
    assert [point.values for point in swept.points] == points_of(OVER, {}, {"rate": 0.1, "discount": 1.0})
    for point in swept.points:
        settings = point.run.config.settings
        assert point.run.finished
        assert (settings["rate"], settings["discount"]) == (point.values["rate"], point.values["discount"])
        assert settings["final_rate"] == settings["rate"], "the step size would change on the way"
        assert point.run.config.training.games == 60


def test_step_size_that_falls_keeps_its_end(tmp_path: Path) -> None:
    made = sweep(
        "backgammon", "tdgammon", {"rate": [0.2]}, tmp_path / "s", games=20, hidden=2, encoding="raw", evaluation_games=2
    )  # fmt: skip
    settings = made.points[0].run.config.settings
    assert (settings["rate"], settings["final_rate"]) == (0.2, 0.05)


def test_points_differ_and_share_their_dice(swept: Sweep) -> None:
    assert len({tuple(weights(point.run).values()) for point in swept.points}) == 4
    assert {point.run.config.seed for point in swept.points} == {1}


# --- results ---------------------------------------------------------------------------------------------------------


def test_results(swept: Sweep) -> None:
    data = swept.to_json()
    assert json.loads((swept.folder / "results.json").read_text()) == data
    assert data["points"][1]["settings"] == {"rate": 0.1, "discount": 0.8}
    for point in data["points"]:
        assert point["games"] == 60
        assert 0 <= point["won"] <= 1
        (row,) = point["opponents"]
        assert (row["name"], row["games"]) == ("random", 4)
        assert row["win_rate_ci95"][0] <= row["win_rate"] <= row["win_rate_ci95"][1]
    assert swept.table().row_count == 4
    text = (swept.folder / "curves.svg").read_text()
    assert "games won so far" in text
    assert "rate=0.5,discount=0.8" in text
    assert (swept.folder / "curves.png").exists()


def test_more_curves_than_colours() -> None:
    curves = [Curve(f"number {i}", [0, 1], [0.0, i / 9], thin=True) for i in range(9)]
    assert "number 8 88.9%" in svg(chart("a title", [Panel("a panel", curves, marks=[(0.5, "half")])]))
    with pytest.raises(LudusError, match="nothing to draw"):
        chart("a title", [Panel("a panel", [Curve("none", [], [])])])


# --- going on --------------------------------------------------------------------------------------------------------


def test_goes_on_where_it_was(swept: Sweep, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(swept.folder, folder)
    names = [point.name for point in swept.points]
    (folder / names[1] / "model.safetensors").unlink()  # was interrupted
    for checkpoint in sorted((folder / names[1] / "checkpoints").iterdir())[1:]:
        checkpoint.unlink()
    shutil.rmtree(folder / names[2])  # was never begun
    untouched = (folder / names[0] / "model.safetensors").stat().st_mtime_ns
    again = small(folder)
    assert (folder / names[0] / "model.safetensors").stat().st_mtime_ns == untouched, "a finished run was done again"
    for point, undisturbed in zip(again.points, swept.points, strict=True):
        assert weights(point.run) == weights(undisturbed.run)
    ours, theirs = again.to_json()["points"], swept.to_json()["points"]
    assert [p["won"] for p in ours] == [p["won"] for p in theirs]
    assert [p["opponents"] for p in ours] == [p["opponents"] for p in theirs]


def test_interruption_says_how_to_go_on(swept: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(swept.folder, tmp_path / "copy")
    calls = []

    def interrupted(*arguments: Any, **options: Any) -> Run:
        calls.append(options)
        if len(calls) == 3:
            raise Stopped("stopped")
        return Run.open(options["resume"])

    monkeypatch.setattr(points, "train", interrupted)
    with pytest.raises(Stopped, match=r"point 3 of 4; the same command goes on"):
        small(tmp_path / "copy")


def test_run_in_a_folder_that_holds_another(swept: Sweep) -> None:
    folder = swept.points[0].run.folder
    settings = SMALL | {"rate": 0.1, "final_rate": 0.1, "discount": 0.4}
    assert run_in(folder, GAME, "rossen2022", 1, **settings).folder == folder
    for other, text in (({"discount": 0.5}, "its discount is 0.4 instead of 0.5"), ({"games": 80}, "its games is 60")):
        with pytest.raises(LudusError, match=text):
            run_in(folder, GAME, "rossen2022", 1, **(settings | other))
    with pytest.raises(LudusError, match="its seed is 1 instead of 2"):
        run_in(folder, GAME, "rossen2022", 2, **settings)


# --- mistakes --------------------------------------------------------------------------------------------------------


def test_folder_of_another_sweep(swept: Sweep, tmp_path: Path) -> None:
    before = (swept.folder / "sweep.json").read_bytes()
    for change, text in (
        ({"seed": 2}, "holds another sweep: its seed is 1 instead of 2"),
        ({"games": 80}, "its settings is"),
    ):
        with pytest.raises(LudusError, match=text):
            small(swept.folder, **change)
    with pytest.raises(LudusError, match="its over is"):
        sweep(GAME, "rossen2022", {"rate": [0.1]}, swept.folder, **SMALL)
    assert (swept.folder / "sweep.json").read_bytes() == before
    (tmp_path / "sweep.json").write_text("{")
    with pytest.raises(LudusError, match="is damaged"):
        small(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--over", "rat=0.1"], "unknown setting 'rat'; did you mean 'rate'"),
        (["--over", "rate=0.1,much"], "setting rate = 'much' should be a number, like 0.5"),
        (["--over", "rate=-1"], "rate = -1.0 makes no sense: it should be a number above 0"),
        (["--over", "rate"], "can't read 'rate'; write NAME=VALUE,VALUE,…"),
        (["--over", "rate=0.1,,0.2"], "can't read 'rate=0.1,,0.2'"),
        (["--over", "rate=0.1,0.1"], "has a value twice"),
        (["--over", "rate=0.1", "--over", "rate=0.2"], "rate is swept over twice"),
        (["--over", "seating=self,random"], "seating is a list"),
        (["--over", "games=10,20", "--games", "30"], "games is swept over, and can't have one value"),
        (["--over", "rate=0.1", "--preset", "rossen"], "did you mean 'rossen2022'"),
        (["--over", "rate=0.1", "--seed", "-1"], "--seed -1: a seed is a whole number"),
        ([], "Missing option '--over'"),
    ],
)
def test_mistakes(arguments: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["sweep", GAME, "--preset", "rossen2022", "--out", str(tmp_path / "s"), *arguments]
    with pytest.raises(SystemExit) as ended:
        main(given)
    answer = capsys.readouterr()
    assert ended.value.code == 2
    assert text in answer.err
    assert len(answer.err.splitlines()) == 1
    assert not (tmp_path / "s").exists(), "nothing is left of a sweep that can't be"


def test_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(LudusError, match="is not an empty folder"):
        small(tmp_path)


# --- the command -----------------------------------------------------------------------------------------------------


def test_command(swept: Sweep, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    axes = ["--over", "rate=0.1,0.5", "--over", "discount=0.4,0.8"]
    rest = ["--games", "60", "--set", "evaluate_every=20", "--set", "evaluation_games=4", "--out", str(swept.folder)]
    for json_too in ([], ["--json"]):
        with pytest.raises(SystemExit) as ended:
            main(["sweep", GAME, "--preset", "rossen2022", *axes, *rest, *json_too])
        assert ended.value.code == 0
        answer = capsys.readouterr()
        assert answer.err.splitlines()[0] == "1 of 4: rate=0.1,discount=0.4"
        if json_too:
            assert json.loads(answer.out) == swept.to_json()
        else:
            assert str(swept.folder / "curves.png") in answer.out


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sweep", "--help"])
    text = capsys.readouterr().out
    assert "Examples:" in text
    assert "--over rate=0.1,0.2,0.3" in text
