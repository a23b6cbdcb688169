"""Ludo by touch: a piece and the square where it lands, which makes a move. Of pieces on one square any will do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.rules import play
from ludus.contract.touching import Touch, Turn, one_touch
from ludus.games.ludo.board import COLOURS, lane
from ludus.games.ludo.notation import landing_of, move_text, read_move
from ludus.games.ludo.rules import DIE, MOVABLE, TURN, LudoRules, colour


def place_of(game: LudoRules, owner: int, position: int) -> str:
    """The id of a place, as a colour counts it.

    >>> import ludus
    >>> [place_of(ludus.game("ludo"), 1, position) for position in (0, 1, 51, 52, 57)]
    ['green-yard', 't13', 't11', 'green-lane-1', 'green-home']
    """
    if position == 0:
        return f"{COLOURS[owner]}-yard"
    if position == game.goal:
        return f"{COLOURS[owner]}-home"
    if position < lane(game):
        return f"t{(13 * owner + position - 1) % 52}"
    return f"{COLOURS[owner]}-lane-{position - lane(game) + 1}"


class Touching:
    """Which places may be touched."""

    __slots__ = ()

    def turn_of(self: Any, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
        """A seat's turn: one touch makes a move.

        >>> import ludus
        >>> position = ludus.game("ludo").position("0,0,14,20 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6")
        >>> [(touch.source, touch.target) for touch in position.game.turn_of(position.state, 0).touches]
        [('red-yard', 't0'), ('t13', 't19'), ('t19', 't25')]
        """
        state = np.array(state, np.int64)
        due = state[DIE] > 0 and state[TURN] == seat
        touches: dict[tuple[str | None, str], Touch] = {}
        for move in range(4) if due else ():
            if state[MOVABLE] >> move & 1:
                touch = _touch(self, state, move)
                touches.setdefault((touch.source, touch.target), touch)

        def after(text: str) -> np.ndarray:
            made = state.copy()
            play(self, made, read_move(self, state, text))
            return made

        return one_touch(state, list(touches.values()), touched, after)

    def places_of(self: Any, state: np.ndarray, move: int) -> list[str]:
        """From where a piece goes, and where it lands; nothing of a roll."""
        if state[DIE] <= 0:
            return []
        owner = int(colour(self, int(state[TURN])))
        (here, there), _ = landing_of(self, state, move)
        return list(dict.fromkeys([place_of(self, owner, here), place_of(self, owner, there)]))


def _touch(game: LudoRules, state: np.ndarray, move: int) -> Touch:
    owner = int(colour(game, int(state[TURN])))
    (here, there), hits = landing_of(game, state, move)
    words = [{0: "yard", game.goal: "home"}.get(position, str(position)) for position in (here, there)]
    name = f"{' to '.join(words)}{', hits' * hits}"
    text = move_text(game, state, move)
    return Touch(place_of(game, owner, here), place_of(game, owner, there), text, text, name)
