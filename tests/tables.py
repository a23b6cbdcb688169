"""An encoding for the toy game of Race that is a table in disguise: one input for each position of the runners.

It shows the track from the view of the seat about to roll, so that positions which differ only by the seats' names are
one. With four seats it shows how outcomes turn with the view.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract import features, from_view, outcome, scores, to_view, worth
from ludus.kernel import implements
from toys import Race


class RaceTable(NamedTuple):
    """Four outputs: who wins, counted from the seat about to roll."""

    seats: int = 4

    def shape(self, game: Race) -> tuple[int, int, int]:
        return 1, game.length**4, 4


@implements(features, RaceTable)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    index[0] = 0
    for i in range(4):
        index[0] = game.length * index[0] + state[(state[4] + i) % 4]
    value[0] = 1
    return 1


@implements(outcome, RaceTable)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    scores(game, state, out)


@implements(worth, RaceTable)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    for seat in range(4):
        out[seat] = prediction[seat]


@implements(to_view, RaceTable)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    before = np.copy(vector)
    for i in range(4):
        vector[i] = before[(state[4] + i) % 4]


@implements(from_view, RaceTable)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    before = np.copy(vector)
    for i in range(4):
        vector[(state[4] + i) % 4] = before[i]
