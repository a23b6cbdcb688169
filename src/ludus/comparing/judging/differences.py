"""Two methods beside each other: how probable it is that one is better, and in which games a difference is sure.

Tests are made of the first method of a comparison against each other one, as that is what somebody asks: in each game of the strength at the end, and
of the speed over games and over positions. Holm's correction goes over all tests of a report together, so that at most 5 % of reports on
methods that are all the same claim any difference. Speed over seconds has a figure and no test: measured times differ from run to run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ludus.comparing.judging.figures import Figure
from ludus.comparing.judging.speed import AXES, speeds
from ludus.comparing.results import Comparison
from ludus.matches.statistics import bootstrap_interval, holm, mean_score, probability_of_improvement, welch, wilson

ALARMS = 0.05  # the share of reports that may claim a difference where there is none
END = "end"
TESTED = (END, "games", "positions")


@dataclass(frozen=True)
class Difference:
    """By how much the first of two methods is ahead in a game: at the end, or in its speed over games, positions or seconds."""

    game: str
    what: str
    difference: Figure
    p: float  # of Welch's test; NaN where none is made
    corrected: float = math.nan  # by Holm, over all tests of the report
    sure: bool = False

    @property
    def sign(self) -> int:
        """1 if the first is ahead for sure, -1 if the second is, otherwise 0."""
        return (1 if self.difference.value > 0 else -1) if self.sure else 0


@dataclass(frozen=True)
class Pair:
    """Two methods, on the games that both share."""

    first: str
    second: str
    games: tuple[str, ...]
    improvement: Figure  # the probability that a training of the first is better than one of the second
    differences: tuple[Difference, ...] = ()

    def turned(self) -> Pair:
        """The same, from the side of the second."""
        value, low, high = self.improvement
        turned = tuple(replace(each, difference=each.difference.turned()) for each in self.differences)
        return Pair(self.second, self.first, self.games, Figure(1 - value, 1 - high, 1 - low), turned)

    def signs(self, what: str) -> list[int]:
        """Who is ahead for sure in each game, in one respect."""
        return [each.sign for each in self.differences if each.what == what]


Tempo: TypeAlias = Mapping[tuple[str, str], Mapping[str, np.ndarray]]  # game and axis → method → speed of each training


def tempo(comparison: Comparison) -> Tempo:
    """How fast everybody learns."""
    return {(game.name, axis): speeds(comparison, game.name, axis) for game in comparison.games for axis in AXES}


def compare(comparison: Comparison, first: str, second: str, fast: Tempo | None = None) -> Pair:
    """Two methods on the games that they share; with tests, not corrected yet, if it is given how fast they learn."""
    games = comparison.shared_games(first, second)
    a, b = ([comparison.final(game, method) for game in games] for method in (first, second))

    def measure(x: Sequence[np.ndarray], y: Sequence[np.ndarray]) -> np.ndarray:
        by_game = [mean_score([one]) - mean_score([other]) for one, other in zip(x, y, strict=True)]
        return np.stack([probability_of_improvement(x, y), *by_game], axis=-1)

    found = [Figure(*map(float, each)) for each in zip(*bootstrap_interval(measure, a, b), strict=True)]
    improvement = _improvement(found[0].within(0, 1), a, b)
    if fast is None:
        return Pair(first, second, tuple(games), improvement)
    differences = [
        Difference(game, END, figure, _p(x.mean(axis=1), y.mean(axis=1)))
        for game, figure, x, y in zip(games, found[1:], a, b, strict=True)
    ]
    for axis in AXES:
        for game in games:
            differences += _faster(game, axis, fast[game, axis][first], fast[game, axis][second])
    return Pair(first, second, tuple(games), improvement, tuple(differences))


def _improvement(drawn: Figure, a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> Figure:
    """Where one method is better in every pair of trainings, drawing them again finds nothing else, and would be sure of it. Then the interval is
    Wilson's, of as many trials as there are trainings that can be set beside each other once.
    """
    if drawn.low < drawn.high:
        return drawn
    trials = sum(min(len(x), len(y)) for x, y in zip(a, b, strict=True))
    return Figure(drawn.value, *wilson(drawn.value * trials, trials))


def corrected(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The same pairs, with Holm's correction over the tests of all of them."""
    given = list(pairs)
    values = iter(holm([each.p for pair in given for each in pair.differences]).tolist())
    return tuple(
        replace(pair, differences=tuple(_with(each, next(values)) for each in pair.differences)) for pair in given
    )


def _with(difference: Difference, value: float) -> Difference:
    return replace(difference, corrected=value, sure=value <= ALARMS)  # NaN is not


def _faster(game: str, axis: str, a: np.ndarray, b: np.ndarray) -> list[Difference]:
    if np.isnan(a).any() or np.isnan(b).any():  # curves of a single point have no speed
        return []
    found = bootstrap_interval(lambda x, y: mean_score(x) - mean_score(y), [a[:, None]], [b[:, None]])
    return [Difference(game, axis, Figure(*map(float, found)), _p(a, b) if axis in TESTED else math.nan)]


def _p(a: np.ndarray, b: np.ndarray) -> float:
    """Welch's test. Where nothing varies it knows nothing; then it is asked how often luck sorts trainings like this."""
    if np.ptp(a) == np.ptp(b) == 0 and a[0] != b[0]:
        return 2 / math.comb(len(a) + len(b), len(a))
    return welch(a, b).p
