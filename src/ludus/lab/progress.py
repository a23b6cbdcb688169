"""How a training tells of itself: silent, as lines of text, or as lines of JSON (`live` has the moving view).

A Progress only listens. It never decides anything, so that a run is the same whoever watches.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from typing import IO, Any

from ludus.lab.metrics import Line
from ludus.lab.run import Run


class Progress:
    """Hears how a training goes. This one says nothing; others override what they care for."""

    def begin(self, run: Run, games: int, lines: list[Line]) -> None:
        """A run begins, or goes on after so many games with this record."""

    def status(self, text: str) -> None:
        """What is being done now."""

    def trained(self, games: int, seconds: float) -> None:
        """So many games have been learned from in all; the last unit of them took these seconds."""

    def evaluating(self, opponent: str, done: int, total: int) -> None:
        """So many of an evaluation's games against an opponent have been played."""

    def evaluated(self, line: Line, seconds: float) -> None:
        """An evaluation has been recorded; it took these seconds."""

    def warn(self, text: str) -> None:
        """Something is not as it should be, but the run goes on."""

    def close(self, run: Run, games: int) -> None:
        """The run has ended after so many games, for good or for now."""


class Pace:
    """How fast a run is, and when it will end: by its recent speed, and by what its evaluations have cost."""

    WINDOW = 10.0  # seconds of training that count as recent

    def __init__(self, total: int, every: int, games: int) -> None:
        self.total, self.every, self.games = total, every, games
        self._first = True
        self._units: deque[tuple[int, float]] = deque()  # games and seconds
        self._window = [0, 0.0]  # their sums
        self._evaluations: deque[float] = deque(maxlen=3)

    def trained(self, games: int, seconds: float) -> None:
        """See `Progress.trained`."""
        unit = (games - self.games, seconds)
        self.games = games
        if self._first:  # which has much to load, and tells little of those to come
            self._first = False
            return
        self._units.append(unit)
        self._window[0] += unit[0]
        self._window[1] += unit[1]
        while len(self._units) > 1 and self._window[1] - self._units[0][1] > self.WINDOW:
            old = self._units.popleft()
            self._window[0] -= old[0]
            self._window[1] -= old[1]

    def evaluated(self, seconds: float) -> None:
        """See `Progress.evaluated`."""
        self._evaluations.append(seconds)

    @property
    def speed(self) -> float:
        """Games a second, of training alone; 0 while unknown."""
        games, seconds = self._window
        return games / seconds if seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """The seconds that are left, evaluations included; None while unknown."""
        if self.games >= self.total:
            return 0.0
        if not self._units or self.speed == 0:
            return None
        evaluations = -(-self.total // self.every) - self.games // self.every
        each = sum(self._evaluations) / len(self._evaluations) if self._evaluations else 0.0
        return (self.total - self.games) / self.speed + evaluations * each


def clock(seconds: float | None) -> str:
    """A duration for people.

    >>> clock(59.6), clock(3723), clock(None)
    ('1:00', '1:02:03', '–')
    """
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def rates(row: dict[str, Any]) -> tuple[str, str]:
    """How an opponent was met, for people: win rate with its interval, points per game with their standard error."""
    low, high = row["win_rate_ci95"]
    points = f"{row['points_per_game']:+.3f}"
    if row["points_se"] is not None:
        points += f" ± {row['points_se']:.3f}"
    return f"{row['win_rate']:.1%} ({100 * low:.1f}–{100 * high:.1f})", points


class Lines(Progress):
    """A line of text an evaluation: for logs, and terminals that can't move the cursor."""

    def __init__(self, out: IO[str] | None = None, err: IO[str] | None = None) -> None:
        self._out, self._err = out or sys.stdout, err or sys.stderr

    def begin(self, run: Run, games: int, lines: list[Line]) -> None:
        """The run begins, or goes on."""
        settings = run.config.training
        self._pace = Pace(settings.games, run.evaluate_every, games)
        goes_on = f", going on after {games:,}" if games else ""
        self._say(f"{run.config.game}, {run.config.label}, seed {run.config.seed}: {settings.games:,} games{goes_on}")
        self._say(f"in {run.folder}")

    def trained(self, games: int, seconds: float) -> None:
        """Count the games."""
        self._pace.trained(games, seconds)

    def evaluated(self, line: Line, seconds: float) -> None:
        """Show an evaluation."""
        self._pace.evaluated(seconds)
        speed = f"{self._pace.speed:,.0f} games/s" if self._pace.speed else ""
        self._say(
            f"{line['games']:>11,} games  {clock(line['seconds']):>7}  {speed:>14}  {clock(self._pace.left)} left"
        )
        for row in line["opponents"]:
            self._say(f"    against {row['name']}: wins {rates(row)[0]}, points a game {rates(row)[1]}")

    def warn(self, text: str) -> None:
        """Pass a warning on."""
        print(f"ludus: {text}", file=self._err, flush=True)

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


class JsonLines(Progress):
    """A line of JSON an evaluation, and a last one that names the run: for programs."""

    def __init__(self, out: IO[str] | None = None, err: IO[str] | None = None) -> None:
        self._out, self._err = out or sys.stdout, err or sys.stderr

    def evaluated(self, line: Line, seconds: float) -> None:
        """Show an evaluation."""
        print(json.dumps(line), file=self._out, flush=True)

    def warn(self, text: str) -> None:
        """Pass a warning on."""
        print(f"ludus: {text}", file=self._err, flush=True)

    def close(self, run: Run, games: int) -> None:
        """The run has ended, for good or for now."""
        result = {"run": str(run.folder), "games": games, "finished": run.finished}
        print(json.dumps(result), file=self._out, flush=True)
