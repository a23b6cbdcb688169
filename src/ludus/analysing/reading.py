"""Games from files: matches of backgammon as `.mat`, and whatever games `ludus play` saves."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ludus import games as game_registry
from ludus.analysing.cube_games import record_games, rules_of, saved_games, without_cube
from ludus.analysing.sheet import MOVE, ROLL, Act, Played, Sheet
from ludus.contract.rules import CHANCE, JOINT
from ludus.errors import LudusError, brief
from ludus.files import read_regular
from ludus.games.backgammon import mat
from ludus.games.backgammon.match import MatchRules
from ludus.play import saved

MATCHES = (".mat", ".txt")  # the endings of files that hold matches of backgammon
ENDINGS = (*MATCHES, ".quoridor", saved.OWN)
_GAME_TAG = re.compile(r'^\s*\[\s*Game\s+"([^"\\]*)"\s*\]', re.MULTILINE)


def is_file(text: str) -> bool:
    """Whether a word means a file with games, and not the name of a game.

    >>> is_file("final.mat"), is_file("backgammon(scoring=1)"), is_file("nim.kif")
    (True, False, False)
    """
    return Path(text).suffix.lower() in ENDINGS


def read(path: Path | str, number: int | None = None, *, cubeless: bool = False, jacoby: bool | None = None) -> Sheet:
    """The games of a file, or one of them, from 1 on; LudusError says what is wrong with it. With `cubeless` the cube and the score of a match are left out;
    `jacoby` says whether games for money were played by Jacoby's rule, where their file does not.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise LudusError(f"can't analyse {brief(path)}: games are read from files that end in {', '.join(ENDINGS)}")
    if jacoby is not None and ending not in MATCHES:
        raise LudusError(f"{brief(path)} says itself whether Jacoby's rule counts: only .mat files leave it open")
    sheet = _read_match(path, cubeless, jacoby) if ending in MATCHES else _read_saved(path, cubeless)
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


def _read_match(path: Path, cubeless: bool, jacoby: bool | None) -> Sheet:
    record = mat.load(path)
    if jacoby is not None and record.length:
        raise LudusError(f"Jacoby's rule is for money, and {brief(path)} holds a match to {record.length}")
    if jacoby is not None and cubeless:
        raise LudusError("Jacoby's rule is one of games with the cube: without the cube it is nothing to say")
    # Without the cube the score is nothing to look at: whatever was played, it is as if for money.
    game = game_registry.game("backgammon(cube=true)") if cubeless else rules_of(path, record, jacoby)
    names = tuple(printable(name) for name in record.names)
    sheet = Sheet(path, game, names, tuple(record_games(game, record)), record.length, record)
    return without_cube(sheet) if cubeless else sheet


# --- saved games -----------------------------------------------------------------------------------------------------


def _read_saved(path: Path, cubeless: bool) -> Sheet:
    game = game_registry.game(_game_of(path), load=False)
    table = saved.load(game, path, None, 1)
    names = tuple(printable(name) for name in table.names)
    if isinstance(game, MatchRules):
        games = tuple(saved_games(game, table.beginning, table.steps))
        sheet = Sheet(path, game, names, games, game.match)
        return without_cube(sheet) if cubeless else sheet
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
