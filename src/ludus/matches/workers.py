"""The games of a contest, spread over the cores. Compiled players let go of Python's lock, so that threads serve them;
engines that hold it, and have one state a process, get processes of their own; a user's Python objects stay here.

Processes are plain ones that run this file's `main` and talk through their pipes: unlike those of `multiprocessing` they
do not import the caller's script again, so that a contest also works in a script without a main guard, or at a prompt.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from ludus import names
from ludus.errors import LudusError
from ludus.matches.flight import SLOTS, play_games
from ludus.waiting import Notice, pass_on

TICK = 0.1  # seconds between two reports of progress

# A worker's first words: where the caller finds its modules, and which ones it took from files. Only then can it import this one.
_BOOTSTRAP = (
    "import pickle, sys; sys.path[:], files = pickle.load(sys.stdin.buffer); "
    "from ludus.matches import workers; workers.main(files)"
)


class Plan(NamedTuple):
    """A contest to be played."""

    game: Any
    players: Sequence[Any]  # one a seat
    names: Sequence[str]
    seed: int
    games: int
    slots: int = SLOTS
    opening: int = 0  # random moves at the beginning of a game
    code: tuple[str, ...] = ()  # users' own code that the players' names need


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_here(plan: Plan, progress: Callable[[int, int], None] | None) -> np.ndarray:
    """Play all games in this thread."""
    report = _throttled(lambda done: progress(done, plan.games)) if progress else lambda done: None
    scores = play_games(
        plan.game, plan.players, plan.names, plan.seed, range(plan.games), report, plan.slots, plan.opening
    )
    if progress:
        progress(plan.games, plan.games)
    return scores


def run_spread(plan: Plan, jobs: int, processes: bool, progress: Callable[[int, int], None] | None) -> np.ndarray:
    """Play the games in several threads, or in as many processes, each of which a thread looks after."""
    crew = _Crew(jobs)
    shards = [range(plan.games * j // jobs, plan.games * (j + 1) // jobs) for j in range(jobs)]
    work = _play_in_process if processes else _play_in_thread
    with ThreadPoolExecutor(jobs) as pool:
        try:
            futures = [pool.submit(work, plan, shard, crew, j) for j, shard in enumerate(shards)]
            waiting = True
            while waiting:
                done, not_done = wait(futures, TICK, FIRST_EXCEPTION)
                waiting = bool(not_done)
                for future in done:
                    future.result()
                if progress:
                    progress(sum(crew.done), plan.games)
            return np.concatenate([future.result() for future in futures])
        finally:
            crew.end()  # also after Ctrl-C, and when one of them failed


class _Crew:
    """What the workers of a contest share: how far each is, and the word to stop."""

    def __init__(self, jobs: int) -> None:
        self.done = [0] * jobs
        self.stopped = False
        self.processes: list[subprocess.Popen[bytes]] = []
        self.lock = threading.Lock()

    def note(self, job: int, done: int) -> None:
        if self.stopped:
            raise _StoppedError
        self.done[job] = done

    def add(self, process: subprocess.Popen[bytes]) -> None:
        with self.lock:
            self.processes.append(process)
            if self.stopped:
                process.kill()

    def end(self) -> None:
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()


class _StoppedError(Exception):
    """The contest has been called off."""


def _throttled(report: Callable[[int], None]) -> Callable[[int], None]:
    """Pass reports on, but not more often than once a tick."""
    last = time.perf_counter()

    def throttled(done: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= TICK:
            last = now
            report(done)

    return throttled


def _play_in_thread(plan: Plan, shard: range, crew: _Crew, job: int) -> np.ndarray:
    scores = play_games(
        plan.game,
        plan.players,
        plan.names,
        plan.seed,
        shard,
        lambda done: crew.note(job, done),
        plan.slots,
        plan.opening,
    )
    crew.done[job] = len(shard)
    return scores


def _play_in_process(plan: Plan, shard: range, crew: _Crew, job: int) -> np.ndarray:
    # In a session of its own, Ctrl-C reaches us alone, and we end it.
    process = subprocess.Popen(
        [sys.executable, "-c", _BOOTSTRAP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    crew.add(process)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            pickle.dump((sys.path, names.files()), process.stdin)
            pickle.dump((plan._replace(players=()), shard), process.stdin)
            process.stdin.flush()
            while True:
                what, value = pickle.load(process.stdout)
                if what == "error":
                    raise LudusError(value)
                if what == "compiling":
                    pass_on(value)
                    continue
                if what == "scores":
                    crew.done[job] = len(shard)
                    return value
                crew.note(job, value)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            if crew.stopped:
                raise _StoppedError from None
            raise RuntimeError(f"a worker process ended with code {process.wait()} too early") from None
        finally:
            process.kill()


def main(files: dict[str, str]) -> None:
    """The life of a worker process: read a shard of a contest, build its players by name, play, send back the scores."""
    from ludus.players import player

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What an engine prints must not get between the messages.
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    turn = threading.Lock()

    def send(what: str, value: Any) -> None:
        with turn:
            pickle.dump((what, value), pipe)
            pipe.flush()  # where the caller is gone this fails, and the worker ends

    names.load_files(files)
    plan, shard = pickle.load(sys.stdin.buffer)
    try:
        for where in plan.code:  # which the user has named to the caller
            names.load(where, "player")
        players = [player(name, plan.game) for name in plan.names]
        report = _throttled(lambda done: send("done", done))
        with Notice(lambda seconds: send("compiling", seconds)):
            scores = play_games(plan.game, players, plan.names, plan.seed, shard, report, plan.slots, plan.opening)
        send("scores", scores)
    except LudusError as error:
        send("error", str(error))
    except BrokenPipeError:
        os._exit(1)
