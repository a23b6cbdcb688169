"""How networks see a backgammon position: Tesauro's raw inputs, and a richer set with shots, primes, escapes and timing, with a few networks or with one for
each plan of a game.

All describe the position after a move, when the other seat is about to roll. `Raw` is the paper's objective view, seat 0
first, with inputs that say whose turn it is. `Rich` and `Plans` show the board from the side of the seat about to roll.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import Encoding, features, from_view, outcome, section, to_view, worth
from ludus.games.backgammon.measures import EXTRA, facing, look, mutual_measures, own_measures, race_measures
from ludus.games.backgammon.rules import BAR, CHECKERS, OFF, SIDE, TURN, BackgammonRules, win_size
from ludus.kernel import implements, kernel, lowest_bit

# --- Tesauro's raw inputs --------------------------------------------------------------------------------------------


class Raw(NamedTuple):
    """The 198 inputs of TD-Gammon: 4 a point and seat, bar, off, turn. Two outputs (who wins) or four (and gammons)."""

    heads: int = 2

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: BackgammonRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        return 1, 198, self.heads


@implements(features, Raw)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    count = 0
    for seat in range(2):
        points = 0
        for p in range(1, BAR):
            points |= (state[SIDE * seat + p] > 0) << p
        while points:
            point = lowest_bit(points)
            points &= points - 1
            n = state[SIDE * seat + point]
            at = 96 * seat + 4 * (point - 1)
            for unit in range(3):  # all three are written, and as many kept as there are checkers: no branch to guess
                index[count + unit] = at + unit
                value[count + unit] = 1
            count += min(n, 3)
            if n > 3:
                index[count] = at + 3
                value[count] = np.float32(n - 3) * np.float32(0.5)
                count += 1
    for seat in range(2):
        if state[SIDE * seat + BAR]:
            index[count] = 192 + seat
            value[count] = state[SIDE * seat + BAR] / 2
            count += 1
    for seat in range(2):
        if state[SIDE * seat + OFF]:
            index[count] = 194 + seat
            value[count] = state[SIDE * seat + OFF] / 15
            count += 1
    index[count] = 196 if state[TURN] == 1 else 197  # '1, 0' for the second seat's turn, '0, 1' for the first's
    value[count] = 1
    return count + 1


@implements(outcome, Raw)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    winner = 0 if state[OFF] == CHECKERS else 1
    out[:] = 0
    out[winner] = 1
    if encoding.heads == 4 and win_size(state, winner) > 1:
        out[2 + winner] = 1


@implements(worth, Raw)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    balance = prediction[0] - prediction[1]
    if encoding.heads == 4 and game.scoring > 1:
        balance += prediction[2] - prediction[3]
    out[0] = balance
    out[1] = -balance


# --- the richer set --------------------------------------------------------------------------------------------------

POINT_UNITS = 4
BOARD = 24 * POINT_UNITS + 4  # a side: points, bar (one, more), off (share, any)
CONTACT, RACE, LATE = 0, 1, 2
SPENT = 7  # checkers off or on the two lowest points from which on contact is late
LABELS = ("wins", "gammons", "backgammons", "gammons lost", "backgammons lost")


class Rich(NamedTuple):
    """Board inputs and 24 measures a side, in the view of the seat about to roll, with a network each for positions with
    contact, for races, and for late contact, when a side has used up its board. Five outputs: win, win a gammon, win a
    backgammon, lose a gammon, lose a backgammon. Without the measures, the board inputs alone and one network.

    The kinds of measures (shots, escapes, containment, timing, ...) are those that GNU Backgammon found useful.
    """

    measures: int = 1

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    @property
    def labels(self) -> tuple[str, ...]:
        """What the outputs are the chances of, for the seat whose view it is."""
        return LABELS

    def shape(self, game: BackgammonRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        return (3, 2 * (BOARD + EXTRA), 5) if self.measures else (1, 2 * BOARD, 5)


@implements(section, Rich)
def _(encoding: Any, game: Any, state: Any) -> int:
    if not encoding.measures:
        return 0
    back0, back1 = BAR, BAR
    while back0 and state[back0] == 0:
        back0 -= 1
    while back1 and state[SIDE + back1] == 0:
        back1 -= 1
    if back0 + back1 < 25:  # the rearmost checkers have passed each other
        return RACE
    spent0 = state[OFF] + state[1] + state[2]
    spent1 = state[SIDE + OFF] + state[SIDE + 1] + state[SIDE + 2]
    return LATE if max(spent0, spent1) >= SPENT else CONTACT


@kernel(inline=True)
def _board_inputs(state: Any, side: int, some: int, base: int, index: Any, value: Any, count: int) -> int:
    points = some & ~(1 << BAR)
    while points:
        point = lowest_bit(points)
        points &= points - 1
        n = state[side + point]
        at = base + POINT_UNITS * (point - 1)
        index[count] = at + (n > 1)
        value[count] = 1
        count += 1
        if n > 2:
            index[count] = at + 2
            value[count] = 1
            count += 1
        if n > 3:
            index[count] = at + 3
            value[count] = np.float32(n - 3) * np.float32(0.5)
            count += 1
    at = base + 24 * POINT_UNITS
    if state[side + BAR]:
        index[count] = at
        value[count] = 1
        count += 1
        if state[side + BAR] > 1:
            index[count] = at + 1
            value[count] = np.float32(state[side + BAR] - 1) * np.float32(0.5)
            count += 1
    if state[side + OFF]:
        index[count] = at + 2
        value[count] = 1
        index[count + 1] = at + 3
        value[count + 1] = np.float32(state[side + OFF]) / np.float32(15)
        count += 2
    return count


@implements(features, Rich)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    seat = max(state[TURN], 0)  # nobody's turn, before the opening roll, is as good as the first seat's
    own, other = SIDE * seat, SIDE * (1 - seat)
    mine, theirs = look(state, own), look(state, other)
    count = _board_inputs(state, own, mine[0], 0, index, value, 0)
    count = _board_inputs(state, other, theirs[0], BOARD, index, value, count)
    if not encoding.measures:
        return count
    # The measures are written behind the inputs found so far, then those that are not zero move up.
    first = count
    write_measures(state, section(encoding, game, state) == RACE, own, mine, other, theirs, value, first)
    for i in range(2 * EXTRA):
        v = value[first + i]
        index[count] = 2 * BOARD + i
        value[count] = v
        count += v != 0
    return count


@kernel
def write_measures(state: Any, race: bool, own: int, mine: Any, other: int, theirs: Any, out: Any, at: int) -> None:
    """The measures of both sides, first those of the seat about to roll. `mine` and `theirs` are what `look` says of them."""
    if race:
        race_measures(state, own, out, at)
        race_measures(state, other, out, at + EXTRA)
        return
    faced, facing_them = facing(state, own, mine, theirs), facing(state, other, theirs, mine)
    own_measures(mine, faced[0], state[own + OFF], out, at)
    own_measures(theirs, facing_them[0], state[other + OFF], out, at + EXTRA)
    mutual_measures(mine, state[own + BAR], theirs, faced, out, at)
    mutual_measures(theirs, state[other + BAR], mine, facing_them, out, at + EXTRA)


@implements(outcome, Rich)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    out[:] = 0
    size = 0
    if state[OFF] == CHECKERS:
        size = win_size(state, 0)
        out[0] = 1
        out[1] = size > 1
        out[2] = size > 2
    else:
        size = win_size(state, 1)
        out[3] = size > 1
        out[4] = size > 2


@implements(worth, Rich)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    balance = 2 * prediction[0] - 1
    if game.scoring > 1:
        balance += prediction[1] - prediction[3]
    if game.scoring > 2:
        balance += prediction[2] - prediction[4]
    out[0] = balance
    out[1] = -balance


@kernel
def _exchange(state: Any, vector: Any) -> None:
    if state[TURN] == 1:
        vector[0] = 1 - vector[0]
        vector[1], vector[3] = vector[3], vector[1]
        vector[2], vector[4] = vector[4], vector[2]


@implements(to_view, Rich)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    _exchange(state, vector)


@implements(from_view, Rich)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    _exchange(state, vector)


ENCODINGS: dict[str, Encoding] = {"raw": Raw(2), "raw4": Raw(4), "board": Rich(measures=0), "rich": Rich()}
