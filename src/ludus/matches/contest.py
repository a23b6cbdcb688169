"""`arena`: a contest among players, from their names to the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus import games as game_registry
from ludus import players as player_registry
from ludus.errors import LudusError
from ludus.matches import workers
from ludus.matches.flight import SLOTS, Manner, Played
from ludus.matches.result import Result, summarise
from ludus.matches.statistics import win_shares
from ludus.names import is_portable, watch, where_is
from ludus.players.base import check_player, is_compiled
from ludus.quantities import BATCH, CORES, GAMES, MOVES_OR_NONE, SEED, cores, need_memory
from ludus.scale.local import Processes, Threads
from ludus.scale.shards import Executor

JOBS_A_CORE = 4  # at most: more take memory, and are no faster
SCORE_BYTES = 50  # a seat and game, at most: its score, and what statistics make of it


def arena(
    game: Any,
    players: Sequence[Any],
    games: int = 1000,
    seed: int = 1,
    jobs: int | Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    slots: int = SLOTS,
    opening: int = 0,
) -> Result:
    """Let players play `games` games, and say how each fared.

    `game` is a name or a Game, `players` are names (`"random"`, `"td:runs/a(plies=1)"`) or players themselves: built-in
    ones, or any object with a method `choose(position, rng)`, or `choose_batch(batch)`, which is asked about all games in flight at once. In game i, player (s + i) mod n sits in seat s, so that
    each sits in every seat equally often. Fewer players than seats are taken again from the first on, if that comes out
    even; each then has a row of its own, the second called `random#2`.

    Players that always move alike would play the same game again and again: with `opening`, the first so many moves are random,
    and the same for all seatings of the players before others are drawn.

    `jobs` is the number of cores, all of them unless told; or who has the games played elsewhere, such as `ludus.workers("ray")`, if all players are
    given by name. It changes the time, but no result, and neither does `slots`, the number of games that are in flight at once. `progress(done, total)` hears how far the contest is.

    >>> import ludus
    >>> result = ludus.arena("backgammon", ["random", "random"], games=100)
    >>> sum(row.wins for row in result.rows)
    100.0
    """
    game, given = seated(game, players)
    games, seed = GAMES.read(games, f"games={games}"), SEED.read(seed, f"seed={seed}")
    slots, opening = BATCH.read(slots, f"slots={slots}"), MOVES_OR_NONE.read(opening, f"opening={opening}")
    jobs = checked_jobs(jobs)
    check_memory(game, games, f"games={games}")

    entry = enter(game, given)
    begun = time.perf_counter()
    played = play(entry, seed, range(games), jobs, progress, Manner(slots, opening))
    return result_of(entry, seed, played.scores, time.perf_counter() - begun, opening)


class Entry(NamedTuple):
    """A game and the players who entered a contest in it, ready to play."""

    game: Any
    players: list[Any]  # one a seat
    names: list[str]
    code: tuple[str, ...]  # users' own code that the players' names need
    compiled: bool  # whether all of them are
    elsewhere: bool  # whether other processes can make the same ones
    seatings: int  # how many seatings of them differ, one after the other: 2 where a, b, a and b sit


def enter(game: Any, given: Sequence[Any]) -> Entry:
    """Make the players of a contest, one a seat."""
    with watch() as code:
        built = [_built(player, game) for player in given]
    portable = all(map(is_portable, [*code, where_is(type(game))]))
    elsewhere = portable and all(isinstance(player, str) for player in given)
    compiled = all(is_compiled(player) for player in built)
    names = [_name(player) for player in given]
    return Entry(game, built, names, tuple(sorted(code)), compiled, elsewhere, _seatings(given))


def _seatings(given: Sequence[Any]) -> int:
    """After how many seats the players come again in the same order. A player who sits everywhere counts as several: its pairs then cancel altogether.

    >>> _seatings(["a", "b", "a", "b"]), _seatings(["a", "b", "b", "b"]), _seatings(["a", "a"])
    (2, 4, 2)
    """
    seats = len(given)
    for period in range(2, seats):
        if seats % period == 0 and all(_same(given[i], given[i % period]) for i in range(seats)):
            return period
    return seats


def _same(a: Any, b: Any) -> bool:
    """Whether two players that were given are one and the same."""
    return a is b or (isinstance(a, str) and isinstance(b, str) and a == b)


def play(
    entry: Entry,
    seed: int,
    games: range,
    jobs: int | Executor | None,
    progress: Callable[[int, int], None] | None,
    manner: Manner,
) -> Played:
    """Play the games of these numbers on so many cores, or have them played by somebody who does so."""
    manner = manner._replace(seatings=entry.seatings)
    plan = workers.Plan(entry.game, entry.players, entry.names, seed, games, manner, entry.code)
    by_name = plan._replace(players=())
    if isinstance(jobs, Executor):
        if entry.elsewhere:
            return workers.run_spread(by_name, jobs, workers.Sizes(games, jobs.places), progress)
        jobs = None
    there = cores()
    spread = entry.compiled or entry.elsewhere
    jobs = min(jobs or there, len(games), JOBS_A_CORE * there) if spread else 1
    if jobs == 1:
        return workers.run_here(plan, progress)
    parts = workers.even(games, jobs)
    if entry.compiled:
        return workers.run_spread(plan, Threads(jobs), parts, progress)
    with Processes(jobs) as crew:
        return workers.run_spread(by_name, crew, parts, progress)


def checked_jobs(jobs: int | Executor | None) -> int | Executor | None:
    """A number of cores, or an executor; LudusError if it is neither."""
    return jobs if jobs is None or isinstance(jobs, Executor) else CORES.read(jobs, f"jobs={jobs}")


def result_of(entry: Entry, seed: int, scores: np.ndarray, seconds: float, opening: int) -> Result:
    """What the scores of a contest come to."""
    highest = entry.game.facts.score_range[1]
    rows, shares = summarise(scores, entry.names, highest), win_shares(scores, highest)
    name = game_registry.game_name(entry.game)
    return Result(name, len(scores), seed, seconds, rows, shares, opening)


def check_memory(game: Any, games: int, where: str) -> None:
    """LudusError if there is not enough memory for the scores of so many games."""
    need_memory(games * game.facts.seats * SCORE_BYTES, where)


def seated(game: Any, players: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The game of a name, and one player a seat: fewer are taken again from the first on."""
    if isinstance(game, str):
        game = game_registry.game(game)
    given = [players] if isinstance(players, str) else list(players)
    name, seats = game.facts.name, game.facts.seats
    if not given or len(given) > seats or seats % len(given):
        fitting = " or ".join(str(n) for n in range(1, seats + 1) if seats % n == 0)
        raise LudusError(f"{name} seats {seats}: give {fitting} players, not {len(given)}")
    return game, given * (seats // len(given))


def _built(player: Any, game: Any) -> Any:
    if isinstance(player, str):
        return player_registry.player(player, game)
    check_player(player)
    return player


def _name(player: Any) -> str:
    if isinstance(player, str):
        return player
    name = getattr(player, "name", None)
    return name if isinstance(name, str) else type(player).__name__
