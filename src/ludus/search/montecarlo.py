"""Monte Carlo search without a tree, for any game: each legal move is tried with some games played on at random, and the one with the best
mean is taken (Algorithm 1 of Wang, Emmerich & Plaat 2018). Learners use it where they know nothing; the players are in `players.mcs`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
def add_playouts(game: Any, state: Any, seat: int, rng: Any, count: int, sizes: Any, legal: Any, sums: Any) -> int:
    """Play `count` random games after each legal move of `seat` and add its scores to `sums`; return how many moves there are.

    Where all seats move at once the others move at random.
    """
    _, state_size, seats, _ = sizes
    number = moves(game, state, seat, legal)
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
                joint[seat] = legal[i]
                play_joint(game, child, joint)
            else:
                play(game, child, legal[i])
            playouts(game, child, rng, count * (block + 1) // blocks - count * block // blocks, sizes, total)
        sums[i] += total[seat]
    return number


@kernel
def mcs_move(game: Any, state: Any, seat: int, rng: Any, count: int, sizes: Any) -> int:
    """The move after which `seat` scores best on average in `count` random games; the first of those that tie."""
    legal, sums = np.empty(sizes[0], np.int64), np.zeros(sizes[0])
    if moves(game, state, seat, legal) == 1:
        return legal[0]
    number = add_playouts(game, state, seat, rng, count, sizes, legal, sums)
    return legal[np.argmax(sums[:number])]


# --- nested search ---------------------------------------------------------------------------------------------------
# Level 0 is flat search. A move of level n is judged by games in which every move is one of level n - 1 (Cazenave,
# Saffidine, Schofield and Thielscher 2016). Each seat maximises its own score, so that any number of seats will do. The
# two levels are written out: Numba keeps no compiled recursion on disk.


class Budget(NamedTuple):
    """How much nested search does for each move."""

    level: int  # 0: random games; n: games whose moves are found by searches of level n - 1
    playouts: int  # random games for each move at level 0
    games: int  # games for each move of the position that is searched, from level 1 on


@kernel
def search_budget(times: int, nested: bool) -> Any:
    """So many games for each move: random ones, or, if nested, such that their moves are searched for with one random game each."""
    return Budget(1 if nested else 0, 1 if nested else times, times)


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
def _add_searched(game: Any, state: Any, seat: int, rng: Any, budget: Any, sizes: Any, legal: Any, sums: Any) -> int:
    """As `add_playouts`, but the games after each move are played by flat search."""
    number = moves(game, state, seat, legal)
    child, result = np.empty_like(state), np.zeros(sizes[2])
    for i in range(number):
        result[:] = 0
        for _ in range(budget.games):
            child[:] = state
            _take(game, child, seat, legal[i], rng, sizes)
            _play_by_search(game, child, rng, budget.playouts, sizes, result)
        sums[i] += result[seat]
    return number


@kernel
def _searched_move(game: Any, state: Any, seat: int, rng: Any, count: int, sizes: Any) -> int:
    legal, sums = np.empty(sizes[0], np.int64), np.zeros(sizes[0])
    if moves(game, state, seat, legal) == 1:
        return legal[0]
    one: Any = np.int64(1)  # a bare 1 is a type of its own, for which all would be compiled again
    number = _add_searched(game, state, seat, rng, Budget(one, count, one), sizes, legal, sums)
    return legal[np.argmax(sums[:number])]


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
def add_nested(game: Any, state: Any, seat: int, rng: Any, budget: Any, sizes: Any, legal: Any, sums: Any) -> int:
    """Add to `sums` the scores of the games after each move of `seat` that a budget allows; return how many moves there are."""
    if budget.level == 0:
        return add_playouts(game, state, seat, rng, budget.playouts, sizes, legal, sums)
    if budget.level == 1:
        return _add_searched(game, state, seat, rng, budget, sizes, legal, sums)
    number = moves(game, state, seat, legal)
    child, result = np.empty_like(state), np.zeros(sizes[2])
    for i in range(number):
        result[:] = 0
        for _ in range(budget.games):
            child[:] = state
            _take(game, child, seat, legal[i], rng, sizes)
            _play_by_nested(game, child, rng, budget.playouts, sizes, result)
        sums[i] += result[seat]
    return number


@kernel
def nested_move(game: Any, state: Any, seat: int, rng: Any, budget: Any, sizes: Any) -> int:
    """The move that nested search of a level from 0 (flat) to 2 finds for `seat`."""
    legal, sums = np.empty(sizes[0], np.int64), np.zeros(sizes[0])
    if moves(game, state, seat, legal) == 1:
        return legal[0]
    number = add_nested(game, state, seat, rng, budget, sizes, legal, sums)
    return legal[np.argmax(sums[:number])]


@kernel
def search_move(game: Any, state: Any, seat: int, rng: Any, budget: Any, sizes: Any, legal: Any, means: Any) -> int:
    """The place in `legal`, which gets the moves, of the one with the best mean of the games that a budget allows, the first of equals;
    `means` gets all of them.
    """
    means[:] = 0
    number = add_nested(game, state, seat, rng, budget, sizes, legal, means)
    means[:number] /= budget.playouts if budget.level == 0 else budget.games
    return int(np.argmax(means[:number]))
