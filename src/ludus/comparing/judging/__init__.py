"""From what came of a comparison to what can be said of it: figures with intervals, tests, and what they are worth.

Trainings are the unit, and the scale is that of the suite: 0 is its worst player in a game, 1 its best. `judge` is deterministic, as the bootstrap has a fixed
seed. Measured times have no part in any claim, so that a comparison that is made again claims the same.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ludus.comparing.judging.costs import Cost, costs
from ludus.comparing.judging.differences import Difference, Pair, compare, corrected, tempo
from ludus.comparing.judging.figures import Figure, Profile, as_json
from ludus.comparing.judging.foreign import Encounter, encounters
from ludus.comparing.judging.meetings import Circular, Rated, circles, ratings
from ludus.comparing.judging.powers import Power, powers, too_few
from ludus.comparing.judging.standing import Standing, ranked_games, standings
from ludus.comparing.judging.words import sentence, table
from ludus.comparing.results import Comparison

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "Circular",
    "Cost",
    "Difference",
    "Encounter",
    "Figure",
    "Judgement",
    "Pair",
    "Power",
    "Profile",
    "Rated",
    "Standing",
    "Trouble",
    "judge",
]


@dataclass(frozen=True)
class Trouble:
    """Trainings of a method in a game that failed or were skipped for one reason."""

    game: str
    method: str
    seeds: tuple[int, ...]
    kind: str  # failed or skipped
    reason: str


@dataclass(frozen=True)
class Judgement:
    """What can be said of a comparison. `sentence` is the first thing to say."""

    sentence: str
    warnings: tuple[str, ...]
    first: str  # the method that somebody asks about
    games: tuple[str, ...]  # that all ranked methods share
    standings: tuple[Standing, ...]  # the best first, then those that are not ranked
    pairs: tuple[Pair, ...]  # each two methods that share a game; those with the first method have tests
    ratings: tuple[Rated, ...]
    circles: tuple[Circular, ...]
    powers: tuple[Power, ...]
    costs: tuple[Cost, ...]
    troubles: tuple[Trouble, ...]
    encounters: tuple[Encounter, ...] = ()

    def pair(self, first: str, second: str) -> Pair | None:
        """What can be said of two methods, from the side of the first; None if they share no game."""
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.first, pair.second) == (second, first):
                return pair.turned()
        return None

    def table(self) -> Table:
        """The methods as a table for rich's console, in 80 columns."""
        return table(self.standings, self.pairs, self.first)

    def to_json(self) -> dict[str, Any]:
        """All figures, for `ludus compare --json`. A figure is [value, low, high] with its 95 % interval; null is what there is not.

        sentence, warnings   in words
        first                the method that somebody asks about
        games                the games that all ranked methods share
        standings            method, rank, finished, failed, skipped, by_game {game: figure}, iqm, mean, median, gap, demands {demand: figure}, profile
                             {thresholds, share, low, high}
        pairs                first, second, games, improvement (the probability that a training of the first is better), and, for pairs with the first
                             method, differences [{game, what, difference, p, corrected, sure}], where `what` is end, games, positions or seconds
        ratings              game ("": over the suite), model, methods, elo [figure], one_sided
        circles              game, methods, circles [[a, b, c]: a beats b beats c beats a], p, alpha_rank, lottery
        powers               game, seeds, spread, level, smallest, for_tenth, for_twentieth
        costs                method, game, trainings, games, positions, moves, learning, measured_games, measuring, stopped_by
        troubles             game, method, seeds, kind (failed or skipped), reason
        encounters           game, peer, method, trainings, points: against other people's programs
        """
        found: dict[str, Any] = as_json(self)
        return found


def judge(comparison: Comparison) -> Judgement:
    """What can be said of a comparison. The first of its methods is the one that somebody asks about."""
    labels = [method.label for method in comparison.methods]
    games = ranked_games(comparison)
    ranking = standings(comparison, games)
    fast = tempo(comparison)
    pairs = corrected(
        compare(comparison, a, b, fast if a == labels[0] else None)
        for a, b in itertools.combinations(labels, 2)
        if comparison.shared_games(a, b)
    )
    shown = powers(comparison, pairs)
    return Judgement(
        sentence=sentence(comparison, ranking, pairs),
        warnings=(*_fewer_games(comparison, games, ranking), *too_few(comparison, shown)),
        first=labels[0],
        games=games,
        standings=ranking,
        pairs=pairs,
        ratings=ratings(comparison),
        circles=circles(comparison),
        powers=shown,
        costs=costs(comparison),
        troubles=_troubles(comparison),
        encounters=encounters(comparison),
    )


def _fewer_games(comparison: Comparison, games: tuple[str, ...], ranking: tuple[Standing, ...]) -> list[str]:
    """What to say where methods are not compared on all games."""
    out = []
    away = [game.name for game in comparison.games if game.name not in games]
    if away and games:
        out.append(
            f"Methods are ranked on the {len(games)} of {len(comparison.games)} games that all ranked methods finished; without {', '.join(away)}."
        )
    if away and not games and len(ranking) > 1:
        out.append("No game was finished by all methods: none is ranked.")
    for each in ranking:
        if games and each.rank is None:
            out.append(
                f"{each.method} finished {len(each.by_game)} of {len(comparison.games)} games, less than half: it is not ranked."
            )
    return out


def _troubles(comparison: Comparison) -> tuple[Trouble, ...]:
    seeds: dict[tuple[str, str, str, str], list[int]] = {}
    for cell in comparison.unfinished():
        kind = "skipped" if cell.skipped else "failed"
        seeds.setdefault((cell.game, cell.method, kind, cell.skipped or cell.failure), []).append(cell.seed)
    return tuple(Trouble(game, method, tuple(who), kind, why) for (game, method, kind, why), who in seeds.items())
