"""Who is to sit where: people's wishes become seats, and levels become players."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.players import is_outside
from ludus.players.levels import MOST_SECONDS, SECONDS, at_level, seconds_of, takes_time
from ludus.records import SeatRow
from ludus.spec import parse
from ludus.web.catalog import games
from ludus.web.data import About, Mind
from ludus.web.table import key_hash


class SeatWish(NamedTuple):
    """Who is to sit somewhere."""

    kind: str
    name: str = ""
    player: str | None = None
    level: str | None = None
    seconds: float | None = None
    key_hash: str | None = None  # of a person who has a key already


class Wish(NamedTuple):
    """A game that somebody wants."""

    game: str
    seats: tuple[SeatWish, ...]
    seed: int | None = None
    position: str | None = None
    clock: Mapping[str, float] | None = None
    pace: float | None = None
    moves: tuple[tuple[str, ...], ...] = ()
    title: str | None = None


def seat_of(wish: SeatWish, about: About, key: str | None, offered: Collection[str]) -> SeatRow:
    """A seat in a game, with the key of its person if it has one. Players that are files or code must be among those that are offered."""
    if wish.kind == "person":
        return SeatRow("person", wish.name or "Guest", key_hash=wish.key_hash or key_hash(key or ""))
    if wish.player:
        if wish.player not in offered and (
            parse(wish.player).path is not None or "/" in wish.player or ".py" in wish.player or is_outside(wish.player)
        ):
            short = wish.player[:60]
            raise LudusError(f"'{short}' names a file or a program: offer it by 'ludus serve --player {short}'")
        # Others would have to wait until the game is solved.
        if wish.player not in offered and parse(wish.player).name == "perfect":
            raise LudusError("'perfect' solves the whole game first: offer it by 'ludus serve --player perfect'")
        if seconds_of(wish.player) > MOST_SECONDS:  # others wait for the same processes
            raise LudusError(f"'{wish.player[:60]}' may think for at most {MOST_SECONDS:g} seconds")
        return SeatRow("player", wish.name or wish.player, wish.player)
    level, seconds = wish.level or "medium", wish.seconds or SECONDS
    choice = at_level(about.name, level, about.best == "td", seconds)
    return SeatRow("player", wish.name or f"Computer ({level})", choice.player, level, seconds)


def title_of(name: str, about: About) -> str:
    """What a game is called in a list.

    >>> about = About("hex", 2, ("red", "blue"), "mcts", "", (), 0.0, 1.0, True)
    >>> title_of("connectfour", about), title_of("ludo(seats=2)", about), title_of("sheet:12ab", about)
    ('Connect four 7 × 6', 'Ludo (seats=2)', 'Hex')
    >>> title_of("backgammon(match=7)", about), title_of("backgammon(cube=true,jacoby=true)", about)
    ('Backgammon, match to 7', 'Backgammon for money (jacoby=true)')
    """
    plain, _, options = name.partition("(")
    known = next((game["title"] for game in games() if game["name"] == plain), None)
    if known is None:
        return about.name[:1].upper() + about.name[1:]
    said = dict(part.partition("=")[::2] for part in options.rstrip(")").split(",") if part)
    if said.get("match", "0") != "0":
        known += f", match to {said['match']}"
    elif said.get("cube") == "true":
        known += " for money"
    rest = ", ".join(f"{key}={value}" for key, value in said.items() if key not in ("match", "cube"))
    return f"{known} ({rest})" if rest else known


def digest_of(name: str) -> str | None:
    """The digest of the rulesheet that a game's name stands for, if it is one that somebody brought."""
    return name.removeprefix("sheet:") if name.startswith("sheet:") else None


def mind_of(seat: SeatRow, about: About) -> Mind | None:
    """The player of a seat; None where a person sits."""
    if seat.kind == "person" or seat.player is None:
        return None
    loose = (
        at_level(about.name, seat.level, about.best == "td", seat.seconds or SECONDS).temperature if seat.level else 0.0
    )
    return Mind(seat.player, loose, takes_time(seat.player))
