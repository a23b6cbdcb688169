"""Training: begins a run or goes on with one, and leads it to its end.

A run's state is always that after some number of games. For each such state the loop writes what is due (record,
evaluation, checkpoint), each unless it is there already, and then learns from the next unit of games. Since learning
depends on nothing else, a run may end anywhere, in any way, and go on from its newest checkpoint to the same weights.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from ludus import __version__
from ludus.errors import LudusError
from ludus.files import write_atomically
from ludus.lab.config import Config
from ludus.lab.events import Events, require_tensorboard
from ludus.lab.metrics import Line, Record, Tally
from ludus.lab.notebook import usual_progress
from ludus.lab.planning import named_again, plan
from ludus.lab.progress import Progress
from ludus.lab.run import RULES, Run, TrainingError, is_free
from ludus.matches import arena
from ludus.matches.contest import check_memory
from ludus.methods import Method
from ludus.methods.base import DivergedError
from ludus.waiting import Stopwatch

PROGRESS_LINES = 100  # a run, beside its evaluations


class Stopped(KeyboardInterrupt):
    """A run was asked to stop, and has written a checkpoint first."""


def train(
    game: Any = None,
    preset: str | None = None,
    out: str | Path | None = None,
    seed: int | None = None,
    *,
    method: Any = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    tensorboard: bool = False,
    **settings: Any,
) -> Run:
    """Train a player, and keep everything in the folder `out` (`runs/GAME-PRESET-SEED` unless told).

    `game` is a name or a Game. `preset` is the first of those that `ludus presets` lists for it, unless told; or give a `method`: a
    name, `file.py:Class`, or an object such as `Sarsa(rate=0.1)`. Further keywords change single settings, as in `games=1000` or
    `hidden=80`. With `resume=FOLDER` instead, an interrupted run goes on as if nothing had happened; a game or method of your own is
    named again then, as no code is loaded because a folder says so. `progress` hears how it goes; in a notebook, unless told, a view with a curve
    that grows.

    With `jobs`, such as `ludus.workers("ray")`, a method that can do so learns in many places; `selfplay` can. It changes no result.

    >>> import tempfile, ludus
    >>> run = ludus.train("backgammon", out=tempfile.mkdtemp(), games=100, hidden=10, evaluation_games=10)
    >>> run.metrics()[-1]["games"]
    100
    """
    listener, crew = progress or usual_progress(), settings.pop("jobs", None)
    if resume is not None:
        if out is not None or preset is not None or seed is not None or settings:
            raise LudusError("a run that is resumed keeps its folder, preset, seed and settings: give resume alone")
        folder = Path(resume)
        game, cls, warnings = named_again(Config.read(folder / "config.toml"), game, method)
        run = Run.open(folder, game, cls)
        if run.config.ludus != __version__:
            warnings.append(f"{run.folder} was begun with ludus {run.config.ludus}; this is {__version__}")
        for text in warnings:
            listener.warn(text)
    else:
        made = plan(game, preset, method, 1 if seed is None else seed, settings)
        folder = _default_folder(made.config) if out is None else Path(out)
        run = Run(folder, made.config, made.game, type(made.method), named=True)
    if tensorboard:
        require_tensorboard()
    trials = run.config.training.evaluation_games
    check_memory(run.game, trials, f"setting evaluation_games = {trials}")
    learner = run.learner()
    try:
        if crew is not None:
            learner.work_with(crew)
        opponents = {name: run.other_player(name) for name in run.config.training.opponents}
        if resume is None:
            _claim(run.folder)
        with run.locked():
            if resume is None:
                _begin(run)
            elif run.finished:
                listener.warn(f"the run in {run.folder} is finished: {run.config.training.games:,} games")
                run.clean()
                if not all((run.folder / f"curve.{kind}").exists() for kind in ("png", "svg")):
                    run.plot()
                listener.close(run, run.config.training.games)
                return run
            with _Training(run, learner, opponents, listener, tensorboard, resume is not None) as training:
                training.go()
    finally:
        learner.close()
    return run


# --- beginning -------------------------------------------------------------------------------------------------------


def _default_folder(config: Config) -> Path:
    name, label = (
        re.sub(r"[^\w.=-]+", "-", text).strip("-") for text in (config.game, config.label.rpartition(":")[2])
    )
    base = Path("runs") / f"{name}-{label}-{config.seed}"
    folder, number = base, 1
    while not is_free(folder):
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def _claim(folder: Path) -> None:
    if not is_free(folder):
        if (folder / "config.toml").exists():
            raise LudusError(
                f"{folder} holds a run already; go on with it by --resume {folder}, or choose another folder"
            )
        raise LudusError(f"{folder} is not an empty folder; choose another one for the run")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainingError(f"can't make the folder {folder}: {error.strerror}") from error


def _begin(run: Run) -> None:
    if (run.folder / "config.toml").exists():  # another process was quicker to get the lock, and is done already
        raise LudusError(f"{run.folder} holds a run already; go on with it by --resume {run.folder}")
    try:
        source = getattr(run.game, "source", None)
        if source is not None:
            write_atomically(run.folder / RULES, source.encode())
        write_atomically(run.folder / "config.toml", run.config.to_toml().encode())
    except LudusError as error:
        raise TrainingError(str(error)) from error


# --- going on --------------------------------------------------------------------------------------------------------


class _Training:
    """A run under way."""

    def __init__(
        self,
        run: Run,
        learner: Method,
        opponents: dict[str, Any],
        listener: Progress,
        tensorboard: bool,
        goes_on: bool,
    ) -> None:
        self.run, self.learner, self.opponents, self.listener = run, learner, opponents, listener
        self.total = run.config.training.games
        self.before = 0  # games before the last unit
        self.stop = False
        self.speed = 0.0  # games a second since the last line of the record, evaluations not counted
        self.tally = Tally()  # what the learner has reported since the last line of the record
        self.events: Events | None = None
        with self._resumable():
            run.clean()
            if goes_on:
                self.before, kept = run.restore(learner, listener.warn)
                self.tally = Tally(kept)
            self.record = Record(
                run.folder / "metrics.jsonl", learner.games if goes_on else -1, run.config.method, listener.warn
            )
            earlier = self.record.lines[-1].get("seconds", 0.0) if self.record.lines else 0.0
            if tensorboard:
                self.events = Events(run.folder / "tensorboard", learner.games)
        self.begun = time.perf_counter() - earlier

    def __enter__(self) -> _Training:
        self.listener.begin(self.run, self.learner.games, self.record.lines)
        return self

    def __exit__(self, *_: object) -> None:
        self.record.close()
        if self.events is not None:
            self.events.close()
        self.listener.close(self.run, self.learner.games)

    def go(self) -> None:
        """Lead the run to its end; Stopped if asked to stop on the way."""
        with self._resumable(), self._signals():
            self.listener.status("getting ready")
            marked, spent = None, 0.0  # since when, and for how long, the speed is measured
            while True:
                games = self.learner.games
                if self._due(-(-self.total // PROGRESS_LINES)) and games and not self.record.has("progress", games):
                    if marked is not None and spent:
                        self.speed = (games - marked) / spent
                    marked, spent = games, 0.0
                    self._note(self._line("progress") | self.tally.means())
                    self.tally = Tally()
                evaluated = self._evaluate()
                if self.stop or (self._due(self.run.checkpoint_every) and games):
                    self.record.sync()
                    # The last model says that the run is finished, and so has to wait for the last evaluation.
                    with_model = evaluated or games < self.total
                    self.run.save(self.learner, self.before, self.tally.sums, with_model)
                if evaluated and games >= self.total:
                    break
                if self.stop:
                    raise Stopped(f"stopped after {games:,} games; go on with: ludus train --resume {self.run.folder}")
                watch = Stopwatch()
                self.tally.add(self.learner.advance(), self.learner.games - games)
                self.before = games
                unit = watch.seconds
                if marked is None:  # the first unit has much to load: the clock starts now
                    marked = self.learner.games
                else:
                    spent += unit
                self.listener.trained(self.learner.games, unit)
            self.listener.status("drawing the curve")
            self.run.plot()

    def _due(self, every: int) -> bool:
        """Whether the last unit passed a multiple of so many games, or the end. At 0 games everything is due."""
        games = self.learner.games
        return games in (0, self.total) or games // every > self.before // every

    def _line(self, kind: str) -> Line:
        return {
            "kind": kind,
            "games": self.learner.games,
            "moves": self.learner.counters["moves"],
            "seconds": round(time.perf_counter() - self.begun, 3),
            "games_per_second": round(self.speed, 1),
        }

    def _note(self, line: Line) -> None:
        self.record.add(line)
        if self.events is not None:
            self.events.add(line)

    # Evaluations.

    def _evaluate(self) -> bool:
        """Evaluate the player, if it is due. False: the run has to stop, and leaves this to the one that resumes it."""
        games, every = self.learner.games, self.run.evaluate_every
        # The beginning of the curve is worth its time only where there will be a curve.
        if not self._due(every) or (games == 0 and every >= self.total) or self.record.has("evaluation", games):
            return True
        self.learner.check_finite()
        watch = Stopwatch()
        try:
            rows = [self._meet(name, player) for name, player in self.opponents.items()]
        except _Interrupted:
            return False
        line = self._line("evaluation") | {"opponents": rows}
        self._note(line)
        self.listener.evaluated(line, watch.seconds)
        return True

    def _meet(self, name: str, opponent: Any) -> dict[str, Any]:
        """How the learner's player fares against an opponent, who takes all other seats."""
        run, game = self.run, self.run.game

        def hear(done: int, total: int) -> None:
            self.listener.evaluating(name, done, total)
            if self.stop:
                raise _Interrupted

        # Dice of their own for each evaluation: a lucky series of rolls then does not lift the whole curve.
        text = f"evaluation: {run.config.seed}, {self.learner.games}, {name}"
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1
        seats = [self.learner.player()] + [opponent] * (game.facts.seats - 1)
        result = arena(game, seats, run.config.training.evaluation_games, seed, progress=hear)
        return result.rows[0].to_json() | {"name": name}

    # What comes in between.

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Let Ctrl-C and SIGTERM end the run after the present unit; a second one ends it at once."""

        def ask(number: int, frame: FrameType | None) -> None:
            if self.stop:
                raise KeyboardInterrupt(f"ended at once; go on with: ludus train --resume {self.run.folder}")
            self.stop = True
            self.listener.status("stopping; once more ends at once")

        if threading.current_thread() is not threading.main_thread():
            yield  # signals reach the main thread only, and are its business
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        earlier = [signal.signal(number, ask) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, earlier, strict=True):
                signal.signal(number, handler or signal.SIG_DFL)

    @contextlib.contextmanager
    def _resumable(self) -> Iterator[None]:
        """Say how to go on after an error that is not the user's, such as a full disk, and what is left of a training that diverged."""
        try:
            yield
        except DivergedError as error:
            good = self.run.checkpoints()
            left = f"the last good checkpoint is {good[0]}" if good else "there was no checkpoint yet"
            raise TrainingError(f"{error}; {left}") from error
        except LudusError as error:
            raise TrainingError(f"{error}; go on with: ludus train --resume {self.run.folder}") from error


class _Interrupted(Exception):  # noqa: N818  not an error, but a way out of the arena
    """An evaluation is broken off, as the run has been asked to stop."""
