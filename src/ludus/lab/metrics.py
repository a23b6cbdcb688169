"""The record of a run, `metrics.jsonl`: one JSON object a line, of kind "progress" or "evaluation".

Lines are appended while the run goes on. What a kill tears off is dropped when the file is read again, and what a resumed
run is going to say once more is taken out first, so that the record ends up the same as that of an undisturbed run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.files import write_atomically
from ludus.methods.base import NOW

Line = dict[str, Any]


def read(path: Path) -> list[Line]:
    """The lines of a record that are whole; none if there is no such file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LudusError(f"can't read {path}: {error.strerror}") from error
    lines = []
    for text in data.split(b"\n"):
        try:
            line = json.loads(text)
        except ValueError:  # the empty rest after the last line break, or a torn line
            continue
        if isinstance(line, dict) and isinstance(line.get("games"), int) and isinstance(line.get("kind"), str):
            lines.append(line)
    return lines


class Tally:
    """What a learner has reported since the last line: means over the games, but for words that tell how it is now."""

    def __init__(self, sums: dict[str, float] | None = None) -> None:
        self.sums = sums or {}  # kept with a checkpoint

    def add(self, report: dict[str, float], games: int) -> None:
        """Take in the report of so many games."""
        for word, value in report.items():
            if word in NOW:
                self.sums[word] = value
            else:
                self.sums[word] = self.sums.get(word, 0.0) + games * value
                self.sums[f"{word} games"] = self.sums.get(f"{word} games", 0) + games

    def means(self) -> dict[str, float]:
        """What a line of the record says."""
        return {
            word: value / self.sums[f"{word} games"] if f"{word} games" in self.sums else value
            for word, value in self.sums.items()
            if not word.endswith(" games")
        }


class Record:
    """The record of a run that goes on: what it says so far, and how to add to it."""

    def __init__(self, path: Path, games: int) -> None:
        """Open a record; what it says of more than `games` games is taken out."""
        self.path = path
        self.lines = [line for line in read(path) if line["games"] <= games]
        write_atomically(path, b"".join(map(_bytes, self.lines)))
        try:
            # Without a buffer, a line is on its way before the next thing happens, and an error belongs to its line.
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise LudusError(f"can't write {path}: {error.strerror}") from error

    def has(self, kind: str, games: int) -> bool:
        """Whether there is a line of a kind for this number of games."""
        return any(line["kind"] == kind and line["games"] == games for line in reversed(self.lines))

    def add(self, line: Line) -> None:
        """Add a line."""
        data = _bytes(line)
        try:
            written = self._file.write(data)
        except OSError as error:
            raise LudusError(f"can't write {self.path}: {error.strerror}") from error
        if written != len(data):
            raise LudusError(f"can't write {self.path}: no space left for a whole line")
        self.lines.append(line)

    def sync(self) -> None:
        """Make sure that all lines so far would survive a power cut."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise LudusError(f"can't write {self.path}: {error.strerror}") from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _bytes(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"
