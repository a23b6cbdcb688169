"""Games in a database: what is kept comes back, once and whole, from SQLite and from PostgreSQL."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import KINDS, new_place
from ludus.errors import LudusError
from ludus.records import GameRow, NotKeptError, Records, SeatRow, StepRow, default_path

YOU, TD = SeatRow("person", "You", key_hash="5e884898"), SeatRow("player", "td", "td(plies=1)", "strong", 2.0)
ROLL, MOVE = StepRow(None, "chance", ("31",), 1000), StepRow(0, "decision", ("8/5 6/5",), 2000, 900)
WON = {"scores": [1, 0], "text": "X wins.", "reason": "played"}


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: its path or its URL."""
    return new_place(request.param, tmp_path)


@pytest.fixture
def records(place: str) -> Iterator[Records]:
    """Records in it, with a game of which nothing was played yet."""
    opened = Records(place)
    opened.create(GameRow("g", "backgammon", "Backgammon"), [YOU, TD])
    yield opened
    opened.close()


# --- one game --------------------------------------------------------------------------------------------------------


def test_a_game_comes_back_as_it_was(records: Records, place: str) -> None:
    digest = records.save_sheet("(role x)", "Mine")
    row = GameRow("h", f"sheet:{digest}", "Ärger ☺", digest, 7, "( cell 1 1 )", {"seconds": 300}, {"auto": True}, 5000)
    together = StepRow(None, "joint", ("noop", "( mark 1 1 )"), 3000)
    records.create(row, [YOU, TD])
    records.append("h", 0, [ROLL, MOVE])
    records.append("h", 2, [together])
    records.close()
    other = Records(place)
    game, seats, steps = other.load("h")
    assert game == row._replace(changed=game.changed, plies=3, version=2)
    assert (seats, steps) == ((YOU, TD), (ROLL, MOVE, together))
    assert other.load("g").game.started == other.load("g").game.changed > row.started
    other.close()


def test_a_step_is_kept_once(records: Records) -> None:
    records.append("g", 0, [ROLL, MOVE])
    before = records.load("g")
    for number in (0, 1, 3):
        with pytest.raises(LudusError, match=f"has 2 steps: the next one has number 2, not {number}"):
            records.append("g", number, [MOVE, MOVE])
    assert records.load("g") == before


def test_steps_are_taken_back_with_what_was_thought_of_them(records: Records) -> None:
    records.append("g", 0, [ROLL, MOVE, ROLL])
    records.save_analysis("g", "td", {0: [0.5, 0.5], 2: [0.6, 0.4], 3: None})
    records.finish("g", WON)
    records.cut("g", 2)
    game, _, steps = records.load("g")
    assert steps == (ROLL, MOVE)
    assert (game.over, game.result) == (False, None)
    assert records.analysis("g") == {"td": {0: [0.5, 0.5], 2: [0.6, 0.4]}}
    records.append("g", 2, [MOVE])
    for number in (-1, 4):
        with pytest.raises(LudusError, match="has 3 steps: none can be taken back"):
            records.cut("g", number)


def test_a_game_ends_once(records: Records) -> None:
    records.append("g", 0, [ROLL])
    records.finish("g", WON)
    records.finish("g", WON)
    game = records.load("g").game
    assert (game.over, game.result, game.version) == (True, WON, 2)
    with pytest.raises(LudusError, match="is over already"):
        records.finish("g", {**WON, "scores": [0, 1]})
    with pytest.raises(LudusError, match="is over"):
        records.append("g", 1, [MOVE])


def test_what_is_written_about_a_game_can_be_changed(records: Records) -> None:
    records.update("g", title="Final", options={"auto": False})
    records.reseat("g", 1, YOU._replace(who="Zoë"))
    game, seats, _ = records.load("g")
    assert (game.title, game.options, game.version, seats[1].who) == ("Final", {"auto": False}, 2, "Zoë")
    assert [row.id for row in records.search(text="ZOË")] == [row.id for row in records.search(text="final")] == ["g"]
    assert records.search(text="td") == []
    with pytest.raises(LudusError, match="'plies' of a game can't be changed"):
        records.update("g", plies=7)
    with pytest.raises(LudusError, match="has no seat 2"):
        records.reseat("g", 2, TD)


def test_what_is_not_there(records: Records) -> None:
    for use in (
        lambda: records.load("x"),
        lambda: records.append("x", 0, [ROLL]),
        lambda: records.cut("x", 0),
        lambda: records.finish("x", WON),
        lambda: records.update("x", title="X"),
        lambda: records.reseat("x", 0, YOU),
        lambda: records.save_analysis("x", "td", {0: 1}),
        lambda: records.search(before="x"),
    ):
        with pytest.raises(NotKeptError, match="no game 'x'"):
            use()
    for use in (
        lambda: records.sheet("x"),
        lambda: records.create(GameRow("y", "sheet:x", "Y", "x"), [YOU]),
    ):
        with pytest.raises(NotKeptError, match="no rulesheet 'x'"):
            use()
    with pytest.raises(LudusError, match="a game 'g' already"):
        records.create(GameRow("g", "ludo", "Ludo"), [YOU])
    assert records.open_games() == ["g"]


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (GameRow("h", "ludo", "a\0b"), "NUL"),
        (GameRow("h", "ludo", "\ud800"), "no Unicode"),
        (GameRow("h", "ludo", "Ludo", seed=2**63), "too large"),
        (GameRow("h", "ludo", "Ludo", clock={"seconds": float("nan")}), "can't be kept as JSON"),
    ],
)
def test_what_no_database_can_keep(game: GameRow, complaint: str, records: Records) -> None:
    with pytest.raises(LudusError, match=complaint):
        records.create(game, [YOU])
    assert records.open_games() == ["g"]


def test_sheets_and_analysis(records: Records) -> None:
    digest = records.save_sheet("(role x)", "Mine")
    assert records.save_sheet("(role x)", "Yours") == digest
    assert records.sheet(digest) == (digest, "Mine", "(role x)")
    records.save_analysis("g", "td", {0: [0.5, 0.5]})
    records.save_analysis("g", "td", {0: [0.25, 0.75], 1: None})
    records.save_analysis("g", "mcts", {0: {"best": "8/5 6/5"}})
    assert records.analysis("g", "td") == {"td": {0: [0.25, 0.75], 1: None}}
    assert list(records.analysis("g")) == ["mcts", "td"]


# --- many at once ----------------------------------------------------------------------------------------------------


def test_a_transaction_counts_as_a_whole(records: Records, place: str) -> None:
    other = Records(place)
    with records.transaction():
        records.create(GameRow("h", "ludo", "Ludo"), [YOU])
        records.append("h", 0, [ROLL])
        assert records.load("h").game.plies == 1
        assert other.open_games() == ["g"]
    assert set(other.open_games()) == {"g", "h"}

    def interrupted() -> None:
        with records.transaction():
            records.append("h", 1, [MOVE])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert other.load("h").game.plies == 1
    other.close()


def test_one_write_of_a_transaction_can_fail_alone(records: Records) -> None:
    with records.transaction():
        records.append("g", 0, [ROLL])
        with pytest.raises(LudusError, match="has 1 step:"):
            records.append("g", 0, [ROLL])
        with pytest.raises(LudusError, match="NUL"):
            records.append("g", 1, [MOVE, MOVE._replace(kind="\0")])
        records.append("g", 1, [MOVE])
    assert records.load("g").steps == (ROLL, MOVE)


def test_threads_write_side_by_side(records: Records, place: str) -> None:
    other = Records(place)  # as another process would

    def play(mine: Records, name: str) -> None:
        mine.create(GameRow(name, "ludo", "Ludo"), [YOU])
        for number in range(20):
            mine.append(name, number, [ROLL])
            mine.load(name)

    threads = [threading.Thread(target=play, args=((records, other)[i % 2], str(i))) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [records.load(str(i)).game.plies for i in range(6)] == [20] * 6
    other.close()


def test_of_two_who_add_the_same_step_one_is_refused(records: Records, place: str) -> None:
    other = Records(place)
    refused = []

    def play(mine: Records) -> None:
        for number in range(30):
            try:
                mine.append("g", number, [ROLL])
            except LudusError:
                refused.append(number)
                while mine.load("g").game.plies <= number:
                    pass

    threads = [threading.Thread(target=play, args=(mine,)) for mine in (records, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(refused) == list(range(30))
    assert records.load("g").game.plies == 30
    other.close()


OPENER = "import sys; from ludus.records import Records; print(Records(sys.argv[1]).open_games())"


def test_processes_that_make_a_database_at_the_same_time(place: str) -> None:
    command = [sys.executable, "-c", OPENER, place]
    racing = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0] for process in racing] == ["[]\n"] * 4


# --- kill -9 ---------------------------------------------------------------------------------------------------------

# Two steps forward, one back, in two games at once; each change is told when it is done.
WRITER = """
import sys
from ludus.records import Records, StepRow
records = Records(sys.argv[1])
while True:
    game = records.load("a").game
    with records.transaction():
        for name in "ab":
            if game.version % 3 == 2:
                records.cut(name, game.plies - 1)
            else:
                records.append(name, game.plies, [StepRow(0, "decision", (f"{name}{game.plies}",), 1)])
    print(game.version + 1, flush=True)
"""


@pytest.mark.parametrize(("kind", "kills"), [("sqlite", 20), ("postgresql", 5)])
def test_what_was_acknowledged_survives_a_kill(kind: str, kills: int, tmp_path: Path) -> None:
    place = new_place(kind, tmp_path)
    records = Records(place)
    for name in "ab":
        records.create(GameRow(name, "ludo", "Ludo"), [YOU])
    for kill in range(kills):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, place], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(1 + kill)]
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.readlines()
        writer.wait()
        told = int(lines[-1])
        for name in "ab":
            game, _, steps = records.load(name)
            assert game.version in (
                told,
                told + 1,
            )  # what was told is there, and perhaps what would have been told next
            assert [step.moves for step in steps] == [(f"{name}{number}",) for number in range(game.plies)]
            assert game.plies == game.version // 3 + game.version % 3
        versions = lambda: [records.load(name).game.version for name in "ab"]  # noqa: E731
        while (seen := versions()) != versions():
            pass  # a server may just have written, between two looks, what it was told last
        assert seen[0] == seen[1]
    records.close()


# --- where -----------------------------------------------------------------------------------------------------------


def test_where_games_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LUDUS_DATA_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    assert default_path() == Path("/home/me/.local/share/ludus/games.sqlite")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path() == Path("/data/ludus/games.sqlite")
    monkeypatch.setenv("LUDUS_DATA_DIR", "/mine")
    assert default_path() == Path("/mine/games.sqlite")
