"""The server itself: uvicorn on a socket that is there before anything else is loaded."""

from __future__ import annotations

import logging
import secrets
import signal
import socket
from typing import Any

import uvicorn

from ludus.errors import LudusError
from ludus.records import Records
from ludus.web.app import Settings, make_app
from ludus.web.security import ANYWHERE, LOOPBACK


def new_token(host: str) -> str | None:
    """What other machines must know, if they are let in at all.

    >>> new_token("localhost") is None, len(new_token("0.0.0.0") or "")
    (True, 16)
    """
    return None if host.lower() in LOOPBACK else secrets.token_urlsafe(12)


class Server:
    """A page on a port. LudusError if the port is taken, or the database can't be used."""

    def __init__(self, database: str | None, port: int = 8080, settings: Settings = Settings()) -> None:  # noqa: B008
        host, token = settings.host, settings.token
        self._socket = _listen(host, port)
        self.records = Records(database)
        self.database = self.records.name
        shown = "127.0.0.1" if host in ANYWHERE else f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._socket.getsockname()[1]}/" + (f"?token={token}" if token else "")
        # One game's moves are a few kilobytes: compressing them would cost more than sending them.
        config = uvicorn.Config(
            make_app(self.records, settings), log_level=logging.WARNING, access_log=False, ws="websockets-sansio", ws_max_size=65_536,
            ws_per_message_deflate=False, server_header=False, timeout_graceful_shutdown=2, limit_concurrency=2_000,
        )  # fmt: skip
        self._server = uvicorn.Server(config)

    def run(self, farewell: str) -> None:
        """Serve until Ctrl-C, or until somebody ends the process; then KeyboardInterrupt says the farewell."""

        def end(number: int, frame: Any) -> None:
            raise KeyboardInterrupt(farewell)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end)  # uvicorn ends in good order first, and then passes the signal on to this
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.records.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except OSError as problem:
        raise LudusError(
            f"can't listen on {host}:{port}: {problem.strerror or problem}; --port takes another one"
        ) from None
    found.listen(1024)
    return found
