"""Tables of `ludus serve` in one process: what happens when several things happen at once, and what a table remembers that is read again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError
from ludus.records import Records
from ludus.web import looking, playing, referee, tables
from ludus.web.playing import GRACE
from ludus.web.seating import SeatWish, Wish
from ludus.web.table import Table
from ludus.web.tables import Tables
from ludus.web.writer import Writer

PERSON, RANDOM, SLOW = (
    SeatWish("person"),
    SeatWish("player", player="random"),
    SeatWish("player", player="mcts(simulations=5)"),
)


class Here:
    """Answers as worker processes do, in this process, and holds answers back while it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[Any, ...], float]] = []
        self.go = asyncio.Event()
        self.go.set()

    async def ask(self, function: str, *arguments: Any, seconds: float = 60.0) -> Any:
        self.asked.append((function, arguments, seconds))
        await self.go.wait()
        return {**vars(referee), **vars(looking)}[function](*arguments)

    ask_once = ask


class Room:
    """Tables with their records, and what was told of them."""

    def __init__(self, folder: Path) -> None:
        self.writer, self.quick, self.slow = Writer(Records(folder / "games.sqlite")), Here(), Here()
        self.changes: list[str] = []
        self.tables = self.open()

    def open(self) -> Tables:
        """A server on these records."""
        return Tables(self.writer, self.quick, self.slow, lambda table: self.changes.append(table.id))  # type: ignore[arg-type]

    async def new(self, game: str, *seats: SeatWish, **more: Any) -> tuple[Table, dict[int, str]]:
        return await self.tables.create(Wish(game, seats, seed=1, **more))


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Callable[[Room], Coroutine[Any, Any, None]]], None]:
    """Runs a test in a room of its own."""

    def start(test: Callable[[Room], Coroutine[Any, Any, None]]) -> None:
        async def all_of_it() -> None:
            room = Room(tmp_path)
            try:
                await test(room)
            finally:
                await room.tables.close()
                room.writer.close()
                room.writer.records.close()

        asyncio.run(all_of_it())

    return start


async def until(condition: Callable[[], Any]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def test_a_choice_is_kept_where_others_have_still_to_choose(run: Any) -> None:
    async def test(room: Room) -> None:
        table, keys = await room.new("rockpaperscissors", PERSON, PERSON)
        await room.tables.move(table.id, 0, 0, "show rock", keys.values())
        again = room.open()
        assert (await again.get(table.id)).due() == (1,)
        played = await again.move(table.id, 1, 0, "show paper", keys.values())
        assert played.texts == (("( show rock )", "( show paper )"),)
        assert (await room.open().get(table.id)).due() == (0, 1), "a choice that was played is no choice any more"

    run(test)


def test_where_all_move_at_once_a_quick_player_waits_in_peace(run: Any) -> None:
    async def test(room: Room) -> None:
        table, _ = await room.new("rockpaperscissors", PERSON, RANDOM)
        asked, version = len(room.quick.asked), table.version
        await asyncio.sleep(0.1)
        assert (len(room.quick.asked), table.version) == (asked, version)

    run(test)


def test_a_person_may_choose_while_a_player_thinks(run: Any) -> None:
    async def test(room: Room) -> None:
        room.slow.go.clear()
        table, keys = await room.new("rockpaperscissors", PERSON, SLOW)
        await until(lambda: table.thinking)
        await room.tables.move(table.id, 0, 0, "show rock", keys.values())
        for _ in range(3):
            await room.tables.resume(table.id)
        room.slow.go.set()
        await until(lambda: table.steps)
        plies = [course.plies for _, (_, course, *_), _ in room.slow.asked]
        assert plies.count(0) == 1, "nobody makes it think again"

    run(test)


def test_taking_back_a_step_is_not_stopped_by_a_players_next_choice(run: Any) -> None:
    async def test(room: Room) -> None:
        table, keys = await room.new("rockpaperscissors", PERSON, SLOW)
        await room.tables.move(table.id, 0, 0, "show rock", keys.values())
        await until(lambda: table.steps and table.chosen)
        await room.tables.undo(table.id, 0, keys.values())
        assert table.steps == []

    run(test)


def test_taking_back_needs_everybodys_consent(run: Any) -> None:
    async def test(room: Room) -> None:
        table, keys = await room.new("ludo(seats=3)", PERSON, PERSON, PERSON)
        while len(table.steps) < 60:
            seat = table.due()[0]
            await room.tables.move(table.id, seat, len(table.steps), table.now.moves[0], [keys[seat]])
        before = len(table.steps)
        for seat, key in ((0, keys[0]), (0, keys[0]), (1, keys[1])):
            await room.tables.undo(table.id, seat, [key])
            assert (len(table.steps), table.asked) == (before, {"what": "undo", "seat": 0})
        await room.tables.undo(table.id, 2, [keys[2]])
        assert len(table.steps) < before
        assert table.asked is None

    run(test)


def test_a_player_has_the_time_that_it_was_given(run: Any) -> None:
    async def test(room: Room) -> None:
        room.slow.go.clear()
        await room.new("tictactoe", SeatWish("player", player="mcts(seconds=300)"), PERSON)
        await until(lambda: room.slow.asked)
        assert [seconds for _, _, seconds in room.slow.asked] == [GRACE + 300]
        with pytest.raises(LudusError, match="at most 600 seconds"):
            await room.new("tictactoe", SeatWish("player", player="mcts(seconds=601)"), PERSON)

    run(test)


def test_tables_where_something_goes_on_stay_in_memory(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(tables, "IDLE", -1.0)

    async def test(room: Room) -> None:
        room.slow.go.clear()
        paced, _ = await room.new("tictactoe", RANDOM, RANDOM, pace=60.0)
        timed, _ = await room.new("tictactoe", PERSON, PERSON, clock={"seconds": 60, "increment": 0})
        quiet, _ = await room.new("tictactoe", PERSON, PERSON)
        await room.new("tictactoe", PERSON, PERSON)
        assert await room.tables.get(paced.id) is paced
        assert await room.tables.get(timed.id) is timed
        assert await room.tables.get(quiet.id) is not quiet

    run(test)


def test_a_clock_counts_what_people_take_and_not_what_the_server_takes(run: Any) -> None:
    async def test(room: Room) -> None:
        table, keys = await room.new("tictactoe", PERSON, PERSON, clock={"seconds": 60, "increment": 0})
        room.quick.go.clear()
        asked = len(room.quick.asked)
        moving = asyncio.ensure_future(room.tables.move(table.id, 0, 0, "mark 1 1", keys.values()))
        await until(lambda: len(room.quick.asked) > asked)
        taken = table.spent()
        await asyncio.sleep(0.3)
        room.quick.go.set()
        assert (await moving).steps[0].spent <= taken

    run(test)


def test_a_clock_begins_when_the_game_is_there(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    there: list[float] = []

    def go_on(*arguments: Any) -> Any:
        time.sleep(0.1)
        there.append(time.monotonic())
        return began(*arguments)

    began = referee.go_on
    monkeypatch.setattr(referee, "go_on", go_on)

    async def test(room: Room) -> None:
        table, _ = await room.new("tictactoe", PERSON, PERSON, clock={"seconds": 60, "increment": 0})
        assert table.since >= there[-1]
        again = await room.open().get(table.id)
        assert again.since >= there[-1]

    run(test)


def test_what_cant_be_written_is_read_anew_and_the_old_table_does_nothing_more(run: Any) -> None:
    async def test(room: Room) -> None:
        table, keys = await room.new("tictactoe", PERSON, PERSON, clock={"seconds": 60, "increment": 0})
        other = room.open()
        await other.move(table.id, 0, 0, "mark 2 2", keys.values())
        with pytest.raises(LudusError, match="has 1 step"):
            await room.tables.move(table.id, 0, 0, "mark 1 1", keys.values())
        assert table.flag is not None
        assert table.flag.cancelled(), "its clock would end a game that has gone on"
        assert (await room.tables.get(table.id)).texts == (("( mark 2 2 )",),)

    run(test)


def test_a_game_among_players_that_does_not_end_is_stopped(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MOST_STEPS", 4)

    async def test(room: Room) -> None:
        table, _ = await room.new("tictactoe", RANDOM, RANDOM, pace=0.0)
        await until(lambda: table.trouble)
        assert (len(table.steps), table.trouble) == (4, "A game among players has at most 4 steps.")
        assert table.rests

    run(test)


def test_a_player_that_fails_keeps_nobody_from_looking(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(room: Room) -> None:
        table, _ = await room.new("tictactoe", PERSON, RANDOM)

        def fail(*arguments: Any) -> None:
            raise LudusError("its file is gone")

        with monkeypatch.context() as broken:
            broken.setattr(referee, "go_on", fail)
            again = room.open()
            found = await again.get(table.id)
            assert found.to_json()["trouble"] == "The game can't go on: its file is gone"
        assert (await again.resume(table.id)).trouble is None

    run(test)
