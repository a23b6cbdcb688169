"""One training of a comparison: a method learns a game with one seed, within a budget, and is measured on the way.

The lab's checkpoints let it go on after any end; what was measured before is kept beside them. All that is written is the same however
often it was interrupted, but for the measured times.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus.comparing.entrants import Entrant
from ludus.comparing.results import read_json
from ludus.comparing.suite import Budget, Task
from ludus.errors import LudusError, brief
from ludus.files import write_atomically
from ludus.lab.run import LockedError, Run
from ludus.matches import contest
from ludus.matches.flight import Manner
from ludus.players import player
from ludus.scale.processes import Tell
from ludus.waiting import METER

CHECKPOINT = 20.0  # seconds by the clock from one checkpoint to the next
PROGRESS = "progress.json"
RESULT = "result.json"
COSTS = "costs.json"  # measured times, the one thing that is never the same again


def write_json(path: Path, value: Any) -> None:
    """Write results, whole or not at all, always in the same way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n").encode())


def seed_of(*parts: Any) -> int:
    """A seed for a part of a comparison: the same parts always give the same one.

    >>> seed_of(1, "tictactoe", "random") == seed_of(1, "tictactoe", "random")
    True
    """
    return int.from_bytes(hashlib.sha256(json.dumps(parts).encode()).digest()[:8], "big") >> 1


def reason(error: BaseException) -> str:
    """What went wrong, in a line.

    >>> reason(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    text = " ".join(str(error).split())
    return brief(text if isinstance(error, LudusError) else f"{type(error).__name__}: {text}", 300)


def measure(
    game: Any,
    seats: Sequence[Any],
    seed: int,
    rounds: int,
    opening: int,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Scores of the first of some players, one a seat: an array [round, seat]. In a round it has each seat once, with the same dice."""
    count = game.facts.seats
    entry = contest.enter(game, seats)
    scores = contest.play(entry, seed, range(rounds * count), 1, progress, Manner(opening=opening, paired=True)).scores
    mine = scores[:, 0].reshape(rounds, count)
    return mine[:, (-np.arange(count)) % count]  # in game i of a round it has seat -i


class Clock:
    """Seconds of this process's processor time, without what compiling took."""

    def __init__(self) -> None:
        self._begun = time.process_time() - METER.seconds

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return max(time.process_time() - METER.seconds - self._begun, 0.0)


class Training:
    """A training under way in a folder."""

    def __init__(self, folder: Path, task: Task, entrant: Entrant, seed: int, bench_seed: int) -> None:
        self.folder, self.task, self.seed, self.bench_seed = folder, task, seed, bench_seed
        self.game = game_registry.game(task.game)
        plan = entrant.planned(task, self.game, seed_of(bench_seed, "training", task.game, seed))
        self.run = Run(folder, plan.config, plan.game, type(plan.method), named=True)
        for name in task.opponents:
            player(name, self.game)  # one that has to solve the game does so now, before anybody's patience is tried
        self.learner: Any = None
        self.before = 0  # games before the last unit
        self.learning, self.measuring = 0.0, 0.0  # seconds of processor time
        self.points: dict[int, Any] = {}  # by games
        self.passed = 0  # marks of the curve
        self.seconds: dict[int, float] = {}  # at each point, and at each checkpoint

    def go(self, tell: Tell) -> None:
        """Lead it to its end. `tell` hears the share of the budget that is used, after each unit."""
        folder = self.folder
        folder.mkdir(parents=True, exist_ok=True)
        with self._alone(tell):
            if (folder / RESULT).exists():  # a worker of a comparison that was killed has just finished it
                return
            self.run.clean()
            write_atomically(folder / "config.toml", self.run.config.to_toml().encode())
            self.learner = self.run.learner()
            try:
                self._restore()
                self._learn(tell)
                self.run.save(self.learner, self.before, {})
                stopped_by = next(name for name, used in self._used().items() if used >= 1)
            finally:
                self.learner.close()
            self._write(stopped_by)

    @contextlib.contextmanager
    def _alone(self, tell: Tell) -> Iterator[None]:
        """Wait for a worker that a killed comparison has left: it ends within a second or so."""
        with contextlib.ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(self.run.locked())
                    break
                except LockedError:
                    tell(0.0)
                    time.sleep(0.2)
            yield

    def _write(self, stopped_by: str) -> None:
        """Write down what came of it, and let go of what was needed to go on."""
        folder = self.folder
        points = [self.points[games] for games in sorted(self.points)]
        for point in points:
            del point["passed"]
        seconds = [round(self.seconds[games], 3) for games in sorted(self.points)]
        write_json(folder / COSTS, {"learning": seconds, "measuring": round(self.measuring, 3)})
        write_json(folder / RESULT, {"points": points, "stopped_by": stopped_by})
        tidy(folder)

    def _restore(self) -> None:
        path = self.folder / PROGRESS
        if not path.exists() or not self.run.checkpoints():
            return
        kept = read_json(path)
        self.before, _ = self.run.restore(self.learner, lambda text: None)
        self.points = {int(games): point for games, point in kept["points"].items()}
        self.seconds = {int(games): seconds for games, seconds in kept["seconds"].items()}
        games = self.learner.games
        self.learning, self.measuring = self.seconds.get(games, 0.0), kept["measuring"]
        self.passed = max((point["passed"] for point in self.points.values() if point["games"] <= games), default=0)

    def _save(self) -> None:
        # What was measured goes first: it is true of the training also where its checkpoint is older.
        self.seconds[self.learner.games] = self.learning
        kept = {"points": self.points, "seconds": self.seconds, "measuring": self.measuring}
        write_json(self.folder / PROGRESS, kept)
        self.run.save(self.learner, self.before, {}, with_model=False)

    def _used(self) -> dict[str, float]:
        """The shares of the budget that are used up."""
        counters = self.learner.counters
        used = {"games": counters["games"], "positions": counters["positions"], "seconds": self.learning}
        return shares_of(self.task.budget, used)

    def _learn(self, tell: Tell) -> None:
        points = self.task.measuring.points
        marks = [0.5 ** (points - 1 - k) for k in range(points)]  # of the budget, where the curve has its points
        saved = time.monotonic()
        while True:
            share = max(self._used().values())
            passed = sum(mark <= share for mark in marks)
            if passed > self.passed:
                self._measure(passed, share, tell)
            if share >= 1:
                return
            if time.monotonic() - saved > CHECKPOINT and self.learner.games:
                self._save()
                saved = time.monotonic()
            tell(share)
            clock = Clock()
            before = self.learner.games
            self.learner.advance()
            self.learning += clock.seconds
            self.before = before

    def _measure(self, passed: int, share: float, tell: Tell) -> None:
        """Measure what was learned so far against each opponent, unless that was done before an interruption."""
        games, task = self.learner.games, self.task
        self.passed = passed
        if games in self.points:
            return
        self.learner.check_finite()
        clock = Clock()
        learned = self.learner.player()
        rounds = task.measuring.rounds if share >= 1 else task.measuring.curve_rounds
        scores = {}
        for opponent in task.opponents or ("",):
            seed = seed_of(self.bench_seed, "measuring", task.game, opponent, self.seed, games)
            seats = [learned] + [opponent] * (self.game.facts.seats - 1)
            found = measure(self.game, seats, seed, rounds, task.measuring.opening, lambda done, total: tell(share))
            scores[opponent] = found.tolist()
        counters = self.learner.counters
        self.points[games] = {
            "games": games, "positions": counters["positions"], "moves": counters["moves"], "passed": passed, "scores": scores,
        }  # fmt: skip
        self.seconds[games] = self.learning
        self.measuring += clock.seconds


def tidy(folder: Path) -> None:
    """Remove what a finished training needs no more."""
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    for name in (PROGRESS, ".lock"):
        (folder / name).unlink(missing_ok=True)


def shares_of(budget: Budget, used: dict[str, float]) -> dict[str, float]:
    """How much of each part of a budget is used up; 0 for what is not limited.

    >>> shares_of(Budget(games=100), {"games": 50, "positions": 900, "seconds": 1.0})
    {'games': 0.5, 'positions': 0.0, 'seconds': 0.0}
    """
    limits = {"games": budget.games, "positions": budget.positions, "seconds": budget.seconds}
    return {name: used[name] / limit if limit else 0.0 for name, limit in limits.items()}
