"""The record of a run, `metrics.jsonl`: one JSON object a line, of kind "progress" or "evaluation".

Lines are appended while the run goes on. What a kill tears off is dropped when the file is read again, and what a resumed
run is going to say once more is taken out first, so that the record ends up the same as that of an undisturbed run.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.errors import LudusError, brief
from ludus.files import MEGABYTE, read_regular, write_atomically
from ludus.methods.base import NOW
from ludus.nets.formats import upgraded_line
from ludus.quantities import GAMES, GAMES_OR_NONE

Line = dict[str, Any]
LARGEST = 200 * MEGABYTE  # a file that is read


def read(path: Path, method: str = "", warn: Callable[[str], None] | None = None) -> list[Line]:
    """The lines of a record; none if there is no such file. What a method once said otherwise is put in today's words.

    What a kill tore off at the end is left out. Any other line that makes no sense is an error or, for who gives `warn`, left out and said.
    """
    if not path.exists():
        return []
    *texts, rest = read_regular(path, LARGEST).split(b"\n")
    lines = []
    for number, text in enumerate([*texts, rest], 1):
        line, fault = _parsed(text)
        if fault is None:
            lines.append(upgraded_line(line, method))
        elif number <= len(texts):
            complaint = f"{path}, line {number} is damaged: {fault}"
            if warn is None:
                raise LudusError(complaint)
            warn(f"{complaint}; it is left out")
    return lines


def flat(evaluations: list[Line]) -> list[Line]:
    """Evaluations with one value a column: a row for each of them and opponent."""
    rows = []
    for line in evaluations:
        for row in line["opponents"]:
            (low, high), error = row["win_rate_ci95"], row["points_se"]
            rows.append({
                "games": line["games"], "seconds": line.get("seconds"), "opponent": row["name"], "win_rate": row["win_rate"],
                "win_rate_low": low, "win_rate_high": high, "points_per_game": row["points_per_game"],
                "points_se": math.nan if error is None else error,
            })  # fmt: skip
    return rows


def _parsed(text: bytes) -> tuple[Line, str | None]:
    """A line, and what is wrong with it."""
    try:
        line = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return {}, "it is not JSON"
    return line, _fault(line)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _fault(line: Any) -> str | None:
    """What is wrong with a line of a record."""
    if not isinstance(line, dict):
        return "it is not of a training"
    if line.get("kind") not in ("progress", "evaluation"):
        return f"its kind is {brief(repr(line.get('kind')))}, neither progress nor evaluation"
    if GAMES_OR_NONE.fault(line.get("games")) is not None:
        return f"its games are {brief(repr(line.get('games')))}"
    for key, value in line.items():
        if key not in ("kind", "opponents") and not _is_number(value):
            return f"{brief(key)} is {brief(repr(value))}, which is no number"
    if line["kind"] == "progress":
        return None
    rows = line.get("opponents")
    if not isinstance(rows, list):
        return "it lacks opponents"
    return next(filter(None, map(_row_fault, rows)), None)


def _row_fault(row: Any) -> str | None:
    """What is wrong with an opponent in a line of a record."""
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        return "an opponent has no name"
    interval = row.get("win_rate_ci95")
    for key, good in {
        "games": GAMES.fault(row.get("games")) is None,
        "win_rate": _is_number(row.get("win_rate")),
        "win_rate_ci95": isinstance(interval, list) and len(interval) == 2 and all(map(_is_number, interval)),
        "points_per_game": _is_number(row.get("points_per_game")),
        "points_se": row.get("points_se", "") is None or _is_number(row.get("points_se")),
    }.items():
        if not good:
            return f"against {brief(row['name'])} {key} is {brief(repr(row.get(key)))}"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


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

    def __init__(self, path: Path, games: int, method: str = "", warn: Callable[[str], None] | None = None) -> None:
        """Open a record; what it says of more than `games` games is taken out."""
        self.path = path
        self.lines = [line for line in read(path, method, warn) if line["games"] <= games]
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
        try:
            data = _bytes(line)
        except ValueError:
            raise LudusError(f"a line for {self.path} would hold numbers that are not finite: {brief(line)}") from None
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
    return json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
