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
from ludus.kernel import below, implements, kernel, seed_stream, uniform
from ludus.nets.dense import judge_one, new_desk, nudge_one

MAX_PLIES = 10_000


@kernel
def look(net: Any, view: Any, game: Any, state: Any, desk: Any) -> int:
    """Judge all actions in a state; return the number of active inputs."""
    count = features(view, game, state, desk.inputs, desk.value)
    judge_one(net, desk, count)
    return count


@kernel
def best_of(view: Any, game: Any, state: Any, desk: Any, listed: Any, count: int, rng: Any) -> int:
    """The place in the list of the legal move with the highest output; ties are drawn."""
    best, highest, ties = 0, np.float32(-1), 0
    for n in range(count):
        slot = action(view, game, state, listed[n])
        q = desk.output[slot] if slot >= 0 else np.float32(0)
        if q > highest:
            best, highest, ties = n, q, 1
        elif q == highest:
            ties += 1
            if below(rng, ties) == 0:
                best = n
    return best


@kernel
def highest_output(view: Any, game: Any, state: Any, desk: Any, listed: Any, count: int, masked: bool) -> float:
    """The highest output: of the legal moves, or of all, whether legal or not."""
    highest = 0.0
    if masked:
        for n in range(count):
            slot = action(view, game, state, listed[n])
            if slot >= 0:
                highest = max(highest, desk.output[slot])
    else:
        for slot in range(len(desk.output)):
            highest = max(highest, desk.output[slot])
    return highest


@kernel
def begin(
    game: Any, curriculum: Any, state: Any, seat: int, number: int, share: float, goal: int, stages: int, rng: Any
) -> None:
    """The start of a game: with a share that falls to nothing at `goal` games a position of the curriculum, of which later games see
    harder stages too.
    """
    start(game, state)
    if share > 0 and number < goal and uniform(rng) < share * (1 - number / goal):
        reached = min(number * stages // goal, stages - 1)
        set_up(curriculum, game, state, seat, below(rng, reached + 1), rng)


@kernel
def stir(game: Any, state: Any, opening: int, rng: Any, listed: Any) -> None:
    """Begin with random moves, at most `opening` of them: the learner is to know more than the games that it would play by itself."""
    for _ in range(below(rng, opening + 1) if opening > 0 else 0):
        seat = turn(game, state)
        if seat != OVER:
            play(game, state, random_move(game, state, seat, rng, listed))


@kernel
def result_for(game: Any, state: Any, seat: int, points: Any) -> float:
    """1 for a win, 0 for a loss, ½ for a draw."""
    scores(game, state, points)
    return 0.5 * (1.0 + points[seat])


@kernel
def learn_games(
    net: Any, view: Any, game: Any, sizes: Any, other: Any, mask: int, rotate: bool, curriculum: Any, share: float, goal: int,
    stages: int, seed: int, first: int, exploration: Any, rate: float, discount: float, masked: bool, errors: Any, won: Any,
) -> int:  # fmt: skip
    """Play games `first`, `first` + 1, …, one for each number in `exploration` (the share of random moves), and learn at each own decision from
    the one before; return the decisions made.

    Bit s of `mask` says that the learner sits in seat s, `other` in the rest; with `rotate` all move on by a seat a game. `errors` gets the mean
    absolute error of each game, `won` its result for the learner.
    """
    max_moves, state_size, seats, _ = sizes
    state, before = np.zeros(state_size, np.int64), np.zeros((seats, state_size), np.int64)
    rng, luck = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    listed, due, points = np.zeros(max_moves, np.int64), np.full(seats, -1, np.int64), np.zeros(seats)
    inputs, h1, h2, outputs = net.w1.shape[0], net.w1.shape[1], net.w2.shape[1], net.w3.shape[1]
    desk = new_desk(inputs, h1, h2, outputs)
    decisions = 0
    for number in range(first, first + len(exploration)):
        seed_stream(rng, seed, number, 0)
        seed_stream(luck, seed, number, 1)
        me = 0
        for seat in range(seats):
            due[seat] = -1
            if mask >> ((seat + number) % seats if rotate else seat) & 1:
                me = seat
        begin(game, curriculum, state, me, number, share, goal, stages, rng)
        total, steps = 0.0, 0
        for _ in range(MAX_PLIES):
            seat = turn(game, state)
            if seat == OVER:
                break
            if not mask >> ((seat + number) % seats if rotate else seat) & 1:
                play(game, state, choose(other, game, state, seat, luck))
                continue
            count = moves(game, state, seat, listed)
            look(net, view, game, state, desk)
            if due[seat] >= 0:
                target = discount * highest_output(view, game, state, desk, listed, count, masked)
                inputs = features(view, game, before[seat], desk.inputs, desk.value)
                total += abs(nudge_one(net, desk, inputs, due[seat], target, rate))
                steps += 1
                look(net, view, game, state, desk)
            chosen = best_of(view, game, state, desk, listed, count, luck)
            if uniform(luck) < exploration[number - first]:
                chosen = below(luck, count)
            decisions += 1
            due[seat] = action(view, game, state, listed[chosen])
            before[seat] = state
            play(game, state, listed[chosen])
        for seat in range(seats):
            if due[seat] >= 0:
                inputs = features(view, game, before[seat], desk.inputs, desk.value)
                target = result_for(game, state, seat, points)
                total += abs(nudge_one(net, desk, inputs, due[seat], target, rate))
                steps += 1
        won[number - first] = result_for(game, state, me, points)
        errors[number - first] = total / max(steps, 1)
    return decisions


@kernel
def play_batch(
    net: Any, view: Any, game: Any, sizes: Any, other: Any, mask: int, rotate: bool, curriculum: Any, share: float, goal: int,
    stages: int, seed: int, first: int, exploration: Any, discount: float, decay: float, masked: bool, opening: int, states: Any, actions: Any,
    targets: Any, won: Any,
) -> int:  # fmt: skip
    """Play such games with frozen weights; write each decision's state, output and λ-return, and return how many there are.

    The λ-return is Watkins's: it follows the game back from its end, and takes the network's word wherever the next move was random.
    """
    max_moves, state_size, seats, _ = sizes
    state = np.zeros(state_size, np.int64)
    rng, luck = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    listed, points = np.zeros(max_moves, np.int64), np.zeros(seats)
    inputs, h1, h2, outputs = net.w1.shape[0], net.w1.shape[1], net.w2.shape[1], net.w3.shape[1]
    desk = new_desk(inputs, h1, h2, outputs)
    value, explored, who = np.zeros(len(actions)), np.zeros(len(actions), np.bool_), np.zeros(len(actions), np.int64)
    ahead, trusted, worth = np.zeros(seats), np.zeros(seats, np.bool_), np.zeros(seats)
    rows = 0
    for number in range(first, first + len(exploration)):
        seed_stream(rng, seed, number, 0)
        seed_stream(luck, seed, number, 1)
        me, begun = 0, rows
        for seat in range(seats):
            if mask >> ((seat + number) % seats if rotate else seat) & 1:
                me = seat
        begin(game, curriculum, state, me, number, share, goal, stages, rng)
        stir(game, state, opening, rng, listed)
        for _ in range(MAX_PLIES):
            seat = turn(game, state)
            if seat == OVER:
                break
            if not mask >> ((seat + number) % seats if rotate else seat) & 1:
                play(game, state, choose(other, game, state, seat, luck))
                continue
            count = moves(game, state, seat, listed)
            if action(view, game, state, listed[0]) < 0:
                play(game, state, listed[0])
                continue
            look(net, view, game, state, desk)
            chosen = best_of(view, game, state, desk, listed, count, luck)
            explored[rows] = uniform(luck) < exploration[number - first]
            if explored[rows]:
                chosen = below(luck, count)
            value[rows] = highest_output(view, game, state, desk, listed, count, masked)
            who[rows] = seat
            states[rows] = state
            actions[rows] = action(view, game, state, listed[chosen])
            rows += 1
            play(game, state, listed[chosen])
        for seat in range(seats):
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
        won[number - first] = result_for(game, state, me, points)
    return rows


class Shown(NamedTuple):
    """A teacher who only shows the move that it makes: that is worth all, the others nothing."""

    player: Any


@implements(evaluate_moves, Shown)
def _(shown: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    count = moves(game, state, seat, listed)
    move = choose(shown.player, game, state, seat, rng)
    for n in range(count):
        values[n] = 1.0 if listed[n] == move else -1.0
    return count


@kernel
def teach_batch(
    net: Any, view: Any, game: Any, sizes: Any, other: Any, mask: int, rotate: bool, teacher: Any, follow: float, opening: int,
    seed: int, first: int, exploration: Any, states: Any, values: Any, shares: Any,
) -> int:  # fmt: skip
    """Play games in which a teacher is asked about every position; write the states, the teacher's value of each move and the share with which it
    would make it (both -1 where a move is illegal), and return how many there are.

    A share `follow` of the moves is the teacher's, the rest the network's own, so that it learns what to do where it will find itself. In half of
    the games `other` plays its seats, about which nobody is asked; in the other half there is nobody else.
    """
    max_moves, state_size, seats, _ = sizes
    state = np.zeros(state_size, np.int64)
    luck = np.zeros(1, np.uint64)
    listed, judged = np.zeros(max_moves, np.int64), np.zeros(max_moves)
    inputs, h1, h2, outputs = net.w1.shape[0], net.w1.shape[1], net.w2.shape[1], net.w3.shape[1]
    desk = new_desk(inputs, h1, h2, outputs)
    rows = 0
    for number in range(first, first + len(exploration)):
        seed_stream(luck, seed, number, 1)
        start(game, state)
        stir(game, state, opening, luck, listed)
        for _ in range(MAX_PLIES):
            seat = turn(game, state)
            if seat == OVER:
                break
            if number & 2 and not mask >> ((seat + number) % seats if rotate else seat) & 1:
                play(game, state, choose(other, game, state, seat, luck))
                continue
            count = moves(game, state, seat, listed)
            if action(view, game, state, listed[0]) < 0:
                play(game, state, listed[0])
                continue
            states[rows] = state
            for slot in range(outputs):
                values[rows, slot] = shares[rows, slot] = -1
            count = evaluate_moves(teacher, game, state, seat, luck, listed, judged)
            highest, ties = judged[:count].max(), 0
            for n in range(count):
                ties += judged[n] >= highest - 1e-6
            pick, move = below(luck, ties), listed[0]
            for n in range(count):
                slot = action(view, game, state, listed[n])
                best = judged[n] >= highest - 1e-6
                values[rows, slot] = 0.5 * (1.0 + judged[n])
                shares[rows, slot] = 1.0 / ties if best else 0.0
                if best:
                    if pick == 0:
                        move = listed[n]
                    pick -= 1
            if uniform(luck) < exploration[number - first]:
                move = listed[below(luck, count)]
            elif uniform(luck) >= follow:
                look(net, view, game, state, desk)
                move = listed[best_of(view, game, state, desk, listed, count, luck)]
            rows += 1
            play(game, state, move)
    return rows


@kernel
def show(
    view: Any, turned: Any, game: Any, states: Any, rows: Any, mirrored: Any, index: Any, value: Any, counts: Any
) -> None:
    """Write the inputs of some states, as `turned` sees them where `mirrored` says so."""
    for b in range(len(rows)):
        if mirrored[b]:
            counts[b] = features(turned, game, states[rows[b]], index[b], value[b])
        else:
            counts[b] = features(view, game, states[rows[b]], index[b], value[b])
