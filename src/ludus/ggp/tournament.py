"""Tournaments: every group of players meets in every game, once for each way to rotate them through the roles.

The matches are played one after the other, as a GGP player plays one at a time.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from ludus.errors import LudusError
from ludus.ggp.match import Course, Hear, contestants, is_address
from ludus.ggp.record import RANDOM, Clocks, Match
from ludus.matches.statistics import wilson

MAX_MATCHES = 1_000_000


class Fixture(NamedTuple):
    """A match to be played: which of the games, and who plays its roles."""

    game: int
    players: tuple[str, ...]


class Plan(NamedTuple):
    """A tournament before it begins."""

    name: str
    games: Sequence[tuple[str, Any]]  # names and GDL games
    players: Sequence[str]
    rounds: int = 1
    clocks: Clocks = Clocks()
    seed: int = 1

    def roles(self) -> list[int]:
        """How many roles need a player, for each game; LudusError if this is no tournament."""
        if self.rounds < 1:
            raise LudusError(f"{self.rounds} rounds: there must be at least 1")
        if not self.games or not self.players:
            raise LudusError("a tournament needs at least one game and one player")
        return [sum(role != RANDOM for role in game.roles) for _, game in self.games]

    def size(self) -> int:
        """How many matches there are; LudusError if they are more than anybody could play."""
        size = self.rounds * sum(count_seatings(len(self.players), roles) for roles in self.roles())
        if size > MAX_MATCHES:
            raise LudusError(f"that makes {size:,} matches; at most {MAX_MATCHES:,} are possible")
        return size

    def round(self) -> Iterator[Fixture]:
        """The matches of one round, in the order in which they are played."""
        for number, roles in enumerate(self.roles()):
            for seated in seatings(self.players, roles):
                yield Fixture(number, seated)

    def fixtures(self) -> Iterator[Fixture]:
        """All matches, in the order in which they are played."""
        for _ in range(self.rounds):
            yield from self.round()


def seatings(players: Sequence[str], roles: int) -> Iterator[tuple[str, ...]]:
    """Every group of players, in every rotation. Where there are fewer players than roles, they sit more than once.

    >>> list(seatings(["a", "b", "c"], 2))
    [('a', 'b'), ('b', 'a'), ('a', 'c'), ('c', 'a'), ('b', 'c'), ('c', 'b')]
    >>> list(seatings(["a", "b"], 3))
    [('a', 'b', 'a'), ('b', 'a', 'b')]
    """
    if len(players) < roles and any(map(is_address, players)):
        raise LudusError(f"{len(players)} players for {roles} roles: a GGP player can't play two roles at once")
    if len(players) < roles:
        for shift in range(len(players)):
            yield tuple(players[(shift + i) % len(players)] for i in range(roles))
        return
    for group in combinations(players, roles):
        for shift in range(roles):
            yield group[shift:] + group[:shift]


def count_seatings(players: int, roles: int) -> int:
    """How many `seatings` there are.

    >>> count_seatings(3, 2), count_seatings(2, 3)
    (6, 2)
    """
    return players if players < roles else math.comb(players, roles) * roles


class Standing(NamedTuple):
    """How a player stands. `low` and `high` bound the mean goal value with 95 % (Wilson's interval, as of a rate)."""

    player: str
    matches: int
    mean: float
    low: float
    high: float
    errors: int

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return self._asdict()


def standings(results: Iterable[dict[str, Any]]) -> list[Standing]:
    """The table after these matches (as `Store.results` or `result_of` gives them); the best is first, aborted ones do not
    count.
    """
    goals: dict[str, list[int]] = {}
    errors: dict[str, int] = {}
    for result in results:
        if result["status"] != "completed":
            continue
        for role, player, goal, wrong in zip(
            result["roles"], result["players"], result["goalValues"], result["errors"], strict=True
        ):
            if role != RANDOM:
                goals.setdefault(player, []).append(goal)
                errors[player] = errors.get(player, 0) + wrong
    table = []
    for player, values in goals.items():
        # A goal value is a part of a win. This errs on the careful side, and never says that all is known.
        low, high = wilson(sum(values) / 100, len(values))
        table.append(Standing(player, len(values), sum(values) / len(values), 100 * low, 100 * high, errors[player]))
    return sorted(table, key=lambda standing: -standing.mean)


def result_of(match: Match) -> dict[str, Any]:
    """A match in short, as `Store.results` gives it."""
    return {
        "matchId": match.id, "gameName": match.game_name, "startTime": match.start_time, "status": match.status,
        "tournament": match.tournament, "steps": match.steps, "roles": list(match.roles), "players": list(match.players),
        "goalValues": list(match.goals) or None,
        "errors": [sum(1 for step in match.errors if step[i]) for i in range(len(match.roles))],
    }  # fmt: skip


def play_tournament(
    plan: Plan, hear: Hear = lambda match: None, stop: threading.Event | None = None
) -> list[dict[str, Any]]:
    """Play all matches of a plan, and give their results; `stop`, set from elsewhere, ends it after aborting a match."""
    stop = stop or threading.Event()
    plan.size()  # or an error
    results = []
    for number, fixture in enumerate(plan.fixtures()):
        if stop.is_set():
            break
        name, game = plan.games[fixture.game]
        seed = plan.seed + number
        seated = contestants(fixture.players, game, seed)
        match = Match(game, name, fixture.players, plan.clocks, seed, plan.name)
        Course(match, game, seated, hear, stop).run()
        results.append(result_of(match))
    return results
