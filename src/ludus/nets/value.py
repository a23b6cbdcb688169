"""Judging positions and moves with a network, for any game and encoding, without looking ahead (`ludus.search.lookahead` does).

Learners use this in their self-play, players at the board. A judgement is an outcome vector in the seats' common terms
(see `features` in `ludus.contract.views`), and what it is worth to each seat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import EACH, JOINT, OVER, moves, play_each, play_joint, turn
from ludus.contract.views import MEMO, changes, features, from_view, known, outcome, section, standing, worth
from ludus.kernel import kernel
from ludus.nets.network import add_inputs, hidden_units, output_units, sigmoid_

OTHERS = 8  # moves of the others that are tried where all seats move at once
MAX_PLIES = 1000  # learners cut a game that is longer: some games can go on for ever


class Workspace(NamedTuple):
    """Arrays for the intermediate results of judging, made once and used again."""

    legal: np.ndarray  # moves
    children: np.ndarray  # states after some of the moves
    inputs: np.ndarray
    value: np.ndarray
    hidden: np.ndarray
    output: np.ndarray
    best: np.ndarray  # the judgement of the move chosen last
    worth: np.ndarray
    stood: (
        np.ndarray
    )  # the state with which those after moves are compared, the sums of its inputs, and what else is known of it
    sums: np.ndarray
    memo: np.ndarray  # what `standing` keeps for `changes`, and behind it the section
    judged: np.ndarray  # 1: positions judged so far, to choose among moves


@kernel
def workspace(net: Any, game: Any, max_moves: int, state_size: int, seats: int) -> Any:
    """A new workspace for one thread."""
    inputs, hidden, outputs = net.w1.shape[1], net.w1.shape[2], net.w2.shape[1]
    return Workspace(
        np.empty(max_moves, np.int64),
        np.zeros((min(max_moves, EACH), state_size), np.int64),
        np.zeros(inputs, np.int64),
        np.zeros(inputs, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(outputs, np.float32),
        np.zeros(outputs, np.float32),
        np.zeros(seats, np.float64),
        np.zeros(state_size, np.int64),
        np.zeros(hidden, np.float32),
        np.zeros(MEMO + 1, np.int64),
        np.zeros(1, np.int64),
    )


@kernel(inline=True)
def predict(net: Any, encoding: Any, game: Any, state: Any, ws: Any) -> None:
    """Judge a state after a move into `ws.output`: exactly if the game is over or its end is known, else by the network."""
    if turn(game, state) == OVER:
        outcome(encoding, game, state, ws.output)
        return
    if known(encoding, game, state, ws.output):
        return
    count = features(encoding, game, state, ws.inputs, ws.value)
    k = section(encoding, game, state)
    hidden_units(net, k, ws.inputs, ws.value, count, ws.hidden)
    output_units(net, k, ws.hidden, ws.output)
    from_view(encoding, game, state, ws.output)


@kernel
def survey(net: Any, encoding: Any, game: Any, state: Any, ws: Any) -> bool:
    """Get ready to judge the moves of a state by `predict_change`; False where the encoding can't help, and `predict` is as fast."""
    if not standing(encoding, game, state, ws.stood, ws.memo):
        return False
    k = section(encoding, game, ws.stood)
    ws.memo[MEMO] = k
    count = features(encoding, game, ws.stood, ws.inputs, ws.value)
    for j in range(len(ws.sums)):
        ws.sums[j] = net.b1[k, j]
    add_inputs(net, k, ws.inputs, ws.value, count, ws.sums)
    return True


@kernel(inline=True)
def predict_change(net: Any, encoding: Any, game: Any, state: Any, move: int, ws: Any) -> bool:
    """Judge the state after a move, by the inputs that it changes, into `ws.output`; False if it must be seen as a whole."""
    count = changes(encoding, game, state, move, ws.memo, ws.inputs, ws.value)
    if count < 0:
        return False
    k = ws.memo[MEMO]
    for j in range(len(ws.hidden)):
        ws.hidden[j] = ws.sums[j]
    add_inputs(net, k, ws.inputs, ws.value, count, ws.hidden)
    sigmoid_(ws.hidden)
    output_units(net, k, ws.hidden, ws.output)
    from_view(encoding, game, ws.stood, ws.output)
    return True


@kernel
def best_move(net: Any, encoding: Any, game: Any, state: Any, seat: int, ws: Any) -> int:
    """The move after which the network likes the position best for `seat`; its judgement goes to `ws.best`."""
    if turn(game, state) == JOINT:
        return _best_of_joint(net, encoding, game, state, seat, ws)
    legal, children, output, kept, values = ws.legal, ws.children, ws.output, ws.best, ws.worth
    count = moves(game, state, seat, legal)
    ws.judged[0] += count
    best, highest = legal[0], -np.inf
    surveyed = survey(net, encoding, game, state, ws)
    for first in range(0, count, EACH):
        here = min(count - first, EACH)
        if not surveyed:
            play_each(game, state, legal, first, here, children)
        for i in range(here):
            if not surveyed:
                predict(net, encoding, game, children[i], ws)
            elif not predict_change(net, encoding, game, state, legal[first + i], ws):
                play_each(game, state, legal, first + i, 1, children)
                predict(net, encoding, game, children[0], ws)
            worth(encoding, game, output, values)
            if values[seat] > highest:
                highest = values[seat]
                best = legal[first + i]
                for o in range(len(kept)):
                    kept[o] = output[o]
    return best


@kernel
def moves_of_others(game: Any, state: Any, seat: int, sample: int, joint: Any, legal: Any) -> None:
    """Where all seats move at once, write moves of all but `seat` to `joint`. The samples 0 to OTHERS - 1 spread evenly over the moves
    that each may make; `legal` is overwritten.
    """
    spread = sample
    for other in range(len(joint)):
        if other != seat:
            count = moves(game, state, other, legal)
            joint[other] = legal[(spread * count // OTHERS) % count]
            spread = (3 * spread + 1) % OTHERS  # another order for each of the others


@kernel
def _best_of_joint(net: Any, encoding: Any, game: Any, state: Any, seat: int, ws: Any) -> int:
    """The best move where all seats move at once, if the others choose any of theirs: a few of them, spread evenly, stand for all."""
    own = np.empty_like(ws.legal)
    joint, child = np.zeros(len(ws.worth), np.int64), np.empty_like(state)
    count = moves(game, state, seat, own)
    ws.judged[0] += count * OTHERS
    best, highest = own[0], -np.inf
    for i in range(count):
        total = 0.0
        for sample in range(OTHERS):
            moves_of_others(game, state, seat, sample, joint, ws.legal)
            joint[seat] = own[i]
            child[:] = state
            play_joint(game, child, joint)
            predict(net, encoding, game, child, ws)
            worth(encoding, game, ws.output, ws.worth)
            total += ws.worth[seat]
        if total > highest:
            highest = total
            best = own[i]
            ws.best[:] = ws.output
    return best
