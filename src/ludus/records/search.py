"""Looking through games and GGP matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, exists, func, or_, select, true

from ludus.errors import LudusError, brief, choice
from ludus.records.rows import JsonObject, Listed, NotKeptError, checked
from ludus.records.scheme import games, ggp_matches, ggp_seats, ggp_steps, seats

MOST = 1000
STATES = {"open": False, "over": True}


class Filters(NamedTuple):
    """Which games are looked for; what is None does not matter."""

    game: str | None = None  # "ludo" finds "ludo(seats=2)" too
    player: str | None = None  # the name of somebody who sat there
    state: str | None = None  # "open" or "over"
    text: str | None = None  # a part of a title or a name, whatever its case


def find(connection: Connection, filters: Filters, limit: int, before: str | None) -> list[Listed]:
    """The games that began last, of those that the filters let through."""
    if not 1 <= limit <= MOST:
        raise LudusError(f"a list has 1 to {MOST} games, not {brief(limit)}")
    since = None if before is None else _beginning(connection, before)
    found: list[Listed] = []
    for source in _SOURCES:
        started, id = source.table.c.started, _id(connection, source.table)
        query = select(source.table).where(*_conditions(source, filters)).order_by(started.desc(), id.desc())
        if since is not None:
            query = query.where(or_(started < since[0], and_(started == since[0], id < since[1])))
        found += map(checked, source.listed(connection, connection.execute(query.limit(limit)).all()))
    return sorted(found, key=lambda row: (row.started, row.id), reverse=True)[:limit]


def _id(connection: Connection, table: Table) -> ColumnElement[str]:
    """The column by which games of the same moment are ordered: as Python orders texts, whatever language the server speaks."""
    return table.c.id if connection.dialect.name == "sqlite" else table.c.id.collate("C")


def _beginning(connection: Connection, id: str) -> tuple[int, str]:
    for source in _SOURCES:
        started = connection.execute(select(source.table.c.started).where(source.table.c.id == id)).scalar()
        if started is not None:
            return started, id
    raise NotKeptError(f"there is no game '{brief(id)}' in the records")


# --- the two kinds of games ------------------------------------------------------------------------------------------


class _Source(NamedTuple):
    table: Table
    is_over: ColumnElement[bool]
    has: Callable[[str], ColumnElement[bool]]  # whether somebody sat there
    listed: Callable[[Connection, Sequence[Row[Any]]], list[Listed]]


def _conditions(source: _Source, filters: Filters) -> list[ColumnElement[bool]]:
    columns = source.table.c
    conditions: list[ColumnElement[bool]] = [true()]
    if filters.game is not None:
        variants = columns.game.startswith(f"{filters.game}(", autoescape=True)
        # SQLite's LIKE takes capital letters for small ones.
        is_variant = and_(variants, func.substr(columns.game, 1, len(filters.game)) == filters.game)
        conditions.append(or_(columns.game == filters.game, is_variant))
    if filters.player is not None:
        conditions.append(source.has(filters.player))
    if filters.state is not None:
        conditions.append(source.is_over if choice("state", filters.state, STATES) else ~source.is_over)
    if filters.text is not None:
        conditions.append(columns.words.contains(filters.text.casefold(), autoescape=True))
    return conditions


def _has_seat(name: str) -> ColumnElement[bool]:
    return exists().where(seats.c.game == games.c.id, or_(seats.c.who == name, seats.c.player == name))


def _has_player(name: str) -> ColumnElement[bool]:
    return exists().where(ggp_seats.c.match == ggp_matches.c.id, ggp_seats.c.player == name)


def _listed_games(connection: Connection, rows: Sequence[Row[Any]]) -> list[Listed]:
    query = select(seats.c.game, seats.c.who).where(seats.c.game.in_([row.id for row in rows])).order_by(seats.c.number)
    sitting = defaultdict(list)
    for game, who in connection.execute(query):
        sitting[game].append(("", who))
    return [
        Listed(
            row.id, "table", row.game, row.title, tuple(sitting[row.id]), row.started, row.plies, row.over, row.result
        )
        for row in rows
    ]


def _listed_matches(connection: Connection, rows: Sequence[Row[Any]]) -> list[Listed]:
    names = [row.id for row in rows]
    query = select(ggp_seats).where(ggp_seats.c.match.in_(names)).order_by(ggp_seats.c.number)
    sitting = defaultdict(list)
    for seat in connection.execute(query):
        sitting[seat.match].append(seat)
    made = select(ggp_steps.c.match, func.count(ggp_steps.c.moves)).where(ggp_steps.c.match.in_(names))
    counts = {row[0]: row[1] for row in connection.execute(made.group_by(ggp_steps.c.match))}
    found = []
    for row in rows:
        players = tuple((seat.role, seat.player) for seat in sitting[row.id])
        over = bool(row.completed or row.aborted)
        result: JsonObject | None = None
        if row.completed:
            goals = [seat.goal for seat in sitting[row.id]]
            result = {"scores": goals, "text": " : ".join(str(goal) for goal in goals), "reason": "played"}
        elif row.aborted:
            result = {"scores": None, "text": "aborted", "reason": "aborted"}
        found.append(
            Listed(row.id, "match", row.game, row.game, players, row.started, counts.get(row.id, 0), over, result)
        )
    return found


_SOURCES = (
    _Source(games, games.c.over.is_(True), _has_seat, _listed_games),
    _Source(ggp_matches, or_(ggp_matches.c.completed != 0, ggp_matches.c.aborted != 0), _has_player, _listed_matches),
)
