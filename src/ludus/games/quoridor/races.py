"""Races: positions of two seats without walls in stock. Only pawns move, so that all of a race can be known: who wins, and in how many plies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import ending
from ludus.games.quoridor.bitboard import OFFSET, PAWN, PLY, STEP, TURN, WIDTH
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
            outside = max(first // WIDTH, first % WIDTH, second // WIDTH, second % WIDTH) >= game.size
            if first != second and not lost and not outside:
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
