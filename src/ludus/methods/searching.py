"""Self-play in which moves are found by alpha-beta search, and positions learn what the search says of them: for `selfplay` with `search`.

For two seats that take turns, without chance. The target of a position is the search's value of it, and a share λ of the way to what comes later in the game:

    G(t) = (1 - λ) · S(t) + λ · G(t+1)

S is the value of the search and G at the end is the outcome. What a network sees too late, a search of a few plies sees; so it learns to judge by what will happen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import JOINT, OVER, play, random_move, turn
from ludus.contract.views import features, from_scores, outcome, to_view
from ludus.kernel import below, kernel, uniform
from ludus.methods.episodes import MAX_PLIES, begin_episode, new_dice
from ludus.methods.lessons import new_room, teach
from ludus.nets.network import Inputs
from ludus.nets.value import workspace
from ludus.search.leaves import NetworkLeaf
from ludus.search.minimax import run
from ludus.search.minimax_space import BEST, BEST_MOVE, NODES, WON, MinimaxOptions, begin, new_workspace

TABLE_BITS = 13
ENOUGH = 1 << 40  # nodes: a search ends by its depth


class Search(NamedTuple):
    """How moves are found."""

    plies: int
    options: MinimaxOptions


@kernel
def search_and_learn(
    net: Any, place: Any, encoding: Any, game: Any, sizes: Any, batch: Any, options: Any, how: Any
) -> Any:
    """Play a batch of games against oneself by searches, and have what they teach learned or noted; return the number of positions in them,
    and of those judged.
    """
    max_moves, state_size, seats, max_chances = sizes
    inputs, outputs = net.w1.shape[1], net.w2.shape[1]
    view = NetworkLeaf(net, encoding, workspace(net, game, max_moves, state_size, seats))
    search = new_workspace(max_moves, state_size, seats, TABLE_BITS)
    ws = workspace(net, game, max_moves, state_size, seats)
    state = np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rng = dice.dice
    states = np.zeros((MAX_PLIES, state_size), np.int64)
    index, value = np.zeros((MAX_PLIES, inputs), np.int64), np.zeros((MAX_PLIES, inputs), np.float32)
    counts = np.zeros(MAX_PLIES, np.int64)
    found = np.zeros((MAX_PLIES, outputs), np.float32)  # S
    target, seen = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    room, points = new_room(net), np.zeros(seats)
    explored = np.zeros(MAX_PLIES + 1, np.bool_)  # whether the move from a position was a random one
    positions, judged = 0, 0
    decay = np.float32(options.decay)
    for number in range(batch.first, batch.first + batch.games):
        begin_episode(game, state, dice, batch.seed, number)
        search.table.keys[:] = 0
        plies = 0
        unlearned = below(rng, options.opening + 1) if options.opening > 0 else 0
        while turn(game, state) != OVER and plies < MAX_PLIES:
            seat = turn(game, state)
            if seat == JOINT:  # nothing that a search could say more of
                break
            if unlearned > 0:
                unlearned -= 1
                play(game, state, random_move(game, state, seat, rng, ws.legal))
                continue
            begin(search, game, state, how.plies, -9.0, 9.0)
            search.cursor[NODES] = 0
            run(search, game, view, how.options, ENOUGH)
            judged += search.cursor[NODES]
            best = min(max(search.bounds[0, BEST], -WON), WON) * (1 if seat == 0 else -1)
            # Values of the search are differences of two scores, from -1 to 1.
            points[0], points[1] = (
                0.5 * (how.options.middle + best / how.options.scale),
                0.5 * (how.options.middle - best / how.options.scale),
            )
            from_scores(encoding, game, points, found[plies])
            states[plies] = state
            counts[plies] = features(encoding, game, state, index[plies], value[plies])
            explored[plies] = uniform(rng) < options.exploration
            plies += 1
            move = random_move(game, state, seat, rng, ws.legal) if explored[plies - 1] else search.frames[0, BEST_MOVE]
            play(game, state, move)
        positions += plies
        if plies == 0:
            continue
        if turn(game, state) == OVER:
            outcome(encoding, game, state, target)
        else:
            target[:] = found[plies - 1]
        for t in range(plies - 1, -1, -1):
            if explored[t]:
                target[:] = found[t]
            else:
                target[:] = found[t] + decay * (target - found[t])
            seen[:] = target
            to_view(encoding, game, states[t], seen)
            teach(place, net, encoding, game, states[t], Inputs(index[t], value[t], counts[t]), seen, room)
    return positions, judged
