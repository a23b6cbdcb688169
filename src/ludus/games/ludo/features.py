"""How networks see a Ludo position: the paper's raw counts, in an objective and in the mover's view, and a richer set that
sees threats. All show the position after a move, before somebody rolls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import Encoding, features, from_view, outcome, to_view, worth
from ludus.games.ludo.rules import ROUND, TURN, LudoRules, colour, goal_of, seen_from
from ludus.games.ludo.tactics import exposed, hit_chance, walkers
from ludus.kernel import implements, kernel

F32 = np.float32


@kernel(inline=True)
def _counts(state: Any, own: int, at: int, index: Any, value: Any, count: int) -> int:
    """One input for each square that holds pieces of a colour: how many, divided by four."""
    for i in range(4):
        r = state[own + i]
        n, first = 0, True
        for j in range(4):
            same = state[own + j] == r
            n += same
            first = first and not (same and j < i)
        if first:
            index[count] = at + r
            value[count] = F32(0.25) * F32(n)
            count += 1
    return count


# --- the paper's ------------------------------------------------------------------------------------------------------


class Raw(NamedTuple):
    """Alhajry et al. (2012): for each seat and each of 59 squares the number of pieces there, by four; whose turn it is. The
    network predicts who wins, and a seat likes its own chance less everybody else's.

    The paper counts 52 squares of track for each colour; a piece enters 51 of them, so that one input of each is never set.
    """

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: LudoRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        return 1, game.seats * (game.goal + 3), game.seats


@implements(features, Raw)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    squares = goal_of(game) + 2
    count = 0
    for seat in range(game.seats):
        count = _counts(state, 4 * colour(game, seat), squares * seat, index, value, count)
    index[count] = squares * game.seats + max(state[TURN], 0)
    value[count] = 1
    return count + 1


@implements(outcome, Raw)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    for seat in range(game.seats):
        out[seat] = 0
    out[state[TURN]] = 1


@implements(worth, Raw)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    total = 0.0
    for seat in range(game.seats):
        total += np.float64(prediction[seat])
    for seat in range(game.seats):
        out[seat] = 2 * np.float64(prediction[seat]) - total


class View(NamedTuple):
    """The same counts as the seat in turn sees them, its own first and the others in the order of their turns. What the
    network predicts is up to who uses it: the values of actions in the paper.
    """

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: LudoRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs): for the chances to win, should somebody learn them."""
        return 1, game.seats * (game.goal + 2), game.seats


@implements(features, View)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    squares = goal_of(game) + 2
    first = max(state[TURN], 0)
    count = 0
    for k in range(game.seats):
        seat = first + k if first + k < game.seats else first + k - game.seats
        count = _counts(state, 4 * colour(game, seat), squares * k, index, value, count)
    return count


# --- the richer set ---------------------------------------------------------------------------------------------------

PLACES = 60  # room for the positions of any rule set
SEAT_INPUTS = 4 * PLACES


class Rich(NamedTuple):
    """From the view of the seat about to roll, the others in the order of their turns. For each seat and position: a piece
    alone, pieces stacked, and the chance that the piece there is captured, by those who roll before its owner does again, and
    by those who roll after. One more input says that the first round, with its own rules of rolling, is not over.
    """

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: LudoRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        return 1, game.seats * SEAT_INPUTS + 1, game.seats


@implements(features, Rich)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    seats = game.seats
    first = max(state[TURN], 0)
    walking = walkers(game, state, 0), walkers(game, state, 4), walkers(game, state, 8), walkers(game, state, 12)
    count = 0
    for k in range(seats):
        mine = colour(game, first + k if first + k < seats else first + k - seats)
        own, at = 4 * mine, SEAT_INPUTS * k
        for i in range(4):
            r = state[own + i]
            n, leads = 0, True
            for j in range(4):
                same = state[own + j] == r
                n += same
                leads &= not same or j >= i
            if not leads:
                continue
            index[count] = at + r + (PLACES if n > 1 else 0)
            value[count] = F32(0.5) * F32(n) if n > 1 else F32(1)
            count += 1
            if n > 1 or not exposed(game, r):
                continue
            before, after = 1.0, 1.0
            for j in range(seats):
                if j == k:
                    continue
                other = colour(game, first + j if first + j < seats else first + j - seats)
                safe = 1.0 - hit_chance(game, walking[other], seen_from(other, mine, r))
                if j < k:
                    before *= safe
                else:
                    after *= safe
            if before < 1:
                index[count] = at + 2 * PLACES + r
                value[count] = F32(1.0 - before)
                count += 1
            if after < 1:
                index[count] = at + 3 * PLACES + r
                value[count] = F32(1.0 - after)
                count += 1
    if state[ROUND] == 1:
        index[count] = seats * SEAT_INPUTS
        value[count] = 1
        count += 1
    return count


# View and Rich both show the seat in turn first, and predict in that order who wins.


@kernel(inline=True)
def _winner(game: Any, state: Any, out: Any) -> None:
    for seat in range(game.seats):
        out[seat] = 0
    out[state[TURN]] = 1


@kernel(inline=True)
def _shares(game: Any, prediction: Any, out: Any) -> None:
    total = 0.0
    for seat in range(game.seats):
        total += np.float64(prediction[seat])
    for seat in range(game.seats):
        out[seat] = np.float64(prediction[seat]) / max(total, 1e-9)


@kernel(inline=True)
def _rotate(vector: Any, seats: int, by: int) -> None:
    """vector[k] becomes what vector[k + by] was."""
    a, b, c, d = vector[0], vector[1], vector[min(2, seats - 1)], vector[seats - 1]
    for k in range(seats):
        source = k + by if k + by < seats else k + by - seats
        vector[k] = a if source == 0 else b if source == 1 else c if source == 2 else d


@implements(outcome, View)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    _winner(game, state, out)


@implements(outcome, Rich)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    _winner(game, state, out)


@implements(worth, View)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    _shares(game, prediction, out)


@implements(worth, Rich)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    _shares(game, prediction, out)


@implements(to_view, View)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    _rotate(vector, game.seats, max(state[TURN], 0))


@implements(to_view, Rich)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    _rotate(vector, game.seats, max(state[TURN], 0))


@implements(from_view, View)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    _rotate(vector, game.seats, (game.seats - max(state[TURN], 0)) % game.seats)


@implements(from_view, Rich)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    _rotate(vector, game.seats, (game.seats - max(state[TURN], 0)) % game.seats)


ENCODINGS: dict[str, Encoding] = {"raw": Raw(), "view": View(), "rich": Rich()}
