"""Backgammon with the cube by touch: checkers as without it (`touching.py`). One doubles by touching the cube, rolls by touching where the dice will lie, and decides all
else, and these too, by buttons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.rules import moves, play, turn
from ludus.contract.touching import Touch, Turn, choose, one_touch
from ludus.games.backgammon import touching
from ludus.games.backgammon.match import ACCEPT, BEAVER, CUBE, DOUBLE, PASS, PHASE, PLAYING, REJECT, ROLL, TAKE, is_over
from ludus.games.backgammon.match_notation import CHECKER_GAME, move_text, read_move
from ludus.games.backgammon.rules import DIE1, STATE_SIZE

_KEYS = {ROLL: "r", DOUBLE: "d", TAKE: "t", PASS: "p", BEAVER: "b", ACCEPT: "a", REJECT: "x"}
_PLACES = {ROLL: "dice", DOUBLE: "cube"}  # those of the drawing; the others have only buttons


class MatchTouching:
    """Which places may be touched, and what there is to decide by buttons."""

    __slots__ = ()

    def turn_of(self: Any, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
        """A seat's turn after some steps, as `8/5`; in the state, dice that are used are negative."""
        now = np.array(state, np.int64)
        if is_over(self, now) or turn(self, now) != seat:
            for text in touched:
                choose((), text)
            return Turn(state, (), None)
        if state[PHASE] != PLAYING or state[DIE1] == 0:
            return one_touch(state, _decisions(self, now, seat), touched, lambda text: _after(self, now, text))
        made = touching.turn_of(CHECKER_GAME, state[:STATE_SIZE], seat, touched)
        return made._replace(state=np.concatenate([made.state, state[STATE_SIZE:]]))

    def places_of(self, state: np.ndarray, move: int) -> list[str]:
        """Where a move takes checkers from, where it puts them, and where it hits; the cube, if it is turned; nothing of a roll."""
        if move in (DOUBLE, TAKE, BEAVER):
            return ["cube"]
        return touching.places_of(state, move) if move < ROLL else []


def _decisions(game: Any, state: np.ndarray, seat: int) -> list[Touch]:
    """What a seat may do that is not done with checkers."""
    out = np.zeros(game.facts.max_moves, np.int64)
    found = []
    for move in map(int, out[: moves(game, state, seat, out)]):
        text = move_text(game, state, move)
        to = {DOUBLE: f" to {2 * state[CUBE]}", BEAVER: f" to {4 * state[CUBE]}", TAKE: f" at {2 * state[CUBE]}"}.get(
            move, ""
        )
        button = f"{text.capitalize()}{to}"
        found.append(
            Touch(None, _PLACES.get(move, text), text, text, f"{text}{to}", move == DOUBLE, button, _KEYS[move])
        )
    return found


def _after(game: Any, state: np.ndarray, text: str) -> np.ndarray:
    after = state.copy()
    play(game, after, read_move(game, state, text))
    return after
