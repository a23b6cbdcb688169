"""Opening a database, SQLite or PostgreSQL, and writing into it: all of a transaction or nothing."""

from __future__ import annotations

import contextlib
import importlib.util
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError, StatementError
from sqlalchemy.pool import StaticPool

from ludus.errors import LudusError, NotInstalledError, brief
from ludus.files import check_name
from ludus.records.upgrading import LATEST, migrate, version_of
from ludus.system import data_folder

MEMORY = ":memory:"
WAIT = 30  # seconds for another process to finish its transaction
POSTGRESQL = "postgresql+psycopg"
UPGRADING = 0x6C75647573  # what processes lock that upgrade a database of PostgreSQL: any number will do


def default_path() -> Path:
    """Where games are kept if nobody says otherwise: in $LUDUS_DATA_DIR, or where the system wants the data of programs."""
    return data_folder() / "games.sqlite"


class Database:
    """A database that is up to date: made if there is none, upgraded if it is older.

    >>> with Database(":memory:").reading() as connection:
    ...     connection.exec_driver_sql("select count(*) from games").scalar()
    0
    """

    def __init__(self, place: Path | str | None = None) -> None:
        self.url = _url_of(default_path() if place is None else place)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._in_memory = self.is_sqlite and self.url.database == MEMORY
        # What people read: a path, or a URL without its password.
        self.name = str(self.url.database) if self.is_sqlite else self.url.render_as_string(hide_password=True)
        # SQLite has one writer at a time; threads that wait here are served sooner than those that ask the file again and again.
        self._turn = threading.RLock()
        self._here = threading.local()
        with self._explained():
            self._engine = self._open()
            try:
                self._upgrade()
            except BaseException:
                self.close()
                raise

    def _open(self) -> Engine:
        if not self.is_sqlite:
            return create_engine(self.url, pool_pre_ping=True, pool_size=8, max_overflow=32)
        if not self._in_memory:
            try:
                Path(self.name).parent.mkdir(parents=True, exist_ok=True)
            except OSError as problem:
                raise LudusError(f"can't use the database {self.name}: {problem.strerror}") from problem
        pool: dict[str, Any] = {"poolclass": StaticPool} if self._in_memory else {"pool_size": 8, "max_overflow": 32}
        engine = create_engine(self.url, connect_args={"timeout": WAIT, "check_same_thread": False}, **pool)
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
        return engine

    def _upgrade(self) -> None:
        """Bring the database up to date, all of it or nothing; LudusError, and nothing touched, if it is newer or not ours."""
        with self.reading() as connection:
            found = version_of(connection, self.name)
        self._write_ahead()
        if found == LATEST:
            return
        with self.transaction() as connection:
            if not self.is_sqlite:
                connection.exec_driver_sql(f"select pg_advisory_xact_lock({UPGRADING})")
            found = version_of(connection, self.name)  # another process may have been faster
            if found < LATEST:
                migrate(connection, found, LATEST)

    def _write_ahead(self) -> None:
        """Let SQLite write into a log first, so that nobody who reads waits for those who write. The file remembers it."""
        if self.is_sqlite and not self._in_memory:
            # If another process is busy with the file it stays as it is, which is as safe, until it is opened again.
            with contextlib.suppress(OperationalError), self._engine.connect() as connection:
                connection.execution_options(begin=None).exec_driver_sql("pragma journal_mode = wal")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """What is written inside is on disk when this ends; if it fails, nothing is.

        All writes of this thread inside belong to it. One inside another can fail alone: whoever catches its error goes on with the rest.
        """
        outer: Connection | None = getattr(self._here, "connection", None)
        if outer is not None:
            with self._explained(), outer.begin_nested():
                yield outer
            return
        with (
            self._turn if self.is_sqlite else contextlib.nullcontext(),
            self._explained(),
            self._engine.connect() as new,
        ):
            connection = new.execution_options(begin="begin immediate")
            with connection.begin():
                self._here.connection = connection
                try:
                    yield connection
                finally:
                    self._here.connection = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees the database as it is at one moment."""
        outer: Connection | None = getattr(self._here, "connection", None)
        if outer is not None:
            with self._explained():
                yield outer
            return
        with (
            self._turn if self._in_memory else contextlib.nullcontext(),
            self._explained(),
            self._engine.connect() as new,
        ):
            level: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
            connection = new.execution_options(begin="begin", **level)
            with connection.begin():
                yield connection

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except StatementError as problem:
            if isinstance(problem.orig, LudusError):  # a value that can't be kept
                raise problem.orig from None
            raise LudusError(f"can't use the database {self.name}: {_line(problem.orig)}") from problem
        except (
            SQLAlchemyError,
            UnicodeDecodeError,
        ) as problem:  # SQLite quotes what is damaged, and that may be no text
            raise LudusError(f"can't use the database {self.name}: {_line(problem)}") from problem

    @contextlib.contextmanager
    def sound(self, what: str) -> Iterator[None]:
        """A database may be damaged, or written by another program: then this is said of what can't be read, and no more."""
        try:
            yield
        except LudusError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
            reason = f"{type(problem).__name__}: {_line(problem)}"
            raise LudusError(
                f"the database {self.name} is damaged: {brief(what, 90)} can't be read ({brief(reason, 100)})"
            ) from problem


def upsert(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, or replace those whose key is there already."""
    if not rows:
        return
    statement: Any = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)
    keys = [column.name for column in table.primary_key]
    others = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), list(rows))


def _line(problem: object) -> str:
    return brief(" ".join(str(problem).split()), 300)


def _prepare(connection: Any, _record: Any) -> None:
    """A new connection to SQLite: transactions begin when we say so, and end on the disk."""
    connection.isolation_level = None
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma synchronous = full")


def _begin(connection: Connection) -> None:
    how = connection.get_execution_options().get("begin")
    if how is not None:
        connection.exec_driver_sql(how)


def _url_of(place: Path | str) -> URL:
    """The URL of a path or a URL.

    >>> str(_url_of("postgresql://localhost/ludus"))
    'postgresql+psycopg://localhost/ludus'
    """
    if isinstance(place, Path) or "://" not in place:
        name = MEMORY if str(place) == MEMORY else str(check_name(place).absolute())
        return URL.create("sqlite", database=name)
    try:
        url = make_url(place)
    except (ArgumentError, ValueError) as problem:  # not quoted, for there may be a password in it
        raise LudusError("this is no URL of a database; one is postgresql://user:password@host/name") from problem
    if url.drivername in ("postgresql", "postgres", POSTGRESQL):
        if importlib.util.find_spec("psycopg") is None:
            raise NotInstalledError("PostgreSQL needs the package psycopg: pip install 'ludus[postgresql]'")
        return url.set(drivername=POSTGRESQL)
    if url.drivername == "sqlite" and not url.query:
        return _url_of(Path(url.database) if url.database and url.database != MEMORY else MEMORY)
    raise LudusError(
        f"a database is the path of an SQLite file or a URL postgresql://user:password@host/name, not {brief(url.drivername)}://"
    )
