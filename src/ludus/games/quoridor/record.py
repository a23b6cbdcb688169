"""Games of Quoridor as `.quoridor` files: a header with the game and its players, and numbered rounds of moves.

    [Game "quoridor"]
    [Yellow "you"]
    [Green "path"]

    1. e2 e8
    2. e3 e3h
    3. e4

A `[Notation "…"]` in the header names another style for the moves, and `;` begins a comment that goes to the end of its line.
Reading replays the game by the rules, so that whatever is read is legal. Whoever writes files takes care of the disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.rules import OVER, play, start
from ludus.errors import LudusError
from ludus.games import game as game_of
from ludus.games import game_name
from ludus.games.quoridor.bitboard import TURN
from ludus.games.quoridor.naming import seat_names
from ludus.games.quoridor.notation import STYLES, check_style, move_text, read_move
from ludus.spec import parse

_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NUMBER = re.compile(r"[0-9]+\.+")


def write(game: Any, names: Sequence[str], plays: Sequence[int], style: str = "official") -> str:
    """The text of a file.

    >>> import ludus
    >>> print(write(ludus.game("quoridor"), ["you", "path"], [128, 130, 20], "glendenning"))
    [Game "quoridor"]
    [Yellow "you"]
    [Green "path"]
    [Notation "glendenning"]
    <BLANKLINE>
    1. e8 e2
    2. e6h
    <BLANKLINE>
    """
    check_style(style)
    tags = {"Game": game_name(game)}
    tags |= {seat.capitalize(): name for seat, name in zip(seat_names(game), names, strict=True)}
    tags |= {"Notation": style} if style != "official" else {}
    head = [f'[{tag} "{_escape(value)}"]' for tag, value in tags.items()]
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    rounds: list[str] = []
    for ply, move in enumerate(plays):
        text = move_text(game, state, move, style)
        if ply % game.seats == 0:
            rounds.append(f"{ply // game.seats + 1}. {text}")
        else:
            rounds[-1] += f" {text}"
        play(game, state, int(move))
    return "\n".join([*head, "", *rounds, ""])


def _escape(value: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in value).replace("\\", "\\\\").replace('"', '\\"')


def read(game: Any, name: str, text: str) -> tuple[list[str], list[int]]:
    """The players' names and the moves of a file, whose name is for errors: they tell its line, the move, and the rule."""
    tags: dict[str, str] = {}
    plays: list[int] = []
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    for at, line in enumerate(text.splitlines(), 1):
        line = line.partition(";")[0].strip() if not line.lstrip().startswith("[") else line.strip()
        where = f"{name}, line {at}"
        if line.startswith("["):
            _read_tag(game, tags, where, line, bool(plays))
            continue
        for word in line.split():
            found = _NUMBER.match(word)
            if found and int(word[: found.end()].rstrip(".")[:9]) != len(plays) // game.seats + 1:
                raise LudusError(f"{where}: {word!r} comes where round {len(plays) // game.seats + 1} is due")
            word = word[found.end() :] if found else word
            if not word:
                continue
            if state[TURN] == OVER:
                raise LudusError(f"{where}, move {len(plays) + 1}: {word!r} comes after the end of the game")
            try:
                move = read_move(game, state, word, tags.get("Notation", "official"))
            except LudusError as error:
                raise LudusError(f"{where}, move {len(plays) + 1}: {error}") from error
            plays.append(move)
            play(game, state, move)
    if not tags and not plays:
        raise LudusError(f"{name} holds no game of Quoridor")
    return [tags.get(seat.capitalize(), seat) for seat in seat_names(game)], plays


def _read_tag(game: Any, tags: dict[str, str], where: str, line: str, late: bool) -> None:
    """Take a line of the header into the tags."""
    found = _TAG.fullmatch(line)
    if not found:
        raise LudusError(f'{where}: can\'t read {line[:60]!r}; a line of the header looks like [Yellow "you"]')
    tag, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
    if late or tag in tags:
        raise LudusError(f"{where}: [{tag} …] comes {'after the first move' if late else 'a second time'}")
    if not value.isprintable():  # names go to the terminal, where other characters could do anything
        raise LudusError(f"{where}: {tag} has characters that can't be printed")
    if tag == "Game" and value != game_name(game) and not _stands_for(value, game):
        raise LudusError(f"{where}: it is a game of {value!r}, and this is {game_name(game)}")
    if tag == "Notation" and value not in STYLES:
        raise LudusError(f"{where}: there is no notation {value!r}; there are {', '.join(STYLES)}")
    tags[tag] = value


def _stands_for(name: str, game: Any) -> bool:
    """Whether a name is another one of this game: what is usual may be said or left out. Names of other games are not looked into."""
    try:
        spec = parse(name)
        return spec.name == "quoridor" and spec.path is None and bool(game_of(name, load=False) == game)
    except LudusError:
        return False


# --- what a game offers ----------------------------------------------------------------------------------------------


class Files:
    """Games as `.quoridor` files: what `ludus play` saves and loads (see `ludus.play.table`)."""

    __slots__ = ()

    @property
    def formats(self) -> tuple[str, ...]:
        """The endings of the files that `write_game` and `read_game` know."""
        return (".quoridor",)

    def write_game(self, name: str, seats: Sequence[str], plays: Sequence[int]) -> str:
        """The text of a `.quoridor` file: who plays, and the moves in official notation."""
        return write(self, seats, plays)

    def read_game(self, name: str, text: str, number: int | None = None) -> tuple[Sequence[str], list[int], list[str]]:
        """The players and the moves of a `.quoridor` file, which holds one game; nothing of it is left out."""
        if number not in (None, 1):
            raise LudusError(f"{name} holds 1 game: there is no game {number}")
        return *read(self, name, text), []
