"""Judging positions and moves with a network, for any game and encoding, without looking ahead (`ludus.search.lookahead` does).

Learners use this in their self-play, players at the board. A judgement is an outcome vector in the seats' common terms
(see `features` in `ludus.contract.views`), and what it is worth to each seat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import EACH, JOINT, OVER, moves, play_each, play_joint, turn
from ludus.contract.views import MEMO, changes, features, from_view, known, outcome, section, standing, worth
from ludus.kernel import below, kernel
from ludus.nets.network import add_inputs, hidden_units, output_units, sigmoid_

OTHERS = 8  # moves of the others that are tried where all seats move at once
SLOTS = 8  # moves that are kept at first sight, at most
NUDGE = np.float32(0.01)  # by which outputs are changed to see what that is worth
MAX_PLIES = 1000  # learners cut a game that is longer: some games can go on for ever


class Sight(NamedTuple):
    """Arrays for a first sight of moves (`survey_slopes`, `best_by_slopes`)."""

    pull: np.ndarray  # what a seat gains by a little more of each hidden unit's sum
    slopes: np.ndarray  # and of each input
    promise: np.ndarray  # of the moves that are kept: what they promise to gain,
    moves: np.ndarray
    counts: np.ndarray  # how many inputs they change,
    inputs: np.ndarray  # which,
    values: np.ndarray  # and by how much


class Surveyed(NamedTuple):
    """What is known of the state with which those after moves are compared (`survey`)."""

    inputs: np.ndarray
    values: np.ndarray
    facts: np.ndarray  # how many inputs there are, and its section
    sums: np.ndarray  # of each section: the sums of its inputs, before the sigmoid,
    ready: np.ndarray  # if they are there


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
    stood: np.ndarray  # the state with which those after moves are compared, and what is known of it
    surveyed: Surveyed
    memo: np.ndarray  # what `standing` keeps for `changes`, and behind it the section of the state after a move
    judged: np.ndarray  # 1: positions judged so far, to choose among moves
    sight: Sight


@kernel
def workspace(net: Any, game: Any, max_moves: int, state_size: int, seats: int) -> Any:
    """A new workspace for one thread."""
    sections, inputs, hidden = net.w1.shape
    outputs = net.w2.shape[1]
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
        Surveyed(
            np.zeros(inputs, np.int64),
            np.zeros(inputs, np.float32),
            np.zeros(2, np.int64),
            np.zeros((sections, hidden), np.float32),
            np.zeros(sections, np.bool_),
        ),
        np.zeros(MEMO + 1, np.int64),
        np.zeros(1, np.int64),
        Sight(
            np.zeros(hidden, np.float32),
            np.zeros(inputs, np.float32),
            np.zeros(SLOTS, np.float32),
            np.zeros(SLOTS, np.int64),
            np.zeros(SLOTS, np.int64),
            np.zeros((SLOTS, inputs), np.int64),
            np.zeros((SLOTS, inputs), np.float32),
        ),
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
    seen = ws.surveyed
    seen.facts[0], seen.facts[1] = (
        features(encoding, game, ws.stood, seen.inputs, seen.values),
        section(encoding, game, ws.stood),
    )
    for k in range(len(seen.ready)):
        seen.ready[k] = False
    _survey_section(net, seen.facts[1], seen)
    ws.memo[MEMO] = seen.facts[1]
    return True


@kernel
def _survey_section(net: Any, k: int, seen: Any) -> None:
    """Find the sums of a section."""
    sums = seen.sums[k]
    for j in range(len(sums)):
        sums[j] = net.b1[k, j]
    add_inputs(net, k, seen.inputs, seen.values, seen.facts[0], sums)
    seen.ready[k] = True


@kernel(inline=True)
def _judge_changes(net: Any, encoding: Any, game: Any, index: Any, value: Any, count: int, ws: Any) -> None:
    """Judge the state after a move, of which `changes` said that so many inputs differ, into `ws.output`."""
    k, sums = ws.memo[MEMO], ws.surveyed.sums
    if not ws.surveyed.ready[k]:
        _survey_section(net, k, ws.surveyed)
    for j in range(len(ws.hidden)):
        ws.hidden[j] = sums[k, j]
    add_inputs(net, k, index, value, count, ws.hidden)
    sigmoid_(ws.hidden)
    output_units(net, k, ws.hidden, ws.output)
    from_view(encoding, game, ws.stood, ws.output)


@kernel(inline=True)
def predict_change(net: Any, encoding: Any, game: Any, state: Any, move: int, ws: Any) -> bool:
    """Judge the state after a move, by the inputs that it changes, into `ws.output`; False if it must be seen as a whole."""
    count = changes(encoding, game, state, move, ws.memo, ws.inputs, ws.value)
    if count < 0:
        return False
    _judge_changes(net, encoding, game, ws.inputs, ws.value, count, ws)
    return True


@kernel
def best_move(net: Any, encoding: Any, game: Any, state: Any, seat: int, ws: Any) -> int:
    """The move after which the network likes the position best for `seat`; its judgement goes to `ws.best`."""
    if turn(game, state) == JOINT:
        return _best_of_joint(net, encoding, game, state, seat, ws)
    return best_surveyed(net, encoding, game, state, seat, survey(net, encoding, game, state, ws), ws)


@kernel
def best_surveyed(net: Any, encoding: Any, game: Any, state: Any, seat: int, surveyed: bool, ws: Any) -> int:
    """As `best_move`, where `survey` was asked before: once for all rolls in the same position, say."""
    legal, children, output, kept, values = ws.legal, ws.children, ws.output, ws.best, ws.worth
    count = moves(game, state, seat, legal)
    ws.judged[0] += count
    best, highest = legal[0], -np.inf
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
def near_best(net: Any, encoding: Any, game: Any, state: Any, seat: int, margin: float, rng: Any, ws: Any) -> int:
    """A random one of the moves that seem at most `margin` worse than the best; `ws.best` must hold its judgement, as `best_move` leaves it."""
    worth(encoding, game, ws.best, ws.worth)
    least = ws.worth[seat] - margin
    count = moves(game, state, seat, ws.legal)
    chosen, found = ws.legal[0], 0
    for i in range(count):
        play_each(game, state, ws.legal, i, 1, ws.children)
        predict(net, encoding, game, ws.children[0], ws)
        worth(encoding, game, ws.output, ws.worth)
        if ws.worth[seat] >= least:
            found += 1
            if below(rng, found) == 0:  # each of those found so far with the same chance
                chosen = ws.legal[i]
    return chosen


# --- at first sight ---------------------------------------------------------------------------------------------------
# Looking ahead asks for the best move again and again, after each roll in the same position. What a move promises is then seen at first sight: the slope of the
# network at that position, times the changes of the inputs. Those that promise most are judged by the network itself. In backgammon they are a third of the moves, and
# hold all but 0.0001 of a point of what the best one is worth on average.


@kernel(fastmath=True)
def survey_slopes(net: Any, encoding: Any, game: Any, seat: int, ws: Any) -> None:
    """After `survey`: what `seat` would gain by a little more of each input."""
    k, hidden, output, pull, slopes = ws.surveyed.facts[1], ws.hidden, ws.output, ws.sight.pull, ws.sight.slopes
    units, outputs = len(hidden), len(output)
    for j in range(units):
        hidden[j] = ws.surveyed.sums[k, j]
        pull[j] = 0
    sigmoid_(hidden)
    for o in range(-1, outputs):
        output_units(net, k, hidden, output)
        steep = np.float32(0)
        if o >= 0:
            steep = output[o] * (np.float32(1) - output[o])
            output[o] += NUDGE
        from_view(encoding, game, ws.stood, output)
        worth(encoding, game, output, ws.worth)
        if o < 0:
            before = ws.worth[seat]
            continue
        gain = np.float32((ws.worth[seat] - before) / NUDGE) * steep
        for j in range(units):
            pull[j] += gain * net.w2[k, o, j]
    for j in range(units):
        pull[j] *= hidden[j] * (np.float32(1) - hidden[j])
    for i in range(len(slopes)):
        total = np.float32(0)
        for j in range(units):
            total += net.w1[k, i, j] * pull[j]
        slopes[i] = total


@kernel
def best_by_slopes(net: Any, encoding: Any, game: Any, state: Any, seat: int, ws: Any) -> int:
    """As `best_move`, of the moves that promise most; `survey` and `survey_slopes` were asked before."""
    legal, sight = ws.legal, ws.sight
    count = moves(game, state, seat, legal)
    most = min(5 + count // 8, SLOTS)
    if count <= most:
        return best_surveyed(net, encoding, game, state, seat, True, ws)
    best, highest, kept, last, own = legal[0], -np.inf, 0, 0, ws.surveyed.facts[1]
    for i in range(count):
        changed = changes(encoding, game, state, legal[i], ws.memo, ws.inputs, ws.value)
        if changed < 0:  # it must be seen as a whole
            play_each(game, state, legal, i, 1, ws.children)
            predict(net, encoding, game, ws.children[0], ws)
            best, highest = _better(encoding, game, seat, legal[i], best, highest, ws)
            continue
        if ws.memo[MEMO] != own:  # the slopes are not those of this section
            ws.judged[0] += 1
            _judge_changes(net, encoding, game, ws.inputs, ws.value, changed, ws)
            best, highest = _better(encoding, game, seat, legal[i], best, highest, ws)
            continue
        promise = np.float32(0)
        for a in range(changed):
            promise += ws.value[a] * sight.slopes[ws.inputs[a]]
        if kept < most:
            slot = kept
            kept += 1
        elif promise > sight.promise[last]:
            slot = last
        else:
            continue
        sight.promise[slot], sight.moves[slot], sight.counts[slot] = promise, legal[i], changed
        for a in range(changed):
            sight.inputs[slot, a] = ws.inputs[a]
            sight.values[slot, a] = ws.value[a]
        if kept == most:
            last = 0
            for other in range(1, most):
                if sight.promise[other] < sight.promise[last]:
                    last = other
    ws.judged[0] += kept
    ws.memo[MEMO] = own
    for slot in range(kept):
        _judge_changes(net, encoding, game, sight.inputs[slot], sight.values[slot], sight.counts[slot], ws)
        best, highest = _better(encoding, game, seat, sight.moves[slot], best, highest, ws)
    return best


@kernel(inline=True)
def _better(encoding: Any, game: Any, seat: int, move: int, best: int, highest: float, ws: Any) -> tuple[int, float]:
    """The better of the best move so far and the one whose judgement is in `ws.output`."""
    worth(encoding, game, ws.output, ws.worth)
    if ws.worth[seat] <= highest:
        return best, highest
    ws.best[:] = ws.output
    return move, ws.worth[seat]


# --- where all seats move at once -------------------------------------------------------------------------------------


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
