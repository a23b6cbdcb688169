"""Deciding among many comparisons without fooling oneself: Holm's correction, and how many seeds a comparison needs."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ludus.errors import LudusError
from ludus.matches.statistics.basics import normal_tail
from ludus.matches.statistics.student import student_reach

MOST_SEEDS = 1_000_000  # nobody trains so often


def holm(probabilities: Sequence[float] | np.ndarray) -> np.ndarray:
    """Holm's correction: what each p-value is worth when all of them are looked at.

    Who calls differences real where the corrected value is at most 0.05 finds one where there is none in at most 5 % of
    reports, however the tests depend on each other. NaN, a test that could not be made, stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(probabilities, np.float64)
    wrong = p[(p < 0) | (p > 1)]
    if len(wrong):
        raise LudusError(f"a p-value is from 0 to 1, not {wrong[0]:g}")
    out = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    # The smallest counts for all of them, the next for all but one; and none may overtake a smaller one.
    steps = p[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return out


def power(difference: float, spread: float, seeds: int, level: float = 0.95) -> float:
    """How often a two-sided t-test of two methods, `seeds` trainings each, notices a true difference of their means.

    `spread` is the standard deviation of one training's score, as a pilot shows it. For two methods that spread
    differently, give the root of the mean of their variances.

    >>> round(power(difference=0.05, spread=0.05, seeds=10), 3)
    0.562
    """
    _check(difference, spread, level)
    if seeds < 2:
        raise LudusError(f"seeds={seeds}: a test needs 2 seeds or more of each method")
    df = 2 * seeds - 2
    shift = abs(difference) / spread * math.sqrt(seeds / 2)
    reach = student_reach(df, level)
    # The measured spread is `s` times the true one; given s, Student's t is a normal variable. Its share beyond the
    # reach is summed over the density of s, which is negligible outside of these bounds.
    half = 14 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - half), 1 + half
    nodes, weights = _nodes()
    s = (high - low) / 2 * nodes + (high + low) / 2
    log_density = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2) + (df - 1) * np.log(s) - df * s * s / 2
    beyond = [normal_tail(reach * x - shift) + normal_tail(reach * x + shift) for x in s.tolist()]
    return float((high - low) / 2 * np.sum(weights * np.exp(log_density) * np.array(beyond)))


def seeds_needed(difference: float, spread: float, wanted: float = 0.8, level: float = 0.95) -> int:
    """How many trainings of each of two methods show a true difference with a probability of `wanted`.

    `spread` comes from a pilot, and that of a small pilot is often too low: take what comes out as the least.

    >>> seeds_needed(difference=0.05, spread=0.05)
    17
    """
    _check(difference, spread, level)
    if not 0 < wanted < 1:
        raise LudusError(f"wanted={wanted:g}: a power is between 0 and 1")
    if difference == 0:
        raise LudusError("difference=0: no number of seeds shows that; give the smallest difference that matters")
    enough = 2
    while power(difference, spread, enough, level) < wanted:
        enough *= 2
        if enough > MOST_SEEDS:
            raise LudusError(
                f"a difference of {difference:g} with a spread of {spread:g} takes more than {MOST_SEEDS:,} seeds; "
                "give a larger difference"
            )
    low = enough // 2  # too few, or 1
    while enough - low > 1:
        middle = (low + enough) // 2
        low, enough = (low, middle) if power(difference, spread, middle, level) >= wanted else (middle, enough)
    return enough


@functools.cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Where to look, and with which weights, to sum a smooth function from -1 to 1."""
    return np.polynomial.legendre.leggauss(200)


def _check(difference: float, spread: float, level: float) -> None:
    if not math.isfinite(difference):
        raise LudusError(f"difference={difference:g}: it is a number")
    if not (spread > 0 and math.isfinite(spread)):
        raise LudusError(f"spread={spread:g}: a standard deviation is a number above 0")
    if not 0 < level < 1:
        raise LudusError(f"level={level:g}: the level of a test is between 0 and 1, such as 0.95")
