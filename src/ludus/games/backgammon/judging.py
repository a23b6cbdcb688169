"""How networks that know nothing of the cube judge positions with it. Such a network says how a game may end; what that is worth with the cube, at the
score, and whether one should double, take, or be content with a resignation, follows from `cubeful.py`.

`WithCube` wraps an encoding of the game without the cube. Of what the network says only the first number is kept, and it becomes the equity of seat 0:
so a mean over rolls is the mean of equities, and players, searches and judges of luck work here as in every other game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import scores
from ludus.contract.views import features, from_view, known, outcome, section, worth
from ludus.games.backgammon.cubeful import (
    EFFICIENCY,
    Chances,
    Stake,
    best_equity,
    cubeful,
    doubled,
    race_efficiency,
    reward,
    weigh,
)
from ludus.games.backgammon.match import (
    BEAVERED,
    CRAWFORD,
    CUBE,
    DOUBLED,
    OWNER,
    PHASE,
    PLAYING,
    RACCOONED,
    RESIGNING,
    SCORE,
    gammons_count,
    may_double,
)
from ludus.games.backgammon.rules import BAR, DIE1, SIDE, TURN
from ludus.kernel import implements, kernel


class WithCube(NamedTuple):
    """An encoding of the game without the cube, for games with it."""

    plain: Any
    table: np.ndarray  # match equities (`equities.py`)
    one_game: int = 0  # 1: a game of a match that has ended is worth what the table says, and nobody plays on

    @property
    def version(self) -> int:
        """That of the encoding itself."""
        return int(self.plain.version)

    def shape(self, game: Any) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        shape: tuple[int, int, int] = self.plain.shape(game)
        return shape

    def for_rollouts(self, state: np.ndarray) -> WithCube:
        """What a rollout from a state on judges by: to the end of the game, but of a match that has yet to begin to its end."""
        return self._replace(one_game=int(state[TURN] >= 0))


@implements(features, WithCube)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    if state[TURN] < 0:  # a game that is yet to begin: the score says all
        return 0
    return features(encoding.plain, game, state, index, value)


@implements(section, WithCube)
def _(encoding: Any, game: Any, state: Any) -> int:
    return section(encoding.plain, game, state)


@implements(outcome, WithCube)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    result = np.zeros(2)
    scores(game, state, result)
    out[:] = 0
    out[0] = result[0]


@implements(worth, WithCube)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    out[0] = prediction[0]
    out[1] = -prediction[0]


@implements(from_view, WithCube)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    seat = state[TURN]
    if seat < 0:
        vector[0] = before_game(encoding.table, game, state)
        return
    from_view(encoding.plain, game, state, vector)
    _price(encoding, game, state, seat, vector)


@implements(known, WithCube)
def _(encoding: Any, game: Any, state: Any, out: Any) -> bool:
    if state[TURN] < 0:
        if encoding.one_game == 0:
            return False
        out[0] = before_game(encoding.table, game, state)
        return True
    if not known(encoding.plain, game, state, out):
        return False
    _price(encoding, game, state, state[TURN], out)
    return True


@kernel
def _price(encoding: Any, game: Any, state: Any, seat: int, vector: Any) -> None:
    """Put what the chances of a game's ends are worth with the cube, to seat 0, in their place."""
    equity = judge(encoding.table, game, state, chances_in(vector, seat))
    vector[0] = equity if seat == 0 else -equity


# --- from states to numbers ------------------------------------------------------------------------------------------


@kernel
def chances_in(prediction: Any, seat: int) -> Any:
    """The chances of a seat in what a network says: five outputs are those of seat 0 (`Rich`); two, or four with gammons, are of both seats (`Raw`)."""
    if len(prediction) == 5:
        p = min(max(float(prediction[0]), 0.0), 1.0)
        g, b, lg, lb = float(prediction[1]), float(prediction[2]), float(prediction[3]), float(prediction[4])
    else:
        both = float(prediction[0]) + float(prediction[1])
        p = float(prediction[0]) / both if both > 0 else 0.5
        g, b, lg, lb = 0.0, 0.0, 0.0, 0.0
        if len(prediction) == 4:
            g, lg = float(prediction[2]), float(prediction[3])
    return Chances(p, g, b, lg, lb) if seat == 0 else Chances(1.0 - p, lg, lb, g, b)


@kernel
def stake_of(game: Any, state: Any, seat: int) -> Any:
    """What is played for, as a seat sees it."""
    own, other = 0, 0
    if game.match > 0:
        own, other = game.match - state[SCORE + seat], game.match - state[SCORE + 1 - seat]
    owner = 0
    if state[OWNER] >= 0:
        owner = 1 if state[OWNER] == seat else -1
    return Stake(own, other, state[CUBE], owner, state[CRAWFORD], 1 if game.jacoby else 0, 1 if game.beavers > 0 else 0)


@kernel
def race_pips(state: Any, seat: int) -> int:
    """The pips that a seat has to go in a race; -1 where the sides have still to pass each other."""
    pips, rear, their_rear = 0, 0, 0
    for point in range(1, BAR + 1):
        pips += point * state[SIDE * seat + point]
        if state[SIDE * seat + point] > 0:
            rear = point
        if state[SIDE * (1 - seat) + point] > 0:
            their_rear = point
    return pips if rear + their_rear < BAR else -1


@kernel
def efficiency_of(state: Any, seat: int) -> float:
    """The efficiency of the cube when a seat is about to roll."""
    pips = race_pips(state, seat)
    return EFFICIENCY if pips < 0 else race_efficiency(pips)


@kernel
def before_game(table: Any, game: Any, state: Any) -> float:
    """The equity of seat 0 when a game is about to begin."""
    if game.match == 0:
        return 0.0
    own, other = game.match - state[SCORE], game.match - state[SCORE + 1]
    after = 1 if (own == 1 or other == 1) and state[CRAWFORD] == 0 else 0
    return 2.0 * table[after, own, other] - 1.0


# --- what a position is worth ----------------------------------------------------------------------------------------


@kernel
def judge(table: Any, game: Any, state: Any, chances: Any) -> float:
    """The equity of the seat that is to roll, or has rolled, whatever is to be decided before that: whether to double, to take, or to accept a
    resignation. Who decides is taken to choose what is best for it.
    """
    seat, phase = state[TURN], state[PHASE]
    stake, x = stake_of(game, state, seat), efficiency_of(state, seat)
    if DOUBLED <= phase <= RACCOONED:
        return _answered(table, chances, stake, x, phase, game.beavers)
    if phase == PLAYING and state[DIE1] == 0 and may_double(game, state):
        equity = best_equity(table, chances, stake, x)
    else:
        equity = cubeful(table, chances, stake, x)
    if phase < RESIGNING:
        return equity
    offer = phase - RESIGNING
    points = state[CUBE] * (offer % 3 + 1 if gammons_count(game, state) else 1)
    if (0 if offer < 3 else 1) == seat:  # it resigns: the other takes the better of the points and of playing on
        return min(equity, -reward(table, stake.other, stake.own, points))
    return max(equity, reward(table, stake.own, stake.other, points))


@kernel
def _answered(table: Any, chances: Any, stake: Any, x: float, phase: int, beavers: int) -> float:
    """The equity of the seat that doubled, before the answer to its double, to a beaver, or to a raccoon."""
    if phase == DOUBLED:
        verdict = weigh(table, chances, stake, x)
        return min(verdict.take, verdict.drop)
    take = cubeful(table, chances, doubled(stake), x)
    if phase == BEAVERED:  # the seat itself answers, and may raccoon if that is allowed
        again = 2 * take if beavers > 1 else take
        return max(max(take, again), -float(stake.cube))
    return min(take, float(stake.cube))
