"""`arena_paired`: contests in which luck cancels. The players play a round of games with the same dice, one for each seat that they can take, and
the luck of the dice may be taken off the scores (`ludus.batch.luck`). Rounds are independent of each other, where games are not: what is said of how
sure a mean is comes from them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.matches.contest import check_memory, checked_jobs, enter, play, result_of, seated
from ludus.matches.flight import PLAIN, Manner, Played
from ludus.matches.result import Result, shortened
from ludus.matches.statistics import less_luck, mean_and_error, student_reach
from ludus.players.judging import judge_of
from ludus.quantities import BATCH, GAMES, MOVES_OR_NONE, SEED
from ludus.scale.shards import Executor

if TYPE_CHECKING:
    from rich.table import Table

USUAL_GAMES = 1000  # or a few more, so that rounds come out even


class Points(NamedTuple):
    """What a player makes a game."""

    mean: float
    low: float  # the 95 % interval
    high: float
    plain_games: float  # how many games with dice of their own would have told the mean as surely

    def to_json(self) -> dict[str, Any]:
        """As programs read it."""
        sure = self.plain_games if math.isfinite(self.plain_games) else None
        return {"points_per_game": self.mean, "points_ci95": [self.low, self.high], "plain_games": sure}


class Paired(NamedTuple):
    """A contest in rounds with the same dice."""

    result: Result  # what happened
    played: Played  # each game's scores, and the luck in them
    names: tuple[str, ...]  # each player once, also where it took several seats
    raw: tuple[Points, ...]  # for each of them, its mean over its seats
    adjusted: tuple[Points, ...]  # the same with the luck of the dice taken off; empty where nobody judged it
    judge: str  # who judged it, or ""

    @property
    def best(self) -> tuple[Points, ...]:
        """The estimates to go by: with luck taken off, if it was."""
        return self.adjusted or self.raw

    def sentence(self) -> str:
        """What the contest tells of the first player."""
        first = self.best[0]
        how = "With the luck of the dice taken off" if self.adjusted else "By rounds with exchanged seats"
        sure = ""
        if math.isfinite(first.plain_games):
            digits = max(0, int(math.log10(max(first.plain_games, 1.0))) - 1)
            sure = f": as sure as {round(first.plain_games, -digits):,.0f} games with dice of their own"
        return f"{how}, {self.names[0]} makes {first.mean:+.4f} points a game, 95 % interval {first.low:+.4f} to {first.high:+.4f}{sure}."

    def to_frame(self, kind: str = "pandas") -> Any:
        """The result as a frame of pandas or polars."""
        return self.result.to_frame(kind)

    def _repr_html_(self) -> str:
        return f"{self.result._repr_html_()}<div>{escape(self.sentence())}</div>"

    def to_json(self) -> dict[str, Any]:
        """As programs read it: the result, and the estimates under `paired`."""
        players = [
            {
                "name": name,
                "raw": self.raw[i].to_json(),
                "adjusted": self.adjusted[i].to_json() if self.adjusted else None,
            }
            for i, name in enumerate(self.names)
        ]
        size = self.played.scores.shape[1]
        paired = {
            "games_a_round": size,
            "rounds": len(self.played.scores) // size,
            "judge": self.judge or None,
            "players": players,
            "sentence": self.sentence(),
        }
        return {**self.result.to_json(), "paired": paired}


def arena_paired(
    game: Any,
    players: Sequence[Any],
    games: int | None = None,
    seed: int = 1,
    jobs: int | Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    manner: Manner = PLAIN,
) -> Paired:
    """Let players play rounds of games, as many a round as there are seats, with the same dice and every player in every seat.

    With `Manner(luck="td")` the network of that player says what each roll was worth, and this is taken off the scores. Their means stay the same, and
    are known much better. See `ludus.arena` for the rest.

    >>> contest = arena_paired("ludo(seats=2)", ["td", "expert"], games=200, manner=Manner(luck="td"))
    >>> contest.adjusted[0].plain_games > 800
    True
    """
    game, given = seated(game, players)
    seats = game.facts.seats
    games = USUAL_GAMES + -USUAL_GAMES % seats if games is None else GAMES.read(games, f"games={games}")
    seed = SEED.read(seed, f"seed={seed}")
    jobs = checked_jobs(jobs)
    BATCH.read(manner.slots, f"slots={manner.slots}")
    MOVES_OR_NONE.read(manner.opening, f"opening={manner.opening}")
    if games % seats or games < 2 * seats:
        near = max(2, round(games / seats)) * seats
        raise LudusError(f"games={games}: a round of {game.facts.name} is {seats} games, and there are to be at least two rounds; {near} would do")  # fmt: skip
    check_memory(game, games, f"games={games}")
    judge_of(game, manner.luck)  # is refused here, before anything is played
    entry = enter(game, given)
    begun = time.perf_counter()
    played = play(entry, seed, range(games), jobs, progress, manner._replace(paired=True))
    result = result_of(entry, seed, played.scores, time.perf_counter() - begun, manner.opening)
    apart = entry.seatings
    raw, luck = by_player(played.scores, apart), by_player(played.luck, apart)
    judge = "" if manner.luck is None else manner.luck if isinstance(manner.luck, str) else type(manner.luck).__name__
    return Paired(
        result,
        played,
        tuple(row.name for row in result.rows[:apart]),
        tuple(points_of(points, np.zeros_like(points), seats) for points in raw),
        tuple(points_of(points, lucky, seats) for points, lucky in zip(raw, luck, strict=True)) if judge else (),
        judge,
    )


def by_player(scores: np.ndarray, seatings: int) -> np.ndarray:
    """What each player made of each game in turn, the mean over its seats, from one column a seat at the table.

    >>> by_player(np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]), 2).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    return scores.reshape(len(scores), -1, seatings).mean(axis=1).T


def points_of(points: np.ndarray, luck: np.ndarray, size: int) -> Points:
    """The mean of a player's points with its interval, by rounds of `size` games, from its points and its luck in each game.

    >>> points_of(np.array([2.0, 0.0, 1.0, 1.5]), np.array([1.0, -1.0, 0.0, 0.5]), 2).mean
    1.0
    """
    mean, error = mean_and_error(less_luck(points, luck, size))
    reach = student_reach(len(points) // size - 1) * error
    # A plain contest has every player in every seat too: that seats differ is no part of its uncertainty.
    variance = float(points.reshape(-1, size).var(axis=0, ddof=1).mean())
    return Points(mean, mean - reach, mean + reach, variance / error**2 if error else math.inf)


def paired_table(paired: Paired) -> Table:
    """The estimates as a table for rich's console."""
    from rich import box
    from rich.table import Table

    size = paired.played.scores.shape[1]
    title = f"{len(paired.played.scores) // size:,} rounds, the same dice in each"
    out = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    out.add_column("player", style="bold", overflow="fold")
    kinds = [("points/game", paired.raw)]
    if paired.adjusted:
        kinds.append(("luck taken off", paired.adjusted))
    for heading, _ in kinds:
        for column in (heading, "95 % interval"):
            out.add_column(column, justify="right", no_wrap=True)
    for i, name in enumerate(shortened(paired.names)):
        cells = []
        for _, points in kinds:
            cells += [f"{points[i].mean:+.4f}", f"{points[i].low:+.4f} – {points[i].high:+.4f}"]
        out.add_row(name, *cells)
    return out
