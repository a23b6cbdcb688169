"""Games from files, as a row of rolls, moves and actions with the cube: matches of backgammon as `.mat`, and whatever games `ludus play` saves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus import games as game_registry
from ludus.contract.rules import CHANCE, JOINT, play, start
from ludus.errors import LudusError, brief
from ludus.files import read_regular
from ludus.games.backgammon import mat
from ludus.games.backgammon.rules import TURN
from ludus.play import saved

MATCHES = (".mat", ".txt")  # the endings of files that hold matches of backgammon
ENDINGS = (*MATCHES, ".quoridor", saved.OWN)
_GAME_TAG = re.compile(r'^\s*\[\s*Game\s+"([^"\\]*)"\s*\]', re.MULTILINE)

ROLL, MOVE, CUBE = "roll", "move", "cube"


class Act(NamedTuple):
    """Something that happened in a game, and the state in which it did."""

    kind: str  # ROLL, MOVE or CUBE
    seat: int  # who; of a roll the seat that moves by it, or -1
    code: int  # the outcome or the move
    text: str  # as people write it
    state: np.ndarray


class Played(NamedTuple):
    """A game of a file."""

    number: int  # in the file, from 1 on
    acts: tuple[Act, ...]
    score: tuple[int, ...] = ()  # of a match, before the game
    winner: int | None = None
    points: int | None = None  # of a match, that the winner got
    result: tuple[float, ...] = ()  # by seat, as if no cube had been turned; nothing: the game was not finished


class Sheet(NamedTuple):
    """What a file holds."""

    path: Path
    game: Any
    names: tuple[str, ...]
    games: tuple[Played, ...]
    length: int | None = None  # of a match in points, 0 for money; None where there are no matches
    record: mat.Record | None = None  # of a match


def is_file(text: str) -> bool:
    """Whether a word means a file with games, and not the name of a game.

    >>> is_file("final.mat"), is_file("backgammon(scoring=1)"), is_file("nim.kif")
    (True, False, False)
    """
    return Path(text).suffix.lower() in ENDINGS


def read(path: Path | str, number: int | None = None) -> Sheet:
    """The games of a file, or one of them, from 1 on; LudusError says what is wrong with it."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise LudusError(f"can't analyse {brief(path)}: games are read from files that end in {', '.join(ENDINGS)}")
    sheet = _read_match(path) if ending in MATCHES else _read_saved(path)
    if not sheet.games:
        raise LudusError(f"{brief(path)} holds no game")
    if number is None:
        return sheet
    if not 1 <= number <= len(sheet.games):
        count = len(sheet.games)
        raise LudusError(f"{brief(path)} holds {count} game{'s' * (count > 1)}: there is no game {number}")
    return sheet._replace(games=(sheet.games[number - 1],))


def printable(text: str) -> str:
    """A name from a file, without what could do anything to a terminal.

    >>> printable("Ann\\x9b31m")
    'Ann?31m'
    """
    return "".join(sign if sign.isprintable() else "?" for sign in text)


# --- matches of backgammon -------------------------------------------------------------------------------------------


def _read_match(path: Path) -> Sheet:
    record, game = mat.load(path), game_registry.game("backgammon")
    games = tuple(_match_game(game, number, each) for number, each in enumerate(record.games, 1))
    names = tuple(printable(name) for name in record.names)
    return Sheet(path, game, names, games, record.length, record)


def _match_game(game: Any, number: int, record: mat.GameRecord) -> Played:
    result: tuple[float, ...] = ()
    if record.winner is not None:
        cube = 1  # a double, and what is dropped, shows what the cube would become
        for act in record.turns:
            if isinstance(act, mat.Cube):
                cube = act.value if act.action == "take" else act.value // 2
        won = record.points / cube
        result = (won, -won) if record.winner == 0 else (-won, won)
    return Played(number, tuple(_match_acts(game, record)), record.score, record.winner, record.points, result)


def _match_acts(game: Any, record: mat.GameRecord) -> Iterator[Act]:
    state = _beginning(game)
    for act in record.turns:
        if isinstance(act, mat.Cube):
            said = f"{act.action}s" + f" to {act.value}" * (act.action in ("double", "beaver"))
            yield Act(CUBE, act.seat, -1, said, state.copy())
            continue
        turned = state[TURN] < 0 and act.seat == 1  # the first digit of the opening roll is seat 0's die
        dice = act.dice % 10 * 10 + act.dice // 10 if turned else act.dice
        yield Act(ROLL, act.seat, dice, f"{act.dice}", state.copy())
        play(game, state, dice)
        if act.move is not None:
            yield Act(MOVE, act.seat, act.move, act.text, state.copy())
            play(game, state, act.move)


# --- saved games -----------------------------------------------------------------------------------------------------


def _read_saved(path: Path) -> Sheet:
    game = game_registry.game(_game_of(path), load=False)
    table = saved.load(game, path, None, 1)
    acts, before = [], table.beginning
    for step in table.steps:
        if step.seat == JOINT:
            raise LudusError(f"can't analyse {brief(path)}: games in which all seats move at once are not analysed")
        seat = step.after.turn if step.seat == CHANCE else step.seat
        kind = ROLL if step.seat == CHANCE else MOVE
        acts.append(Act(kind, -1 if seat is None else seat, step.moves[0], step.texts[0], before.state.copy()))
        before = step.after
    result: tuple[float, ...] = tuple(before.scores()) if before.over else ()
    best = max(result, default=0.0)
    winner = result.index(best) if result.count(best) == 1 else None
    names = tuple(printable(name) for name in table.names)
    return Sheet(path, game, names, (Played(1, tuple(acts), winner=winner, result=result),))


def _game_of(path: Path) -> str:
    """The name of the game that a file says it is of."""
    data = read_regular(path, saved.LARGEST)
    try:
        text = data.decode()
        if path.suffix.lower() != saved.OWN:
            found = _GAME_TAG.search(text)
            return found[1] if found else path.suffix.lower()[1:]
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LudusError(f"can't load {brief(path)}: it is not a saved game, or is cut off ({brief(error)})") from None
    name = head.get("game") if isinstance(head, dict) else None
    if not isinstance(name, str):
        raise LudusError(f"can't load {brief(path)}: it is not a saved game of ludus")
    return name


def _beginning(game: Any) -> np.ndarray:
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    return state
