"""Holm's correction and the power of a comparison, beside statsmodels."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower

from ludus.errors import LudusError
from ludus.matches.statistics import holm, power, seeds_needed, welch


@pytest.mark.parametrize("count", [1, 2, 7, 50])
def test_holm_is_that_of_statsmodels(count: int) -> None:
    p = np.random.default_rng(count).random(count) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


def test_holm_with_equal_values_and_one() -> None:
    p = [0.02, 0.02, 1.0, 0.0]
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


def test_tests_that_could_not_be_made_do_not_count() -> None:
    corrected = holm([0.01, math.nan, 0.03])
    assert math.isnan(corrected[1])
    assert corrected[[0, 2]].tolist() == holm([0.01, 0.03]).tolist()
    assert holm([]).tolist() == []


@pytest.mark.parametrize(("effect", "seeds", "level"), [(0.5, 2, 0.95), (1, 10, 0.95), (0.2, 200, 0.99), (3, 3, 0.9), (0, 5, 0.95)])  # fmt: skip
def test_power_is_that_of_statsmodels(effect: float, seeds: int, level: float) -> None:
    theirs = TTestIndPower().power(effect, seeds, 1 - level)
    assert power(effect * 0.07, 0.07, seeds, level) == pytest.approx(theirs, abs=1e-9)
    assert power(-effect * 0.07, 0.07, seeds, level) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("effect", "wanted"), [(0.1, 0.8), (1, 0.8), (1, 0.95), (2.5, 0.9), (6, 0.5)])
def test_seeds_needed_are_those_of_statsmodels(effect: float, wanted: float) -> None:
    needed = seeds_needed(effect, 1, wanted)
    assert TTestIndPower().power(effect, needed, 0.05) >= wanted
    assert needed == 2 or TTestIndPower().power(effect, needed - 1, 0.05) < wanted


def test_power_is_how_often_welch_notices() -> None:
    rng = np.random.default_rng(1)
    seen = [welch(rng.normal(0.5, 0.4, 10), rng.normal(0, 0.4, 10)).p < 0.05 for _ in range(1000)]
    assert np.mean(seen) == pytest.approx(power(0.5, 0.4, 10), abs=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: holm([0.5, 1.5]), "a p-value is from 0 to 1, not 1.5"),
        (lambda: power(1, 1, 1), "2 seeds or more"),
        (lambda: power(1, 0, 5), "spread=0: a standard deviation"),
        (lambda: power(math.nan, 1, 5), "difference=nan"),
        (lambda: power(1, 1, 5, level=95), "level=95"),
        (lambda: seeds_needed(0, 1), "difference=0"),
        (lambda: seeds_needed(1, 1, wanted=1), "wanted=1"),
        (lambda: seeds_needed(1e-9, 1), "more than 1,000,000 seeds"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()


def test_statistics_need_no_numba() -> None:
    code = "import sys; from ludus.matches.statistics import wilson; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
