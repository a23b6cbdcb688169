"""Databases for tests: files of SQLite, and a real PostgreSQL server that starts when a test first asks for it."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

KINDS = ("sqlite", "postgresql")
_numbers = itertools.count()


@functools.cache
def _server() -> Any:
    """A server for this process alone, reached by a socket in its own folder."""
    pgserver = pytest.importorskip(
        "pgserver", reason="tests on PostgreSQL need pgserver, which there is up to Python 3.12"
    )
    folder = tempfile.mkdtemp(prefix="ludus")  # short: the name of a socket has at most 107 characters
    server = pgserver.get_server(folder, cleanup_mode="delete")
    atexit.register(server.cleanup)
    return server


def new_place(kind: str, folder: Path) -> str:
    """The path or the URL of an empty database."""
    if kind == "sqlite":
        return str(folder / "games.sqlite")
    uri = _server().get_uri().replace("postgresql://", "postgresql+psycopg://")
    engine = create_engine(uri, isolation_level="AUTOCOMMIT")
    name = f"t{os.getpid()}_{next(_numbers)}"
    with engine.connect() as connection:
        connection.exec_driver_sql(f"create database {name}")
    engine.dispose()
    return _server().get_uri(name)
