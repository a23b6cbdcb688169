"""Many states at once, and what encodings make of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.batch.observation import Observation, as_encoding, hashed, observe
from ludus.contract.views import from_view, outcome, to_view, worth
from ludus.kernel import kernel


class States:
    """Rows of states of a game. `states` is (rows, size) and can't be written to; `over` says which of the games have ended.

    An encoding is one of the game's (`game.encodings()`) or its name. It shows a state to a network, from the view of a seat perhaps, and
    the network predicts an *outcome*: numbers in [0, 1] such as "seat 0 wins", "seat 0 wins a gammon".
    """

    def __init__(self, game: Any, states: np.ndarray, over: np.ndarray) -> None:
        self.game, self.over = game, over
        self._states = states  # kernels are compiled for arrays that may be written
        self.states = states.view()
        self.states.setflags(write=False)

    def __len__(self) -> int:
        return len(self._states)

    def observe(self, encoding: Any) -> Observation:
        """The inputs of each state. The row of an ended game is empty."""
        return observe(encoding, self.game, self._states, self.over)

    def hashed(self, inputs: int) -> Observation:
        """Each position as an input of its own, one of so many, chosen by a hash: weights on these inputs are a table. The row of an ended game
        is empty.
        """
        return hashed(self.game, self._states, self.over, inputs)

    def outcomes(self, encoding: Any, predictions: Any) -> np.ndarray:
        """What a network predicts, (rows, outputs), in terms that mean the same for all states; the true outcome where the game is over."""
        encoding, given = self._fitting(encoding, predictions)
        out = given.copy()
        _outcomes(encoding, self.game, self._states, self.over, out)
        return out

    def to_view(self, encoding: Any, outcomes: Any) -> np.ndarray:
        """Undo `outcomes`: what a network that sees these states should have predicted for such outcomes."""
        encoding, given = self._fitting(encoding, outcomes)
        out = given.copy()
        _to_view(encoding, self.game, self._states, out)
        return out

    def _fitting(self, encoding: Any, vectors: Any) -> tuple[Any, np.ndarray]:
        encoding = as_encoding(encoding, self.game)
        given = np.ascontiguousarray(vectors)
        if given.dtype not in (np.float32, np.float64):
            given = given.astype(np.float64)
        wanted = len(self), encoding.shape(self.game)[2]
        if given.shape != wanted:
            raise ValueError(
                f"predictions should be of shape {wanted} (rows, outputs of the encoding), not {given.shape}"
            )
        return encoding, given


class Seated(States):
    """States that are somebody's business: row r is that of seat `seats[r]`."""

    seats: np.ndarray

    def worth(self, encoding: Any, predictions: Any) -> np.ndarray:
        """What predictions of a network are worth to the seat of each row, on the scale of the encoding; exact where the game is over."""
        encoding = as_encoding(encoding, self.game)
        outcomes = self.outcomes(encoding, predictions)
        return _worth(encoding, self.game, outcomes, self.seats, self.game.facts.seats)


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def _outcomes(encoding: Any, game: Any, states: Any, over: Any, out: Any) -> None:
    for r in range(len(states)):
        if over[r]:
            outcome(encoding, game, states[r], out[r])
        else:
            from_view(encoding, game, states[r], out[r])


@kernel
def _to_view(encoding: Any, game: Any, states: Any, out: Any) -> None:
    for r in range(len(states)):
        to_view(encoding, game, states[r], out[r])


@kernel
def _worth(encoding: Any, game: Any, outcomes: Any, seats: Any, all_seats: int) -> Any:
    values, out = np.zeros(all_seats), np.zeros(len(outcomes))
    for r in range(len(outcomes)):
        worth(encoding, game, outcomes[r], values)
        out[r] = values[seats[r]]
    return out
