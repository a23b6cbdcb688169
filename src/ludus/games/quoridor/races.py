"""What is known for sure of a game for two. Races are positions without walls in stock: only pawns move, so that all of a race can be known, who wins and in how many
plies. And if one seat alone has no walls left, it can't stop a pawn that it can't reach.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import ending, foregone
from ludus.games.quoridor.bitboard import (
    BIT,
    LOW_SQUARES,
    OFFSET,
    PAWN,
    PLY,
    STEP,
    TURN,
    WIDTH,
    flood_to_pawn,
    goal_squares,
    spread,
)
from ludus.games.quoridor.rules import QuoridorRules, is_home, steps
from ludus.kernel import implements, kernel, lowest_bit

SQUARES = WIDTH * WIDTH
UNKNOWN = 0


@kernel
def solve_race(game: Any, state: Any, table: Any) -> int:
    """In how many plies the seat to move wins (negative: loses) a race from a state; 0 if nobody can force it.

    `table` is for (seat to move, square of seat 0, square of seat 1) and holds the same for all of them that are decided as soon as this one. The plies
    of a game's limit are not looked at.
    """
    table[...] = UNKNOWN
    pawns = state.copy()
    wanted = state[TURN], state[PAWN], state[PAWN + 1]
    ways = np.zeros((SQUARES, SQUARES, 2), np.int64)
    for first in range(SQUARES):
        for second in range(SQUARES):
            pawns[PAWN], pawns[PAWN + 1] = first, second
            lost = is_home(game, pawns, 0) or is_home(game, pawns, 1)
            below = max(first // WIDTH, second // WIDTH) < game.size
            inside = below and max(first % WIDTH, second % WIDTH) < game.columns
            if first != second and not lost and inside:
                for seat in range(2):
                    ways[first, second, seat] = steps(game, pawns, seat)
    plies, idle = 1, 0
    while idle < 2 and table[wanted] == UNKNOWN:
        found = False
        for first in range(SQUARES):
            for second in range(SQUARES):
                for seat in range(2):
                    left = ways[first, second, seat]
                    if left == 0 or table[seat, first, second] != UNKNOWN:
                        continue
                    wins, loses = False, True
                    while left != 0:
                        there = (first if seat == 0 else second) + OFFSET[lowest_bit(left)]
                        left &= left - 1
                        home = there >= WIDTH * (game.size - 1) if seat == 0 else there < WIDTH
                        if home:
                            wins, loses = True, False
                            break
                        after = table[1, there, second] if seat == 0 else table[0, first, there]
                        if after < 0 and after > -plies:
                            wins, loses = True, False
                            break
                        if after <= 0 or after >= plies:
                            loses = False
                    if wins and plies & 1:
                        table[seat, first, second] = plies
                        found = True
                    elif loses and not plies & 1:
                        table[seat, first, second] = -plies
                        found = True
        idle = 0 if found else idle + 1
        plies += 1
    return table[wanted]


@implements(ending, QuoridorRules)
def _(game: Any, state: Any) -> tuple[int, int]:
    if game.seats != 2 or state[TURN] < 0 or state[PAWN + 2] + state[PAWN + 3] > 0:
        return -1, 0
    table = np.zeros((2, SQUARES, SQUARES), np.int64)
    seat = state[TURN]
    plies = solve_race(game, state, table)
    if plies == 0 or state[PLY] + abs(plies) > game.limit:
        return -1, 0
    left, best, longest = steps(game, state, seat), -1, 0
    while left != 0:
        step = lowest_bit(left)
        left &= left - 1
        there = state[PAWN + seat] + OFFSET[step]
        home = there >= WIDTH * (game.size - 1) if seat == 0 else there < WIDTH
        after = 0 if home else table[1, there, state[PAWN + 1]] if seat == 0 else table[0, state[PAWN], there]
        if plies > 0 and (home or (after < 0 and 1 - after == plies)):
            return STEP + step, plies
        if plies < 0 and after > longest:  # as long as it can be
            best, longest = STEP + step, after
    return best, plies


# --- who can't be caught ---------------------------------------------------------------------------------------------


@kernel
def unstoppable_run(game: Any, state: Any, runner: int) -> int:
    """In how many plies a seat wins by a shortest way that the other pawn can't reach in time, if the other seat builds no walls; 0 if it may be met, or is not faster.

    Where the other pawn can be after so many moves is flooded from where it stands, and the runner goes by the squares of its shortest ways that are outside. As long as
    the pawns are not side by side nobody jumps, and so neither way becomes shorter or longer.
    """
    chaser = 1 - runner
    within = np.empty(2 * SQUARES + 2, np.int64)  # from the goal
    length = flood_to_pawn(game, state, runner, within)
    square, other = state[PAWN + runner], state[PAWN + chaser]
    goal_low, goal_high = goal_squares(game, chaser)
    low = BIT[square] if square < LOW_SQUARES else 0  # where the runner may be
    high = 0 if square < LOW_SQUARES else BIT[square - LOW_SQUARES]
    reach_low = BIT[other] if other < LOW_SQUARES else 0  # where the chaser may be
    reach_high = 0 if other < LOW_SQUARES else BIT[other - LOW_SQUARES]
    first = state[TURN] == runner
    for step in range(length):
        if not first or step > 0:  # the chaser moves
            reach_low, reach_high = spread(state, reach_low, reach_high)
            low &= ~reach_low
            high &= ~reach_high
            if (low == 0 and high == 0) or reach_low & goal_low != 0 or reach_high & goal_high != 0:
                return 0
        low, high = spread(state, low, high)
        left = length - 1 - step
        low &= within[2 * left] & ~reach_low
        high &= within[2 * left + 1] & ~reach_high
        if low == 0 and high == 0:
            return 0
    return 2 * length - 1 if first else 2 * length


@implements(foregone, QuoridorRules)
def _(game: Any, state: Any) -> int:
    seat = state[TURN]
    if game.seats != 2 or seat < 0:
        return 0
    plies = 0
    if state[PAWN + 3 - seat] == 0:
        plies = unstoppable_run(game, state, seat)
    if plies == 0 and state[PAWN + 2 + seat] == 0:
        plies = -unstoppable_run(game, state, 1 - seat)
    return plies if state[PLY] + abs(plies) <= game.limit else 0
