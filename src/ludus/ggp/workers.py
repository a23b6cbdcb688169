"""Matches in processes of their own, which can be ended: a sheet that takes for ever to load, or a search that does not let go, holds up nobody.

`Workers` keeps one process that has everything compiled, and has it make a copy of itself for each sheet (`worker`). A `RemoteSession` is a `Session` whose
work is done there: it hears the best move so far all the time, and so has an answer when the clock runs out, whatever the worker is doing then.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from ludus.errors import LudusError
from ludus.ggp.clock import Clock
from ludus.ggp.loading import Loading
from ludus.ggp.messages import Message
from ludus.ggp.session import Log, Session
from ludus.ggp.turns import Joint
from ludus.ggp.worker import ORDER
from ludus.system import CAN_FORK

FORK_SECONDS = 10.0  # for a copy to be there: it takes some milliseconds
RESULT_SECONDS = 60.0

_keys = count()


class Worker(Loading):
    """A process that loads a sheet, and plays matches with it."""

    def __init__(self, rules: str, seconds: float, memory: int, connection: Connection, number: int) -> None:
        super().__init__(rules)
        self.seconds = seconds
        self.number = number
        self.gone = threading.Event()
        self.sessions: dict[int, RemoteSession] = {}  # by their numbers
        self._connection = connection
        self._line = socket.socket(fileno=os.dup(connection.fileno()))  # the same, for those who may not wait
        self._sending = threading.Lock()
        self.say("load", rules, seconds, memory)
        threading.Thread(target=self._listen, name=f"worker {number}", daemon=True).start()

    def say(self, *words: Any) -> None:
        """Tell the process something; if it is no more, it does not hear it."""
        with self._sending, contextlib.suppress(OSError, ValueError):
            self._connection.send(words)

    def close(self) -> None:
        """Let the process know that it is not needed any more, for the case that nobody can end it."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def _listen(self) -> None:
        while True:
            try:
                what, *rest = self._connection.recv()
            except (EOFError, OSError):
                break
            if what == "loaded":
                self.error = rest[0]
                self.done.set()
            elif rest[0] in self.sessions:
                self.sessions[rest[0]].hear(what, *rest[1:])
        with self._sending:
            self._connection.close()
            self._line.close()
        self.error = (
            self.error or "the process that loaded the rules has ended: it was stopped, or took too much memory"
        )
        self.gone.set()
        self.done.set()
        for session in list(self.sessions.values()):
            session.hear("gone")


class RemoteSession(Session):
    """A match that is played by a worker."""

    def __init__(self, start: Message, worker: Worker, spec: str, seed: int, log: Log, workers: Workers) -> None:
        super().__init__(start, worker, spec, seed, log)
        self._workers = workers
        self._worker = worker
        self._key = next(_keys)
        self._asking = threading.Lock()
        self._number = 0  # of the question that is asked
        self._answered = threading.Event()
        self._move: str | None = None  # the best so far
        self._goal: int | None = None
        self._over = threading.Event()  # the result is here
        worker.sessions[self._key] = self

    def hear(self, what: str, *rest: Any) -> None:
        """What the worker says."""
        if what == "log":
            self.log(rest[0])
        elif what == "ready":
            self.error = rest[0]
            self.ready.set()
        elif what == "warm":
            self.warm.set()
        elif what == "move" and rest[0] == self._number:
            self._move = rest[1]
            if rest[2]:
                self._answered.set()
        elif what == "result":
            self._goal = rest[0]
            self._over.set()
        elif what == "gone":
            if not self.ready.is_set():
                self.error = self.loading.error
            for event in (self.ready, self.warm, self._over, self._answered):
                event.set()

    def prepare(self, clock: Clock) -> None:
        """Let the worker wait for the rules, find the role, and wake the player up."""
        self._worker.say("start", self._key, self.start, self.spec, self.seed, clock)

    def play(self, history: list[Joint], clock: Clock) -> str | None:
        """Our move after what was played, before the clock runs out; `noop` if nothing better is known. None if another question came meanwhile."""
        number = self._ask(history, clock)
        if self._worker.gone.is_set() and self._move is None and number == self._number:
            number = self._ask(
                history, clock
            )  # it has died of the question, or while it was asked: another one may know
        if number != self._number:
            return None
        if self._move is None and not self.over.is_set():
            self.log(f"match {self.start.match}: no move in time; playing noop, in the dark")
        return self._move or "noop"

    def _ask(self, history: list[Joint], clock: Clock) -> int:
        """Ask the worker, and wait for its answer as long as there is time; the number of the question."""
        with self._asking:
            if self._worker.gone.is_set() and not self.over.is_set():
                self._go_on_with_another(clock)
            self._answered.set()
            answered = self._answered = threading.Event()
            self._move = None
            number = self._number = self._number + 1
            self._worker.say("play", number, history, clock)
        if self.over.is_set():
            answered.set()
        answered.wait(clock.left())
        return number

    def _go_on_with_another(self, clock: Clock) -> None:
        """The worker has ended, though nobody told it to: another one takes over."""
        self.log(f"match {self.start.match}: the process that played it has ended; another one goes on")
        worker = self._workers.load(self.start.rules, self._worker.seconds)
        if isinstance(worker, Worker):
            self.loading = self._worker = worker
            worker.sessions[self._key] = self
            worker.say("start", self._key, self.start, self.spec, self.seed, clock)

    def end(self) -> None:
        """The match is over, for whatever reason: think no longer."""
        super().end()
        self._answered.set()

    def result(self, history: list[Joint]) -> int | None:
        """Our goal value, if all moves are known and lead to an end. The worker is free for another match then."""
        self._worker.say("stop", history)
        self._over.wait(RESULT_SECONDS)
        self._worker.sessions.pop(self._key, None)
        return self._goal


class Workers:
    """Starts and ends workers: one at a time, with the sheet that was last asked for."""

    def __init__(self, spec: str, memory: int = 4000, log: Log = lambda line: None) -> None:
        if not CAN_FORK:
            raise LudusError("playing for game managers needs a system that can copy processes: Linux or macOS")
        self.spec = spec
        self.memory = memory
        self.log = log
        self.ready = threading.Event()  # everything is compiled
        self._lock = threading.Lock()
        self._closed = False
        self._worker: Worker | None = None
        self._control: socket.socket
        self._process: subprocess.Popen[bytes]
        self._begin()

    def _begin(self) -> None:
        """Start the process that compiles everything. What it says of that is heard by a thread."""
        self.ready.clear()
        self._control, other = socket.socketpair()
        command = [sys.executable, "-m", "ludus.ggp.worker", self.spec]
        self._process = subprocess.Popen(command, stdin=other.fileno())
        other.close()
        threading.Thread(target=self._await, args=(self._control,), daemon=True).start()

    def _await(self, control: socket.socket) -> None:
        try:
            heard = control.recv(ORDER.size)
        except OSError:
            heard = b""
        if heard:
            self.log("ready")
            self.ready.set()
        elif not self._closed:
            self.log("the process that plays could not begin; see above. There will be no matches")

    def full(self) -> bool:
        """Whether nothing can be played yet."""
        return not self.ready.is_set()

    def load(self, rules: str, seconds: float) -> Loading | None:
        """A worker that loads a sheet, or has loaded it; whatever else is under way is given up. None if nothing can be played yet."""
        with self._lock:
            if self._closed or self.full():
                return None
            worker = self._worker
            if worker is not None and worker.rules == rules and worker.error is None and not worker.gone.is_set():
                return worker
            self._end()
            try:
                connection, number = self._copy()
            except OSError:  # the process that makes copies has ended
                self.log("the process that plays has ended; starting another")
                self._process.kill()
                self._process.wait()
                self._begin()
                return None
            self._worker = Worker(rules, seconds, self.memory, connection, number)
            return self._worker

    def _copy(self) -> tuple[Connection, int]:
        ours, theirs = socket.socketpair()
        with theirs:
            self._control.settimeout(FORK_SECONDS)
            socket.send_fds(self._control, [ORDER.pack(b"w", 0)], [theirs.fileno()])
            heard = self._control.recv(ORDER.size)
        if len(heard) < ORDER.size:
            raise ConnectionError("the process that makes copies has ended")
        return Connection(ours.detach()), ORDER.unpack(heard)[1]

    def _end(self) -> None:
        """End the worker, if there is one. Call it with the lock."""
        if self._worker is not None:
            with contextlib.suppress(OSError):
                self._control.sendall(ORDER.pack(b"k", self._worker.number))
            self._worker.close()
            self._worker = None

    def open(self, start: Message, loading: Loading, spec: str, seed: int, log: Log) -> Session:
        """A match with these rules."""
        assert isinstance(loading, Worker)
        return RemoteSession(start, loading, spec, seed, log, self)

    def drop(self, loading: Loading) -> None:
        """Nobody is interested in a sheet any more: end its process."""
        with self._lock:
            if loading is self._worker:
                self._end()

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            self._end()
            self._control.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:  # it is in the midst of compiling
            self._process.kill()
            self._process.wait()
