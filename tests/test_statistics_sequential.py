"""The sequential test over pairs of games: its likelihoods beside scipy's, its errors, and what it says."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from ludus.errors import LudusError
from ludus.matches.statistics import (
    Question,
    pair_counts,
    pairs_until_sure,
    question,
    share_of_elo,
    sprt_pairs,
    sprt_points,
)
from ludus.matches.statistics.sequential import OUTCOMES, pair_llr

COUNTS = [[10, 40, 100, 60, 30], [1, 0, 0, 0, 9], [300, 0, 900, 0, 280], [5, 200, 4000, 260, 7]]
FIVE = question("0,5")


def by_root(counts: list[int], share: float) -> float:
    """The likelihood of the best distribution with a mean, from the root that its condition has."""
    p, away = np.array(counts) / sum(counts), OUTCOMES - share
    t = brentq(lambda t: np.sum(p * away / (1 + t * away)), -1 / away[-1] + 1e-9, -1 / away[0] - 1e-9, xtol=1e-15)
    best = p / (1 + t * away)
    assert best.sum() == pytest.approx(1)
    assert best @ OUTCOMES == pytest.approx(share)
    return float(np.array(counts) @ np.log(best))


def by_search(counts: list[int], share: float) -> float:
    """The same, found by a general search among all distributions."""
    seen = np.array(counts) / sum(counts)
    conditions = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": lambda p: p @ OUTCOMES - share}]
    found = minimize(
        lambda p: -np.sum(seen * np.log(p)),
        np.full(5, 0.2),
        bounds=[(1e-12, 1)] * 5,
        constraints=conditions,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return -float(found.fun) * sum(counts)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("text", ["0,5", "-1,1", "0,2elo"])
def test_likelihoods_are_those_of_scipy(counts: list[int], text: str) -> None:
    asked = question(text)
    positive = [count or 1e-3 for count in counts]  # what was never seen counts a thousandth
    ours = sprt_pairs(counts, asked).llr
    assert ours == pytest.approx(by_root(positive, asked.high) - by_root(positive, asked.low), abs=1e-9)
    if min(counts):
        assert ours == pytest.approx(by_search(counts, asked.high) - by_search(counts, asked.low), abs=1e-3)


@pytest.mark.parametrize(
    ("counts", "five", "thirty"),
    [
        (COUNTS[0], 1.5241732590600712, 7.107995606057019),
        (COUNTS[1], 0.11412539358646982, 0.6999495034388213),
        (COUNTS[2], -1.1248035523066104, -18.50266306284842),
        (COUNTS[3], -0.017202843195544347, -262.55904833293954),
    ],
)
def test_likelihoods_are_those_of_fishtest(counts: list[int], five: float, thirty: float) -> None:
    """Its LLR_logistic(0, 5, counts) and LLR_logistic(-2, 30, counts), as of its commit b8eecff2."""
    assert sprt_pairs(counts, question("0,5elo")).llr == pytest.approx(five, abs=1e-9)
    assert sprt_pairs(counts, question("-2,30elo")).llr == pytest.approx(thirty, abs=1e-9)


def test_bounds_are_walds() -> None:
    assert FIVE.bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Question(0.5, 0.55, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_players_exchanged_the_answer_is_exchanged() -> None:
    for counts in COUNTS:
        there, back = sprt_pairs(counts, question("-3,3")).llr, sprt_pairs(counts[::-1], question("-3,3")).llr
        assert there == pytest.approx(-back, abs=1e-9)


def test_many_counts_are_judged_at_once() -> None:
    assert pair_llr(np.array(COUNTS), FIVE).tolist() == [float(pair_llr(np.array(row), FIVE)) for row in COUNTS]


def test_games_are_counted_by_pairs() -> None:
    won = np.array([0, 0, 0, 0.5, 1, 0, 0.5, 0.5, 0, 1, 0.5, 1, 1, 1])
    assert pair_counts(won).tolist() == [1, 1, 3, 1, 1]


@pytest.mark.parametrize(("share", "true"), [(0.5, "low"), (0.55, "high")])
def test_errors_stay_within_what_is_asked_and_games_are_saved(share: float, true: str) -> None:
    """Reduced to 200 tests; tools/sprt_errors.py makes 1,000 of each kind. Here a pair is two independent games."""
    rng = np.random.default_rng(6)
    ended = []
    for _ in range(200):
        won = rng.binomial(1, share, 3000).astype(float)
        pairs = pairs_until_sure(won, FIVE)
        ended.append(sprt_pairs(pair_counts(won[: 2 * pairs]), FIVE))
    wrong = sum(verdict.decision != true for verdict in ended)
    assert wrong <= 18  # 10 ± 2.6 standard deviations
    fixed = (1.960 + 1.645) ** 2 * share * (1 - share) / 2 / 0.05**2  # pairs of a two-sided test with the same errors
    assert np.mean([verdict.pairs for verdict in ended]) < fixed / 2


# --- points ----------------------------------------------------------------------------------------------------------


def test_likelihood_of_points_is_that_of_the_best_normal_distributions() -> None:
    points = np.random.default_rng(1).normal(0.1, 2, 300)

    def best(mean: float) -> float:
        variance = np.mean((points - mean) ** 2)
        return float(np.sum(-0.5 * np.log(2 * np.pi * variance) - (points - mean) ** 2 / (2 * variance)))

    assert sprt_points(points, Question(0, 0.2)).llr == pytest.approx(best(0.2) - best(0), abs=1e-9)


@pytest.mark.parametrize("points", [[], [0.0] * 100, [0.2, 0.3] * 9])
def test_points_that_tell_nothing_yet_decide_nothing(points: list[float]) -> None:
    assert sprt_points(np.array(points), Question(0.0, 0.2)).decision == ""


# --- what it says ----------------------------------------------------------------------------------------------------


def test_what_is_asked_in_percentage_points_and_in_elo() -> None:
    assert question("0,5")[:2] == pytest.approx((0.5, 0.55))
    assert question("-5, 5")[:2] == pytest.approx((0.45, 0.55))
    assert question("0,100Elo")[:2] == pytest.approx((0.5, 1 / (1 + 10 ** (-1 / 4))))
    assert share_of_elo(-1e9) == pytest.approx(0)


@pytest.mark.parametrize(
    ("counts", "text", "start"),
    [
        ([10, 40, 100, 60, 30], "0,5", "td is better than random: it won 56.2 % of 480 games. If its true share were 50 %,"),
        ([30, 60, 100, 60, 30], "0,5", "td is not better than random by 5 percentage points: it won 50.0 % of 560 games. If its true share were 55 %,"),
        ([10, 20, 100, 90, 80], "5,10", "td is better than random by more than 5 percentage points: it won 67.5 %"),
        ([30, 60, 100, 60, 30], "-5,0", "td is not weaker than random by 5 percentage points: it won 50.0 %"),
        ([30, 60, 100, 40, 10], "-5,0", "td is weaker than random: it won 43.8 %"),
        ([80, 90, 100, 20, 10], "-10,-5", "td is weaker than random by more than 5 percentage points: it won 32.5 %"),
        ([1, 2, 5, 2, 1], "0,5", "It is not sure yet whether td wins 50 % or 55 % against random: it won 50.0 % of 22 games."),
        ([0, 0, 0, 0, 0], "0,5", "It is not sure yet whether td wins 50 % or 55 % against random: no games yet."),
    ],
)  # fmt: skip
def test_the_verdict_is_a_sentence(counts: list[int], text: str, start: str) -> None:
    assert sprt_pairs(counts, question(text)).sentence("td", "random").startswith(start)


def test_the_verdict_on_points_is_a_sentence() -> None:
    verdict = sprt_points(np.tile([0.5, -0.25, 1.0], 20), Question(0.0, 0.2, points=True))
    assert verdict.sentence("td", "random") == (
        "td is better than random: it made +0.417 points a game in 120 games. "
        "If its true mean were +0 points a game, this test would say so in about 5 of 100 cases."
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda text=text: question(text), "give two differences") for text in ("", "5", "5,0", "0,50", "1,2,3", "a,b", "0,elo", "nan,1", "0,inf")),
        (lambda: question("0,5", alpha=0.5), "alpha=0.5"),
        (lambda: sprt_pairs([1, 2, 3], FIVE), "five counts"),
        (lambda: sprt_pairs([1, 2, 3, 4, -5], FIVE), "five counts"),
        (lambda: sprt_pairs([1, 2, 3, 4, 5], Question(0, 2)), "between 0 and 1"),
        (lambda: sprt_points(np.array([1.0]), Question(1, 0)), "from 1 to 0"),
        (lambda: sprt_points(np.array([math.nan]), Question(0, 1)), "finite number"),
        (lambda: pair_counts(np.array([1.0, 0.3])), "0, 0.5 or 1"),
        (lambda: pair_counts(np.array([1.0])), "two games a pair"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call: Callable, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()
