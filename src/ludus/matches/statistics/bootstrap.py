"""Intervals for any measure of trained players' scores, by a bootstrap at two levels: seeds, and within a seed its game pairs.

What is given is one array a game of the suite, `results[game][seed, pair]`: what a training scored in a pair of games with exchanged
seats, normalised. Games are the strata: they are not drawn again, as nobody wants to know about other games.

Resampling seeds and then pairs in the plain way is wrong twice. A seed's mean already scatters by the luck of its pairs, so that
drawing pairs again counts this luck twice; and the spread of n values around their own mean is too small by (n - 1) / n, which
matters with ten seeds. So the deviations of seeds and of pairs are first scaled such that together they scatter as the seeds' means
were seen to do. The percentiles' distances from the estimate are then made longer by as much as Student's distribution reaches farther
than the normal one. `tools/intervals.py` shows how often the plain ways and this one hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ludus.errors import LudusError
from ludus.matches.statistics.student import student_reach

Results: TypeAlias = Sequence[np.ndarray]

DRAWS = 2000
MANY = 1e9  # degrees of freedom, with which Student's distribution is the normal one
AT_ONCE = 4_000_000  # numbers held at once while drawing


class Estimate(NamedTuple):
    """A measure and its interval; numbers, or arrays where the measure is one, such as a performance profile."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def bootstrap_interval(
    measure: Callable[..., np.ndarray],
    *methods: Results,
    seed: int = 1,
    draws: int = DRAWS,
    level: float = 0.95,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """A measure of one method, or of several beside each other, with its interval.

    `measure` is given the scores of each method as `ludus.matches.statistics.scores` has them, with an axis for the draws in front.
    A player that is not trained has a single seed: only its pairs are drawn again then. `within` is what the measure can be at all, such as
    (0, 1) for probabilities and profiles.

    >>> from ludus.matches.statistics.scores import iqm
    >>> rng = np.random.default_rng(1)
    >>> results = [rng.normal(0.5, 0.1, (10, 1)) + rng.normal(0, 0.3, (10, 50)) for game in range(3)]
    >>> [round(float(x), 3) for x in bootstrap_interval(iqm, results)]
    [0.509, 0.472, 0.547]
    """
    if not 0 < level < 1 or draws < 1:
        raise LudusError(f"level={level:g}, draws={draws}: a level is between 0 and 1, and draws are 1 or more")
    given = [[_checked(game) for game in results] for results in methods]
    rng = np.random.default_rng(seed)
    value = measure(*([game.mean(axis=1) for game in results] for results in given))
    drawn = measure(*([_draw(game, draws, rng) for game in results] for results in given))
    longer = student_reach(_freedom([game for results in given for game in results]), level) / student_reach(
        MANY, level
    )
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Estimate(
        value, np.clip(value + longer * (low - value), *within), np.clip(value + longer * (high - value), *within)
    )


def _checked(game: np.ndarray) -> np.ndarray:
    array = np.asarray(game, np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise LudusError(f"results of a game have a row a seed and a column a game pair, not the shape {array.shape}")
    if not np.isfinite(array).all():
        raise LudusError("results of games are finite numbers; leave out trainings that failed")
    return array


def _draw(game: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Scores of seeds drawn again, one row a draw."""
    seeds, pairs = game.shape
    means = game.mean(axis=1)
    middle = means.mean()
    of_seeds, of_pairs = _scales(game)
    drawn = rng.integers(seeds, size=(draws, seeds))
    luck = np.empty((draws, seeds))
    step = max(1, AT_ONCE // game.size)
    for first in range(0, draws, step):
        rows = drawn[first : first + step]
        pair = rng.integers(pairs, size=(*rows.shape, pairs))
        luck[first : first + step] = game[rows[..., None], pair].mean(axis=-1) - means[rows]
    return middle + of_seeds * (means[drawn] - middle) + of_pairs * luck


def _scales(game: np.ndarray) -> tuple[float, float]:
    """How much the deviations of seeds and of pairs are to be scaled, so that both together scatter as much as the seeds' means do."""
    seeds, pairs = game.shape
    luck = game.var(axis=1, ddof=1).mean() / pairs if pairs > 1 else 0.0  # of a seed's mean, by its pairs
    drawn_luck = game.var(axis=1).mean() / pairs  # as drawing again has it
    if seeds == 1:
        return 0.0, math.sqrt(luck / drawn_luck) if drawn_luck > 0 else 0.0
    means = game.mean(axis=1)
    seen, drawn_seen = means.var(ddof=1), means.var()
    if seen == 0:
        return 0.0, 0.0
    luck = min(luck, seen)  # where luck alone explains more than was seen, seeds do not differ
    of_pairs = math.sqrt(luck / drawn_luck) if drawn_luck > 0 else 0.0
    return math.sqrt((seen - luck) / drawn_seen), of_pairs


def _freedom(games: Sequence[np.ndarray]) -> float:
    """Degrees of freedom of a mean over all of them, by Welch and Satterthwaite."""
    parts = []
    for game in games:
        units = game.mean(axis=1) if len(game) > 1 else game[0]
        if len(units) > 1:
            parts.append((units.var(ddof=1) / len(units), len(units) - 1))
    total, below = sum(v for v, _ in parts), sum(v * v / df for v, df in parts)
    return min(total * total / below, MANY) if below > 0 else MANY
