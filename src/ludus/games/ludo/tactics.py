"""What the pieces threaten, what a move would do, and which move does it: the words in which strategies, features and
learners speak of Ludo.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.games.ludo.rules import CLASSIC, DIE, GLOBES, NEXT_STAR, SAFE, TRACK_END, landing, lane_of, seen_from
from ludus.kernel import below, count_bits, kernel

RELEASE = 6  # the roll that brings a piece out of the yard

LAST_STAR_BEFORE = np.zeros(60, np.int64)  # the star from which pieces jump to this one; 0: no star, or the first one
LAST_STAR_BEFORE[NEXT_STAR[NEXT_STAR > 0]] = np.flatnonzero(NEXT_STAR)


@kernel(inline=True)
def stacked(state: Any, own: int, piece: int) -> bool:
    """Whether another piece of the same colour stands on the same square."""
    r = state[own + piece]
    count = 0
    for i in range(4):
        count += state[own + i] == r
    return count > 1


@kernel
def vulnerable(game: Any, state: Any, mine: int, piece: int) -> bool:
    """Classic: whether a piece stands alone on an unsafe square with an enemy one to six squares behind that can get there."""
    own = 4 * mine
    r = state[own + piece]
    if r < 1 or r > TRACK_END or (game.safe_squares and SAFE >> r & 1) or stacked(state, own, piece):
        return False
    for step in range(1, 4):
        other = 4 * ((mine + step) & 3)
        for i in range(4):
            e = state[other + i]
            if 1 <= e <= TRACK_END:
                distance = r - seen_from(mine, (mine + step) & 3, e)
                if distance < 0:
                    distance += 52
                if 1 <= distance <= 6 and e + distance <= TRACK_END:
                    return True
    return False


@kernel
def captures(game: Any, state: Any, mine: int, piece: int) -> bool:
    """Classic: whether moving a piece by the die sends an enemy to its yard. The move must be legal."""
    target = landing(state[4 * mine + piece], state[DIE])
    if target > TRACK_END or (game.safe_squares and SAFE >> target & 1):
        return False
    for step in range(1, 4):
        other = 4 * ((mine + step) & 3)
        for i in range(4):
            e = state[other + i]
            if 1 <= e <= TRACK_END and seen_from(mine, (mine + step) & 3, e) == target:
                return True
    return False


# The four ways to choose of Alhajry et al. (2012), each among the `count` legal moves in `legal`.


@kernel
def releasing(state: Any, own: int, legal: Any, count: int) -> int:
    """A legal move that brings a piece out of the yard, or -1."""
    if state[DIE] == RELEASE:
        for n in range(count):
            if state[own + legal[n]] == 0:
                return legal[n]
    return -1


@kernel
def defending(game: Any, state: Any, own: int, legal: Any, count: int) -> int:
    """The most advanced of the movable pieces that an enemy could capture by its next roll, or -1."""
    best, farthest = -1, 0
    for n in range(count):
        r = state[own + legal[n]]
        if r > farthest and vulnerable(game, state, own // 4, legal[n]):
            best, farthest = legal[n], r
    return best


@kernel
def attacking(game: Any, state: Any, own: int, legal: Any, count: int, rng: Any) -> int:
    """A capturing move, each as likely as the others, or -1."""
    best, found = -1, 0
    for n in range(count):
        if captures(game, state, own // 4, legal[n]):
            found += 1
            if below(rng, found) == 0:
                best = legal[n]
    return best


@kernel
def leading(state: Any, own: int, legal: Any, count: int) -> int:
    """The most advanced movable piece."""
    best = legal[0]
    for n in range(1, count):
        if state[own + legal[n]] > state[own + best]:
            best = legal[n]
    return best


# Threats are counted with bits: bit r of a colour's `walkers` says that it has a piece on position r of the track. Whoever
# stands d squares before a square threatens it by a roll of d, or of a six and then d - 6.

WINDOW = 12


@kernel(inline=True)
def walkers(game: Any, state: Any, own: int) -> int:
    """The positions of a colour's pieces on the track, as bits; bit 0 says that pieces wait in the yard."""
    last = TRACK_END if game.rules == CLASSIC else lane_of(game) - 1
    mask = 0
    for i in range(4):
        r = state[own + i]
        mask |= (r <= last) << min(r, last)
    return mask


@kernel(inline=True)
def hit_chance(game: Any, walkers: int, square: int) -> float:
    """How likely the next roll of a colour with these walkers captures on a square of its path, or about so."""
    if square > TRACK_END:
        return 0.0
    path = (walkers & ~1) << WINDOW
    window = path >> square & 0xFFF  # bit 12 - d: somebody stands d squares before
    if game.rules == CLASSIC:
        if walkers & 1 and 2 <= square <= 7 and game.safe_squares:  # out by a six, and on
            window |= 1 << (7 - square)
    else:
        before = LAST_STAR_BEFORE[square]
        if before:
            window |= path >> before & 0xFC0
    chance = count_bits(window >> 6) / 6 + count_bits(window & 63) / 36
    if walkers & 1 and square == 1:
        chance += 1 / 6
    return min(chance, 1.0)


@kernel(inline=True)
def exposed(game: Any, r: int) -> bool:
    """Whether a piece that stands alone on position r could be captured there."""
    if game.rules == CLASSIC:
        return 1 <= r <= TRACK_END and not (game.safe_squares and SAFE >> r & 1)
    return 1 < r <= lane_of(game) and not GLOBES >> r & 1
