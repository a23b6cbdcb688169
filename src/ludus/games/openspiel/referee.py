"""Who asks OpenSpiel: turns arrays into OpenSpiel's states, and answers what kernels want to know of them.

A state of ours is whose turn it is, and all that was played so far. OpenSpiel's own state is made of that by playing it again, unless it is
still remembered.
"""

from __future__ import annotations

import random
import threading
import warnings
from collections import OrderedDict
from typing import Any

import numpy as np

from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.kernel import python_function

# A state: whose turn it is, how many actions were played, and these actions, several in a word.
TURN, PLAYED, HISTORY = range(3)

START, LIST, ODDS, PLAY, PLAY_JOINT, SCORES, PLAYOUTS, TENSOR = range(8)  # what kernels ask

MAX_KEPT = 4096  # states of OpenSpiel that are remembered


class Referee:
    """Knows the rules of one of OpenSpiel's games; answers from any thread, one at a time."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.seats: int = game.num_players()
        self.actions: int = game.num_distinct_actions()
        self.chances = _chances(game)
        # At a simultaneous node each seat adds an action.
        self.room = self.seats * game.max_game_length() + (_chance_nodes(game) if self.chances else 0)
        self.kind = np.min_scalar_type(max(self.actions, self.chances, 1) - 1)  # of an action in a state
        self.state_size = HISTORY + -(-self.room * self.kind.itemsize // 8)
        self.inputs: int = game.observation_tensor_size() if game.get_type().provides_observation_tensor else 0
        self.lock = threading.RLock()
        self._kept: OrderedDict[bytes, Any] = OrderedDict()
        self.address = python_function(self.answer)

    # --- states ------------------------------------------------------------------------------------------------------

    def history(self, state: np.ndarray) -> np.ndarray:
        """The actions that were played, chance's among them: a view of a state."""
        return state[HISTORY:].view(self.kind)[: int(state[PLAYED])]

    def shown(self, state: np.ndarray) -> Any:
        """OpenSpiel's state for one of ours. It is shared: clone it before you play on."""
        with self.lock:
            history = self.history(state)
            key = history.tobytes()
            found = self._kept.get(key)
            return found if found is not None else self._keep(key, self.replayed(history.tolist()))

    def replayed(self, actions: list[int]) -> Any:
        """OpenSpiel's state after these actions."""
        state, at = self.game.new_initial_state(), 0
        while at < len(actions):
            if state.is_simultaneous_node():
                state.apply_actions(actions[at : at + self.seats])
                at += self.seats
            else:
                state.apply_action(actions[at])
                at += 1
        return state

    def _keep(self, key: bytes, state: Any) -> Any:
        while len(self._kept) >= MAX_KEPT:
            self._kept.popitem(last=False)
        self._kept[key] = state
        return state

    def start(self, state: np.ndarray) -> None:
        """Write the beginning of a game."""
        state[:] = 0
        state[TURN] = _turn(self.shown(state))

    def add(self, state: np.ndarray, actions: list[int]) -> None:
        """Play an action, or one a seat."""
        with self.lock:
            before, played = self.shown(state), int(state[PLAYED])
            if played + len(actions) > self.room:
                raise RuntimeError(f"it is longer than the {self.room} actions that it promises")
            state[HISTORY:].view(self.kind)[played : played + len(actions)] = actions
            state[PLAYED] = played + len(actions)
            key = self.history(state).tobytes()
            after = self._kept.get(key)
            if after is None:
                after = before.clone()
                after.apply_actions(actions) if before.is_simultaneous_node() else after.apply_action(actions[0])
                self._keep(key, after)
            state[TURN] = _turn(after)

    def legal(self, state: np.ndarray, seat: int) -> list[int]:
        """The legal actions of a seat. One that has nothing to decide where all move at once has one: 0, as OpenSpiel's tests play it."""
        return self.shown(state).legal_actions(seat) or [0]

    # --- kernels -----------------------------------------------------------------------------------------------------

    def answer(self, request: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
        """What a kernel asked for. A game that can't go on is over: kernels know no other way."""
        try:
            with self.lock:
                return self._answer(request, state, number, other)
        except Exception as error:
            state[TURN] = OVER
            warnings.warn(f"a game of {self.game} ends without a result: {error}", stacklevel=1)
            return 0

    def _answer(self, request: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
        if request == START:
            self.start(state)
        elif request == PLAY:
            self.add(state, [number])
        elif request == PLAY_JOINT:
            self.add(state, other.tolist())
        elif request == PLAYOUTS:
            self._play_out(self.shown(state), number, other)
        elif request == TENSOR:
            other.view(np.float64)[:] = self.shown(state).observation_tensor(0)
        elif request == SCORES:
            over = self.shown(state)
            other.view(np.float64)[:] = over.returns() if over.is_terminal() else 0.0
        else:
            if request == LIST and number >= 0:
                values: list[Any] = self.legal(state, number)
            else:
                values = [pair[request == ODDS] for pair in self.shown(state).chance_outcomes()]
            other.view(np.float64 if request == ODDS else np.int64)[: len(values)] = values
            return len(values)
        return 0

    def _play_out(self, begin: Any, count: int, other: np.ndarray) -> None:
        """Play on at random so many times: `other` holds a seed, and then the scores in sum. One call for whole games, as each costs."""
        draw = random.Random(int(other[0]))
        total = np.zeros(self.seats)
        for _ in range(count):
            state = begin.clone()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(draw.choices(outcomes, odds)[0])
                elif state.is_simultaneous_node():
                    state.apply_actions([draw.choice(state.legal_actions(s) or [0]) for s in range(self.seats)])
                else:
                    state.apply_action(draw.choice(state.legal_actions()))
            total += state.returns()
        other[1:].view(np.float64)[:] = total


referees: dict[str, Referee] = {}  # of this process, by what OpenSpiel calls the game: equal games have one


def _turn(state: Any) -> int:
    """Whose turn it is, in our words."""
    if state.is_terminal():
        return OVER
    if state.is_chance_node():
        return CHANCE
    return JOINT if state.is_simultaneous_node() else int(state.current_player())


def _chances(game: Any) -> int:
    kind = game.get_type()
    return game.max_chance_outcomes() if kind.chance_mode == kind.ChanceMode.EXPLICIT_STOCHASTIC else 0


def _chance_nodes(game: Any) -> int:
    """How often chance may have its way in a game; some games don't say, and then as often as somebody moves."""
    try:
        return int(game.max_chance_nodes_in_history())
    except Exception:
        return int(game.max_game_length()) + 1
