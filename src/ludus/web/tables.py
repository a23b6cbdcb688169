"""All tables, and what people ask of them: to sit down, to move, to take back, to give up, to look."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ludus.errors import LudusError
from ludus.records import GameRow, NotKeptError, Records, StepRow, now
from ludus.web.data import About, Asked, Done, Ref
from ludus.web.playing import Play, played
from ludus.web.seating import SeatWish, Wish, digest_of, mind_of, seat_of, title_of
from ludus.web.table import Table
from ludus.web.workers import Pool
from ludus.web.writer import Writer

MOST_IN_MEMORY = 2_000  # tables
MOST_AMONG_PLAYERS = 64  # games without people, at once
IDLE = 300.0  # seconds after which a table that nobody looks at may leave memory


class StaleError(LudusError):
    """The game has gone on since."""


class Tables:
    """All tables. `changed` is called whenever there is something new about one."""

    def __init__(
        self, writer: Writer, quick: Pool, slow: Pool, changed: Callable[[Table], None], offered: Sequence[str] = ()
    ) -> None:
        self._writer, self._quick, self._slow, self._changed = writer, quick, slow, changed
        self._play = Play(writer, quick, slow, changed, lambda identifier: self._tables.pop(identifier, None))
        self._offered = set(offered)  # players that whoever runs the server named: they may be files and code
        self._tables: dict[str, asyncio.Future[Table]] = {}

    @property
    def records(self) -> Records:
        """The database."""
        return self._writer.records

    # --- finding and making

    async def get(self, identifier: str) -> Table:
        """A table, from memory or from disk; NotKeptError if there is none. Players at it go on where they were."""
        task = self._tables.get(identifier)
        if task is None:
            task = self._tables[identifier] = asyncio.ensure_future(self._load(identifier))
            self._forget_some()
        try:
            table = await asyncio.shield(task)
        except BaseException:
            if self._tables.get(identifier) is task and task.done():
                del self._tables[identifier]
            raise
        table.seen = time.monotonic()
        return table

    async def _load(self, identifier: str) -> Table:
        kept = await asyncio.to_thread(self.records.load, identifier)
        ref = await self.ref(kept.game.game)
        about: About = await self._quick.ask_once("about", ref)
        table = Table(kept.game, ref, about, kept.seats, [mind_of(seat, about) for seat in kept.seats])
        table.steps = list(kept.steps)
        table.standing = await self._quick.ask("begin", ref, kept.game.position, table.texts)
        table.places, table.notes = table.now.places, dict(table.now.notes)
        await self._begin(table)
        return table

    async def _begin(self, table: Table) -> None:
        """Let a table go on that was just made or read. A player that can't move must not keep people from looking."""
        table.since = time.monotonic()
        if table.over:
            return
        async with table.lock:
            try:
                await self._play.go_on(table, {})
            except (LudusError, RuntimeError) as problem:
                table.trouble = f"The game can't go on: {problem}"

    def _forget_some(self) -> None:
        """Let tables go that nobody looks at: what they were is on disk."""
        if len(self._tables) <= MOST_IN_MEMORY:
            return
        long_ago = time.monotonic() - IDLE
        for table in self._present():
            if table.seen < long_ago and table.rests:
                del self._tables[table.id]

    def _present(self) -> list[Table]:
        """The tables in memory."""
        return [
            task.result()
            for task in self._tables.values()
            if task.done() and not task.cancelled() and task.exception() is None
        ]

    def _among_players(self) -> int:
        """How many games without people are under way."""
        return sum(table.pace is not None and not table.rests for table in self._present())

    async def ref(self, name: str) -> Ref:
        """The game of a name, `sheet:DIGEST` being one that somebody brought."""
        if not name.startswith("sheet:"):
            return Ref(name)
        sheet = await asyncio.to_thread(self.records.sheet, name.removeprefix("sheet:"))
        return Ref(sheet.name, sheet.text)

    async def about(self, name: str) -> About:
        """What there is to know of a game before it is played."""
        return await self._quick.ask_once("about", await self.ref(name))

    async def create(self, wish: Wish) -> tuple[Table, dict[int, str]]:
        """Begin a game; the keys to the seats of people come with it."""
        if not any(seat.kind == "person" for seat in wish.seats) and self._among_players() >= MOST_AMONG_PLAYERS:
            raise LudusError(f"{MOST_AMONG_PLAYERS} games among players are under way; wait until one has ended")
        ref = await self.ref(wish.game)
        about: About = await self._quick.ask_once("about", ref)
        if len(wish.seats) != about.seats:
            raise LudusError(
                f"{wish.game} has {about.seats} seats ({', '.join(about.seat_names)}), not {len(wish.seats)}"
            )
        new = [i for i, seat in enumerate(wish.seats) if seat.kind == "person" and seat.key_hash is None]
        keys = {i: secrets.token_urlsafe(16) for i in new}
        seats = [seat_of(seat, about, keys.get(i), self._offered) for i, seat in enumerate(wish.seats)]
        minds = [mind_of(seat, about) for seat in seats]
        await self._quick.ask("check_players", ref, sorted({mind.name for mind in minds if mind}))
        row = GameRow(
            id=secrets.token_hex(6), game=wish.game, title=wish.title or title_of(wish.game, about), sheet=digest_of(wish.game),
            seed=secrets.randbits(53) if wish.seed is None else wish.seed, position=wish.position,
            clock=dict(wish.clock) if wish.clock else None, options={} if wish.pace is None else {"pace": wish.pace}, started=now(),
        )  # fmt: skip
        table = Table(row, ref, about, seats, minds)
        table.standing = await self._quick.ask("begin", ref, wish.position, wish.moves)
        table.places, table.notes = table.now.places, dict(table.now.notes)
        given: list[Done] = await self._quick.ask("name_steps", ref, wish.position, wish.moves) if wish.moves else []
        table.steps = [StepRow(step.seat, step.kind, step.texts, now()) for step in given]
        if table.now.scores is not None:
            table.result = played(table.now)

        def write(records: Records) -> None:
            records.create(row, seats)
            if table.steps:
                records.append(row.id, 0, table.steps)
            if table.result:
                records.finish(row.id, table.result)

        # Whoever finds it in a list as soon as it is written waits for this one, and does not read another.
        done = self._tables[row.id] = asyncio.get_running_loop().create_future()
        try:
            await self._writer.write(write)
        except BaseException:
            del self._tables[row.id]
            done.cancel()
            raise
        done.set_result(table)
        await self._begin(table)
        self._forget_some()
        return table, keys

    # --- playing

    async def move(self, identifier: str, seat: int, ply: int, text: str, keys: Iterable[str]) -> Table:
        """A person's move. The same one again, as after a lost answer, is fine; StaleError if the game has gone on otherwise."""
        table = await self.get(identifier)
        table.need_seat(seat, keys)
        async with table.lock:
            if ply < len(table.steps) and await self._is_done(table, seat, ply, text):
                return table
            if ply != len(table.steps):
                raise StaleError(f"the game is at ply {len(table.steps)}, and this move was for ply {ply}")
            if table.over:
                raise StaleError("the game is over")
            if seat not in (*table.now.waits, *table.now.resigners):
                raise StaleError(f"it is not the turn of {table.about.seat_names[seat]}")
            await self._play.go_on(table, {seat: text})
        return table

    async def _is_done(self, table: Table, seat: int, ply: int, text: str) -> bool:
        """Whether a seat made this very move at this ply."""
        step, before = table.steps[ply], table.texts[:ply]
        if step.seat not in (seat, None) or step.kind == "chance":
            return False
        said = step.moves[seat] if step.kind == "joint" else step.moves[0]
        return await self._quick.ask("is_same", table.ref, table.row.position, before, seat, (said, text))

    async def resume(self, identifier: str) -> Table:
        """Ask a player again that could not move."""
        table = await self.get(identifier)
        async with table.lock:
            if not table.over:
                self._play.stand(table, table.now)
        return table

    # --- taking back, giving up, time

    async def undo(self, identifier: str, seat: int, keys: Iterable[str]) -> Table:
        """Go back to the last choice that people had. Others at the table are asked; it is done when they ask for it too."""
        table = await self.get(identifier)
        keys = list(keys)
        table.need_seat(seat, keys)
        async with table.lock:
            if table.result and table.result["reason"] != "played":
                raise LudusError(f"the game has ended: {table.result['text']}")
            agreed = table.seats_of(keys) | (table.agreed if table.asked else set())
            if set(table.people) - agreed:
                table.asked, table.agreed = table.asked or {"what": "undo", "seat": seat}, agreed
                self._changed(table)
                return table
            if set(table.chosen) & set(table.people):
                chosen = {player: text for player, text in table.chosen.items() if table.minds[player]}
                await self._play.keep(table, lambda records: records.update(table.id, options=table.options(chosen)))
                table.chosen, table.asked = chosen, None
                self._play.stand(table, table.now)
                return table
            position, texts = table.row.position, table.texts
            ply = await self._quick.ask("previous_choice", table.ref, position, texts, table.people)
            if ply is None:
                raise LudusError("there is nothing to take back")
            standing = await self._quick.ask("begin", table.ref, position, texts[:ply])

            def write(records: Records) -> None:
                records.cut(table.id, ply)
                if table.chosen:
                    records.update(table.id, options=table.options({}))

            await self._play.keep(table, write)
            del table.steps[ply:]
            table.chosen = {}
            table.result, table.asked, table.places, table.since = None, None, standing.places, time.monotonic()
            table.notes = dict(standing.notes)
            self._play.stand(table, standing)
        return table

    async def decline(self, identifier: str, seat: int, keys: Iterable[str]) -> Table:
        """Say no to what somebody asks."""
        table = await self.get(identifier)
        table.need_seat(seat, keys)
        table.asked = None
        self._changed(table)
        return table

    async def resign(self, identifier: str, seat: int, keys: Iterable[str]) -> Table:
        """Give up."""
        table = await self.get(identifier)
        table.need_seat(seat, keys)
        async with table.lock:
            if table.result:
                raise LudusError(f"the game has ended: {table.result['text']}")
            await self._play.lose(table, seat, "resigned")
        return table

    async def rematch(self, identifier: str, keys: Iterable[str]) -> tuple[Table, dict[int, str]]:
        """The same game again, everybody one seat further; the keys to the old seats are those to the new ones. Whoever asks after somebody
        else did comes to the same table.
        """
        old, keys = await self.get(identifier), list(keys)
        async with old.lock:
            if old.people and not old.seats_of(keys):
                raise LudusError("only those who played can ask for a rematch")
            following = (old.row.options or {}).get("next")
            if following is None:
                seats = [
                    SeatWish(s.kind, s.who, None if s.level else s.player, s.level, s.seconds, s.key_hash)
                    for s in old.seats
                ]
                wish = Wish(old.row.game, (*seats[-1:], *seats[:-1]), clock=old.row.clock, pace=old.pace)
                table, _ = await self.create(wish)
                options = {**(old.row.options or {}), "next": table.id}
                await self._play.keep(old, lambda records: records.update(old.id, options=options))
                old.row = old.row._replace(options=options)
                old.version += 1
                self._changed(old)
            else:
                table = await self.get(following)
        return table, {seat: key for key in keys for seat in table.seats_of([key])}

    # --- looking

    async def view(self, table: Table, asked: Asked, ply: int | None = None) -> dict[str, Any]:
        """A position of a game as a page shows it: the one that it has come to, or an earlier one."""
        table.seen = time.monotonic()
        if ply is None or ply == len(table.steps):
            found = await self._quick.ask_once("look", table.ref, table.now.course, asked, table.places)
        elif 0 <= ply < len(table.steps):
            found = await self._quick.ask_once("look_back", table.ref, table.row.position, table.texts[:ply], asked)
        else:
            raise NotKeptError(f"there is no ply {ply}; the game has 0 to {len(table.steps)}")
        return {"id": table.id, **found}

    async def why(self, table: Table, text: str, seat: int) -> str:
        """Why a move is not legal; nothing if it is."""
        table.need_place(seat)
        return await self._quick.ask("why", table.ref, table.now.course, text, seat)

    async def hint(self, table: Table, seat: int) -> dict[str, Any]:
        """What the best player that answers at once would do."""
        if seat not in table.now.waits:
            raise LudusError("there is nothing to decide for this seat now")
        return await self._slow.ask_once("hint", table.ref, table.now.course, seat)

    async def close(self) -> None:
        """Stop all players. What was played is on disk."""
        for task in self._tables.values():
            if not task.done():
                task.cancel()
                continue
            with contextlib.suppress(BaseException):
                if driver := task.result().driver:
                    driver.cancel()
