"""Databases of other versions, of other programs, and damaged ones."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from databases import KINDS, new_place
from ludus.errors import LudusError, NotInstalledError
from ludus.ggp.store import Store
from ludus.records import Database, GameRow, Records, SeatRow, StepRow
from ludus.records.scheme import VERSION_TABLE, metadata
from ludus.records.upgrading import LATEST, migrate, version_of

DATA = Path(__file__).parent / "data"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The file of a GGP manager, written when there were no other records: a match that ended, and one that was aborted."""
    return Path(shutil.copy(DATA / "ggp1.sqlite", tmp_path))


# --- older -----------------------------------------------------------------------------------------------------------


def test_a_file_of_the_first_version_is_read(old: Path) -> None:
    expected = json.loads((DATA / "ggp1.json").read_text())
    for _ in range(2):  # it is upgraded once
        store = Store(old)
        assert store.results() == expected["results"]
        assert [store.match(row["matchId"]) for row in expected["results"]] == expected["matches"]
        store.close()
    records = Records(old)
    assert [row.title for row in records.search(text="ÄRGER")] == ["Ärger"]
    records.create(GameRow("g", "ludo", "Ludo"), [SeatRow("person", "You")])
    records.close()
    with sqlite3.connect(old) as connection:
        # Where a ludus of that time looks, to refuse what it can't read.
        assert connection.execute("pragma user_version").fetchone() == (2,)
    connection.close()


def test_an_upgrade_that_fails_changes_nothing(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("alter table seat drop column player")
        before = list(connection.iterdump())
    with pytest.raises(LudusError, match=r"can't use the database .*ggp1.sqlite: no such column: ggp_seats.player"):
        Records(old)
    assert list(connection.iterdump()) == before
    connection.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", range(LATEST + 1))
def test_every_version_leads_to_the_tables_of_today(kind: str, version: int, tmp_path: Path) -> None:
    place = new_place(kind, tmp_path)
    engine = create_engine(f"sqlite:///{place}" if kind == "sqlite" else place.replace("://", "+psycopg://"))
    with engine.begin() as connection:
        if version:
            migrate(connection, 0, version)
        if version == 1:
            connection.exec_driver_sql("insert into match values ('m', 'Ärger', 1000, 0, 0, null, '{}')")
            connection.exec_driver_sql("insert into seat values ('m', 0, 'x', 'Zoë', null)")
    engine.dispose()
    records = Records(place)
    with records.reading() as connection:
        assert version_of(connection, place) == LATEST
        options = {"version_table": VERSION_TABLE}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
    assert [row.id for row in records.search(text="zoË")] == ["m"] * (version == 1)
    records.close()


# --- newer, and not ours -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_newer_and_foreign_databases_are_refused(kind: str, tmp_path: Path) -> None:
    place = new_place(kind, tmp_path)
    database = Database(place)
    for setting, complaint in (
        (str(LATEST + 1), f"made by a newer ludus: it has version {LATEST + 1}, and this ludus reads up to {LATEST}"),
        ("e5f6", "is damaged: it does not say which version"),
    ):
        with database.transaction() as connection:
            connection.exec_driver_sql(f"update {VERSION_TABLE} set version_num = '{setting}'")
        with pytest.raises(LudusError, match=complaint):
            Records(place)
    with database.transaction() as connection:
        connection.exec_driver_sql(f"drop table {VERSION_TABLE}")
    with pytest.raises(LudusError, match="is a database, but not one of ludus"):
        Records(place)
    database.close()


def test_files_of_others_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database" * 1000)
    for name, command in (
        ("other", "create table t (x)"),
        ("marked", "pragma user_version = 99"),
        ("match", "create table match (x)"),
    ):
        connection = sqlite3.connect(tmp_path / name)
        connection.execute(command)
        connection.close()
    for name, complaint in (
        ("text", "can't use the database .*text: file is not a database"),
        ("other", "other is a database, but not one of ludus's; name another"),
        ("marked", "version 99"),
        ("match", "not one of ludus's"),
    ):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(LudusError, match=complaint):
            Records(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    (tmp_path / "empty").touch()
    Records(tmp_path / "empty").close()
    Records(tmp_path / "new" / "folder" / "games.sqlite").close()


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("/dev/null/games.sqlite", "can't use the database /dev/null/games.sqlite: "),
        ("a\0b", "can't be the name of a file"),
        ("mysql://root@localhost/x", "not mysql://"),
        (
            "postgresql://user:secret@127.0.0.1:1/x",
            r"can't use the database postgresql\+psycopg://user:\*\*\*@127.0.0.1:1/x: ",
        ),
        ("postgresql://host:port/x", "no URL of a database; one is postgresql://user:password@host/name"),
    ],
)
def test_places_where_no_database_is(place: str, complaint: str) -> None:
    with pytest.raises(LudusError, match=complaint) as caught:
        Records(place)
    assert "secret" not in str(caught.value)


def test_postgresql_needs_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotInstalledError, match=r"pip install 'ludus\[postgresql\]'"):
        Records("postgresql://localhost/ludus")


# --- damaged ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        "delete from steps where number = 1",
        "update steps set moves = '['",
        "update steps set moves = '[7]'",
        "update steps set moves = '7'",
        "update steps set seat = 9",
        "update games set plies = 'many'",
        "update games set title = x'07'",
        "update games set result = '{'",
        "update games set clock = x'ff'",
        "delete from seats",
    ],
)
def test_a_game_that_does_not_fit_together_is_not_loaded(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    records = Records(path)
    records.create(GameRow("g", "ludo", "Ludo"), [SeatRow("person", "You")])
    records.append("g", 0, [StepRow(0, "decision", (str(number),), 1) for number in range(3)])
    with sqlite3.connect(path) as connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(LudusError, match=r"the database .*games.sqlite is damaged: game 'g' can't be read"):
        records.load("g")
    records.close()


def test_bytes_that_are_lost(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    Records(path).close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    damaged = path.read_bytes()
    with pytest.raises(LudusError, match=r"can't use the database .*games.sqlite: "):
        Records(path)
    assert path.read_bytes() == damaged
