"""Backgammon with the cube by touch: checkers as without it (`touching.py`); what is decided about the cube is in the list of moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.touching import Turn, choose
from ludus.games.backgammon import touching
from ludus.games.backgammon.match import PHASE, PLAYING, ROLL, is_over
from ludus.games.backgammon.match_notation import CHECKER_GAME
from ludus.games.backgammon.rules import STATE_SIZE


class MatchTouching:
    """Which places may be touched."""

    __slots__ = ()

    def turn_of(self: Any, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
        """A seat's turn after some steps, as `8/5`; in the state, dice that are used are negative."""
        if state[PHASE] != PLAYING or is_over(self, np.array(state, np.int64)):
            for text in touched:
                choose((), text)
            return Turn(state, (), None)
        made = touching.turn_of(CHECKER_GAME, state[:STATE_SIZE], seat, touched)
        return made._replace(state=np.concatenate([made.state, state[STATE_SIZE:]]))

    def places_of(self, state: np.ndarray, move: int) -> list[str]:
        """Where a move takes checkers from, where it puts them, and where it hits; nothing of a roll, and of what is done with the cube."""
        return touching.places_of(state, move) if move < ROLL else []
