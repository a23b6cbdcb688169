"""What games demand, as weights: how a method does where much of it is demanded.

A game's weight for a demand goes from 0, where the suite demands least of it, to 1, where it demands most. The number of moves and the length of games are
taken as logarithms, as twice as many are one step. A method's figure is its mean score over games, weighted so. A demand that is the same in all games has no figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ludus.comparing.results import Comparison, Demands

DEMANDS: dict[str, Callable[[Demands], float]] = {
    "chance": lambda game: game.chance,
    "many seats": lambda game: float(game.seats),
    "many moves": lambda game: math.log(max(game.branching, 1.0)),
    "long games": lambda game: math.log(max(game.length, 1.0)),
    "joint moves": lambda game: game.joint,
}


def weights(comparison: Comparison, games: Sequence[str]) -> dict[str, np.ndarray]:
    """The weights of games, by demand."""
    found = {}
    for demand, of in DEMANDS.items():
        values = np.array([of(comparison.game(game).demands) for game in games])
        if len(values) and np.ptp(values) > 0:
            found[demand] = (values - values.min()) / np.ptp(values)
    return found
