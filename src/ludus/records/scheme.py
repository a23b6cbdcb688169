"""The tables of the database, and the kinds of values in them.

A game that people or players play is a row of `games`; those who sit there are in `seats`, what was played in `steps`. Matches of the GGP
manager have tables of their own, because they are kept in the GGP match format. What changes here gets a new file in `migrations/versions`.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, MetaData, Table, Text
from sqlalchemy.types import TypeDecorator

from ludus.errors import LudusError, brief

VERSION_TABLE = "ludus_version"
LARGEST = 2**63 - 1


class Line(TypeDecorator[str]):
    """A text that both databases keep as it is: PostgreSQL has no NUL, and neither has halves of characters."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        """The text, if it can be kept."""
        if isinstance(value, str):
            if "\0" in value:
                raise LudusError(f"{brief(repr(value))} has a NUL character, which a database can't keep")
            try:
                value.encode()
            except UnicodeEncodeError as problem:
                raise LudusError(f"{brief(repr(value))} is no Unicode text, and a database can't keep it") from problem
        return value


class Whole(TypeDecorator[int]):
    """A whole number of at most 64 bits."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        """The number, if it can be kept."""
        if value is not None and not -LARGEST - 1 <= value <= LARGEST:
            raise LudusError(f"{brief(value)} is too large for a database: at most {LARGEST} can be kept")
        return value


class Json(TypeDecorator[Any]):
    """Plain data as JSON, in a text, which comes back as it went in; None is NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        """The data as a text."""
        try:
            return None if value is None else json.dumps(value, allow_nan=False)
        except (ValueError, TypeError) as problem:
            raise LudusError(f"{brief(repr(value))} can't be kept as JSON: {brief(problem)}") from problem

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        """The data; ValueError or TypeError if the text is damaged."""
        return None if value is None else json.loads(value)


metadata = MetaData()

sheets = Table(
    "sheets", metadata,
    Column("digest", Line, primary_key=True),  # of the text
    Column("name", Line, nullable=False),
    Column("text", Line, nullable=False),
)  # fmt: skip

games = Table(
    "games", metadata,
    Column("id", Line, primary_key=True),
    Column("game", Line, nullable=False),
    Column("title", Line, nullable=False),
    Column("sheet", Line, ForeignKey("sheets.digest")),
    Column("seed", Whole, nullable=False),
    Column("position", Line),
    Column("clock", Json),
    Column("options", Json),
    Column("started", Whole, nullable=False),  # milliseconds since 1970, like all times
    Column("changed", Whole, nullable=False),
    Column("plies", Whole, nullable=False),  # how many steps there are
    Column("over", Boolean, nullable=False),
    Column("result", Json),
    Column("version", Whole, nullable=False),  # counts the changes
    Column("words", Line, nullable=False),  # what a search looks through, in small letters
    Index("games_started", "started", "id"),
    Index("games_over", "over", "changed"),
)  # fmt: skip

seats = Table(
    "seats", metadata,
    Column("game", Line, ForeignKey("games.id"), primary_key=True),
    Column("number", Whole, primary_key=True, autoincrement=False),
    Column("kind", Line, nullable=False),
    Column("who", Line, nullable=False),
    Column("player", Line),
    Column("level", Line),
    Column("seconds", Float),
    Column("key_hash", Line),
    Index("seats_who", "who"),
)  # fmt: skip

steps = Table(
    "steps", metadata,
    Column("game", Line, ForeignKey("games.id"), primary_key=True),
    Column("number", Whole, primary_key=True, autoincrement=False),
    Column("seat", Whole),
    Column("kind", Line, nullable=False),
    Column("moves", Json, nullable=False),
    Column("time", Whole, nullable=False),
    Column("spent", Whole, nullable=False),
)  # fmt: skip

analysis = Table(
    "analysis", metadata,
    Column("game", Line, ForeignKey("games.id"), primary_key=True),
    Column("ply", Whole, primary_key=True, autoincrement=False),
    Column("player", Line, primary_key=True),
    Column("values", Json),
)  # fmt: skip

ggp_matches = Table(
    "ggp_matches", metadata,
    Column("id", Line, primary_key=True),
    Column("game", Line, nullable=False),
    Column("started", Whole, nullable=False),
    Column("completed", Whole, nullable=False),  # 0 or 1, as in the first files
    Column("aborted", Whole, nullable=False),
    Column("tournament", Line),
    Column("head", Json, nullable=False),
    Column("words", Line, nullable=False, server_default=""),
    Index("ggp_matches_started", "started", "id"),
)  # fmt: skip

ggp_seats = Table(
    "ggp_seats", metadata,
    Column("match", Line, ForeignKey("ggp_matches.id"), primary_key=True),
    Column("number", Whole, primary_key=True, autoincrement=False),
    Column("role", Line, nullable=False),
    Column("player", Line, nullable=False),
    Column("goal", Whole),
)  # fmt: skip

ggp_steps = Table(
    "ggp_steps", metadata,
    Column("match", Line, ForeignKey("ggp_matches.id"), primary_key=True),
    Column("number", Whole, primary_key=True, autoincrement=False),
    Column("time", Whole, nullable=False),
    Column("moves", Json),
    Column("errors", Json, nullable=False),
    Column("state", Line, nullable=False),
)  # fmt: skip
