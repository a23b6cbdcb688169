"""Shards done on this machine: by threads, which share what is here, or by processes, which share nothing."""

from __future__ import annotations

import pickle
import queue
import threading
from abc import abstractmethod
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

from ludus.quantities import CORES
from ludus.quantities import cores as cores_here
from ludus.scale.processes import EndedError, RaisedError, SilentError, Tell, Worker, function, pack
from ludus.scale.shards import TICK, Executor, LostError, Outcome, Shard, Watcher

TOLD, DONE = 0, 1


class StoppedError(Exception):
    """Nobody waits for this any more."""


class Local(Executor):
    """Some threads, each of which does a shard or looks after somebody who does."""

    def __init__(self, places: int | None = None) -> None:
        self.places = cores_here() if places is None else CORES.read(places, f"jobs={places}")

    def map(
        self,
        shards: Iterable[Shard],
        common: tuple[Any, ...] = (),
        watcher: Watcher | None = None,
        files: Sequence[Path] = (),
    ) -> Generator[Outcome, None, None]:
        """See `Executor`. Whoever works here has the same files."""
        watcher, source = watcher or Watcher(), enumerate(shards)
        shared, stopped = self.share(common), threading.Event()
        events: queue.SimpleQueue[tuple[int, int, Any]] = queue.SimpleQueue()
        free, busy = list(range(self.places)), dict[int, threading.Thread]()

        def work(place: int, number: int, shard: Shard) -> None:
            def tell(value: Any) -> None:
                if stopped.is_set():
                    raise StoppedError
                events.put((TOLD, number, value))

            try:
                outcome = Outcome(number, self.do(place, shard, shared, tell))
            except BaseException as error:
                outcome = Outcome(number, error=error)
            events.put((DONE, place, outcome))

        try:
            while True:
                while free and (following := next(source, None)) is not None:
                    place = free.pop(0)
                    watcher.begun(following[0])
                    busy[place] = threading.Thread(target=work, args=(place, *following), daemon=True)
                    busy[place].start()
                if not busy:
                    return
                watcher.tick()
                try:
                    what, which, value = events.get(timeout=TICK)
                except queue.Empty:
                    continue
                if what == TOLD:
                    watcher.told(which, value)
                else:
                    busy.pop(which).join()
                    free.append(which)
                    yield value
        finally:
            stopped.set()
            for place, thread in busy.items():
                while thread.is_alive():  # it may just be about to begin
                    self.stop(place)
                    thread.join(TICK)

    def share(self, common: tuple[Any, ...]) -> Any:
        """What all shards share, as `do` wants it."""
        return common

    @abstractmethod
    def do(self, place: int, shard: Shard, shared: Any, tell: Tell) -> Any:
        """Do a shard, and return what comes of it."""

    def stop(self, place: int) -> None:
        """Break off what is done at a place."""


class Threads(Local):
    """Threads of this process. They serve compiled code, which lets go of Python's lock; what is done is stopped when it tells something next.

    >>> [outcome.result() for outcome in Threads(2).map([Shard("ludus.scale.processes:echo", ("hello",))])]
    ['hello']
    """

    def do(self, place: int, shard: Shard, shared: Any, tell: Tell) -> Any:
        """Do it here."""
        return function(shard.where)(*shared, *shard.arguments, tell=tell)


class Processes(Local):
    """Processes, started when they are needed and kept until it is closed. Each has so many cores, all of them unless told.

    >>> with Processes(1) as crew:
    ...     [outcome.result() for outcome in crew.map([Shard("ludus.scale.processes:echo", ("hello",))])]
    ['hello']
    """

    def __init__(self, places: int | None = None, cores: int | None = None) -> None:
        super().__init__(places)
        self._cores = cores
        self._workers: dict[int, Worker] = {}
        self._lock = threading.Lock()
        self._closed = False

    def share(self, common: tuple[Any, ...]) -> bytes:
        """Packed once for all."""
        return pickle.dumps(common)

    def do(self, place: int, shard: Shard, shared: bytes, tell: Tell) -> Any:
        """Have it done."""
        try:
            answer = self._worker(place).ask(
                pack(shard.where, shard.arguments, shared), lambda value: tell(pickle.loads(value)), shard.patience
            )
        except RaisedError as error:
            raise LostError(shard.title, "raised", str(error)) from None
        except EndedError as error:
            self.stop(place)
            raise LostError(shard.title, "ended", str(error)) from None
        except SilentError as error:
            self.stop(place)
            raise LostError(shard.title, "silent", str(error)) from None
        return pickle.loads(answer)

    def _worker(self, place: int) -> Worker:
        with self._lock:
            if self._closed:
                raise StoppedError
            if place not in self._workers:
                self._workers[place] = Worker(self._cores)
            return self._workers[place]

    def stop(self, place: int) -> None:
        """End the process of a place; the next shard there gets a new one."""
        with self._lock:
            worker = self._workers.pop(place, None)
        if worker is not None:
            worker.__exit__()

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
        for place in list(self._workers):
            self.stop(place)
