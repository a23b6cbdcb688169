"""Worker processes that know rules and players. Each answers one question at a time; one that takes too long, or too much memory, is ended and
replaced, and only its own question is lost.

`multiprocessing`'s and `concurrent.futures`' pools can't end a process that doesn't come back, and import the caller's script again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ludus.errors import LudusError
from ludus.system import be_nice, most_memory_held
from ludus.web import lines

MEMORY = 3 << 30  # bytes that a worker may hold
MOST_BYTES = 32 << 20  # of an answer: the server has to hold it
TELL = 0.5  # seconds between two words on what a worker compiles
ANSWERS = 500  # that are remembered
START_SECONDS = 120.0  # to be there: it takes one or two, unless the machine is very busy


class BusyError(LudusError):
    """A worker was ended before it had answered."""


class _Job(NamedTuple):
    function: str
    arguments: tuple[Any, ...]
    seconds: float
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class Pool:
    """Some worker processes, started when they are needed."""

    def __init__(self, size: int, nice: int = 0, tell: Callable[[str | None], None] = lambda words: None) -> None:
        self.size, self.nice = size, nice
        self._tell = tell  # told, from any thread, what is being compiled; None: nothing any more
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0
        self._threads: list[threading.Thread] = []
        self._workers: list[_Worker | None] = []
        self._shared: dict[Any, asyncio.Future[Any]] = {}
        self._closed = False
        self.waiting = 0  # questions that are asked and not answered

    async def ask(self, function: str, *arguments: Any, seconds: float = 60.0) -> Any:
        """What a function of `referee`, `looking` or `files` answers; its LudusError is raised here. A BusyError if it takes longer than so many seconds, those
        for compiling left out, or needs too much memory.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        with self._lock:
            self.waiting += 1
            if self._free < self.waiting and len(self._threads) < self.size:
                self._begin()
        self._jobs.put(_Job(function, arguments, seconds, future, loop))
        try:
            return await future
        finally:
            with self._lock:
                self.waiting -= 1

    async def ask_once(self, function: str, *arguments: Any, seconds: float = 60.0) -> Any:
        """The same, for a question that has one answer: whoever asked it lately, or asks at the same time, gets the same one."""
        key = function, arguments
        shared = self._shared.pop(key, None)
        if shared is None or (shared.done() and (shared.cancelled() or shared.exception() is not None)):
            shared = asyncio.ensure_future(self.ask(function, *arguments, seconds=seconds))
        self._shared[key] = shared  # as the last one
        while len(self._shared) > ANSWERS:
            del self._shared[next(iter(self._shared))]
        return await asyncio.shield(shared)

    def start(self) -> None:
        """Have all workers started now."""
        with self._lock:
            while len(self._threads) < self.size:
                self._begin()

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            self._closed = True
            threads = list(self._threads)
        for _ in threads:
            self._jobs.put(None)
        for worker in list(self._workers):
            if worker is not None:
                worker.end()
        for thread in threads:
            thread.join(5.0)

    def _begin(self) -> None:
        number = len(self._threads)
        self._workers.append(None)
        thread = threading.Thread(target=self._serve, args=(number,), name=f"worker {number}", daemon=True)
        self._threads.append(thread)
        self._free += 1
        thread.start()

    def _serve(self, number: int) -> None:
        """Look after one worker: pass questions on, and replace it when it is gone."""
        with contextlib.suppress(BusyError):  # told to whoever asks
            self._worker(number)
        while (job := self._jobs.get()) is not None:
            if job.future.cancelled():
                continue
            try:
                worker = self._worker(number)
                answer, error = worker.answer(job.function, job.arguments, job.seconds, self._tell), None
            except Exception as problem:
                answer, error = None, problem
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                job.loop.call_soon_threadsafe(settle, job.future, answer, error)

    def _worker(self, number: int) -> _Worker:
        """A worker that can be asked: the one that there is, or a new one."""
        worker = self._workers[number]
        if self._closed:
            raise BusyError("the server is being closed")
        if worker is None or not worker.is_alive():
            try:
                worker = self._workers[number] = _Worker(self.nice)
            except OSError as problem:
                raise BusyError(f"no process can be started to answer: {problem.strerror or problem}") from problem
        return worker


def settle(future: asyncio.Future[Any], answer: Any, error: Exception | None) -> None:
    """Give an answer, or an error, to whoever still waits for it."""
    if future.done():
        return
    if error is None:
        future.set_result(answer)
    else:
        future.set_exception(error)


class _Worker:
    """One process, and the line to it."""

    def __init__(self, nice: int) -> None:
        command = [sys.executable, "-c", "from ludus.web.workers import main; main()", str(nice), str(os.getpid())]
        environment = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        paths = os.pathsep.join(filter(None, sys.path))
        self._process, self._line = lines.start(command, {**os.environ, **environment, "PYTHONPATH": paths})
        self._fresh = True

    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def end(self) -> None:
        """End it at once."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()

    def answer(
        self, function: str, arguments: tuple[Any, ...], seconds: float, tell: Callable[[str | None], None]
    ) -> Any:
        """Ask it, and wait for the answer. While it says that it compiles, it has all the time it needs."""
        until = time.monotonic() + seconds + (START_SECONDS if self._fresh else 0.0)
        told = False
        try:
            self._line.send((function, arguments))
            while self._line.poll(max(until - time.monotonic(), 0.0)):
                kind, value = pickle.loads(self._line.recv_bytes(MOST_BYTES))
                if kind == "compiling":
                    told, until = True, max(until, time.monotonic() + seconds + 10 * TELL)
                    tell(value)
                    continue
                self._fresh = False
                if kind == "refused":
                    raise LudusError(value)
                if kind == "failed":
                    raise RuntimeError(value)
                return value
        except (EOFError, OSError):
            self.end()
            raise BusyError("the process that was asked needed too much memory, or was stopped") from None
        finally:
            if told:
                tell(None)
        self.end()
        raise BusyError(f"there was no answer within {seconds:g} seconds")


# --- in the process --------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer questions until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's, which then ends us
    nice, server = map(int, sys.argv[1:3])
    line, lock, asked = lines.answer(sys.argv[3]), threading.Lock(), [""]
    be_nice(nice)

    def say(kind: str, value: Any) -> None:
        with lock:
            line.send((kind, value))

    threading.Thread(target=_look_after, args=(say, asked, server), daemon=True).start()
    from ludus.web import files, looking, referee  # load Numba

    known = {**vars(referee), **vars(looking), **vars(files)}

    with contextlib.suppress(EOFError, OSError):
        while True:
            function, arguments = line.recv()
            asked[0] = str(arguments[0][0]) if arguments and isinstance(arguments[0], tuple) else ""
            try:
                say("answer", known[function](*arguments))
            except LudusError as error:
                say("refused", _plain(str(error)))
            except MemoryError:
                os._exit(1)
            except Exception as error:
                say("failed", _plain(f"{type(error).__name__}: {error}"))


def _plain(words: str) -> str:
    """Words that can be sent on: a file may have had halves of characters in it, and an error quotes them."""
    return words.encode(errors="backslashreplace").decode()


def _look_after(say: Callable[[str, Any], None], asked: list[str], server: int) -> None:
    """Tell what is compiled, and end the process if it has come to hold too much, or if the server is gone while a player thinks. A limit of
    the system's would count what is only reserved: compilers reserve much.
    """
    from ludus.waiting import METER

    with contextlib.suppress(OSError):
        while True:
            time.sleep(TELL)
            if most_memory_held() > MEMORY or os.getppid() != server:
                os._exit(1)
            if METER.under_way:
                functions = "1 function" if METER.functions == 1 else f"{METER.functions} functions"
                so_far = f"{functions} so far, {METER.seconds:.0f} s"
                say("compiling", f"Compiling {asked[0] or 'the rules'} for this machine, once: {so_far}")
