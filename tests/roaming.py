"""Games made at random, to test solvers by: a piece goes from place to place, moved by the seats or by chance, until it comes to an end or a limit of plies
is reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract import clock, rules
from ludus.contract.rules import CHANCE, OVER, Facts
from ludus.kernel import implements


class Roaming(NamedTuple):
    """# place 1, plies 1

    A move is the number of a way. With `free`, what chance does is no ply.
    """

    whose: np.ndarray  # by place: a seat, CHANCE or OVER
    ways: np.ndarray  # by place: where its ways lead
    count: np.ndarray  # by place: how many ways there are
    points: np.ndarray  # by place: the score of a game that ends there
    limit: int  # 0: none
    free: bool

    @property
    def facts(self) -> Facts:
        most = self.ways.shape[1]
        return Facts("roaming", 1, 2, 2, most, most, self.limit, (-1.0, 1.0))

    def clock(self) -> Any:
        return RoamingClock(self.limit) if self.limit else clock.NoClock()


class RoamingClock(NamedTuple):
    limit: int


def roaming(seed: int, limit: int) -> Roaming:
    """One of many such games. Without a limit, ways lead only to places of higher numbers: to where nobody can come back from."""
    rng = np.random.default_rng(seed)
    places, most = int(rng.integers(2, 9)), 3
    whose = rng.choice([0, 0, 1, 1, CHANCE, OVER], places)
    whose[-1] = OVER
    free = bool(rng.integers(2))
    ways = np.zeros((places, most), np.int64)
    for place in range(places - 1):
        there = np.arange(0 if limit else place + 1, places)
        if free and limit and whose[place] == CHANCE:
            there = there[whose[there] != CHANCE]  # or chance could go round for ever
        ways[place] = rng.choice(there, most)
    points = rng.choice([-1.0, 0.0, 0.5, 1.0], (places, 2))
    return Roaming(whose, ways, rng.integers(1, most + 1, places), points, limit, free)


@implements(rules.start, Roaming)
def _(game: Any, state: Any) -> None:
    state[0] = 0
    state[1] = 0


@implements(rules.turn, Roaming)
def _(game: Any, state: Any) -> int:
    return OVER if game.limit > 0 and state[1] >= game.limit else game.whose[state[0]]


@implements(rules.moves, Roaming)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    for way in range(game.count[state[0]]):
        out[way] = way
    return game.count[state[0]]


@implements(rules.chances, Roaming)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    count = game.count[state[0]]
    for way in range(count):
        outcomes[way] = way
        probabilities[way] = 2 * (way + 1) / (count * (count + 1))
    return count


@implements(rules.play, Roaming)
def _(game: Any, state: Any, move: int) -> None:
    if game.limit > 0 and not (game.free and game.whose[state[0]] == CHANCE):
        state[1] += 1
    state[0] = game.ways[state[0], move]


@implements(rules.scores, Roaming)
def _(game: Any, state: Any, out: Any) -> None:
    out[0] = game.points[state[0], 0]
    out[1] = game.points[state[0], 1]


@implements(clock.plies_left, RoamingClock)
def _(clock: Any, game: Any, state: Any) -> int:
    return clock.limit - state[1]


@implements(clock.wind, RoamingClock)
def _(clock: Any, game: Any, state: Any) -> None:
    state[1] = 0


@implements(clock.run_out, RoamingClock)
def _(clock: Any, game: Any, state: Any) -> None:
    state[1] = clock.limit
