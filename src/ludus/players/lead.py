"""The player `lead` of Quoridor: the move that leaves it ahead by most steps, now or after the opponent's best reply.

It looks at lengths of ways and at walls in stock, and at nothing else: a yardstick, and a teacher for `qlnn`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import moves, play
from ludus.errors import LudusError
from ludus.games.quoridor.bitboard import (
    ACTIONS,
    BIT,
    OFFSET,
    PAWN,
    STEP,
    distance,
    path_blockers,
    shut,
)
from ludus.games.quoridor.rules import free_anchors, steps
from ludus.kernel import below, implements, kernel, lowest_bit

WON = 1000.0


class Lead(NamedTuple):
    """`wall`: what a wall in stock is worth, in steps; `scale`: the lead, in steps, that is taken for a chance of 73 % (the logistic curve)."""

    plies: int = 2
    wall: float = 1.2
    scale: float = 2.0


@kernel
def lead_now(game: Any, state: Any, seat: int, wall: float) -> float:
    """How many steps a seat is ahead, walls in stock counted."""
    own, theirs = distance(game, state, seat), distance(game, state, 1 - seat)
    if own == 0:
        return WON
    if theirs == 0:
        return -WON
    return theirs - own + wall * (state[PAWN + 2 + seat] - state[PAWN + 3 - seat])


@kernel
def lead_after_reply(game: Any, state: Any, seat: int, wall: float, buffer: Any) -> float:
    """The same after the opponent's best step, or best wall across the seat's shortest way."""
    if distance(game, state, seat) == 0:
        return WON
    other = 1 - seat
    square, ways = state[PAWN + other], steps(game, state, other)
    worst = WON if ways != 0 else lead_now(game, state, seat, wall)
    while ways != 0:
        step = lowest_bit(ways)
        ways &= ways - 1
        state[PAWN + other] = square + OFFSET[step]
        worst = min(worst, lead_now(game, state, seat, wall))
    state[PAWN + other] = square
    if worst == -WON or state[PAWN + 2 + other] == 0:
        return worst
    horizontal, vertical = path_blockers(game, state, seat, buffer)
    free_h, free_v = free_anchors(game, state)
    for kind in range(2):
        left = horizontal & free_h if kind == 0 else vertical & free_v
        while left != 0:
            anchor = lowest_bit(left)
            left ^= BIT[anchor]
            shut(state, anchor + 64 * kind)
            if distance(game, state, seat) > 0 and distance(game, state, other) > 0:
                worst = min(worst, lead_now(game, state, seat, wall) + wall)
            shut(state, anchor + 64 * kind)
    return worst


@implements(evaluate_moves, Lead)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    count = moves(game, state, seat, legal)
    buffer, child = np.empty(3 * 81, np.int64), np.empty_like(state)
    # Walls across neither pawn's way leave both as they are: one of them is judged for all.
    own_h, own_v = path_blockers(game, state, seat, buffer)
    their_h, their_v = path_blockers(game, state, 1 - seat, buffer)
    idle, known = 0.0, False
    for n in range(count):
        move = legal[n]
        across = True
        if move < STEP:
            word = own_h | their_h if move < 64 else own_v | their_v
            across = word & BIT[move & 63] != 0
        if not across and known:
            values[n] = idle
            continue
        for i in range(len(state)):
            child[i] = state[i]
        play(game, child, move)
        if player.plies == 1:
            ahead = lead_now(game, child, seat, player.wall)
        else:
            ahead = lead_after_reply(game, child, seat, player.wall, buffer)
        values[n] = np.tanh(0.5 * ahead / player.scale)
        if not across:
            idle, known = values[n], True
    return count


@implements(choose, Lead)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    legal, values = np.empty(ACTIONS, np.int64), np.empty(ACTIONS)
    count = evaluate_moves(player, game, state, seat, rng, legal, values)
    best, ties = 0, 0
    for n in range(count):
        if values[n] > values[best] + 1e-9:
            best, ties = n, 1
        elif values[n] >= values[best] - 1e-9:
            ties += 1
            if below(rng, ties) == 0:
                best = n
    return legal[best]


def make_lead(game: Any, path: str | None, plies: int = 2, wall: float = 1.2) -> Lead:
    """The player by lead."""
    if game.seats != 2:
        raise LudusError(f"player 'lead' knows the game for two seats, not for {game.seats}")
    return Lead(plies, wall)
