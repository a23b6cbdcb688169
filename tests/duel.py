"""A toy game of dice for search: short, without cycles, so that plain recursion solves it, and with a choice that matters."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER, Facts, chances, moves, play, scores, start, turn
from ludus.errors import LudusError
from ludus.kernel import implements

ODDS = (0.5, 0.3, 0.2)


class Duel(NamedTuple):
    """Two seats roll a die of three faces in turn, and either add it to their points or take two points from the other. Who
    has more points in the end wins.

    # points 2, plies left 1, die 1 (0: still to be rolled)
    A move is 0 to add, 1 to take. The seat to move is that of the plies left: even for 0.
    """

    plies: int = 4

    @property
    def facts(self) -> Facts:
        return Facts("duel", 1, 2, 4, 2, 3, self.plies, (-1.0, 1.0))

    def start(self) -> Position:
        return Position.start(self)

    def position(self, text: str) -> Position:
        return Position.read(self, text)

    def encodings(self) -> dict[str, Any]:
        return {}

    def move_text(self, state: np.ndarray, move: int) -> str:
        return str(move) if state[3] == 0 else ("add", "take")[move]

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        position = Position(self, state)
        for move in [m for m, _ in position.chances()] or position.moves():
            if str(move) == text:
                return int(move)
        raise LudusError(f"'{text}' is not possible here")

    def state_text(self, state: np.ndarray) -> str:
        return "{}:{} left {} die {}".format(*state)

    def read_state(self, text: str) -> np.ndarray:
        match = re.fullmatch(r"(\d+):(\d+) left (\d) die ([0-3])", text)
        if match is None:
            raise LudusError(f"'{text}' is no position of duel; one looks like {self.start().text}")
        return np.array([int(n) for n in match.groups()], np.int64)

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        return self.state_text(state)

    def board_svg(self, state: np.ndarray) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg"><text y="20">{self.state_text(state)}</text></svg>'


@implements(start, Duel)
def _(game: Any, state: Any) -> None:
    state[:] = 0
    state[2] = game.plies


@implements(turn, Duel)
def _(game: Any, state: Any) -> int:
    if state[2] == 0:
        return OVER
    return CHANCE if state[3] == 0 else state[2] % 2


@implements(chances, Duel)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    for i in range(3):
        outcomes[i] = i + 1
        probabilities[i] = ODDS[i]
    return 3


@implements(moves, Duel)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 0
    out[1] = 1
    return 2


@implements(play, Duel)
def _(game: Any, state: Any, move: int) -> None:
    if state[3] == 0:
        state[3] = move
        return
    seat = state[2] % 2
    if move == 0:
        state[seat] += state[3]
    else:
        state[1 - seat] = max(state[1 - seat] - 2, 0)
    state[2] -= 1
    state[3] = 0


@implements(scores, Duel)
def _(game: Any, state: Any, out: Any) -> None:
    lead = np.sign(state[0] - state[1])
    out[0] = lead
    out[1] = -lead
