"""Rollouts: a position is played to its end again and again by a network against itself, and the mean of what comes out says what it is worth.

Two things let few games tell much. *Luck is taken off*: at each roll the network judges the best move of every roll there could have been; what the roll that came
brings beyond the mean of all is luck, and is subtracted from the outcome. Its mean is 0 whatever the network thinks, so the mean of a rollout stays what it is.
And *dice are stratified*: in each 36 games the first roll and the second go evenly through all that they may be, in each 1,296 so do all pairs of them.

The dice of a game depend on the seed and its number only. So moves are compared with the same dice, and it does not matter who plays which games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, OVER, chances, play, turn
from ludus.contract.views import known, outcome, worth
from ludus.kernel import below, kernel, seed_stream, uniform
from ludus.nets.value import MAX_PLIES, best_move, predict, workspace
from ludus.scale.processes import Tell

LAYERS = 36  # of the first two rolls
ROLLOUT, SHUFFLE = 3, 4  # the purposes of streams of random numbers


class Manner(NamedTuple):
    """How games are played out."""

    seed: int
    truncate: int  # rolls after which the network's judgement stands for the rest; 0: to the end


class Room(NamedTuple):
    """Arrays for a game that is played out."""

    state: np.ndarray
    rolled: np.ndarray
    outcomes: np.ndarray
    odds: np.ndarray
    dice: np.ndarray
    mean: np.ndarray  # of the judgements after all rolls
    best: np.ndarray  # the judgement after the roll that came
    luck: np.ndarray  # its sum over the game
    layers: np.ndarray  # in which order the second roll goes through its layers


@kernel
def _share(number: int, roll: int, layers: Any, dice: Any) -> float:
    """A random share of all chances: of one of 36 layers for the first two rolls of a game."""
    share = uniform(dice)
    if roll == 0:
        return (number % LAYERS + share) / LAYERS
    if roll == 1:
        return (layers[(number % LAYERS + number // LAYERS) % LAYERS] + share) / LAYERS
    return share


@kernel
def _shuffle(layers: Any, dice: Any) -> None:
    for i in range(LAYERS):
        j = below(dice, i + 1)
        layers[i] = layers[j]
        layers[j] = i


@kernel
def _drawn(odds: Any, count: int, share: float) -> int:
    for i in range(count - 1):
        share -= odds[i]
        if share < 0:
            return i
    return count - 1


@kernel
def _play_out(net: Any, encoding: Any, game: Any, start: Any, number: int, manner: Any, room: Any, ws: Any) -> None:
    """Play one game from a state on; what comes out, less luck, goes to `room.best`."""
    state, rolled, outcomes, odds, dice, mean, best, luck, layers = room
    seed_stream(dice, manner.seed, number, ROLLOUT)
    state[:] = start
    luck[:] = 0
    rolls = 0
    for _ in range(MAX_PLIES):
        seat = turn(game, state)
        if seat == OVER:
            outcome(encoding, game, state, best)
            break
        if known(encoding, game, state, best):
            break
        if seat != CHANCE:
            play(game, state, best_move(net, encoding, game, state, seat, ws))
            best[:] = ws.best
            continue
        count = chances(game, state, outcomes, odds)
        chosen = _drawn(odds, count, _share(number, rolls, layers, dice))
        rolls += 1
        move = -1
        mean[:] = 0
        for i in range(count):
            rolled[:] = state
            play(game, rolled, outcomes[i])
            mover = turn(game, rolled)
            if mover >= 0:
                found = best_move(net, encoding, game, rolled, mover, ws)
                mean += np.float32(odds[i]) * ws.best
                if i == chosen:
                    move = found
                    best[:] = ws.best
            else:
                predict(net, encoding, game, rolled, ws)
                mean += np.float32(odds[i]) * ws.output
                if i == chosen:
                    best[:] = ws.output
        luck += best - mean
        play(game, state, outcomes[chosen])
        if move >= 0:
            play(game, state, move)
        if rolls == manner.truncate:
            break
    best -= luck


@kernel
def play_out(net: Any, encoding: Any, game: Any, starts: Any, first: int, manner: Any, sizes: Any, found: Any) -> None:
    """Play games out from each of some states, with the numbers from `first` on: found[start, game, output] is what comes out."""
    max_moves, state_size, seats, max_chances = sizes
    ws = workspace(net, game, max_moves, state_size, seats)
    outputs = found.shape[2]
    room = Room(
        np.zeros(state_size, np.int64),
        np.zeros(state_size, np.int64),
        np.zeros(max_chances, np.int64),
        np.zeros(max_chances),
        np.zeros(1, np.uint64),
        np.zeros(outputs, np.float32),
        np.zeros(outputs, np.float32),
        np.zeros(outputs, np.float32),
        np.zeros(LAYERS, np.int64),
    )
    seed_stream(room.dice, manner.seed, 0, SHUFFLE)
    _shuffle(room.layers, room.dice)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            _play_out(net, encoding, game, starts[i], first + j, manner, room, ws)
            found[i, j] = room.best


@kernel
def worths(encoding: Any, game: Any, found: Any, out: Any) -> None:
    """What each outcome is worth: out[game, seat]."""
    for i in range(len(found)):
        worth(encoding, game, found[i], out[i])


def play_part(
    net: Any, encoding: Any, game: Any, sizes: Any, manner: Any, starts: Any, numbers: range, tell: Tell
) -> Any:
    """Some games of a rollout, in whatever thread or process this is."""
    tell(0)
    found = np.zeros((len(starts), len(numbers), encoding.shape(game)[2]), np.float32)
    play_out(net, encoding, game, starts, numbers.start, manner, sizes, found)
    return found
