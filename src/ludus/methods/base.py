"""What a learning method is: one class in one file. The lab trains it, keeps it, resumes it and lets it play, through this class alone.

    class Sarsa(Method):
        \"\"\"Linear SARSA: one line that people read.\"\"\"

        @dataclass(frozen=True)
        class Settings:
            rate: float = setting(0.1, "step size", above=0)

        def setup(self): ...          # make the weights; self.game, self.settings, self.seed and self.total are there
        def learn(self, games): ...   # learn from the next so many games, and report
        def state(self): ...          # all arrays that change while learning
        def player(self): ...         # who plays with what was learned so far

What a method becomes may depend on nothing but the game, the settings, the seed and the number of games so far: then a run can stop
anywhere and go on as if nothing had happened.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludus.batch import positions_listed
from ludus.errors import LudusError
from ludus.methods.settings import read
from ludus.nets.models import check_game
from ludus.scale.shards import Executor

Report = dict[str, float]


class DivergedError(LudusError):
    """What is learned is not finite any more."""

    def __init__(self, games: int, what: str) -> None:
        super().__init__(f"after {games:,} games {what}: the training has diverged; try a smaller step size")


# The words of a report, which mean the same whoever reports. All are of the games just learned from, but for those "so far" and "now".
WORDS = {
    "won": "share of the games that the learner won, of those just learned from",
    "points": "its mean score in them",
    "won_so_far": "share of all games so far that it won",
    "points_so_far": "its mean score in all games so far",
    "error": "mean absolute difference between what was predicted and what it learned to predict",
    "policy_loss": "mean cross-entropy between the policy and the shares that moves had in searches",
    "value_loss": "mean cross-entropy between the judgement and the score that it learned",
    "change": "sum of the changes of values in a game, on average",
    "agreed": "share of decisions in which it would have moved as its teacher",
    "searches": "share of decisions that were made by search",
    "exploration": "share of random moves",
    "rate": "step size now",
    "entries": "entries in its table now",
}
TAKEN = (
    "kind",
    "games",
    "moves",
    "seconds",
    "games_per_second",
    "opponents",
)  # what a line of a run's record says itself
NOW = ("rate", "entries", "won_so_far", "points_so_far")  # the last report says it; of the other words a mean is taken


@dataclass(frozen=True)
class NoSettings:
    """The settings of a method that has none."""


class Method:
    """A learning method. Made with settings only, it is a plan: `Sarsa(rate=0.2)`; `begin` makes a learner of it.

    Own methods need `learn` and `player`, nearly always `setup` and `state`, and often `Settings`.
    """

    Settings: ClassVar[Any] = NoSettings
    unit: int = 20  # games that are learned from at once: between two units a run can stop, and be resumed
    joint: ClassVar[bool] = False  # whether it can learn games in which all seats move at once

    game: Any
    settings: Any
    seed: int
    total: int  # games of the whole training

    def __init__(self, **settings: Any) -> None:
        self.settings = read(type(self).Settings, settings, f"method '{type(self).__name__.lower()}'")
        self.given = tuple(settings)  # what somebody asked for, even if it is as usual
        self.counters: dict[str, int] = {
            "games": 0,
            "moves": 0,
            "positions": 0,
        }  # kept with the state; methods may add to them

    def begin(self, game: Any, seed: int = 1, games: int = 1000, player: Callable[[str], Any] | None = None) -> Any:
        """A learner at the beginning of a training. `player` finds other players by name, for methods that learn with them."""
        return self._set_up(game, seed, games, player or _nobody)

    def to_play(self, game: Any, games: int = 1000) -> Any:
        """A learner that is only going to play, with a model of so many games: who else was there while it learned does not matter."""
        return self._set_up(game, 0, games, None)

    def _set_up(self, game: Any, seed: int, games: int, player: Callable[[str], Any] | None) -> Any:
        if not self.joint and game.start().kind == "joint":
            raise LudusError(
                f"in {game.facts.name} all seats move at once; method '{type(self).__name__.lower()}' learns games of turns only"
            )
        learner = copy.copy(self)
        learner.counters = {"games": 0, "moves": 0, "positions": 0}
        learner.game, learner.seed, learner.total = game, seed, games
        learner.playing, learner.find_player = player is None, player or _nobody
        learner.setup()
        return learner

    find_player: Callable[[str], Any]
    playing: bool = False  # whether it is set up to play only

    def setup(self) -> None:
        """Make what is to be learned: weights, tables. Called once, when the game, the seed and the total of games are known."""

    def learn(self, games: int) -> Report | None:
        """Learn from the next games, the first of which has the number `self.games`; return what there is to report (see WORDS)."""
        raise NotImplementedError

    def state(self) -> dict[str, np.ndarray]:
        """Everything that changes while learning, by name, beside the counters."""
        return {}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` once was: copied into the arrays that `state` gives now."""
        self._fill("state", "restore", state)

    def _fill(self, giver: str, taker: str, kept: dict[str, np.ndarray]) -> None:
        """Copy what was kept into the arrays that a method of this object gives."""
        own = getattr(self, giver)()
        for name, array in own.items():
            if name not in kept or kept[name].shape != array.shape or kept[name].dtype != array.dtype:
                raise LudusError(f"what was kept does not fit these settings: {name} is missing or has another shape")
        for name, array in own.items():
            array[...] = kept[name]
        for name, array in getattr(self, giver)().items():
            if array.tobytes() != kept[name].tobytes():
                cls = type(self).__name__
                raise TypeError(
                    f"{cls}.{giver}() gives copies, which can't be filled again: write {cls}.{taker}({giver})"
                )

    def player(self) -> Any:
        """Who plays with what was learned so far: a built-in player, or any object with `choose_batch(batch)` or `choose(position, rng)`."""
        raise NotImplementedError

    # What may stay as it is.

    def model(self) -> dict[str, np.ndarray]:
        """What a player needs of the state."""
        return self.state()

    def restore_model(self, model: dict[str, np.ndarray]) -> None:
        """Take back what `model` once was, to play with it."""
        if type(self).model is Method.model:
            self.restore(model)
        else:
            self._fill("model", "restore_model", model)

    def facts(self) -> dict[str, Any]:
        """What files should say of the model beside the settings, to be equal when it is read again: versions, say."""
        return {}

    def check_use(self, game: Any, given: Collection[str]) -> None:
        """LudusError if a setting that somebody has just given has no effect in this game (`when=` says so of one beside others)."""

    @classmethod
    def check_fit(cls, game: Any, facts: dict[str, Any], where: str) -> None:
        """LudusError if what a file says it holds was not learned for this game."""
        check_game(game, facts, where)

    @classmethod
    def named(cls, settings: Any) -> str:
        """By which name of a player a trained model is called: `run` loads any method's; own loaders offer more arguments."""
        return "run"

    def work_with(self, crew: Executor) -> None:
        """Learn in many places from now on. LudusError where each game needs what was learned from the one before it, as in most methods."""
        raise LudusError(
            f"method '{type(self).__name__.lower()}' learns game by game, in one place: leave the workers out, or see 'ludus methods selfplay'"
        )

    def close(self) -> None:
        """Let go of threads and the like."""

    # What the lab calls.

    @property
    def games(self) -> int:
        """Games learned from so far."""
        return self.counters["games"]

    def check_finite(self) -> None:
        """DivergedError if anything that is learned has become infinite, or not a number."""
        for name, array in (self.state() | self.model()).items():
            if not isinstance(array, np.ndarray):
                raise TypeError(
                    f"state() of {type(self).__name__} must give NumPy arrays; {name} is {type(array).__name__}"
                )
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise DivergedError(self.games, f"{name} is no longer finite")

    def advance(self) -> Report:
        """Learn from the next unit of games, or from what is left of them."""
        games = min(self.unit, self.total - self.games)
        moves, judged, listed = self.counters["moves"], self.counters["positions"], positions_listed()
        report = self.learn(games) or {}
        if self.counters["positions"] == judged:  # it leaves counting to us: all states after moves, or one a decision
            listed = positions_listed() - listed
            self.counters["positions"] += listed or self.counters["moves"] - moves
        self.counters["games"] += games
        self.counters.update({name: int(count) for name, count in self.counters.items()})
        for word, value in report.items():
            if word in TAKEN or word.endswith(" games"):
                raise TypeError(
                    f"{type(self).__name__} reports '{word}', which the record says of every training: call it otherwise"
                )
            if not math.isfinite(value):
                raise DivergedError(self.games, f"{word} is {value}")
        return {word: value if isinstance(value, int) else float(value) for word, value in report.items()}


def _nobody(name: str) -> Any:
    raise LudusError(f"there is nobody here who knows the player '{name}'")
