"""Exact endings: what is left when both sides bear off, and no checker can be hit any more.

*One side alone*: for each way to have up to 15 checkers on the points 1 to 6, how probable it is that they are all off after n rolls, by whoever needs the fewest
rolls on average; and, where none is off yet, the same for the first checker, which saves the gammon. Two such distributions give the chances of both sides.
They are exact but for this: each side plays as if it were alone.

*Both sides*: for each pair of ways to have up to 6 checkers there, the exact equity of the side to roll, without a cube and with one. A gammon can't be won there
any more.

Tables are computed when they are first needed, in seconds, and kept in the folder for caches. A position of a side has a number (`rank`): that of its six counts among
all of as many checkers or fewer. Each step of a checker leads to a smaller number.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np

from ludus.games.backgammon.rules import BAR, CHECKERS, SIDE
from ludus.kernel import kernel, store
from ludus.kernel.target import JIT

HOME = 6  # points of a home board
ROLLS = 32  # more are never needed: a roll takes three pips at least
PAIR = 6  # checkers of each side in the table of both sides

# WAYS[n, k]: in how many ways k can be chosen of n.
WAYS = np.zeros((CHECKERS + HOME + 1, HOME + 1), np.int64)
WAYS[:, 0] = 1
for _n in range(1, len(WAYS)):
    WAYS[_n, 1:] = WAYS[_n - 1, 1:] + WAYS[_n - 1, :-1]

ALONE = int(WAYS[CHECKERS + HOME, HOME])  # positions of up to 15 checkers: 54,264
BOTH = int(WAYS[PAIR + HOME, HOME])  # of up to 6: 924
FIRST = int(WAYS[CHECKERS - 1 + HOME, HOME])  # from this number on no checker is off

CUBELESS, OWNED, CENTRED, THEIRS = (
    0,
    1,
    2,
    3,
)  # columns of the table of both sides: whose the cube is, for the side to roll
VERSION = 1  # raised when what is computed changes: older files are not read then


class Endings(NamedTuple):
    """The tables, as kernels take them."""

    off: np.ndarray  # [position, n]: the probability that all are off after exactly n rolls
    first: np.ndarray  # [position - FIRST, n]: that the first one is
    both: np.ndarray  # [position of who rolls, position of the other, whose cube]: equity of who rolls


# --- numbers of positions ---------------------------------------------------------------------------------------------


@kernel
def rank(counts: Any, first: int) -> int:
    """The number of a side's position, whose points 1 to 6 are counts[first], …

    Seen from the rear, the sums of checkers are a rising row; the number is that of the row in the combinatorial number system.
    """
    total, number = 0, 0
    for i in range(HOME):
        total += counts[first + HOME - 1 - i]
        number += WAYS[total + i, i + 1]
    return number


@kernel
def unrank(number: int, counts: Any) -> int:
    """Write the counts of a position's points 1 to 6; return how many checkers there are."""
    before = CHECKERS + HOME
    checkers = above = 0
    for i in range(HOME - 1, -1, -1):
        while WAYS[before, i + 1] > number:
            before -= 1
        number -= WAYS[before, i + 1]
        total = before - i
        if i == HOME - 1:
            checkers = total
        else:
            counts[HOME - 2 - i] = above - total
        above = total
        before -= 1
    counts[HOME - 1] = above
    return checkers


# --- moves ------------------------------------------------------------------------------------------------------------


@kernel
def _step(counts: Any, point: int, die: int) -> bool:
    """Move a checker from a point (0: the ace point) by a die, if that is legal."""
    if counts[point] == 0:
        return False
    if point + 1 < die:
        for rear in range(point + 1, HOME):
            if counts[rear]:
                return False
    counts[point] -= 1
    if point >= die:
        counts[point - die] += 1
    return True


@kernel
def _take_back(counts: Any, point: int, die: int) -> None:
    counts[point] += 1
    if point >= die:
        counts[point - die] -= 1


@kernel
def successors(counts: Any, die: int, other: int, out: Any) -> int:
    """Write the numbers of all positions that a roll can lead to, some of them twice; return how many."""
    count = 0
    if die != other:
        for turn in range(2):
            one, two = (die, other) if turn == 0 else (other, die)
            for a in range(HOME):
                if not _step(counts, a, one):
                    continue
                stuck = True
                for b in range(HOME):
                    if _step(counts, b, two):
                        stuck = False
                        out[count] = rank(counts, 0)
                        count += 1
                        _take_back(counts, b, two)
                if stuck:  # that was the last checker
                    out[count] = 0
                    count += 1
                _take_back(counts, a, one)
        return count
    # A double: steps from the rear forwards, as that order is legal whenever any order is.
    for a in range(HOME - 1, -1, -1):
        if not _step(counts, a, die):
            continue
        left2 = False
        for b in range(a, -1, -1):
            if not _step(counts, b, die):
                continue
            left2, left3 = True, False
            for c in range(b, -1, -1):
                if not _step(counts, c, die):
                    continue
                left3, left4 = True, False
                for d in range(c, -1, -1):
                    if _step(counts, d, die):
                        left4 = True
                        out[count] = rank(counts, 0)
                        count += 1
                        _take_back(counts, d, die)
                if not left4 and rank(counts, 0) == 0:
                    out[count] = 0
                    count += 1
                _take_back(counts, c, die)
            if not left3 and rank(counts, 0) == 0:
                out[count] = 0
                count += 1
            _take_back(counts, b, die)
        if not left2 and rank(counts, 0) == 0:
            out[count] = 0
            count += 1
        _take_back(counts, a, die)
    return count


# --- tables -----------------------------------------------------------------------------------------------------------


@kernel
def _fill_alone(off: Any, first: Any) -> None:
    counts, after = np.zeros(HOME, np.int64), np.zeros(2000, np.int64)
    mean, first_mean = np.zeros(ALONE), np.zeros(ALONE)
    off[0, 0] = 1
    for number in range(1, ALONE):
        checkers = unrank(number, counts)
        for die in range(1, HOME + 1):
            for other in range(1, die + 1):
                chance = 1 / 36 if die == other else 1 / 18
                count = successors(counts, die, other, after)
                best, best_first = after[0], after[0]
                for i in range(1, count):
                    if mean[after[i]] < mean[best]:
                        best = after[i]
                    if first_mean[after[i]] < first_mean[best_first]:
                        best_first = after[i]
                for n in range(ROLLS - 1):
                    off[number, n + 1] += chance * off[best, n]
                if checkers == CHECKERS:
                    if best_first < FIRST:
                        first[number - FIRST, 1] += chance
                    else:
                        for n in range(ROLLS - 1):
                            first[number - FIRST, n + 1] += chance * first[best_first - FIRST, n]
        for n in range(ROLLS):
            mean[number] += n * off[number, n]
            if checkers == CHECKERS:
                first_mean[number] += n * first[number - FIRST, n]


@kernel
def _fill_both(both: Any) -> None:
    # What a roll can lead to does not depend on the other side: it is found once for each position of one's own.
    counts, after = np.zeros(HOME, np.int64), np.zeros(2000, np.int64)
    reached = np.zeros((BOTH, 21, 200), np.int64)
    many = np.zeros((BOTH, 21), np.int64)
    for own in range(1, BOTH):
        unrank(own, counts)
        roll = 0
        for die in range(1, HOME + 1):
            for other in range(1, die + 1):
                count = successors(counts, die, other, after)
                for i in range(count):
                    new = True
                    for j in range(many[own, roll]):
                        new = new and reached[own, roll, j] != after[i]
                    if new:
                        reached[own, roll, many[own, roll]] = after[i]
                        many[own, roll] += 1
                roll += 1
    total, best = np.zeros(4), np.zeros(4)
    for rounds in range(2 * BOTH):  # positions with smaller numbers together first: a move leads to one of them
        for own in range(max(rounds - BOTH + 1, 0), min(rounds + 1, BOTH)):
            their = rounds - own
            if own == 0 or their == 0:
                # Who has none left has won: that is seen when the other is to roll. With none on either side there is no game.
                for cube in range(4):
                    both[own, their, cube] = 0 if own == their else (1 if own == 0 else -1)
                continue
            total[:] = 0
            roll = 0
            for die in range(1, HOME + 1):
                for other in range(1, die + 1):
                    chance = 1 / 36 if die == other else 1 / 18
                    best[:] = -9
                    for i in range(many[own, roll]):
                        after_own = reached[own, roll, i]
                        # The other rolls next; a cube that is mine is not theirs.
                        best[CUBELESS] = max(best[CUBELESS], -both[their, after_own, CUBELESS])
                        best[OWNED] = max(best[OWNED], -both[their, after_own, THEIRS])
                        best[CENTRED] = max(best[CENTRED], -both[their, after_own, CENTRED])
                        best[THEIRS] = max(best[THEIRS], -both[their, after_own, OWNED])
                    for cube in range(4):
                        total[cube] += chance * best[cube]
                    roll += 1
            # Before the roll one may double: then the cube is theirs, and all counts twice, or they pass.
            doubled = min(2 * total[THEIRS], 1.0)
            both[own, their, CUBELESS] = total[CUBELESS]
            both[own, their, OWNED] = max(total[OWNED], doubled)
            both[own, their, CENTRED] = max(total[CENTRED], doubled)
            both[own, their, THEIRS] = total[THEIRS]


def _alone() -> tuple[np.ndarray, np.ndarray]:
    off, first = np.zeros((ALONE, ROLLS)), np.zeros((ALONE - FIRST, ROLLS))
    _fill_alone(off, first)
    return off, first


def _both() -> np.ndarray:
    both = np.zeros((BOTH, BOTH, 4))
    _fill_both(both)
    return both


def _leave_to_compiled_code() -> None:
    """Have another process make the tables and keep them: in plain Python that would take an hour."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", f"from {__name__} import endings; endings()"], env=environment, check=False)


_made: list[Endings] = []


def endings() -> Endings:
    """The tables; computed at first use, and kept on disk.

    >>> tables = endings()
    >>> counts = np.array([0, 0, 0, 0, 0, 1])       # one checker, on the 6 point
    >>> round(36 * tables.off[rank(counts, 0), 1])  # rolls that take it off at once: all of six pips or more, and 2-2
    27
    """
    if not _made:
        name = f"endings-{VERSION}-of-backgammon"
        kept = store.load(name)
        if kept is None and not JIT:
            _leave_to_compiled_code()
            kept = store.load(name)
        if kept is None:
            kept = tuple(table.astype(np.float32) for table in (*_alone(), _both()))
            store.save(name, kept)
        _made.append(Endings(*kept))
    return _made[0]


# --- what they say of a position --------------------------------------------------------------------------------------


@kernel
def is_ending(state: Any) -> bool:
    """Whether both sides have all checkers at home or off, so that the tables know the position."""
    outside = 0
    for p in range(HOME + 1, BAR + 1):
        outside += state[p] + state[SIDE + p]
    return outside == 0


@kernel
def ending(tables: Any, state: Any, roller: int, out: Any) -> None:
    """The chances of who rolls next: to win, and to win a gammon and to lose one, into out[0], out[1], out[2]."""
    own, other = SIDE * roller, SIDE * (1 - roller)
    mine, theirs = rank(state, own + 1), rank(state, other + 1)
    out[0] = out[1] = out[2] = 0
    if mine < BOTH and theirs < BOTH:
        out[0] = (tables.both[mine, theirs, CUBELESS] + 1) / 2
        return
    # I win with my nth roll if they are not done with their (n-1)th, and it is a gammon if they have none off by then.
    left, none = 1.0, 1.0  # the probability that they are not done after n - 1 rolls, that none is off
    for n in range(1, ROLLS):
        out[0] += tables.off[mine, n] * left
        if theirs >= FIRST:
            out[1] += tables.off[mine, n] * none
            none = max(none - tables.first[theirs - FIRST, n], 0.0)  # single floats that sum to hardly more than 1
        left = max(left - tables.off[theirs, n], 0.0)
    if mine >= FIRST:
        none = 1.0  # that I have none off after n rolls, when they roll for the nth time
        for n in range(1, ROLLS):
            none = max(none - tables.first[mine - FIRST, n], 0.0)
            out[2] += tables.off[theirs, n] * none
