"""Who plays by OpenSpiel, as a player of ours: its bots by name, `openspiel:mcts(simulations=100)`, and anything that chooses on its states."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus.adapters.actions import whole_move
from ludus.adapters.openspiel.games import pyspiel
from ludus.adapters.openspiel.registering import game as registered
from ludus.adapters.openspiel.registering import state_of
from ludus.contract.position import Position
from ludus.errors import LudusError, choice
from ludus.games.openspiel.loading import OpenSpiel
from ludus.players.base import decider
from ludus.quantities import COUNT, PLAYOUTS, WEIGHT
from ludus.spec import Spec

Act = Callable[[Any, int, np.random.Generator], int]

MEMORY = 1000  # megabytes that OpenSpiel's tree may take
LARGEST = 2**31 - 1  # seed that it takes


class SpielPlayer:
    """A player that chooses on OpenSpiel's states: `act(state, seat, rng)` returns an action. It plays OpenSpiel's games (`openspiel:connect_four`),
    and ours as OpenSpiel sees them (`ludus.adapters.openspiel.game`): where a turn is several actions there, `act` is asked for each.

    >>> import ludus
    >>> first = SpielPlayer("tictactoe", lambda state, seat, rng: state.legal_actions()[0], name="first")
    >>> ludus.arena("tictactoe", [first, "random"], games=10)["first"].games
    10
    """

    def __init__(self, game: Any, act: Act, name: str = "openspiel") -> None:
        self.act, self.name = act, name
        self.game = game_registry.game(game) if isinstance(game, str) else game
        self.spiel = self.game.spiel if isinstance(self.game, OpenSpiel) else registered(self.game)

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        """The move in a position."""
        if position.game != self.game:
            mine, other = map(game_registry.game_name, (self.game, position.game))
            raise LudusError(f"player '{self.name}' was made for {mine}, and can't play {other}")
        seat = decider(position)
        if isinstance(self.game, OpenSpiel):
            return int(self.act(self.game.spiel_state(position.state), seat, rng))
        actions, state = self.spiel.actions, state_of(self.spiel, position)
        before = state.moment.array
        action = int(self.act(state, seat, rng))
        if reason := actions.reason(before, seat, action):
            raise LudusError(f"player '{self.name}': {reason}")
        if len(before) == len(position.state):
            return actions.move(seat, action)
        state.apply_action(action)  # a part of a turn
        while not actions.whole(state.moment.array) and not state.is_terminal():
            state.apply_action(int(self.act(state, seat, rng)))
        return whole_move(actions, before, state.moment.array)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


# --- OpenSpiel's bots ------------------------------------------------------------------------------------------------


def _mcts(spiel: Any, simulations: int = 1000, c: float = 2.0, rollouts: int = 1, solve: bool = True) -> Act:
    """OpenSpiel's Monte Carlo tree search: in C++ on its own games, in Python on ours, where the one in C++ crashes (OpenSpiel 2.0.2). Each move is
    searched for anew, so that games do not depend on who else plays.
    """
    kind = spiel.get_type()
    if kind.dynamics != kind.Dynamics.SEQUENTIAL or kind.reward_model != kind.RewardModel.TERMINAL:
        raise LudusError(
            f"openspiel:mcts plays games in which seats take turns and points come at the end, and {spiel} is none: take mcts or openspiel:random"
        )

    def in_cpp(state: Any, seat: int, rng: np.random.Generator) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, int(rng.integers(LARGEST)))
        return pyspiel.MCTSBot(spiel, evaluator, c, simulations, MEMORY, solve, int(rng.integers(LARGEST)), False).step(
            state
        )

    def in_python(state: Any, seat: int, rng: np.random.Generator) -> int:
        mcts = importlib.import_module("open_spiel.python.algorithms.mcts")
        draw = np.random.RandomState(int(rng.integers(LARGEST)))
        return mcts.MCTSBot(spiel, c, simulations, mcts.RandomRolloutEvaluator(rollouts, draw), solve, draw).step(state)

    # A game in C++ may be made of one in Python, as misere(game=python_tic_tac_toe()) is.
    is_cpp = type(spiel).__module__.startswith("pyspiel") and not re.search(r"\b(python|ludus)_", str(spiel))
    return in_cpp if is_cpp else in_python


def _registered(name: str) -> Callable[..., Act]:
    """A maker of one of the bots that OpenSpiel has by name. They remember nothing, so that each move has a new one."""

    def make(spiel: Any, **arguments: Any) -> Act:
        def act(state: Any, seat: int, rng: np.random.Generator) -> int:
            try:
                return pyspiel.load_bot(name, spiel, seat, {"seed": int(rng.integers(LARGEST)), **arguments}).step(
                    state
                )
            except pyspiel.SpielError as error:
                raise LudusError(f"openspiel:{name} can't move in {spiel}: {str(error).splitlines()[0]}") from None

        return act

    return make


BOTS: dict[str, tuple[Callable[..., Act], dict[str, Any]]] = {
    "mcts": (_mcts, {"simulations": COUNT, "c": WEIGHT, "rollouts": PLAYOUTS, "solve": bool}),
    "random": (_registered("uniform_random"), {}),
    "fixed_action_preference": (_registered("fixed_action_preference"), {"actions": str}),
}


def make_bot(game: Any, path: str | None, **arguments: Any) -> SpielPlayer:
    """The player of a name such as `openspiel:mcts(simulations=100)`."""
    if path is None:
        raise LudusError(f"openspiel alone is no player: name one of its bots, openspiel:{' or openspiel:'.join(BOTS)}")
    maker, known = choice("bot of OpenSpiel", path, BOTS)
    checked = Spec(f"openspiel:{path}", None, arguments).check("player", known)
    player = SpielPlayer(game, lambda *_: 0, f"openspiel:{path}")
    player.act = maker(player.spiel, **checked)
    return player
