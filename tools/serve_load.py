"""Two hundred games at once: scripted clients play against players of a `ludus serve` of their own, and every answer is timed.

    python tools/serve_load.py                      # 200 games for a minute
    python tools/serve_load.py --kills 50           # the same, and the server is killed (kill -9) 50 times meanwhile

Afterwards every move that was acknowledged must be in the game where it was made, and every game must replay by the rules. A client moves as a
quick person does, half a second to a second and a half after it is its turn. Prints a table, or JSON; exits with 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

GAMES = ("backgammon", "ludo", "quoridor", "ludo(seats=2)")
PATIENCE = 20.0  # seconds after which a client that hears nothing counts as stalled, unless told


class Line:
    """A connection that is kept open: just as much HTTP as this needs, so that clients cost next to nothing."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} /api/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nLudus-Key: {key}\r\nContent-Length: {len(data)}\r\n"
        )
        writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + data)
        try:
            top = await reader.readuntil(b"\r\n\r\n")
            length = int(
                next(line.split(b":")[1] for line in top.split(b"\r\n") if line.lower().startswith(b"content-length"))
            )
            text = await reader.readexactly(length)
        except (asyncio.IncompleteReadError, StopIteration) as problem:
            raise ConnectionError("the server has gone") from problem
        return int(top.split()[1]), json.loads(text)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class Notes:
    """What all clients saw."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self.times: list[float] = []
        self.acknowledged: dict[str, list[tuple[int, str]]] = {}  # for each game: ply, move
        self.errors: list[str] = []
        self.stalled = 0
        self.finished = 0


async def client(number: int, port: int, until: float, notes: Notes) -> None:
    """Play games until the time is over, with a move at least in each that was begun. What gets no answer is asked again, as a browser would."""
    rng, line = random.Random(number), Line(port)
    while time.monotonic() < until:
        game = GAMES[number % len(GAMES)]
        seats = 4 if game == "ludo" else 2
        wish = {
            "game": game,
            "seed": number,
            "seats": [{"kind": "person"}, *[{"kind": "player", "level": "strong"}] * (seats - 1)],
        }
        made = await insist(line, "POST", "tables", wish, "", until + notes.patience, notes)
        if made is None:
            return
        notes.acknowledged[made["id"]] = []
        await play(rng, line, made, until, notes)
    line.close()


async def play(rng: random.Random, line: Line, made: dict[str, Any], until: float, notes: Notes) -> None:
    table, key, name = made["table"], made["keys"]["0"], made["id"]
    end = until + notes.patience
    while 0 not in table["due"] and table["kind"] != "over" and time.monotonic() < end:  # others begin
        await asyncio.sleep(0.1)
        table = await insist(line, "GET", f"tables/{name}", None, key, end, notes) or table
    view = await insist(line, "GET", f"tables/{name}/view", None, key, end, notes)
    moves = [move["text"] for move in view["moves"]] if view else []
    while moves and table["kind"] != "over" and (time.monotonic() < until or not notes.acknowledged[name]):
        await asyncio.sleep(rng.uniform(0.5, 1.5))
        move, ply = rng.choice(moves), table["ply"]
        began = time.perf_counter()
        body = {"move": move, "ply": ply, "seat": 0}
        answer = await insist(line, "POST", f"tables/{name}/moves?moves=true", body, key, end, notes)
        if answer is None:
            return
        notes.times.append(time.perf_counter() - began)
        notes.acknowledged[name].append((ply, move))
        table, moves = answer["table"], answer["moves"]
    notes.finished += table["kind"] == "over"


async def insist(
    line: Line, method: str, path: str, body: Any, key: str, until: float, notes: Notes
) -> dict[str, Any] | None:
    """Ask until there is an answer; None when there is no more time for it."""
    while time.monotonic() < until:
        try:
            status, answer = await asyncio.wait_for(line.ask(method, path, body, key), notes.patience)
        except (ConnectionError, OSError):
            line.close()
            await asyncio.sleep(0.05)
            continue
        except TimeoutError:
            line.close()
            notes.stalled += 1
            continue
        if status < 300:
            return answer
        if status != 503:
            notes.errors.append(f"{method} {path}: {status} {str(answer)[:150]}")
            return None
        await asyncio.sleep(0.05)
    return None


class Server:
    """A server of our own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, 0
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "ludus.cli.main",
            "serve",
            "--no-open",
            "--port",
            str(self.port),
            "--database",
            str(self._folder / "games.sqlite"),
        ]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        said = self._process.stderr.readline()
        if "http://" not in said:
            raise SystemExit(f"the server did not start: {said}")
        self.port = int(said.split("http://127.0.0.1:")[1].split("/")[0])

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(20)


async def run(games: int, seconds: float, kills: int, patience: float) -> dict[str, Any]:
    notes = Notes(patience)
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.to_thread(Server, Path(folder))
        await warm_up(server.port)
        until = time.monotonic() + seconds
        clients = [asyncio.ensure_future(client(i, server.port, until, notes)) for i in range(games)]
        rng = random.Random(kills)
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(0.6, 1.4) * seconds / (kills + 1))
            server.kill()
            await asyncio.to_thread(server.start)
        await asyncio.gather(*clients)
        server.kill()  # once more, at the very end
        await asyncio.to_thread(server.start)
        lost, damaged = await check(server.port, notes)
        server.stop()
    times = sorted(notes.times)
    return {
        "games_at_once": games, "seconds": seconds, "kills": kills, "games": len(notes.acknowledged), "finished": notes.finished, "moves": len(times),
        "p50_ms": 1000 * times[len(times) // 2], "p99_ms": 1000 * times[int(len(times) * 0.99)], "max_ms": 1000 * times[-1],
        "stalled": notes.stalled, "errors": len(notes.errors), "first_errors": notes.errors[:3], "lost_moves": lost, "damaged_games": damaged,
    }  # fmt: skip


async def warm_up(port: int) -> None:
    """Have everything loaded before the clock runs: what is compiled at first use is not what is measured here."""
    line = Line(port)
    for game in GAMES:
        seats = 4 if game == "ludo" else 2
        wish = {"game": game, "seats": [{"kind": "person"}, *[{"kind": "player", "level": "strong"}] * (seats - 1)]}
        for _ in range(6):
            made = (await line.ask("POST", "tables", wish))[1]
            view = (await line.ask("GET", f"tables/{made['id']}/view"))[1]
            body = {"move": view["moves"][0]["text"], "ply": made["table"]["ply"], "seat": 0}
            await line.ask("POST", f"tables/{made['id']}/moves", body, made["keys"]["0"])
    line.close()


async def check(port: int, notes: Notes) -> tuple[int, int]:
    """How many acknowledged moves are not where they were made, and how many games do not replay."""
    line, lost, damaged = Line(port), 0, 0
    for name, moves in notes.acknowledged.items():
        status, table = await line.ask("GET", f"tables/{name}")
        if status != 200:
            damaged += 1
            lost += len(moves)
            continue
        lost += sum(ply >= len(table["steps"]) or table["steps"][ply]["texts"][0] != move for ply, move in moves)
    line.close()
    return lost, damaged


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, help="seconds after which a client counts as stalled"
    )
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    found = asyncio.run(run(options.games, options.seconds, options.kills, options.patience))
    if options.as_json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name.replace('_', ' '):>16}  {f'{value:.1f}' if isinstance(value, float) else value}")
    sys.exit(bool(found["lost_moves"] or found["damaged_games"] or found["stalled"] or found["errors"]))


if __name__ == "__main__":
    main()
