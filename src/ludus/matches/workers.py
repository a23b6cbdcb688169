"""The games of a contest, spread over many places. Compiled players let go of Python's lock, so that threads serve them;
engines that hold it, and have one state a process, get processes of their own; a user's Python objects stay here. A cluster plays what has a name.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from ludus import names
from ludus.matches.flight import PLAIN, Manner, Played, play_games
from ludus.scale.processes import Tell
from ludus.scale.shards import TICK, Executor, Shard, Watcher
from ludus.scale.stamps import files_in
from ludus.waiting import Stopwatch

WORK = "ludus.matches.workers:play_shard"

# How large shards are, where they are measured.
FIRST = 4  # games, while nothing is known
WORTH = 5.0  # seconds of work
LEAST = (
    1.0  # seconds of work: near the end of a contest shards get smaller, so that all places end at about the same time
)
GROWTH = 16  # times as many games as the largest shard so far, at most: the first ones tell little


class Plan(NamedTuple):
    """A contest to be played."""

    game: Any
    players: Sequence[Any]  # one a seat; nobody where they are made by name
    names: Sequence[str]
    seed: int
    games: range  # their numbers
    manner: Manner = PLAIN
    code: tuple[str, ...] = ()  # users' own code that the players' names need


def run_here(plan: Plan, progress: Callable[[int, int], None] | None) -> Played:
    """Play all games in this thread."""
    report = _throttled(lambda done: progress(done, len(plan.games))) if progress else lambda done: None
    played = play_games(plan.game, plan.players, plan.names, plan.seed, plan.games, report, plan.manner)
    if progress:
        progress(len(plan.games), len(plan.games))
    return played


def run_spread(
    plan: Plan, crew: Executor, parts: Iterable[range], progress: Callable[[int, int], None] | None
) -> Played:
    """Have the games played in many places, part by part. What comes out does not depend on the parts."""
    following = _Following(len(plan.games), progress)
    rows: dict[int, Played] = {}
    shards = (Shard(WORK, (part,), f"games {part.start} to {part.stop - 1}", crew.patience) for part in parts)
    files = files_in([*plan.names, plan.manner.luck if isinstance(plan.manner.luck, str) else ""])
    with closing(crew.map(shards, (plan,), following, files)) as outcomes:
        for outcome in outcomes:
            played, seconds = outcome.result()
            rows.setdefault(outcome.number, played)
            if isinstance(parts, Sizes):
                parts.learn(len(played.scores), seconds)
            following.told(outcome.number, len(played.scores))
    following.tick()
    whole = [rows[number] for number in sorted(rows)]
    return Played(*(np.concatenate(arrays) for arrays in zip(*whole, strict=True)))


def even(games: range, parts: int) -> list[range]:
    """The games in so many parts of about the same size.

    >>> even(range(5), 2)
    [range(0, 2), range(2, 5)]
    """
    return [games[len(games) * j // parts : len(games) * (j + 1) // parts] for j in range(parts)]


class Sizes:
    """The games in parts that are worth some seconds of work each, by what those before took.

    >>> parts = Sizes(range(100_000), places=2)
    >>> each = iter(parts)
    >>> next(each)
    range(0, 4)
    >>> parts.learn(4, seconds=0.004)
    >>> next(each)
    range(4, 68)
    >>> parts.learn(64, seconds=0.064)
    >>> parts.learn(1024, seconds=1.024)
    >>> next(each)
    range(68, 5068)
    """

    def __init__(self, games: range, places: int) -> None:
        self._games, self._places = games, places
        self._played, self._seconds, self._largest = 0, 0.0, 0

    def learn(self, games: int, seconds: float) -> None:
        """So many games took so long."""
        self._largest = max(self._largest, games)
        if games * 4 >= self._largest:  # small ones have to begin as large ones do, and tell little
            self._played, self._seconds = games, seconds

    def __iter__(self) -> Iterator[range]:
        done = 0
        while done < len(self._games):
            size = self._size(len(self._games) - done)
            yield self._games[done : done + size]
            done += size

    def _size(self, left: int) -> int:
        if not self._largest:
            return FIRST
        speed = self._played / max(self._seconds, 1e-6)
        even_share = math.ceil(left / (2 * self._places))
        size = max(min(speed * WORTH, even_share), speed * LEAST, 1)
        return min(int(size), GROWTH * self._largest)


class _Following(Watcher):
    """How far a contest is: games that are done, by shard."""

    def __init__(self, games: int, progress: Callable[[int, int], None] | None) -> None:
        self.games, self.progress = games, progress
        self.done: dict[int, int] = {}

    def told(self, number: int, value: int) -> None:
        """So many games of a shard are done."""
        self.done[number] = value

    def tick(self) -> None:
        """Say how far it is."""
        if self.progress:
            self.progress(sum(self.done.values()), self.games)


def _throttled(report: Callable[[int], None]) -> Callable[[int], None]:
    """Pass reports on, but not more often than once a tick."""
    last = time.perf_counter()

    def throttled(done: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= TICK:
            last = now
            report(done)

    return throttled


_made: tuple[Plan | None, list[Any]] = (None, [])  # the players of the last plan: a process plays many parts of one


def _players(plan: Plan) -> Sequence[Any]:
    global _made
    if plan.players:
        return plan.players
    if _made[0] is not plan:
        from ludus.players import player

        for where in plan.code:  # which the user has named to the caller
            names.load(where, "player")
        _made = (plan, [player(name, plan.game) for name in plan.names])
    return _made[1]


def play_shard(plan: Plan, part: range, tell: Tell) -> tuple[Played, float]:
    """Play a part of the games of a plan, with players made by name unless it has some; and how many seconds that took."""
    players = _players(plan)
    tell(0)
    watch = Stopwatch()
    played = play_games(plan.game, players, plan.names, plan.seed, part, _throttled(tell), plan.manner)
    return played, watch.seconds
