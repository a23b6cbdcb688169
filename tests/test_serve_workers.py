"""The processes behind `ludus serve`: one that can't be started or is stopped costs its own question, and none outlives the server."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from ludus.records import Records
from ludus.web import workers
from ludus.web.data import Asked, Ref
from ludus.web.house import House
from ludus.web.live import Hub
from ludus.web.managing import ManagerProcess
from ludus.web.seating import SeatWish, Wish
from ludus.web.workers import BusyError, Pool
from serving import Serving
from test_processes import alive

THINKS = 600.0  # seconds


def test_a_process_that_cant_be_started_is_started_for_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(nice: int) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    async def test() -> None:
        pool = Pool(1)
        with monkeypatch.context() as poor:
            poor.setattr(workers, "_Worker", fail)
            with pytest.raises(BusyError, match="no process can be started to answer: Resource temporarily"):
                await pool.ask("about", Ref("tictactoe"))
        assert (await pool.ask("about", Ref("tictactoe"))).seats == 2
        pool.close()

    asyncio.run(test())


def test_an_answer_that_is_too_large_does_not_reach_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MOST_BYTES", 20)

    async def test() -> None:
        pool = Pool(1)
        with pytest.raises(BusyError, match="too much memory"):
            await pool.ask("about", Ref("tictactoe"))
        pool.close()

    asyncio.run(test())


def test_players_that_think_end_with_the_server(tmp_path: Path) -> None:
    server = Serving(tmp_path)
    table = server.new("backgammon", f"mcts(seconds={THINKS:g})", f"mcts(seconds={THINKS:g})", pace=0)
    while not table.refresh()["thinking"]:
        pass
    own = children(server.process.pid)
    killed = time.monotonic()
    server.kill()
    assert own
    while any(alive(number) for number in own):
        assert time.monotonic() < killed + THINKS / 2, "they think to the end for nobody"
        time.sleep(0.1)


def children(parent: int) -> list[int]:
    """The processes that a process started."""
    lists = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(number) for each in lists for number in each.read_text().split()]


def test_a_manager_that_is_slow_to_answer_holds_up_nobody_who_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        answered = asyncio.Event()
        loop = asyncio.get_running_loop()

        def slow(self: Any, method: str, path: str, body: Any) -> tuple[int, Any]:
            asyncio.run_coroutine_threadsafe(answered.wait(), loop).result()
            return 200, {}

        monkeypatch.setattr(ManagerProcess, "_ask", slow)
        manager = ManagerProcess(":memory:")
        asking = [asyncio.ensure_future(manager.ask("GET", "/tournaments")) for _ in range(100)]
        await asyncio.sleep(0)  # all have asked
        assert await asyncio.to_thread(lambda: "read") == "read"
        answered.set()
        assert await asyncio.gather(*asking) == [(200, {})] * 100
        manager.close()

    asyncio.run(test())


def test_what_is_taken_back_while_it_is_judged_is_forgotten(tmp_path: Path) -> None:
    async def test() -> None:
        house = House(Records(tmp_path / "games.sqlite"), workers=1)
        table, keys = await house.tables.create(Wish("tictactoe", (SeatWish("person"), SeatWish("person"))))
        tables = house.tables
        await tables.move(table.id, 0, 0, "mark 2 2", keys.values())
        judged = house.idle.ask

        async def judge_slowly(*arguments: Any, **more: Any) -> Any:
            found = await judged(*arguments, **more)
            if table.texts == (("( mark 2 2 )",),):
                await tables.undo(table.id, 0, keys.values())
                await tables.move(table.id, 0, 0, "mark 1 1", keys.values())
                said.append(found)
            return found

        said: list[Any] = []
        house.idle.ask = judge_slowly  # type: ignore[method-assign]
        kept: list[Any] = []
        keep = house.records.save_analysis

        def note(id: str, player: str, values: Any) -> None:
            kept.append(values)
            keep(id, player, values)

        house.records.save_analysis = note  # type: ignore[method-assign]
        house.judge_soon(table)
        while len((await house.chances(table))["plies"]) < 2:
            await asyncio.sleep(0.01)
        assert all(values is not said[0][1] for values in kept)
        await house.close()
        house.records.close()

    asyncio.run(test())


class Silent:
    """A browser's socket that takes nothing after the first word, and says nothing."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.closed: int | None = None

    async def accept(self) -> None:
        pass

    async def send_json(self, message: Any) -> None:
        if self.heard:
            raise ValueError("this can't be sent")
        self.heard.append(message)

    async def receive_text(self) -> str:
        if not self.heard:
            await asyncio.sleep(0)
            return '{"watch": "a"}'
        await asyncio.Event().wait()
        raise WebSocketDisconnect

    async def close(self, code: int) -> None:
        self.closed = code


def test_a_browser_that_cant_be_told_is_let_go() -> None:
    async def describe(identifier: str, asked: Asked) -> dict[str, Any]:
        return {"type": "table"}

    async def test() -> None:
        socket = Silent()
        hub = Hub(describe)
        serving = asyncio.ensure_future(hub.serve(socket))  # type: ignore[arg-type]
        while not socket.heard:
            await asyncio.sleep(0)
        hub.tell("compiling")
        await serving
        assert socket.closed == 1011
        assert not hub.watched()

    asyncio.run(test())
