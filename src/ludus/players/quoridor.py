"""The two players of Quoridor in the thesis of 2016 (`quoridor2016`): `path`, which runs, and `heuristic`, which builds walls too.

What the thesis leaves open, and what is chosen here:

- *Which* shortest path is followed, and what happens where a pawn stands on it. `path` makes the step or jump after which its way is
  shortest, and draws among equals.
- Whether a wall that blocks *one* shortest path counts where another is as short. The thesis keeps one path a pawn and asks for the
  walls across it (its `path_blockers`), so it counts; with `prolong=true` only walls that make the way longer count.
- Which possibilities are counted in its fourth rule: here all walls across the opponent's path that cross or overlap no other, also
  those that its fifth rule then sorts out.
- Who is the opponent among four: the one who is nearest to the goal, of several the next to move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import random_move
from ludus.games.quoridor.bitboard import (
    ACTIONS,
    BIT,
    OFFSET,
    PAWN,
    STEP,
    WIDTH,
    distance,
    path_blockers,
    shut,
    side_of,
)
from ludus.games.quoridor.rules import free_anchors, leaves_ways, steps
from ludus.kernel import below, count_bits, implements, kernel, lowest_bit, uniform

FAR = 1 << 20


class Path(NamedTuple):
    """Follows a shortest path to its goal."""


class Heuristic(NamedTuple):
    """Plays by the thesis's six rules; `patience` is the share of the fourth, `prolong` says that only walls that make the way
    longer block it.
    """

    patience: float = 0.6
    prolong: bool = False


@kernel
def step_on_path(game: Any, state: Any, seat: int, rng: Any) -> int:
    """The step or jump after which a seat's way to the goal is shortest, drawn among equals; -1 if the pawn can't move."""
    own, square = steps(game, state, seat), state[PAWN + seat]
    best, shortest, equals = -1, FAR, 0
    while own != 0:
        step = lowest_bit(own)
        own &= own - 1
        state[PAWN + seat] = square + OFFSET[step]
        length = distance(game, state, seat)
        if length < shortest:
            best, shortest, equals = step, length, 1
        elif length == shortest:
            equals += 1
            if below(rng, equals) == 0:
                best = step
    state[PAWN + seat] = square
    return STEP + best if best >= 0 else -1


@kernel
def run(game: Any, state: Any, seat: int, rng: Any) -> int:
    """The step on a shortest path; any legal move where the pawn is shut in by others."""
    move = step_on_path(game, state, seat, rng)
    return move if move >= 0 else random_move(game, state, seat, rng, np.empty(ACTIONS, np.int64))


@implements(choose, Path)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return run(game, state, seat, rng)


@kernel
def nearest_opponent(game: Any, state: Any, seat: int) -> int:
    """The opponent who is nearest to the goal, of several the next to move."""
    nearest, shortest = -1, FAR
    for turned in range(1, game.seats):
        other = (seat + turned) % game.seats
        length = distance(game, state, other)
        if length < shortest:
            nearest, shortest = other, length
    return nearest


@kernel
def on_starting_line(game: Any, state: Any, seat: int) -> bool:
    """Whether a pawn stands on the side of the board where it began."""
    side, square = side_of(game, seat), state[PAWN + seat]
    if side == 0:
        return square < WIDTH
    if side == 2:
        return square >= WIDTH * (game.size - 1)
    return square % WIDTH == (0 if side == 1 else game.columns - 1)


@kernel
def longer(game: Any, state: Any, seat: int, wall: int) -> bool:
    """Whether a wall makes a seat's way longer, or cuts it."""
    before = distance(game, state, seat)
    shut(state, wall)
    after = distance(game, state, seat)
    shut(state, wall)
    return after != before


@implements(choose, Heuristic)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    if state[PAWN + game.seats + seat] == 0:
        return run(game, state, seat, rng)
    if distance(game, state, seat) == 1:
        return run(game, state, seat, rng)
    if on_starting_line(game, state, seat):
        return run(game, state, seat, rng)
    opponent = nearest_opponent(game, state, seat)
    buffer = np.empty(3 * 81, np.int64)
    horizontal, vertical = free_anchors(game, state)
    h, v = path_blockers(game, state, opponent, buffer)
    horizontal &= h
    vertical &= v
    if player.prolong:
        for wall in range(STEP):
            word = horizontal if wall < 64 else vertical
            if word & BIT[wall & 63] != 0 and not longer(game, state, opponent, wall):
                if wall < 64:
                    horizontal ^= BIT[wall]
                else:
                    vertical ^= BIT[wall & 63]
    if count_bits(horizontal) + count_bits(vertical) > 2 and uniform(rng) < player.patience:
        return run(game, state, seat, rng)
    h, v = path_blockers(game, state, seat, buffer)
    if not player.prolong:
        horizontal &= ~h
        vertical &= ~v
    good, count = np.empty(STEP, np.int64), 0
    for wall in range(STEP):
        word = horizontal if wall < 64 else vertical
        if word & BIT[wall & 63] != 0 and leaves_ways(game, state, wall):
            if player.prolong and longer(game, state, seat, wall):
                continue
            good[count] = wall
            count += 1
    return good[below(rng, count)] if count > 0 else run(game, state, seat, rng)


def make_path(game: Any, path: str | None) -> Path:
    """The player that follows a shortest path."""
    return Path()


def make_heuristic(game: Any, path: str | None, patience: float = 0.6, prolong: bool = False) -> Heuristic:
    """The player of the thesis's six rules."""
    return Heuristic(patience, prolong)
