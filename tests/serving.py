"""A real `ludus serve` for tests: started, asked, killed and started again."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

WAIT = 120.0  # seconds for an answer on a very busy machine; nothing is measured here


def own_port() -> int:
    """A free port below those that the system gives to whoever asks for any: nobody has it when a server that was killed comes back to it."""
    while True:
        port = random.SystemRandom().randrange(20_000, 30_000)
        with socket.socket() as made:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                made.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Serving:
    """A server in a process of its own, with its database in a folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.database, self._options, self.port = folder / "games.sqlite", options, own_port()
        self.process: subprocess.Popen[str]
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "ludus.cli.main", "serve", "--no-open", "--port", str(self.port)]
        command += [*(() if "--database" in self._options else ("--database", str(self.database))), *self._options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        assert "http://" in self.said, self.said
        self.port = int(self.said.split("http://")[1].split("/")[0].rpartition(":")[2])
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api/", timeout=WAIT)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def kill(self) -> None:
        """As if the machine had lost its power."""
        self.http.close()
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.http.close()
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def live(self, **more: Any) -> connect:
        """The socket on which it tells what happens."""
        return connect(f"ws://127.0.0.1:{self.port}/api/live", open_timeout=None, ping_interval=None, **more)

    # What tests ask for again and again.

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def new(self, game: str, *seats: str, **more: Any) -> Seated:
        """A game: "person", a level, or the exact name of a player for each seat."""
        levels = ("beginner", "easy", "medium", "strong", "best")
        wishes: list[dict[str, Any]] = []
        for seat in seats:
            if seat == "person":
                wishes.append({"kind": "person"})
            else:
                wishes.append({"kind": "player", ("level" if seat in levels else "player"): seat})
        answer = self.http.post("tables", json={"game": game, "seats": wishes, **more})
        assert answer.status_code == 201, answer.text
        return Seated(self, answer.json())


class Seated:
    """A table, and the keys of its people."""

    def __init__(self, server: Serving, made: dict[str, Any]) -> None:
        self.server, self.id, self.keys, self.table = server, made["id"], made["keys"], made["table"]

    def move(self, text: str, seat: int | None = None, ply: int | None = None) -> httpx.Response:
        """A move of the seat that is due, or of one that is named."""
        seat = self.table["due"][0] if seat is None else seat
        body = {"move": text, "ply": self.table["ply"] if ply is None else ply, "seat": seat}
        answer = self.post("moves", body, str(seat))
        if answer.status_code == 200:
            self.table = answer.json()["table"]
        return answer

    def post(self, what: str, body: dict[str, Any], *seats: str) -> httpx.Response:
        keys = ",".join(self.keys[seat] for seat in seats if seat in self.keys)
        return self.server.http.post(f"tables/{self.id}/{what}", json=body, headers={"Ludus-Key": keys})

    def look(self, **query: Any) -> Any:
        return self.server.get(f"tables/{self.id}/view", **query)

    def refresh(self) -> dict[str, Any]:
        self.table = self.server.get(f"tables/{self.id}")
        return self.table

    def wait_for(self, seat: int) -> dict[str, Any]:
        """Until a seat is due, or the game is over."""
        while seat not in self.refresh()["due"] and self.table["kind"] != "over":
            assert self.table["trouble"] is None, self.table["trouble"]
        return self.table
