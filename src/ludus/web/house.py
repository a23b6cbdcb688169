"""All that a running server has: the records, the workers, the tables, and the browsers that watch."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from ludus.errors import LudusError
from ludus.games.gdl import shipped
from ludus.ggp.store import Store
from ludus.records import Records
from ludus.web.data import Asked, Ref
from ludus.web.live import Hub
from ludus.web.managing import ManagerProcess
from ludus.web.table import Table
from ludus.web.tables import Tables
from ludus.web.workers import Pool
from ludus.web.writer import Writer

NICE = 5  # searches give way to the rules and to players that answer at once
MATCH_SECONDS = 0.3  # between two looks at a match that somebody watches
# What people play first: made ready while they look at the page. All matches share their code.
FIRST = ("backgammon", "ludo", "quoridor", "backgammon(match=7)")


class House:
    """A server's parts, from its start to its end."""

    def __init__(
        self, records: Records, players: Sequence[str] = (), workers: int = 2, limits: tuple[float, int] = (60.0, 4000)
    ) -> None:
        self.records, self.players = records, list(players)
        self.hub = Hub(self._describe)
        self.store = Store(records)
        self.manager = ManagerProcess(records.url.render_as_string(hide_password=False), limits)
        self.quick = Pool(workers, tell=self._tell)
        self.slow = Pool(workers, NICE, self._tell)
        self.idle = Pool(1, 2 * NICE, self._tell)  # for what nobody waits for: chances, files
        self.writer = Writer(records)
        self.tables = Tables(self.writer, self.quick, self.slow, self._changed, players)
        self.ready = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._judging: dict[str, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """Begin: the page is there at once, and the rest is made ready behind it."""
        self._loop = asyncio.get_running_loop()
        self.quick.start()
        self._preparing = asyncio.ensure_future(self._prepare())
        self._following = asyncio.ensure_future(self._follow_matches())

    async def _prepare(self) -> None:
        with contextlib.suppress(LudusError, RuntimeError):  # told when somebody asks for it
            await self.quick.ask("prepare", Ref(FIRST[0]), ("td",), seconds=600.0)
        self.ready = True
        self.hub.tell(None)
        for name in FIRST[1:]:
            with contextlib.suppress(LudusError, RuntimeError):
                await self.idle.ask("prepare", Ref(name), ("td",), seconds=600.0)
        for identifier in await asyncio.to_thread(self.records.open_games):
            # Players that play each other go on; where people are due, it is enough to wait for them.
            with contextlib.suppress(LudusError, RuntimeError):
                kept = await asyncio.to_thread(self.records.load, identifier)
                if all(seat.kind != "person" for seat in kept.seats):
                    await self.tables.get(identifier)

    async def close(self) -> None:
        """End everything. Nothing is lost: it is all on disk."""
        for task in (self._preparing, self._following, *self._judging.values()):
            if task is not None:
                task.cancel()
        await self.tables.close()
        await asyncio.to_thread(self.manager.close)
        self.quick.close()
        self.slow.close()
        self.idle.close()
        await asyncio.to_thread(self.writer.close)

    def _tell(self, words: str | None) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.hub.tell, words)

    def _changed(self, table: Table) -> None:
        self.hub.changed(table.id)
        if table.id in self.hub.watched():
            self.judge_soon(table)

    # --- those who watch

    async def _describe(self, identifier: str, asked: Asked) -> dict[str, Any]:
        """What a browser is to be shown of a table or a match."""
        if is_match(identifier):
            return await self._describe_match(identifier, asked)
        table = await self.tables.get(identifier)
        said = table.to_json()
        self.judge_soon(table)
        return {"type": "table", "table": said, "view": await self.tables.view(table, asked)}

    async def _describe_match(self, identifier: str, asked: Asked) -> dict[str, Any]:
        match = await asyncio.to_thread(self.store.match, identifier)
        view = None
        if match["states"] and match["gameName"] in shipped():
            with contextlib.suppress(LudusError):  # somebody's own sheet of that name
                view = await self.idle.ask_once("look_at", Ref(match["gameName"]), match["states"][-1], asked)
        return {"type": "match", "match": match, "view": view}

    async def _follow_matches(self) -> None:
        """Look after matches that somebody watches: the manager, in its own process, tells of them by the database alone."""
        seen: dict[str, Any] = {}
        while True:
            await asyncio.sleep(MATCH_SECONDS)
            for identifier in filter(is_match, self.hub.watched()):
                with contextlib.suppress(LudusError):  # a match that can't be read is told when it is asked for
                    match = await asyncio.to_thread(self.store.match, identifier)
                    news = len(match["states"]), len(match["errors"]), match["isCompleted"], match["isAborted"]
                    if seen.get(identifier) != news:
                        seen[identifier] = news
                        self.hub.changed(identifier)

    # --- chances

    def judge_soon(self, table: Table) -> None:
        """Have positions judged that were not, unless that is under way."""
        if table.id not in self._judging:
            task = self._judging[table.id] = asyncio.ensure_future(self._judge(table))
            task.add_done_callback(lambda _: self._judging.pop(table.id, None))

    async def _judge(self, table: Table) -> None:
        """Judge what there is to judge, a few plies at a time, and tell those who watch."""
        with contextlib.suppress(LudusError, RuntimeError):
            while True:
                found = await asyncio.to_thread(self.records.analysis, table.id)
                known, texts = {ply for values in found.values() for ply in values}, table.texts
                wanted = [ply for ply in range(len(texts) + 1) if ply not in known][-16:]
                if not wanted:
                    return
                name, values = await self.idle.ask("judge", table.ref, table.row.position, texts, tuple(wanted))
                async with table.lock:  # nobody takes back meanwhile what this is about
                    if table.texts[: wanted[-1]] != texts[: wanted[-1]]:
                        continue
                    await self.writer.write(lambda records: records.save_analysis(table.id, name, values))  # noqa: B023
                self.hub.send(table.id, {"type": "chances", "id": table.id, **await self.chances(table)})

    async def chances(self, table: Table) -> dict[str, Any]:
        """What each seat could hope for at each ply, as far as it was judged."""
        found = await asyncio.to_thread(self.records.analysis, table.id)
        for player, values in found.items():
            plies = [{"ply": ply, "value": value} for ply, value in sorted(values.items()) if ply <= len(table.steps)]
            return {"player": player, "plies": plies}
        return {"player": None, "plies": []}


def is_match(identifier: str) -> bool:
    """Whether this is the name of a match of the GGP manager, and not that of a table."""
    return identifier.startswith("ludus.")
