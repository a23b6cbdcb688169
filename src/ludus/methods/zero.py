"""Method `zero`: a network for a rulesheet's board learns from its own searches, as AlphaZero does (Silver et al. 2018).

Games are played by short searches with the network as it is. Of every position it learns which share each move has by the search, and the score: the end of the game, mixed
with what the searches on the way there expected. Symmetries of the rules, which are found (`games.gdl.geometry`), show each position in another way each time. What is learned depends on
the number of games alone, not on how many cores played them.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.errors import LudusError
from ludus.games.gdl.geometry import geometry_of
from ludus.methods.base import Method, Report
from ludus.methods.schedules import StepSize
from ludus.methods.settings import setting
from ludus.methods.zero_games import LONGEST, Memory, Notes, Pace, add_lessons, play_games, remember
from ludus.nets.adam import adam_step
from ludus.nets.board import new_errors, new_space, new_weights, shape_of
from ludus.players.zero import Limits, Zero, check_game
from ludus.quantities import (
    BATCH,
    COUNT,
    MOVES,
    MOVES_OR_NONE,
    PARTS,
    PASSES,
    PLAYOUTS,
    SHARE,
    WEIGHT,
    cores,
    need_memory,
)
from ludus.search.board import board_judge
from ludus.search.puct import Lesson, Puct, new_forest

WIDEST = 96  # legal moves whose shares are remembered
AT_ONCE = 8  # positions that a thread learns from before it looks at the next ones


class ZeroMethod(Method):
    """A network for boards learns from its own searches."""

    @dataclass(frozen=True)
    class Settings(StepSize):
        """What can be set."""

        rate: float = setting(0.002, "step size", above=0, high=1)
        final_rate: float = setting(0.0003, "step size in the end", above=0, high=1)
        channels: int = setting(32, "numbers a cell in the network: a multiple of 32", low=32, high=256)
        blocks: int = setting(2, "pairs of convolutions with a path around them", low=0, high=20)
        hidden: int = setting(32, "hidden units of the judgement", low=1, high=1024)
        simulations: int = setting(32, "simulations of a search while it learns", COUNT)
        width: int = setting(12, "moves that a search compares at its root", MOVES)
        sharpness: float = setting(0.3, "how much values count beside the policy", WEIGHT)
        opening: int = setting(12, "plies in which chance has a full say", MOVES_OR_NONE)
        noise: float = setting(0.3, "how much of it is left after them", SHARE)
        random: int = setting(2, "most moves at random at the beginning of a game", MOVES_OR_NONE)
        decay: float = setting(0.93, "weight of the end of a game beside the searches before it, a ply", SHARE)
        playouts: int = setting(64, "random games by which positions are judged too in the beginning", PLAYOUTS)
        playout_share: float = setting(0.7, "how much they count in the first game", SHARE)
        playout_until: float = setting(0.15, "share of the games after which they count no more", SHARE)
        games_at_once: int = setting(64, "games between two lessons", BATCH)
        memory: int = setting(40_000, "positions that are remembered", low=100, high=10_000_000)
        minibatch: int = setting(64, "positions of a step", COUNT)
        passes: float = setting(10.0, "how often each position is learned from, on average", PASSES)
        averaging: float = setting(0.995, "share of the mean of the weights that is kept at each step", SHARE)
        weight_decay: float = setting(0.0001, "how fast weights shrink by themselves", SHARE)
        parts: int = setting(2, "parts of a batch, each on a core of its own; sums of floats depend on them", PARTS)

    def check_use(self, game: Any, given: Collection[str]) -> None:
        """Refuse games that this can't learn."""
        check_game(game)
        if self.settings.channels % 32:
            raise LudusError(f"setting channels = {self.settings.channels}: should be a multiple of 32")
        s, facts = self.settings, game.facts
        position = 8 * facts.state_size + 2 * min(facts.max_moves, WIDEST) + 24
        tree = s.parts * (s.simulations + 1) * facts.max_moves * (8 * facts.state_size + 52)
        need_memory(tree, f"setting simulations = {s.simulations}")
        need_memory(s.memory * position, f"setting memory = {s.memory}")
        need_memory((s.games_at_once + s.parts) * LONGEST * position, f"setting games_at_once = {s.games_at_once}")

    def setup(self) -> None:
        """Make the network, its memory, and places to work."""
        self.check_use(self.game, ())
        s, facts = self.settings, self.game.facts
        self.board = geometry_of(self.game)
        self.shape = shape_of(self.board, s.channels, s.blocks, s.hidden)
        self.weights = new_weights(self.shape, self.seed)
        self.mean = self.weights.copy()
        self.counters["steps"] = 0
        if self.playing:
            return
        self.unit = s.games_at_once
        size = len(self.weights)
        self.first, self.second = np.zeros(size, np.float32), np.zeros(size, np.float32)
        wide = min(facts.max_moves, WIDEST)

        def positions(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            return np.zeros((count, facts.state_size), np.int64), np.zeros((count, wide), np.uint16), np.zeros(count)

        self.memory = Memory(*positions(s.memory), np.zeros(1, np.int64))
        most = -(-s.games_at_once // s.parts) * LONGEST
        self.notes = [Notes(*positions(most), np.zeros(most, np.int64)) for _ in range(s.parts)]
        self.gradients = [np.zeros(size, np.float32) for _ in range(s.parts)]
        self.trees = [new_forest(self.game, (s.simulations + 1) * facts.max_moves + 1) for _ in range(s.parts)]
        self.judges = [board_judge(self.mean, self.shape, self.board) for _ in range(s.parts)]
        self.pupils = [judge._replace(weights=self.weights) for judge in self.judges]
        self.spaces = [new_space(self.shape, AT_ONCE) for _ in range(s.parts)]
        self.errors = [new_errors(self.shape, AT_ONCE, facts.max_moves) for _ in range(s.parts)]
        self.threads = ThreadPoolExecutor(min(s.parts, cores()))

    def learn(self, games: int) -> Report:
        """Play games, remember them, and learn from what is remembered."""
        s = self.settings
        before = int(self.memory.used[0])
        self._play(games)
        new = int(self.memory.used[0]) - before
        there = min(int(self.memory.used[0]), s.memory)
        rng = np.random.default_rng([self.seed, self.games])
        rate = s.rate_after(self.games, self.total)
        steps = max(1, round(new * s.passes / s.minibatch))
        sums = np.zeros(2)
        for _ in range(steps):
            picks = np.stack([rng.integers(0, there, s.minibatch), rng.integers(0, 1 << 30, s.minibatch)], axis=1)
            sums += self._step(picks, rate)
        surprise, wrong = sums / (steps * s.minibatch)
        return {"rate": rate, "policy_loss": surprise, "value_loss": wrong}

    def _play(self, games: int) -> None:
        """Games on all cores, all of which are remembered."""
        s = self.settings
        lesson = Lesson(s.simulations, s.width, 1.0, s.sharpness)
        part = s.playout_until * self.total
        share = s.playout_share * (1 - self.games / part) if self.games < part else 0.0
        pace = Pace(lesson, lesson._replace(noise=s.noise), s.opening, s.decay, s.random, s.playouts, share)
        bounds = np.linspace(self.games, self.games + games, s.parts + 1).astype(int).tolist()
        tasks = [
            self.threads.submit(
                play_games, tree, judge, self.game, Puct(), pace, (self.seed, first, last - first), notes
            )
            for tree, judge, notes, (first, last) in zip(
                self.trees, self.judges, self.notes, itertools.pairwise(bounds), strict=True
            )
        ]
        for task, notes in zip(tasks, self.notes, strict=True):
            noted, plies = task.result()
            remember(self.memory, notes, noted)
            self.counters["moves"] += plies
            self.counters["positions"] += noted * s.simulations

    def _step(self, picks: np.ndarray, rate: float) -> np.ndarray:
        """One step of Adam; returns the sums of the cross-entropies."""
        s = self.settings
        tasks = [
            self.threads.submit(add_lessons, pupil, gradient, space, errors, self.game, self.memory, part)
            for pupil, gradient, space, errors, part in zip(
                self.pupils, self.gradients, self.spaces, self.errors, np.array_split(picks, s.parts), strict=True
            )
        ]
        sums = np.sum([task.result() for task in tasks], axis=0)
        total = self.gradients[0]
        for other in self.gradients[1:]:
            total += other
            other[:] = 0
        self.counters["steps"] += 1
        step = self.counters["steps"]
        self.weights *= np.float32(1 - rate * s.weight_decay)
        adam_step(self.weights, total, self.first, self.second, 1 / len(picks), rate, step)
        kept = np.float32(min(s.averaging, step / (step + 10)))
        self.mean += (1 - kept) * (self.weights - self.mean)
        return sums

    def state(self) -> dict[str, np.ndarray]:
        """The weights, their mean, Adam's moments, and what is remembered."""
        memory = {f"memory.{name}": array for name, array in self.memory._asdict().items()}
        return {"weights": self.weights, "mean": self.mean, "first": self.first, "second": self.second} | memory

    def model(self) -> dict[str, np.ndarray]:
        """The mean of the weights."""
        return {"mean": self.mean}

    def player(self) -> Zero:
        """A search with the network, as short as those it learns from."""
        judge = board_judge(self.mean, self.shape, self.board)
        return Zero(self.game, judge, Limits(simulations=self.settings.simulations))

    @classmethod
    def named(cls, settings: Any) -> str:
        """The player `zero` loads such networks."""
        return "zero"

    def close(self) -> None:
        """Let go of threads."""
        if not self.playing:
            self.threads.shutdown(wait=True, cancel_futures=True)
