"""Q-learning with a network that has an output for each action (`dense`), seen through a game's *view*.

Two ways to learn: `learn_games` after each move, as the thesis `quoridor2016` does it; and batches, in which `play_batch` plays with frozen
weights and leaves a λ-return for each decision, or `teach_batch` a teacher's values for every move, to be learned from afterwards. The learner
that steers them is in `qlnn`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import OVER, moves, play, random_move, scores, start, turn
from ludus.contract.views import action, features, set_up
from ludus.kernel import below, implements, kernel, uniform
from ludus.methods.episodes import begin_episode, is_own, new_dice
from ludus.nets.dense import dense_workspace, forward_one, nudge_one

MAX_PLIES = 10_000


@kernel
def look(net: Any, view: Any, game: Any, state: Any, ws: Any) -> int:
    """Judge all actions in a state; return the number of active inputs."""
    count = features(view, game, state, ws.inputs, ws.value)
    forward_one(net, ws, count)
    return count


@kernel
def best_of(view: Any, game: Any, state: Any, ws: Any, legal: Any, count: int, rng: Any) -> int:
    """The place in the list of the legal move with the highest output; ties are drawn."""
    best, highest, ties = 0, np.float32(-1), 0
    for n in range(count):
        slot = action(view, game, state, legal[n])
        q = ws.output[slot] if slot >= 0 else np.float32(0)
        if q > highest:
            best, highest, ties = n, q, 1
        elif q == highest:
            ties += 1
            if below(rng, ties) == 0:
                best = n
    return best


@kernel
def highest_output(view: Any, game: Any, state: Any, ws: Any, legal: Any, count: int, masked: bool) -> float:
    """The highest output: of the legal moves, or of all, whether legal or not."""
    highest = 0.0
    if masked:
        for n in range(count):
            slot = action(view, game, state, legal[n])
            if slot >= 0:
                highest = max(highest, ws.output[slot])
    else:
        for slot in range(len(ws.output)):
            highest = max(highest, ws.output[slot])
    return highest


class Learning(NamedTuple):
    """A network and how it sees the game, and the numbers that steer its learning."""

    net: Any
    sight: Any  # the view; Numba takes that word for another
    rate: float
    discount: float
    decay: float  # λ
    masked: bool  # whether illegal actions are left out of the highest value
    opening: int  # most random moves at the beginning


class Beginnings(NamedTuple):
    """Easier positions to begin with: the share of games that do falls to nothing at `until` games."""

    curriculum: Any
    stages: int
    share: float
    until: int


@kernel
def begin(game: Any, beginnings: Any, state: Any, seat: int, number: int, rng: Any) -> None:
    """The start of a game: a usual one, or a position of the curriculum, of which later games see harder stages too."""
    start(game, state)
    share, until, stages = beginnings.share, beginnings.until, beginnings.stages
    if share > 0 and number < until and uniform(rng) < share * (1 - number / until):
        reached = min(number * stages // until, stages - 1)
        set_up(beginnings.curriculum, game, state, seat, below(rng, reached + 1), rng)


@kernel
def random_opening(game: Any, state: Any, opening: int, rng: Any, legal: Any) -> None:
    """Begin with random moves, at most `opening` of them: the learner is to know more than the games that it would play by itself."""
    for _ in range(below(rng, opening + 1) if opening > 0 else 0):
        seat = turn(game, state)
        if seat != OVER:
            play(game, state, random_move(game, state, seat, rng, legal))


@kernel
def own_seat(seats: Any, number: int, places: int) -> int:
    """The learner's seat in the game of a number; the last, if it has several."""
    found = 0
    for seat in range(places):
        if is_own(seats, seat, number, places):
            found = seat
    return found


@kernel
def result_for(game: Any, state: Any, seat: int, points: Any) -> float:
    """1 for a win, 0 for a loss, ½ for a draw."""
    scores(game, state, points)
    return 0.5 * (1.0 + points[seat])


@kernel
def learn_games(
    learning: Any, game: Any, sizes: Any, seats: Any, beginnings: Any, episodes: Any, errors: Any, won: Any
) -> int:
    """Play games, and learn at each own decision from the one before; return the decisions made. `errors` gets the mean absolute error of
    each game, `won` its result for the learner.
    """
    net, view = learning.net, learning.sight
    max_moves, state_size, places, max_chances = sizes
    state, before = np.zeros(state_size, np.int64), np.zeros((places, state_size), np.int64)
    dice = new_dice(max_chances)
    rng = dice.rng
    legal, due, points = np.zeros(max_moves, np.int64), np.full(places, -1, np.int64), np.zeros(places)
    ws = dense_workspace(net)
    first, decisions = episodes.first, 0
    for number in range(first, first + len(episodes.exploration)):
        begin_episode(game, state, dice, episodes.seed, number)
        me = own_seat(seats, number, places)
        for seat in range(places):
            due[seat] = -1
        begin(game, beginnings, state, me, number, dice.dice)
        total, steps = 0.0, 0
        for _ in range(MAX_PLIES):
            seat = turn(game, state)
            if seat == OVER:
                break
            if not is_own(seats, seat, number, places):
                play(game, state, choose(seats.partner, game, state, seat, rng))
                continue
            count = moves(game, state, seat, legal)
            look(net, view, game, state, ws)
            if due[seat] >= 0:
                target = learning.discount * highest_output(view, game, state, ws, legal, count, learning.masked)
                inputs = features(view, game, before[seat], ws.inputs, ws.value)
                total += abs(nudge_one(net, ws, inputs, due[seat], target, learning.rate))
                steps += 1
                look(net, view, game, state, ws)
            chosen = best_of(view, game, state, ws, legal, count, rng)
            if uniform(rng) < episodes.exploration[number - first]:
                chosen = below(rng, count)
            decisions += 1
            due[seat] = action(view, game, state, legal[chosen])
            before[seat] = state
            play(game, state, legal[chosen])
        for seat in range(places):
            if due[seat] >= 0:
                inputs = features(view, game, before[seat], ws.inputs, ws.value)
                target = result_for(game, state, seat, points)
                total += abs(nudge_one(net, ws, inputs, due[seat], target, learning.rate))
                steps += 1
        won[number - first] = result_for(game, state, me, points)
        errors[number - first] = total / max(steps, 1)
    return decisions


class Decisions(NamedTuple):
    """The decisions of a batch, in rows, and the results of its games."""

    states: np.ndarray
    actions: np.ndarray  # the output that stands for the move made
    targets: np.ndarray  # the λ-return
    won: np.ndarray


@kernel
def play_batch(learning: Any, game: Any, sizes: Any, seats: Any, beginnings: Any, episodes: Any, out: Any) -> int:
    """Play games with frozen weights; write each decision's state, output and λ-return, and return how many there are.

    The λ-return is Watkins's: it follows the game back from its end, and takes the network's word wherever the next move was random.
    """
    net, view, discount, decay = learning.net, learning.sight, learning.discount, learning.decay
    states, actions, targets = out.states, out.actions, out.targets
    max_moves, state_size, places, max_chances = sizes
    state = np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rng = dice.rng
    legal, points = np.zeros(max_moves, np.int64), np.zeros(places)
    ws = dense_workspace(net)
    value, explored, who = np.zeros(len(actions)), np.zeros(len(actions), np.bool_), np.zeros(len(actions), np.int64)
    ahead, trusted, worth = np.zeros(places), np.zeros(places, np.bool_), np.zeros(places)
    first, rows = episodes.first, 0
    for number in range(first, first + len(episodes.exploration)):
        begin_episode(game, state, dice, episodes.seed, number)
        me, begun = own_seat(seats, number, places), rows
        begin(game, beginnings, state, me, number, dice.dice)
        random_opening(game, state, learning.opening, dice.dice, legal)
        for _ in range(MAX_PLIES):
            seat = turn(game, state)
            if seat == OVER:
                break
            if not is_own(seats, seat, number, places):
                play(game, state, choose(seats.partner, game, state, seat, rng))
                continue
            count = moves(game, state, seat, legal)
            if action(view, game, state, legal[0]) < 0:
                play(game, state, legal[0])
                continue
            look(net, view, game, state, ws)
            chosen = best_of(view, game, state, ws, legal, count, rng)
            explored[rows] = uniform(rng) < episodes.exploration[number - first]
            if explored[rows]:
                chosen = below(rng, count)
            value[rows] = highest_output(view, game, state, ws, legal, count, learning.masked)
            who[rows] = seat
            states[rows] = state
            actions[rows] = action(view, game, state, legal[chosen])
            rows += 1
            play(game, state, legal[chosen])
        for seat in range(places):
            ahead[seat] = result_for(game, state, seat, points)
            trusted[seat] = True
            worth[seat] = ahead[seat]
        for t in range(rows - 1, begun - 1, -1):
            seat = who[t]
            target = ahead[seat] if trusted[seat] else worth[seat]
            targets[t] = target
            trusted[seat] = not explored[t]
            worth[seat] = discount * value[t]
            ahead[seat] = discount * ((1 - decay) * value[t] + decay * target)
        out.won[number - first] = result_for(game, state, me, points)
    return rows


class Shown(NamedTuple):
    """A teacher who only shows the move that it makes: that is worth all, the others nothing."""

    player: Any


@implements(evaluate_moves, Shown)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    count = moves(game, state, seat, legal)
    move = choose(player.player, game, state, seat, rng)
    for n in range(count):
        values[n] = 1.0 if legal[n] == move else -1.0
    return count


class Lesson(NamedTuple):
    """Who teaches, and what share of the teacher's moves is played."""

    teacher: Any
    follow: float


class Taught(NamedTuple):
    """What a teacher said, in rows: the states, its value of each move and the share with which it would make it, both -1 where a move is
    illegal.
    """

    states: np.ndarray
    values: np.ndarray
    shares: np.ndarray


@kernel
def teach_batch(learning: Any, game: Any, sizes: Any, seats: Any, lesson: Any, episodes: Any, out: Any) -> int:
    """Play games in which a teacher is asked about every position; write what it says, and return how many positions there are.

    A share of the moves is the teacher's, the rest the network's own, so that it learns what to do where it will find itself. In half of
    the games the partner plays its seats, about which nobody is asked; in the other half there is nobody else.
    """
    net, view = learning.net, learning.sight
    states, values, shares = out.states, out.values, out.shares
    max_moves, state_size, places, max_chances = sizes
    state = np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rng = dice.rng
    legal, judged = np.zeros(max_moves, np.int64), np.zeros(max_moves)
    ws = dense_workspace(net)
    outputs = len(ws.output)
    first, rows = episodes.first, 0
    for number in range(first, first + len(episodes.exploration)):
        begin_episode(game, state, dice, episodes.seed, number)
        random_opening(game, state, learning.opening, rng, legal)
        for _ in range(MAX_PLIES):
            seat = turn(game, state)
            if seat == OVER:
                break
            if number & 2 and not is_own(seats, seat, number, places):
                play(game, state, choose(seats.partner, game, state, seat, rng))
                continue
            count = moves(game, state, seat, legal)
            if action(view, game, state, legal[0]) < 0:
                play(game, state, legal[0])
                continue
            states[rows] = state
            for slot in range(outputs):
                values[rows, slot] = shares[rows, slot] = -1
            count = evaluate_moves(lesson.teacher, game, state, seat, rng, legal, judged)
            highest, ties = judged[:count].max(), 0
            for n in range(count):
                ties += judged[n] >= highest - 1e-6
            pick, move = below(rng, ties), legal[0]
            for n in range(count):
                slot = action(view, game, state, legal[n])
                best = judged[n] >= highest - 1e-6
                values[rows, slot] = 0.5 * (1.0 + judged[n])
                shares[rows, slot] = 1.0 / ties if best else 0.0
                if best:
                    if pick == 0:
                        move = legal[n]
                    pick -= 1
            if uniform(rng) < episodes.exploration[number - first]:
                move = legal[below(rng, count)]
            elif uniform(rng) >= lesson.follow:
                look(net, view, game, state, ws)
                move = legal[best_of(view, game, state, ws, legal, count, rng)]
            rows += 1
            play(game, state, move)
    return rows


class Inputs(NamedTuple):
    """The inputs of some states, in rows: which are not zero, their values, and how many there are."""

    which: np.ndarray
    values: np.ndarray
    counts: np.ndarray


@kernel
def show(views: Any, game: Any, states: Any, rows: Any, mirrored: Any, out: Any) -> None:
    """Write the inputs of some states, as the second of two views sees them where `mirrored` says so."""
    view, turned = views
    index, value, counts = out.which, out.values, out.counts
    for b in range(len(rows)):
        if mirrored[b]:
            counts[b] = features(turned, game, states[rows[b]], index[b], value[b])
        else:
            counts[b] = features(view, game, states[rows[b]], index[b], value[b])
