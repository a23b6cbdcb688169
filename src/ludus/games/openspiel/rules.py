"""The rules of a game of OpenSpiel, as kernels see them: whose turn it is stands in the state, all else is asked of the referee."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract import rules
from ludus.games.openspiel.referee import LIST, ODDS, PLAY, PLAY_JOINT, PLAYOUTS, SCORES, START, TURN
from ludus.kernel import call_python, draw, implements

ADDRESS, SEATS, INPUTS = range(3)  # places in `sizes`


class Asking(NamedTuple):
    """The rules of a game of OpenSpiel: where its referee is to be found."""

    text: np.ndarray  # what OpenSpiel calls the game, as bytes
    sizes: np.ndarray  # the address that kernels call, the number of seats, and that of the inputs of a network


@implements(rules.start, Asking)
def _(game: Any, state: Any) -> None:
    call_python(game.sizes[ADDRESS], START, state, 0, state)


@implements(rules.turn, Asking)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(rules.moves, Asking)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    return call_python(game.sizes[ADDRESS], LIST, state, seat, out)


@implements(rules.play, Asking)
def _(game: Any, state: Any, move: int) -> None:
    call_python(game.sizes[ADDRESS], PLAY, state, move, state)


@implements(rules.play_joint, Asking)
def _(game: Any, state: Any, joint: Any) -> None:
    call_python(game.sizes[ADDRESS], PLAY_JOINT, state, 0, joint)


@implements(rules.chances, Asking)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    count = call_python(game.sizes[ADDRESS], LIST, state, -1, outcomes)
    bits = np.zeros(
        len(probabilities), np.int64
    )  # what comes back from Python are whole numbers: here those that floats are made of
    call_python(game.sizes[ADDRESS], ODDS, state, 0, bits)
    odds = bits.view(np.float64)
    for i in range(count):
        probabilities[i] = odds[i]
    return count


@implements(rules.scores, Asking)
def _(game: Any, state: Any, out: Any) -> None:
    bits = np.zeros(game.sizes[SEATS], np.int64)
    call_python(game.sizes[ADDRESS], SCORES, state, 0, bits)
    found = bits.view(np.float64)
    for seat in range(len(bits)):
        out[seat] = found[seat]


@implements(rules.playouts, Asking)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    bits = np.zeros(1 + game.sizes[SEATS], np.int64)
    bits[0] = np.int64(draw(rng) >> np.uint64(1))
    call_python(game.sizes[ADDRESS], PLAYOUTS, state, count, bits)
    found = bits.view(np.float64)
    for seat in range(game.sizes[SEATS]):
        total[seat] += found[1 + seat]
