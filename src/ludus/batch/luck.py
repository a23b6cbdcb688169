"""The luck of the dice, so that it can be taken off a score.

At a chance event with outcomes o of probability p(o), the luck of a seat is v(o) - Σ p(o') v(o'), where v(o) is what a *judge* thinks the state after o
is worth to the seat. Whatever a judge thinks, as long as it looks at nothing but the state, the mean of this over the outcomes is 0 at each
event, however the game got there; so it is 0 for the sum over a game, and a score less its luck has the same mean as the score. The better the judge,
the less of the score's variance is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import chances, play
from ludus.kernel import generic, implements


class NoJudge(NamedTuple):
    """Nobody judges, and no luck is noted: kernels are compiled without."""

    nothing: int = 0  # a tuple without any field has no place among kernels


UNJUDGED = NoJudge()


class Luck(NamedTuple):
    """Where luck is noted, and room for a chance event."""

    sums: np.ndarray  # game, seat: the luck so far
    outcomes: np.ndarray
    odds: np.ndarray
    after: np.ndarray  # the state after an outcome
    worth: np.ndarray  # seat: what it is worth
    mean: np.ndarray  # seat: the same over all outcomes


def new_luck(game: Any, games: int) -> Luck:
    """Room for the luck of so many games."""
    seats, most = game.facts.seats, max(game.facts.max_chances, 1)
    return Luck(
        sums=np.zeros((games, seats)),
        outcomes=np.zeros(most, np.int64),
        odds=np.zeros(most),
        after=np.zeros(game.facts.state_size, np.int64),
        worth=np.zeros(seats),
        mean=np.zeros(seats),
    )


@generic
def judging_room(judge: Any, game: Any, /) -> Any:
    """Arrays that a judge writes to, for one thread: threads share the judge itself."""


@generic
def judge_outcome(judge: Any, game: Any, state: Any, room: Any, out: Any, /) -> None:
    """Write what the state after a chance event is worth: one number for each seat, in scores."""


@generic
def note_luck(judge: Any, game: Any, state: Any, outcome: int, luck: Any, room: Any, row: int, /) -> None:
    """Add to a row of `luck.sums` what an outcome of the chance event that is due brings each seat."""


@implements(judging_room, object)
def _(judge: Any, game: Any) -> Any:
    return 0


@implements(note_luck, NoJudge)
def _(judge: Any, game: Any, state: Any, outcome: int, luck: Any, room: Any, row: int) -> None:
    pass


@implements(note_luck, object)
def _(judge: Any, game: Any, state: Any, outcome: int, luck: Any, room: Any, row: int) -> None:
    sums, after, worth, mean = luck.sums, luck.after, luck.worth, luck.mean
    count, seats = chances(game, state, luck.outcomes, luck.odds), len(mean)
    for seat in range(seats):
        mean[seat] = 0.0
    for i in range(count):
        for j in range(len(state)):
            after[j] = state[j]
        play(game, after, luck.outcomes[i])
        judge_outcome(judge, game, after, room, worth)
        for seat in range(seats):
            mean[seat] += luck.odds[i] * worth[seat]
            if luck.outcomes[i] == outcome:
                sums[row, seat] += worth[seat]
    for seat in range(seats):
        sums[row, seat] -= mean[seat]
