"""Where training runs may write, and what happens when they can't: nothing is lost, and the error names the file."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.lab import Run, TrainingError, metrics, train
from ludus.nets import storage
from runs import TRACES, same, weights

pytest_plugins = ("run_fixtures",)

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


def test_who_trains_is_named_while_it_does(stopped: Path) -> None:
    with Run.open(stopped).locked(), pytest.raises(LudusError, match=f"another process, number {os.getpid()}$"):
        train(resume=stopped)
    assert not (stopped / ".owner").exists()


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"opponents": ["random", "pubevil"]}, "unknown player 'pubevil'; did you mean 'pubeval'"),
        ({"encoding": "rew"}, "unknown encoding of backgammon 'rew'"),
        ({"hiden": 10}, "did you mean 'hidden'"),
        ({"hidden": "many"}, "hidden = 'many' should be a whole number, like 40"),
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
    assert len(left) >= 3
    assert same(train(resume=stopped), undisturbed)


def test_a_record_that_can_not_grow_ends_the_run(
    stopped: Path, undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_full(path: Path, *rest: Any, **more: Any) -> Any:
        return open("/dev/full", *rest, **more)

    monkeypatch.setattr(metrics, "open", open_full, raising=False)
    with pytest.raises(TrainingError, match=r"can't write .*metrics.jsonl: No space left on device"):
        train(resume=stopped)
    monkeypatch.undo()
    assert same(train(resume=stopped), undisturbed)


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TrainingError, match=f"can't make the folder {tmp_path}/file/run"):
        train("backgammon", out=tmp_path / "file" / "run", **TRACES)


def test_a_folder_that_may_not_be_written(stopped: Path) -> None:
    before = Run.open(stopped).checkpoints()
    (stopped / "checkpoints").chmod(0o500)
    if os.access(stopped / "checkpoints", os.W_OK):
        pytest.skip("this user, such as root, may write anywhere")
    try:
        with pytest.raises(TrainingError, match=r"can't write .*checkpoints/.*: Permission denied"):
            train(resume=stopped)
    finally:
        (stopped / "checkpoints").chmod(0o700)
    assert Run.open(stopped).checkpoints() == before
