"""What goes into the records and comes out of them: plain tuples."""

from __future__ import annotations

import functools
import time
import types
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from ludus.errors import LudusError, brief

R = TypeVar("R", bound=NamedTuple)
JsonObject = dict[str, Any]


class NotKeptError(LudusError):
    """There is nothing of this name in the records."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def folded(*words: str | None) -> str:
    """What a search looks through: who looks for "ärger" finds "Ärger" as well, and not every database knows its small letter.

    >>> folded("Ärger", None, "Ludo")
    'ärger\\nludo'
    """
    return "\n".join(word.casefold() for word in words if word)


class GameRow(NamedTuple):
    """A game. Whoever creates one gives what comes first; the records keep count of the rest."""

    id: str
    game: str  # its name: "ludo(seats=2)"
    title: str
    sheet: str | None = None  # the digest of a rulesheet that somebody brought
    seed: int = 0
    position: str | None = None  # where it began, if not at the start
    clock: JsonObject | None = None
    options: JsonObject | None = None
    started: int = 0  # 0: now
    changed: int = 0
    plies: int = 0
    over: bool = False
    result: JsonObject | None = None
    version: int = 0  # one more with each change


class SeatRow(NamedTuple):
    """Who sits at a seat: a person, or a player of some strength."""

    kind: str  # "person" or "player"
    who: str  # the name that is shown
    player: str | None = None
    level: str | None = None
    seconds: float | None = None
    key_hash: str | None = None


class StepRow(NamedTuple):
    """A move of a seat, an outcome of chance, or the moves of all seats at once."""

    seat: int | None
    kind: str  # "decision", "chance" or "joint"
    moves: tuple[str, ...]
    time: int  # when it was made
    spent: int = 0  # the milliseconds that it took


class Kept(NamedTuple):
    """All that is needed to go on with a game."""

    game: GameRow
    seats: tuple[SeatRow, ...]
    steps: tuple[StepRow, ...]


class Listed(NamedTuple):
    """A line in a list of games: one of ours (`kind` is "table") or a match of the GGP manager ("match")."""

    id: str
    kind: str
    game: str
    title: str
    seats: tuple[tuple[str, str], ...]  # the seat's name ("" where only its game knows it), and who sits there
    started: int
    plies: int
    over: bool
    result: JsonObject | None


class Standing(NamedTuple):
    """How somebody fares in a game against the same others. `points` is a sum; from `low` to `high` is the 95 % interval of the rate of wins."""

    game: str
    against: str
    games: int
    won: int
    drawn: int
    lost: int
    points: float
    low: float
    high: float


class Sheet(NamedTuple):
    """A rulesheet that somebody brought."""

    digest: str
    name: str
    text: str


# --- what may stand in a damaged database ----------------------------------------------------------------------------


@functools.cache
def _kinds(row: type) -> list[tuple[str, tuple[type, ...]]]:
    """For each field the types that its values may have."""
    found = []
    for name, hint in get_type_hints(row).items():
        plain = [get_origin(each) or each for each in (get_args(hint) if isinstance(hint, types.UnionType) else [hint])]
        found.append((name, (*plain, int) if float in plain else tuple(plain)))
    return found


def checked(row: R) -> R:
    """A row whose values have the types that they should; ValueError for one from a damaged database.

    >>> checked(Sheet("5e88", "Mine", b"?"))
    Traceback (most recent call last):
    ValueError: its text can't be b'?'
    """
    for (name, kinds), value in zip(_kinds(type(row)), row, strict=True):
        if not isinstance(value, kinds):
            raise ValueError(f"its {name} can't be {brief(repr(value))}")
    return row
