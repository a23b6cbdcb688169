"""How a game goes on: players are asked, clocks run, and every step is on disk before anybody hears of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ludus.players.levels import seconds_of
from ludus.records import Records, StepRow, now
from ludus.web.data import Done, Standing
from ludus.web.table import Table
from ludus.web.workers import Pool
from ludus.web.writer import Writer

GRACE = 120.0  # seconds that a player may take beyond what it was told
MOST_STEPS = 10_000  # of a game without people: by some rules it would never end


class Play:
    """Has tables go on. `changed` is called whenever there is something new about one, `forget` when it is to be read anew."""

    def __init__(
        self,
        writer: Writer,
        quick: Pool,
        slow: Pool,
        changed: Callable[[Table], None],
        forget: Callable[[str], object],
    ) -> None:
        self._writer, self._quick, self._slow, self._changed, self._forget = writer, quick, slow, changed, forget

    async def go_on(self, table: Table, chosen: Mapping[int, str]) -> None:
        """Take the steps that can be taken now that these seats have decided. The caller has the table's lock."""
        most = 1 if table.pace is not None else 64
        before, decided, spent = table.chosen, {**table.chosen, **chosen}, table.spent()
        taken, standing = await self._quick.ask(
            "go_on", table.ref, table.now.course, table.minds, table.row.seed, decided, most, seconds=GRACE
        )
        if taken:
            first = len(table.steps)
            rows = _rows(taken, spent, now())
            result = played(standing) if standing.scores is not None else None

            def write(records: Records) -> None:
                records.append(table.id, first, rows)
                if before:
                    records.update(table.id, options=table.options({}))
                if result:
                    records.finish(table.id, result)

            await self.keep(table, write)
            table.steps += rows
            table.notes |= {ply: step.note for ply, step in enumerate(taken, first + 1) if step.note}
            table.result = result
            table.places = next((step.places for step in reversed(taken) if step.kind != "chance"), table.places)
            table.chosen, table.asked, table.since = {}, None, time.monotonic()
        elif decided != before:
            await self.keep(table, lambda records: records.update(table.id, options=table.options(decided)))
            table.chosen = decided
        else:
            table.since = time.monotonic()  # it begins, or goes on after the server was started again
        self.stand(table, standing)

    async def keep(self, table: Table, change: Callable[[Records], Any]) -> None:
        """Write what is new about a table. If the records know better, as when another server has gone on with it, it is read anew next time."""
        try:
            await self._writer.write(change)
        except BaseException:
            self._forget(table.id)
            if table.flag is not None:
                table.flag.cancel()
            if table.driver is not None and table.driver is not asyncio.current_task():
                table.driver.cancel()
            raise

    def stand(self, table: Table, standing: Standing) -> None:
        """A table stands so now: clocks run, those who watch are told, and players who are due are asked."""
        table.standing, table.trouble = standing, None
        table.version += 1
        self._set_flag(table)
        self._changed(table)
        players_due = table.pace is not None or table.awaited()
        if not table.over and players_due and (table.driver is None or table.driver.done()):
            table.driver = asyncio.ensure_future(self._drive(table))

    async def _drive(self, table: Table) -> None:
        """Have players move that take their time, until people are due."""
        while not table.over:
            course, waiting = table.now.course, table.awaited()
            if table.pace is None and not waiting:
                return
            if table.pace is not None:
                if len(table.steps) >= MOST_STEPS:
                    table.trouble = f"A game among players has at most {MOST_STEPS} steps."
                    self._changed(table)
                    return
                await asyncio.sleep(table.pace)
            try:
                chosen = await self._think(table, waiting)
                async with table.lock:
                    if table.over or table.now.course != course:
                        continue  # somebody gave up, or took a move back
                    await self.go_on(table, chosen)
            except asyncio.CancelledError:
                raise
            except Exception as problem:
                table.trouble = (
                    f"{', '.join(table.seats[seat].who for seat in waiting) or 'A player'} could not move: {problem}"
                )
                self._changed(table)
                return

    async def _think(self, table: Table, seats: Sequence[int]) -> dict[int, str]:
        """The moves of those players that take their time."""
        minds = {seat: mind for seat in seats if (mind := table.minds[seat]) and mind.slow}
        if not minds:
            return {}
        table.thinking = set(minds)
        self._changed(table)
        try:
            course, seed = table.now.course, table.row.seed
            jobs = [
                self._slow.ask("think", table.ref, course, mind, seed, seat, seconds=GRACE + seconds_of(mind.name))
                for seat, mind in minds.items()
            ]
            return dict(zip(minds, await asyncio.gather(*jobs), strict=True))
        finally:
            table.thinking = set()

    async def lose(self, table: Table, seat: int, reason: str) -> None:
        """End a game because somebody gave up ("resigned") or has no time left ("time")."""
        loser, others = table.about.seat_names[seat], [i for i in range(len(table.seats)) if i != seat]
        single = table.now.single
        won, lost = (single, -single) if table.about.low < 0 else (table.about.high, table.about.low)
        scores = [lost if i == seat else won / max(len(others), 1) for i in range(len(table.seats))]
        how = "gives up" if reason == "resigned" else "has no time left"
        text = f"{loser} {how}."
        if others:
            winners = " and ".join(table.about.seat_names[i] for i in others)
            text = f"{loser} {how}: {winners} {'wins' if len(others) == 1 else 'share the win'}."
        result = {"scores": scores, "text": text, "reason": reason}
        await self.keep(table, lambda records: records.finish(table.id, result))
        table.result, table.asked = result, None
        self.stand(table, table.now)

    def _set_flag(self, table: Table) -> None:
        if table.flag is not None:
            table.flag.cancel()
            table.flag = None
        if table.row.clock and not table.over and table.now.kind == "decision" and table.due():
            left = table.left(table.due()[0]) or 0
            fall = lambda: asyncio.ensure_future(self._time_is_up(table, table.version))  # noqa: E731
            table.flag = asyncio.get_running_loop().call_later(left / 1000, fall)

    async def _time_is_up(self, table: Table, version: int) -> None:
        async with table.lock:
            if table.version == version and not table.over and table.due():
                await self.lose(table, table.due()[0], "time")


def _rows(taken: Sequence[Done], spent: int, time: int) -> list[StepRow]:
    """Steps for the records: the first decision took the time, and what follows none."""
    rows = []
    for step in taken:
        rows.append(StepRow(step.seat, step.kind, step.texts, time, spent if step.kind != "chance" else 0))
        spent = 0 if step.kind != "chance" else spent
    return rows


def played(standing: Standing) -> dict[str, Any]:
    """The result of a game that was played to its end."""
    return {"scores": list(standing.scores or ()), "text": standing.result or standing.status, "reason": "played"}
