"""How a network sees the states of a game of OpenSpiel: by OpenSpiel's own observation tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import scores
from ludus.contract.views import features, from_scores, outcome, worth
from ludus.games.openspiel.referee import TENSOR
from ludus.games.openspiel.rules import ADDRESS, INPUTS, SEATS
from ludus.kernel import call_python, implements


class Tensor(NamedTuple):
    """The tensor as seat 0 sees it, an input for each number; an output for the score of each seat, from the lowest to the highest there is."""

    low: float
    high: float

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and outputs of a network for this."""
        return 1, int(game.sizes[INPUTS]), int(game.sizes[SEATS])


@implements(features, Tensor)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    bits = np.zeros(game.sizes[INPUTS], np.int64)
    call_python(game.sizes[ADDRESS], TENSOR, state, 0, bits)
    seen, found = bits.view(np.float64), 0
    for i in range(len(seen)):
        if seen[i] != 0:
            index[found] = i
            value[found] = seen[i]
            found += 1
    return found


@implements(outcome, Tensor)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    points = np.zeros(game.sizes[SEATS])
    scores(game, state, points)
    for seat in range(len(points)):
        out[seat] = (points[seat] - encoding.low) / (encoding.high - encoding.low)


@implements(from_scores, Tensor)
def _(encoding: Any, game: Any, points: Any, out: Any) -> bool:
    for seat in range(len(out)):
        out[seat] = (points[seat] - encoding.low) / (encoding.high - encoding.low)
    return True


@implements(worth, Tensor)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    for seat in range(len(out)):
        out[seat] = encoding.low + prediction[seat] * (encoding.high - encoding.low)
