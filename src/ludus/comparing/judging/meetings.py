"""Methods among each other: ratings from their meetings, in each game and over the suite, and circles among them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludus.comparing.judging.figures import Figure
from ludus.comparing.results import Comparison, Meeting
from ludus.errors import LudusError
from ludus.matches.statistics import (
    Z95,
    Ratings,
    alpha_rank,
    maximal_lottery,
    mean_and_error,
    ratings_of_wins,
    student_reach,
    sure_circles,
)

ALARMS = 0.05  # the share of reports that may see circles where there are none


@dataclass(frozen=True)
class Rated:
    """Ratings of methods in Elo points, whose mean is 0."""

    game: str  # empty: over the suite
    model: str  # whose: Bradley–Terry or Plackett–Luce
    methods: tuple[str, ...]
    elo: tuple[Figure, ...]
    one_sided: bool  # some never won against some others: half a win was added to both sides of each pairing


@dataclass(frozen=True)
class Circular:
    """Methods of whom each beats the next, and the last the first, and that is more than luck; and rankings that allow for it."""

    game: str  # empty: over the suite
    methods: tuple[str, ...]  # all that met
    circles: tuple[tuple[str, str, str], ...]
    p: float  # of the surest, corrected
    alpha_rank: tuple[float, ...]
    lottery: tuple[float, ...]


@dataclass(frozen=True)
class _Table:
    """What methods won of the games of a table with one seed."""

    seed: tuple[str, int]  # the trainings that met are those of this game with this number
    methods: tuple[str, ...]  # each once
    won: np.ndarray


def ratings(comparison: Comparison) -> tuple[Rated, ...]:
    """Ratings in each game in which methods met with two seeds or more, and over the suite, where each of these games counts the same."""
    by_game = _by_game(comparison)
    found = [_rated(game, tables, _model(comparison, [game])) for game, tables in by_game.items()]
    if len(by_game) > 1:
        games = {game: sum(float(table.won.sum()) for table in tables) for game, tables in by_game.items()}
        most = max(games.values())
        equal = [replace(table, won=table.won * most / games[game]) for game in by_game for table in by_game[game]]
        found.append(_rated("", equal, _model(comparison, list(by_game))))
    return tuple(found)


def circles(comparison: Comparison) -> tuple[Circular, ...]:
    """Circles that are more than luck, in each game and over the suite. Together they are false alarms in at most 5 % of reports."""
    by_game = _by_game(comparison)
    questions = [(game, [tables]) for game, tables in by_game.items()]
    if len(by_game) > 1:
        questions.append(("", list(by_game.values())))
    found = [_circular(game, parts, 1 - ALARMS / len(questions)) for game, parts in questions]
    return tuple(each for each in found if each is not None)


def _by_game(comparison: Comparison) -> dict[str, list[_Table]]:
    tables: dict[str, list[_Table]] = {}
    for game in comparison.games:
        met = [_table(meeting) for meeting in comparison.meetings if meeting.game == game.name]
        met = [table for table in met if len(table.methods) > 1 and table.won.sum() > 0]
        if len({table.seed for table in met}) > 1:
            tables[game.name] = met
    return tables


def _table(meeting: Meeting) -> _Table:
    """A method that has several seats at a table counts with what it won on average in one of them."""
    names = tuple(dict.fromkeys(meeting.players))
    games = meeting.shares.sum(axis=0) * len(meeting.players)
    seats = np.array(meeting.players)
    return _Table((meeting.game, meeting.seed), names, np.array([games[seats == name].mean() for name in names]))


def _model(comparison: Comparison, games: Sequence[str]) -> str:
    two = all(comparison.game(game).demands.seats == 2 for game in games)
    return "Bradley–Terry" if two else "Plackett–Luce"


def _rated(game: str, tables: Sequence[_Table], model: str) -> Rated:
    methods = tuple(dict.fromkeys(name for table in tables for name in table.methods))
    seeds = list(dict.fromkeys(table.seed for table in tables))
    one_sided = False
    try:
        found = _fit(tables, methods, seeds)
    except LudusError:  # some never won against some others
        one_sided = True
        even = [
            _Table(("", i), pair, np.array([0.5, 0.5])) for i, pair in enumerate(itertools.combinations(methods, 2))
        ]
        found = _fit([*tables, *even], methods, [*seeds, *(table.seed for table in even)])
    # Trainings are few: Student's distribution reaches farther than the normal one.
    reach = student_reach(len(seeds) - 1)
    elo = tuple(Figure(float(x), *ends) for x, ends in zip(found.elo, found.intervals(reach), strict=True))
    return Rated(game, model, methods, elo, one_sided)


def _fit(tables: Sequence[_Table], methods: tuple[str, ...], seeds: list[tuple[str, int]]) -> Ratings:
    won = np.full((len(tables), len(methods)), math.nan)
    for row, table in zip(won, tables, strict=True):
        row[[methods.index(name) for name in table.methods]] = table.won
    return ratings_of_wins(won, np.array([seeds.index(table.seed) for table in tables]), methods)


def _circular(game: str, parts: Sequence[Sequence[_Table]], level: float) -> Circular | None:
    """Circles among the methods that met in each of these games, in the means of what they won there."""
    there = [dict.fromkeys(name for table in tables for name in table.methods) for tables in parts]
    methods = tuple(name for name in there[0] if all(name in others for others in there))
    count = len(methods)
    shares, variances = np.full((count, count), 0.5), np.zeros((count, count))
    for i, j in itertools.combinations(range(count), 2):
        found = [_share(tables, methods[i], methods[j]) for tables in parts]
        if any(len(seen) < 2 for seen in found):
            return None
        # As if there had been one training more that was even: without it a few that come out alike would look certain.
        errors = [mean_and_error([*seen, 0.5])[1] * student_reach(len(seen)) / Z95 for seen in found]
        shares[i, j] = np.mean([np.mean(seen) for seen in found])
        shares[j, i] = 1 - shares[i, j]
        variances[i, j] = variances[j, i] = sum(error**2 for error in errors) / len(errors) ** 2
    sure = sure_circles(shares, np.sqrt(variances), level)
    if not sure:
        return None
    ranked, lottery = (tuple(float(x) for x in way(shares)) for way in (alpha_rank, maximal_lottery))
    rounds = tuple((methods[a], methods[b], methods[c]) for a, b, c in (circle.players for circle in sure))
    return Circular(game, methods, rounds, sure[0].p, ranked, lottery)


def _share(tables: Sequence[_Table], first: str, second: str) -> list[float]:
    """For each seed, what the first won of the games that one of the two won."""
    won: dict[tuple[str, int], np.ndarray] = {}
    for table in tables:
        if first in table.methods and second in table.methods:
            both = table.won[[table.methods.index(first), table.methods.index(second)]]
            won[table.seed] = won.get(table.seed, 0.0) + both
    return [float(both[0] / both.sum()) if both.sum() > 0 else 0.5 for both in won.values()]
