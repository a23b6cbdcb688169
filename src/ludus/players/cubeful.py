"""Looking ahead where there is a cube: whether to double, and whether to take, is decided at each roll before the dice, and such decisions are no plies of
their own. So a position with the cube is judged by what both sides make of it, each branch by the mean over all rolls: the value of not doubling sees
the rolls after which it is too late to double, and that of doubling those that one regrets.

Without lookahead `TDPlayer` handles the cube (`games/backgammon/judging.py`). Equities here are those of seat 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import CHANCE, chances, play, turn
from ludus.games.backgammon.cubeful import reward
from ludus.games.backgammon.judging import stake_of
from ludus.games.backgammon.match import DOUBLE, DOUBLED, PASS, PHASE, PLAYING, ROLL, TAKE
from ludus.games.backgammon.rules import DIE1, TURN
from ludus.kernel import implements, kernel
from ludus.nets.network import Network
from ludus.nets.value import best_move, predict
from ludus.players.base import choose_all
from ludus.search.lookahead import Plies, evaluate_now, expect, keep_behind, lookahead_workspace

FAR = 0.15  # a double that seems to lose so much of what lies between a game won and a game lost is not looked at again


class CubefulPlayer(NamedTuple):
    """Judges the best moves, and all that can be done with the cube, by the replies one or two plies ahead."""

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]
    plies: Plies


# --- positions -------------------------------------------------------------------------------------------------------


@kernel
def _glance(player: Any, game: Any, state: Any, space: Any) -> float:
    predict(player.net, player.encoding, game, state, space.ws)
    return float(space.ws.output[0])


@kernel
def _mean_one(player: Any, game: Any, state: Any, space: Any) -> float:
    """The mean over all rolls, each replied to as well as the network can."""
    chance = space.chance
    expect(player.net, player.encoding, game, state, space.ws, chance.outcomes, chance.odds, space.judgement)
    return float(space.judgement[0])


@kernel
def _branch(game: Any, state: Any, branches: Any) -> bool:
    """Write the states after a roll without a double, after a double and a take, after a double and a pass, where the cube is to be decided
    about; False where it is not. Where the double was made, the first is left out.
    """
    if state[TURN] < 0 or turn(game, state) < 0 or state[DIE1] > 0 or state[PHASE] > DOUBLED:
        return False
    for i in range(3):
        for j in range(len(state)):
            branches[i, j] = state[j]
    if state[PHASE] == PLAYING:
        play(game, branches[0], ROLL)
        play(game, branches[1], DOUBLE)
        play(game, branches[2], DOUBLE)
    play(game, branches[1], TAKE)
    play(game, branches[2], PASS)
    return True


@kernel
def _is_far(player: Any, game: Any, state: Any, branches: Any, space: Any) -> bool:
    """Whether a double is so clearly wrong at a glance that it needs no closer look."""
    if state[PHASE] == DOUBLED:
        return False
    sign = 1.0 if state[TURN] == 0 else -1.0
    hold = sign * _glance(player, game, branches[0], space)
    take = sign * _glance(player, game, branches[1], space)
    drop = sign * _glance(player, game, branches[2], space)
    stake, table = stake_of(game, state, state[TURN]), player.encoding.table
    won, lost = reward(table, stake.own, stake.other, stake.cube), -reward(table, stake.other, stake.own, stake.cube)
    return hold - min(take, drop) > FAR * (won - lost)


@kernel
def _agreed(game: Any, state: Any, hold: float, take: float, drop: float) -> float:
    """The equity of seat 0, if both sides decide for what is best for them; all are as seat 0 sees them."""
    sign = 1.0 if state[TURN] == 0 else -1.0
    take, drop, hold = sign * take, sign * drop, sign * hold
    if game.beavers > 0:
        take = min(take, 2 * take)
    double = min(take, drop)
    return sign * (double if state[PHASE] == DOUBLED else max(hold, double))


@kernel
def _settle_one(player: Any, game: Any, state: Any, space: Any) -> float:
    """What a state is worth one ply ahead, whoever has to decide about the cube first."""
    if turn(game, state) == CHANCE and state[TURN] >= 0:
        return _mean_one(player, game, state, space)
    branches = np.empty((3, len(state)), np.int64)
    if not _branch(game, state, branches):
        return _glance(player, game, state, space)
    hold = 0.0
    if state[PHASE] == PLAYING:
        hold = _mean_one(player, game, branches[0], space)
        if _is_far(player, game, state, branches, space):
            return hold
    take, drop = _mean_one(player, game, branches[1], space), _glance(player, game, branches[2], space)
    return _agreed(game, state, hold, take, drop)


@kernel
def _mean_two(player: Any, game: Any, state: Any, space: Any) -> float:
    """The mean over all rolls, each replied to as well as the network can, and judged one ply ahead after that."""
    outcomes, odds, child = np.empty_like(space.chance.outcomes), np.empty_like(space.chance.odds), np.empty_like(state)
    total = 0.0
    for i in range(chances(game, state, outcomes, odds)):
        child[:] = state
        play(game, child, outcomes[i])
        mover = turn(game, child)
        play(game, child, best_move(player.net, player.encoding, game, child, mover, space.ws))
        total += odds[i] * _settle_one(player, game, child, space)
    return total


@kernel
def _settle_two(player: Any, game: Any, state: Any, space: Any) -> float:
    """What a state is worth two plies ahead, whoever has to decide about the cube first."""
    if turn(game, state) == CHANCE and state[TURN] >= 0:
        return _mean_two(player, game, state, space)
    branches = np.empty((3, len(state)), np.int64)
    if not _branch(game, state, branches):
        return _glance(player, game, state, space)
    hold = 0.0
    if state[PHASE] == PLAYING:
        hold = _mean_two(player, game, branches[0], space)
        if _is_far(player, game, state, branches, space):
            return hold
    take, drop = _mean_two(player, game, branches[1], space), _glance(player, game, branches[2], space)
    return _agreed(game, state, hold, take, drop)


@kernel
def settle(player: Any, game: Any, state: Any, plies: int, space: Any) -> float:
    """What a state is worth to seat 0, judged 0, 1 or 2 plies ahead, whoever has to decide about the cube first."""
    if plies == 0:
        return _glance(player, game, state, space)
    return _settle_one(player, game, state, space) if plies == 1 else _settle_two(player, game, state, space)


# --- moves -----------------------------------------------------------------------------------------------------------


@kernel
def evaluate_cubefully(player: Any, game: Any, state: Any, seat: int, space: Any) -> int:
    """Write the moves of a seat and what they are worth to it; return how many there are. Of moves with checkers only the best are looked at again."""
    values, child = space.values, space.child
    count = evaluate_now(player.net, player.encoding, game, state, seat, space)
    if count == 1:
        return count
    width = player.plies.width if state[DIE1] > 0 else count
    order = np.argsort(-values[:count])
    floor = np.inf
    for i in order[:width]:
        child[:] = state
        play(game, child, space.legal[i])
        settled = settle(player, game, child, player.plies.depth, space)
        values[i] = settled if seat == 0 else -settled
        floor = min(floor, values[i])
    keep_behind(values, order, width, floor)
    return count


@kernel
def _best(player: Any, game: Any, state: Any, seat: int, space: Any) -> int:
    count = evaluate_cubefully(player, game, state, seat, space)
    return space.legal[np.argmax(space.values[:count])]


@implements(choose, CubefulPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return _best(player, game, state, seat, lookahead_workspace(player.net, game, player.sizes))


@implements(choose_all, CubefulPlayer)
def _(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any) -> None:
    space = lookahead_workspace(player.net, game, player.sizes)
    for i in range(len(states)):
        out[i] = _best(player, game, states[i], seats[i], space)


@implements(evaluate_moves, CubefulPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    space = lookahead_workspace(player.net, game, player.sizes)
    count = evaluate_cubefully(player, game, state, seat, space)
    legal[:count] = space.legal[:count]
    values[:count] = space.values[:count]
    return count
