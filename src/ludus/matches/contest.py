"""`arena`: a contest among players, from their names to the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ludus import games as game_registry
from ludus import players as player_registry
from ludus.errors import LudusError
from ludus.matches import workers
from ludus.matches.flight import SLOTS
from ludus.matches.result import Result, summarise
from ludus.matches.statistics import win_shares
from ludus.names import is_portable, watch, where_is
from ludus.players.base import check_player, is_compiled
from ludus.quantities import BATCH, CORES, GAMES, MOVES_OR_NONE, SEED, need_memory

JOBS_A_CORE = 4  # at most: more take memory, and are no faster
SCORE_BYTES = 50  # a seat and game, at most: its score, and what statistics make of it


def arena(
    game: Any,
    players: Sequence[Any],
    games: int = 1000,
    seed: int = 1,
    jobs: int | None = None,
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

    `jobs` is the number of cores, all of them unless told. It changes the time, but no result, and neither does `slots`,
    the number of games that are in flight at once. `progress(done, total)` hears how far the contest is.

    >>> import ludus
    >>> result = ludus.arena("backgammon", ["random", "random"], games=100)
    >>> sum(row.wins for row in result.rows)
    100.0
    """
    if isinstance(game, str):
        game = game_registry.game(game)
    given = _seated([players] if isinstance(players, str) else list(players), game)
    games, seed = GAMES.read(games, f"games={games}"), SEED.read(seed, f"seed={seed}")
    slots, opening = BATCH.read(slots, f"slots={slots}"), MOVES_OR_NONE.read(opening, f"opening={opening}")
    jobs = None if jobs is None else CORES.read(jobs, f"jobs={jobs}")
    check_memory(game, games, f"games={games}")

    names = [_name(player) for player in given]
    with watch() as code:
        built = [_built(player, game) for player in given]
    compiled = all(is_compiled(player) for player in built)
    by_name = all(isinstance(player, str) for player in given)
    elsewhere = by_name and all(
        map(is_portable, [*code, where_is(type(game))])
    )  # whether processes can make the same players
    jobs = min(jobs or workers.cores(), games, JOBS_A_CORE * workers.cores()) if compiled or elsewhere else 1

    plan = workers.Plan(game, built, names, seed, games, slots, opening, tuple(sorted(code)))
    begun = time.perf_counter()
    if jobs == 1:
        scores = workers.run_here(plan, progress)
    else:
        scores = workers.run_spread(plan, jobs, not compiled, progress)
    seconds = time.perf_counter() - begun
    highest = game.facts.score_range[1]
    rows, shares = summarise(scores, names, highest), win_shares(scores, highest)
    return Result(game_registry.game_name(game), games, seed, seconds, rows, shares, opening)


def check_memory(game: Any, games: int, where: str) -> None:
    """LudusError if there is not enough memory for the scores of so many games."""
    need_memory(games * game.facts.seats * SCORE_BYTES, where)


def _seated(players: list[Any], game: Any) -> list[Any]:
    """One player a seat."""
    name, seats = game.facts.name, game.facts.seats
    if not players or len(players) > seats or seats % len(players):
        fitting = " or ".join(str(n) for n in range(1, seats + 1) if seats % n == 0)
        raise LudusError(f"{name} seats {seats}: give {fitting} players, not {len(players)}")
    return players * (seats // len(players))


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
