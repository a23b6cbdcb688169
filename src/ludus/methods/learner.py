"""A learner: a network or a table with the state of its training, advanced some games at a time. What it becomes depends only on the
game, the settings, the seed and the number of games, so that a run can stop anywhere and go on as if nothing had happened.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.position import Position
from ludus.contract.rules import sizes_of
from ludus.contract.views import encoding_of, to_view
from ludus.errors import LudusError, choice
from ludus.kernel import implements, specialises
from ludus.methods import q
from ludus.methods.presets import Settings
from ludus.methods.selfplay import adam_step, play_and_learn
from ludus.methods.table import learn_matches, rules_mark, table_from, way_of
from ludus.methods.traces import learn_games
from ludus.nets.hashtable import entries, new_table
from ludus.nets.network import Network, empty_network, new_network

SHARDS = 2  # a batch is split in as many parts on any machine: sums of floats depend on their order


class Nobody(NamedTuple):
    """Who sits in no seat: stands for the other player where there is none."""


@implements(choose, Nobody)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return 0


class Learner:
    """What all kinds of learners share: settings, seats and counters."""

    unit = 1  # games that can't be divided further
    learns_joint = False  # whether it can learn games in which all seats move at once

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None) -> None:
        if not self.learns_joint and Position.start(game).kind == "joint":
            raise LudusError(f"in {game.facts.name} all seats move at once; learners learn games of turns only so far")
        self.game, self.settings, self.seed = game, settings, seed
        self.sizes = sizes_of(game)
        self.counters = {"games": 0, "moves": 0, "steps": 0}
        self.mask = self.own_seats()
        self.partner = Nobody() if partner is None else partner

    def own_seats(self) -> int:
        """The learner's seats, as bits."""
        return _own_seats(self.game, self.settings)

    @property
    def games(self) -> int:
        """Games learned from so far."""
        return self.counters["games"]

    def rate(self) -> float:
        """The step size now: geometric from the first to the last game."""
        s = self.settings
        return float(s.rate * (s.final_rate / s.rate) ** min(self.games / s.games, 1.0))

    def advance(self) -> dict[str, float]:
        """Learn from the next unit of games; return what there is to report of it, by name."""
        raise NotImplementedError

    def model(self) -> dict[str, np.ndarray]:
        """What a player needs of the learner."""
        raise NotImplementedError

    def tensors(self) -> dict[str, np.ndarray]:
        """Everything that changes while learning, beside the counters."""
        return self.model()

    def restore(self, tensors: dict[str, np.ndarray], counters: dict[str, int]) -> None:
        """Go on from what `tensors` and the counters once were."""
        own = self.tensors()
        for name, tensor in own.items():
            if name not in tensors or tensors[name].shape != tensor.shape or tensors[name].dtype != tensor.dtype:
                raise LudusError(f"the checkpoint does not fit these settings: {name} is missing or has another shape")
        for name, tensor in own.items():
            tensor[...] = tensors[name]
        self.counters = {name: int(counters[name]) for name in self.counters}

    def close(self) -> None:
        """Let go of threads."""


def _own_seats(game: Any, settings: Settings) -> int:
    """The learner's seats, as bits."""
    seats = game.facts.seats
    who = settings.seating or ("self",) * seats
    if len(who) != seats:
        raise LudusError(
            f"seating names {len(who)} seats ({', '.join(who)}), but {game.facts.model} has {seats}: "
            "take the game with as many, or change seating"
        )
    return sum(1 << seat for seat, name in enumerate(who) if name == "self")


class NetworkLearner(Learner):
    """A learner of a network that judges positions."""

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None) -> None:
        super().__init__(game, settings, seed, partner)
        self.encoding = encoding_of(game, settings.encoding)
        sections, inputs, outputs = self.encoding.shape(game)
        self.network = new_network(sections, inputs, settings.hidden, outputs, seed)

    def model(self) -> dict[str, np.ndarray]:
        """The weights."""
        return dict(self.network._asdict())


class TraceLearner(NetworkLearner):
    """TD(λ) with eligibility traces: one game after the other."""

    unit = 20

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None) -> None:
        super().__init__(game, settings, seed, partner)
        if self.network.shape[0] != 1 or specialises(to_view, type(self.encoding)):
            raise LudusError(
                "method 'traces' needs an encoding with one network and the same view for all seats, "
                f"such as 'raw'; '{settings.encoding}' is none"
            )

    def advance(self) -> dict[str, float]:
        """Learn from the next unit of games."""
        s = self.settings
        games = min(self.unit, s.games - self.games)
        self.counters["moves"] += learn_games(
            self.network, self.encoding, self.game, self.sizes, self.partner, self.mask, s.rotate, self.seed,
            self.games, games, self.rate(), s.decay,
        )  # fmt: skip
        self.counters["games"] += games
        return {}


class SelfPlayLearner(NetworkLearner):
    """λ-returns of batches of games, Adam, all cores."""

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None) -> None:
        super().__init__(game, settings, seed, partner)
        if set(settings.seating) - {"self"}:
            raise LudusError("method 'selfplay' takes all seats itself: seating is for 'traces' and 'q'")
        shape = self.network.shape
        self.unit = settings.batch
        self.first, self.second = empty_network(*shape), empty_network(*shape)
        self.gradients = [empty_network(*shape) for _ in range(SHARDS)]
        self.threads = ThreadPoolExecutor(min(SHARDS, os.cpu_count() or 1))

    def advance(self) -> dict[str, float]:
        """Learn from the next batch of games."""
        s = self.settings
        end = min(self.games + s.batch, s.games)
        bounds = np.linspace(self.games, end, SHARDS + 1).astype(int).tolist()
        look_ahead = self.games >= s.look_ahead_from * s.games
        share = s.playout_share * max(1 - self.games / (s.playout_until * s.games), 0.0) if s.playouts else 0.0
        parts = [
            self.threads.submit(
                play_and_learn, self.network, gradient, self.encoding, self.game, self.sizes, self.seed,
                first, last - first, s.decay, look_ahead, s.exploration, s.opening, s.playouts, share,
            )
            for gradient, first, last in zip(self.gradients, bounds[:-1], bounds[1:], strict=True)
        ]  # fmt: skip
        positions = sum(part.result() for part in parts)
        rate = self.rate()
        self.counters["games"] = end
        self.counters["moves"] += positions
        self.counters["steps"] += 1
        total = self.gradients[0]
        for name in Network._fields:
            for other in self.gradients[1:]:
                getattr(total, name)[...] += getattr(other, name)
                getattr(other, name)[...] = 0
            flat = (getattr(part, name).reshape(-1) for part in (self.network, total, self.first, self.second))
            adam_step(*flat, 1 / max(positions, 1), rate, self.counters["steps"])
        return {}

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights and Adam's moments."""
        moments = {"first": self.first, "second": self.second}
        return super().tensors() | {f"{m}.{k}": v for m, net in moments.items() for k, v in net._asdict().items()}

    def close(self) -> None:
        """Let go of threads."""
        self.threads.shutdown(wait=True, cancel_futures=True)


class QLearner(Learner):
    """Q-learning on one of the game's schemes, with a table or, where the scheme asks for it, a network."""

    unit = 20

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None) -> None:
        super().__init__(game, settings, seed, partner)
        self.counters["wins"] = 0
        self.scheme = scheme_of(game, settings.encoding)
        self.store, self.desk = new_store(game, self.scheme, settings.hidden, seed)

    def exploration(self, games: int) -> float:
        """The share of random actions after so many games."""
        s = self.settings
        share = max(s.exploration * s.exploration_decay**games, s.exploration_floor)
        return share * max(1 - games / s.exploration_games, 0.0) if s.exploration_games else share

    def advance(self) -> dict[str, float]:
        """Learn from the next unit of games; reports the games won in it and the changes of values."""
        s = self.settings
        games = min(self.unit, s.games - self.games)
        exploration = np.array([self.exploration(self.games + i) for i in range(games)])
        changes, won = np.zeros(games), np.zeros(games, np.int64)
        self.counters["moves"] += q.learn_games(
            self.store, self.scheme, self.desk, self.game, self.sizes, self.partner, self.mask, s.rotate, self.seed,
            self.games, exploration, self.rate(), s.discount, changes, won,
        )  # fmt: skip
        self.counters["games"] += games
        self.counters["wins"] += int(won.sum())
        return {"change": float(changes.mean()), "won": self.counters["wins"] / self.games}

    def model(self) -> dict[str, np.ndarray]:
        """The table, or the weights."""
        return store_tensors(self.store)


class TableLearner(Learner):
    """A value for each state that was met, for any game: Q-learning or TD(λ)."""

    learns_joint = True

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None) -> None:
        if getattr(game, "fleeting", False):
            raise LudusError(
                f"{game.facts.name} is too large to be compiled, and its states have no lasting numbers: a table of them would be lost"
            )
        if partner is not None and not choose.handles(type(partner)):  # type: ignore[attr-defined]
            raise LudusError(f"a table learns at compiled speed, but {type(partner).__name__} plays in plain Python")
        super().__init__(game, settings, seed, partner)
        # A unit a line of the record, so that each line tells of all games since the one before.
        self.unit = -(-settings.games // 100)
        self.learning_games = round(settings.games * settings.learning_share)
        self.counters |= {"searches": 0, "wins": 0}
        self.points = np.zeros(1)  # the sum of all goals so far
        self.way = way_of(game, settings)
        self.table = new_table()

    def own_seats(self) -> int:
        """The learner's seats, as bits. A game of more seats than `seating` names gets more of the last one."""
        seats = self.game.facts.seats
        who = (self.settings.seating or ("self",))[:seats]
        return sum(1 << seat for seat, name in enumerate(who + who[-1:] * (seats - len(who))) if name == "self")

    def exploration(self, games: np.ndarray) -> np.ndarray:
        """The share of random moves in games of such numbers; none once learning has ended."""
        s = self.settings
        if s.exploration_shape == "cosine":
            fall = np.cos(games / self.learning_games * np.pi / 2)
            share = (s.exploration - s.exploration_floor) * fall + s.exploration_floor
        else:
            share = np.maximum(s.exploration * s.exploration_decay**games, s.exploration_floor)
            if s.exploration_games:
                share = share * np.maximum(1 - games / s.exploration_games, 0.0)
        return np.where(games < self.learning_games, share, 0.0)

    def advance(self) -> dict[str, float]:
        """Learn from the next unit of games; reports wins and goals of it (`recent_…`) and of all games so far."""
        s = self.settings
        numbers = np.arange(self.games, min(self.games + self.unit, s.games), dtype=np.float64)
        games = len(numbers)
        wins, points, counts = np.zeros(games), np.zeros(games), np.zeros(2, np.int64)
        self.table = learn_matches(
            self.table, self.way, self.game, self.sizes, self.partner, self.mask, s.rotate, self.seed, self.games,
            self.exploration(numbers), numbers < self.learning_games, self.rate(), wins, points, counts,
        )  # fmt: skip
        self.counters["games"] += games
        self.counters["moves"] += int(counts[0])
        self.counters["searches"] += int(counts[1])
        self.counters["wins"] += int(wins.sum())
        self.points += points.sum()
        return {
            "won": self.counters["wins"] / self.games,
            "points": float(self.points[0]) / self.games,
            "recent_won": float(wins.mean()),
            "recent_points": float(points.mean()),
            "recent_searches": int(counts[1]) / max(int(counts[0]), 1),
            "entries": int(self.table.used[0]),
        }

    def model(self) -> dict[str, np.ndarray]:
        """The table's entries, and a mark of the rules that they are for."""
        keys, values, visits = entries(self.table)
        return {"keys": keys, "values": values, "visits": visits, "rules": rules_mark(self.game)}

    def tensors(self) -> dict[str, np.ndarray]:
        """The same, and the sum of goals."""
        return self.model() | {"points": self.points}

    def restore(self, tensors: dict[str, np.ndarray], counters: dict[str, int]) -> None:
        """Go on from what `tensors` and the counters once were."""
        table = table_from(tensors, self.game, "the checkpoint")
        if "points" not in tensors or tensors["points"].shape != (1,):
            raise LudusError("the checkpoint does not fit these settings: points is missing or has another shape")
        self.counters = {name: int(counters[name]) for name in self.counters}
        self.points = np.array(tensors["points"], np.float64)
        self.table = table


def scheme_of(game: Any, name: str) -> Any:
    """One of a game's schemes, by name."""
    return choice(f"scheme of {game.facts.model}", name, game.schemes() if hasattr(game, "schemes") else {})


def new_store(game: Any, scheme: Any, hidden: int, seed: int) -> tuple[q.QTable | q.QNetwork, q.Desk]:
    """Where a scheme's values live, and room to work with them."""
    if not hasattr(scheme, "encoding"):
        return q.QTable(np.zeros(scheme.shape)), q.new_desk(1, 1, 1)
    _, inputs, _ = scheme.encoding.shape(game)
    outputs = len(scheme.actions)
    network = new_network(1, inputs, hidden, outputs, seed)
    return q.QNetwork(network, scheme.encoding, scheme.low, scheme.high, scheme.step), q.new_desk(
        inputs, hidden, outputs
    )


def store_tensors(store: q.QTable | q.QNetwork) -> dict[str, np.ndarray]:
    """The arrays in which a scheme's values live, by name."""
    return dict(store.net._asdict()) if isinstance(store, q.QNetwork) else {"table": store.table}


def new_learner(game: Any, settings: Settings, seed: int, partner: Any = None, teacher: Any = None) -> Learner:
    """A learner at the beginning of its training; `partner` plays where `settings.seating` names somebody else, `teacher` gives the
    lessons of 'qlnn'.
    """
    if settings.method == "qlnn":
        from ludus.methods.qlnn import DenseLearner

        return DenseLearner(game, settings, seed, partner, teacher)
    kinds = {"traces": TraceLearner, "selfplay": SelfPlayLearner, "q": QLearner, "table": TableLearner}
    return kinds[settings.method](game, settings, seed, partner)
