"""The board of a game with the cube: as without it (`board.py`, `picture.py`), with the cube, the points of a match, and what is to be decided in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.games.backgammon import board, picture
from ludus.games.backgammon.board import NAMES, WINS, Beside
from ludus.games.backgammon.match import (
    BEAVERED,
    CRAWFORD,
    CUBE,
    DOUBLED,
    OWNER,
    PHASE,
    PLAYING,
    RACCOONED,
    ROLLING,
    SCORE,
    is_over,
    may_double,
)
from ludus.games.backgammon.match_notation import offer_of
from ludus.games.backgammon.match_telling import points_text
from ludus.games.backgammon.rules import TURN


def status(game: Any, state: np.ndarray) -> str:
    """What is going on, or who has won."""
    state = np.array(state, np.int64)
    phase, who = int(state[PHASE]), NAMES[max(int(state[TURN]), 0)]
    if is_over(game, state):
        won = 0 if state[SCORE] > state[SCORE + 1] else 1
        points = int(state[SCORE + won])
        what = f"the match {points}-{state[SCORE + 1 - won]}" if game.match else points_text(points)
        return f"{NAMES[won]} wins {what}"
    if offer := offer_of(phase):
        return f"{NAMES[offer[0]]} resigns {WINS[offer[1]]}"
    if DOUBLED <= phase <= RACCOONED:
        doer = NAMES[1 - int(state[TURN])] if phase == BEAVERED else who
        verb = {DOUBLED: "doubles", BEAVERED: "beavers", RACCOONED: "raccoons"}[phase]
        return f"{doer} {verb} to {2 * state[CUBE]}"
    if phase == ROLLING:
        return f"{who} rolls"
    return f"{who} to roll or double" if may_double(game, state) else board.status(state)


def beside(game: Any, state: np.ndarray) -> Beside:
    """What is to be seen beside the checkers."""
    x, o = (f"{points} of {game.match}" if game.match else "" for points in state[SCORE : SCORE + 2])
    rolls = state[PHASE] == PLAYING and not is_over(game, state) and may_double(game, state)
    return Beside(status(game, state), int(state[CUBE]), int(state[OWNER]), (x, o), bool(state[CRAWFORD]), bool(rolls))


class MatchDrawing:
    """The board of a game with the cube as text and as a picture, and the words that go with it."""

    __slots__ = ()

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        """The board for the terminal."""
        return board.text(state, color, beside=beside(self, state))

    def board_for(self, state: np.ndarray, color: bool, width: int, seat: int | None = None) -> str:
        """The board for a terminal of some width, its points as a seat counts them, if one is named."""
        return board.text(state, color, seat, width, beside(self, state))

    def status_text(self, state: np.ndarray) -> str:
        """What is going on, or how it ended."""
        return status(self, state)

    def board_svg(self, state: np.ndarray, seat: int | None = None) -> str:
        """The board as a picture, with a seat at the bottom, the first if none is named."""
        return picture.svg(state, seat, beside(self, state))

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called."""
        return NAMES

    def result_text(self: Any, state: np.ndarray) -> str:
        """What was won, as it reads after "You win"."""
        points = sorted((int(p) for p in state[SCORE : SCORE + 2]), reverse=True)
        return f"the match {points[0]}-{points[1]}" if self.match else f"with the cube at {state[CUBE]}"
