"""Matches in the records: each step is stored when it is made, so that an interruption loses nothing.

A match comes back as the GGP match format that `record` describes. Several processes may use one database.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from ludus.errors import brief
from ludus.ggp.record import Match, status_of
from ludus.records.database import Database, upsert
from ludus.records.rows import NotKeptError, folded
from ludus.records.scheme import ggp_matches, ggp_seats, ggp_steps

LAST_TIME = 253_402_300_800_000  # milliseconds: the year 10000


class Store:
    """The matches in a database: a path, a URL, or one that is open already.

    >>> Store(":memory:").results()
    []
    """

    def __init__(self, place: Database | Path | str = "ggp.sqlite") -> None:
        self.database = place if isinstance(place, Database) else Database(place)
        self._stored: dict[str, int] = {}  # for each match, how many of its steps

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def save(self, match: Match) -> None:
        """Store what is new about a match."""
        begin = self._stored.get(match.id, 0)
        end = len(match.errors)  # the last thing that a step gets
        steps = [
            {"match": match.id, "number": number, "time": match.state_times[number],
             "moves": match.moves[number - 1] if number else None, "errors": match.errors[number], "state": match.states[number]}
            for number in range(begin, end)
        ]  # fmt: skip
        goals: list[int | None] = list(match.goals) or [None] * len(match.roles)
        seats = [
            {"match": match.id, "number": number, "role": role, "player": player, "goal": goal}
            for number, (role, player, goal) in enumerate(zip(match.roles, match.players, goals, strict=True))
        ]
        head = {
            "id": match.id, "game": match.game_name, "started": match.start_time, "completed": int(match.completed),
            "aborted": int(match.aborted), "tournament": match.tournament, "head": match.head(),
            "words": folded(match.id, match.game_name, *match.players),
        }  # fmt: skip
        with self.database.transaction() as connection:
            upsert(connection, ggp_matches, [head])
            upsert(connection, ggp_seats, seats)
            if steps:
                connection.execute(insert(ggp_steps), steps)
        self._stored[match.id] = end

    def match(self, identifier: str) -> dict[str, Any]:
        """A match in the GGP match format; LudusError if there is none of this name."""
        heads = select(ggp_matches.c.head).where(ggp_matches.c.id == identifier)
        query = select(ggp_steps).where(ggp_steps.c.match == identifier).order_by(ggp_steps.c.number)
        with self.database.reading() as connection, self.database.sound(f"match '{identifier}'"):
            row = connection.execute(heads).one_or_none()
            if row is None:
                raise NotKeptError(f"there is no match '{brief(identifier)}' in {self.database.name}")
            steps = connection.execute(query).all()
            return _sound(row.head | {
                "states": [step.state for step in steps],
                "moves": [step.moves for step in steps if step.moves is not None],
                "stateTimes": [step.time for step in steps],
                "errors": [step.errors for step in steps],
            })  # fmt: skip

    def results(self, limit: int = 100, tournament: str | None = None) -> list[dict[str, Any]]:
        """The last matches, newest first: who played what, and how it ended."""
        columns = [column for column in ggp_matches.c if column.name not in ("head", "words")]
        query = select(*columns).order_by(ggp_matches.c.started.desc(), ggp_matches.c.id.desc()).limit(limit)
        if tournament is not None:
            query = query.where(ggp_matches.c.tournament == tournament)
        chosen = select(query.subquery().c.id)
        with self.database.reading() as connection, self.database.sound("a match"):
            rows = connection.execute(query).all()
            seats, steps = defaultdict(list), defaultdict(list)
            for seat in connection.execute(
                select(ggp_seats).where(ggp_seats.c.match.in_(chosen)).order_by(ggp_seats.c.number)
            ):
                seats[seat.match].append(seat)
            for step in connection.execute(
                select(ggp_steps.c.match, ggp_steps.c.moves, ggp_steps.c.errors).where(ggp_steps.c.match.in_(chosen))
            ):
                steps[step.match].append(step)
        results = []
        for row in rows:
            with self.database.sound(f"match '{row.id}'"):
                results.append(_result(row, seats[row.id], steps[row.id]))
        return results


def _result(row: Any, seats: list[Any], steps: list[Any]) -> dict[str, Any]:
    """A match in short."""
    roles, players, goals = ([getattr(seat, name) for seat in seats] for name in ("role", "player", "goal"))
    wrong = [sum(1 for step in steps if step.errors[i]) for i in range(len(roles))]
    _need("players", len(roles) > 0)
    _need("id, game and times", _is_text(row.id, row.game, *roles, *players) and _is_time(row.started))
    _need("goals", not row.completed or all(_is_whole(goal) for goal in goals))
    return {
        "matchId": row.id, "gameName": row.game, "startTime": row.started,
        "status": status_of(bool(row.completed), bool(row.aborted)),
        "tournament": row.tournament, "steps": sum(1 for step in steps if step.moves is not None), "roles": roles, "players": players,
        "goalValues": goals if row.completed else None, "errors": wrong,
    }  # fmt: skip


# --- what may stand in a damaged file ----------------------------------------------------------------------------------


def _need(what: str, holds: bool) -> None:
    if not holds:
        raise ValueError(f"its {what} can't be right")


def _is_text(*values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    return _is_whole(value) and 0 <= value < LAST_TIME


def _sound(record: dict[str, Any]) -> dict[str, Any]:
    """A record, if its fields are what those who show and judge matches take them for."""
    roles, goals = record["gameRoleNames"], record.get("goalValues")
    texts = [record["matchId"], record["gameName"], *roles, *record["playerNamesFromHost"], *record["states"]]
    _need("names and states", _is_text(*texts))
    _need("number of players", len(roles) == len(record["playerNamesFromHost"]) > 0)
    _need("times", all(map(_is_time, [record["startTime"], *record["stateTimes"]])))
    _need("clocks", all(isinstance(record[name], int | float) for name in ("startClock", "playClock")))
    _need("end", all(isinstance(record[name], bool) for name in ("isCompleted", "isAborted")))
    _need("goals", goals is None or (len(goals) == len(roles) and all(map(_is_whole, goals))))
    _need("failure", _is_text(record.get("failure", "")))
    for step in (*record["moves"], *record["errors"]):
        _need("moves and errors", isinstance(step, list) and len(step) == len(roles) and _is_text(*step))
    return record
