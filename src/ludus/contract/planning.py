"""What a game can tell a planner (`search.planning`) beside its rules. Both are offered by methods of a game; a planner does without where there are none.

`counter()`: what of a state only counts steps. Its count grows by itself, and neither legal moves nor the rest of the state depend on it; the end of the game and
its score may. A clock (`contract.clock`) is a counter of which more is known.

`guide()`: about how far it is from a state to the best end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.contract.clock import clock_of
from ludus.contract.rules import Floats, Rules, State
from ludus.kernel import generic, implements


class NoGuide(NamedTuple):
    """Of a game that can't say how far it is to the best end."""

    best: float = np.inf  # no end of the game has a higher score


@generic
def steps_to_go(guide: Any, game: Rules, states: NDArray[np.int64], count: int, out: Floats, /) -> None:
    """Write a guess of how many moves lead to the best end of the game, for each of `count` states, at most EACH; infinite where none do."""


@generic
def best_ahead(guide: Any, game: Rules, state: State, /) -> float:
    """The highest score that may still lie ahead of a state, or of any other one with the same count of steps: none is higher."""


@implements(steps_to_go, NoGuide)
def _(guide: Any, game: Any, states: Any, count: int, out: Any) -> None:
    for i in range(count):
        out[i] = 0.0


@implements(best_ahead, NoGuide)
def _(guide: Any, game: Any, state: Any) -> float:
    return guide.best


def counter_of(game: Any) -> Any:
    """What of a state only counts steps, as something that `contract.clock.wind` can set back; NoClock if nothing does.

    >>> import ludus
    >>> type(counter_of(ludus.game("eightpuzzle"))).__name__, type(counter_of(ludus.game("tictactoe"))).__name__
    ('StepCounter', 'NoClock')
    """
    return game.counter() if hasattr(game, "counter") else clock_of(game)


def guide_of(game: Any) -> Any:
    """The guide that a game offers, or NoGuide.

    >>> import ludus
    >>> guide_of(ludus.game("quoridor"))
    NoGuide(best=inf)
    """
    return game.guide() if hasattr(game, "guide") else NoGuide()
