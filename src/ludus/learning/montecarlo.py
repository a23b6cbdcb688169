"""Monte Carlo search without a tree: each legal move is tried some times with games played on at random, and the one with the best
mean is taken (Algorithm 1 of Wang, Emmerich & Plaat 2018), for any game. `nested` lets such a search of one playout a move choose the moves
of the games played on (Cazenave, Saffidine, Schofield & Thielscher 2016). Players that search for longer live in `players`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract import CHANCE, JOINT, OVER, moves, play, play_joint, playouts, random_move, roll, scores, turn
from ludus.kernel import kernel

MAX_NESTED = 500  # plies that are chosen by search in one game played on; the rest of a longer one is random


@kernel
def _step(game: Any, state: Any, seat: int, move: int, rng: Any, listed: Any, joint: Any) -> None:
    """Make a seat's move; where all move at once, the others do so at random."""
    if turn(game, state) == JOINT:
        for s in range(len(joint)):
            joint[s] = move if s == seat else random_move(game, state, s, rng, listed)
        play_joint(game, state, joint)
    else:
        play(game, state, move)


@kernel
def try_moves(game: Any, state: Any, seat: int, listed: Any, count: int, times: int, sizes: Any, rng: Any, means: Any) -> None:  # fmt: skip
    """Write the mean score of `seat` after each of the `count` moves in `listed`, over so many random games each."""
    max_moves, state_size, seats, _ = sizes
    after, total = np.empty(state_size, np.int64), np.empty(seats)
    room, joint = np.empty(max_moves, np.int64), np.empty(seats, np.int64)
    # Where all move at once, each game has other moves of the others.
    rounds = times if turn(game, state) == JOINT else 1
    for n in range(count):
        total[:] = 0.0
        for _ in range(rounds):
            after[:] = state
            _step(game, after, seat, listed[n], rng, room, joint)
            playouts(game, after, rng, times // rounds, sizes, total)
        means[n] = total[seat] / times


@kernel
def _first_best(means: Any, count: int) -> int:
    best = 0
    for n in range(1, count):
        if means[n] > means[best]:
            best = n
    return best


@kernel
def _nested_game(game: Any, state: Any, sizes: Any, rng: Any, total: Any) -> None:
    """Play on from `state`, which is left at the end; every seat searches with one playout a move."""
    max_moves, _, seats, max_chances = sizes
    listed, means = np.empty(max_moves, np.int64), np.empty(max_moves)
    outcomes, odds = np.empty(max_chances, np.int64), np.empty(max_chances)
    joint = np.empty(seats, np.int64)
    for _ in range(MAX_NESTED):
        seat = turn(game, state)
        if seat == OVER:
            break
        if seat == CHANCE:
            play(game, state, roll(game, state, rng, outcomes, odds))
        elif seat == JOINT:
            for s in range(seats):
                count = moves(game, state, s, listed)
                try_moves(game, state, s, listed, count, 1, sizes, rng, means)
                joint[s] = listed[_first_best(means, count)]
            play_joint(game, state, joint)
        else:
            count = moves(game, state, seat, listed)
            try_moves(game, state, seat, listed, count, 1, sizes, rng, means)
            play(game, state, listed[_first_best(means, count)])
    if turn(game, state) == OVER:
        result = np.zeros(seats)
        scores(game, state, result)
        for s in range(seats):
            total[s] += result[s]
    else:
        playouts(game, state, rng, 1, sizes, total)


@kernel
def search_move(
    game: Any, state: Any, seat: int, listed: Any, count: int, times: int, nested: bool, sizes: Any, rng: Any, means: Any
) -> int:  # fmt: skip
    """The place in `listed` of the move with the best mean over so many games each, the first of equals; `means` gets all of them."""
    if not nested:
        try_moves(game, state, seat, listed, count, times, sizes, rng, means)
        return _first_best(means, count)
    max_moves, state_size, seats, _ = sizes
    after, total = np.empty(state_size, np.int64), np.empty(seats)
    room, joint = np.empty(max_moves, np.int64), np.empty(seats, np.int64)
    for n in range(count):
        total[:] = 0.0
        for _ in range(times):
            after[:] = state
            _step(game, after, seat, listed[n], rng, room, joint)
            _nested_game(game, after, sizes, rng, total)
        means[n] = total[seat] / times
    return _first_best(means, count)
