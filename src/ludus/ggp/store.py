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
LAST_TIME = 253_402_300_800_000  # milliseconds: the year 10000
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
    def _readable(self, identifier: Any) -> Iterator[None]:
        """The file may be damaged, or written by another program: then this is said of a match, and no more."""
        try:
            yield
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
            reason = " ".join(f"{type(problem).__name__}: {problem}".split())[:100]
            raise LudusError(
                f"the database {self.path} is damaged: match '{str(identifier)[:80]}' can't be read ({reason})"
            ) from problem

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
        with self._readable(identifier):
            return _sound(json.loads(row[0]) | {
                "states": [step[0] for step in steps],
                "moves": [json.loads(step[1]) for step in steps if step[1] is not None],
                "stateTimes": [step[2] for step in steps],
                "errors": [json.loads(step[3]) for step in steps],
            })  # fmt: skip

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
            with self._readable(identifier):
                roles, players, goals = (list(column) for column in zip(*json.loads(seats), strict=True))
                wrong = [sum(1 for step in json.loads(errors) if step[i]) for i in range(len(roles))]
                _need("id, game and times", _is_text(identifier, game, *roles, *players) and _is_time(started))
                _need("goals", not completed or all(_is_whole(goal) for goal in goals))
                results.append({
                    "matchId": identifier, "gameName": game, "startTime": started,
                    "status": status_of(bool(completed), bool(aborted)),
                    "tournament": series, "steps": steps, "roles": roles, "players": players,
                    "goalValues": goals if completed else None, "errors": wrong,
                })  # fmt: skip
        return results


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
