"""The kernels of method `zero`: games by searches, and steps of learning from what is remembered of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import OVER, moves, play, playouts, scores, start, turn
from ludus.kernel import below, kernel, seed_stream
from ludus.nets.board import backward, forward, judge_errors
from ludus.search.board import show
from ludus.search.puct import MOVE, PROVEN, Lesson, learned_shares, mean_of, root_at, search_rounds

LONGEST = 400  # plies of a game; a longer one counts as a draw
FULL = 65_535.0  # a share of 1, as it is remembered


class Memory(NamedTuple):
    """Positions and what is to be learned of them, in a ring."""

    states: np.ndarray
    shares: np.ndarray  # of the legal moves, in their order
    score: np.ndarray  # of who moves
    used: np.ndarray  # [1]: positions that were ever put into it


class Pace(NamedTuple):
    """How games are played for learning."""

    lesson: Lesson  # in the first plies, in which chance has a say
    later: Lesson
    opening: int  # how many plies those are
    decay: float  # how much the end of the game counts beside the searches on the way, a ply
    random: int  # most moves at random at the very beginning
    playouts: int  # random games by which a position is judged beside the search
    share: float  # how much they count


class Notes(NamedTuple):
    """What a thread remembers of its games until all are played."""

    states: np.ndarray
    shares: np.ndarray
    score: np.ndarray
    seats: np.ndarray


@kernel
def play_games(tree: Any, judging: Any, game: Any, options: Any, pace: Any, batch: Any, notes: Any) -> Any:
    """Play games by searches and note what they teach; return how many positions were noted, and how many moves were made."""
    seed, first, games = batch
    rng = np.zeros(1, np.uint64)
    state = np.zeros(notes.states.shape[1], np.int64)
    both = np.zeros(2)
    noted, plies = 0, 0
    shares = np.zeros(len(tree.legal))
    wide = notes.shares.shape[1]
    sizes = (len(tree.legal), len(state), 2, 1)
    for number in range(first, first + games):
        seed_stream(rng, seed, number, 0)
        start(game, state)
        begun, score = noted, 0.5
        blind = below(rng, pace.random + 1)
        for ply in range(LONGEST):
            seat = turn(game, state)
            if seat == OVER:
                scores(game, state, both)
                score = 0.5 + 0.5 * (both[0] - both[1])
                break
            plies += 1
            count = moves(game, state, seat, tree.legal)
            if count == 1 or ply < blind:
                play(game, state, tree.legal[below(rng, count)])
                continue
            lesson = pace.lesson if ply < pace.opening else pace.later
            root_at(tree, game, state)
            child = search_rounds(tree, game, judging, options, lesson, rng)
            value = learned_shares(tree, lesson, shares)
            if pace.share > 0.0 and not tree.nodes[0, PROVEN]:
                both[:] = 0.0
                playouts(game, state, rng, pace.playouts, sizes, both)
                mean = 0.5 + 0.5 * (both[seat] - both[1 - seat]) / pace.playouts
                value = pace.share * mean + (1.0 - pace.share) * value
            if noted < len(notes.states):
                notes.states[noted, :] = state
                for i in range(wide):
                    notes.shares[noted, i] = np.uint16(shares[i] * FULL + 0.5) if i < count else 0
                notes.score[noted] = value
                notes.seats[noted] = seat
                noted += 1
            if tree.nodes[0, PROVEN]:
                score = mean_of(tree, 0, 0)
                break
            play(game, state, int(tree.nodes[child, MOVE]))
        for i in range(noted - 1, begun - 1, -1):
            own = notes.score[i] if notes.seats[i] == 0 else 1.0 - notes.score[i]
            score = pace.decay * score + (1.0 - pace.decay) * own
            notes.score[i] = score if notes.seats[i] == 0 else 1.0 - score
    return noted, plies


@kernel
def remember(memory: Any, notes: Any, count: int) -> None:
    """Put what was noted into the ring."""
    size = len(memory.states)
    for i in range(count):
        at = memory.used[0] % size
        memory.states[at, :] = notes.states[i]
        memory.shares[at, :] = notes.shares[i]
        memory.score[at] = notes.score[i]
        memory.used[0] += 1


@kernel
def add_lessons(judging: Any, gradient: Any, space: Any, errors: Any, game: Any, memory: Any, picks: Any) -> Any:
    """Add to the gradient what the remembered positions `picks` (their places, and numbers that choose a symmetry) teach; return the sums of both cross-entropies."""
    legal = np.zeros(len(errors.logits), np.int64)
    shares = np.zeros(memory.shares.shape[1], np.float32)
    chosen = np.zeros(len(space.loose), np.int64)
    surprise, wrong = 0.0, 0.0
    room = len(space.loose)
    board, shape = judging.board, judging.shape
    for begin in range(0, len(picks), room):
        here = min(len(picks) - begin, room)
        for p in range(here):
            at = picks[begin + p, 0]
            views = judging.views[turn(game, memory.states[at])]
            chosen[p] = views[picks[begin + p, 1] % len(views)]
            show(judging, game, memory.states[at], chosen[p], space, p)
        forward(judging.weights, shape, space, here)
        for p in range(here):
            at = picks[begin + p, 0]
            state = memory.states[at]
            count = moves(game, state, turn(game, state), legal)
            total = 0.0
            for i in range(len(shares)):
                shares[i] = memory.shares[at, i]
                total += shares[i]
            for i in range(count):
                legal[i] = board.moves[chosen[p], legal[i]]
            count = min(count, len(shares))
            for i in range(count):
                shares[i] /= total
            more, less = judge_errors(
                board, shape, space, errors, p, (legal, count, shares, np.float64(memory.score[at]))
            )
            surprise += more
            wrong += less
        backward(judging.weights, gradient, shape, space, errors, here)
    return surprise, wrong
