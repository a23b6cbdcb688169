"""Monte Carlo search without a tree, for any game: each legal move is tried with some games played on at random, and the one with the best
mean is taken (Algorithm 1 of Wang, Emmerich & Plaat 2018). Learners use it where they know nothing; the players are in `players.mcs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import (
    CHANCE,
    JOINT,
    MAX_PLAYOUT,
    OVER,
    moves,
    play,
    play_joint,
    playouts,
    random_move,
    roll,
    scores,
    turn,
)
from ludus.kernel import kernel

DRAWS = 16  # where all seats move at once: how often the others' moves are drawn for each of ours, at most


@kernel
def add_playouts(game: Any, state: Any, seat: int, rng: Any, count: int, sizes: Any, listed: Any, sums: Any) -> int:
    """Play `count` random games after each legal move of `seat` and add its scores to `sums`; return how many moves there are.

    Where all seats move at once the others move at random.
    """
    _, state_size, seats, _ = sizes
    number = moves(game, state, seat, listed)
    child, total = np.empty(state_size, np.int64), np.zeros(seats)
    joint, theirs = np.empty(seats, np.int64), np.empty(sizes[0], np.int64)
    together = turn(game, state) == JOINT
    blocks = min(count, DRAWS) if together else 1
    for i in range(number):
        total[:] = 0
        for block in range(blocks):
            child[:] = state
            if together:
                for other in range(seats):
                    joint[other] = random_move(game, state, other, rng, theirs)
                joint[seat] = listed[i]
                play_joint(game, child, joint)
            else:
                play(game, child, listed[i])
            playouts(game, child, rng, count * (block + 1) // blocks - count * block // blocks, sizes, total)
        sums[i] += total[seat]
    return number


@kernel
def mcs_move(game: Any, state: Any, seat: int, rng: Any, count: int, sizes: Any) -> int:
    """The move after which `seat` scores best on average in `count` random games; the first of those that tie."""
    listed, sums = np.empty(sizes[0], np.int64), np.zeros(sizes[0])
    if moves(game, state, seat, listed) == 1:
        return listed[0]
    number = add_playouts(game, state, seat, rng, count, sizes, listed, sums)
    return listed[np.argmax(sums[:number])]


# --- nested search ---------------------------------------------------------------------------------------------------
# Level 0 is flat search. A move of level n is judged by games in which every move is one of level n - 1 (Cazenave,
# Saffidine, Schofield and Thielscher 2016). Each seat maximises its own score, so that any number of seats will do. The
# two levels are written out: Numba keeps no compiled recursion on disk.


@kernel
def _play_by_search(game: Any, state: Any, rng: Any, count: int, sizes: Any, result: Any) -> None:
    """Play on from `state`, in place, with every move found by flat search, and add the scores to `result`."""
    _, _, seats, max_chances = sizes
    outcomes, odds, joint = np.empty(max_chances, np.int64), np.empty(max_chances), np.empty(seats, np.int64)
    for _ in range(MAX_PLAYOUT):
        seat = turn(game, state)
        if seat == OVER:
            _add_scores(game, state, result)
            return
        if seat == CHANCE:
            play(game, state, roll(game, state, rng, outcomes, odds))
        elif seat == JOINT:
            for s in range(seats):
                joint[s] = mcs_move(game, state, s, rng, count, sizes)
            play_joint(game, state, joint)
        else:
            play(game, state, mcs_move(game, state, seat, rng, count, sizes))


@kernel
def _add_scores(game: Any, state: Any, result: Any) -> None:
    out = np.zeros(len(result))
    scores(game, state, out)
    result += out


@kernel
def _take(game: Any, state: Any, seat: int, move: int, rng: Any, sizes: Any) -> None:
    """Play one seat's move; where all move at once, the others' are drawn at random."""
    if turn(game, state) != JOINT:
        play(game, state, move)
        return
    joint, theirs = np.empty(sizes[2], np.int64), np.empty(sizes[0], np.int64)
    for other in range(sizes[2]):
        joint[other] = random_move(game, state, other, rng, theirs)
    joint[seat] = move
    play_joint(game, state, joint)


@kernel
def _add_searched(game: Any, state: Any, seat: int, rng: Any, count: int, games: int, sizes: Any, listed: Any,
                  sums: Any) -> int:  # fmt: skip
    """As `add_playouts`, but the games after each move are played by flat search."""
    number = moves(game, state, seat, listed)
    child, result = np.empty_like(state), np.zeros(sizes[2])
    for i in range(number):
        result[:] = 0
        for _ in range(games):
            child[:] = state
            _take(game, child, seat, listed[i], rng, sizes)
            _play_by_search(game, child, rng, count, sizes, result)
        sums[i] += result[seat]
    return number


@kernel
def _searched_move(game: Any, state: Any, seat: int, rng: Any, count: int, sizes: Any) -> int:
    listed, sums = np.empty(sizes[0], np.int64), np.zeros(sizes[0])
    if moves(game, state, seat, listed) == 1:
        return listed[0]
    number = _add_searched(game, state, seat, rng, count, np.int64(1), sizes, listed, sums)
    return listed[np.argmax(sums[:number])]


@kernel
def _play_by_nested(game: Any, state: Any, rng: Any, count: int, sizes: Any, result: Any) -> None:
    """As `_play_by_search`, a level higher."""
    _, _, seats, max_chances = sizes
    outcomes, odds, joint = np.empty(max_chances, np.int64), np.empty(max_chances), np.empty(seats, np.int64)
    for _ in range(MAX_PLAYOUT):
        seat = turn(game, state)
        if seat == OVER:
            _add_scores(game, state, result)
            return
        if seat == CHANCE:
            play(game, state, roll(game, state, rng, outcomes, odds))
        elif seat == JOINT:
            for s in range(seats):
                joint[s] = _searched_move(game, state, s, rng, count, sizes)
            play_joint(game, state, joint)
        else:
            play(game, state, _searched_move(game, state, seat, rng, count, sizes))


@kernel
def add_nested(game: Any, state: Any, seat: int, rng: Any, level: int, count: int, games: int, sizes: Any, listed: Any,
               sums: Any) -> int:  # fmt: skip
    """Add to `sums` the scores of `games` games after each move of `seat`, played by searches of level - 1, whose own random
    games are `count` for each move; return how many moves there are. Level 0 plays at random, `count` games.
    """
    if level == 0:
        return add_playouts(game, state, seat, rng, count, sizes, listed, sums)
    if level == 1:
        return _add_searched(game, state, seat, rng, count, games, sizes, listed, sums)
    number = moves(game, state, seat, listed)
    child, result = np.empty_like(state), np.zeros(sizes[2])
    for i in range(number):
        result[:] = 0
        for _ in range(games):
            child[:] = state
            _take(game, child, seat, listed[i], rng, sizes)
            _play_by_nested(game, child, rng, count, sizes, result)
        sums[i] += result[seat]
    return number


@kernel
def nested_move(game: Any, state: Any, seat: int, rng: Any, level: int, count: int, games: int, sizes: Any) -> int:
    """The move that nested search of a level from 0 (flat) to 2 finds for `seat`; see `add_nested`."""
    listed, sums = np.empty(sizes[0], np.int64), np.zeros(sizes[0])
    if moves(game, state, seat, listed) == 1:
        return listed[0]
    number = add_nested(game, state, seat, rng, level, count, games, sizes, listed, sums)
    return listed[np.argmax(sums[:number])]


@kernel
def search_move(
    game: Any, state: Any, seat: int, listed: Any, times: int, nested: bool, sizes: Any, rng: Any, means: Any
) -> int:  # fmt: skip
    """The place in `listed` of the move with the best mean over so many games each, the first of equals; `means` gets all of them. With `nested` the
    moves of these games are searched for too, with one random game each.
    """
    means[:] = 0
    number = add_nested(game, state, seat, rng, 1 if nested else 0, 1 if nested else times, times, sizes, listed, means)
    means[:number] /= times
    return int(np.argmax(means[:number]))
