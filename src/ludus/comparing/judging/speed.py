"""How fast a method learns, as one number a training: the area under its learning curve.

A budget is walked through by factors, as the points of a curve are: twice the games count as one step, wherever one stands. The speed of a training
is its mean normalised score over these steps, from the first point that any training in the game has to the last one. Between two points the
score is taken as a straight line over the logarithm of the budget. Before its first point a training counts 0, as a random player does: whoever has spent
less than that has nothing in hand yet. After its last point it keeps its score, as a player does that learns no more.

So a speed is on the scale of the scores, and two trainings with the same end differ by how early they came there. It is measured over games learned from, over
positions judged and over seconds of processor time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ludus.comparing.results import Cell, Comparison

AXES = ("games", "positions", "seconds")


def spent(cell: Cell, axis: str) -> list[float]:
    """What a training had spent at each of its points."""
    return list(cell.seconds) if axis == "seconds" else [float(getattr(point, axis)) for point in cell.points]


def curve(comparison: Comparison, cell: Cell, axis: str) -> tuple[np.ndarray, np.ndarray]:
    """A learning curve: what was spent, and the normalised score; without points at which nothing was spent yet."""
    xs = np.array(spent(cell, axis), np.float64)
    scores = [float(np.mean(comparison.normalised(cell.game, point))) for point in cell.points[: len(xs)]]
    kept = xs > 0
    return xs[kept], np.array(scores, np.float64)[kept]


def area(xs: Sequence[float] | np.ndarray, scores: Sequence[float] | np.ndarray, low: float, high: float) -> float:
    """The mean of a learning curve from `low` to `high`, over the logarithm of what was spent; NaN for a single point, which is no curve.

    >>> area([1, 2, 4], [0.0, 1.0, 1.0], 1, 4)
    0.75
    >>> area([2, 4], [1.0, 1.0], 1, 8)  # nothing yet on the first of three steps, and no more on the last
    0.6666666666666666
    """
    if len(xs) < 2 or not 0 < low < high:
        return math.nan
    ends = np.log([low, high])
    places = np.concatenate([np.log(xs), ends[1:]])
    heights = np.concatenate([scores, scores[-1:]])
    return float(np.sum(np.diff(places) * (heights[1:] + heights[:-1]) / 2) / (ends[1] - ends[0]))


def speeds(comparison: Comparison, game: str, axis: str) -> dict[str, np.ndarray]:
    """The speed of each training of each method in a game, by method; NaN where curves have a single point."""
    curves = {
        method.label: [curve(comparison, cell, axis) for cell in comparison.of(game, method.label)]
        for method in comparison.methods
    }
    passed = [xs for found in curves.values() for xs, _ in found if len(xs)]
    low = min((float(xs[0]) for xs in passed), default=math.nan)
    high = max((float(xs[-1]) for xs in passed), default=math.nan)
    return {label: np.array([area(xs, ys, low, high) for xs, ys in found]) for label, found in curves.items()}
