"""How a game came about, as far as the positions tell that a player is asked about. Engines want the moves; the arena knows positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import moves, play, start, turn


class Played(NamedTuple):
    """A move, and the state in which it was made."""

    state: np.ndarray
    move: int


class Following:
    """A game that an engine has before it: the moves since its beginning, or since a state in its midst, and the state now.

    >>> import ludus
    >>> game = ludus.game("tictactoe")
    >>> following, asked = Following(game), game.start().play("mark 2 2")
    >>> [game.move_text(played.state, played.move) for played in following.lead_to(asked.state)]
    ['( mark 2 2 )']
    >>> following.lead_to(asked.play("mark 1 1").play("mark 3 3").state) is None
    True
    """

    def __init__(self, game: Any, state: np.ndarray | None = None) -> None:
        self.game, self.first = game, None if state is None else state.copy()
        self.played: list[Played] = []
        self.state = np.zeros(game.facts.state_size, np.int64)
        self._trial, self._legal = self.state.copy(), np.zeros(game.facts.max_moves, np.int64)
        if state is None:
            start(game, self.state)
        else:
            self.state[:] = state

    def play(self, move: int) -> None:
        """Go on by a move."""
        self.played.append(Played(self.state.copy(), move))
        play(self.game, self.state, move)

    def lead_to(self, state: np.ndarray) -> list[Played] | None:
        """The moves that lead from here to a state, none or one, and go on by them; None if more would be needed, or the state lies before."""
        if np.array_equal(state, self.state):
            return []
        seat = turn(self.game, self.state)
        if seat < 0:  # over, or the dice have the word
            return None
        for move in self._legal[: moves(self.game, self.state, seat, self._legal)].tolist():
            self._trial[:] = self.state
            play(self.game, self._trial, move)
            if np.array_equal(state, self._trial):
                self.play(move)
                return self.played[-1:]
        return None
