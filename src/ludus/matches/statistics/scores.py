"""Measures of a method's scores over games and seeds, after Agarwal et al. 2021 ("Deep Reinforcement Learning at the Edge of
the Statistical Precipice").

Scores are given as one array a game, with the seeds along its last axis: `[array of game 1, array of game 2, …]`. Axes before
that are kept, so that a measure works on a thousand resampled comparisons at once. Games may have different numbers of seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ludus.errors import LudusError

Scores: TypeAlias = Sequence[np.ndarray]


def normalised(scores: np.ndarray, low: float, high: float) -> np.ndarray:
    """Scores on the scale where `low` (a random player) is 0 and `high` (an anchor, or the exact optimum) is 1.

    >>> normalised(np.array([0.5, 0.75, 1.0]), low=0.5, high=0.9).tolist()
    [0.0, 0.625, 1.25]
    """
    if not (np.isfinite(low) and np.isfinite(high) and low != high):
        raise LudusError(f"scores cannot be normalised from {low:g} to {high:g}: give two different numbers")
    return (np.asarray(scores, np.float64) - low) / (high - low)


def mean_score(scores: Scores) -> np.ndarray:
    """The mean over games of the mean over seeds: each game counts the same.

    >>> float(mean_score([np.array([0.0, 1.0]), np.array([1.0, 1.0])]))
    0.75
    """
    return np.mean(_means(scores), axis=-1)


def median_score(scores: Scores) -> np.ndarray:
    """The median over games of the mean over seeds: half of the games could be lost without a trace in it.

    Its intervals are longer than need be where several games are close to the middle.

    >>> float(median_score([np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([9.0])]))
    1.0
    """
    return np.median(_means(scores), axis=-1)


def iqm(scores: Scores) -> np.ndarray:
    """The interquartile mean: the mean of the middle half of all trainings of all games.

    It forgives a lucky or a failed training as the median does, and wastes less of the others. A quarter that is no whole number
    of trainings is rounded down.

    >>> float(iqm([np.array([-9.0, 1.0]), np.array([2.0, 9.0])]))
    1.5
    """
    pool = np.sort(_pool(scores), axis=-1)
    cut = pool.shape[-1] // 4
    return np.mean(pool[..., cut : pool.shape[-1] - cut], axis=-1)


def optimality_gap(scores: Scores, target: float = 1.0) -> np.ndarray:
    """How far trainings stay below the target on average; what is above it counts nothing.

    >>> float(optimality_gap([np.array([0.5, 0.75]), np.array([1.0, 2.0])]))
    0.1875
    """
    return np.mean(np.maximum(target - _pool(scores), 0.0), axis=-1)


def performance_profile(scores: Scores, thresholds: Sequence[float] | np.ndarray) -> np.ndarray:
    """The share of trainings that score above each threshold, along a new last axis. Each game counts the same.

    >>> performance_profile([np.array([0.2, 0.4]), np.array([0.6, 0.8])], [0.0, 0.4, 0.7]).tolist()
    [1.0, 0.5, 0.25]
    """
    wanted = np.asarray(thresholds, np.float64)
    _check(scores)
    return np.mean([np.mean(game[..., None] > wanted, axis=-2) for game in scores], axis=0)


def probability_of_improvement(a: Scores, b: Scores) -> np.ndarray:
    """How probable it is that a training of `a` scores higher than one of `b`, on a game drawn from the suite. Ties count half.

    >>> float(probability_of_improvement([np.array([1.0, 3.0])], [np.array([1.0, 2.0])]))
    0.625
    """
    _check(a)
    _check(b)
    if len(a) != len(b):
        raise LudusError(f"two methods are compared on the same games, not on {len(a)} and {len(b)}")
    games = []
    for x, y in zip(a, b, strict=True):
        left, right = x[..., :, None], y[..., None, :]
        games.append(np.mean(((left > right) + 0.5 * (left == right)), axis=(-2, -1)))
    return np.mean(games, axis=0)


def _means(scores: Scores) -> np.ndarray:
    _check(scores)
    return np.stack([np.mean(game, axis=-1) for game in scores], axis=-1)


def _pool(scores: Scores) -> np.ndarray:
    _check(scores)
    return np.concatenate(scores, axis=-1)


def _check(scores: Scores) -> None:
    if not len(scores) or any(game.shape[-1] == 0 for game in scores):
        raise LudusError("a measure needs one game or more, and one score or more of each")
