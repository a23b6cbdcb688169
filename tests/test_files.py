"""Files: only regular ones are read, and only up to a size; what can't be read is said in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ludus.errors import LudusError
from ludus.files import read_regular, write_atomically


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    assert read_regular(tmp_path / "a", 1000) == b"x" * 1000
    assert read_regular(str(tmp_path / "a"), 5000) == b"x" * 1000


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1001)
    with pytest.raises(LudusError, match="too large"):
        read_regular(tmp_path / "a", 1000)


def test_what_says_it_is_empty_and_is_not_has_a_bound_too() -> None:
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("there is no /proc here")
    with pytest.raises(LudusError, match="too large"):
        read_regular(status, 10)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LudusError, match="not a regular file"):
        read_regular(tmp_path / "pipe", 1000)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null"])
def test_devices_are_refused(name: str) -> None:
    with pytest.raises(LudusError, match="not a regular file"):
        read_regular(name, 1000)


@pytest.mark.parametrize(
    ("name", "says"),
    [("nothing", "there is no file"), (".", "folder"), ("a" * 5000, "can't read a+…"), ("a\0b", "null")],
)
def test_what_is_no_file(tmp_path: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LudusError, match=says) as error:
        read_regular(name, 1000)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b"])
def test_what_can_t_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(LudusError):
        write_atomically(tmp_path / name, b"")
    assert not list(tmp_path.iterdir())
