"""Nested rollout policy adaptation (Rosin 2011) for games with one seat: random games whose moves are weighed by a policy, and policies that move towards the best
game found with them, level above level. It proves nothing, but it always has a game to show, in any game.

A weight belongs to a move after another move. A level plays ITERATIONS games of the level below, each followed by a step of its policy towards its best game so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import OVER, moves, play, scores, turn
from ludus.kernel import KEY, kernel, mix_hash, uniform

LEVELS = 3
ITERATIONS = 50
RATE = 1.0  # how far a policy moves towards the best game
WEIGHTS = 1 << 14  # of a policy, by a hash of two moves
CODES = 1 << 18  # room for the legal moves of a game, as numbers of weights
PLIES = 10_000  # of a game, at most

TOTAL = LEVELS + 1  # the place of the best game of all in `used`


class Nest(NamedTuple):
    """A search under way. Level 0 is the game just played, the last level the whole search."""

    policy: np.ndarray  # level, weight
    chosen: np.ndarray  # level, ply: the move
    codes: np.ndarray  # level, place: weights of the legal moves of a game, one ply after the other
    begin: np.ndarray  # level, ply: where its weights begin in `codes`; one more for the end
    pick: np.ndarray  # level, ply: which of them was chosen
    score: np.ndarray  # level: of its best game
    games: np.ndarray  # level: games so far
    used: np.ndarray  # level: plies of its best game; of the best of all
    top: np.ndarray  # the moves of the best game of all
    best: np.ndarray  # one number: its score


@kernel
def _play(game: Any, root: Any, nest: Any, rng: Any, now: Any, legal: Any) -> None:
    """A game by the policy of level 1, as level 0. One that does not end, or has no room, counts as nothing."""
    policy, codes, begin = nest.policy, nest.codes, nest.begin
    odds = np.empty(len(legal))
    for i in range(len(root)):
        now[i] = root[i]
    plies, place, last = 0, 0, -1
    nest.score[0], nest.used[0] = -np.inf, 0
    while turn(game, now) != OVER:
        count = moves(game, now, 0, legal)
        if plies == nest.chosen.shape[1] or place + count > codes.shape[1]:
            return
        begin[0, plies], total = place, 0.0
        for i in range(count):
            code = np.int64(mix_hash(mix_hash(KEY, last), legal[i]) & np.uint64(WEIGHTS - 1))
            codes[0, place + i] = code
            odds[i] = np.exp(policy[1, code])
            total += odds[i]
        rest, at = uniform(rng) * total, 0
        while at < count - 1 and rest >= odds[at]:
            rest -= odds[at]
            at += 1
        last = legal[at]
        nest.chosen[0, plies], nest.pick[0, plies] = last, at
        place += count
        plies += 1
        play(game, now, last)
    begin[0, plies] = place
    nest.used[0] = plies
    result = np.zeros(1)
    scores(game, now, result)
    nest.score[0] = result[0]


@kernel
def _adapt(nest: Any, level: int) -> None:
    """Move the policy of a level towards its best game."""
    before, policy = nest.policy[level].copy(), nest.policy[level]
    for ply in range(nest.used[level]):
        first, last, total = nest.begin[level, ply], nest.begin[level, ply + 1], 0.0
        for i in range(first, last):
            total += np.exp(before[nest.codes[level, i]])
        for i in range(first, last):
            code = nest.codes[level, i]
            policy[code] -= RATE * np.exp(before[code]) / total
        policy[nest.codes[level, first + nest.pick[level, ply]]] += RATE


@kernel
def _hand_up(nest: Any, level: int) -> None:
    """The best game of a level becomes that of the level above, unless the one there is better."""
    above = level + 1
    if nest.score[level] >= nest.score[above] and nest.used[level] > 0:
        plies = nest.used[level]
        nest.score[above], nest.used[above] = nest.score[level], plies
        for ply in range(plies):
            nest.chosen[above, ply], nest.pick[above, ply] = nest.chosen[level, ply], nest.pick[level, ply]
            nest.begin[above, ply] = nest.begin[level, ply]
        end = nest.begin[level, plies]
        nest.begin[above, plies] = end
        for i in range(end):
            nest.codes[above, i] = nest.codes[level, i]
    _adapt(nest, above)
    nest.games[above] += 1


@kernel
def _begin(nest: Any, level: int) -> None:
    """A level begins anew, with the policy of the one above."""
    nest.score[level], nest.used[level], nest.games[level] = -np.inf, 0, 0
    for i in range(nest.policy.shape[1]):
        nest.policy[level, i] = nest.policy[level + 1, i] if level < LEVELS else 0.0


@kernel
def adapt(game: Any, root: Any, nest: Any, sizes: Any, rng: Any, games: int, aim: float) -> int:
    """Play so many games, or until one is worth `aim`; return the plies played."""
    now, legal = np.empty(len(root), np.int64), np.empty(sizes[0], np.int64)
    plies = 0
    for _ in range(games):
        _play(game, root, nest, rng, now, legal)
        plies += nest.used[0] + 1
        if nest.score[0] > nest.best[0]:
            nest.best[0], nest.used[TOTAL] = nest.score[0], nest.used[0]
            for ply in range(nest.used[0]):
                nest.top[ply] = nest.chosen[0, ply]
            if nest.best[0] >= aim:
                break
        level = 0
        _hand_up(nest, 0)
        while level + 1 < LEVELS and nest.games[level + 1] == ITERATIONS:
            level += 1
            _hand_up(nest, level)
        if level + 1 == LEVELS and nest.games[LEVELS] == ITERATIONS:
            _begin(nest, LEVELS)
        while level > 0:
            _begin(nest, level)
            level -= 1
    return plies


def new_nest(game: Any) -> Nest:
    """A search that begins."""
    plies = min(PLIES, game.facts.max_plies or PLIES)
    codes = max(CODES, game.facts.max_moves)
    shape = (LEVELS + 1, plies)
    nest = Nest(
        np.zeros((LEVELS + 1, WEIGHTS)), np.zeros(shape, np.int64), np.zeros((LEVELS + 1, codes), np.int32),
        np.zeros((LEVELS + 1, plies + 1), np.int64), np.zeros(shape, np.int64), np.zeros(LEVELS + 1), np.zeros(LEVELS + 1, np.int64),
        np.zeros(LEVELS + 2, np.int64), np.zeros(plies, np.int64), np.full(1, -np.inf),
    )  # fmt: skip
    nest.score[:] = -np.inf
    return nest
