"""The records: every game that is played, in a database.

SQLite by default, PostgreSQL by URL. `scheme` has the tables, `database` opens one and groups what is written, `upgrading` brings older
ones up to date by the steps in `migrations`, `games` keeps games so that each can go on where it was, `search` and `standing` look through them.
Nothing here knows rules: moves and positions are texts.
"""

from __future__ import annotations

from ludus.records.database import Database, default_path
from ludus.records.games import Records
from ludus.records.rows import GameRow, Kept, Listed, NotKeptError, SeatRow, Sheet, Standing, StepRow, now

__all__ = [
    "Database",
    "GameRow",
    "Kept",
    "Listed",
    "NotKeptError",
    "Records",
    "SeatRow",
    "Sheet",
    "Standing",
    "StepRow",
    "default_path",
    "now",
]
