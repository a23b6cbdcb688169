"""Those who do the jobs of a comparison, and somebody who hears how far they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ludus.comparing.jobs import Job
from ludus.comparing.listening import Listener
from ludus.comparing.training import write_json
from ludus.scale.local import Processes
from ludus.scale.shards import Executor, LostError, Shard, Watcher


class Crew:
    """Has jobs done by an executor, or by so many processes of a core each. `plan` is a file that whoever does them must see: all work in its folder."""

    def __init__(self, jobs: int | Executor | None, patience: float, plan: Path, listener: Listener) -> None:
        self.patience, self.plan, self.listener = patience, plan, listener
        self._own = not isinstance(jobs, Executor)
        self.executor = jobs if isinstance(jobs, Executor) else Processes(jobs, cores=1)

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            self.executor.close()

    def do(self, phase: str, jobs: Sequence[Job]) -> None:
        """Do all jobs that are not done yet; the first error of a job ends it all."""
        waiting = [job for job in jobs if not job.done.exists()]
        self.listener.begin(phase, jobs, len(waiting))
        if not waiting:
            return
        pace = Pace(waiting, min(self.executor.places, len(waiting)))
        hearing = _Hearing(pace, waiting, lambda: self._tell(phase, len(jobs) - len(waiting), pace))
        shards = [
            Shard(job.where, job.arguments, job.title, self.patience if job.of_method else None) for job in waiting
        ]
        with closing(self.executor.map(shards, watcher=hearing, files=[self.plan])) as outcomes:
            for outcome in outcomes:
                job = waiting[outcome.number]
                if isinstance(outcome.error, LostError) and outcome.error.cause != "lost" and job.of_method:
                    write_json(job.done, {"failure": self._why(outcome.error)})
                else:
                    outcome.result()
                pace.end(outcome.number, job)
        self._tell(phase, len(jobs) - len(waiting), pace)
        self.listener.finished(phase)

    def _tell(self, phase: str, before: int, pace: Pace) -> None:
        self.listener.told(phase, before + pace.done, pace.left, pace.doing)

    def _why(self, error: LostError) -> str:
        if error.cause == "silent":
            return f"it did not finish a unit of games within {self.patience:g} seconds"
        if error.cause == "ended":
            return "its process was ended from outside, or by a fault in compiled code"
        return error.why


class _Hearing(Watcher):
    """Passes on to a pace what is heard of shards."""

    def __init__(self, pace: Pace, jobs: Sequence[Job], tick: Callable[[], None]) -> None:
        self._pace, self._jobs, self._tick = pace, jobs, tick

    def begun(self, number: int) -> None:
        """A job begins."""
        self._pace.begin(number, self._jobs[number])

    def told(self, number: int, value: Any) -> None:
        """Somebody tells how far a job is."""
        self._pace.hear(number, value)

    def tick(self) -> None:
        """Time passes."""
        self._tick()


class Pace:
    """How far the jobs of a phase are, and how long the rest will take: by what jobs of the same kind have taken."""

    def __init__(self, jobs: Sequence[Job], workers: int) -> None:
        self.workers, self.done = workers, 0
        self._left: dict[str, int] = {}
        for job in jobs:
            self._left[job.kind] = self._left.get(job.kind, 0) + 1
        self._expected = {job.kind: job.expected for job in jobs if job.expected}
        self._took: dict[str, list[float]] = {}
        # By the number of the job: what it is, since when, and its share that is done.
        self._now: dict[int, tuple[Job, float, float]] = {}

    def begin(self, number: int, job: Job) -> None:
        """A job begins."""
        self._now[number] = (job, time.monotonic(), 0.0)

    def hear(self, number: int, value: Any) -> None:
        """Somebody tells how far a job is."""
        if isinstance(value, float) and number in self._now:
            self._now[number] = (*self._now[number][:2], value)

    def end(self, number: int, job: Job) -> None:
        """A job is done."""
        _, since, _ = self._now.pop(number)
        self._took.setdefault(job.kind, []).append(time.monotonic() - since)
        self._left[job.kind] -= 1
        self.done += 1

    @property
    def doing(self) -> str:
        """What is being done, in words."""
        return "; ".join(job.title for job, _, _ in self._now.values())

    @property
    def left(self) -> float | None:
        """Seconds by the clock that are left; None while nothing tells."""
        now = time.monotonic()
        known = self._expected | {kind: sum(took) / len(took) for kind, took in self._took.items()}
        for job, since, share in self._now.values():  # a job under way tells of its kind too
            if job.kind not in self._took and share > 0.02:
                known[job.kind] = (now - since) / share
        if not known:
            return None
        usual = sum(known.values()) / len(known)
        work = sum(count * known.get(kind, usual) for kind, count in self._left.items())
        for job, since, _ in self._now.values():
            spent, expected = now - since, known.get(job.kind, usual)
            # Who takes longer than expected may well take half as long again.
            work -= spent if spent < expected else expected - spent / 2
        return max(work, 0.0) / self.workers
