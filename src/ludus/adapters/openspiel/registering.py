"""The names by which OpenSpiel finds our games: `ludus_backgammon`, `ludus_quoridor(size=5)`, `ludus_tictactoe`, `ludus_game(title=mygame.kif)`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus.adapters.actions import Actions
from ludus.adapters.openspiel.games import WORDS, LudusGame, LudusState, game_type, pyspiel
from ludus.adapters.openspiel.moments import moment_of
from ludus.contract.position import Position
from ludus.errors import LudusError, unknown
from ludus.games.gdl import shipped
from ludus.spec import parse

ANY = "ludus_game"  # takes any name of a game as its parameter `title`, with other signs for those of its arguments: hex4[seconds|3;memory|900]
_THEIRS, _OURS = "[];|", "(),="  # OpenSpiel would take ours for its own
MOST = 10  # players that a name may stand for, before the game is loaded

# What the games' names take, with what it is unless told. Walls below 0, and columns or a limit of 0, are for the rules to say.
PARAMETERS: dict[str, dict[str, Any]] = {
    "backgammon": {
        "scoring": 3, "bearoff": 0, "match": 0, "cube": False, "crawford": True, "jacoby": False, "beavers": 0, "automatic": 0, "ids": "steps",
    },
    "ludo": {
        "rules": "classic", "seats": 4, "blockades": "land", "safe_squares": True, "exact": True, "three_sixes": False, "capture_bonus": False,
    },
    "quoridor": {"size": 9, "columns": 0, "walls": -1, "seats": 2, "limit": 0},
}  # fmt: skip


def register() -> None:
    """Tell OpenSpiel of every game and rulesheet."""
    for name in (*game_registry.REGISTRY, *shipped()):
        _register(f"ludus_{name}", PARAMETERS.get(name, {}), name)
    _register(ANY, {"title": "tictactoe"}, "tictactoe")


@lru_cache(maxsize=64)
def _actions(name: str, ids: str) -> Actions:
    """Kept, as OpenSpiel loads a game again for each state that it reads."""
    return Actions(name, ids)


def _register(short_name: str, own: dict[str, Any], name: str) -> None:
    usual = own | WORDS

    def make(params: dict[str, Any]) -> LudusGame:
        given = {key: value for key, value in params.items() if value != usual[key]}
        said = {key: value for key, value in given.items() if key in own}
        title, ids = said.pop("title", name).translate(str.maketrans(_THEIRS, _OURS)), said.pop("ids", "steps")
        arguments = ",".join(f"{key}={value}" for key, value in said.items())
        return LudusGame(_actions(f"{title}({arguments})" if arguments else title, ids), short_name, given)

    # OpenSpiel lets go of its makers after Python has ended, which then can't clear them away: one that holds itself is never cleared away.
    make.itself = make  # type: ignore[attr-defined]
    pyspiel.register_game(game_type(short_name, usual, 1, max_num_players=MOST), make)


def game(name: Any, **params: Any) -> LudusGame:
    """A game of ludus, by its name or as it is, for OpenSpiel. Parameters: `max_game_length` cuts games after so many decisions (0: as the
    rules say, or 5,000), `dynamics` and `utility` overrule what random games told (`sequential` or `simultaneous`, `general`).

    >>> state = game("tictactoe").new_initial_state()
    >>> [state.action_to_string(0, action) for action in state.legal_actions()][:2]
    ['( mark 1 1 )', '( mark 1 2 )']
    """
    text = name if isinstance(name, str) else game_registry.game_name(name)
    spec = parse(text)
    short_name, said = f"ludus_{spec.name}", spec.arguments
    if spec.path is not None or (spec.name not in PARAMETERS and (said or spec.name not in shipped())):
        short_name, said = ANY, {"title": text.translate(str.maketrans(_OURS, _THEIRS))}
    known = PARAMETERS.get(spec.name, {}) | WORDS
    for key in params:
        if key not in known:
            raise unknown(f"parameter of {short_name}", key, known)
    try:
        return pyspiel.load_game(short_name, said | params)
    except pyspiel.SpielError as error:
        raise LudusError(f"OpenSpiel can't load {text}: {error}") from None


def state_of(game: LudusGame, position: Position) -> LudusState:
    """OpenSpiel's state for a position of ours. Its history begins there.

    >>> import ludus
    >>> position = ludus.game("tictactoe").start().play("mark 2 2")
    >>> state_of(game("tictactoe"), position).current_player()
    1
    """
    array = np.zeros(game.actions.game.facts.state_size, np.int64)
    array[: len(position.state)] = (
        position.state
    )  # a game in small steps has more numbers: all 0 while no turn is half made
    state = game.new_initial_state()
    state.moment = moment_of(game.actions, array)
    return state
