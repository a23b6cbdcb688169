"""Games in the database, so that each can go on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ludus.errors import LudusError, brief
from ludus.records import scheme
from ludus.records.database import Database, upsert
from ludus.records.rows import (
    GameRow,
    JsonObject,
    Kept,
    Listed,
    NotKeptError,
    SeatRow,
    Sheet,
    Standing,
    StepRow,
    checked,
    folded,
    now,
)
from ludus.records.search import Filters, find
from ludus.records.standing import standings

CHANGEABLE = ("title", "seed", "position", "clock", "options")

_game_columns = [scheme.games.c[name] for name in GameRow._fields]
_seat_columns = [scheme.seats.c[name] for name in SeatRow._fields]
_step_columns = [scheme.steps.c[name] for name in StepRow._fields]

# Steps are what is written most, so these statements are built once.
_lengthen = (
    update(scheme.games)
    .where(
        scheme.games.c.id == bindparam("of"), scheme.games.c.plies == bindparam("first"), scheme.games.c.over.is_(False)
    )
    .values(plies=bindparam("end"), changed=bindparam("at"), version=scheme.games.c.version + 1)
)
_add_steps = insert(scheme.steps)


class Records(Database):
    """The games in a database. All methods may be called from any thread; each write is on disk when it returns.

    Writes inside `with records.transaction():` are on disk together when that ends.

    >>> records = Records(":memory:")
    >>> records.create(GameRow("g1", "backgammon", "Backgammon"), [SeatRow("person", "You"), SeatRow("player", "td")])
    >>> records.append("g1", 0, [StepRow(None, "chance", ("31",), now()), StepRow(0, "decision", ("8/5 6/5",), now(), 900)])
    >>> kept = records.load("g1")
    >>> kept.game.plies, kept.steps[1].moves, kept.seats[0].who
    (2, ('8/5 6/5',), 'You')
    """

    def create(self, game: GameRow, seats: Sequence[SeatRow]) -> None:
        """Keep a new game, with no steps yet; LudusError if there is one of this name."""
        time = now()
        row = game._replace(started=game.started or time, changed=time, plies=0, over=False, result=None, version=0)
        with self.transaction() as connection:
            if _exists(connection, game.id):
                raise LudusError(f"there is a game '{brief(game.id)}' already")
            if game.sheet is not None and _sheet(connection, game.sheet) is None:
                raise NotKeptError(f"there is no rulesheet '{brief(game.sheet)}' in the records; save_sheet keeps one")
            connection.execute(insert(scheme.games).values(**row._asdict(), words=_words(row, seats)))
            if seats:
                rows = [{"game": game.id, "number": i, **seat._asdict()} for i, seat in enumerate(seats)]
                connection.execute(insert(scheme.seats), rows)

    def append(self, id: str, first: int, steps: Sequence[StepRow]) -> None:
        """Add steps, of which the first has this number, counted from 0: so many steps must there be so far.

        LudusError if there are more (somebody tries again what is done) or fewer, or if the game is over.
        """
        if not steps:
            return
        with self.transaction() as connection:
            values = {"of": id, "first": first, "end": first + len(steps), "at": now()}
            if connection.execute(_lengthen, values).rowcount != 1:
                row = self._need(connection, id)
                if row.over:
                    raise LudusError(f"game '{brief(id)}' is over: nothing can be added")
                raise LudusError(f"{_length(row)}: the next one has number {row.plies}, not {first}")
            rows = [{"game": id, "number": first + i, **step._asdict()} for i, step in enumerate(steps)]
            connection.execute(_add_steps, rows)

    def cut(self, id: str, number: int) -> None:
        """Take back the steps from this number on, and what is known of the positions after them; a game that was over goes on."""
        games, steps, analysis = scheme.games, scheme.steps, scheme.analysis
        with self.transaction() as connection:
            values = {"plies": number, "over": False, "result": None}
            if number < 0 or not _change(connection, id, values, games.c.plies >= number):
                raise LudusError(
                    f"{_length(self._need(connection, id))}: none can be taken back from number {number} on"
                )
            connection.execute(delete(steps).where(steps.c.game == id, steps.c.number >= number))
            connection.execute(delete(analysis).where(analysis.c.game == id, analysis.c.ply > number))

    def finish(self, id: str, result: JsonObject) -> None:
        """Say how a game ended: `{"scores": [1, 0], "text": …, "reason": …}`. The same again changes nothing; another result is refused."""
        with self.transaction() as connection:
            if not _change(connection, id, {"over": True, "result": result}, scheme.games.c.over.is_(False)):
                row = self._need(connection, id)
                if row.result != result:
                    raise LudusError(f"game '{brief(id)}' is over already")

    def update(self, id: str, **changes: Any) -> None:
        """Change what is written about a game: its title, seed, position, clock or options."""
        wrong = [name for name in changes if name not in CHANGEABLE]
        if wrong:
            raise LudusError(f"'{wrong[0]}' of a game can't be changed; these can: {', '.join(CHANGEABLE)}")
        with self.transaction() as connection:
            if not _change(connection, id, changes):
                raise _no_game(id)
            self._index(connection, id)

    def reseat(self, id: str, number: int, seat: SeatRow) -> None:
        """Let somebody else sit at a seat."""
        seats = scheme.seats
        with self.transaction() as connection:
            statement = update(seats).where(seats.c.game == id, seats.c.number == number).values(**seat._asdict())
            if not _change(connection, id, {}):
                raise _no_game(id)
            if connection.execute(statement).rowcount != 1:
                raise LudusError(f"game '{brief(id)}' has no seat {number}")
            self._index(connection, id)

    def load(self, id: str) -> Kept:
        """A game with all that is needed to go on; NotKeptError if there is none of this name, LudusError if it is damaged."""
        seats, steps = scheme.seats, scheme.steps
        with self.reading() as connection, self.sound(f"game '{id}'"):
            row = self._need(connection, id)
            sitting = connection.execute(
                select(*_seat_columns).where(seats.c.game == id).order_by(seats.c.number)
            ).all()
            query = select(steps.c.number, *_step_columns).where(steps.c.game == id).order_by(steps.c.number)
            made = connection.execute(query).all()
            return _whole(
                Kept(
                    row,
                    tuple(checked(SeatRow(*seat)) for seat in sitting),
                    tuple(checked(StepRow(*step)._replace(moves=tuple(step[2]))) for _, *step in made),
                ),
                [step.number for step in made],
            )

    def open_games(self) -> list[str]:
        """The names of all games that are not over, those first in which something happened last."""
        games = scheme.games
        query = select(games.c.id).where(games.c.over.is_(False)).order_by(games.c.changed.desc(), games.c.id.desc())
        with self.reading() as connection:
            return list(connection.execute(query).scalars())

    def search(
        self,
        game: str | None = None,
        player: str | None = None,
        state: str | None = None,
        text: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[Listed]:
        """Games and GGP matches, newest first.

        "ludo" finds "ludo(seats=2)" too, `player` is the name of somebody who sat there, `state` "open" or "over", `text` a part of a title
        or a name; `before`, the last game of a list, gives the next one.
        """
        with self.reading() as connection, self.sound("a game"):
            return find(connection, Filters(game, player, state, text), limit, before)

    def statistics(self, name: str) -> list[Standing]:
        """How somebody of this name fares, by game and by whom it was against."""
        with self.reading() as connection, self.sound(f"a game of '{name}'"):
            return standings(connection, name)

    def save_analysis(self, id: str, player: str, values: Mapping[int, Any]) -> None:
        """Keep what a player thinks of positions: for each ply some plain data. What it thought before is replaced."""
        rows = [{"game": id, "ply": ply, "player": player, "values": value} for ply, value in values.items()]
        with self.transaction() as connection:
            if not _exists(connection, id):
                raise _no_game(id)
            upsert(connection, scheme.analysis, rows)

    def analysis(self, id: str, player: str | None = None) -> dict[str, dict[int, Any]]:
        """What players think of the positions of a game: for each player, and each ply that it looked at. Of one player alone if it is named."""
        table = scheme.analysis
        query = select(table.c.player, table.c.ply, table.c["values"]).where(table.c.game == id)
        if player is not None:
            query = query.where(table.c.player == player)
        found: dict[str, dict[int, Any]] = {}
        with self.reading() as connection, self.sound(f"the analysis of game '{id}'"):
            for who, ply, values in connection.execute(query.order_by(table.c.player, table.c.ply)):
                found.setdefault(who, {})[ply] = values
        return found

    def save_sheet(self, text: str, name: str) -> str:
        """Keep a rulesheet; the answer is its digest, by which games name it. The same text has one digest, and its first name."""
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        with self.transaction() as connection:
            if _sheet(connection, digest) is None:
                upsert(connection, scheme.sheets, [{"digest": digest, "name": name, "text": text}])
        return digest

    def sheet(self, digest: str) -> Sheet:
        """A rulesheet; NotKeptError if there is none of this digest."""
        with self.reading() as connection:
            found = _sheet(connection, digest)
        if found is None:
            raise NotKeptError(f"there is no rulesheet '{brief(digest)}' in the records")
        return found

    def _need(self, connection: Connection, id: str) -> GameRow:
        """The row of a game, which must be there."""
        with self.sound(f"game '{id}'"):
            row = connection.execute(select(*_game_columns).where(scheme.games.c.id == id)).one_or_none()
            if row is None:
                raise _no_game(id)
            return checked(GameRow(*row))

    def _index(self, connection: Connection, id: str) -> None:
        """Let a search find a game by what was changed."""
        query = select(*_seat_columns).where(scheme.seats.c.game == id)
        with self.sound(f"game '{id}'"):
            words = _words(self._need(connection, id), [SeatRow(*seat) for seat in connection.execute(query)])
        connection.execute(update(scheme.games).where(scheme.games.c.id == id).values(words=words))


# --- what the methods above have in common -----------------------------------------------------------------------------


def _change(connection: Connection, id: str, values: Mapping[str, Any], *conditions: Any) -> bool:
    """Change the row of a game, if it is as the conditions say. The row counts its changes; nobody else can change it until this is on disk."""
    games = scheme.games
    counted = {**values, "changed": now(), "version": games.c.version + 1}
    return connection.execute(update(games).where(games.c.id == id, *conditions).values(**counted)).rowcount == 1


def _exists(connection: Connection, id: str) -> bool:
    return connection.execute(select(scheme.games.c.id).where(scheme.games.c.id == id)).one_or_none() is not None


def _no_game(id: str) -> NotKeptError:
    return NotKeptError(f"there is no game '{brief(id)}' in the records")


def _length(row: GameRow) -> str:
    return f"game '{brief(row.id)}' has {row.plies} step{'' if row.plies == 1 else 's'}"


def _sheet(connection: Connection, digest: str) -> Sheet | None:
    row = connection.execute(select(scheme.sheets).where(scheme.sheets.c.digest == digest)).one_or_none()
    return None if row is None else Sheet(*row)


def _words(game: GameRow, seats: Sequence[SeatRow]) -> str:
    return folded(game.id, game.game, game.title, *(name for s in seats for name in (s.who, s.player, s.level)))


def _whole(kept: Kept, numbers: list[Any]) -> Kept:
    """A game, if its rows fit together; ValueError if they don't."""
    if numbers != list(range(kept.game.plies)):
        raise ValueError(f"it should have {kept.game.plies} steps, and has {brief(numbers)}")
    for step in kept.steps:
        if step.seat is not None and not 0 <= step.seat < len(kept.seats):
            raise ValueError(f"a step is of seat {step.seat}, and there is none")
        if not all(isinstance(move, str) for move in step.moves):
            raise ValueError(f"no moves are {brief(step.moves)}")
    return kept
