"""What can be measured of a backgammon position beyond where the checkers are: shots, escapes, primes, timing. They are inputs of networks (`features.py`, `plans.py`).

A move touches a few points of one side, or of both if it hits. So the measures are in two parts, those that follow from a side's own checkers and those
that follow from both, and a side's checkers are kept as masks and sums (`look`) that a move changes in a few places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.games.backgammon.rules import BAR, CHECKERS, OFF
from ludus.kernel import count_bits, highest_bit, kernel, lowest_bit

EXTRA = 24  # measures a side
MUTUAL = (0, 1, 2, 4, 6, 8, 10, 12, 14)  # those that follow from both sides' checkers; the others from the side's own
ALL_POINTS = 0x1FFFFFE  # points 1 to 24 as bits

# SUMS[16 * p + n]: what n checkers on point p (25: the bar) bring to sums over all points, seven of them side by side in one number.
PIPS, SQUARES, TIMING, STRIPPED, BACK, BUILDERS, DEAD = 0, 10, 24, 33, 37, 41, 45  # at which bit each begins


def _sums() -> np.ndarray:
    table = np.zeros(26 * 16, np.int64)
    for p in range(1, 26):
        for n in range(1, 16):
            total = n * p << PIPS | n * p * p << SQUARES
            if p > 6:
                total |= (n if p > 18 else max(n - 2, 0)) * (p - 6) << TIMING  # pips to play before points must break
                if p > 18:
                    total |= n << BACK
                if p <= 12:
                    total |= min(n, 2) << BUILDERS
            else:
                total |= max(n - 3, 0) << STRIPPED
                if p < 4:
                    total |= n << DEAD
            table[16 * p + n] = total
    return table


SUMS = _sums()


# ESCAPES[mask]: of the 36 rolls, how many let a checker with `mask` closed points in front of it (bit 0: the next point)
# move on by seven pips or more, landing on open points only.
def _escape_table() -> np.ndarray:
    masks = np.arange(1 << 12)
    table = np.zeros(1 << 12, np.int8)
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


@kernel
def look(state: Any, side: int) -> tuple[int, int, int]:
    """The points, bar included, where a side has checkers, and where it has at least two, as bits; and its sums (SUMS)."""
    some, made, sums = 0, 0, 0
    for p in range(1, 26):
        n = state[side + p]
        some |= (n > 0) << p
        made |= (n > 1) << p
        sums += SUMS[16 * p + n]
    return some, made, sums


@kernel(inline=True)
def changed_look(looked: Any, p: int, before: int, n: int) -> tuple[int, int, int]:
    """What `look` says after the number of checkers on one point has changed."""
    some, made, sums = looked
    bit = 1 << p
    return (
        some & ~bit | (n > 0) << p,
        made & ~bit | (n > 1) << p,
        sums + SUMS[16 * p + n] - SUMS[16 * p + before],
    )


@kernel(inline=True)
def mirror(mask: int) -> int:
    """A mask of points 1 to 24 as the other seat numbers them; the bar is left out."""
    # Reverse the 32 low bits by halves, then shift point p from bit 31 - p to bit 25 - p.
    mask = (mask >> 16 & 0xFFFF) | (mask & 0xFFFF) << 16
    mask = (mask >> 8 & 0x00FF00FF) | (mask & 0x00FF00FF) << 8
    mask = (mask >> 4 & 0x0F0F0F0F) | (mask & 0x0F0F0F0F) << 4
    mask = (mask >> 2 & 0x33333333) | (mask & 0x33333333) << 2
    mask = (mask >> 1 & 0x55555555) | (mask & 0x55555555) << 1
    return mask >> 6 & ALL_POINTS


# The rolls of two different dice and the doubles, in rows of the length of a processor's vectors; by 31 nothing moves.
_LARGE = np.array([a for a in range(2, 7) for b in range(1, a)] + [31], np.int32)
_SMALL = np.array([b for a in range(2, 7) for b in range(1, a)] + [31], np.int32)
_DOUBLE = np.array([1, 2, 3, 4, 5, 6, 31, 31], np.int32)


@kernel(inline=True)
def _hits(struck: Any) -> Any:
    """Of one roll: whether it hits, from bit 8 on whether it could hit either of two blots, from bit 16 on the pips that the best hit costs."""
    farthest = highest_bit(struck | 1)  # 0 without a hit
    return np.int32((struck != 0) + ((struck & (struck - 1) != 0) << 8) + (farthest << 16))


@kernel
def _free_shots(board: Any, free: Any, blots: Any) -> tuple[int, int, int]:
    """`shots` without checkers on the bar, which is the usual case; `free` are the points that are not closed."""
    total = np.int32(0)
    for i in range(16):
        a, b = _LARGE[i], _SMALL[i]
        move_a, move_b = np.int32(board >> a) & free, np.int32(board >> b) & free
        struck = np.int32((move_a | move_b | move_a >> b | move_b >> a) & blots)
        total += _hits(struck)
    total += total  # each of these rolls comes in two ways
    for i in range(8):
        a = _DOUBLE[i]
        once = np.int32(board >> a) & free
        again = np.int32(once >> a) & free
        third = np.int32(again >> a) & free
        struck = np.int32((once | again | third | third >> a) & blots)
        total += _hits(struck)
    return int(total & 0xFF), int(total >> 8 & 0xFF), int(total >> 16)


@kernel
def shots(board: int, on_bar: int, closed: int, blots: int) -> tuple[int, int, int]:
    """How the next roll may hit: of the 36 rolls, how many hit, how many could hit either of two blots or more, and the
    pips that the best hits cost together. Points are numbered by the hitter; `board` leaves the bar out. Whether other
    rules forbid the move is not looked at.
    """
    hit, twice, loss = 0, 0, 0
    if blots == 0:
        return hit, twice, loss
    if on_bar == 0:
        return _free_shots(np.int32(board), np.int32(~closed & ALL_POINTS), np.int32(blots))
    for a in range(1, 7):
        enter_a = (1 << (BAR - a)) & ~closed
        if enter_a:
            walk = board | enter_a
            reach = enter_a
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
            reach = enter_a | enter_b
            if on_bar == 1:
                if enter_a:
                    reach |= (board | enter_a) >> b
                if enter_b:
                    reach |= (board | enter_b) >> a
            struck = reach & blots
            if struck:
                hit += 2
                twice += 2 * ((struck & (struck - 1)) != 0)
                loss += 2 * highest_bit(struck)
    return hit, twice, loss


@kernel(inline=True)
def escapes(their_made: int, point: int) -> int:
    """How many of the 36 rolls let a checker on this point get away, past the points that they (by their numbers) made."""
    rolls: Any = np.int64(ESCAPES[their_made >> (26 - point) & 0xFFF])  # a longer number than those of the table
    return rolls


# --- what takes long to find, and a move changes in a few places ------------------------------------------------------


FAR = 16  # `holding` begins with their point of this number


@kernel
def holding(made: int) -> int:
    """How many rolls let a checker get away past these points: six bits each, the least for their points up to FAR, …, 25."""
    made &= ALL_POINTS
    least, held = 36, 0
    for i in range(10):
        least = min(least, escapes(made, FAR + i))
        held |= least << 6 * i
    return held


@kernel
def passing(state: Any, side: int, rear: int) -> int:
    """Pips until contact is over: those of all checkers behind the other side's rearmost one."""
    pips = 0
    for p in range(1, 26):
        pips += state[side + p] * max(p - rear, 0)
    return pips


@kernel(inline=True)
def rear_of(their_some: int) -> int:
    """Their rearmost checker, in my numbers."""
    return 25 - (highest_bit(their_some) if their_some else 0)


@kernel(inline=True)
def freedom(their_made: int, p: int) -> int:
    """What a checker on this point brings to `mobility`; `their_made` is without the bar."""
    return (p - 6) * escapes(their_made, p) if p > 12 else 0


@kernel
def mobility(state: Any, side: int, some: int, their_made: int) -> int:
    """How freely the checkers beyond point 12 can run home: the sum over them of escapes times the pips that it is there."""
    total, points, their_made = 0, some >> 13, their_made & ALL_POINTS
    while points:
        p = lowest_bit(points) + 13
        points &= points - 1
        total += state[side + p] * freedom(their_made, p)
    return total


@kernel(inline=True)
def facing(state: Any, side: int, mine: Any, theirs: Any) -> tuple[int, int, int]:
    """All three of a side; `mine` and `theirs` are what `look` says of both."""
    return holding(mine[1]), passing(state, side, rear_of(theirs[0])), mobility(state, side, mine[0], theirs[1])


# --- the measures -----------------------------------------------------------------------------------------------------


@kernel(fastmath=True)
def own_measures(looked: Any, held: int, off: int, out: Any, at: int) -> None:
    """The measures of a side that follow from its own checkers (`look`, `holding`), each roughly between 0 and 1, into their places of 24 from out[at] on."""
    some, made, sums = looked
    made &= ALL_POINTS
    checkers = np.float32(max(CHECKERS - off, 1))
    pips, squares = sums >> PIPS & 0x3FF, sums >> SQUARES & 0x3FFF
    out[at + 3] = pips / 167
    out[at + 5] = (sums >> TIMING & 0x1FF) / 100
    out[at + 7] = (squares / checkers - (pips / checkers) * (pips / checkers)) / 100  # how spread out
    out[at + 9] = (sums >> STRIPPED & 15) / 6
    out[at + 11] = (36 - (held >> 6 * (BAR - FAR))) / 36  # the hardest point for them to leave, wherever they are
    home = count_bits(made & 0b1111110) / 6
    out[at + 13] = home * home  # share of the rolls that keep a checker on the bar out
    longest, run = 0, made
    while run:  # each round cuts one point off every row of made points
        run &= run >> 1
        longest += 1
    out[at + 15] = longest / 6
    out[at + 16] = longest >= 5
    anchors = made >> 18 & 0b1111110  # in their home: my points 19 to 24 as bits 1 to 6
    out[at + 17] = anchors != 0
    out[at + 18] = lowest_bit(anchors) / 6 if anchors else 0.0
    out[at + 19] = anchors & (anchors - 1) != 0
    out[at + 20] = (sums >> BACK & 15) / 4
    out[at + 21] = count_bits(some & ~made & ALL_POINTS) / 5
    out[at + 22] = (sums >> BUILDERS & 15) / 6
    out[at + 23] = (sums >> DEAD & 15) / 6


@kernel(fastmath=True)
def mutual_measures(mine: Any, on_bar: int, theirs: Any, faced: Any, out: Any, at: int) -> None:
    """The measures of a side that follow from both sides' checkers; `mine` and `theirs` are what `look` says of them, `faced` is what `facing` does."""
    some, made, _ = mine
    their_some, their_made, _ = theirs
    held, pips, mobile = faced
    their_bar = their_some >> BAR & 1
    their_made &= ALL_POINTS
    made &= ALL_POINTS
    rear = highest_bit(some) if some else 0

    hit, twice, loss = shots(
        some & ALL_POINTS, on_bar, mirror(their_made), mirror(their_some & ~their_made & ALL_POINTS)
    )
    out[at] = hit / 36
    out[at + 1] = twice / 36
    out[at + 2] = loss / (36 * 24)
    out[at + 4] = pips / 167
    out[at + 6] = mobile / 3600
    out[at + 8] = escapes(their_made, rear) / 36 if rear > 12 else 1.0

    # How well their rear checkers are held in: the hardest point to leave, among those still to be passed.
    farthest = 25 - rear_of(their_some)
    least = held >> 6 * (farthest - FAR) & 63 if farthest >= FAR else 36
    share = (36 - least) / 36
    out[at + 10] = share
    out[at + 12] = share * share
    home = count_bits(made & 0b1111110) / 6
    out[at + 14] = home * home if their_bar else 0.0


@kernel(fastmath=True)
def race_measures(state: Any, side: int, out: Any, at: int) -> None:
    """The measures of one side in a race: pips, wastage, gaps, crossovers."""
    for i in range(at, at + EXTRA):
        out[i] = 0
    pips, cross, gaps, home = 0, 0, 0, 0
    for p in range(1, 25):
        n = state[side + p]
        pips += n * p
        cross += n * ((p - 1) // 6)
        if p <= 6:
            home += n
            gaps += n == 0
    left = CHECKERS - state[side + OFF]
    out[at] = pips / 100
    out[at + 1] = cross / 10
    out[at + 2] = gaps / 6
    out[at + 3] = left / 15
    out[at + 4] = (left + 1) // 2 / 8
    out[at + 5] = home / 15
    out[at + 6] = state[side + 1] / 6
    out[at + 7] = state[side + 2] / 6
    out[at + 8] = 1.0 if state[side + OFF] == 0 else 0.0
    # For the race itself a difference counts little when both are far from home: show pips in steps too.
    for i in range(8):
        step = pips - 12 * i
        out[at + 9 + i] = min(max(step / 12, 0.0), 1.0)
