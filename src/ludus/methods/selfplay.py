"""Self-play with λ-returns on all cores: the learner behind the strongest players.

A batch of games is played with the weights as they are; every position reached gets a target, and Adam (Kingma & Ba 2015)
takes one step on the cross-entropy between predictions and targets. The target of a position is its λ-return, the forward
view of TD(λ) (Sutton 1988):

    G(t) = B(t) + λ · (G(t+1) - V(t+1)),    where B(t) = V(t+1)

V are the network's judgements and G at the end is the outcome. With `look_ahead`, B(t) is instead the average over all
rolls of the best reply to each, which takes the luck of the dice out of the target, as variance reduction does in
rollouts of GNU Backgammon. Games are independent of each other and gradients are summed in a fixed order, so that the
result does not depend on the number of cores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import CHANCE, JOINT, OVER, play, play_joint, playouts, random_move, roll, start, turn
from ludus.contract.views import features, from_scores, outcome, section, to_view
from ludus.kernel import below, kernel, seed_stream, uniform
from ludus.nets.network import add_gradient, hidden_units, output_units
from ludus.nets.value import MAX_PLIES, best_move, predict, workspace
from ludus.search.lookahead import expect


@kernel
def play_and_learn(
    net: Any, gradient: Any, encoding: Any, game: Any, sizes: Any, seed: int, first: int, games: int, decay: float,
    look_ahead: bool, exploration: float, opening: int, games_on: int, share: float,
) -> int:  # fmt: skip
    """Play games `first` to `first + games - 1` against oneself and add what they teach to `gradient`; return the number of positions.

    For games without chance: `exploration` is the share of random moves, and up to `opening` moves at the beginning are random too, how many differs from game
    to game; nothing is learned from these. `share` is that of the target which comes from playing on `games_on` times at random. What comes after such a move does not count for what came before it: the best move's judgement does.
    """
    max_moves, state_size, seats, max_chances = sizes
    inputs, units, outputs = net.w1.shape[1], net.w1.shape[2], net.w2.shape[1]
    ws = workspace(net, game, max_moves, state_size, seats)
    state = np.zeros(state_size, np.int64)
    rng = np.zeros(1, np.uint64)
    outcomes, odds = np.zeros(max_chances, np.int64), np.zeros(max_chances)
    # What is remembered of each position of a game.
    states = np.zeros((MAX_PLIES, state_size), np.int64)
    index, value = np.zeros((MAX_PLIES, inputs), np.int64), np.zeros((MAX_PLIES, inputs), np.float32)
    counts = np.zeros(MAX_PLIES, np.int64)
    judged = np.zeros((MAX_PLIES + 1, outputs), np.float32)  # V: one more, for the end
    expected = np.zeros((MAX_PLIES, outputs), np.float32)  # B, where it is not V of the next position
    target, error = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    back = np.zeros(units, np.float32)
    explored = np.zeros(MAX_PLIES + 1, np.bool_)  # whether the move to a position was a random one
    joint, total = np.zeros(seats, np.int64), np.zeros(seats)
    positions = 0
    for number in range(first, first + games):
        seed_stream(rng, seed, number, 0)
        start(game, state)
        plies = 0
        unlearned = below(rng, opening + 1) if opening > 0 else 0
        while True:
            seat = turn(game, state)
            if seat == OVER:
                outcome(encoding, game, state, judged[plies])
                break
            if plies == MAX_PLIES:  # the network's judgement stands for the outcome
                judged[plies] = judged[plies - 1]
                break
            if seat == CHANCE:
                play(game, state, roll(game, state, rng, outcomes, odds))
                continue
            explored[plies] = False
            if unlearned > 0:
                unlearned -= 1
                if seat == JOINT:
                    for s in range(seats):
                        joint[s] = random_move(game, state, s, rng, ws.legal)
                    play_joint(game, state, joint)
                else:
                    play(game, state, random_move(game, state, seat, rng, ws.legal))
                continue
            if seat == JOINT:
                for s in range(seats):
                    if exploration > 0 and uniform(rng) < exploration:
                        joint[s] = random_move(game, state, s, rng, ws.legal)
                    else:
                        joint[s] = best_move(net, encoding, game, state, s, ws)
                play_joint(game, state, joint)
                predict(net, encoding, game, state, ws)
                ws.best[:] = ws.output
            else:
                move = best_move(net, encoding, game, state, seat, ws)
                if exploration > 0 and uniform(rng) < exploration:
                    explored[plies] = True
                    expected[max(plies - 1, 0)] = ws.best
                    move = random_move(game, state, seat, rng, ws.legal)
                play(game, state, move)
                if explored[plies]:
                    predict(net, encoding, game, state, ws)
                    ws.best[:] = ws.output
            if turn(game, state) != OVER:
                states[plies] = state
                judged[plies] = ws.best
                if look_ahead:
                    expect(net, encoding, game, state, ws, outcomes, odds, expected[plies])
                counts[plies] = features(encoding, game, state, index[plies], value[plies])
                plies += 1
        # Backwards through the game: targets, and what they ask of the weights.
        positions += plies
        correction = np.zeros(outputs, np.float32)  # λ (G - V) of the next position
        for t in range(plies - 1, -1, -1):
            if explored[t + 1]:
                target[:] = expected[t]
            else:
                target[:] = (expected[t] if look_ahead else judged[t + 1]) + correction
            correction[:] = np.float32(decay) * (target - judged[t])
            if share > 0:
                total[:] = 0
                playouts(game, states[t], rng, games_on, sizes, total)
                for s in range(seats):
                    total[s] /= games_on
                if from_scores(encoding, game, total, ws.output):
                    for o in range(outputs):
                        target[o] += np.float32(share) * (ws.output[o] - target[o])
            to_view(encoding, game, states[t], target)
            k = section(encoding, game, states[t])
            hidden_units(net, k, index[t], value[t], counts[t], ws.hidden)
            output_units(net, k, ws.hidden, ws.output)
            for o in range(outputs):
                error[o] = ws.output[o] - target[o]
            add_gradient(net, gradient, k, index[t], value[t], counts[t], ws.hidden, error, back)
    return positions


@kernel(fastmath=True)
def adam_step(weights: Any, gradient: Any, first: Any, second: Any, scale: float, rate: float, step: int) -> None:
    """One step of Adam on flat arrays; the gradient is scaled, used and set to zero."""
    b1, b2 = np.float32(0.9), np.float32(0.999)
    unbias1 = np.float32(1 / (1 - 0.9**step))
    unbias2 = np.float32(1 / (1 - 0.999**step))
    one, tiny, lr, s = np.float32(1), np.float32(1e-8), np.float32(rate), np.float32(scale)
    for i in range(len(weights)):
        g = gradient[i] * s
        first[i] = b1 * first[i] + (one - b1) * g
        second[i] = b2 * second[i] + (one - b2) * g * g
        weights[i] -= lr * first[i] * unbias1 / (np.sqrt(second[i] * unbias2) + tiny)
        gradient[i] = 0
