"""Small board games in a few lines, to learn and to solve: tic-tac-toe, connect four and hex, with scores as General Game Playing has
them (1 won, ½ drawn, 0 lost).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus import contract
from ludus.contract import OVER, Facts, Position
from ludus.errors import LudusError
from ludus.kernel import implements, kernel

LINES, DROPS, SIDES = 0, 1, 2  # kinds: a line wins; the same with stones that fall; joining one's two sides wins
_NAMES = ("lines", "drops", "sides")


class Board(NamedTuple):
    """A square board.

    # cells size² (0 empty, 1 + seat), seat to move 1, result 1 (0 none yet, 1 + winner, 3 drawn)
    A move is a cell, or a column where stones fall.
    """

    kind: int = LINES
    size: int = 3
    line: int = 3

    @property
    def facts(self) -> Facts:
        cells = self.size * self.size
        return Facts(f"board-{_NAMES[self.kind]}-{self.size}", 1, 2, cells + 2, cells, 0, cells, (0.0, 1.0))

    def start(self) -> Position:
        return Position.start(self)

    def position(self, text: str) -> Position:
        return Position.read(self, text)

    def move_text(self, state: np.ndarray, move: int) -> str:
        return str(move)

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        legal = [str(m) for m in Position(self, state).moves()]
        if text not in legal:
            raise LudusError(f"'{text}' is not possible here; possible are: {', '.join(legal)}")
        return int(text)

    def state_text(self, state: np.ndarray) -> str:
        return "".join(".xo"[c] for c in state[:-2])

    def read_state(self, text: str) -> np.ndarray:
        if len(text) != self.size**2 or set(text) - set(".xo"):
            raise LudusError(f"'{text}' is no position; one looks like {self.start().text}")
        state = np.zeros(self.facts.state_size, np.int64)
        state[:-2] = [".xo".index(c) for c in text]
        state[-2] = text.count("x") - text.count("o")
        return state

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        text = self.state_text(state)
        return "\n".join(text[i : i + self.size] for i in range(0, len(text), self.size))

    def board_svg(self, state: np.ndarray) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg"><text y="20">{self.state_text(state)}</text></svg>'

    def encodings(self) -> dict[str, Any]:
        return {}


TIC_TAC_TOE = Board()
CONNECT_FOUR = Board(DROPS, 4, 4)
HEX = Board(SIDES, 3, 0)


@kernel
def in_line(game: Any, state: Any, at: int) -> bool:
    """Whether the stone at a cell is part of a line that is long enough."""
    n, stone = game.size, state[at]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for way in (-1, 1):
            row, column = at // n + way * down, at % n + way * right
            while 0 <= row < n and 0 <= column < n and state[row * n + column] == stone:
                run += 1
                row, column = row + way * down, column + way * right
        if run >= game.line:
            return True
    return False


@kernel
def joined(game: Any, state: Any, seat: int) -> bool:
    """Whether a seat's stones join its sides: top and bottom for seat 0, left and right for seat 1."""
    n = game.size
    reached = np.zeros(n * n, np.bool_)
    for i in range(n):
        cell = i if seat == 0 else i * n
        reached[cell] = state[cell] == 1 + seat
    grows = True
    while grows:
        grows = False
        for cell in range(n * n):
            if reached[cell] or state[cell] != 1 + seat:
                continue
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                r, c = cell // n + down, cell % n + right
                if 0 <= r < n and 0 <= c < n and reached[r * n + c]:
                    reached[cell] = grows = True
    for i in range(n):
        if reached[(n - 1) * n + i if seat == 0 else i * n + n - 1]:
            return True
    return False


@implements(contract.start, Board)
def _(game: Any, state: Any) -> None:
    for i in range(len(state)):
        state[i] = 0


@implements(contract.turn, Board)
def _(game: Any, state: Any) -> int:
    n = game.size * game.size
    return state[n] if state[n + 1] == 0 else OVER


@implements(contract.moves, Board)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    n = game.size
    count = 0
    for cell in range(n if game.kind == DROPS else n * n):
        if state[cell] == 0:
            out[count] = cell
            count += 1
    return count


@implements(contract.play, Board)
def _(game: Any, state: Any, move: int) -> None:
    n = game.size
    seat = state[n * n]
    cell = move
    if game.kind == DROPS:
        while cell + n < n * n and state[cell + n] == 0:
            cell += n
    state[cell] = 1 + seat
    state[n * n] = 1 - seat
    if joined(game, state, seat) if game.kind == SIDES else in_line(game, state, cell):
        state[n * n + 1] = 1 + seat
    elif np.all(state[: n * n] != 0):
        state[n * n + 1] = 3


@implements(contract.scores, Board)
def _(game: Any, state: Any, out: Any) -> None:
    result = state[game.size * game.size + 1]
    for seat in range(2):
        out[seat] = 0.5 if result == 3 else 1.0 if result == 1 + seat else 0.0
