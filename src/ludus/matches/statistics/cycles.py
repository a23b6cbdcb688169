"""Players that beat each other in circles, as scissors, stone and paper do: no rating tells who of them is best.

What is given is a table of win shares, `shares[i, j]` of player i against player j, with halves for draws and one half where a player meets itself.
`cyclic_share` says how much of it ratings cannot explain, `sure_circles` which circles are more than luck, and
`alpha_rank` and `maximal_lottery` rank players with circles among them.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.matches.statistics.basics import normal_tail
from ludus.matches.statistics.deciding import holm

TINY = 1e-12  # below this a number of the simplex method is a rounding error


class Circle(NamedTuple):
    """Three players of whom each beats the next, and the last the first; the probability that luck makes it look so, at most."""

    players: tuple[int, int, int]
    p: float


def cyclic_share(shares: np.ndarray) -> float:
    """The part of the differences in a table that goes in circles: 0 where ratings tell all, 1 where they tell nothing.

    Each player's mean against all others is the best rating in the sense of least squares; what these leave is the cyclic part. Luck makes
    it more than 0: see `sure_circles`.

    >>> cyclic_share(np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]]))
    1.0
    >>> cyclic_share(np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])) < 1e-12
    True
    """
    margins = _margins(shares)
    means = margins.mean(axis=1)
    left = margins - (means[:, None] - means)
    all_of_it = float(np.sum(margins**2))
    return float(np.sum(left**2)) / all_of_it if all_of_it > 0 else 0.0


def sure_circles(shares: np.ndarray, errors: np.ndarray, level: float = 0.95) -> list[Circle]:
    """Circles of three that are more than luck, the surest first. `errors[i, j]` is the standard error of `shares[i, j]`.

    A circle is as doubtful as its most doubtful side, and Holm's correction takes into account how many there might be. Longer circles need no
    look: where every two players have met and are not even, there is none without one of three.

    >>> shares = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    >>> [circle.players for circle in sure_circles(shares, np.full((3, 3), 0.02))]
    [(0, 1, 2)]
    """
    margins, spread = _margins(shares), np.asarray(errors, np.float64)
    if spread.shape != margins.shape or not np.all(spread >= 0):
        raise LudusError(f"standard errors are numbers from 0 on, in a table of the shape {margins.shape}")
    if not 0 < level < 1:
        raise LudusError(f"level={level:g}: the level of a test is between 0 and 1, such as 0.95")
    ways = [way for i, j, k in itertools.combinations(range(len(margins)), 3) for way in ((i, j, k), (i, k, j))]
    doubts = [max(_doubt(margins[a, b], spread[a, b]) for a, b in ((i, j), (j, k), (k, i))) for i, j, k in ways]
    found = [Circle(way, float(p)) for way, p in zip(ways, holm(doubts), strict=True) if p <= 1 - level]
    return sorted(found, key=lambda circle: circle.p)


def alpha_rank(payoffs: np.ndarray, alpha: float = 100.0, population: int = 50) -> np.ndarray:
    """α-rank (Omidshafiei et al. 2019) of players that meet in pairs: how much of the time a population would play like each of them.

    `payoffs[i, j]` is what player i gets against player j, such as its win share. From time to time one of the `population` tries another player's way;
    it spreads or dies out by its payoffs, the more surely the higher `alpha` is. All numbers are kept as logarithms, so that no `alpha` is too high.

    >>> alpha_rank(np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])).round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    table = np.asarray(payoffs, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table) or not np.isfinite(table).all():
        raise LudusError(
            f"payoffs are a table of numbers with a row and a column a player, not of the shape {table.shape}"
        )
    if not (alpha > 0 and math.isfinite(alpha)) or population < 2:
        raise LudusError(
            f"alpha={alpha:g}, population={population}: alpha is a number above 0, and a population is 2 or more"
        )
    # In row i and column j: how far a single j does better among many i than they do against it.
    return _stationary(_log_fixation(alpha * (table.T - table), population))


def maximal_lottery(shares: np.ndarray) -> np.ndarray:
    """The maximal lottery: with which probabilities to choose a player such that no other is expected to win more than half against the choice.

    It gives all to a player that beats every other, and mixes those of a circle. A player that is there twice does not change what
    the others have together. Where several lotteries are maximal, as with players that are even, it is one of them.

    >>> maximal_lottery(np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])).round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    margins = _margins(shares)
    count = len(margins)
    # A game of two that choose a player each is worth 0 to both. With 1 added to all margins, x / sum(x) is its solution where
    # x >= 0 has the largest sum with (margins + 1) x <= 1: the tableau of a simplex method that may begin with x = 0.
    tableau = np.zeros((count + 1, 2 * count + 1))
    tableau[:count, :count] = margins + 1
    tableau[:count, count : 2 * count] = np.eye(count)
    tableau[:count, -1] = 1
    tableau[-1, :count] = -1
    basis = np.arange(count, 2 * count)
    while (tableau[-1, :-1] < -TINY).any():
        entering = int(
            np.argmax(tableau[-1, :-1] < -TINY)
        )  # Bland's rule: the first that helps, which never goes round in circles
        column = tableau[:count, entering]
        ratios = np.full(count, np.inf)
        np.divide(tableau[:count, -1], column, out=ratios, where=column > TINY)
        ties = np.flatnonzero(ratios <= ratios.min() + TINY)
        leaving = ties[np.argmin(basis[ties])]
        tableau[leaving] /= tableau[leaving, entering]
        others = np.arange(count + 1) != leaving
        tableau[others] -= np.outer(tableau[others, entering], tableau[leaving])
        basis[leaving] = entering
    found = np.zeros(2 * count)
    found[basis] = np.maximum(tableau[:count, -1], 0.0)
    return found[:count] / found[:count].sum()


def _margins(shares: np.ndarray) -> np.ndarray:
    """By how much each wins more against each than it loses."""
    table = np.asarray(shares, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table):
        raise LudusError(f"a table of win shares has a row and a column a player, not the shape {table.shape}")
    if not np.allclose(table + table.T, 1.0, rtol=0, atol=1e-9) or not np.all((table >= 0) & (table <= 1)):
        raise LudusError(
            "win shares are from 0 to 1, those of two players against each other sum to 1, and each has one half against itself"
        )
    return table - table.T


def _doubt(margin: float, error: float) -> float:
    """How probable so high a margin is by luck alone. A margin is twice a win share above one half, and so is its error."""
    if error == 0:
        return float(margin <= 0)
    return normal_tail(margin / (2 * error))


def _log_fixation(gain: np.ndarray, population: int) -> np.ndarray:
    """The logarithm of how probable it is that a newcomer takes over, (1 - exp(-x)) / (1 - exp(-m x)) with x = `gain`."""
    size = np.where(gain == 0, 1.0, np.abs(gain))
    for_better = np.log(-np.expm1(-size)) - np.log(-np.expm1(-population * size))
    log = np.where(gain > 0, for_better, for_better - (population - 1) * size)
    return np.where(gain == 0, -math.log(population), log)


def _stationary(log_rates: np.ndarray) -> np.ndarray:
    """Where a Markov chain with these logarithms of rates spends its time, by elimination without subtractions
    (Grassmann, Taksar and Heyman 1985), so that no digits are lost. The diagonal is not looked at."""
    rates = np.array(log_rates)
    count = len(rates)
    out = np.zeros(count)  # the logarithm of how fast each is left for those before it
    for last in range(count - 1, 0, -1):
        out[last] = np.logaddexp.reduce(rates[last, :last])
        rates[:last, :last] = np.logaddexp(
            rates[:last, :last], rates[:last, last, None] + rates[last, :last] - out[last]
        )
    log = np.zeros(count)
    for state in range(1, count):
        log[state] = np.logaddexp.reduce(log[:state] + rates[:state, state]) - out[state]
    mass = np.exp(log - log.max())
    return mass / mass.sum()
