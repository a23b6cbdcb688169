"""Matches of backgammon as `.mat` files, which Jellyfish began and most programs read and write.

The left column is seat 0's and the right one seat 1's, each counting points from its own side. A file is replayed as it
is read, so that a Record holds only what the rules allow; the cube is followed here as far as it takes to know whose turn
it is and how many points a game is worth (`match_files.py` looks at the rest). Whoever writes files takes care of the disk.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ludus.contract.rules import play, start
from ludus.errors import LudusError
from ludus.files import MEGABYTE, read_regular
from ludus.games.backgammon.notation import legal_moves, move_text, read_move, steps
from ludus.games.backgammon.rules import CHECKERS, DIE1, OFF, SIDE, STATE_SIZE, TURN, BackgammonRules, win_size

GAME = BackgammonRules()
LARGEST = 100 * MEGABYTE  # a file that is read
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_KEY = re.compile(r"[^\s\"[\]]+(?: +[^\s\"[\]]+)*")

# --- what a file holds -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """A roll and what was done with it."""

    seat: int
    dice: int  # as two digits, the larger die first
    move: int | None  # None: rolled, but the game was given up before the move was made
    text: str


@dataclass(frozen=True)
class Cube:
    """An action with the cube: 'double', 'beaver' (a raccoon too), 'take' or 'drop'."""

    seat: int
    action: str
    value: int  # what the cube shows if the double is taken, or the beaver


@dataclass(frozen=True)
class GameRecord:
    """One game of a match. Without a winner it was not played to its end."""

    turns: tuple[Turn | Cube, ...]
    winner: int | None = None
    points: int = 0
    score: tuple[int, int] = (0, 0)  # of the match, before this game


@dataclass(frozen=True)
class Record:
    """A match, or games for money if its length is 0."""

    names: tuple[str, str]
    length: int
    games: tuple[GameRecord, ...]
    tags: tuple[tuple[str, str], ...] = ()  # other lines of the header: Site, EventDate, ...

    def __post_init__(self) -> None:
        for name in self.names:
            if not name or name != name.strip() or _CONTROL.search(name):
                raise LudusError(f"{name!r} can't be a name in a .mat file: it must be one line, without margins")
        if len(dict(self.tags)) < len(self.tags):
            raise LudusError("a .mat file can have each tag of its header once only")
        for key, value in self.tags:
            if not _KEY.fullmatch(key) or key in ("Player 1", "Player 2") or _CONTROL.search(value):
                raise LudusError(f"{key!r} with value {value!r} can't stand in the header of a .mat file")


def record_plays(plays: Sequence[int], score: tuple[int, int] = (0, 0)) -> GameRecord:
    """The record of a game from its rolls and moves by turns, as the kernels number them; the end need not be there."""
    table = _Table(("seat 0", "seat 1"))
    for dice, move in zip(plays[::2], plays[1::2], strict=False):
        opening = table.state[TURN] < 0
        seat = int(dice % 10 > dice // 10) if opening else int(table.state[TURN])
        table.roll(seat, int(dice))
        table.move(seat, int(move))
    return table.record(score)


def replay(game: GameRecord) -> Iterator[tuple[np.ndarray, Turn | Cube]]:
    """Each turn of a game with the state in which it is taken; the dice of a Turn are rolled in it."""
    table = _Table(("seat 0", "seat 1"))
    for turn in game.turns:
        if isinstance(turn, Turn):
            table.roll(turn.seat, turn.dice)
        yield table.state.copy(), turn
        table.carry_out(turn)


# --- the referee -----------------------------------------------------------------------------------------------------


class _Table:
    """One game as it goes on. Whatever is not allowed is a LudusError."""

    def __init__(self, names: tuple[str, str]) -> None:
        self.names = names
        self.state = np.zeros(STATE_SIZE, np.int64)
        start(GAME, self.state)
        self.turns: list[Turn | Cube] = []
        self.cube = 1
        self.owner: int | None = None
        self.offer: int | None = None  # the seat whose double, or beaver, is still to be answered
        self.given_up: LudusError | None = None  # what is wrong with any turn after a roll without a move
        self.winner: int | None = None
        self.points = 0
        self.closed = False  # the result has been announced

    def _expect(self, seat: int, answer: bool = False) -> None:
        """That this seat is to roll or double, or to answer a double, now."""
        who = self.names[seat]
        if self.given_up:
            raise self.given_up
        if self.winner is not None:
            raise LudusError(f"{who} has another turn, but the game is over")
        if self.offer is not None:
            if not answer or seat == self.offer:
                raise LudusError(f"{self.names[1 - self.offer]} must take or drop the double first")
        elif answer:
            raise LudusError(f"{who} has no double to answer")
        elif self.state[TURN] == 1 - seat:
            raise LudusError(f"{who} has a turn, but it is {self.names[1 - seat]}'s")

    def roll(self, seat: int, dice: int) -> None:
        self._expect(seat)
        if self.state[TURN] < 0:  # the higher die is the beginner's
            dice = int("".join(sorted(f"{dice:02d}", reverse=seat == 0)))
        play(GAME, self.state, read_move(GAME, self.state, f"{dice:02d}"))

    def move(self, seat: int, move: int | None) -> None:
        """Carry out a move, or with None leave the roll as it is, which only the end of the game may follow."""
        dice = int(10 * self.state[DIE1] + self.state[DIE1 + 1])
        if move is None:
            self.given_up = LudusError(f"{self.names[seat]} rolled {dice} and did not move, so that no turn can follow")
            self.turns.append(Turn(seat, dice, None, "????"))
            return
        if move not in legal_moves(GAME, self.state):
            raise LudusError(f"{move} is not a legal move of {self.names[seat]} with {dice}")
        self.turns.append(Turn(seat, dice, move, move_text(GAME, self.state, move)))
        play(GAME, self.state, move)
        if self.state[SIDE * seat + OFF] == CHECKERS:
            self.winner, self.points = seat, int(win_size(self.state, seat)) * self.cube

    def use_cube(self, seat: int, action: str, value: int) -> None:
        self._expect(seat, answer=action != "double")
        if action == "double":
            if self.state[TURN] < 0:
                raise LudusError(f"{self.names[seat]} can't double before the opening roll")
            if self.owner == 1 - seat:
                raise LudusError(f"{self.names[seat]} can't double: the cube is {self.names[1 - seat]}'s")
            self.offer = seat
        elif action == "beaver":  # the double is taken, and doubled at once
            self.cube, self.owner, self.offer = 2 * self.cube, 1 - int(self.state[TURN]), seat
        if value != 2 * self.cube:
            raise LudusError(f"the cube shows {self.cube}, so that a double makes it {2 * self.cube}, not {value}")
        if action == "take":
            self.cube, self.owner, self.offer = value, 1 - int(self.state[TURN]), None
        elif action == "drop":
            self.winner, self.points, self.offer = 1 - seat, self.cube, None
        self.turns.append(Cube(seat, action, value))

    def carry_out(self, turn: Turn | Cube) -> None:
        """Go on with a turn of a record; the dice must be rolled already."""
        if isinstance(turn, Turn):
            self.move(turn.seat, turn.move)
        else:
            self.use_cube(turn.seat, turn.action, turn.value)

    def wins(self, seat: int, points: int) -> None:
        """Note the result: what the board or a drop says, or else that the other seat has given up."""
        if self.closed:
            raise LudusError("the result of the game is given twice")
        most = self.points if self.winner is not None else 3 * self.cube
        if self.winner not in (None, seat):
            raise LudusError(f"{self.names[1 - seat]} has won, not {self.names[seat]}")
        if not 1 <= points <= most:
            raise LudusError(f"{self.names[seat]} can't win {points} points here, but 1 to {most}")
        self.winner, self.points, self.given_up, self.offer, self.closed = seat, points, None, None, True

    def record(self, score: tuple[int, int]) -> GameRecord:
        return GameRecord(tuple(self.turns), self.winner, self.points, score)


# --- reading ---------------------------------------------------------------------------------------------------------

_TAG = re.compile(r'\s*;\s*\[\s*([^"[\]]+?)\s*"(.*)"\s*\]\s*')
_LENGTH = re.compile(r"\s*(\d{1,6})\s+point\s+match\.?\s*", re.IGNORECASE)
_TITLE = re.compile(r"\s*game\s+\d+\s*", re.IGNORECASE)
_PLAYERS = re.compile(r"\s*(\S.*?)\s*:\s*(\d{1,6})\s+(\S.*?)\s*:\s*(\d{1,6})\s*")
_NUMBER = re.compile(r"\s*\d{1,6}\)")
_CELL = re.compile(r"\d+:|doubles|redoubles|beavers|raccoons|takes|drops|wins", re.IGNORECASE)
_ROLL = re.compile(r"(\d\d):\s*(.*)")
_DOUBLE = re.compile(r"(?:re)?doubles\s*=>\s*(\d{1,6})", re.IGNORECASE)
_BEAVER = re.compile(r"(?:beavers|raccoons)\s*=>\s*(\d{1,6})", re.IGNORECASE)
_WIN = re.compile(r"wins\s+(\d{1,6})\s+points?(?:\s+and\s+the\s+match)?\.?", re.IGNORECASE)
_MIDDLE = 16  # a text that begins in this column or a later one is in the right half


class _Reader:
    """A file, line by line."""

    def __init__(self) -> None:
        self.number = 0  # of the line
        # A roll without a move is wrong, unless the game is given up next: what to say then, and of which line.
        self.blank: LudusError | None = None
        self.blank_number = 0
        self.tags: dict[str, str] = {}
        self.length: int | None = None
        self.names: tuple[str, str] | None = None
        self.games: list[GameRecord] = []
        self.table: _Table | None = None
        self.score = (0, 0)
        self.titled = False  # the line with the players' names comes next

    def read(self, line: str) -> None:
        self.number += 1
        if len(line) > 4000:
            raise LudusError(f"a line of {len(line)} characters can't be a part of a match")
        if junk := re.search(r"[\x00-\x08\x0b-\x1f\x7f]", line):
            raise LudusError(f"this is not text: character {junk.start() + 1} is {junk[0]!r}")
        line = line.expandtabs()
        if not line.strip():
            return
        if self.titled:
            self._read_players(line)
        elif tag := _TAG.fullmatch(line):
            self.tags[tag[1]] = tag[2]
        elif line.lstrip().startswith(";"):
            return
        elif length := _LENGTH.fullmatch(line):
            if self.length is not None:
                raise LudusError("the length of the match is given twice")
            self.length = int(length[1])
        elif self.length is None:
            raise LudusError(f"expected a line such as '7 point match', found {_short(line)}")
        elif _TITLE.fullmatch(line):
            self.end_game()
            self.titled = True
        elif self.table is None:
            raise LudusError(f"expected a line such as 'Game 1', found {_short(line)}")
        else:
            self._read_turns(self.table, line)

    def _read_players(self, line: str) -> None:
        found = _PLAYERS.fullmatch(line)
        if not found:
            raise LudusError(
                f"expected both players and their scores, such as 'Ann : 0   Bob : 0', found {_short(line)}"
            )
        self.names = self.names or self._names(found[1], found[3])
        self.score = int(found[2]), int(found[4])
        self.table = _Table(self.names)
        self.titled = False

    def _names(self, left: str, right: str) -> tuple[str, str]:
        """The players' names: those in the header, which are complete, or else these."""
        return self.tags.pop("Player 1", "").strip() or left, self.tags.pop("Player 2", "").strip() or right

    def _read_turns(self, table: _Table, line: str) -> None:
        number = _NUMBER.match(line)
        at = number.end() if number else 0
        begins = [found.start() for found in _CELL.finditer(line, at)] or [len(line)]
        if line[at : begins[0]].strip():
            raise LudusError(f"can't read {_short(line[at : begins[0]])}")
        cells = [(a, line[a:b].strip()) for a, b in zip(begins, [*begins[1:], len(line)], strict=True) if a < b]
        turns = [text for _, text in cells if not text.lower().startswith("wins")]
        if turns and not number:
            raise LudusError(f"expected a number with ')' before {_short(line)}")
        if len(turns) > 2:
            raise LudusError(f"more than two turns on one line: {_short(line)}")
        for i, (column, text) in enumerate(cells):
            seat = int(column >= _MIDDLE) if len(turns) < 2 else i
            if win := _WIN.fullmatch(text):
                won = table.winner if table.winner is not None else int(column >= _MIDDLE)
                table.wins(won, int(win[1]))
            else:
                self._read_cell(table, seat, text)

    def _read_cell(self, table: _Table, seat: int, text: str) -> None:
        if found := _ROLL.fullmatch(text):
            table.roll(seat, int(found[1]))
            if re.fullmatch(r"\?{3,4}", found[2]):
                table.move(seat, None)
                return
            try:
                table.move(seat, read_move(GAME, table.state, found[2]))
            except LudusError as error:
                if found[2]:
                    raise
                table.move(seat, None)  # some programs write a game so that is given up after the roll
                table.given_up = self.blank = error
                self.blank_number = self.number
        elif found := _DOUBLE.fullmatch(text):
            table.use_cube(seat, "double", int(found[1]))
        elif found := _BEAVER.fullmatch(text):
            table.use_cube(seat, "beaver", int(found[1]))
        elif text.lower() in ("takes", "drops"):
            table.use_cube(seat, text.lower()[:-1], 2 * table.cube)
        else:
            raise LudusError(f"can't read {_short(text)}")

    def end_game(self) -> None:
        if self.titled:
            raise LudusError("a game ends before its players are named")
        if self.table:
            if self.blank and self.table.given_up is self.blank:
                raise self.blank
            self.games.append(self.table.record(self.score))
            self.table = None

    def record(self) -> Record:
        self.end_game()
        if self.length is None:
            raise LudusError("there is no line such as '7 point match'")
        return Record(
            self.names or self._names("Player 1", "Player 2"), self.length, tuple(self.games), tuple(self.tags.items())
        )


def _short(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:59] + "…")


def read_mat(text: str, name: str = "text") -> Record:
    """The match in the text of a `.mat` file; errors give the file's name, the line and the reason."""
    reader = _Reader()
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    try:
        for line in lines:
            reader.read(line)
        return reader.record()
    except LudusError as error:
        number = reader.blank_number if error is reader.blank else reader.number
        raise LudusError(f"{name}, line {number}: {error}") from None


def load(path: str | Path) -> Record:
    """The match in a `.mat` file."""
    data = read_regular(path, LARGEST)
    try:
        return read_mat(data.decode(), str(path))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LudusError(f"{path}, line {line}: this is not text in UTF-8: byte {data[error.start]:#04x}") from None


def given_up(game: GameRecord) -> bool:
    """Whether a game has a winner who did not bear off all checkers."""
    table = _Table(("X", "O"))
    for act in game.turns:
        if isinstance(act, Turn):
            table.roll(act.seat, act.dice)
        table.carry_out(act)
    return game.winner is not None and table.state[SIDE * game.winner + OFF] != CHECKERS


# --- writing ---------------------------------------------------------------------------------------------------------


def write_mat(record: Record) -> str:
    """The text of a `.mat` file. A record that breaks the rules is refused."""
    tags = [*record.tags, ("Player 1", record.names[0]), ("Player 2", record.names[1])]
    lines = [f'; [{key} "{value}"]' for key, value in tags]
    lines += ["", f" {record.length} point match", ""]
    for number, game in enumerate(record.games, 1):
        # Colons would make the scores unreadable; the full names stand in the header.
        left, right = (
            f"{name.replace(':', '_')} : {score}" for name, score in zip(record.names, game.score, strict=True)
        )
        try:
            lines += [f" Game {number}", f" {left:<30} {right}", *_rows(record, game), ""]
        except LudusError as error:
            raise LudusError(f"game {number} of the record: {error}") from None
    return "\n".join(lines) + "\n"


def _rows(record: Record, game: GameRecord) -> Iterator[str]:
    table = _Table(record.names)
    cells: list[str] = []
    for turn in game.turns:  # the seats take turns in nearly all that they do, so that two cells make a row
        cells += [""] * (len(cells) % 2 != turn.seat) + [_cell(table, turn)]
    ending = ""
    if game.winner is not None:
        table.wins(game.winner, game.points)
        match = 0 < record.length <= game.score[game.winner] + game.points
        ending = f"Wins {game.points} point{'s' * (game.points > 1)}{' and the match' * match}"
    if (
        ending and len(cells) % 2 and cells[-1] == " Drops"
    ):  # GNU Backgammon takes a line of its own for another game here
        cells, ending = [*cells, f" {ending}"], ""
    for count, (left, right) in enumerate(itertools.zip_longest(cells[::2], cells[1::2], fillvalue=""), 1):
        yield f"{count:3d}) {left:<27} {right}".rstrip()
    if ending:
        yield f"{' ' * (34 if game.winner else 6)}{ending}"
    if table.record(game.score) != game:
        raise LudusError("its dice, texts, winner or points are not what its moves make of them")


def _cell(table: _Table, turn: Turn | Cube) -> str:
    if isinstance(turn, Cube):
        table.carry_out(turn)
        value = f" => {turn.value}" if turn.action in ("double", "beaver") else ""
        return f" {turn.action.capitalize()}s{value}"
    table.roll(turn.seat, turn.dice)
    before = table.state.copy()
    table.carry_out(turn)
    if turn.move is None:
        return f"{turn.dice}: ????"
    # Step by step, with 25 for the bar and 0 for off, which every program understands.
    way = sorted(steps(before, turn.move), key=lambda step: (-step.source, -step.target))
    parts = [f"{step.source}/{step.target}" + "*" * step.hits for step in way]
    return f"{turn.dice}: {' '.join(parts) or 'Cannot Move'}"
