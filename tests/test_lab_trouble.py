"""Training runs in trouble: killed, stopped, damaged. Nothing that happens to them changes what they become."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.lab import Progress, Run, Stopped, metrics, train
from ludus.nets import storage
from runs import SELFPLAY, TRACES, Ear, press_ctrl_c, same, weights

pytest_plugins = ("run_fixtures",)

# --- kill -9 ---------------------------------------------------------------------------------------------------------


def command(folder: Path, values: dict[str, Any]) -> list[str]:
    line = [sys.executable, "-m", "ludus.cli.main", "train"]
    if (folder / "config.toml").exists():
        return [*line, "--resume", str(folder)]
    line += ["backgammon", "--out", str(folder)]
    for key, value in values.items():
        line += [f"--{key}", value] if key in ("preset", "method") else ["--set", f"{key}={value}"]
    return line


@pytest.mark.parametrize("values", [TRACES, SELFPLAY], ids=["traces", "selfplay"])
def test_a_run_killed_again_and_again_ends_with_the_same_weights(values: dict[str, Any], tmp_path: Path) -> None:
    quiet = subprocess.run(command(tmp_path / "quiet", values), capture_output=True, text=True)
    assert quiet.returncode == 0, quiet.stderr
    folder, kills = tmp_path / "killed", 0
    moments = random.Random(os.getpid())
    for _ in range(3):
        record = folder / "metrics.jsonl"
        # First let it get somewhere, and then a little further; the first time early, or nothing may be left to be killed.
        lines = len(metrics.read(record)) + (moments.randrange(5) if kills else 1)
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
            assert writes[number] in (".owner", "config.toml")
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

        def evaluating(self, opponent: str, done: int, total: int) -> None:
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
        return {p: p.stat().st_mtime_ns for p in undisturbed.folder.rglob("*") if p.name not in (".lock", ".owner")}

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


def test_a_run_that_has_judged_billions_of_positions_goes_on(stopped: Path, undisturbed: Run) -> None:
    path = stopped / "checkpoints" / "000000200.safetensors"
    tensors, facts = storage.load(path)
    storage.save(path, tensors, facts | {"counters": facts["counters"] | {"positions": 5 * 10**9}})
    ear = Ear()
    assert weights(train(resume=stopped, progress=ear)) == weights(undisturbed)
    assert ear.warnings == []


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
        (lambda text: text.replace("[training]\n", "[trainig]\n"), "lacks 'training'"),
        (lambda text: text.replace("format = 2\n", "format = 3\n"), "format 3; this ludus reads formats 1 to 2"),
        (lambda text: text.replace("format = 2\n", ""), "its settings are not those of a training"),
        (
            lambda text: text.replace('method = "traces"', 'method = "tarces"'),
            "unknown method 'tarces'; did you mean 'traces'",
        ),
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


def test_a_configuration_that_lost_a_setting_is_not_taken_for_the_same(stopped: Path) -> None:
    """A setting that a file lacks has its default, as one that is newer than the file; but no checkpoint was made with that."""
    path = stopped / "config.toml"
    path.write_text(path.read_text().replace("hidden = 10\n", ""))
    ear = Ear()
    train(resume=stopped, progress=ear)
    assert ["its hidden is 10 instead of 40" in warning for warning in ear.warnings] == [True, True, True, False]
    assert ear.warnings[-1] == f"there is no good checkpoint in {stopped}: beginning again"


def test_resuming_what_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=f"there is no training run in {tmp_path}"):
        train(resume=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(LudusError, match="is a file, not the folder of a training run"):
        train(resume=tmp_path / "file")
