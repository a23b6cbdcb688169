"""The campaign of faults (tools/faults.py), in small; and that it sees what goes wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ludus.errors import LudusError
from ludus.kernel import JIT

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import fault_files
import faults


def test_texts_and_command_lines(capsys: pytest.CaptureFixture[str]) -> None:
    code = faults.main(["--seed", "3", "--kills", "0", "--files", "0", "--texts", "400", "--lines", "40"])
    told = capsys.readouterr()
    assert code == 0, told.out
    assert "command lines: 40 of 40" in told.err


@pytest.mark.skipif(not JIT, reason="trains by every method")
def test_files(capsys: pytest.CaptureFixture[str]) -> None:
    code = faults.main(["--seed", "3", "--kills", "0", "--files", "200", "--texts", "0", "--lines", "0"])
    assert code == 0, capsys.readouterr().out


def test_it_sees_what_goes_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise LudusError("no")

    def stumble() -> None:
        raise KeyError("oh")

    tally = faults.Tally("test")
    assert [tally.attempt("a thing", use) for use in (refuse, stumble, lambda: 5)] == [None, None, 5]
    assert (tally.tried, tally.refused, tally.tracebacks, tally.wrong) == (3, 1, 1, 1)
    assert "a thing: KeyError('oh') in test_faults.py" in tally.told[0]

    path = tmp_path / "a.safetensors"
    path.write_bytes(bytes(100))
    kind = fault_files.Kind("checkpoint", path, path.read_bytes, signed=True)  # takes anything for good
    monkeypatch.setattr(faults, "files", lambda folder: [kind])
    monkeypatch.setattr(fault_files, "_signed", lambda path, luck: (path.write_bytes(b"") and "") or "not finite")
    (tally,) = faults.damage_files(20, 1, tmp_path)
    assert tally.accepted > 10
    assert path.read_bytes() == bytes(100)  # each begins with the good file
    assert "accepted in silence" in faults.table([tally])


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "PATIENCE", 0.01)
    tally = faults.Tally("test")

    def wait() -> None:
        while True:
            pass

    assert tally.attempt("for ever", wait) is None
    assert "TooLong" in tally.told[0]
