"""How networks see a backgammon position: Tesauro's raw inputs, and a richer set with shots, primes, escapes and timing, with a few networks or with one for
each plan of a game.

All describe the position after a move, when the other seat is about to roll. `Raw` is the paper's objective view, seat 0
first, with inputs that say whose turn it is. `Rich` and `Plans` show the board from the side of the seat about to roll.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import Encoding, features, from_view, outcome, section, to_view, worth
from ludus.games.backgammon.rules import BAR, CHECKERS, OFF, SIDE, TURN, BackgammonRules, win_size
from ludus.kernel import count_bits, highest_bit, implements, kernel, lowest_bit


@kernel(inline=True)
def _masks(state: Any, side: int) -> tuple[int, int]:
    """The points, bar included, where a side has checkers, and where it has at least two, as bits."""
    some, made = 0, 0
    for p in range(1, 26):
        n = state[side + p]
        some |= (n > 0) << p
        made |= (n > 1) << p
    return some, made


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
        points, _ = _masks(state, SIDE * seat)
        points &= ~(1 << BAR)
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
EXTRA = 24  # a side: the measures below
CONTACT, RACE, LATE = 0, 1, 2
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


@kernel(inline=True)
def _mirror(mask: int) -> int:
    """A mask of points 1 to 24 as the other seat numbers them; the bar is left out."""
    # Reverse the 32 low bits by halves, then shift point p from bit 31 - p to bit 25 - p.
    mask = (mask >> 16 & 0xFFFF) | (mask & 0xFFFF) << 16
    mask = (mask >> 8 & 0x00FF00FF) | (mask & 0x00FF00FF) << 8
    mask = (mask >> 4 & 0x0F0F0F0F) | (mask & 0x0F0F0F0F) << 4
    mask = (mask >> 2 & 0x33333333) | (mask & 0x33333333) << 2
    mask = (mask >> 1 & 0x55555555) | (mask & 0x55555555) << 1
    return mask >> 6 & 0x1FFFFFE


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
    return LATE if max(spent0, spent1) >= 7 else CONTACT


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


@kernel
def shots(board: int, on_bar: int, closed: int, blots: int) -> tuple[int, int, int]:
    """How the next roll may hit: of the 36 rolls, how many hit, how many could hit either of two blots or more, and the
    pips that the best hits cost together. Points are numbered by the hitter; `board` leaves the bar out. Whether other
    rules forbid the move is not looked at.
    """
    hit, twice, loss = 0, 0, 0
    if blots == 0:
        return hit, twice, loss
    for a in range(1, 7):
        enter_a = (1 << (BAR - a)) & ~closed
        move_a = (board >> a) & ~closed
        if on_bar == 0 or enter_a:
            walk = board | enter_a if on_bar else board
            reach = enter_a if on_bar else 0
            for _ in range(4 - on_bar):
                walk = (walk >> a) & ~closed
                reach |= walk
            struck = reach & blots
            if struck:
                hit += 1
                twice += (struck & (struck - 1)) != 0
                loss += highest_bit(struck)
        for b in range(1, a):
            enter_b = (1 << (BAR - b)) & ~closed
            if on_bar == 0:
                move_b = (board >> b) & ~closed
                reach = move_a | move_b | move_a >> b | move_b >> a
            elif on_bar == 1:
                reach = enter_a | enter_b
                if enter_a:
                    reach |= (board | enter_a) >> b
                if enter_b:
                    reach |= (board | enter_b) >> a
            else:
                reach = enter_a | enter_b
            struck = reach & blots
            if struck:
                hit += 2
                twice += 2 * ((struck & (struck - 1)) != 0)
                loss += 2 * highest_bit(struck)
    return hit, twice, loss


# ESCAPES[mask]: of the 36 rolls, how many let a checker with `mask` closed points in front of it (bit 0: the next point)
# move on by seven pips or more, landing on open points only.
def _escape_table() -> np.ndarray:
    masks = np.arange(1 << 12)
    table = np.zeros(1 << 12, np.int64)
    for a in range(1, 7):
        for b in range(1, 7):
            away = np.zeros(1 << 12, np.bool_)
            for order in [(a,) * 4] if a == b else [(a, b), (b, a)]:
                at, moving = 0, np.ones(1 << 12, np.bool_)
                for die in order:
                    at += die
                    if at <= 12:
                        moving &= masks >> (at - 1) & 1 == 0
                    if at >= 7:
                        away |= moving
            table += away
    return table


ESCAPES = _escape_table()


@kernel(inline=True)
def _escapes(their_made: int, point: int) -> int:
    """How many of the 36 rolls let a checker on this point get away, past the points that they (by their numbers) made."""
    return ESCAPES[their_made >> (26 - point) & 0xFFF]


@kernel
def _measures(
    state: Any, side: int, other: int, some: int, made: int, their_some: int, their_made: int, out: Any
) -> None:
    """The measures of one side in positions with contact, each roughly between 0 and 1. Both sides' masks are by their
    own numbers.
    """
    bar = 1 << BAR
    board, blots = some & ~bar, some & ~made & ~bar
    made &= ~bar
    their_made &= ~bar
    rear = highest_bit(some) if some else 0
    their_rear = 25 - highest_bit(their_some) if their_some else 25  # their rearmost checker, in my numbers

    hit, twice, loss = shots(board, state[side + BAR], _mirror(their_made), _mirror(their_some & ~their_made))
    out[0] = hit / 36
    out[1] = twice / 36
    out[2] = loss / (36 * 24)

    pips, squares, behind, stripped = 0, 0, 0, 0
    timing, mobility, back, builders, dead = 0, 0, 0, 0, 0
    points = some
    while points:
        p = lowest_bit(points)
        points &= points - 1
        n = state[side + p]
        pips += n * p
        squares += n * p * p
        if p > their_rear:
            behind += n * (p - their_rear)  # pips until contact is over
        if p > 6:
            timing += (n if p > 18 else max(n - 2, 0)) * (p - 6)  # pips to play before points must break
            if p > 12:
                mobility += n * (p - 6) * _escapes(their_made, p)
                if p > 18:
                    back += n
            else:
                builders += min(n, 2)
        else:
            stripped += max(n - 3, 0)
            if p < 4:
                dead += n
    checkers = np.float32(max(CHECKERS - state[side + OFF], 1))
    out[3] = pips / 167
    out[4] = behind / 167
    out[5] = timing / 100
    out[6] = mobility / 3600
    out[7] = (squares / checkers - (pips / checkers) * (pips / checkers)) / 100  # how spread out
    out[8] = _escapes(their_made, rear) / 36 if rear > 12 else 1.0
    out[9] = stripped / 6

    # How well their rear checkers are held in: the hardest point to leave, among those still to be passed and among all.
    least, least_far = 36, 36
    for p in range(16, 26):
        e = _escapes(made, p)
        least_far = min(least_far, e)
        if p <= 25 - their_rear:
            least = min(least, e)
    held = 1 - least / 36
    out[10] = held
    out[11] = 1 - least_far / 36
    out[12] = held * held

    home = count_bits(made & 0b1111110) / 6
    out[13] = home * home  # share of the rolls that keep a checker on the bar out
    out[14] = home * home if state[other + BAR] else 0.0
    longest, run = 0, made
    while run:  # each round cuts one point off every row of made points
        run &= run >> 1
        longest += 1
    out[15] = longest / 6
    out[16] = longest >= 5

    anchors = made >> 18 & 0b1111110  # in their home: my points 19 to 24 as bits 1 to 6
    out[17] = anchors != 0
    out[18] = lowest_bit(anchors) / 6 if anchors else 0.0
    out[19] = anchors & (anchors - 1) != 0
    out[20] = back / 4
    out[21] = count_bits(blots) / 5
    out[22] = builders / 6
    out[23] = dead / 6


@implements(features, Rich)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    own, other = SIDE * state[TURN], SIDE * (1 - state[TURN])
    some, made = _masks(state, own)
    their_some, their_made = _masks(state, other)
    count = _board_inputs(state, own, some, 0, index, value, 0)
    count = _board_inputs(state, other, their_some, BOARD, index, value, count)
    if not encoding.measures:
        return count
    # The measures are written behind the inputs found so far, then those that are not zero move up.
    race = section(encoding, game, state) == RACE
    slots = value[count : count + EXTRA]
    for view in range(2):
        if race:
            _race_measures(state, own if view == 0 else other, slots)
        elif view == 0:
            _measures(state, own, other, some, made, their_some, their_made, slots)
        else:
            _measures(state, other, own, their_some, their_made, some, made, slots)
        base = 2 * BOARD + EXTRA * view
        for i in range(EXTRA):
            v = slots[i]
            if v != 0:
                index[count] = base + i
                value[count] = v
                count += 1
        slots = value[count : count + EXTRA]
    return count


@kernel
def _race_measures(state: Any, side: int, out: Any) -> None:
    """The measures of one side in a race: pips, wastage, gaps, crossovers."""
    out[:] = 0
    pips, cross, gaps, home = 0, 0, 0, 0
    for p in range(1, 25):
        n = state[side + p]
        pips += n * p
        cross += n * ((p - 1) // 6)
        if p <= 6:
            home += n
            gaps += n == 0
    left = CHECKERS - state[side + OFF]
    out[0] = pips / 100
    out[1] = cross / 10
    out[2] = gaps / 6
    out[3] = left / 15
    out[4] = (left + 1) // 2 / 8
    out[5] = home / 15
    out[6] = state[side + 1] / 6
    out[7] = state[side + 2] / 6
    out[8] = 1.0 if state[side + OFF] == 0 else 0.0
    # For the race itself a difference counts little when both are far from home: show pips in steps too.
    for i in range(8):
        step = pips - 12 * i
        out[9 + i] = min(max(step / 12, 0.0), 1.0)


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
