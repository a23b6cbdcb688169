"""Short bear-offs for money with the cube, solved exactly: both sides play and handle the cube perfectly. Plain Python, and nothing of ludus."""

from __future__ import annotations

from functools import cache

Side = tuple[int, ...]  # the points of the checkers that are left
ROLLS = [((a, b), 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1)]


@cache
def after(side: Side, dice: tuple[int, ...]) -> frozenset[Side]:
    """Where a side of a few checkers in its home may be after some dice, played in this order."""
    if not dice or not side:
        return frozenset({side})
    found: set[Side] = set()
    for i, point in enumerate(side):
        if point >= dice[0]:
            rest = side[:i] + side[i + 1 :] + ((point - dice[0],) if point > dice[0] else ())
        elif point == max(side):
            rest = side[:i] + side[i + 1 :]
        else:
            continue
        found |= after(tuple(sorted(rest)), dice[1:])
    return frozenset(found)


def replies(side: Side, roll: tuple[int, int]) -> frozenset[Side]:
    if roll[0] == roll[1]:
        return after(side, roll * 2)
    return after(side, roll) | after(side, roll[::-1])


@cache
def wins_of(own: Side, other: Side) -> float:
    """The chance of the side about to roll, both playing for it."""
    if not other:
        return 0.0
    return sum(n * max(1.0 if not s else 1 - wins_of(other, s) for s in replies(own, roll)) for roll, n in ROLLS) / 36


@cache
def exact(own: Side, other: Side, owner: int) -> float:
    """The equity of the side about to roll for each point of the cube, if it may double and both play and handle the cube perfectly."""
    if not other:
        return -1.0
    hold = held(own, other, owner)
    if owner < 0:
        return hold
    return max(hold, min(2 * held(own, other, -1), 1.0))


@cache
def held(own: Side, other: Side, owner: int) -> float:
    if not other:
        return -1.0
    total = 0.0
    for roll, n in ROLLS:
        total += n * max(1.0 if not s else -exact(other, s, -owner) for s in replies(own, roll))
    return total / 36
