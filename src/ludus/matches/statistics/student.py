"""Student's distribution, and Welch's test whether two means differ."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class TTest(NamedTuple):
    """Whether two means differ: Student's t, its degrees of freedom, and the two-sided probability of one so far from 0."""

    t: float
    df: float
    p: float


def welch(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> TTest:
    """Welch's t-test: do two samples come from populations with equal means, whatever their variances?

    >>> round(welch([82, 80, 82, 81], [79, 79, 78, 77]).p, 4)
    0.0044
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    spreads = [float(values.std(ddof=1)) if len(values) > 1 else math.nan for values in (x, y)]
    return welch_of(float(x.mean()), spreads[0], len(x), float(y.mean()), spreads[1], len(y))


def welch_of(mean_a: float, sd_a: float, n_a: int, mean_b: float, sd_b: float, n_b: int) -> TTest:
    """Welch's test for samples of which only means, standard deviations and sizes are known. NaN for samples of one."""
    if math.isnan(sd_a) or math.isnan(sd_b):
        return TTest(math.nan, math.nan, math.nan)
    part_a, part_b = sd_a**2 / n_a, sd_b**2 / n_b
    if part_a + part_b == 0:  # values that never vary: their means differ for sure, or not at all
        same = mean_a == mean_b
        return TTest(0.0 if same else math.copysign(math.inf, mean_a - mean_b), math.nan, float(same))
    t = (mean_a - mean_b) / math.sqrt(part_a + part_b)
    df = (part_a + part_b) ** 2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
    return TTest(t, df, student_p(t, df))


def student_p(t: float, df: float) -> float:
    """The probability that Student's t with `df` degrees of freedom lies as far from 0 as `t`, on either side."""
    return _beta(df / (df + t * t), df / 2, 0.5)


@functools.lru_cache(1000)
def student_reach(df: float, level: float = 0.95) -> float:
    """The t within which Student's distribution holds a share `level`: 1.96 for many degrees of freedom, 2.262 for nine."""
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, df) > 1 - level else (low, middle)
    return (low + high) / 2


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction on the side where that converges fast."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x) - math.log(a)
    )
    # Lentz's method: numerator and denominator side by side, kept away from 0.
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 + step * d
            c = 1 + step / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value
