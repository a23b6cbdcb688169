"""Q-learning with an output for each action, as the thesis `quoridor2016` has it, or mended.

With `update = "step"` the network changes after each move. With "end" it plays a batch of games with frozen weights and then learns
from it: from a teacher's word at first (`lessons`), then from λ-returns, by Adam. The kernels are in `deepq`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import moves, sizes_of
from ludus.contract.views import action
from ludus.errors import LudusError
from ludus.kernel import implements
from ludus.methods import deepq
from ludus.methods.base import Method, Report
from ludus.methods.episodes import Episodes, Seating, seats_for
from ludus.methods.schedules import Exploration, StepSize
from ludus.methods.settings import setting
from ludus.methods.sights import curriculum_of, view_of
from ludus.nets.adam import adam_step
from ludus.nets.dense import (
    UNITS,
    WEIGHTS,
    Dense,
    backward,
    dense_workspace,
    empty_dense,
    forward,
    new_dense,
    read_layout,
    sigmoid,
)
from ludus.quantities import BATCH, COUNT_OR_NONE, GAMES_OR_NONE, MOVES_OR_NONE, PASSES, SHARE, need_memory

ACTIVE = 64  # inputs of a position that are usually not zero: for the first weights
SHARPNESS = np.float32(4.0)  # of the choice among moves that a teacher's moves are compared with
VALUE_WEIGHT, CHOICE_WEIGHT = np.float32(0.1), np.float32(1.0)  # of the two parts of a lesson
BATCHES = ("update", "end")  # when most settings have an effect


class QLNNPlayer(NamedTuple):
    """Greedy on the outputs of a network: one pass through it, and no search."""

    net: Dense
    sight: Any  # the view; Numba takes that word for another
    max_moves: int


@implements(choose, QLNNPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    net, legal = player.net, np.empty(player.max_moves, np.int64)
    ws = dense_workspace(net)
    count = moves(game, state, seat, legal)
    deepq.look(net, player.sight, game, state, ws)
    return legal[deepq.best_of(player.sight, game, state, ws, legal, count, rng)]


@implements(evaluate_moves, QLNNPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    net = player.net
    ws = dense_workspace(net)
    count = moves(game, state, seat, legal)
    deepq.look(net, player.sight, game, state, ws)
    for n in range(count):
        slot = action(player.sight, game, state, legal[n])
        values[n] = 2.0 * ws.output[slot] - 1.0 if slot >= 0 else 0.0
    return count


class QLNN(Method):
    """Q-learning with an output of a network for each action."""

    @dataclass(frozen=True)
    class Settings(Seating, Exploration, StepSize):
        """What steers it."""

        encoding: str = setting(
            "cuts", "the view: how the network sees positions, and which output stands for which move"
        )
        exploration_shape: str = setting("linear", "how exploration falls", choices=("linear",))
        layout: str = setting("200-200", "hidden layers")
        units: str = setting("sigmoid", "of the hidden layers", choices=tuple(UNITS))
        discount: float = setting(1.0, "γ, what the next value counts", SHARE)
        update: str = setting(
            "end", "learns after each step, or at the end of a batch of games", choices=("end", "step")
        )
        masked: bool = setting(True, "whether illegal actions are left out of the highest value")
        curriculum: float = setting(0.0, "share of games that begin in easier positions, in the first game", SHARE)
        curriculum_games: int = setting(
            0, "games in which that share falls to 0", GAMES_OR_NONE, when=("curriculum", True)
        )
        decay: float = setting(0.7, "λ, the weight of what comes later in a game", SHARE, when=BATCHES)
        batch: int = setting(32, "games that are played before it learns", BATCH, when=BATCHES)
        opening: int = setting(0, "most random moves at the beginning of a game", MOVES_OR_NONE, when=BATCHES)
        mirror: bool = setting(False, "learns from positions with left and right exchanged too", when=BATCHES)
        replay: int = setting(
            0, "decisions that are kept to learn from again; 0: only the batch's own", COUNT_OR_NONE, when=BATCHES
        )
        minibatch: int = setting(256, "decisions a step of Adam", BATCH, when=BATCHES)
        passes: float = setting(1.0, "how often a decision is learned from, on average", PASSES, when=BATCHES)
        teacher: str = setting("", "the player whose games are learned from at first", when=("lessons", True))
        lessons: int = setting(0, "games of that kind", GAMES_OR_NONE, when=BATCHES)
        lesson_values: bool = setting(
            True, "the teacher says what each move is worth, and not only which one it makes", when=("lessons", True)
        )
        follow: float = setting(
            0.5,
            "share of its moves that are played there; the others are the learner's own",
            SHARE,
            when=("lessons", True),
        )

        def check(self) -> None:
            """LudusError if the settings don't go together."""
            super().check()
            read_layout(self.layout)
            if self.lessons and not self.teacher:
                raise LudusError("setting lessons needs a teacher: name a player, as in teacher=lead")

    def setup(self) -> None:
        """Make the network, and find the teacher."""
        s, game = self.settings, self.game
        self.sizes, self.seats = sizes_of(game), seats_for(self)
        self.teacher = self._teacher() if s.lessons and not self.playing else None
        self.view = view_of(game, s.encoding)
        self.turned, self.mirrored_slots = self.view.mirrored(game)
        curriculum = curriculum_of(game)
        self.beginnings = deepq.Beginnings(curriculum, curriculum.stages, s.curriculum, s.curriculum_games)
        _, inputs, outputs = self.view.shape(game)
        shape = (inputs, *read_layout(s.layout), outputs)
        self.network = new_dense(shape, UNITS[s.units], self.seed, min(ACTIVE, inputs))
        self.online = s.update == "step"
        self.counters |= {"steps": 0, "kept": 0}
        self.results = np.zeros(1)  # the sum of all results so far
        self.gradient = empty_dense(shape)
        self.first, self.second = empty_dense(shape), empty_dense(shape)
        decision = 8 * (game.facts.state_size + 2)  # bytes
        kept = 0 if self.playing else s.replay
        need_memory(decision * kept, f"setting replay = {kept}")
        if not self.online and not self.playing:
            space = min(s.batch, self.total) * (game.facts.max_plies or deepq.MAX_PLIES)
            need_memory((decision + 8 * outputs * bool(s.lessons)) * space, f"setting batch = {s.batch}")
        self.kept_states = np.zeros((kept, game.facts.state_size), np.int64)
        self.kept_slots, self.kept_targets = np.zeros(kept, np.int64), np.zeros(kept)

    def _teacher(self) -> Any:
        s = self.settings
        teacher = self.find_player(s.teacher)
        asked: Any = evaluate_moves if s.lesson_values else choose
        if not asked.handles(type(teacher)):
            raise LudusError(
                f"teacher '{s.teacher}' can't say at compiled speed what moves are worth: take another, or lesson_values=false"
            )
        return teacher if s.lesson_values else deepq.Shown(teacher)

    @property
    def unit(self) -> int:  # type: ignore[override]
        """A batch; the lessons end with a unit."""
        s = self.settings
        unit = 20 if self.online else s.batch
        return min(unit, s.lessons - self.games) if self.games < s.lessons else unit

    def learn(self, games: int) -> Report:
        """Learn from the next games: lessons at first, then games of its own."""
        s = self.settings
        exploration = s.exploration_in(np.arange(self.games, self.games + games, dtype=np.float64), self.total)
        rate = s.rate_after(self.games, self.total)
        learning = deepq.Learning(self.network, self.view, rate, s.discount, s.decay, s.masked, s.opening)
        episodes = Episodes(self.seed, self.games, exploration)
        report = self._lesson(learning, episodes) if self.games < s.lessons else self._games(learning, episodes)
        return report | {"exploration": float(exploration.mean()), "rate": rate}

    # Games of its own.

    def _games(self, learning: deepq.Learning, episodes: Episodes) -> Report:
        games = len(episodes.exploration)
        won = np.zeros(games)
        # Games after the lessons are counted from there: so the curriculum begins with them.
        if self.online:
            errors = np.zeros(games)
            self.counters["moves"] += deepq.learn_games(
                learning, self.game, self.sizes, self.seats, self.beginnings, episodes, errors, won
            )
            error = float(errors.mean())
        else:
            space = games * (self.game.facts.max_plies or deepq.MAX_PLIES)
            states = np.empty((space, self.sizes[1]), np.int64)
            out = deepq.Decisions(states, np.empty(space, np.int64), np.empty(space), won)
            count = deepq.play_batch(learning, self.game, self.sizes, self.seats, self.beginnings, episodes, out)
            self.counters["moves"] += count
            error = self._learn(states[:count], out.actions[:count], out.targets[:count])
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

    def _lesson(self, learning: deepq.Learning, episodes: Episodes) -> Report:
        s, games = self.settings, len(episodes.exploration)
        space = games * (self.game.facts.max_plies or deepq.MAX_PLIES)
        states = np.empty((space, self.sizes[1]), np.int64)
        values, shares = (np.empty((space, self.network.shape[3]), np.float32) for _ in range(2))
        count = deepq.teach_batch(
            learning, self.game, self.sizes, self.seats, deepq.Lesson(self.teacher, s.follow), episodes,
            deepq.Taught(states, values, shares),
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
        deepq.show((self.view, self.turned), self.game, states, rows, mirrored, deepq.Inputs(index, value, counts))
        return index, value, counts, mirrored

    def _step(self, index: np.ndarray, value: np.ndarray, counts: np.ndarray, passed: Any, slope: np.ndarray) -> None:
        rate = self.settings.rate_after(self.games, self.total)
        backward(self.network, self.gradient, index, value, counts, passed, slope)
        self.counters["steps"] += 1
        for name in WEIGHTS:
            flat = (getattr(part, name).reshape(-1) for part in (self.network, self.gradient, self.first, self.second))
            adam_step(*flat, 1 / len(counts), rate, self.counters["steps"])

    def model(self) -> dict[str, np.ndarray]:
        """The weights."""
        return self.network.tensors()

    def state(self) -> dict[str, np.ndarray]:
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

    def player(self) -> QLNNPlayer:
        """Greedy on the outputs."""
        return QLNNPlayer(self.network, self.view, self.game.facts.max_moves)

    def facts(self) -> dict[str, Any]:
        """Which version of the view the weights are for."""
        return {"encoding_version": getattr(self.view, "version", 1)}

    def restore_model(self, model: dict[str, np.ndarray]) -> None:
        """Take the weights alone."""
        for name, own in self.network.tensors().items():
            found = model.get(name)
            if found is None or found.shape != own.shape or found.dtype != own.dtype:
                raise LudusError(f"it does not have the shape that layout {self.settings.layout} needs: {name}")
            own[...] = found

    @classmethod
    def named(cls, settings: Any) -> str:
        """The player `qlnn` loads such networks."""
        return "qlnn"


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
