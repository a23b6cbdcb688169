"""The processes that play matches for a server, which `workers` asks for: one that has everything compiled and waits, and the copies (forks) of it,
one for each rulesheet. A copy loads the sheet and plays its matches, and can be ended whatever it does.

Run as a module, with the name of the player; its standard input is a socket. What the first one hears and says are pairs of a letter and the
number of a process; what the copies hear and say are tuples, `(what, ...)`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import struct
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

from ludus.ggp.clock import Clock
from ludus.ggp.loading import Loading, load_rules
from ludus.ggp.session import Session
from ludus.ggp.turns import Joint

# What the first process hears: w(ork), with a socket, or k(ill) and a number. What it says: r(eady), or w(orks) and a number.
ORDER = struct.Struct("!cq")


class Work:
    """A copy at work: obeys what it hears on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._loading = Loading("")
        self._session: Session | None = None
        self._key = 0  # of the session

    def run(self) -> None:
        """Until the other side ends."""
        while True:
            what, *rest = self._connection.recv()
            getattr(self, f"_{what}")(*rest)

    def _say(self, *words: Any) -> None:
        try:
            with self._sending:
                self._connection.send(words)
        except OSError:  # nobody is there any more
            os._exit(0)

    def _in_background(self, work: Any, *arguments: Any) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    # --- what can be heard

    def _load(self, rules: str, seconds: float, memory: int) -> None:
        loading = self._loading = Loading(rules)

        def load() -> None:
            loading.run(load_rules, seconds, memory)
            gc.collect()
            gc.freeze()  # millions of facts, perhaps: nobody has to look through them again
            self._say("loaded", loading.error)

        self._in_background(load)

    def _start(self, key: int, message: Any, spec: str, seed: int, clock: Clock) -> None:
        self._key = key
        session = self._session = Session(message, self._loading, spec, seed, lambda line: self._say("log", key, line))

        def prepare() -> None:
            self._in_background(session.prepare, clock)
            session.ready.wait()
            self._say("ready", key, session.error)
            session.warm.wait()
            self._say("warm", key)

        self._in_background(prepare)

    def _play(self, number: int, history: list[Joint], clock: Clock) -> None:
        session, key = self._session, self._key
        assert session is not None
        thought = session.ask(history, clock)

        def answer() -> None:
            move = session.answer(thought, clock, lambda best: self._say("move", key, number, best, False))
            if move is not None:
                self._say("move", key, number, move, True)

        self._in_background(answer)

    def _stop(self, history: list[Joint]) -> None:
        session, self._session = self._session, None
        goal = None
        if session is not None:
            session.end()
            try:
                goal = session.result(history)
            except Exception:
                goal = None
        self._say("result", self._key, goal)
        del session
        gc.unfreeze()
        gc.collect()  # between matches there is time for it
        gc.freeze()


def _work(connection: socket.socket) -> None:
    """What a copy does; it never returns."""
    try:
        # Within a match, only what is young is looked through: a look at everything would take seconds, and nobody else could do anything.
        gc.set_threshold(50_000, 20, 1_000_000)
        sys.setswitchinterval(0.001)
        Work(Connection(connection.detach())).run()
    except (EOFError, OSError):
        pass
    finally:
        sys.stderr.flush()
        os._exit(0)


def main(spec: str) -> None:
    """What the first process does: compile, then make copies until the other side ends."""
    from ludus.ggp.player import warm_up

    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    for hidden in (False, True):
        warm_up(spec, hidden=hidden)
        warm_up(spec, interpreted=True, hidden=hidden)
    for thread in threading.enumerate():  # a copy would have the locks that they hold, but not them
        if thread is not threading.current_thread():
            thread.join()
    gc.collect()
    gc.freeze()
    control.sendall(ORDER.pack(b"r", 0))
    copies: set[int] = set()
    while True:
        readable, _, _ = select.select([control], [], [], 1.0)
        while copies and (ended := os.waitpid(-1, os.WNOHANG)[0]):
            copies.discard(ended)
        if not readable:
            continue
        data, sockets, _, _ = socket.recv_fds(control, ORDER.size, 1)
        if len(data) < ORDER.size:
            break
        order, number = ORDER.unpack(data)
        if order == b"k" and number in copies:
            os.killpg(number, signal.SIGKILL)  # and what it has started
        elif order == b"w":
            copy = os.fork()
            if copy == 0:
                os.setpgid(0, 0)
                control.close()
                _work(socket.socket(fileno=sockets[0]))
            os.close(sockets[0])
            with contextlib.suppress(OSError):  # whoever comes first
                os.setpgid(copy, copy)
            copies.add(copy)
            control.sendall(ORDER.pack(b"w", copy))
    for copy in copies:
        os.killpg(copy, signal.SIGKILL)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (BrokenPipeError, ConnectionResetError):  # the server has gone
        sys.exit(0)
