"""Circles, α-rank and maximal lotteries, beside OpenSpiel and scipy."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog

from ludus.errors import LudusError
from ludus.matches.statistics import alpha_rank, cyclic_share, maximal_lottery, sure_circles

SCISSORS = np.array([[0.5, 0.8, 0.3], [0.2, 0.5, 0.9], [0.7, 0.1, 0.5]])  # 0 beats 1, 1 beats 2, 2 beats 0
STAIRS = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])


def some_table(players: int, seed: int) -> np.ndarray:
    above = np.triu(np.random.default_rng(seed).random((players, players)), 1)
    return above + np.tril(1 - above.T, -1) + np.eye(players) / 2


# --- circles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_cyclic_part_is_what_the_best_ratings_leave(seed: int) -> None:
    shares = some_table(6, seed)
    pairs = list(itertools.combinations(range(6), 2))
    x = np.array([np.eye(6)[i] - np.eye(6)[j] for i, j in pairs])
    y = np.array([shares[i, j] - 0.5 for i, j in pairs])
    ratings = np.linalg.lstsq(x, y, rcond=None)[0]
    assert cyclic_share(shares) == pytest.approx(np.sum((y - x @ ratings) ** 2) / np.sum(y**2), abs=1e-12)


def test_even_players_have_no_circles() -> None:
    assert cyclic_share(np.full((4, 4), 0.5)) == 0
    assert sure_circles(np.full((4, 4), 0.5), np.zeros((4, 4))) == []


def test_sure_circles_say_who_beats_whom() -> None:
    errors = np.full((3, 3), 0.05)
    [circle] = sure_circles(SCISSORS, errors)
    assert circle.players == (0, 1, 2)
    assert 0 < circle.p < 0.05
    assert [c.players for c in sure_circles(SCISSORS.T, errors)] == [(0, 2, 1)]
    assert sure_circles(STAIRS, errors) == []
    assert sure_circles(SCISSORS, np.full((3, 3), 0.2)) == []  # too few games


def test_luck_alone_seldom_makes_a_sure_circle() -> None:
    rng, games, alarms = np.random.default_rng(1), 100, 0
    for _ in range(500):
        above = np.triu(rng.binomial(games, 0.5, (6, 6)) / games, 1)
        shares = above + np.tril(1 - above.T, -1) + np.eye(6) / 2
        alarms += bool(sure_circles(shares, np.sqrt(shares * (1 - shares) / games)))
    assert alarms <= 25  # 5 %


# --- α-rank ----------------------------------------------------------------------------------------------------------


@pytest.mark.peers
@pytest.mark.parametrize("alpha", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("players", [2, 3, 8])
def test_alpha_rank_is_that_of_open_spiel(players: int, alpha: float) -> None:
    alpharank = pytest.importorskip("open_spiel.python.egt.alpharank")
    table = some_table(players, players)
    theirs = alpharank.compute([table], m=20, alpha=alpha)[2]
    assert alpha_rank(table, alpha, population=20) == pytest.approx(theirs, abs=1e-9)


def test_alpha_rank_is_the_stationary_distribution_of_its_chain() -> None:
    table, alpha, m = some_table(5, 9), 0.3, 10
    chain = np.zeros((5, 5))
    for i, j in itertools.permutations(range(5), 2):
        gain = alpha * (table[j, i] - table[i, j])
        chain[i, j] = (1 - np.exp(-gain)) / (1 - np.exp(-m * gain)) / 4
    chain += np.diag(1 - chain.sum(axis=1))
    assert np.linalg.matrix_power(chain, 10_000)[0] == pytest.approx(alpha_rank(table, alpha, m), abs=1e-9)


@pytest.mark.parametrize("alpha", [1e2, 1e5, 1e12])
def test_alpha_rank_stays_exact_where_newcomers_hardly_ever_take_over(alpha: float) -> None:
    assert alpha_rank(STAIRS, alpha) == pytest.approx([1, 0, 0], abs=1e-12)
    assert alpha_rank(SCISSORS, alpha) == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=1e-5)
    assert alpha_rank(np.full((4, 4), 0.5), alpha) == pytest.approx([0.25] * 4, abs=1e-12)


# --- maximal lotteries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_maximal_lottery_is_that_of_scipys_linear_programming(seed: int) -> None:
    """Among unequal margins there is a single one."""
    shares = some_table(3 + seed, seed)
    margins = shares - shares.T
    count = len(shares)
    theirs = linprog(np.zeros(count), -margins.T, np.zeros(count), np.ones((1, count)), [1], method="highs").x
    assert maximal_lottery(shares) == pytest.approx(theirs, abs=1e-9)


def test_who_beats_all_others_has_all_of_the_lottery() -> None:
    assert maximal_lottery(STAIRS).tolist() == [1, 0, 0]
    assert maximal_lottery(STAIRS[::-1, ::-1]).tolist() == [0, 0, 1]


@pytest.mark.parametrize("players", [1, 2, 5, 30])
def test_no_player_wins_more_than_half_against_the_lottery(players: int) -> None:
    rounded = np.triu(some_table(players, 3).round(1), 1)  # with ties
    shares = rounded + np.tril(1 - rounded.T, -1) + np.eye(players) / 2
    lottery = maximal_lottery(shares)
    assert lottery.sum() == pytest.approx(1)
    assert lottery.min() >= 0
    assert np.max(shares @ lottery) <= 0.5 + 1e-9


def test_a_player_that_is_there_twice_takes_nothing_from_the_others() -> None:
    twice = SCISSORS[np.ix_([0, 1, 2, 2], [0, 1, 2, 2])]
    lottery = maximal_lottery(twice)
    assert [*lottery[:2], lottery[2:].sum()] == pytest.approx(maximal_lottery(SCISSORS))


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cyclic_share(np.ones((2, 3))), r"not the shape \(2, 3\)"),
        (lambda: maximal_lottery(np.ones((2, 2))), "sum to 1"),
        (lambda: sure_circles(SCISSORS, np.zeros((2, 2))), r"of the shape \(3, 3\)"),
        (lambda: sure_circles(SCISSORS, SCISSORS, level=95), "level=95"),
        (lambda: alpha_rank(np.ones((2, 3))), r"not of the shape \(2, 3\)"),
        (lambda: alpha_rank(STAIRS, alpha=0), "alpha is a number above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Callable, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()
