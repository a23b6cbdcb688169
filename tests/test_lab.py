"""Training runs: what they leave on disk, what they say on the way, and how they are drawn."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import ludus
from ludus.errors import LudusError
from ludus.lab import Config, Run, Stopped, train
from ludus.lab.config import Training, read_change, split
from ludus.lab.live import LiveView
from ludus.lab.plots import learning_curve, render
from ludus.lab.progress import Lines, Pace
from ludus.methods import method_class
from ludus.methods.presets import preset
from ludus.methods.settings import read, to_dict
from ludus.nets import storage
from runs import TRACES, Ear, press_ctrl_c, same, weights

pytest_plugins = ("run_fixtures",)

# --- what a run leaves -----------------------------------------------------------------------------------------------


def test_a_run_leaves_config_record_checkpoints_model_and_curve(undisturbed: Run) -> None:
    found = {str(p.relative_to(undisturbed.folder)) for p in undisturbed.folder.rglob("*") if p.is_file()}
    checkpoints = {f"checkpoints/{games:09}.safetensors" for games in (300, 360, 400)}  # the newest three
    others = {"config.toml", "metrics.jsonl", "model.safetensors", "curve.png", "curve.svg", ".lock"}
    assert found == checkpoints | others
    assert undisturbed.finished


def test_the_model_is_a_player(undisturbed: Run) -> None:
    game = ludus.game("backgammon")
    named = ludus.player(f"td:{undisturbed.folder}(plies=1)", game)
    assert named.plies.depth == 1
    assert type(undisturbed.player()).__name__ == "TDPlayer"  # looks at no reply
    for own, other in zip(undisturbed.player(plies=1).net, named.net, strict=True):
        assert np.array_equal(own, other)


def test_model_and_checkpoints_say_where_they_come_from(undisturbed: Run) -> None:
    for kind, path in (("model", undisturbed.model), ("checkpoint", undisturbed.checkpoints()[0])):
        _, facts = storage.load(path)
        assert facts["kind"] == kind
        assert (facts["game"], facts["game_version"], facts["preset"], facts["seed"]) == (
            "backgammon",
            1,
            "mauermann2015",
            1,
        )
        assert (facts["method"], facts["player"], facts["encoding_version"]) == ("traces", "td", 1)
        assert facts["settings"] == undisturbed.config.settings
        assert facts["training"] == to_dict(undisturbed.config.training)
        assert facts["counters"]["games"] == 400


def test_the_record_has_evaluations_and_progress(undisturbed: Run) -> None:
    lines = undisturbed.metrics()
    progress = [line for line in lines if line["kind"] == "progress"]
    assert [line["games"] for line in progress] == list(range(20, 401, 20))
    assert {line["rate"] for line in progress} == {0.1}
    evaluations = undisturbed.evaluations()
    # The untrained player, the first units past 150 and 300 games, and the end.
    assert [line["games"] for line in evaluations] == [0, 160, 300, 400]
    for line in evaluations:
        assert line.keys() == {"kind", "games", "moves", "seconds", "games_per_second", "opponents"}
        (row,) = line["opponents"]
        assert (row["name"], row["games"]) == ("random", 10)
        low, high = row["win_rate_ci95"]
        assert low <= row["win_rate"] <= high
        assert -3 <= row["points_per_game"] <= 3
        assert row["points_se"] >= 0
    assert [line["seconds"] for line in lines] == sorted(line["seconds"] for line in lines)


def test_the_configuration_reads_back(undisturbed: Run) -> None:
    again = Run.open(undisturbed.folder)
    assert again.config == undisturbed.config
    assert (again.config.game, again.config.settings["hidden"], again.config.training.games) == ("backgammon", 10, 400)


def test_the_same_seed_gives_the_same_run_and_another_one_does_not(undisturbed: Run, tmp_path: Path) -> None:
    assert same(train("backgammon", out=tmp_path / "again", **TRACES), undisturbed)
    other = train("backgammon", out=tmp_path / "other", seed=2, **TRACES)
    assert weights(other) != weights(undisturbed)


def test_evaluations_do_not_change_what_is_learned(undisturbed: Run, tmp_path: Path) -> None:
    rare = train("backgammon", out=tmp_path / "run", **TRACES | {"evaluate_every": 1000, "evaluation_games": 3})
    assert weights(rare) == weights(undisturbed)
    assert [line["games"] for line in rare.evaluations()] == [400]


def test_a_run_can_be_trained_in_a_thread(undisturbed: Run, tmp_path: Path) -> None:
    """Signals are the main thread's business; the run goes on without them."""
    thread = threading.Thread(target=train, args=("backgammon",), kwargs={"out": tmp_path / "run", **TRACES})
    thread.start()
    thread.join()
    assert same(Run.open(tmp_path / "run"), undisturbed)


def test_runs_without_a_folder_get_one_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tiny = TRACES | {"games": 20, "evaluation_games": 2}
    folders = [train("backgammon(scoring=1)", **tiny).folder for _ in range(2)]
    assert folders == [
        Path("runs/backgammon-scoring=1-mauermann2015-1"),
        Path("runs/backgammon-scoring=1-mauermann2015-1-2"),
    ]
    assert Run.open(folders[0]).game == ludus.game("backgammon(scoring=1)")


# --- settings as text ------------------------------------------------------------------------------------------------


def test_a_configuration_survives_any_text(tmp_path: Path) -> None:
    odd = 'quote " backslash \\ line\nbreak tab\t delete\x7f umlaut ü beyond 🎲'
    training, settings = (
        Training(opponents=(odd, "td(plies=1)")),
        {"rate": 1e-05, "decay": 1.0, "layout": odd, "seating": ["self", odd]},
    )
    config = Config("backgammon", 1, odd, odd, 2**63 - 1, training, settings, {"method": odd})
    (tmp_path / "config.toml").write_text(config.to_toml())
    assert Config.read(tmp_path / "config.toml") == config


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rate", "write NAME=VALUE"),
        ("=1", "write NAME=VALUE"),
        ("rte=1", "did you mean 'rate'"),
        ("games=x", "like 5000"),
    ],
)
def test_a_change_that_can_not_be_read(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=complaint):
        train("backgammon", out=tmp_path / "run", **dict([read_change(text)]))
    assert not (tmp_path / "run").exists()


def test_every_preset_can_be_written_as_changes() -> None:
    """What a file holds of a preset, typed one setting after the other, is the preset."""
    for name in ("mauermann2015", "demo", "best"):
        found = preset("backgammon", name)
        cls = method_class(found.method)
        given = found.training, found.settings
        for (kind, values), typed in zip(
            ((Training, given[0]), (cls.Settings, given[1])), split(_typed(*given), found.method, cls), strict=True
        ):
            assert read(kind, typed, name) == read(kind, values, name)


def _typed(*parts: dict[str, Any]) -> dict[str, str]:
    changes = {key: value for part in parts for key, value in part.items()}
    texts = (f"{k}={','.join(v) if isinstance(v, tuple) else v}" for k, v in changes.items())
    return dict(read_change(text) for text in texts)


# --- what people see -------------------------------------------------------------------------------------------------


def evaluation(games: int, **rates: float) -> dict[str, Any]:
    rows = [
        {"name": name, "games": 100, "win_rate": rate, "win_rate_ci95": [rate - 0.1, rate + 0.1],
         "points_per_game": 4 * rate - 2, "points_se": 0.05}
        for name, rate in rates.items()
    ]  # fmt: skip
    return {"kind": "evaluation", "games": games, "seconds": 1.0, "opponents": rows}


def test_time_left_counts_the_evaluations_that_are_to_come() -> None:
    pace = Pace(total=1000, every=100, games=0)
    assert pace.left is None
    pace.trained(100, 60.0)
    assert pace.left is None  # the first unit may have compiled kernels
    pace.trained(200, 1.0)
    assert pace.left == pytest.approx(8.0)
    pace.evaluated(2.0)
    assert pace.left == pytest.approx(8.0 + 8 * 2.0)
    pace.trained(1000, 8.0)
    assert pace.left == 0


def test_the_pace_follows_the_recent_speed() -> None:
    pace = Pace(total=10_000, every=10_000, games=0)
    pace.trained(5, 10.0)
    pace.trained(10, 10.0)
    for games in range(110, 2111, 100):
        pace.trained(games, 1.0)
    assert pace.speed == pytest.approx(100)


def test_lines_of_text(tmp_path: Path) -> None:
    out = io.StringIO()
    run = train("backgammon", out=tmp_path / "run", progress=Lines(out), **TRACES | {"games": 40})
    text = out.getvalue()
    assert "backgammon, mauermann2015, seed 1: 40 games" in text
    assert "40 games" in text.splitlines()[-2]
    assert f"against random: wins {run.evaluations()[-1]['opponents'][0]['win_rate']:.1%}" in text.splitlines()[-1]


def test_the_moving_view(tmp_path: Path) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    view = LiveView(console)
    run = train("backgammon", out=tmp_path / "run", progress=view, **TRACES | {"games": 40, "evaluate_every": 20})
    with console.capture() as captured:
        console.print(view.view())
    text = captured.get()
    assert "40/40 games" in text
    assert "finished" in text
    (line,) = (line for line in text.splitlines() if "random" in line)
    assert f"{run.evaluations()[-1]['opponents'][0]['win_rate']:.1%}" in line
    assert sum(line.count(block) for block in "▁▂▃▄▅▆▇█") == 3


def test_the_curve_names_each_opponent_with_its_last_value() -> None:
    lines = [evaluation(games, random=0.5 + games / 1000, pubeval=games / 1000) for games in range(0, 401, 100)]
    svg = render(learning_curve(lines, "backgammon: best, seed 1"), "svg").decode()
    for text in ("backgammon: best, seed 1", "random 90.0%", "pubeval 40.0%", "random +1.60", "pubeval −0.40"):
        assert text in svg
    assert render(learning_curve(lines, "backgammon: best, seed 1"), "svg").decode() == svg


def test_the_curve_on_a_logarithmic_axis_shows_the_untrained_player_too() -> None:
    lines = [evaluation(games, random=0.5) for games in (0, 100, 1000, 10_000)]
    _, points = learning_curve(lines, "title", log=True).axes
    places = points.transData.transform([(games, 0) for games in (0, 100, 1000, 10_000)])[:, 0]
    assert np.isfinite(places).all()
    assert places[2] - places[1] == pytest.approx(places[3] - places[2])


def test_a_run_that_was_not_evaluated_has_no_curve() -> None:
    with pytest.raises(LudusError, match="nothing to draw yet"):
        learning_curve([], "title")


def test_drawing_again_gives_the_same_files(undisturbed: Run) -> None:
    before = [(undisturbed.folder / f"curve.{kind}").read_bytes() for kind in ("png", "svg")]
    assert [path.read_bytes() for path in undisturbed.plot()] == before


# --- TensorBoard -----------------------------------------------------------------------------------------------------


def test_tensorboard_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(LudusError, match=r"pip install 'ludus\[tensorboard\]'"):
        train("backgammon", out=tmp_path / "run", tensorboard=True, **TRACES)
    assert not (tmp_path / "run").exists()


def test_tensorboard_reads_what_was_written(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with pytest.raises(Stopped):
        train("backgammon", out=tmp_path / "run", tensorboard=True, progress=Ear(200, press_ctrl_c), **TRACES)
    run = train(resume=tmp_path / "run", tensorboard=True)
    events = EventAccumulator(str(run.folder / "tensorboard"))
    events.Reload()
    read = [(event.step, event.value) for event in events.Scalars("win_rate/random")]
    assert read == [(e["games"], pytest.approx(e["opponents"][0]["win_rate"])) for e in run.evaluations()]
