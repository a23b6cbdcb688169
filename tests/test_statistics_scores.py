"""Measures over games and seeds beside scipy, and how often their intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from ludus.errors import LudusError
from ludus.matches.statistics import (
    bootstrap_interval,
    iqm,
    mean_score,
    median_score,
    normalised,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
    student_reach,
    welch,
)

RNG = np.random.default_rng(14)
SUITE = [RNG.normal(0.6, 0.3, 10) for _ in range(7)]  # a score for each of ten seeds, of seven games
OTHER = [RNG.normal(0.5, 0.3, 10).round(1) for _ in range(7)]  # rounded, so that there are ties
UNEVEN = [SUITE[0], SUITE[1][:6], SUITE[2][:9]]  # some trainings have failed


# --- the measures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", [SUITE, OTHER, UNEVEN, SUITE[:1]])
def test_measures_are_those_of_scipy_and_numpy(suite: list[np.ndarray]) -> None:
    pool = np.concatenate(suite)
    means = [game.mean() for game in suite]
    assert iqm(suite) == pytest.approx(stats.trim_mean(pool, 0.25), abs=1e-12)
    assert mean_score(suite) == pytest.approx(np.mean(means), abs=1e-12)
    assert median_score(suite) == pytest.approx(np.median(means), abs=1e-12)
    assert optimality_gap(suite) == pytest.approx(1 - np.minimum(pool, 1).mean(), abs=1e-12)
    assert optimality_gap(suite, target=0.3) == pytest.approx(0.3 - np.minimum(pool, 0.3).mean(), abs=1e-12)


def test_probability_of_improvement_is_mann_and_whitneys() -> None:
    rounded = [game.round(1) for game in SUITE]
    theirs = [stats.mannwhitneyu(a, b).statistic / (len(a) * len(b)) for a, b in zip(rounded, OTHER, strict=True)]
    assert probability_of_improvement(rounded, OTHER) == pytest.approx(np.mean(theirs), abs=1e-12)
    assert probability_of_improvement(rounded, rounded) == 0.5


def test_profile_is_one_minus_the_distribution() -> None:
    at = np.linspace(-0.5, 1.5, 9)
    theirs = 1 - stats.ecdf(np.concatenate(SUITE)).cdf.evaluate(at)
    assert performance_profile(SUITE, at) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    "measure", [iqm, mean_score, median_score, optimality_gap, lambda x: performance_profile(x, [0.5])]
)
def test_measures_work_on_many_comparisons_at_once(measure: Callable) -> None:
    many = [np.stack([a, b]) for a, b in zip(SUITE, OTHER, strict=True)]
    assert measure(many).tolist() == [measure(SUITE).tolist(), measure(OTHER).tolist()]


def test_one_lucky_training_moves_the_mean_but_not_the_interquartile_mean() -> None:
    lucky = [np.append(game[:-1], 100.0) if number == 0 else game for number, game in enumerate(SUITE)]
    assert mean_score(lucky) > mean_score(SUITE) + 1
    assert abs(iqm(lucky) - iqm(SUITE)) < 0.02


# --- the intervals ---------------------------------------------------------------------------------------------------


def trained(seeds: int, pairs: int, spread: float, level: float, rng: np.random.Generator) -> np.ndarray:
    """Results of trainings that differ: a row a seed, a column a pair of games of which each is won or lost."""
    strength = np.clip(rng.normal(level, spread, (seeds, 1)), 0, 1)
    return rng.binomial(2, np.broadcast_to(strength, (seeds, pairs))) / 2


def difference(measure: Callable) -> Callable:
    return lambda a, b: measure(a) - measure(b)


@pytest.mark.parametrize("spread", [0.0, 0.05])
@pytest.mark.parametrize("measure", [mean_score, iqm])
def test_intervals_hold_a_known_difference(measure: Callable, spread: float) -> None:
    """Reduced to 200 comparisons; tools/intervals.py makes 1,000 of each kind."""
    rng = np.random.default_rng(5)
    held = 0
    for number in range(200):
        better = [trained(10, 10, spread, level + 0.05, rng) for level in (0.4, 0.5)]
        worse = [trained(10, 10, spread, level, rng) for level in (0.4, 0.5)]
        _, low, high = bootstrap_interval(difference(measure), better, worse, seed=number, draws=400)
        held += bool(low <= 0.05 <= high)
    assert 182 <= held <= 198  # 190 ± 2.6 standard deviations


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_interval_of_a_mean_is_students(spread: float) -> None:
    """Whether seeds or pairs make the difference: neither is counted twice, and ten seeds are not many."""
    results = trained(10, 40, spread, 0.5, np.random.default_rng(2))
    means = results.mean(axis=1)
    value, low, high = bootstrap_interval(mean_score, [results], draws=20_000)
    error = means.std(ddof=1) / np.sqrt(10)
    assert value == pytest.approx(means.mean())
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 9, means.mean(), error), abs=0.1 * error)


def test_interval_of_a_difference_is_welchs() -> None:
    rng = np.random.default_rng(3)
    a, b = trained(10, 40, 0.1, 0.6, rng), trained(6, 40, 0.02, 0.5, rng)
    test = welch(a.mean(axis=1), b.mean(axis=1))
    value, low, high = bootstrap_interval(difference(mean_score), [a], [b], draws=20_000)
    reach = student_reach(test.df) * value / test.t
    assert (low, high) == pytest.approx((value - reach, value + reach), abs=0.1 * reach)


def test_a_player_that_is_not_trained_has_the_luck_of_its_pairs_alone() -> None:
    pairs = trained(1, 400, 0, 0.7, np.random.default_rng(4))
    _, low, high = bootstrap_interval(mean_score, [pairs], draws=20_000)
    error = pairs.std(ddof=1) / 20
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 399, pairs.mean(), error), abs=0.1 * error)


def test_two_seeds_say_little() -> None:
    results = trained(2, 40, 0.1, 0.5, np.random.default_rng(7))
    _, low, high = bootstrap_interval(mean_score, [results])
    assert high - low > 5 * abs(np.diff(results.mean(axis=1))[0])


def test_profiles_and_probabilities_stay_within_bounds() -> None:
    rng = np.random.default_rng(8)
    a, b = ([trained(3, 20, 0.1, level, rng)] for level in (0.6, 0.5))
    profile = bootstrap_interval(lambda x: performance_profile(x, [0.2, 0.5, 0.9]), a, within=(0, 1))
    assert profile.value.shape == profile.low.shape == profile.high.shape == (3,)
    improvement = bootstrap_interval(probability_of_improvement, a, b, within=(0, 1))
    for value, low, high in (profile, improvement):
        assert np.all((low >= 0) & (low <= value) & (value <= high) & (high <= 1))


def test_the_seed_decides_and_how_much_is_drawn_at_once_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    results = [trained(5, 20, 0.1, 0.5, np.random.default_rng(9))]
    once = bootstrap_interval(iqm, results, seed=3)
    assert once == bootstrap_interval(iqm, results, seed=3)
    assert once != bootstrap_interval(iqm, results, seed=4)
    monkeypatch.setattr("ludus.matches.statistics.bootstrap.AT_ONCE", 1)
    assert once == bootstrap_interval(iqm, results, seed=3)


def test_what_never_varies_has_an_interval_of_nothing() -> None:
    assert bootstrap_interval(iqm, [np.full((4, 5), 0.25)]) == (0.25, 0.25, 0.25)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normalised(np.array([1.0]), 0.5, 0.5), "from 0.5 to 0.5"),
        (lambda: iqm([]), "one game or more"),
        (lambda: probability_of_improvement(SUITE, OTHER[:2]), "the same games, not on 7 and 2"),
        (lambda: bootstrap_interval(iqm, SUITE), r"a row a seed .* not the shape \(10,\)"),
        (lambda: bootstrap_interval(iqm, [np.full((2, 2), np.nan)]), "finite numbers"),
        (lambda: bootstrap_interval(iqm, [np.ones((2, 2))], level=95), "level=95"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Callable, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()
