"""Training runs: what they leave on disk, and that nothing that may happen to them on the way changes what they become."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import ludus
from ludus.errors import LudusError
from ludus.lab import Config, Progress, Run, Stopped, TrainingError, metrics, train
from ludus.lab.config import read_change
from ludus.lab.live import LiveView
from ludus.lab.plots import learning_curve, render
from ludus.lab.progress import Lines, Pace
from ludus.learning import storage
from ludus.learning.presets import Settings, preset

# Two runs as small as a run can be and still have checkpoints to fall back to.
TRACES: dict[str, Any] = {
    "preset": "mauermann2015", "games": 400, "hidden": 10, "evaluation_games": 10, "evaluate_every": 150, "checkpoint_every": 60,
}  # fmt: skip
SELFPLAY: dict[str, Any] = {
    "preset": "mauermann2015", "method": "selfplay", "encoding": "raw", "games": 256, "hidden": 8, "batch": 32,
    "rate": 0.01, "final_rate": 0.001, "evaluation_games": 10, "evaluate_every": 100, "checkpoint_every": 64,
}  # fmt: skip


def weights(run: Run) -> dict[str, bytes]:
    """The weights of a run's model, bit for bit."""
    tensors, _ = storage.load(run.model)
    return {name: tensor.tobytes() for name, tensor in tensors.items()}


def timeless(run: Run) -> list[dict[str, Any]]:
    """The record of a run, without what depends on the machine's speed."""
    return [{k: v for k, v in line.items() if k not in ("seconds", "games_per_second")} for line in run.metrics()]


def same(run: Run, undisturbed: Run) -> bool:
    """Whether a run became what an undisturbed one is. Its folder must hold nothing but a run."""
    assert run.finished
    assert {p.name for p in run.folder.iterdir()} == {p.name for p in undisturbed.folder.iterdir()}
    return weights(run) == weights(undisturbed) and timeless(run) == timeless(undisturbed)


class Ear(Progress):
    """Hears warnings, and does something once so many games have been learned from."""

    def __init__(self, at: int = -1, act: Callable[[], None] = lambda: None) -> None:
        self.at, self.act = at, act
        self.warnings: list[str] = []

    def trained(self, games: int, seconds: float) -> None:
        if games == self.at:
            self.act()

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train("backgammon", out=tmp_path_factory.mktemp("undisturbed") / "run", **TRACES)


@pytest.fixture(scope="module")
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


# --- what a run leaves -----------------------------------------------------------------------------------------------


def test_a_run_leaves_config_record_checkpoints_model_and_curve(undisturbed: Run) -> None:
    found = {str(p.relative_to(undisturbed.folder)) for p in undisturbed.folder.rglob("*") if p.is_file()}
    checkpoints = {
        f"checkpoints/{games:09}.safetensors" for games in (320, 360, 400)
    }  # passed 300, passed 360, the end
    others = {"config.toml", "metrics.jsonl", "model.safetensors", "curve.png", "curve.svg", ".lock"}
    assert found == checkpoints | others
    assert undisturbed.finished


def test_the_model_is_a_player(undisturbed: Run) -> None:
    game = ludus.game("backgammon")
    named = ludus.player(f"td:{undisturbed.folder}(plies=1)", game)
    assert (named.plies, undisturbed.player().plies) == (1, 0)
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
        assert facts["settings"] == undisturbed.config.settings.to_dict()
        assert facts["counters"]["games"] == 400
        assert facts["seconds"] > 0


def test_the_record_has_evaluations_and_progress(undisturbed: Run) -> None:
    lines = undisturbed.metrics()
    assert [line["games"] for line in lines if line["kind"] == "progress"] == list(range(20, 401, 20))
    evaluations = undisturbed.evaluations()
    # The untrained player, the first units past 150 and 300 games, and the end.
    assert [line["games"] for line in evaluations] == [0, 160, 300, 400]
    for line in evaluations:
        assert line.keys() == {"kind", "games", "moves", "seconds", "games_per_second", "rate", "opponents"}
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
    assert (again.config.game, again.config.settings.hidden, again.config.settings.games) == ("backgammon", 10, 400)


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


# --- kill -9 ---------------------------------------------------------------------------------------------------------


def command(folder: Path, values: dict[str, Any]) -> list[str]:
    line = [sys.executable, "-m", "ludus.cli", "train"]
    if (folder / "config.toml").exists():
        return [*line, "--resume", str(folder)]
    values = dict(values)
    line += ["backgammon", "--out", str(folder), "--preset", values.pop("preset")]
    return line + [part for key, value in values.items() for part in ("--set", f"{key}={value}")]


@pytest.mark.parametrize("values", [TRACES, SELFPLAY], ids=["traces", "selfplay"])
def test_a_run_killed_again_and_again_ends_with_the_same_weights(values: dict[str, Any], tmp_path: Path) -> None:
    quiet = subprocess.run(command(tmp_path / "quiet", values), capture_output=True, text=True)
    assert quiet.returncode == 0, quiet.stderr
    folder, kills = tmp_path / "killed", 0
    moments = random.Random(os.getpid())
    for _ in range(3):
        record = folder / "metrics.jsonl"
        lines = len(metrics.read(record)) + moments.randrange(
            5
        )  # first let it get somewhere, and then a little further
        process = subprocess.Popen(command(folder, values), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and (not record.exists() or len(metrics.read(record)) < lines):
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.02))
        process.kill()
        kills += process.wait() == -signal.SIGKILL
    assert kills, "each process was done before it could be killed"
    last = subprocess.run(command(folder, values), capture_output=True, text=True)
    assert last.returncode == 0, last.stderr
    assert same(Run.open(folder), Run.open(tmp_path / "quiet"))


class Killed(BaseException):
    """Stands for kill -9 in this process."""


@contextlib.contextmanager
def killed_at(number: int, torn: bool) -> Iterator[list[str]]:
    """Within, the n-th write is not done, and half of it is left behind: in a temporary file, or at the record's end."""
    done: list[str] = []
    replace, unlink, add = os.replace, os.unlink, metrics.Record.add

    def count(name: str) -> bool:
        done.append(name)
        return len(done) == number + 1

    def dying_replace(source: str, target: Path) -> None:
        if count(Path(target).name):
            raise Killed
        replace(source, target)

    def dying_add(self: metrics.Record, line: dict[str, Any]) -> None:
        if count("a line"):
            data = json.dumps(line).encode()
            self._file.write(data[: len(data) // 2] if torn else b"")
            raise Killed
        add(self, line)

    def no_unlink(path: Any, **options: Any) -> None:
        if number >= len(done):  # the dead tidy up nothing
            unlink(path, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", dying_replace)
        patch.setattr(os, "unlink", no_unlink)
        patch.setattr(metrics.Record, "add", dying_add)
        yield done


def test_a_run_may_be_killed_in_the_middle_of_any_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.lab.plots.render", lambda figure, kind: b"a picture, which takes its time to paint")
    values = TRACES | {"games": 100, "evaluate_every": 40, "evaluation_games": 2, "checkpoint_every": 40}
    with killed_at(1000, torn=False) as writes:
        quiet = train("backgammon", out=tmp_path / "quiet", **values)
    assert {"config.toml", "metrics.jsonl", "a line", "000000100.safetensors", "model.safetensors", "curve.svg"} <= {
        *writes
    }
    for number in range(len(writes)):
        folder = tmp_path / str(number)
        with killed_at(number, torn=number % 2 == 0), pytest.raises(Killed):
            train("backgammon", out=folder, **values)
        if (folder / "config.toml").exists():
            again = train(resume=folder)
        else:
            assert number == 0
            again = train("backgammon", out=folder, **values)  # nothing had begun: the same command begins again
        assert same(again, quiet), f"killed at write {number}, of {writes[number]}"


# --- asked to stop ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_asked_to_stop_writes_a_checkpoint_first(
    number: signal.Signals, undisturbed: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    before = signal.getsignal(number)
    with pytest.raises(Stopped, match=f"stopped after 100 games; go on with: ludus train --resume {folder}"):
        train("backgammon", out=folder, progress=Ear(100, lambda: signal.raise_signal(number)), **TRACES)
    assert signal.getsignal(number) is before
    assert Run.open(folder).checkpoints()[0].stem == "000000100"
    assert not Run.open(folder).finished
    assert Run.open(folder).player().net.b1.any()  # what it has learned so far is a player already
    assert same(train(resume=folder), undisturbed)


@pytest.mark.parametrize("games", [0, 300, 400])
def test_an_evaluation_that_is_broken_off_is_done_after_the_resume(
    games: int, undisturbed: Run, tmp_path: Path
) -> None:
    class Impatient(Progress):
        games = 0

        def trained(self, games: int, seconds: float) -> None:
            self.games = games

        def evaluating(self, done: int, total: int) -> None:
            if self.games == games:
                press_ctrl_c()

    with pytest.raises(Stopped):
        train("backgammon", out=tmp_path / "run", progress=Impatient(), **TRACES)
    run = Run.open(tmp_path / "run")
    assert games not in [line["games"] for line in run.evaluations()]
    assert not run.finished
    assert same(train(resume=run.folder), undisturbed)


def test_a_second_ctrl_c_ends_at_once(undisturbed: Run, tmp_path: Path) -> None:
    def twice() -> None:
        press_ctrl_c()
        press_ctrl_c()

    with pytest.raises(KeyboardInterrupt) as caught:
        train("backgammon", out=tmp_path / "run", progress=Ear(100, twice), **TRACES)
    assert not isinstance(caught.value, Stopped)
    assert Run.open(tmp_path / "run").checkpoints()[0].stem == "000000060"  # none was written for this
    assert same(train(resume=tmp_path / "run"), undisturbed)


def test_a_finished_run_is_left_alone(undisturbed: Run) -> None:
    def stamps() -> dict[Path, int]:
        return {p: p.stat().st_mtime_ns for p in undisturbed.folder.rglob("*") if p.name != ".lock"}

    before, ear = stamps(), Ear()
    train(resume=undisturbed.folder, progress=ear)
    assert ear.warnings == [f"the run in {undisturbed.folder} is finished: 400 games"]
    assert stamps() == before


# --- damaged runs ----------------------------------------------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-50] ^= 1
    path.write_bytes(data)


def take_model(path: Path) -> None:
    shutil.copy(path.parent.parent / "model.safetensors", path)


def take_earlier(path: Path) -> None:
    shutil.copy(path.with_name("000000180.safetensors"), path)


def take_other_seed(path: Path) -> None:
    tensors, facts = storage.load(path)
    storage.save(path, tensors, facts | {"seed": 7})


def take_other_settings(path: Path) -> None:
    tensors, facts = storage.load(path)
    storage.save(path, tensors, facts | {"settings": facts["settings"] | {"rate": 0.5}})


def lose_tensor(path: Path) -> None:
    tensors, facts = storage.load(path)
    del tensors["b2"]
    storage.save(path, tensors, facts)


DAMAGES = {
    cut: "damaged",
    flip: "do not match their digest",
    lambda path: path.write_bytes(b""): "damaged",
    take_model: "its kind is 'model' instead of 'checkpoint'",
    take_earlier: "it holds 180 games",
    take_other_seed: "its seed is 7 instead of 1",
    take_other_settings: "its rate is 0.5 instead of 0.1",
    lose_tensor: "b2 is missing",
}


@pytest.mark.parametrize(("damage", "reason"), DAMAGES.items(), ids=[getattr(d, "__name__", "") for d in DAMAGES])
def test_a_bad_checkpoint_falls_back_to_the_one_before_and_says_so(
    damage: Callable[[Path], None], reason: str, stopped: Path, undisturbed: Run
) -> None:
    bad = stopped / "checkpoints" / "000000200.safetensors"
    damage(bad)
    ear = Ear()
    run = train(resume=stopped, progress=ear)
    (warning,) = ear.warnings
    assert str(bad) in warning
    assert reason in warning
    assert same(run, undisturbed)


def test_without_any_good_checkpoint_the_run_begins_again(stopped: Path, undisturbed: Run) -> None:
    lose_tensor(stopped / "checkpoints" / "000000120.safetensors")
    for games in (180, 200):
        cut(stopped / "checkpoints" / f"{games:09}.safetensors")
    ear = Ear()
    assert same(train(resume=stopped, progress=ear), undisturbed)
    assert len(ear.warnings) == 4
    assert ear.warnings[-1] == f"there is no good checkpoint in {stopped}: beginning again"


def test_what_the_record_says_beyond_the_checkpoint_is_said_anew(stopped: Path, undisturbed: Run) -> None:
    with open(stopped / "metrics.jsonl", "a") as file:
        file.write('{"kind": "progress", "games": 220, "moves": 1}\n')
        file.write('{"kind": "evaluation", "games": 300, "opponents": []}\n{"kind": "progress", "ga')
    assert Run.open(stopped).metrics()[-1]["games"] == 300  # the torn line is no line
    assert same(train(resume=stopped), undisturbed)


def test_a_lost_record_does_not_hinder_the_run(stopped: Path, undisturbed: Run) -> None:
    (stopped / "metrics.jsonl").unlink()
    assert weights(train(resume=stopped)) == weights(undisturbed)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text[: len(text) // 2].rstrip("\n") + " = =", "damaged"),
        (lambda text: text.replace("seed = 1\n", ""), "lacks 'seed'"),
        (lambda text: text.replace("seed = 1\n", 'seed = "one"\n'), "seed = 'one' makes no sense"),
        (lambda text: text.replace("seed = 1\n", "seed = -1\n"), "seed=-1"),
        (lambda text: text.replace("hidden = 10\n", ""), "lacks the setting hidden"),
        (lambda text: text.replace("hidden = 10\n", "hiden = 10\n"), "hidden"),
        (lambda text: text.replace("hidden = 10\n", "hidden = 0\n"), "hidden = 0 makes no sense"),
        (lambda text: text.replace('game = "backgammon"', 'game = "chess"'), "unknown game 'chess'"),
        (lambda text: text.replace("game_version = 1", "game_version = 99"), "version 99 of the rules"),
    ],
)
def test_a_damaged_configuration_is_an_error_that_says_what_is_wrong(
    change: Callable[[str], str], complaint: str, stopped: Path
) -> None:
    path = stopped / "config.toml"
    path.write_text(change(path.read_text()))
    with pytest.raises(LudusError, match=complaint):
        train(resume=stopped)


def test_resuming_what_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=f"there is no training run in {tmp_path}"):
        train(resume=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(LudusError, match="is a file, not the folder of a training run"):
        train(resume=tmp_path / "file")


# --- who may write where ---------------------------------------------------------------------------------------------


def test_a_new_run_does_not_touch_an_old_one(undisturbed: Run) -> None:
    before = weights(undisturbed)
    with pytest.raises(LudusError, match=f"holds a run already; go on with it by --resume {undisturbed.folder}"):
        train("backgammon", out=undisturbed.folder, seed=5, **TRACES)
    assert weights(undisturbed) == before


def test_a_new_run_does_not_move_in_with_strangers(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(LudusError, match="is not an empty folder"):
        train("backgammon", out=tmp_path, **TRACES)
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]


def test_two_processes_can_not_train_the_same_run(stopped: Path) -> None:
    with open(stopped / ".lock", "r+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LudusError, match="is being trained by another process"):
            train(resume=stopped)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"opponents": ["random", "pubevil"]}, "unknown player 'pubevil'; did you mean 'pubeval'"),
        ({"encoding": "rew"}, "unknown encoding of backgammon 'rew'"),
        ({"hiden": 10}, "did you mean 'hidden'"),
        ({"hidden": "many"}, "hidden = 'many' should be like 40"),
        ({"games": 0}, "games = 0 makes no sense"),
        ({"preset": "mauerman"}, "did you mean 'mauermann2015'"),
        ({"seed": -1}, "seed=-1"),
        ({"resume": "elsewhere"}, "give resume alone"),
    ],
)
def test_what_can_not_work_is_said_before_anything_is_written(
    values: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(LudusError, match=complaint):
        train("backgammon", **{"out": tmp_path / "run"} | values)
    assert not (tmp_path / "run").exists()


@contextlib.contextmanager
def disk_full(name: str) -> Iterator[None]:
    """Within, no file of this name can be written."""
    replace = os.replace

    def full(source: str, target: Path) -> None:
        if Path(target).name == name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", full)
        yield


@pytest.mark.parametrize(
    "name", ["metrics.jsonl", "000000240.safetensors", "000000400.safetensors", "model.safetensors", "curve.svg"]
)
def test_a_full_disk_ends_the_run_but_loses_nothing(name: str, stopped: Path, undisturbed: Run) -> None:
    before = {path.name: path.read_bytes() for path in Run.open(stopped).checkpoints()}
    with disk_full(name), pytest.raises(TrainingError, match="No space left on device") as caught:
        train(resume=stopped)
    assert name in str(caught.value)
    assert f"go on with: ludus train --resume {stopped}" in str(caught.value)
    assert caught.value.exit_code == 1
    left = Run.open(stopped).checkpoints()
    for path in left:
        storage.load(path)
        assert path.read_bytes() == before.get(path.name, path.read_bytes())
    assert len(left) == 3
    assert same(train(resume=stopped), undisturbed)


def test_a_record_that_can_not_grow_ends_the_run(
    stopped: Path, undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "open", lambda path, *rest, **more: open("/dev/full", *rest, **more), raising=False)
    with pytest.raises(TrainingError, match=r"can't write .*metrics.jsonl: No space left on device"):
        train(resume=stopped)
    monkeypatch.undo()
    assert same(train(resume=stopped), undisturbed)


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TrainingError, match=f"can't make the folder {tmp_path}/file/run"):
        train("backgammon", out=tmp_path / "file" / "run", **TRACES)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(stopped: Path) -> None:
    before = Run.open(stopped).checkpoints()
    (stopped / "checkpoints").chmod(0o500)
    try:
        with pytest.raises(TrainingError, match=r"can't write .*checkpoints/.*: Permission denied"):
            train(resume=stopped)
    finally:
        (stopped / "checkpoints").chmod(0o700)
    assert Run.open(stopped).checkpoints() == before


# --- settings as text ------------------------------------------------------------------------------------------------


def test_a_configuration_survives_any_text(tmp_path: Path) -> None:
    odd = 'quote " backslash \\ line\nbreak tab\t delete\x7f umlaut ü beyond 🎲'
    settings = Settings(opponents=(odd, "td(plies=1)"), rate=1e-05, decay=1.0)
    config = Config("backgammon", 1, odd, 2**63 - 1, settings)
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
def test_a_change_that_can_not_be_read(text: str, complaint: str) -> None:
    with pytest.raises(LudusError, match=complaint):
        read_change(text)


def test_every_preset_can_be_written_as_changes() -> None:
    for value in preset("backgammon", "mauermann2015").to_dict().items():
        text = ",".join(value[1]) if isinstance(value[1], list) else str(value[1])
        assert read_change(f"{value[0]}={text}") == value


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
    pace.trained(100, 1.0)
    assert pace.left == pytest.approx(9.0)
    pace.evaluated(2.0)
    assert pace.left == pytest.approx(9.0 + 9 * 2.0)
    pace.trained(1000, 9.0)
    assert pace.left == 0


def test_the_pace_follows_the_recent_speed() -> None:
    pace = Pace(total=10_000, every=10_000, games=0)
    pace.trained(10, 10.0)
    for games in range(110, 2111, 100):
        pace.trained(games, 1.0)
    assert pace.speed == pytest.approx(100)


def test_lines_of_text(tmp_path: Path) -> None:
    out = io.StringIO()
    run = train("backgammon", out=tmp_path / "run", progress=Lines(out), **TRACES | {"games": 40})
    text = out.getvalue()
    assert "backgammon, preset mauermann2015, seed 1: 40 games" in text
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
    wins, points = learning_curve(lines, "title", log=True).axes
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
