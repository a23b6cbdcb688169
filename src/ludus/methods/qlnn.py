"""The learner behind `qlnn`: Q-learning with an output for each action, as the thesis `quoridor2016` has it, or mended.

With `update = "step"` the network changes after each move, and nothing else of the settings below applies. With "end" it plays a batch of
games with frozen weights and then learns from it: from a teacher's word at first (`lessons`), then from λ-returns, by Adam.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.errors import LudusError, choice
from ludus.methods import deepq
from ludus.methods.learner import Learner
from ludus.methods.presets import Settings
from ludus.methods.selfplay import adam_step
from ludus.nets.dense import UNITS, WEIGHTS, Dense, backward, empty_dense, forward, new_dense, read_layout, sigmoid

ACTIVE = 64  # inputs of a position that are usually not zero: for the first weights
SHARPNESS = np.float32(4.0)  # of the choice among moves that a teacher's moves are compared with
VALUE_WEIGHT, CHOICE_WEIGHT = np.float32(0.1), np.float32(1.0)  # of the two parts of a lesson


def view_of(game: Any, name: str) -> Any:
    """One of a game's views, by name."""
    return choice(f"view of {game.facts.model}", name, game.views() if hasattr(game, "views") else {})


def network_for(game: Any, view: Any, settings: Settings, seed: int) -> Dense:
    """A new network for a view."""
    _, inputs, outputs = view.shape(game)
    return new_dense((inputs, *read_layout(settings.layout), outputs), UNITS[settings.units], seed, min(ACTIVE, inputs))


class DenseLearner(Learner):
    """A learner of a Q-network."""

    def __init__(self, game: Any, settings: Settings, seed: int, partner: Any = None, teacher: Any = None) -> None:
        super().__init__(game, settings, seed, partner)
        s = settings
        word: Any = evaluate_moves if s.lesson_values else choose
        if s.lessons and (teacher is None or not word.handles(type(teacher))):
            raise LudusError(
                f"teacher '{s.teacher}' can't say at compiled speed what moves are worth: take another, or lesson_values=false"
            )
        self.teacher = teacher if s.lesson_values else deepq.Shown(teacher)
        self.view = view_of(game, s.encoding)
        self.turned, self.mirrored_slots = self.view.mirrored(game)
        self.curriculum = next(iter(game.curricula().values()))
        self.network = network_for(game, self.view, s, seed)
        self.online = s.update == "step"
        self.unit = 20 if self.online else s.batch
        self.counters |= {"kept": 0}
        self.results = np.zeros(1)  # the sum of all results so far
        shape = self.network.shape
        self.gradient = empty_dense(shape)
        self.first, self.second = empty_dense(shape), empty_dense(shape)
        self.kept_states = np.zeros((s.replay, game.facts.state_size), np.int64)
        self.kept_slots, self.kept_targets = np.zeros(s.replay, np.int64), np.zeros(s.replay)

    def exploration(self, games: int) -> float:
        """The share of random moves after so many games: down to the floor in a straight line."""
        s = self.settings
        fall = max(1 - games / s.exploration_games, 0.0) if s.exploration_games else 1.0
        return min(s.exploration * fall + s.exploration_floor, 1.0)

    def advance(self) -> dict[str, float]:
        """Learn from the next unit of games."""
        s = self.settings
        lesson = self.games < s.lessons
        end = min(self.games + self.unit, s.lessons if lesson else s.games, s.games)
        exploration = np.array([self.exploration(n) for n in range(self.games, end)])
        report = self._lesson(exploration) if lesson else self._games(exploration)
        self.counters["games"] = end
        return report

    # Games of its own.

    def _games(self, exploration: np.ndarray) -> dict[str, float]:
        s, games = self.settings, len(exploration)
        won = np.zeros(games)
        # Games after the lessons are counted from there: so the curriculum begins with them.
        common = (
            self.view, self.game, self.sizes, self.partner, self.mask, s.rotate, self.curriculum, s.curriculum,
            s.curriculum_games, self.curriculum.stages, self.seed, self.games, exploration,
        )  # fmt: skip
        if self.online:
            errors = np.zeros(games)
            self.counters["moves"] += deepq.learn_games(
                self.network, *common, self.rate(), s.discount, s.masked, errors, won
            )
            error = float(errors.mean())
        else:
            room = games * (self.game.facts.max_plies or deepq.MAX_PLIES)
            states = np.empty((room, self.sizes[1]), np.int64)
            slots, targets = np.empty(room, np.int64), np.empty(room)
            count = deepq.play_batch(
                self.network, *common, s.discount, s.decay, s.masked, s.opening, states, slots, targets, won
            )  # fmt: skip
            self.counters["moves"] += count
            error = self._learn(states[:count], slots[:count], targets[:count])
        self.results += won.sum()
        return {"won": float(won.mean()), "error": error}

    def _learn(self, states: np.ndarray, slots: np.ndarray, targets: np.ndarray) -> float:
        """Learn from decisions, and from earlier ones that were kept."""
        s, new = self.settings, len(slots)
        rng = np.random.default_rng([self.seed, self.games])
        if s.replay:
            places = (self.counters["kept"] + np.arange(new)) % s.replay
            self.kept_states[places], self.kept_slots[places], self.kept_targets[places] = states, slots, targets
            self.counters["kept"] += new
            full = min(self.counters["kept"], s.replay)
            states, slots, targets = self.kept_states[:full], self.kept_slots[:full], self.kept_targets[:full]
        total, steps = 0.0, max(round(s.passes * new / s.minibatch), 1)
        for _ in range(steps):
            rows = rng.integers(0, len(slots), min(s.minibatch, len(slots)))
            index, value, counts, mirrored = self._inputs(states, rows, rng)
            passed = forward(self.network, index, value, counts)
            chosen = np.where(mirrored, self.mirrored_slots[slots[rows]], slots[rows])
            each = np.arange(len(rows))
            wrong = sigmoid(passed.logits[each, chosen]) - targets[rows].astype(np.float32)
            slope = np.zeros_like(passed.logits)
            slope[each, chosen] = wrong
            self._step(index, value, counts, passed, slope)
            total += float(np.abs(wrong).mean())
        return total / steps

    # Lessons.

    def _lesson(self, exploration: np.ndarray) -> dict[str, float]:
        s, games = self.settings, len(exploration)
        room = games * (self.game.facts.max_plies or deepq.MAX_PLIES)
        states = np.empty((room, self.sizes[1]), np.int64)
        values, shares = (np.empty((room, self.network.shape[3]), np.float32) for _ in range(2))
        count = deepq.teach_batch(
            self.network, self.view, self.game, self.sizes, self.partner, self.mask, s.rotate, self.teacher, s.follow, s.opening,
            self.seed, self.games, exploration, states, values, shares,
        )  # fmt: skip
        self.counters["moves"] += count
        rng = np.random.default_rng([self.seed, self.games])
        agreed, seen = 0.0, 0
        order = np.concatenate([rng.permutation(count) for _ in range(max(round(s.passes), 1))])
        for at in range(0, len(order), s.minibatch):
            rows = order[at : at + s.minibatch]
            index, value, counts, mirrored = self._inputs(states, rows, rng)
            passed = forward(self.network, index, value, counts)
            value_rows, share_rows = values[rows], shares[rows]
            value_rows[mirrored] = value_rows[mirrored][:, self.mirrored_slots]
            share_rows[mirrored] = share_rows[mirrored][:, self.mirrored_slots]
            slope, hits = lesson_slope(passed.logits, value_rows, share_rows, s.lesson_values)
            if at < count:  # before it was learned from
                agreed, seen = agreed + hits, seen + len(rows)
            self._step(index, value, counts, passed, slope)
        return {"agreed": agreed / max(seen, 1)}

    # What both do.

    def _inputs(
        self, states: np.ndarray, rows: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        size = (len(rows), self.network.shape[0])
        index, value = np.empty(size, np.int64), np.empty(size, np.float32)
        counts = np.empty(len(rows), np.int64)
        mirrored = rng.random(len(rows)) < 0.5 if self.settings.mirror else np.zeros(len(rows), np.bool_)
        deepq.show(self.view, self.turned, self.game, states, rows, mirrored, index, value, counts)
        return index, value, counts, mirrored

    def _step(self, index: np.ndarray, value: np.ndarray, counts: np.ndarray, passed: Any, slope: np.ndarray) -> None:
        backward(self.network, self.gradient, index, value, counts, passed, slope)
        self.counters["steps"] += 1
        for name in WEIGHTS:
            flat = (getattr(part, name).reshape(-1) for part in (self.network, self.gradient, self.first, self.second))
            adam_step(*flat, 1 / len(counts), self.rate(), self.counters["steps"])

    def model(self) -> dict[str, np.ndarray]:
        """The weights."""
        return self.network.tensors()

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights, and what learning needs to go on: Adam's moments and the decisions that are kept."""
        if self.online:
            return self.model() | {"results": self.results}
        moments = {"first": self.first, "second": self.second}
        return (
            self.model()
            | {f"{m}.{k}": v for m, net in moments.items() for k, v in net.tensors().items()}
            | {"kept.states": self.kept_states, "kept.slots": self.kept_slots, "kept.targets": self.kept_targets}
            | {"results": self.results}
        )


def lesson_slope(
    logits: np.ndarray, values: np.ndarray, shares: np.ndarray, by_values: bool
) -> tuple[np.ndarray, float]:
    """The slope, by the logits, of what a lesson wants: that the choice among legal moves, sharper with higher outputs, is the teacher's;
    and, where the teacher gives values, that the outputs are these. Also how often the highest output is a move that the teacher makes.
    """
    legal = shares >= 0
    scaled = np.where(legal, SHARPNESS * logits, np.float32(-np.inf))
    top = scaled.max(1, keepdims=True)
    chance = np.exp(scaled - top)
    chance /= chance.sum(1, keepdims=True)
    slope = np.where(legal, CHOICE_WEIGHT * (chance - shares), np.float32(0))
    if by_values:
        slope += np.where(legal, VALUE_WEIGHT * (sigmoid(logits) - values), np.float32(0))
    hits = (shares[np.arange(len(logits)), scaled.argmax(1)] > 0).sum()
    return slope.astype(np.float32), float(hits)
