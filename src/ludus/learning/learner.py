"""A learner: a network with the state of its training, advanced some games at a time. What it becomes depends only on the
game, the settings, the seed and the number of games, so that a run can stop anywhere and go on as if nothing had happened.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ludus.contract import Position, encoding_of, to_view
from ludus.errors import LudusError
from ludus.learning.network import Network, empty_network, new_network
from ludus.learning.presets import Settings
from ludus.learning.selfplay import adam_step, play_and_learn
from ludus.learning.td import learn_games

SHARDS = 2  # a batch is split in as many parts on any machine: sums of floats depend on their order


class Learner:
    """What both kinds of learners share: settings, network and counters."""

    unit = 1  # games that can't be divided further

    def __init__(self, game: Any, settings: Settings, seed: int) -> None:
        if Position.start(game).kind == "joint":
            raise LudusError(f"in {game.facts.name} all seats move at once; networks learn games of turns only so far")
        self.game, self.settings, self.seed = game, settings, seed
        self.encoding = encoding_of(game, settings.encoding)
        sections, inputs, outputs = self.encoding.shape(game)
        self.network = new_network(sections, inputs, settings.hidden, outputs, seed)
        facts = game.facts
        self.sizes = (facts.max_moves, facts.state_size, facts.seats, max(facts.max_chances, 1))
        self.counters = {"games": 0, "moves": 0, "steps": 0}

    @property
    def games(self) -> int:
        """Games learned from so far."""
        return self.counters["games"]

    def rate(self) -> float:
        """The step size now: geometric from the first to the last game."""
        s = self.settings
        return float(s.rate * (s.final_rate / s.rate) ** min(self.games / s.games, 1.0))

    def advance(self) -> None:
        """Learn from the next unit of games."""
        raise NotImplementedError

    def tensors(self) -> dict[str, np.ndarray]:
        """Everything that changes while learning, beside the counters."""
        return dict(self.network._asdict())

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


class TraceLearner(Learner):
    """TD(λ) with eligibility traces: one game after the other."""

    unit = 20

    def __init__(self, game: Any, settings: Settings, seed: int) -> None:
        super().__init__(game, settings, seed)
        if self.network.shape[0] != 1 or type(self.encoding) in to_view.answers:  # type: ignore[attr-defined]
            raise LudusError(
                "method 'traces' needs an encoding with one network and the same view for all seats, "
                f"such as 'raw'; '{settings.encoding}' is none"
            )

    def advance(self) -> None:
        """Learn from the next unit of games."""
        s = self.settings
        games = min(self.unit, s.games - self.games)
        self.counters["moves"] += learn_games(
            self.network, self.encoding, self.game, self.sizes, self.seed, self.games, games, self.rate(), s.decay
        )
        self.counters["games"] += games


class SelfPlayLearner(Learner):
    """λ-returns of batches of games, Adam, all cores."""

    def __init__(self, game: Any, settings: Settings, seed: int) -> None:
        super().__init__(game, settings, seed)
        shape = self.network.shape
        self.unit = settings.batch
        self.first, self.second = empty_network(*shape), empty_network(*shape)
        self.gradients = [empty_network(*shape) for _ in range(SHARDS)]
        self.threads = ThreadPoolExecutor(min(SHARDS, os.cpu_count() or 1))

    def advance(self) -> None:
        """Learn from the next batch of games."""
        s = self.settings
        end = min(self.games + s.batch, s.games)
        bounds = np.linspace(self.games, end, SHARDS + 1).astype(int).tolist()
        look_ahead = self.games >= s.look_ahead_from * s.games
        parts = [
            self.threads.submit(
                play_and_learn, self.network, gradient, self.encoding, self.game, self.sizes, self.seed,
                first, last - first, s.decay, look_ahead,
            )
            for gradient, first, last in zip(self.gradients, bounds[:-1], bounds[1:], strict=True)
        ]  # fmt: skip
        positions = sum(part.result()[0] for part in parts)
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

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights and Adam's moments."""
        moments = {"first": self.first, "second": self.second}
        return super().tensors() | {f"{m}.{k}": v for m, net in moments.items() for k, v in net._asdict().items()}

    def close(self) -> None:
        """Let go of threads."""
        self.threads.shutdown(wait=True, cancel_futures=True)


def new_learner(game: Any, settings: Settings, seed: int) -> Learner:
    """A learner at the beginning of its training."""
    return {"traces": TraceLearner, "selfplay": SelfPlayLearner}[settings.method](game, settings, seed)
