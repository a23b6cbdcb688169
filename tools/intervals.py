"""How often intervals hold the truth, and how often a report finds a difference that is not there, by simulated comparisons.

    python tools/intervals.py                     # 1,000 comparisons of each kind: about ten minutes
    python tools/intervals.py --comparisons 100

Trainings differ by luck, and win or lose pairs of games by luck. Three ways to make a 95 % interval are set beside each other: the plain
percentile bootstrap over seeds, the plain one over seeds and then pairs, and that of ludus. Ends with code 1 if that of ludus holds
the truth in less than 93 % or more than 97 %, or if more than 5 % of reports raise a false alarm. The median is shown and not judged: where
games are close to each other, it jumps from one to the next, and its intervals err on the careful side.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ludus.matches.statistics import (
    bootstrap_interval,
    holm,
    iqm,
    mean_score,
    median_score,
    probability_of_improvement,
    welch,
    wilson,
)
from ludus.matches.statistics.bootstrap import DRAWS

MEASURES = ("mean", "median", "interquartile mean", "probability of improvement")
WAYS = ("seeds", "seeds and pairs", "ludus")
MANY = 1000  # trainings at once when the truth is computed, and so many times


@dataclass(frozen=True)
class World:
    """How trainings come out: each game has its own level, and each training scatters around it."""

    name: str
    games: int
    seeds: int
    pairs: int
    spread: float  # standard deviation of the trainings' true win rates
    failing: float = 0.0  # the share of trainings that learn nothing

    def results(self, better: float, seeds: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Results of one method on all games, `better` above the games' levels."""
        out = []
        for level in np.linspace(0.45, 0.65, self.games):
            strength = rng.normal(level + better, self.spread, (seeds, 1))
            strength = np.where(rng.random((seeds, 1)) < self.failing, 0.1, strength)
            out.append(rng.binomial(2, np.broadcast_to(np.clip(strength, 0, 1), (seeds, self.pairs))) / 2)
        return out


WORLDS = (
    World("7 games, 10 seeds", 7, 10, 20, 0.05),
    World("1 game, 10 seeds", 1, 10, 20, 0.05),
    World("1 game, 10 seeds that are alike", 1, 10, 20, 0.0),
    World("3 games, 5 seeds", 3, 5, 20, 0.05),
    World("7 games, 10 seeds, 1 of 10 fails", 7, 10, 20, 0.05, failing=0.1),
)


def measures(a: list[np.ndarray], b: list[np.ndarray]) -> np.ndarray:
    """All measures of two methods, along a last axis: differences, and the probability of improvement."""
    single: tuple[Callable[[list[np.ndarray]], np.ndarray], ...] = (mean_score, median_score, iqm)
    return np.stack([*(measure(a) - measure(b) for measure in single), probability_of_improvement(a, b)], axis=-1)


def truth(world: World, better: float, rng: np.random.Generator) -> np.ndarray:
    """What the measures come to with very many trainings."""
    found = [
        measures(*([game.mean(axis=1) for game in world.results(gain, MANY, rng)] for gain in (better, 0.0)))
        for _ in range(20)
    ]
    return np.mean(found, axis=0)


def plain(a: list[np.ndarray], b: list[np.ndarray], pairs_too: bool, rng: np.random.Generator) -> np.ndarray:
    """The bounds of the plain percentile bootstrap, over seeds alone or over seeds and pairs."""

    def drawn(game: np.ndarray) -> np.ndarray:
        seeds, pairs = game.shape
        seed = rng.integers(seeds, size=(DRAWS, seeds))
        if not pairs_too:
            return game.mean(axis=1)[seed]
        return game[seed[..., None], rng.integers(pairs, size=(DRAWS, seeds, pairs))].mean(axis=-1)

    return np.quantile(measures(*([drawn(game) for game in method] for method in (a, b))), [0.025, 0.975], axis=0)


def coverage(world: World, better: float, comparisons: int, rng: np.random.Generator) -> np.ndarray:
    """How many of some comparisons hold the truth, by way and measure."""
    true = truth(world, better, rng)
    held = np.zeros((len(WAYS), len(MEASURES)))
    for number in range(comparisons):
        a, b = (world.results(gain, world.seeds, rng) for gain in (better, 0.0))
        _, low, high = bootstrap_interval(measures, a, b, seed=number)
        bounds = [plain(a, b, False, rng), plain(a, b, True, rng), (low, high)]
        held += [(low <= true) & (true <= high) for low, high in bounds]
    return held


def false_alarms(world: World, methods: int, reports: int, rng: np.random.Generator) -> int:
    """How many reports on equal methods call a difference on some game real, after Holm's correction."""
    alarms = 0
    for _ in range(reports):
        scores = [[game.mean(axis=1) for game in world.results(0.0, world.seeds, rng)] for _ in range(methods)]
        tests = [welch(x, y).p for a, b in itertools.combinations(scores, 2) for x, y in zip(a, b, strict=True)]
        alarms += bool(holm(tests).min() <= 0.05)
    return alarms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=1000)
    parser.add_argument("--better", type=float, default=0.05, help="the true difference of win rates")
    parser.add_argument("--methods", type=int, default=3, help="of a report on methods that are all the same")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, count = np.random.default_rng(options.seed), options.comparisons
    good = True
    for world in WORLDS:
        print(f"\n{world.name}, {world.pairs} pairs each: {count:,} comparisons, true difference {options.better:+g}")
        print(f"  {'share that holds the truth':28}" + "".join(f"{way:>18}" for way in WAYS))
        held = coverage(world, options.better, count, rng)
        for name, row in zip(MEASURES, held.T, strict=True):
            print(f"  {name:28}" + "".join(f"{found / count:18.1%}" for found in row), flush=True)
        judged = held[-1][[name != "median" for name in MEASURES]]
        good &= bool(np.all((judged >= 0.93 * count) & (judged <= 0.97 * count)))
        reports = 10 * count  # they take little time, and 5 % is close to what is due
        alarms = false_alarms(world, options.methods, reports, rng)
        low, high = wilson(alarms, reports)
        print(
            f"  false alarms among {options.methods} equal methods: {alarms / reports:.1%} [{low:.1%}, {high:.1%}] of reports"
        )
        good &= alarms <= 0.05 * reports
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
