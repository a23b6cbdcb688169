"""A game on disk: a small JSON file that says who sits where and lists every roll and move as people write them.

    {"format": "ludus game", "version": 1, "game": "backgammon", "names": ["you", "td"], "seat": 0, "seed": 7, "moves": [
      {"roll": "31"},
      {"seat": 0, "move": "8/5 6/5"}
    ]}

Where all seats move at once, the line is {"joint": [a move for each seat]}; where several people play, "seat" is a list
of theirs, and null where only players do. Reading replays every line by the rules, so
that a damaged or foreign file is refused with its reason and never half loaded. A game may have formats of its own
(backgammon has .mat): its `formats` are their endings, `write_game(name, seats, plays)` gives the text of such a file and
`read_game(name, text, number)` the seats and plays of one of its games, and sentences that say what of the file is left out. Plays
are rolls and moves as numbers; errors are to name the file. Any other ending than these and .json is refused, as what is called
.sgf would be taken for what it is not.
"""

from __future__ import annotations

import contextlib
import json
import os
import reprlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError, brief
from ludus.files import read_regular
from ludus.games import game_name
from ludus.play.table import YOU, Seats, Table
from ludus.players import player

OWN = ".json"  # the ending of files in the format above; none is fine too
FORMAT, VERSION = "ludus game", 1
LARGEST = 10_000_000  # bytes; nobody has played a game as long as that


def save(table: Table, path: Path) -> None:
    """Write a game to a file, whole or not at all."""
    check_ending(table.game, path)
    if path.suffix.lower() in getattr(table.game, "formats", ()):
        plays = [move for step in table.steps for move in step.moves]
        text = table.game.write_game(str(path), table.names, plays)
    else:
        text = text_of(table)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp") if path.name else path
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except (OSError, ValueError) as error:
        raise LudusError(f"can't write {path}: {_reason(error)}") from error
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink()


def check_ending(game: Any, path: Path) -> None:
    """LudusError if a file's ending promises a format in which games are not written."""
    endings = [*getattr(game, "formats", ()), OWN]
    if path.suffix and path.suffix.lower() not in endings:
        written = " or ".join(endings)
        raise LudusError(f"can't write {path}: games of {game.facts.name} are written as {written}, not {path.suffix}")


def opponents(table: Table) -> tuple[str, ...] | None:
    """The players that a file names for the seats that no person has, in the order of play; None if they can't be had. Code of users is
    not loaded because a file names it.
    """
    count, first = table.game.facts.seats, table.people[0] if table.people else 0
    seats = [(first + i) % count for i in range(1, count)]
    names = tuple(table.names[seat] for seat in seats if seat not in table.people)
    try:
        for name in names:
            player(name, table.game, load=False)
    except (LudusError, ImportError):
        return None
    return names


class File(NamedTuple):
    """A file, and which of its games is meant, from 1 on; unless told, the last."""

    path: Path
    number: int | None = None


def load(game: Any, file: Path | File, seats: Seats | None, seed: int) -> Table:
    """Read a game from a file. Seats and seed are those to go on with where the file's format knows none; unless told, the person sits
    where the file says "you", or in seat 0.
    """
    path, number = file if isinstance(file, File) else File(file)
    text = _read(path)
    if path.suffix.lower() in getattr(game, "formats", ()):
        names, plays, remarks = game.read_game(str(path), text, number)
        if seats is None:
            seats = list(names).index(YOU) if YOU in names else 0
        table = Table(game, seed, seats, names)
        table.remarks = tuple(remarks)
        for play in plays:
            table.take([play])
        return table
    if number not in (None, 1):
        raise LudusError(f"can't load {path}: it holds 1 game, and there is no game {number}")
    try:
        return read_text(game, text)
    except LudusError as error:
        raise LudusError(f"can't load {path}: {error}") from error


def as_file(text: str) -> File:
    """The file that `load` names, and which of its games, if a number follows.

    >>> as_file("match.mat 2").number, as_file("match.mat").number
    (2, None)
    """
    name, _, last = text.rpartition(" ")
    if name and last.isdecimal() and not as_path("load", text).exists():
        return File(as_path("load", name.strip()), int(last))
    return File(as_path("load", text))


def as_path(command: str, text: str) -> Path:
    """The path that a command names."""
    if not text:
        raise LudusError(f"{command} needs the name of a file, as in: {command} game.json")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # ~somebody who does not exist
        raise LudusError(f"can't {command} {text}: {error}") from error


# --- writing ---------------------------------------------------------------------------------------------------------


def text_of(table: Table) -> str:
    """A game as the text of a file in the format above."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "game": game_name(table.game),
        "names": list(table.names),
        "seat": table.people[0] if table.alone else list(table.people) or None,
        "seed": table.seed,
    }
    lines: list[str] = []
    for step in table.steps:
        entry: dict[str, Any]
        if step.seat == CHANCE:
            entry = {"roll": step.texts[0]}
        elif step.seat == JOINT:
            entry = {"joint": list(step.texts)}
        else:
            entry = {"seat": step.seat, "move": step.texts[0]}
        lines.append("\n  " + json.dumps(entry, ensure_ascii=False))
    return json.dumps(head, ensure_ascii=False)[:-1] + f', "moves": [{",".join(lines)}\n]}}\n'


# --- reading ---------------------------------------------------------------------------------------------------------


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _read(path: Path) -> str:
    try:
        return read_regular(path, LARGEST).decode()
    except LudusError as error:
        raise LudusError(f"can't load {brief(path)}: {error}") from None
    except UnicodeDecodeError as error:
        raise LudusError(f"can't load {path}: it is not a text file") from error


def read_text(game: Any, text: str) -> Table:
    """The game that such a text holds; LudusError says what is wrong with it."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LudusError(f"it is not a saved game, or is cut off ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LudusError("it is not a saved game of ludus")
    if data.get("version") != VERSION:
        raise LudusError(
            f"it has version {reprlib.repr(data.get('version'))} of the format; this ludus reads version {VERSION}"
        )
    name = game_name(game)
    if data.get("game") != name:
        raise LudusError(f"it is a game of {reprlib.repr(data.get('game'))}, and this is {name}")
    seats = game.facts.seats
    names = data.get("names")
    # Names go to the terminal, where other characters could do anything.
    if (
        not isinstance(names, list)
        or len(names) != seats
        or not all(isinstance(n, str) and n.isprintable() for n in names)
    ):
        raise LudusError(f"its 'names' must be a list of {seats} names")
    if type(data.get("seed")) is not int:
        raise LudusError("its 'seed' must be a whole number")
    people = data.get("seat", "")
    several = isinstance(people, list) and all(type(seat) is int for seat in people)
    if people is not None and type(people) is not int and not several:
        raise LudusError("its 'seat' must be a whole number, or a list of some")
    entries = data.get("moves")
    if not isinstance(entries, list):
        raise LudusError("its 'moves' must be a list")
    table = Table(game, data["seed"], () if people is None else people, names)
    _replay(table, (_entry(number, entry, seats) for number, entry in enumerate(entries, 1)))
    return table


def _entry(number: int, entry: Any, seats: int) -> tuple[int, list[str]]:
    """Who moved and what, from one line of a file."""
    match entry:
        case {"roll": str(text), **rest} if not rest:
            return CHANCE, [text]
        case {"seat": int(seat), "move": str(text), **rest} if not rest and type(seat) is int and 0 <= seat < seats:
            return seat, [text]
        case {"joint": list(texts), **rest} if (
            not rest and len(texts) == seats and all(isinstance(t, str) for t in texts)
        ):
            return JOINT, texts
    raise LudusError(f"""move {number}: it must be {{"roll": …}}, {{"seat": …, "move": …}} or {{"joint": […]}}""")


def _replay(table: Table, moves: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Play the moves of a file."""
    for number, (seat, texts) in enumerate(moves, 1):
        try:
            if table.due == OVER:
                raise LudusError("the game is over before it")
            if seat != table.due:
                raise LudusError(f"{_name(seat)} comes where {_name(table.due)} is due")
            table.take([table.read(text, i) for i, text in enumerate(texts)])
        except LudusError as error:
            raise LudusError(f"move {number}: {error}") from error


def replay(table: Table, steps: Iterable[Sequence[str]]) -> None:
    """Play rolls and moves that are written as people write them, each by whoever is due."""
    for texts in steps:
        table.take([table.read(text, seat) for seat, text in enumerate(texts)])


def _name(seat: int) -> str:
    return {CHANCE: "a roll", JOINT: "a move of all seats"}.get(seat, f"a move of seat {seat}")
