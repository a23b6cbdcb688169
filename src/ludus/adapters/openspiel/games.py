"""Our games as games of OpenSpiel: what it calls a Python game, and its states.

OpenSpiel's C++ `MCTSBot` crashes on Python games (OpenSpiel 2.0.2: a segmentation fault). Use its Python MCTS
(`open_spiel.python.algorithms.mcts`), or our own `mcts`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ludus.adapters.actions import Actions
from ludus.adapters.openspiel import moments
from ludus.adapters.openspiel.moments import Traits
from ludus.adapters.openspiel.observing import Observer
from ludus.adapters.sights import Sights
from ludus.contract.clock import clock_of
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError, choice
from ludus.games.openspiel.loading import pyspiel as _pyspiel
from ludus.quantities import MOVES_OR_NONE

pyspiel = _pyspiel()
Type = pyspiel.GameType

LENGTH = 5000  # decisions after which a game is cut whose rules set no bound
ROLLS = 10  # chance events for each of them, at most

WORDS: dict[str, Any] = {
    "max_game_length": 0,
    "dynamics": "auto",
    "utility": "auto",
}  # parameters that every game takes


class LudusGame(pyspiel.Game):  # type: ignore[misc,name-defined]
    """A game of ours for OpenSpiel's algorithms; see `ludus.adapters.openspiel.game`.

    C++ `MCTSBot` of OpenSpiel 2.0.2 crashes on Python games, as this is one: use `open_spiel.python.algorithms.mcts`.
    """

    def __init__(self, actions: Actions, short_name: str, params: dict[str, Any]) -> None:
        said = WORDS | params
        choice("dynamics", said["dynamics"], {"auto": 0, "sequential": 0, "simultaneous": 0})
        choice("utility", said["utility"], {"auto": 0, "general": 0})
        facts, traits = actions.game.facts, traits_of(actions)
        self.actions, self.sights, self.first = actions, Sights(actions), moments.first(actions)
        self.joint = traits.joint if said["dynamics"] == "auto" else said["dynamics"] == "simultaneous"
        self.sum = traits.sum if said["utility"] == "auto" else None
        bound = facts.max_plies or clock_of(actions.game).limit
        self.length = (
            MOVES_OR_NONE.read(said["max_game_length"], f"max_game_length={said['max_game_length']}") or bound or LENGTH
        )
        self.rolls = ROLLS * self.length if facts.max_chances else 0
        kind = game_type(
            short_name, params, facts.seats,
            dynamics=Type.Dynamics.SIMULTANEOUS if self.joint else Type.Dynamics.SEQUENTIAL,
            chance_mode=Type.ChanceMode.EXPLICIT_STOCHASTIC if facts.max_chances else Type.ChanceMode.DETERMINISTIC,
            utility=Type.Utility.GENERAL_SUM if self.sum is None else Type.Utility.ZERO_SUM if self.sum == 0 else Type.Utility.CONSTANT_SUM,
        )  # fmt: skip
        low, high = facts.score_range
        info = pyspiel.GameInfo(
            num_distinct_actions=actions.size, max_chance_outcomes=facts.max_chances, num_players=facts.seats,
            min_utility=low, max_utility=high, utility_sum=self.sum, max_game_length=self.length,
        )  # fmt: skip
        super().__init__(kind, info, params)

    def new_initial_state(self, state: Any = None) -> LudusState:
        """The beginning of a game."""
        if state is not None:
            raise LudusError("states of ludus games are read by deserialize_state, or made by state_of(game, position)")
        return LudusState(self)

    def max_chance_nodes_in_history(self) -> int:
        """How often chance may have its way in a game."""
        return self.rolls

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Who shows states as tensors and strings."""
        return Observer(self.sights, self.num_players(), iig_obs_type, params)


class LudusState(pyspiel.State):  # type: ignore[misc,name-defined]
    """A state of such a game. All it has of its own is a `moment`, which never changes, so that clones are cheap."""

    # OpenSpiel copies and writes down what is in `__dict__`; the game, beside it, is neither copied nor written.
    __slots__ = ("__dict__", "game")

    def __init__(self, game: LudusGame) -> None:
        super().__init__(game)
        self.game, self.moment = game, game.first

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's number for chance, for all at once, or for the end."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        turn = self.moment.turn
        if turn == JOINT:
            if not self.game.joint:
                raise LudusError(f"all seats move at once here: load {self.game} with dynamics=simultaneous")
            return pyspiel.PlayerId.SIMULTANEOUS
        return pyspiel.PlayerId.CHANCE if turn == CHANCE else turn

    def is_terminal(self) -> bool:
        """Whether the game has ended, or is cut because it went on for too long."""
        return self.moment.turn == OVER or self.is_cut()

    def is_cut(self) -> bool:
        """Whether the game went on for as long as it may, and the rules have not ended it."""
        game, now = self.game, self.moment
        return now.turn != OVER and (now.plies >= game.length or now.rolls >= game.rolls > 0)

    def returns(self) -> list[float]:
        """The scores of an ended game; all alike for one that was cut, and 0 while it goes on."""
        game, now = self.game, self.moment
        if now.turn != OVER:
            share = (game.sum or 0.0) / game.num_players() if self.is_cut() else 0.0
            return [share] * game.num_players()
        points = moments.points(game.actions, now)
        if game.sum is not None and abs(sum(points) - game.sum) > 1e-6:
            raise LudusError(
                f"the scores are {points}, not {game.sum:g} in sum as in other games: load {game} with utility=general"
            )
        return points

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of chance, numbered in the order in which the game lists them."""
        return list(enumerate(moments.possible(self.game.actions, self.moment)[1]))

    def _legal_actions(self, player: int) -> list[int]:
        return self.moment.legal(self.game.actions, player)

    def _apply_action(self, action: int) -> None:
        self.moment = moments.after(self.game.actions, self.moment, action)

    def _apply_actions(self, actions: list[int]) -> None:
        self.moment = moments.after(self.game.actions, self.moment, actions)

    def _action_to_string(self, player: int, action: int) -> str:
        actions, now = self.game.actions, self.moment
        if player >= 0:
            return actions.text(now.array, player, action)
        return actions.game.move_text(now.array, moments.possible(actions, now)[0][action])

    @property
    def text(self) -> str:
        """The position on one line."""
        return self.game.actions.game.state_text(self.moment.array)

    def __str__(self) -> str:
        return self.moment.board(self.game.actions)


def game_type(short_name: str, params: dict[str, Any], seats: int, **more: Any) -> Any:
    """OpenSpiel's description of a kind of games. What it says of a name before a game is loaded is a guess; a loaded game says it right."""
    usual = {
        "dynamics": Type.Dynamics.SEQUENTIAL, "chance_mode": Type.ChanceMode.DETERMINISTIC, "utility": Type.Utility.GENERAL_SUM,
        "min_num_players": seats, "max_num_players": seats, "parameter_specification": params,
    }  # fmt: skip
    return Type(
        short_name=short_name, long_name=f"{short_name.removeprefix('ludus_')} of ludus", information=Type.Information.PERFECT_INFORMATION,
        reward_model=Type.RewardModel.TERMINAL, provides_information_state_string=True, provides_information_state_tensor=False,
        provides_observation_string=True, provides_observation_tensor=True, **(usual | more),
    )  # fmt: skip


@lru_cache(maxsize=64)
def traits_of(actions: Actions) -> Traits:
    """What random games tell of a game; it is found out once."""
    return Traits(actions)
