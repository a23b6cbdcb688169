"""What the tests of the GGP protocol share: small rulesheets, players with bad habits, and peers that misbehave on the network."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ludus.contract.position import Position
from ludus.games import gdl
from ludus.ggp import wire

# Take one or two of four; whoever takes the last one wins. At most four steps.
TAKE = """
(role left) (role right)  ; in this order
(init (pile 4)) (init (control left))
(minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
(<= (legal ?p (take ?n)) (true (control ?p)) (true (pile ?m)) (minus ?m ?n ?rest))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (pile ?rest)) (does ?p (take ?n)) (true (pile ?m)) (minus ?m ?n ?rest))
(<= (next (control right)) (true (control left)))
(<= (next (control left)) (true (control right)))
(<= terminal (true (pile 0)))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
"""

# Both choose at once; equal choices win for one, different ones for two.
PENNIES = """
(role one) (role two) (init (round 1))
(<= (legal ?p (show ?side)) (role ?p) (side ?side)) (side heads) (side tails)
(<= (next (shown ?p ?side)) (does ?p (show ?side)))
(<= same (true (shown one ?side)) (true (shown two ?side)))
(<= terminal (true (shown one ?side)))
(<= (goal one 100) same) (<= (goal one 0) (not same)) (<= (goal two 0) same) (<= (goal two 100) (not same))
"""

# Chance stands first in the sheet, and shows a die; the player guesses at the same time.
GUESS = """
(role random) (role guesser) (init waiting)
(side 1) (side 2) (side 3)
(<= (legal ?p (name ?n)) (role ?p) (side ?n))
(<= (next (named ?p ?n)) (does ?p (name ?n)))
(<= terminal (true (named random ?n)))
(<= hit (true (named random ?n)) (true (named guesser ?n)))
(<= (goal guesser 100) hit) (<= (goal guesser 0) (not hit)) (goal random 0)
"""


def load(text: str) -> Any:
    """The game of a sheet."""
    return gdl.load(text, name="test")


# --- players with bad habits, for the registry -----------------------------------------------------------------------


class Stubborn:
    """Thinks until it is told to stop, whatever the clock says, and then takes the last legal move."""

    thinking = threading.Event()

    def think(self, position: Position, seconds: float, stop: threading.Event, rng: np.ndarray) -> int:
        type(self).thinking.set()
        stop.wait(60)
        return position.moves()[-1]


class Deaf:
    """Thinks for ever, whoever tells it to stop."""

    release = threading.Event()

    def think(self, position: Position, seconds: float, stop: threading.Event, rng: np.ndarray) -> int:
        type(self).release.wait(60)
        return position.moves()[0]


class Broken:
    """Fails."""

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        raise ZeroDivisionError("no idea")


class Timely:
    """Uses some of its time, and notes how much it was given, and when."""

    given: ClassVar[list[tuple[float, float]]] = []

    def think(self, position: Position, seconds: float, stop: threading.Event, rng: np.ndarray) -> int:
        type(self).given.append((seconds, time.monotonic()))
        stop.wait(seconds / 10)
        return position.moves()[0]


class Halfway:
    """Has an idea early, and then thinks for ever."""

    def __init__(self) -> None:
        self.best: int | None = None

    def think(self, position: Position, seconds: float, stop: threading.Event, rng: np.ndarray) -> int:
        self.best = int(position.moves()[-1])
        Deaf.release.wait(60)
        return position.moves()[0]


def make_halfway(game: Any, path: str | None) -> Any:
    return Halfway()


def make_stubborn(game: Any, path: str | None) -> Any:
    return Stubborn()


def make_deaf(game: Any, path: str | None) -> Any:
    return Deaf()


def make_broken(game: Any, path: str | None) -> Any:
    return Broken()


def make_timely(game: Any, path: str | None) -> Any:
    return Timely()


# --- peers -----------------------------------------------------------------------------------------------------------


class Peer:
    """A listener that does what it wants with every connection: `behave(connection, message)`."""

    def __init__(self, behave: Callable[[socket.socket, str], None]) -> None:
        self.behave = behave
        self.heard: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.name = f"127.0.0.1:{self.port}"
        threading.Thread(target=self._run, daemon=True).start()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *problem: object) -> None:
        self._listener.close()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65_536)
            head, _, body = data.partition(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            while len(body) < length:
                body += connection.recv(65_536)
            self.heard.append(body.decode())
            try:
                self.behave(connection, body.decode())
            except OSError:
                return


def http(body: str) -> bytes:
    """An answer as it should look."""
    return f"HTTP/1.0 200 OK\r\nContent-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def saying(start: str, play: str) -> Callable[[socket.socket, str], None]:
    """Always the same answers."""
    return lambda connection, message: connection.sendall(http(start if "START" in message else play))


def silent(connection: socket.socket, message: str) -> None:
    """Listens, and says nothing."""
    time.sleep(10)


def dying(connection: socket.socket, message: str) -> None:
    """Leaves in the middle of its answer."""
    connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 50\r\n\r\n( take")


def malformed(connection: socket.socket, message: str) -> None:
    """Does not speak HTTP."""
    connection.sendall(b"\x00\xff\x00 hello there\r\n\r\n(take 1)")


def dripping(connection: socket.socket, message: str) -> None:
    """Sends a byte now and then, so that no single wait for it is long."""
    for byte in http("( take 1 )" + " " * 200):
        connection.sendall(bytes([byte]))
        time.sleep(0.2)


def flooding(connection: socket.socket, message: str) -> None:
    """Never stops talking."""
    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"(" * 65_536)


def raw(port: int, data: bytes, half_close: bool = True) -> bytes:
    """Send bytes, and read until the other side ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65_536):
            answer += part
        return answer


def tell(port: int, message: str, seconds: float = 30.0) -> str:
    """What a player answers."""
    return wire.ask("127.0.0.1", port, message, seconds)


class Pensive:
    """Tells what it is asked to think about, and when: `told` gets ("study" or "ponder", the propositions). It ponders until it is stopped."""

    told: ClassVar[list[tuple[str, list[str]]]] = []
    stopped: ClassVar[list[bool]] = []
    best: Any = None

    def __init__(self, game: Any) -> None:
        self.game = game

    def choose(self, position: Position, rng: Any) -> Any:
        """The first move."""
        return position.moves()[0]

    def study(self, state: np.ndarray, end: float, stop: threading.Event, rng: Any) -> None:
        """Only says so."""
        self.told.append(("study", sorted(self.game.fluents(state))))

    def ponder(self, state: np.ndarray, end: float, stop: threading.Event, rng: Any) -> None:
        """Until the next question."""
        self.told.append(("ponder", sorted(self.game.fluents(state))))
        self.stopped.append(stop.wait(60))


def make_pensive(game: Any, path: str | None) -> Pensive:
    """For the registry."""
    return Pensive(game)
