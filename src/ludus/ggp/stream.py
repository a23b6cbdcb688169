"""Reading HTTP from a socket: lines, header fields and bodies, each limited in size and all in time.

Server and client share it (`wire`). Peers are not trusted: one that sends a byte now and then, or never ends, is left at
the deadline.
"""

from __future__ import annotations

import socket
import time

MAX_BODY = 5_000_000  # bytes
MAX_HEAD = 65_536


class RefusedError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Stream:
    """Reads from a socket until a moment in time, wherever the time goes."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self.connection = connection
        self.deadline = deadline
        self.rest = b""  # read, but not yet used
        self.ended = False

    def more(self) -> bool:
        """Read what there is; False at the end. TimeoutError at the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        data = self.connection.recv(65_536)
        self.rest += data
        self.ended = not data
        return bool(data)

    def line(self, limit: int) -> bytes:
        """The next line, without its end."""
        searched = 0
        while (end := self.rest.find(b"\n", searched)) < 0:
            searched = len(self.rest)
            if searched > limit:
                raise RefusedError(431, f"a line of the request is longer than {limit:,} bytes")
            if not self.more():
                raise ConnectionError("the connection ended within a line")
        found, self.rest = self.rest[:end], self.rest[end + 1 :]
        return found.rstrip(b"\r")

    def head(self, limit: int) -> dict[str, str]:
        """The header fields up to the empty line."""
        fields: dict[str, str] = {}
        size = 0
        while line := self.line(limit):
            size += len(line)
            if size > limit:
                raise RefusedError(431, f"the head of the request is longer than {limit:,} bytes")
            name, _, value = line.decode("latin-1").partition(":")
            fields[name.strip().lower()] = value.strip()
        return fields

    def exactly(self, size: int) -> bytes:
        """So many bytes."""
        parts = [self.rest[:size]]
        have = len(parts[0])
        self.rest = self.rest[size:]
        while have < size:
            if not self.more():
                raise ConnectionError(f"the connection ended after {have:,} of {size:,} bytes")
            parts.append(self.rest[: size - have])
            have += len(parts[-1])
            self.rest = self.rest[len(parts[-1]) :]
        return b"".join(parts)

    def chunks(self, limit: int) -> bytes:
        """A body in chunks, as HTTP/1.1 may send it."""
        body = b""
        while True:
            try:
                size = int(self.line(MAX_HEAD).split(b";")[0], 16)
            except ValueError:
                raise RefusedError(400, "the size of a chunk is not a number") from None
            if size < 0 or len(body) + size > limit:
                raise RefusedError(413, f"the body is longer than {limit:,} bytes")
            if size == 0:
                self.head(MAX_HEAD)
                return body
            body += self.exactly(size)
            self.line(MAX_HEAD)

    def rest_of_it(self, limit: int, until_balanced: bool) -> bytes:
        """A body of unknown length: up to the end, or up to its last parenthesis, since some peers keep the line open."""
        while True:
            opened = self.rest.count(b"(")
            if until_balanced and opened and opened == self.rest.count(b")"):
                return self.rest
            if len(self.rest) > limit:
                raise RefusedError(413, f"the body is longer than {limit:,} bytes")
            if not self.more():
                return self.rest


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_body(stream: Stream, headers: dict[str, str], until_balanced: bool) -> str:
    """The body that belongs to a head: in chunks, of a stated length, or of an unknown one (see `rest_of_it`)."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return _text(stream.chunks(MAX_BODY))
    if "content-length" not in headers:
        return _text(stream.rest_of_it(MAX_BODY, until_balanced))
    stated = headers["content-length"]
    if not (stated.isascii() and stated.isdigit()):
        raise RefusedError(400, f"Content-Length is '{stated[:40]}', which is no number of bytes")
    if len(stated) > 12 or int(stated) > MAX_BODY:
        raise RefusedError(413, f"the body is longer than {MAX_BODY:,} bytes")
    return _text(stream.exactly(int(stated)))
