"""Each method over the suite: measures of all its trainings together, with intervals from a bootstrap over seeds and rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludus.comparing.judging.demands import weights
from ludus.comparing.judging.figures import Figure, Profile
from ludus.comparing.results import Comparison
from ludus.matches.statistics import (
    bootstrap_interval,
    iqm,
    mean_score,
    median_score,
    optimality_gap,
    performance_profile,
)

THRESHOLDS = 61  # of a performance profile
WIDEST = (-1.0, 2.0)  # scores beyond have no place in a profile


@dataclass(frozen=True)
class Standing:
    """A method over the suite: over the games that all ranked methods share, and None for a method that is not ranked."""

    method: str
    rank: int | None  # by interquartile mean
    finished: int  # trainings
    failed: int
    skipped: int
    by_game: dict[str, Figure]  # the mean in each game with two finished trainings or more
    iqm: Figure | None = None
    mean: Figure | None = None
    median: Figure | None = None
    gap: Figure | None = None
    demands: dict[str, Figure] | None = None  # the mean weighted by what games demand
    profile: Profile | None = None


def ranked_games(comparison: Comparison) -> tuple[str, ...]:
    """The games on which methods are ranked: those that all share, but for methods that finished less than half of the games, where others did better."""
    own = {method.label: len(comparison.shared_games(method.label)) for method in comparison.methods}
    most = max(own.values())
    ranked = [label for label, games in own.items() if games and 2 * games >= min(len(comparison.games), 2 * most)]
    return tuple(comparison.shared_games(*ranked)) if ranked else ()


def standings(comparison: Comparison, games: tuple[str, ...]) -> tuple[Standing, ...]:
    """All methods, the best on these games first, then those that are not ranked."""
    thresholds = _thresholds(comparison, games)
    found = [_standing(comparison, method.label, games, thresholds) for method in comparison.methods]
    order = sorted((each for each in found if each.iqm is not None), key=_iqm, reverse=True)
    values = [_iqm(each) for each in order]
    ranked = [replace(each, rank=1 + values.index(_iqm(each))) for each in order]  # equal ones share a rank
    return (*ranked, *(each for each in found if each.iqm is None))


def _iqm(standing: Standing) -> float:
    assert standing.iqm is not None
    return standing.iqm.value


def _thresholds(comparison: Comparison, games: Sequence[str]) -> np.ndarray:
    """From 0 to 1, or as far as any training went beyond."""
    ends = [
        float(score)
        for game in games
        for method in comparison.methods
        for row in comparison.final(game, method.label)
        for score in [row.mean()]
    ]
    low = max(min([0.0, *ends]), WIDEST[0])
    high = min(max([1.0, *ends]), WIDEST[1])
    return np.linspace(math.floor(10 * low) / 10, math.ceil(10 * high) / 10, THRESHOLDS)


def _standing(comparison: Comparison, label: str, games: Sequence[str], thresholds: np.ndarray) -> Standing:
    own = comparison.shared_games(label)
    cells = [cell for cell in comparison.trainings() if cell.method == label]
    finished, failed, skipped = (
        sum(map(bool, kind))
        for kind in zip(*((cell.finished, cell.failure, cell.skipped) for cell in cells), strict=True)
    )
    bare = Standing(label, None, finished, failed, skipped, {})
    if not own:
        return bare
    demands = weights(comparison, games)
    shared = [own.index(game) for game in games if game in own]
    ranked = len(shared) == len(games) > 0

    def measure(scores: Sequence[np.ndarray]) -> np.ndarray:
        """All measures along a last axis, so that one bootstrap serves them all."""
        means = np.stack([mean_score([game]) for game in scores], axis=-1)
        if not ranked:
            return means
        some = [scores[number] for number in shared]
        parts = [each(some)[..., None] for each in (iqm, mean_score, median_score, optimality_gap)]
        parts += [np.average(means[..., shared], axis=-1, weights=weight)[..., None] for weight in demands.values()]
        return np.concatenate([means, *parts, performance_profile(some, thresholds)], axis=-1)

    estimate = bootstrap_interval(measure, [comparison.final(game, label) for game in own])
    found = [Figure(*map(float, each)) for each in zip(*estimate, strict=True)]
    bare = replace(bare, by_game=dict(zip(own, found, strict=False)))
    if not ranked:
        return bare
    middle, mean, median, gap, *rest = found[len(own) :]
    return replace(
        bare, iqm=middle, mean=mean, median=median, gap=gap.within(0, math.inf),
        demands=dict(zip(demands, rest, strict=False)),
        profile=Profile(thresholds, *np.clip(np.array(rest[len(demands) :]).T, 0, 1)),
    )  # fmt: skip
