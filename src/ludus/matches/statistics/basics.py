"""What a single contest needs: who won, and how sure one can be of a rate and of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Z95 = 1.959963984540054  # 95 % of a normal distribution lies within so many standard deviations


def wilson(wins: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for a rate of which `wins` in `games` were seen.

    Unlike the mean ± z standard errors of school, it stays within 0 and 1 and says something useful about a player that
    has won every game. `wins` need not be whole: a shared win counts as a part of one, which errs on the careful side.

    >>> [round(x, 3) for x in wilson(10, 10)]
    [0.722, 1.0]
    >>> [round(x, 3) for x in wilson(500, 1000)]
    [0.469, 0.531]
    """
    rate = wins / games
    weight = z * z / games
    middle = (rate + weight / 2) / (1 + weight)
    reach = z * math.sqrt((rate * (1 - rate) + weight / 4) / games) / (1 + weight)
    # Rounding may put a bound a hair beyond what was seen.
    return max(0.0, min(middle - reach, rate)), min(1.0, max(middle + reach, rate))


def mean_and_error(values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """The mean, and its standard error: NaN for a single value, which says nothing of how far values lie apart.

    >>> mean_and_error([1.0, -1.0, 2.0, -2.0])
    (0.0, 0.9128709291752769)
    """
    array = np.asarray(values, np.float64)
    if len(array) < 2:
        return float(array.mean()), math.nan
    return float(array.mean()), float(array.std(ddof=1) / math.sqrt(len(array)))


def normal_tail(z: float) -> float:
    """The probability that a normal variable lies more than `z` standard deviations above its mean.

    >>> round(normal_tail(Z95), 6)
    0.025
    """
    return math.erfc(z / math.sqrt(2)) / 2


def win_shares(scores: np.ndarray, highest: float) -> np.ndarray:
    """Who won each game, from one row of scores a game: 1 for the best score, equal parts for those who share it.

    Alone at the table, a player wins with the highest score that the game can give.

    >>> win_shares(np.array([[2.0, -2.0], [0.0, 0.0]]), 3.0)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    if scores.shape[1] == 1:
        return (scores >= highest).astype(np.float64)
    best = scores == scores.max(axis=1, keepdims=True)
    return best / best.sum(axis=1, keepdims=True)
