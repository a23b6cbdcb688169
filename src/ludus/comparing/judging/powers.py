"""What this many trainings could have shown at all, and how many it takes to see more."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ludus.comparing.judging.differences import ALARMS, Pair
from ludus.comparing.results import Comparison
from ludus.errors import LudusError
from ludus.matches.statistics import power, seeds_needed

WANTED = 0.8  # how often a difference is to be seen
FEW = 10  # seeds, below which a report warns
WORTH = 0.1  # a difference of scores that people want to see
HALVINGS = 40


@dataclass(frozen=True)
class Power:
    """How well a game tells the first method from another one: from the one that it tells worst."""

    game: str
    seeds: int
    spread: float  # of one training's score
    level: float  # at which a single test of this report decides, after correction
    smallest: float  # the smallest difference that is seen in 80 % of such comparisons
    for_tenth: int | None  # seeds that it takes to see a difference of 0.1; None: more than a million
    for_twentieth: int | None  # and of 0.05


def powers(comparison: Comparison, pairs: Sequence[Pair]) -> tuple[Power, ...]:
    """What each game could have shown of the first method against the others.

    The first of Holm's steps has to reach 5 % divided by the number of tests, so that is the level asked for.
    """
    asked = [pair for pair in pairs if pair.differences]
    tests = sum(not math.isnan(each.p) for pair in asked for each in pair.differences)
    found = []
    for game in comparison.games:
        worst = [_of(comparison, pair, game.name, 1 - ALARMS / tests) for pair in asked if game.name in pair.games]
        if worst:
            found.append(max(worst, key=lambda each: each.smallest))
    return tuple(found)


def too_few(comparison: Comparison, found: Sequence[Power]) -> list[str]:
    """What to say of too few seeds."""
    out = []
    fewest = min((each.seeds for each in found), default=len(comparison.seeds))
    if fewest < FEW:
        out.append(
            f"There are {fewest} trainings of a method in a game: fewer than {FEW}. Intervals of so few are long, and many differences are not seen."
        )
    blind = [each for each in found if each.smallest > WORTH]
    if blind:
        most = max(each.for_tenth or math.inf for each in blind)
        need = f"{most:,} seeds would" if most < math.inf else "no number of seeds that anybody trains would"
        names = ", ".join(each.game for each in blind)
        where = names if len(blind) < len(found) or len(found) == 1 else f"any of the {len(found)} games"
        out.append(f"There are too few seeds to see a difference of {WORTH:g} (in 80 % of cases) on {where}: {need}.")
    return out


def _of(comparison: Comparison, pair: Pair, game: str, level: float) -> Power:
    a, b = (comparison.final(game, method).mean(axis=1) for method in (pair.first, pair.second))
    spread = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    seeds = min(len(a), len(b))
    if spread == 0:
        return Power(game, seeds, 0.0, level, 0.0, 2, 2)
    return Power(
        game, seeds, spread, level, spread * _effect(seeds, level),
        _needed(WORTH, spread, level), _needed(WORTH / 2, spread, level),
    )  # fmt: skip


def _needed(difference: float, spread: float, level: float) -> int | None:
    try:
        return seeds_needed(difference, spread, WANTED, level)
    except LudusError:  # more than a million
        return None


@functools.cache
def _effect(seeds: int, level: float) -> float:
    """The difference, in spreads, that is seen in 80 % of comparisons; by halving."""
    low, high = 0.0, 1.0
    while power(high, 1.0, seeds, level) < WANTED:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, 1.0, seeds, level) < WANTED else (low, middle)
    return high
