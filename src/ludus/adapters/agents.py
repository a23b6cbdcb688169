"""Other people's agents as ludus players: whoever picks actions by observations and masks can sit in an arena."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.adapters.actions import Actions, whole_move
from ludus.adapters.sights import Sights
from ludus.contract.rules import play, turn
from ludus.errors import LudusError

Pick = Callable[[np.ndarray, np.ndarray], Any]


class Agent:
    """A player that is asked for actions. `pick(observations, masks)` gets rows of what the seats see, (rows, inputs), and of what is legal, (rows,
    actions), and answers with an id for each row. In backgammon it is asked step by step until the turn is made.

    >>> import ludus
    >>> first = Agent(lambda observations, masks: masks.argmax(1), name="first")
    >>> ludus.arena("backgammon", [first, "random"], games=4, seed=1)["first"].games
    4
    """

    def __init__(self, pick: Pick, name: str = "agent", ids: str = "steps", encoding: str = "") -> None:
        self.pick, self.name, self._ids, self._encoding = pick, name, ids, encoding
        self._made: tuple[Any, Actions, Sights] | None = None

    def _for(self, game: Any) -> tuple[Actions, Sights]:
        if self._made is None or self._made[0] is not game:
            actions = Actions(game, self._ids)
            self._made = game, actions, Sights(actions, self._encoding)
        return self._made[1:]

    def choose_batch(self, batch: Any) -> np.ndarray:
        """A move for each row."""
        actions, sights = self._for(batch.game)
        states = np.zeros((len(batch), actions.game.facts.state_size), np.int64)
        states[:, : batch.states.shape[1]] = batch.states
        if batch.states.shape == states.shape:  # moves are actions
            return self._moves(actions, sights, states, batch.seats)
        before, due = states.copy(), np.arange(len(batch))
        while len(due):
            picked = self._moves(actions, sights, states[due], batch.seats[due])
            for row, move in zip(due.tolist(), picked.tolist(), strict=True):
                play(actions.game, states[row], move)
            due = np.array([r for r in due if not actions.whole(states[r]) and turn(actions.game, states[r]) >= 0], int)
        return np.array([whole_move(actions, before[r], states[r]) for r in range(len(batch))], np.int64)

    def _moves(self, actions: Actions, sights: Sights, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What the agent picks, as moves of the game in steps."""
        seen = np.zeros((len(states), sights.size), np.float32)
        for seat in np.unique(seats).tolist():
            rows = seats == seat
            seen[rows] = sights.observe(states[rows], seat, np.zeros(rows.sum(), np.bool_))
        masks = np.array([actions.mask(state, seat) for state, seat in zip(states, seats.tolist(), strict=True)], bool)
        picked = np.asarray(self.pick(seen, masks.copy()))
        if picked.shape != (len(states),) or not np.issubdtype(picked.dtype, np.integer):
            raise LudusError(
                f"agent '{self.name}': one action a row is wanted, {len(states)} whole numbers, not {picked!r:.60}"
            )
        for row in np.flatnonzero(
            (picked < 0) | (picked >= actions.size) | ~masks[np.arange(len(masks)), picked % actions.size]
        ):
            raise LudusError(f"agent '{self.name}': {actions.reason(states[row], int(seats[row]), int(picked[row]))}")
        return actions.table.moves[seats, picked]
