"""Points less luck: what is left when what the dice brought is taken off."""

from __future__ import annotations

import numpy as np

FAITH = 10  # rounds for which it is taken for granted that luck counts in full


def less_luck(points: np.ndarray, luck: np.ndarray, size: int) -> np.ndarray:
    """The points of each round of `size` games, a game, less as much of the luck in them as the rounds before it suggest.

    The judge of luck takes it that all go on to play well. A player who makes nothing of good dice is not much helped by them, and to take their
    luck off in full would add to the variance instead. How much of it counts is the slope of points on luck. As it comes from earlier rounds alone, and luck has mean 0 in
    each round whatever was before, the mean of what is left is that of the points, exactly.

    >>> points, luck = np.array([1.0, -1.0, 1.0, 1.0]), np.array([0.5, -0.75, 0.25, 0.5])
    >>> less_luck(points, luck, 2).round(3).tolist()  # all of it, then most: one round tells little
    [0.125, 0.659]
    """
    made, lucky = (np.asarray(x, np.float64).reshape(-1, size).mean(axis=1) for x in (points, luck))

    def before(values: np.ndarray) -> np.ndarray:
        return np.cumsum(values) - values

    rounds = np.maximum(np.arange(len(made)), 1)
    squares = before(lucky**2)
    together = before(made * lucky) - before(made) * before(lucky) / rounds
    faith = FAITH * squares / rounds
    known = squares > 0
    counts = np.where(known, (together + faith) / np.where(known, squares + faith, 1.0), 1.0)
    return made - counts * lucky
