"""HTTP as game managers and players speak it: a small server, and a client with deadlines. Nothing here knows of games.

Peers are not trusted: what they send is limited in size and time (`stream`), so that one that is slow, never ends, or dies
in the middle costs a thread for some seconds, and nobody else notices.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.ggp.stream import MAX_BODY, MAX_HEAD, RefusedError, Stream, read_body

MAX_LINE = 2_000_000  # of a GET, whose message stands in its first line
MAX_DRAIN = 64_000_000  # bytes that are read and thrown away, so that whoever sends too much still hears why
READ_SECONDS = 10.0  # for a request to arrive
CONNECT_SECONDS = 5.0
MAX_CONNECTIONS = 256

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "86400",
}
_reasons = {200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
            405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large", 431: "Headers Too Large",
            500: "Internal Server Error", 503: "Service Unavailable"}  # fmt: skip


class Request(NamedTuple):
    """What a client asked."""

    method: str
    target: str  # as it stands in the first line: a path, URL-encoded
    headers: dict[str, str]  # names in lower case
    body: str
    version: str = "HTTP/1.0"
    arrived: float = 0.0  # when the connection was made, on the monotonic clock

    @property
    def message(self) -> str:
        """The protocol's message: the body, or what a GET carries in its path."""
        if self.method == "GET":
            return urllib.parse.unquote_plus(self.target.removeprefix("/")).replace("\r", " ")
        return self.body


class Reply(NamedTuple):
    """What it gets."""

    body: str
    status: int = 200
    kind: str = "text/acl"


class TroubleError(LudusError):
    """A peer did not answer. `code` is ggp-base's word for it: TO (too late) or CE (no connection, or a broken one)."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class UnreachableError(TroubleError):
    """Nobody listens at an address, or the way there is closed."""

    def __init__(self, text: str) -> None:
        super().__init__("CE", text)


# --- the server ------------------------------------------------------------------------------------------------------


class _Room:
    """The connections that have a thread. In a full one, the oldest of those that keep us waiting makes room for another."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.Lock()
        self._inside: dict[socket.socket, bool] = {}  # the oldest first; whether it may be sent away

    def enter(self, connection: socket.socket) -> bool:
        """Whether there is room for a connection."""
        with self._lock:
            if len(self._inside) >= self.size:
                oldest = next((one for one, waiting in self._inside.items() if waiting), None)
                if oldest is None:
                    return False
                del self._inside[oldest]
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)  # its thread notices, and closes it
            self._inside[connection] = True
            return True

    def keep(self, connection: socket.socket) -> None:
        """Its request is here: it has a right to an answer. ConnectionError if it was sent away before."""
        with self._lock:
            if connection not in self._inside:
                raise ConnectionError("the connection had to make room for another")
            self._inside[connection] = False

    def release(self, connection: socket.socket) -> None:
        """The answer is out: it may be sent away."""
        with self._lock:
            if connection in self._inside:
                self._inside[connection] = True

    def leave(self, connection: socket.socket) -> None:
        """It has ended."""
        with self._lock:
            self._inside.pop(connection, None)


class Server:
    """Answers requests, each in a thread of its own, until it is closed.

    >>> with Server("127.0.0.1", 0, lambda request: Reply(request.message.upper())) as server:
    ...     ask("127.0.0.1", server.port, "hello", 5.0)
    'HELLO'
    """

    def __init__(
        self,
        host: str,
        port: int,
        answer: Callable[[Request], Reply],
        *,
        cors: bool = True,
        read_seconds: float = READ_SECONDS,
        error: Callable[[str], Reply] = lambda text: Reply(text, 400),
    ) -> None:
        self.answer = answer
        self.cors = cors
        self.read_seconds = read_seconds
        self.error = error  # how an error is told to this server's clients
        self._room = _Room(MAX_CONNECTIONS)
        self._closing = False
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._listener = socket.create_server((host, port), family=family, backlog=128)
        except (OSError, OverflowError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise LudusError(f"can't listen on {host}:{port}: {reason}; --port takes another port") from problem
        self.host, self.port = self._listener.getsockname()[:2]
        self._thread = threading.Thread(target=self._accept, name=f"listener {self.port}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Take no more requests."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5.0)

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                if self._closing:
                    return
                time.sleep(0.1)  # out of file descriptors, say: that passes
                continue
            if not self._room.enter(connection):
                connection.settimeout(0.0)  # a full house can't wait for anybody to read its answer
                with contextlib.suppress(OSError):
                    connection.send(_head("HTTP/1.0", Reply("", 503), 0, self.cors))
                connection.close()
                continue
            threading.Thread(target=self._serve, args=(connection, time.monotonic()), daemon=True).start()

    def _serve(self, connection: socket.socket, arrived: float) -> None:
        try:
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._converse(connection, arrived)
        finally:
            self._room.leave(connection)
            connection.close()

    def _converse(self, connection: socket.socket, arrived: float) -> None:
        stream = Stream(connection, arrived + self.read_seconds)
        version, refused = "HTTP/1.0", True
        try:
            request = _read_request(stream)._replace(arrived=arrived)
            self._room.keep(connection)
            version, refused = request.version, False
            reply = Reply("", 204) if request.method == "OPTIONS" and self.cors else self.answer(request)
        except RefusedError as problem:
            reply = self.error(str(problem))._replace(status=problem.status)
        except TimeoutError:
            reply = self.error(f"the request did not arrive within {self.read_seconds:g} s")._replace(status=408)
        except ConnectionError:
            return
        except Exception as problem:
            reply = self.error(f"internal error: {type(problem).__name__}: {problem}")._replace(status=500)
        body = reply.body.encode()
        connection.settimeout(self.read_seconds)
        connection.sendall(_head(version, reply, len(body), self.cors) + body)
        self._room.release(connection)
        # Closing with unread data would reset the connection, and may take our answer away from the peer. One that was
        # refused may have much to send; ggp-base sends an empty line too many.
        _drain(connection, self.read_seconds if refused else min(1.0, self.read_seconds))


def _read_request(stream: Stream) -> Request:
    try:
        first = stream.line(MAX_LINE).decode("latin-1").split()
    except ConnectionError:
        if stream.rest:
            raise RefusedError(400, "that is no HTTP request; send one such as POST / HTTP/1.0") from None
        raise
    if len(first) < 2 or len(first) > 3 or (len(first) == 3 and not first[2].upper().startswith("HTTP/")):
        raise RefusedError(400, "that is no HTTP request; its first line should look like POST / HTTP/1.0")
    method = first[0].upper()
    version = "HTTP/1.1" if len(first) == 3 and first[2].upper() == "HTTP/1.1" else "HTTP/1.0"
    headers = stream.head(MAX_HEAD) if len(first) == 3 else {}
    if method not in ("GET", "POST", "OPTIONS", "DELETE"):
        raise RefusedError(405, f"the method is {method[:20]}; send the message by POST")
    if headers.get("expect", "").lower() == "100-continue" and _promised(headers) <= MAX_BODY:
        stream.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = read_body(stream, headers, until_balanced=True) if method == "POST" else ""
    return Request(method, first[1], headers, body, version)


def _promised(headers: dict[str, str]) -> int:
    stated = headers.get("content-length", "0")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 13 else 0


def _head(version: str, reply: Reply, length: int, cors: bool) -> bytes:
    fields = {"Content-Type": reply.kind, "Content-Length": str(length), "Connection": "close"} | (CORS if cors else {})
    lines = [f"{version} {reply.status} {_reasons.get(reply.status, 'Unknown')}"]
    return "\r\n".join(lines + [f"{name}: {value}" for name, value in fields.items()] + ["", ""]).encode("latin-1")


def _drain(connection: socket.socket, seconds: float) -> None:
    deadline, size = time.monotonic() + seconds, 0
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        while size < MAX_DRAIN and (left := deadline - time.monotonic()) > 0:
            connection.settimeout(left)
            data = connection.recv(1 << 20)
            if not data:
                return
            size += len(data)


# --- the client ------------------------------------------------------------------------------------------------------


def address(text: str) -> tuple[str, int]:
    """Host and port of a player.

    >>> address("127.0.0.1:9147"), address("[::1]:80")
    (('127.0.0.1', 9147), ('::1', 80))
    """
    host, colon, port = text.strip().rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise LudusError(f"'{text}' is no address of a player; write host:port, as in 127.0.0.1:9147")
    return host.strip("[]"), int(port)


def ask(host: str, port: int, message: str, seconds: float, receiver: str = "", method: str = "POST") -> str:
    """Send a message, in the body of a POST or in the path of a GET, and wait for the answer: 5 s for the connection, and
    then `seconds` for all the rest. TroubleError says what went wrong.
    """
    where = f"{host}:{port}"
    try:
        connection = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
    except (OSError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UnreachableError(f"can't connect to {where}: {reason}") from problem
    with connection:
        stream = Stream(connection, time.monotonic() + seconds)
        try:
            connection.settimeout(max(seconds, 0.001))
            connection.sendall(_request(method, where, receiver, message))
            if not stream.line(MAX_HEAD).startswith(b"HTTP/"):
                raise TroubleError("CE", f"{where} does not answer in HTTP")
            return read_body(stream, stream.head(MAX_HEAD), until_balanced=False).strip()
        except TimeoutError:
            raise TroubleError("TO", f"{where} did not answer within {seconds:g} s") from None
        except (OSError, RefusedError) as problem:
            raise TroubleError("CE", f"{where}: {problem}") from problem


def _request(method: str, where: str, receiver: str, message: str) -> bytes:
    """A request as ggp-base writes it."""
    path = "/" if method == "POST" else "/" + urllib.parse.quote_plus(message)
    body = message.encode() if method == "POST" else b""
    fields = {
        "Accept": "text/delim",
        "Host": where,
        "Sender": "GAMESERVER",
        "Receiver": "".join(receiver.split()) or where,
        **({"Content-Type": "text/acl", "Content-Length": str(len(body))} if method == "POST" else {}),
    }
    lines = [f"{method} {path} HTTP/1.0"] + [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body
