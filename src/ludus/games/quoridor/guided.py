"""Quick, sensible play for Monte Carlo tree search: games in which pawns follow shortest paths and walls cut the enemy's, and the moves
that a search should look at in a position, with how promising each seems. What a position is worth is not said here.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from ludus.contract.rules import OVER, guided_playouts, moves, play, random_move, scores, sensible_moves
from ludus.games.quoridor.bitboard import (
    BIT,
    HORIZONTAL,
    NOT_LEFT,
    NOT_RIGHT,
    NOT_TOP,
    OFFSET,
    PASS,
    PAWN,
    PLY,
    STEP,
    TURN,
    VERTICAL,
    WIDTH,
    distance,
    shut,
    signed,
)
from ludus.games.quoridor.context import (
    CUT_H,
    CUT_V,
    LENGTH,
    PATH_SIZE,
    SQUARES,
    TRAIL,
    find_path,
    is_cut,
    keep_paths,
)
from ludus.games.quoridor.rules import QuoridorRules, free_anchors, is_home, is_taken, nth_bit, steps, touching
from ludus.kernel import below, count_bits, implements, kernel, lowest_bit, uniform

# How often a seat builds a wall although it could step: when it is ahead, and when it is behind.
WALL_AHEAD, WALL_BEHIND = 0.3, 0.7
TRIES = 8  # walls that are looked at, and the best of them is built
UNDECIDED, DRAWN = -1, -2

GAIN = 0.8  # a step more between the seats makes a move so much more promising, on a logarithmic scale
QUIET = 0.15  # what a wall that changes no distance counts, beside a step that changes none

# The anchors around a square: the walls at the corners of a pawn.
CORNERS = signed(
    [
        sum(1 << (8 * r + c) for r in (row - 1, row) for c in (column - 1, column) if 0 <= r < 8 and 0 <= c < 8)
        for row in range(WIDTH)
        for column in range(WIDTH)
    ]
)


@kernel
def rival_of(game: Any, paths: Any, seat: int) -> int:
    """The other seat with the shortest way to go, the next to move among equals."""
    best = -1
    for k in range(1, game.seats):
        other = (seat + k) % game.seats
        if best < 0 or paths[other, LENGTH] < paths[best, LENGTH]:
            best = other
    return best


@kernel
def race(game: Any, state: Any, paths: Any) -> int:
    """Who wins by running if the others have no walls left to stop it: a seat, DRAWN if the game's limit comes first, else
    UNDECIDED. That pawns may jump over each other is left out of account.
    """
    mover = state[TURN]
    first, place = mover, 0
    for k in range(1, game.seats):
        seat = (mover + k) % game.seats
        if paths[seat, LENGTH] < paths[first, LENGTH]:
            first, place = seat, k
    for seat in range(game.seats):
        if seat != first and state[PAWN + game.seats + seat] > 0:
            return UNDECIDED
    plies = place + game.seats * (paths[first, LENGTH] - 1) + 1
    return first if state[PLY] + plies <= game.limit else DRAWN


# --- playing on ------------------------------------------------------------------------------------------------------


@kernel
def _jump(game: Any, state: Any, seat: int, rng: Any) -> int:
    """The step that leaves the shortest way, where a pawn is in the way; one of them where there are several."""
    mask, here = steps(game, state, seat), state[PAWN + seat]
    best, shortest, ties = PASS, SQUARES, 1
    while mask != 0:
        step = lowest_bit(mask)
        mask &= mask - 1
        state[PAWN + seat] = here + OFFSET[step]
        length = distance(game, state, seat)
        if length < shortest:
            best, shortest, ties = STEP + step, length, 1
        elif length == shortest:
            ties += 1
            if below(rng, ties) == 0:
                best = STEP + step
    state[PAWN + seat] = here
    return best


@kernel(inline=True)
def _step(game: Any, state: Any, seat: int, paths: Any, rng: Any) -> int:
    """The next step of the kept path, or a jump."""
    there = paths[seat, TRAIL + paths[seat, LENGTH] - 1]
    if is_taken(game, state, there):
        return _jump(game, state, seat, rng)
    way = there - state[PAWN + seat]
    return STEP + (0 if way == WIDTH else 1 if way == 1 else 2 if way == -WIDTH else 3)


@kernel
def _wall(game: Any, state: Any, seat: int, paths: Any, rng: Any) -> int:
    """The wall that makes the rival's way longest and leaves one's own path alone, of some that are drawn, or -1 if none does."""
    rival = rival_of(game, paths, seat)
    horizontal, vertical = free_anchors(game, state)
    horizontal &= paths[rival, CUT_H] & ~paths[seat, CUT_H]
    vertical &= paths[rival, CUT_V] & ~paths[seat, CUT_V]
    best, longest = -1, paths[rival, LENGTH]
    for _ in range(TRIES):
        lying = count_bits(horizontal)
        number = lying + count_bits(vertical)
        if number == 0:
            break
        n = below(rng, number)
        if n < lying:
            wall = nth_bit(horizontal, n)
            horizontal ^= BIT[wall]
        else:
            wall = nth_bit(vertical, n - lying)
            vertical ^= BIT[wall]
            wall += 64
        shut(state, wall)
        length = distance(game, state, rival)
        if length > longest:
            good = True
            for other in range(game.seats):
                if other != rival and is_cut(paths, other, wall) and distance(game, state, other) < 0:
                    good = False
            if good:
                best, longest = wall, length
        shut(state, wall)
    return best


@kernel
def guided_move(game: Any, state: Any, turned: int, paths: Any, buffer: Any, rng: Any) -> int:
    """Choose a move of the seat to move, play it, keep the paths up to date, and return it."""
    seat = state[TURN]
    move: Any = np.int64(-1)
    if state[PAWN + game.seats + seat] > 0:
        behind = paths[rival_of(game, paths, seat), LENGTH] < paths[seat, LENGTH]
        if uniform(rng) < (WALL_BEHIND if behind else WALL_AHEAD):
            move = _wall(game, state, seat, paths, rng)
    if move < 0:
        move = _step(game, state, seat, paths, rng)
    if move == PASS:  # the pawn is shut in by others: a wall, unless there is none
        move = random_move(game, state, seat, rng, buffer)
    play(game, state, move)
    keep_paths(game, state, seat, move, turned, paths, buffer)
    return move


@implements(guided_playouts, QuoridorRules)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    size, seats = len(state), game.seats
    now, buffer = np.empty(size, np.int64), np.empty(2 * SQUARES, np.int64)
    kept, paths = np.empty((seats, PATH_SIZE), np.int64), np.empty((seats, PATH_SIZE), np.int64)
    result = np.zeros(seats)
    for seat in range(seats):
        find_path(game, state, seat, 1, kept, buffer)
    for _ in range(count):
        for i in range(size):
            now[i] = state[i]
        for seat in range(seats):
            for i in range(TRAIL + kept[seat, LENGTH] + 1):
                paths[seat, i] = kept[seat, i]
        winner = UNDECIDED
        while now[TURN] != OVER:
            winner = race(game, now, paths)
            if winner != UNDECIDED:
                break
            guided_move(game, now, 1 + 2 * below(rng, 2), paths, buffer, rng)
        if winner == UNDECIDED:
            scores(game, now, result)
            for seat in range(seats):
                total[seat] += result[seat]
        elif winner != DRAWN:
            for seat in range(seats):
                total[seat] += 1.0 if seat == winner else -1.0 / (seats - 1)


# --- what to look at -------------------------------------------------------------------------------------------------


@kernel
def _lead(game: Any, lengths: Any, seat: int) -> int:
    """How much shorter a seat's way is than that of the best of the others."""
    shortest = SQUARES
    for other in range(game.seats):
        if other != seat:
            shortest = min(shortest, lengths[other])
    return shortest - lengths[seat]


@kernel
def interesting_walls(game: Any, state: Any, paths: Any) -> tuple[int, int]:
    """The anchors of walls that may matter: those that cut a kept path, stand at a pawn's corner, go on where a wall ends, or touch
    two others. Whether they fit is not asked here.
    """
    h, v = state[HORIZONTAL], state[VERTICAL]
    horizontal, vertical = touching(game, state)
    horizontal |= (h << 2 & NOT_LEFT[2]) | (h >> 2 & NOT_RIGHT[2])
    vertical |= v << 16 | (v >> 16 & NOT_TOP[2])
    for seat in range(game.seats):
        horizontal |= paths[seat, CUT_H] | CORNERS[state[PAWN + seat]]
        vertical |= paths[seat, CUT_V] | CORNERS[state[PAWN + seat]]
    return horizontal, vertical


@implements(sensible_moves, QuoridorRules)
def _(game: Any, state: Any, seat: int, out: Any, odds: Any) -> int:
    buffer, paths = np.empty(2 * SQUARES, np.int64), np.empty((game.seats, PATH_SIZE), np.int64)
    lengths = np.empty(game.seats, np.int64)
    for other in range(game.seats):
        find_path(game, state, other, 1, paths, buffer)
        lengths[other] = paths[other, LENGTH]
    lead, count, whole = _lead(game, lengths, seat), 0, 0.0
    mask, here = steps(game, state, seat), state[PAWN + seat]
    while mask != 0:
        step = lowest_bit(mask)
        mask &= mask - 1
        state[PAWN + seat] = here + OFFSET[step]
        won = is_home(game, state, seat)
        lengths[seat] = distance(game, state, seat)
        state[PAWN + seat] = here
        if won:  # nothing else matters
            out[0], odds[0] = STEP + step, 1.0
            return 1
        out[count] = STEP + step
        odds[count] = exp(GAIN * (_lead(game, lengths, seat) - lead))
        whole += odds[count]
        count += 1
    lengths[seat] = paths[seat, LENGTH]
    if state[PAWN + game.seats + seat] > 0:
        free_h, free_v = free_anchors(game, state)
        horizontal, vertical = interesting_walls(game, state, paths)
        horizontal &= free_h
        vertical &= free_v
        while horizontal != 0 or vertical != 0:
            if horizontal != 0:
                wall = lowest_bit(horizontal)
                horizontal ^= BIT[wall]
            else:
                wall = 64 + lowest_bit(vertical)
                vertical ^= BIT[wall - 64]
            good, touched = True, False
            shut(state, wall)
            for other in range(game.seats):
                lengths[other] = paths[other, LENGTH]
                if is_cut(paths, other, wall):
                    lengths[other] = distance(game, state, other)
                    good &= lengths[other] >= 0
                    touched |= lengths[other] != paths[other, LENGTH]
            shut(state, wall)
            if good:
                out[count] = wall
                odds[count] = exp(GAIN * (_lead(game, lengths, seat) - lead)) if touched else QUIET
                whole += odds[count]
                count += 1
    if count == 0:  # a pawn shut in by others: whatever is left
        count = moves(game, state, seat, out)
        whole = float(count)
        for i in range(count):
            odds[i] = 1.0
    for i in range(count):
        odds[i] /= whole
    return count
