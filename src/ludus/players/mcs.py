"""Monte Carlo search without a tree: `mcs` judges each move by random games (Wang et al. 2018, Algorithm 1), `nmcs` by games
in which all seats move by such searches themselves. The kernels `mcs_move` and `nested_move` serve learners too.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import (
    CHANCE,
    JOINT,
    MAX_PLAYOUT,
    OVER,
    Move,
    Position,
    choose,
    judge,
    moves,
    play,
    play_joint,
    playouts,
    random_move,
    roll,
    scores,
    sizes_of,
    turn,
)
from ludus.errors import LudusError
from ludus.kernel import implements, kernel, stream

DRAWS = 16  # where all seats move at once: how often the others' moves are drawn for each of ours, at most
BLOCK = 64  # playouts of each move between two looks at the clock: as many as a game may play at once


# --- flat search -----------------------------------------------------------------------------------------------------


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


class MCS(NamedTuple):
    """Flat Monte Carlo search: equally many random games for each move, by count."""

    sizes: tuple[int, int, int, int]  # see `sizes_of`
    playouts: int


@implements(choose, MCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return mcs_move(game, state, seat, rng, player.playouts, player.sizes)


@implements(judge, MCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    values[:] = 0
    number = add_playouts(game, state, seat, rng, player.playouts, player.sizes, listed, values)
    values[:number] /= player.playouts
    return number


class TimedMCS:
    """Flat Monte Carlo search until the time is up. Python looks at the clock after each block of random games."""

    room = 1  # games that the arena should have in flight: whoever thinks by the clock thinks of one at a time

    def __init__(self, game: Any, seconds: float) -> None:
        self.name = f"mcs(seconds={seconds:g})"
        self.seconds = seconds
        self._sizes = sizes_of(game)

    def judge_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The legal moves, and the mean score of the random games after each."""
        state = np.array(state, np.int64)
        listed, sums = np.zeros(self._sizes[0], np.int64), np.zeros(self._sizes[0])
        add_playouts(
            game, state, seat, rng, 1, self._sizes, listed, np.zeros_like(sums)
        )  # compiled before the clock runs
        end, done = time.perf_counter() + self.seconds, 0
        while done == 0 or time.perf_counter() < end:
            number = add_playouts(game, state, seat, rng, BLOCK, self._sizes, listed, sums)
            done += BLOCK
        return listed[:number], sums[:number] / done

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move for `seat`; see the arena."""
        listed = np.zeros(self._sizes[0], np.int64)
        if moves(game, state, seat, listed) == 1:
            return int(listed[0])
        found, means = self.judge_state(game, state, seat, rng)
        return int(found[np.argmax(means)])

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), as_stream(rng))

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves and their mean scores, best first."""
        found, means = self.judge_state(position.game, position.state.copy(), decider(position), as_stream(rng))
        worth = dict(zip(found.tolist(), means.tolist(), strict=True))
        return sorted(((m, worth[int(m)]) for m in position.moves()), key=lambda pair: -pair[1])


def decider(position: Position) -> int:
    """The seat that is to decide in a position."""
    if position.turn is None:
        raise LudusError(
            "nobody is to move here" if position.kind != "joint" else "all move at once: say who, by seen_by"
        )
    return position.turn


def as_stream(rng: Any) -> np.ndarray:
    """A kernel's random stream from one, or from NumPy's generator, which plain Python players are given."""
    return rng if isinstance(rng, np.ndarray) else stream(int(rng.integers(1 << 63)))


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


class NestedMCS(NamedTuple):
    """Nested Monte Carlo search."""

    sizes: tuple[int, int, int, int]
    level: int
    playouts: int  # random games for each move, at the lowest level
    games: int  # games for each move at the board, by searches one level lower


@implements(choose, NestedMCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return nested_move(game, state, seat, rng, player.level, player.playouts, player.games, player.sizes)


@implements(judge, NestedMCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    values[:] = 0
    number = add_nested(
        game, state, seat, rng, player.level, player.playouts, player.games, player.sizes, listed, values
    )
    values[:number] /= player.games
    return number


# --- makers ----------------------------------------------------------------------------------------------------------


def make_mcs(game: Any, path: str | None, playouts: int | None = None, seconds: float | None = None) -> MCS | TimedMCS:
    """Flat Monte Carlo search, by count (100 random games for each move unless told) or by time.

    >>> import ludus
    >>> make_mcs(ludus.game("backgammon"), None, playouts=10).playouts
    10
    """
    if playouts is not None and seconds is not None:
        raise LudusError("mcs searches by count or by time: give playouts or seconds, not both")
    if seconds is not None:
        if seconds <= 0:
            raise LudusError(f"mcs(seconds={seconds:g}): give the time for a move, more than 0")
        return TimedMCS(game, seconds)
    count = 100 if playouts is None else playouts
    if count < 1:
        raise LudusError(f"mcs(playouts={count}): give the number of random games for each move, at least 1")
    return MCS(sizes_of(game), count)


def make_nmcs(game: Any, path: str | None, level: int = 1, playouts: int = 8, games: int = 4) -> NestedMCS:
    """Nested Monte Carlo search."""
    if min(playouts, games) < 1:
        raise LudusError(f"nmcs(playouts={playouts}, games={games}): both must be at least 1")
    return NestedMCS(sizes_of(game), level, playouts, games)
