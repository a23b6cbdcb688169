"""Quoridor by touch: the pawn and the square that it goes to, or the groove where a wall is to stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.rules import moves, play
from ludus.contract.touching import Touch, Turn, one_touch
from ludus.games.quoridor.bitboard import PASS, PAWN, STEP, TURN
from ludus.games.quoridor.naming import seat_names, square_text, wall_text
from ludus.games.quoridor.notation import move_text, read_move


class Touching:
    """Which places may be touched."""

    __slots__ = ()

    def turn_of(self: Any, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
        """A seat's turn: one touch makes a move, and a wall is better asked for again.

        >>> import ludus
        >>> start = ludus.game("quoridor").start()
        >>> [touch.text for touch in start.game.turn_of(start.state, 0).touches if touch.source]
        ['e2', 'f1', 'd1']
        """
        state = np.array(state, np.int64)
        room = np.zeros(self.facts.max_moves, np.int64)
        codes = room[: moves(self, state.copy(), seat, room)].tolist() if state[TURN] == seat else []
        if codes == [PASS] and not touched:
            return Turn(state, (), move_text(self, state, PASS))

        def after(text: str) -> np.ndarray:
            made = state.copy()
            play(self, made, read_move(self, state, text, "official"))
            return made

        return one_touch(state, [_touch(self, state, move) for move in codes if move != PASS], touched, after)

    def places_of(self: Any, state: np.ndarray, move: int) -> list[str]:
        """From where to where the pawn goes, or the wall."""
        if move == PASS:
            return []
        place = move_text(self, state, move)
        return [place] if move < STEP else [square_text(int(state[PAWN + int(state[TURN])])), place]


def _touch(game: Any, state: np.ndarray, move: int) -> Touch:
    text = move_text(game, state, move)
    if move < STEP:
        return Touch(None, text, text, text, f"wall {wall_text(move)}", confirm=True)
    seat = int(state[TURN])
    return Touch(square_text(int(state[PAWN + seat])), text, text, text, f"{seat_names(game)[seat]}'s pawn to {text}")
