"""Matches in an SQLite database: each step is stored when it is made, so that an interruption loses nothing.

A match comes back as the GGP match format that `record` describes. Several processes may use one database.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.ggp.record import Match, status_of

VERSION = 1
WAIT = 30.0  # seconds for another process to finish its transaction

_tables = """
create table match (id text primary key, game text not null, started integer not null, completed integer not null,
    aborted integer not null, tournament text, head text not null);
create table seat (match text not null references match (id), number integer not null, role text not null,
    player text not null, goal integer, primary key (match, number));
create table step (match text not null references match (id), number integer not null, time integer not null,
    moves text, errors text not null, state text not null, primary key (match, number));
create index match_started on match (started);
"""


class Store:
    """A database of matches; the file is made if there is none.

    >>> Store(":memory:").results()
    []
    """

    def __init__(self, path: Path | str = "ggp.sqlite") -> None:
        self.path = path
        self._lock = threading.Lock()
        self._stored: dict[str, int] = {}  # for each match, how many of its steps
        with self._explained():
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, WAIT, isolation_level=None, check_same_thread=False)
        with self._transaction() as database:
            version = database.execute("pragma user_version").fetchone()[0]
            if version == 0:
                if database.execute("select count(*) from sqlite_master").fetchone()[0]:
                    raise LudusError(f"{path} is a database, but not one of ludus's matches")
                for command in _tables.split(";"):
                    database.execute(command)
                database.execute(f"pragma user_version = {VERSION}")
            elif version != VERSION:
                raise LudusError(f"{path} has version {version}; this ludus reads version {VERSION}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise LudusError(f"can't use the database {self.path}: {problem}") from problem

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self._lock, self._explained():
            self._database.execute("begin immediate")
            try:
                yield self._database
            except BaseException:
                self._database.execute("rollback")
                raise
            self._database.execute("commit")

    def save(self, match: Match) -> None:
        """Store what is new about a match."""
        begin = self._stored.get(match.id, 0)
        end = len(match.errors)  # the last thing that a step gets
        steps = [
            (match.id, number, match.state_times[number], json.dumps(match.moves[number - 1]) if number else None,
             json.dumps(match.errors[number]), match.states[number])
            for number in range(begin, end)
        ]  # fmt: skip
        goals: list[int | None] = list(match.goals) or [None] * len(match.roles)
        seats = [
            (match.id, i, *each) for i, each in enumerate(zip(match.roles, match.players, goals, strict=True))
        ]  # fmt: skip
        head = (match.id, match.game_name, match.start_time, match.completed, match.aborted, match.tournament,
                json.dumps(match.head()))  # fmt: skip
        with self._transaction() as database:
            database.execute("insert or replace into match values (?, ?, ?, ?, ?, ?, ?)", head)
            database.executemany("insert or replace into seat values (?, ?, ?, ?, ?)", seats)
            database.executemany("insert into step values (?, ?, ?, ?, ?, ?)", steps)
        self._stored[match.id] = end

    def match(self, identifier: str) -> dict[str, Any]:
        """A match in the GGP match format; LudusError if there is none of this name."""
        with self._lock, self._explained():
            row = self._database.execute("select head from match where id = ?", (identifier,)).fetchone()
            query = "select state, moves, time, errors from step where match = ? order by number"
            steps = self._database.execute(query, (identifier,)).fetchall()
        if row is None:
            raise LudusError(f"there is no match '{identifier}' in {self.path}")
        return json.loads(row[0]) | {
            "states": [step[0] for step in steps],
            "moves": [json.loads(step[1]) for step in steps if step[1] is not None],
            "stateTimes": [step[2] for step in steps],
            "errors": [json.loads(step[3]) for step in steps],
        }

    def results(self, limit: int = 100, tournament: str | None = None) -> list[dict[str, Any]]:
        """The last matches, newest first: who played what, and how it ended."""
        query = """
            select id, game, started, completed, aborted, tournament,
                (select count(*) from step where step.match = match.id and moves is not null),
                (select json_group_array(json_array(role, player, goal)) from
                    (select * from seat where seat.match = match.id order by number)),
                (select json_group_array(json(errors)) from step where step.match = match.id)
            from match where ? is null or tournament = ? order by started desc, rowid desc limit ?"""
        with self._lock, self._explained():
            rows = self._database.execute(query, (tournament, tournament, limit)).fetchall()
        results = []
        for identifier, game, started, completed, aborted, series, steps, seats, errors in rows:
            roles, players, goals = (list(column) for column in zip(*json.loads(seats), strict=True))
            wrong = [sum(1 for step in json.loads(errors) if step[i]) for i in range(len(roles))]
            results.append({
                "matchId": identifier, "gameName": game, "startTime": started, "status": status_of(completed, aborted),
                "tournament": series, "steps": steps, "roles": roles, "players": players,
                "goalValues": goals if completed else None, "errors": wrong,
            })  # fmt: skip
        return results
