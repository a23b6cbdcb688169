"""A quick judgement of a rulesheet's states: a network with one layer of hidden units over the propositions that hold. It is small enough to be learned while a start clock runs (`study.py`), and quick
enough to stand in for the rest of a random game (`lanes.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.games.gdl.lanes import PROPOSITIONS, SEATS
from ludus.kernel import below, kernel

HIDDEN = 24
FORGET_MEAN, FORGET_SQUARE = 0.9, 0.999  # of Adam (Kingma & Ba 2015)


class Judgement(NamedTuple):
    """Weights; the last row of each stands for what always holds."""

    w1: np.ndarray  # proposition, hidden unit
    w2: np.ndarray  # hidden unit, seat


class Adam(NamedTuple):
    """What Adam remembers of each weight."""

    mean: Judgement
    square: Judgement
    steps: np.ndarray  # one number


def no_judgement(seats: int) -> Judgement:
    """A judgement in name only."""
    return Judgement(np.zeros((1, 1), np.float32), np.zeros((2, seats), np.float32))


def new_judgement(game: Any, seed: int, hidden: int = HIDDEN) -> Judgement:
    """A judgement that knows nothing yet: all seats have equal chances, wherever.

    >>> import ludus
    >>> new_judgement(ludus.game("tictactoe"), seed=1).w1.shape
    (21, 24)
    """
    rng = np.random.default_rng(seed)
    propositions, seats = int(game.sizes[PROPOSITIONS]), int(game.sizes[SEATS])
    first = rng.normal(0, 0.1, (propositions + 1, hidden)).astype(np.float32)
    return Judgement(first, np.zeros((hidden + 1, seats), np.float32))


def new_adam(judgement: Judgement) -> Adam:
    """A memory for learning, empty."""
    zeros = [Judgement(np.zeros_like(judgement.w1), np.zeros_like(judgement.w2)) for _ in range(2)]
    return Adam(zeros[0], zeros[1], np.zeros(1, np.int64))


@kernel
def conclude(judgement: Any, hidden: Any, out: Any) -> None:
    """From the sums of the hidden units to a score for each seat, between 0 and 1. The units become their own values."""
    w2 = judgement.w2
    last = len(w2) - 1
    for s in range(len(out)):
        out[s] = w2[last, s]
    for h in range(len(hidden)):
        hidden[h] = np.tanh(hidden[h])
        for s in range(len(out)):
            out[s] += hidden[h] * w2[h, s]
    for s in range(len(out)):
        out[s] = 1.0 / (1.0 + np.exp(-out[s]))


@kernel
def judge_bits(judgement: Any, bits: Any, hidden: Any, out: Any) -> None:
    """A score for each seat, of a state whose propositions are given as bits."""
    w1 = judgement.w1
    last = len(w1) - 1
    for h in range(len(hidden)):
        hidden[h] = w1[last, h]
    for p in range(last):
        if (bits[p >> 6] >> (p & 63)) & 1:
            for h in range(len(hidden)):
                hidden[h] += w1[p, h]
    conclude(judgement, hidden, out)


@kernel
def learn(judgement: Any, adam: Any, states: Any, targets: Any, plan: Any, rng: Any) -> None:
    """Bring the judgement of states, given as bits, closer to their targets: `plan` is (steps of Adam, states a step, rate). The rate falls to a tenth on the way."""
    steps, batch, rate = plan
    w1, w2 = judgement
    hidden, out, back = np.zeros(w1.shape[1], np.float32), np.zeros(w2.shape[1]), np.zeros(w1.shape[1], np.float32)
    slope1, slope2 = np.zeros_like(w1), np.zeros_like(w2)
    for step in range(steps):
        slope1[:] = 0
        slope2[:] = 0
        for _ in range(batch):
            i = below(rng, len(states))
            judge_bits(judgement, states[i], hidden, out)
            back[:] = 0
            for s in range(len(out)):
                wrong = np.float32((out[s] - targets[i, s]) / batch)
                for h in range(len(hidden)):
                    slope2[h, s] += wrong * hidden[h]
                    back[h] += wrong * w2[h, s]
                slope2[len(hidden), s] += wrong
            for h in range(len(hidden)):
                back[h] *= 1 - hidden[h] * hidden[h]
            for p in range(len(w1) - 1):
                if (states[i, p >> 6] >> (p & 63)) & 1:
                    for h in range(len(hidden)):
                        slope1[p, h] += back[h]
            for h in range(len(hidden)):
                slope1[len(w1) - 1, h] += back[h]
        adam.steps[0] += 1
        here = rate * 0.1 ** (step / steps)
        _adam_step(w1, slope1, adam.mean.w1, adam.square.w1, here, adam.steps[0])
        _adam_step(w2, slope2, adam.mean.w2, adam.square.w2, here, adam.steps[0])


@kernel
def _adam_step(weights: Any, slope: Any, mean: Any, square: Any, rate: float, steps: int) -> None:
    scale = rate * np.sqrt(1 - FORGET_SQUARE**steps) / (1 - FORGET_MEAN**steps)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            g = slope[i, j]
            mean[i, j] += (1 - FORGET_MEAN) * (g - mean[i, j])
            square[i, j] += (1 - FORGET_SQUARE) * (g * g - square[i, j])
            weights[i, j] -= scale * mean[i, j] / (np.sqrt(square[i, j]) + 1e-8)


@kernel
def loss(judgement: Any, states: Any, targets: Any) -> float:
    """The mean cross-entropy between judgements and targets, less that of the targets with themselves: 0 is perfect."""
    hidden, out = np.zeros(judgement.w1.shape[1], np.float32), np.zeros(judgement.w2.shape[1])
    total = 0.0
    for i in range(len(states)):
        judge_bits(judgement, states[i], hidden, out)
        for s in range(len(out)):
            t, p = targets[i, s], min(max(out[s], 1e-6), 1 - 1e-6)
            total -= t * np.log(p) + (1 - t) * np.log(1 - p)
            if 0 < t < 1:
                total += t * np.log(t) + (1 - t) * np.log(1 - t)
    return total / (len(states) * len(out))
