"""What a seat may know: games in which not everybody sees everything implement this, all others need not.

In such a game a state also holds what each seat has done and been told so far. `veil` takes away all that a seat does not know; what is left is a state in which
the seat's legal moves can be listed, but from which nobody can play on. Players get veiled states and nothing else.

Such a game offers a method `brief()`, the same game with states that remember no more than `knowledge` needs: for searches, which make many of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.contract.rules import Moves, Rules, State
from ludus.kernel import KEY, generic, implements, specialises


@generic
def veil(game: Rules, state: State, seat: int, /) -> None:
    """Take away from a state what a seat does not know. In a game without secrets that is nothing."""


@generic
def veil_all(game: Rules, states: NDArray[np.int64], seats: NDArray[np.int64], count: int, /) -> None:
    """`veil` the first `count` of many states, each for its seat."""


@generic
def knowledge(game: Rules, state: State, seat: int, /) -> np.uint64:
    """A hash of what a seat of a game with secrets knows: equal in all states between which it can't tell."""


@generic
def steps_made(game: Rules, state: State, /) -> int:
    """How many steps of a game with secrets were made: all seats know it."""


@generic
def trail(game: Rules, state: State, seat: int, own: Moves, keys: NDArray[np.uint64], /) -> int:
    """Write the moves that a seat made and its `knowledge` after each, one for each step, and return how many; -1 if the state does not hold all of them."""


@implements(veil, object)
def _(game: Any, state: Any, seat: int) -> None:
    pass


@implements(veil_all, object)
def _(game: Any, states: Any, seats: Any, count: int) -> None:
    pass


@implements(knowledge, object)
def _(game: Any, state: Any, seat: int) -> Any:
    return KEY


@implements(steps_made, object)
def _(game: Any, state: Any) -> int:
    return 0


@implements(trail, object)
def _(game: Any, state: Any, seat: int, own: Any, keys: Any) -> int:
    return -1


def hides(game: Any) -> bool:
    """Whether a game has states that not everybody knows.

    >>> import ludus
    >>> hides(ludus.game("montyhall")), hides(ludus.game("tictactoe"))
    (True, False)
    """
    return specialises(veil, type(game))


def known_to(game: Any, state: np.ndarray, seat: int) -> np.ndarray:
    """What a seat knows of a state, as a state of its own."""
    own = np.array(state, np.int64)
    veil(game, own, seat)
    return own
