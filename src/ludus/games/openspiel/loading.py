"""Games of OpenSpiel by name: which of them can be played here, and what is wrong with the others."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from ludus.contract.position import Game
from ludus.errors import LudusError, NotInstalledError, brief, unknown
from ludus.games.openspiel.face import Face
from ludus.games.openspiel.referee import Referee, referees

NOTE = "OpenSpiel's games are played through Python, ply by ply: slow beside the games of ludus (docs/openspiel.md)."

_told: list[bool] = []
_words = {bool: "true or false", int: "a whole number", float: "a number", str: "a word", dict: "a game, as in tic_tac_toe()"}  # fmt: skip


class OpenSpiel(Face):
    """A game whose rules OpenSpiel holds. `ludus.game("openspiel:NAME")` makes one, and `ludus.games.openspiel.adopt`."""

    __slots__ = ()

    def __reduce__(self) -> Any:  # another process has another referee
        return again, (self.title,)


_game: type[Game] = OpenSpiel  # mypy looks whether it is one


def pyspiel() -> Any:
    """The module of OpenSpiel; NotInstalledError says what to install."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        raise NotInstalledError("OpenSpiel is not installed: pip install 'ludus[openspiel]'") from None


def named(name: str | None, arguments: dict[str, Any]) -> OpenSpiel:
    """The game of a name and OpenSpiel's own parameters. People are told once that it is slow."""
    spiel = pyspiel()
    if name is None:
        raise LudusError("openspiel alone is no game: name one of OpenSpiel's, as in openspiel:connect_four")
    known = {kind.short_name: kind for kind in spiel.registered_games()}
    if name not in known:  # its games in Python are known once they are imported
        importlib.import_module("open_spiel.python.games")
        known = {kind.short_name: kind for kind in spiel.registered_games()}
    if name not in known:
        raise unknown("game of OpenSpiel", name, known)
    expected = known[name].parameter_specification
    for key, value in arguments.items():
        if key not in expected:
            raise _no_parameter(name, key, expected)
        want = type(expected[key])
        if not isinstance(value, int if want is float else str if want is dict else want) and type(value) is not want:
            raise LudusError(f"openspiel:{name}({key}={brief(value)}): {key} must be {_words[want]}")
        if want is dict and (inner := str(value).partition("(")[0]) not in known:
            raise unknown(f"game in openspiel:{name}", inner, known)
    for key, usual in expected.items():
        if usual == {} and key not in arguments:
            raise LudusError(f"openspiel:{name} needs a game: openspiel:{name}({key}=tic_tac_toe())")
    given = (f"{key}={float(value) if type(expected[key]) is float else value}" for key, value in arguments.items())
    game = adopted(_loaded(f"{name}({','.join(given)})"))
    if not _told:
        _told.append(True)
        print(NOTE, file=sys.stderr, flush=True)
    return game


def _no_parameter(name: str, key: str, expected: dict[str, Any]) -> LudusError:
    if not expected:
        return LudusError(f"openspiel:{name} takes no parameters, but got '{brief(key)}'")
    return unknown(f"parameter of openspiel:{name}", key, expected)


def _loaded(title: str) -> Any:
    spiel = pyspiel()
    try:
        return spiel.load_game(title)
    except spiel.SpielError as error:
        raise LudusError(f"OpenSpiel can't load {brief(title)}: {brief(str(error).splitlines()[0], 200)}") from None


def adopted(game: Any) -> OpenSpiel:
    """A game of OpenSpiel as one of ours; LudusError if it can't be."""
    title, kind = str(game), game.get_type()
    name = f"openspiel:{title.removesuffix('()')}"
    if kind.dynamics == kind.Dynamics.MEAN_FIELD:
        raise LudusError(f"{name} is a mean field game, which has no players to seat; choose one of another kind")
    if kind.information == kind.Information.IMPERFECT_INFORMATION:
        raise LudusError(
            f"{name} hides something from its players, and players of ludus see whole states; choose a game of perfect information"
        )
    if kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        raise LudusError(f"{name} draws its chances by itself; choose a game whose chances are listed")
    if title not in referees:
        referees[title] = Referee(game)
    referee = referees[title]
    return OpenSpiel(
        np.frombuffer(title.encode(), np.uint8).copy(),
        np.array([referee.address, referee.seats, referee.inputs], np.int64),
    )


def again(title: str) -> OpenSpiel:
    """The game that was packed up in another process, where OpenSpiel called it so. Nobody is told anything."""
    if title not in referees and title.startswith("python_"):
        importlib.import_module("open_spiel.python.games")
    return adopted(referees[title].game if title in referees else _loaded(title))
