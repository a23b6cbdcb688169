"""The rules of backgammon as kernels: what may be moved, what happens then, who has won what.

A state is 55 numbers. Both seats count points from their own side: 1 is one's ace point, 24 the farthest one away, so
that point p of one seat is point 25 - p of the other.

    # off 1, points 24, bar 1  (seat 0) | off 1, points 24, bar 1  (seat 1) | turn 1, dice 2
    #  0     1 … 24      25              26     27 … 50     51                52      53 54

`turn` is -1 before the opening roll; the dice are 0 0 until they are rolled, larger first after that.

A move is one number: up to four sources of five bits each, in the order of play, 0 meaning "no more". The first checker
moves by the larger die, unless bit 20 is set. A seat that can't move has the one move 0. The outcome of a roll is read
as two decimal digits, 31 for a three and a one; in the opening roll the first digit is seat 0's die.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, OVER, Facts, chances, moves, play, roll, scores, start, turn
from ludus.kernel import below, highest_bit, implements, kernel, lowest_bit

SIDE = 26  # length of one seat's part of the state
OFF, BAR = 0, 25
TURN, DIE1, DIE2 = 52, 53, 54
STATE_SIZE = 55
CHECKERS = 15
SMALL_FIRST = 1 << 20  # the flag of a move whose first checker goes by the smaller die

START = np.zeros(SIDE, np.int64)
START[[24, 13, 8, 6]] = 2, 5, 3, 5

_HOME = 0b1111110  # points 1 to 6 as bits


class BackgammonRules(NamedTuple):
    """Backgammon for money without the cube; a win counts at most `scoring` points (3: backgammons, 2: gammons, 1)."""

    scoring: int = 3

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        return Facts("backgammon", 1, 2, STATE_SIZE, MAX_MOVES, 30, 0, (-float(self.scoring), float(self.scoring)))


@implements(start, BackgammonRules)
def _(game: Any, state: Any) -> None:
    for i in range(SIDE):
        state[i] = START[i]
        state[SIDE + i] = START[i]
    state[TURN] = -1
    state[DIE1] = 0
    state[DIE2] = 0


@implements(turn, BackgammonRules)
def _(game: Any, state: Any) -> int:
    if state[OFF] == CHECKERS or state[SIDE + OFF] == CHECKERS:
        return OVER
    if state[DIE1] == 0:
        return CHANCE
    return state[TURN]


@implements(scores, BackgammonRules)
def _(game: Any, state: Any, out: Any) -> None:
    winner = 0 if state[OFF] == CHECKERS else 1
    points = min(win_size(state, winner), game.scoring)
    out[winner] = points
    out[1 - winner] = -points


@kernel
def win_size(state: Any, winner: int) -> int:
    """1 for a single win, 2 for a gammon, 3 for a backgammon."""
    loser = SIDE * (1 - winner)
    if state[loser + OFF] > 0:
        return 1
    for point in range(19, 26):  # the winner's home and the bar, as the loser counts
        if state[loser + point] > 0:
            return 3
    return 2


# --- dice ------------------------------------------------------------------------------------------------------------


@implements(chances, BackgammonRules)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    count = 0
    for a in range(1, 7):
        if state[TURN] < 0:  # the opening roll: each seat one die, equal ones are thrown again
            for b in range(1, 7):
                if a != b:
                    outcomes[count] = 10 * a + b
                    probabilities[count] = 1 / 30
                    count += 1
        else:
            for b in range(1, a + 1):
                outcomes[count] = 10 * a + b
                probabilities[count] = 1 / 36 if a == b else 1 / 18
                count += 1
    return count


@implements(roll, BackgammonRules)
def _(game: Any, state: Any, rng: Any, outcomes: Any, probabilities: Any) -> int:
    if state[TURN] < 0:
        a = below(rng, 6)
        b = (a + 1 + below(rng, 5)) % 6
        return 10 * a + b + 11
    pair = below(rng, 36)
    a = pair // 6
    b = pair - 6 * a
    return 10 * max(a, b) + min(a, b) + 11


# --- moving ----------------------------------------------------------------------------------------------------------


@implements(play, BackgammonRules)
def _(game: Any, state: Any, move: int) -> None:
    if state[DIE1] == 0:
        first, second = move // 10, move % 10
        if state[TURN] < 0:
            state[TURN] = 0 if first > second else 1
        state[DIE1] = max(first, second)
        state[DIE2] = min(first, second)
        return
    mover = state[TURN]
    own, other = SIDE * mover, SIDE * (1 - mover)
    die, next_die = state[DIE1], state[DIE2]
    if move & SMALL_FIRST:
        die, next_die = next_die, die
    sources = move & (SMALL_FIRST - 1)
    while sources:
        source = sources & 31
        sources >>= 5
        target = source - die
        die = next_die
        state[own + source] -= 1
        if target <= 0:
            state[own + OFF] += 1
        else:
            state[own + target] += 1
            if state[other + 25 - target]:  # a single checker, or the move would not be legal
                state[other + 25 - target] = 0
                state[other + BAR] += 1
    state[TURN] = 1 - mover
    state[DIE1] = 0
    state[DIE2] = 0


class Points(NamedTuple):
    """Bit masks by which legal moves are found, as the mover counts the points."""

    mine: int  # bit p: the mover has checkers on p (25: on the bar)
    closed: int  # two or more enemies stand there
    blots: int  # one enemy does


@kernel
def open_sources(mine: int, closed: int, die: int) -> int:
    """The points from which a checker may move by this die."""
    if mine >> BAR:
        return (1 << BAR) & ~(closed << die)
    out = mine & ~(closed << die) & ~((2 << die) - 1)
    if mine & ~_HOME == 0 and mine:
        if mine >> die & 1:
            out |= 1 << die
        elif mine >> die == 0:  # nothing as far back as the die: the rearmost checker may leave
            out |= 1 << highest_bit(mine)
    return out


@kernel
def mask_after(state: Any, own: int, mine: int, source: int, die: int) -> int:
    """The mask of the mover's points after one checker's step."""
    after = mine if state[own + source] > 1 else mine ^ (1 << source)
    return after | (1 << (source - die)) if source > die else after


@kernel
def _in_order(state: Any, own: int, mine: int, closed: int, first: int, die: int, second: int, next_die: int) -> bool:
    """Whether `first` by one die, and `second` by the other after it, are legal steps."""
    if not open_sources(mine, closed, die) >> first & 1:
        return False
    return open_sources(mask_after(state, own, mine, first, die), closed, next_die) >> second & 1 == 1


@kernel
def _repeated(state: Any, own: int, points: Any, a: int, b: int, big: int, small: int) -> bool:
    """Whether another pair of sources, which is the one to be listed, leads where `a` by `big` and `b` by `small` do."""
    mine, closed, blots = points
    if a == b - small and b > big:
        # In sum one checker runs from b with both dice, stopping at a. Stopping at b - big is the same, but for hits.
        stop = b - big
        return (blots >> stop | blots >> a) & 1 == 0 and _in_order(state, own, mine, closed, b, big, stop, small)
    if a < b and a <= small and b <= small:
        # Both leave the board. So they may with the dice exchanged.
        if _in_order(state, own, mine, closed, b, big, a, small):
            return True
        return _in_order(state, own, mine, closed, a, small, b, big)
    return False


@kernel
def _pairs(state: Any, own: int, points: Any, big: int, small: int, out: Any) -> int:
    """All ways to play two different dice, each resulting position once.

    A way is a pair of sources, `a` for the larger die and `b` for the smaller: the order of play decides whether it is
    legal, but not what comes of it. So pairs are listed with the larger die first, then those that need the other order.
    """
    mine, closed, _ = points
    count = 0
    firsts = open_sources(mine, closed, big)
    while firsts:
        a = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = open_sources(mask_after(state, own, mine, a, big), closed, small)
        while seconds:
            b = lowest_bit(seconds)
            seconds &= seconds - 1
            if not _repeated(state, own, points, a, b, big, small):
                out[count] = a | b << 5
                count += 1
    firsts = open_sources(mine, closed, small)
    while firsts:
        b = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = open_sources(mask_after(state, own, mine, b, small), closed, big)
        while seconds:
            a = lowest_bit(seconds)
            seconds &= seconds - 1
            if _in_order(state, own, mine, closed, a, big, b, small):
                continue
            if not _repeated(state, own, points, a, b, big, small):
                out[count] = b | a << 5 | SMALL_FIRST
                count += 1
    return count


@kernel
def _double(state: Any, own: int, mine: int, closed: int, die: int, out: Any) -> int:
    """All ways to play a double, each resulting position once: taking sources from the rear forwards lists each set of
    sources in one order, and that order is legal whenever any order is.
    """
    best = 1  # how many steps the moves found so far have
    count = 0
    s1 = open_sources(mine, closed, die)
    while s1:
        a = lowest_bit(s1)
        s1 &= s1 - 1
        mine1 = mask_after(state, own, mine, a, die)
        state[own + a] -= 1
        state[own + max(a - die, OFF)] += 1
        s2 = open_sources(mine1, closed, die) & ((2 << a) - 1)
        if s2 == 0 and best == 1:
            out[count] = a
            count += 1
        while s2:
            b = lowest_bit(s2)
            s2 &= s2 - 1
            mine2 = mask_after(state, own, mine1, b, die)
            state[own + b] -= 1
            state[own + max(b - die, OFF)] += 1
            s3 = open_sources(mine2, closed, die) & ((2 << b) - 1)
            if s3 == 0 and best <= 2:
                if best < 2:
                    best, count = 2, 0
                out[count] = a | b << 5
                count += 1
            while s3:
                c = lowest_bit(s3)
                s3 &= s3 - 1
                mine3 = mask_after(state, own, mine2, c, die)
                s4 = open_sources(mine3, closed, die) & ((2 << c) - 1)
                if s4 == 0 and best <= 3:
                    if best < 3:
                        best, count = 3, 0
                    out[count] = a | b << 5 | c << 10
                    count += 1
                if s4 and best < 4:
                    best, count = 4, 0
                while s4:
                    d = lowest_bit(s4)
                    s4 &= s4 - 1
                    out[count] = a | b << 5 | c << 10 | d << 15
                    count += 1
            state[own + b] += 1
            state[own + max(b - die, OFF)] -= 1
        state[own + a] += 1
        state[own + max(a - die, OFF)] -= 1
    return count


@implements(moves, BackgammonRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    own, other = SIDE * seat, SIDE * (1 - seat)
    big, small = state[DIE1], state[DIE2]
    mine = 0
    closed = 0  # points with two or more enemies
    blots = 0  # points with one
    for p in range(1, 26):
        mine |= (state[own + p] > 0) << p
    for p in range(1, 25):
        n = state[other + 25 - p]
        blots |= (n == 1) << p
        closed |= (n > 1) << p
    if big == small:
        count = _double(state, own, mine, closed, big, out)
    else:
        count = _pairs(state, own, Points(mine, closed, blots), big, small, out)
        if count == 0:  # only one die can be played: the larger if possible
            flag = 0
            singles = open_sources(mine, closed, big)
            if singles == 0:
                flag = SMALL_FIRST
                singles = open_sources(mine, closed, small)
            while singles:
                out[count] = lowest_bit(singles) | flag
                count += 1
                singles &= singles - 1
    if count == 0:
        out[0] = 0
        return 1
    return count


# At most 3060 ways exist: a double gives four steps to 15 checkers, and C(15 + 3, 4) = 3060 ways share them out.
MAX_MOVES = 4096
