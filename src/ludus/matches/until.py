"""`arena_until`: two players play pairs of games until it is sure which of two hypotheses on their win shares, or on their points, is wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.matches.contest import check_memory, checked_jobs, enter, play, result_of, seated
from ludus.matches.flight import PLAIN, Manner, Played
from ludus.matches.result import Result
from ludus.matches.statistics import (
    Question,
    Verdict,
    less_luck,
    pair_counts,
    pairs_until_sure,
    points_until_sure,
    sprt_pairs,
    sprt_points,
    win_shares,
)
from ludus.matches.statistics.sequential import checked
from ludus.players.judging import judge_of
from ludus.quantities import GAMES, MOVES_OR_NONE, SEED
from ludus.scale.shards import Executor

MOST_GAMES = 100_000
PAIRS = 50  # played at once to begin with; later a quarter of those that were played, so that workers are not started in vain
SOME = 20  # pairs after which it is strange that all have ended alike


class Settled(NamedTuple):
    """A contest that went on until it was sure, or had taken as many games as it might."""

    result: Result
    verdict: Verdict
    outcomes: tuple[int, ...]  # how many pairs brought the first player 0, ½, 1, 1½ and 2 wins
    doubt: str  # why the verdict may mean nothing, or ""

    def sentence(self) -> str:
        """The verdict for people."""
        first, second = (row.name for row in self.result.rows)
        return self.verdict.sentence(first, second)

    def to_frame(self, kind: str = "pandas") -> Any:
        """The result as a frame of pandas or polars."""
        return self.result.to_frame(kind)

    def _repr_html_(self) -> str:
        return f"{self.result._repr_html_()}<div>{escape(self.sentence())}</div>"

    def to_json(self) -> dict[str, Any]:
        """As programs read it: the result, and the test under `sprt`."""
        asked = self.verdict.question
        test = {
            "low": asked.low,
            "high": asked.high,
            "points": asked.points,
            "alpha": asked.alpha,
            "beta": asked.beta,
            "bounds": list(asked.bounds),
            "pairs": self.verdict.pairs,
            "mean": None if math.isnan(self.verdict.mean) else self.verdict.mean,
            "outcomes": list(self.outcomes),
            "llr": self.verdict.llr,
            "decision": self.verdict.decision or None,
            "sentence": self.sentence(),
            "doubt": self.doubt or None,
        }
        return {**self.result.to_json(), "sprt": test}


def arena_until(
    game: Any,
    players: Sequence[Any],
    asked: Question,
    games: int = MOST_GAMES,
    seed: int = 1,
    jobs: int | Executor | None = None,
    progress: Callable[[Verdict], None] | None = None,
    *,
    manner: Manner = PLAIN,
) -> Settled:
    """Let two players play pairs of games, with the same dice and exchanged seats, until a question on the first one's win share is answered.

    A question may be on points instead: half of what the first player makes a game more than the second. The luck of the dice is then taken off
    with `Manner(luck="td")`, and fewer games are needed.

    Pairs are looked at one by one in their order, and those after the one that decides do not count, so that neither `jobs` nor how many are
    played at once changes the result. `games` is the greatest number of them; `progress` hears how the test stands. See `ludus.arena` for the rest.

    >>> from ludus.matches.statistics import question
    >>> settled = arena_until("tictactoe", ["mcts(simulations=20)", "random"], question("0,5"))
    >>> settled.verdict.decision
    'high'
    """
    game, given = seated(game, players)
    if game.facts.seats != 2 or len(players) != 2:
        raise LudusError(f"a sequential test is between two players in a game of two seats; {game.facts.name} seats {game.facts.seats}, and {len(players)} were given")  # fmt: skip
    games, seed = GAMES.read(games, f"games={games}"), SEED.read(seed, f"seed={seed}")
    opening = MOVES_OR_NONE.read(manner.opening, f"opening={manner.opening}")
    jobs = checked_jobs(jobs)
    if games < 2:
        raise LudusError(f"games={games}: a pair is 2 games")
    check_memory(game, games, f"games={games}")
    checked(asked)
    judge_of(game, manner.luck)  # is refused here, before anything is played
    if manner.luck is not None and not asked.points:
        raise LudusError("luck is taken off points, not off wins: ask in points a game, such as 0,0.1points")
    entry, manner = enter(game, given), manner._replace(paired=True)
    begun, played = time.perf_counter(), Played(np.empty((0, 2)), np.empty((0, 2)))
    verdict = _judged(game, played, asked)
    while not verdict.decision and len(played.scores) + 2 <= games:
        done = len(played.scores)
        pairs = min(max(PAIRS, verdict.pairs // 4), (games - done) // 2)
        more = play(entry, seed, range(done, done + 2 * pairs), jobs, None, manner)
        played = Played(*(np.concatenate(both) for both in zip(played, more, strict=True)))
        sure = 2 * _until_sure(game, played, asked)
        played = Played(*(array[:sure] for array in played))
        verdict = _judged(game, played, asked)
        if progress:
            progress(verdict)
    outcomes = pair_counts(_won(game, played))
    result = result_of(entry, seed, played.scores, time.perf_counter() - begun, opening)
    same = verdict.pairs >= SOME and outcomes.max() == verdict.pairs and game.facts.max_chances == 0 and opening == 0
    doubt = (
        "all pairs ended alike; if both players always move alike, let games begin with random moves" if same else ""
    )
    return Settled(result, verdict, tuple(outcomes.tolist()), doubt)


def _won(game: Any, played: Played) -> np.ndarray:
    """What the first player won of each game."""
    return win_shares(played.scores, game.facts.score_range[1])[:, 0]


def _points(played: Played) -> np.ndarray:
    """By how many points a game the first player was ahead of an even game in each pair, less the luck that was noted."""
    ahead, lucky = ((array[:, 0] - array[:, 1]) / 2 for array in played)
    return less_luck(ahead, lucky, 2)


def _until_sure(game: Any, played: Played, asked: Question) -> int:
    """After how many pairs the answer was sure; or all of them."""
    return points_until_sure(_points(played), asked) if asked.points else pairs_until_sure(_won(game, played), asked)


def _judged(game: Any, played: Played, asked: Question) -> Verdict:
    """How the test stands."""
    return sprt_points(_points(played), asked) if asked.points else sprt_pairs(pair_counts(_won(game, played)), asked)
