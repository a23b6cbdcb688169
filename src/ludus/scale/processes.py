"""Processes that work for this one: each does one call after the other, of functions that are named. The arena plays by them, and comparisons train;
on the nodes of a cluster they do the same.

They are plain processes that run this file's `main` and talk through their pipes: unlike those of `multiprocessing` they
do not import the caller's script again, so that they also work in a script without a main guard, or at a prompt.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import selectors
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from ludus import names, quantities
from ludus.errors import LudusError, brief
from ludus.scale.stamps import Stamp
from ludus.system import PIPES_CAN_WAIT
from ludus.waiting import Notice, pass_on

Tell = Callable[[Any], None]

# A worker's first words: where the caller finds its modules. Only then can it import this one.
_BOOTSTRAP = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from ludus.scale import processes; processes.main()"


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_NOTHING = pickle.dumps(())
_SIZE = 8  # bytes before a message that say how long it is


class EndedError(RuntimeError):
    """A worker has ended before its answer."""


class SilentError(RuntimeError):
    """A worker has said nothing for too long, and was ended."""


class RaisedError(RuntimeError):
    """What a worker was called to do raised an error that is not meant for people."""


class Parcel(NamedTuple):
    """A call, packed: it goes through processes that know none of the classes in it."""

    header: bytes  # the files that users' classes come from, and the stamp of the caller, or None
    common: bytes  # the first arguments, which many calls share
    call: bytes  # the function, and the other arguments


def pack(where: str, arguments: tuple[Any, ...], common: bytes = _NOTHING, stamp: Stamp | None = None) -> Parcel:
    """A call of the function `module:name`; `common` are its first arguments, pickled."""
    return Parcel(pickle.dumps((names.files(), stamp)), common, pickle.dumps((where, arguments)))


class Worker:
    """A process that does what it is told, in a folder. It has so many cores, all of them unless told.

    >>> with Worker() as worker:
    ...     worker.call("ludus.scale.processes:echo", "hello")
    'hello'
    """

    def __init__(self, cores: int | None = None, folder: str | None = None) -> None:
        # Libraries of linear algebra have threads of their own, and by their number sums come out otherwise.
        threads = {} if cores is None else dict.fromkeys(_THREADS, str(cores))
        # In a session of its own, Ctrl-C reaches us alone, and we end it.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOTSTRAP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, **threads},
            cwd=folder,
        )
        self._send(sys.path)
        self._send((os.getpid(), cores))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._process.wait()

    @property
    def alive(self) -> bool:
        """Whether it can be called."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()

    def call(self, where: str, *arguments: Any, hear: Tell = lambda value: None, patience: float | None = None) -> Any:
        """What the function `module:name` returns. It is given another argument `tell`, and what it tells by that is passed on to `hear`.

        LudusError as it raised it, RaisedError for any other; EndedError if the process ended, SilentError if, once it has begun to tell, it tells
        nothing for `patience` seconds.
        """
        return pickle.loads(self.ask(pack(where, arguments), lambda value: hear(pickle.loads(value)), patience))

    def ask(
        self, parcel: Parcel, hear: Callable[[bytes], None] = lambda value: None, patience: float | None = None
    ) -> bytes:
        """As `call`, with everything pickled: what is called, what it tells, and what it returns."""
        waiting: float | None = None
        try:
            self._send(tuple(parcel))
            while True:
                what, value = self._receive(waiting)
                if what == "error":
                    raise LudusError(value)
                if what == "raised":
                    raise RaisedError(value)
                if what == "answer":
                    return value
                if what == "compiling":
                    pass_on(value)
                else:
                    waiting = patience
                    hear(value)
        except (EOFError, pickle.UnpicklingError):
            raise EndedError(f"a worker process ended with code {self._process.wait()} too early") from None

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # who waits for the answer will notice
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()

    def _receive(self, patience: float | None) -> Any:
        size = int.from_bytes(self._read(_SIZE, patience), "big")
        return pickle.loads(self._read(size, patience))

    def _read(self, size: int, patience: float | None) -> bytes:
        """So many bytes of the worker. Past the pipe's own buffer, of which nobody can tell whether reading it would wait."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        parts = []
        with _Patience(pipe, patience, self.kill) as waiting:
            while size:
                if not waiting.hears():
                    self.kill()
                    raise SilentError(f"nothing was heard for {patience:g} seconds")
                part = os.read(pipe, min(size, 1 << 20))
                if not part:
                    raise SilentError(f"nothing was heard for {patience:g} seconds") if waiting.is_over else EOFError
                parts.append(part)
                size -= len(part)
        return b"".join(parts)


class _Patience:
    """Waits for a pipe, but not for ever. Where a pipe can't be waited for, patience ends by a clock that ends the worker, and so the pipe."""

    def __init__(self, pipe: int, seconds: float | None, end: Callable[[], None]) -> None:
        self._pipe, self._seconds, self._end = pipe, seconds, end
        self.is_over = False

    def __enter__(self) -> _Patience:
        self._selector = selectors.DefaultSelector() if PIPES_CAN_WAIT and self._seconds is not None else None
        if self._selector is not None:
            self._selector.register(self._pipe, selectors.EVENT_READ)
        self._clock = self._started() if self._selector is None and self._seconds is not None else None
        return self

    def __exit__(self, *_: object) -> None:
        if self._selector is not None:
            self._selector.close()
        if self._clock is not None:
            self._clock.cancel()

    def _started(self) -> threading.Timer:
        assert self._seconds is not None
        clock = threading.Timer(self._seconds, self._run_out)
        clock.daemon = True
        clock.start()
        return clock

    def _run_out(self) -> None:
        self.is_over = True
        self._end()

    def hears(self) -> bool:
        """Whether there is something to read; where only a clock ends patience, reading itself finds out."""
        return self._selector is None or bool(self._selector.select(self._seconds))


def echo(value: Any, tell: Tell) -> Any:
    """Return what was given, and tell of it: for those who want to see that a worker works."""
    tell(value)
    return value


_residents: dict[str, Worker] = {}  # of this process, by folder: one at most


def resident(folder: str) -> Worker:
    """The worker that stays with this process and works in a folder: the last one if it is alive and there, or a new one. It has one core."""
    kept = _residents.get(folder)
    if kept is None or not kept.alive:
        for other in _residents.values():
            other.kill()
        _residents.clear()
        kept = _residents[folder] = Worker(1, folder)
    return kept


def _end_with(caller: int) -> None:
    """End when the caller has: nobody waits for an answer any more."""
    while os.getppid() == caller:
        time.sleep(0.5)
    os._exit(1)


def main() -> None:
    """The life of a worker: read a call, do it, send back what it returns; until nobody calls any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What an engine prints must not get between the messages.
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    turn = threading.Lock()

    def send(what: str, value: Any) -> None:
        message = pickle.dumps((what, value))
        with turn:
            try:
                pipe.write(len(message).to_bytes(_SIZE, "big") + message)
                pipe.flush()
            except BrokenPipeError:  # the caller is gone. Raised, it could be taken for a fault of what was called.
                os._exit(1)

    caller, cores = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with, args=(caller,), daemon=True).start()
    quantities.limit_cores(cores)
    desk = _Desk()
    while True:
        try:
            parcel = Parcel(*pickle.load(sys.stdin.buffer))
        except EOFError:
            return
        try:
            with Notice(lambda seconds: send("compiling", seconds)):
                value = desk.do(parcel, lambda value: send("told", pickle.dumps(value)))
            send("answer", pickle.dumps(value))
        except LudusError as error:
            send("error", str(error))
        except Exception as error:
            traceback.print_exc()
            send("raised", _said(error))


class _Desk:
    """What a worker has before it: what came with the last call is not unpacked again."""

    def __init__(self) -> None:
        self._header, self._packed = b"", _NOTHING
        self._common: tuple[Any, ...] = ()

    def do(self, parcel: Parcel, tell: Tell) -> Any:
        if parcel.header != self._header:
            files, stamp = pickle.loads(parcel.header)
            if stamp is not None:
                stamp.check()
            names.load_files(files)  # before arguments whose classes they have
            self._header = parcel.header
        if parcel.common != self._packed:
            self._common, self._packed = pickle.loads(parcel.common), parcel.common
        where, arguments = pickle.loads(parcel.call)
        return function(where)(*self._common, *arguments, tell=tell)


def function(where: str) -> Callable[..., Any]:
    """The function that a name stands for.

    >>> function("ludus.scale.processes:echo") is echo
    True
    """
    module, _, name = where.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def _said(error: Exception) -> str:
    """What an error says, and where it was raised, in a line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())
    return brief(f"{type(error).__name__}: {text} ({os.path.basename(last.filename)}, line {last.lineno})", 300)
