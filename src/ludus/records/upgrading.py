"""Versions of the database: which one a file has, and the way up to that of today.

The first version had the matches of the GGP manager alone; it is known by its tables. Each later one is known by a table of alembic's.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect

from ludus.errors import LudusError, brief
from ludus.records.scheme import VERSION_TABLE

MIGRATIONS = Path(__file__).parent / "migrations"
LATEST = max(int(path.stem.removeprefix("version_")) for path in (MIGRATIONS / "versions").glob("version_*.py"))
FIRST_TABLES = {"match", "seat", "step"}


def version_of(connection: Connection, name: str) -> int:
    """The version of a database; 0 if it is empty."""
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE in tables:
        rows = [row[0] for row in connection.exec_driver_sql(f"select version_num from {VERSION_TABLE}")]
        if len(rows) != 1 or not str(rows[0]).isdecimal():
            raise LudusError(f"the database {name} is damaged: it does not say which version it has")
        if int(rows[0]) > LATEST:
            raise LudusError(
                f"the database {name} was made by a newer ludus: it has version {brief(rows[0])}, and this ludus reads up to {LATEST}"
            )
        return int(rows[0])
    marked = connection.exec_driver_sql("pragma user_version").scalar() if connection.dialect.name == "sqlite" else 0
    if not tables and marked == 0:
        return 0
    if tables == FIRST_TABLES and marked == 1:
        return 1
    raise LudusError(
        f"{name} is a database, but not one of ludus's{f' (it has version {marked})' if marked else ''}; name another, or a new one"
    )


def migrate(connection: Connection, begin: int, end: int) -> None:
    """Go from one version up to another, in the transaction of this connection."""
    from alembic import command  # most databases are up to date, and can do without
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    if begin == 1:
        command.stamp(config, "1")  # the first version had no table to say so
    command.upgrade(config, str(end))
