"""The board of an engine that speaks the Quoridor Text Protocol: one method for each command about it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ludus.adapters.thinking import Thinker
from ludus.contract.position import Position
from ludus.contract.rules import play
from ludus.errors import LudusError, brief
from ludus.games.quoridor import quoridor
from ludus.games.quoridor.bitboard import PAWN, PLY, TURN, WIDTH
from ludus.games.quoridor.board import winner
from ludus.games.quoridor.naming import walls_on
from ludus.games.quoridor.qtp import COLOURS, move_words, read_words
from ludus.quantities import ROWS, WALLS

_SEATS = {"black": 0, "b": 0, "white": 1, "w": 1}


class QtpBoard:
    """The board, how it came about, and who plays on it. Each command is given its arguments, and returns what is said after the `=`."""

    def __init__(self, player: str | None, seed: int) -> None:
        self._thinker = Thinker(player, seed)
        self._game = quoridor()
        self._states = [self._game.start().state.copy()]  # all since the beginning

    def boardsize(self, words: list[str]) -> str:
        """Take another board."""
        size = _whole(words, "boardsize SIZE")
        if ROWS.fault(size):
            raise LudusError("unacceptable size")
        self._game = quoridor(size)
        return self.clear_board([])

    def clear_board(self, words: list[str]) -> str:
        """Begin anew."""
        self._states = [self._game.start().state.copy()]
        return ""

    def walls(self, words: list[str]) -> str:
        """Give both so many walls."""
        walls = WALLS.read(_whole(words, "walls NUMBER"), f"walls {brief(words[0] if words else '')}")
        self._game = quoridor(self._game.size, walls)
        self._states[-1][PAWN + 2 : PAWN + 4] = walls
        return ""

    def playmove(self, words: list[str]) -> str:
        """Move a pawn."""
        return self._play(words, 2, "playmove COLOUR SQUARE")

    def playwall(self, words: list[str]) -> str:
        """Build a wall."""
        return self._play(words, 3, "playwall COLOUR SQUARE horizontal|vertical")

    def genmove(self, words: list[str]) -> str:
        """Choose a move, and make it."""
        state = self._turned(words)
        move = self._thinker.choose(Position(self._game, state))
        said = move_words(self._game, state, move)
        self._go_on(state, move)
        return said

    def undo(self, words: list[str]) -> str:
        """Take back the last move, or more."""
        times = _whole(words, "undo TIMES") if words else 1
        if not 0 < times < len(self._states):
            raise LudusError("cannot undo")
        del self._states[-times:]
        return ""

    def winner(self, words: list[str]) -> str:
        """Who has won, if anybody."""
        won = winner(self._game, self._states[-1])
        return "false" if won is None else f"true {COLOURS[won]}"

    def showboard(self, words: list[str]) -> str:
        """Draw the board."""
        return "\n" + board_text(self._game, self._states[-1])

    def _play(self, words: list[str], wanted: int, usage: str) -> str:
        state = self._turned(words)
        if len(words) != wanted:
            raise LudusError(f"syntax error: write {usage}")
        try:
            move = read_words(self._game, state, " ".join(words[1:]))
        except LudusError:
            raise LudusError("illegal move") from None
        self._go_on(state, move)
        return ""

    def _turned(self, words: list[str]) -> np.ndarray:
        """The state, with the turn of the colour that is named: it may be the same again, and no ply is too many."""
        seat = _SEATS.get(words[0].lower()) if words else None
        if seat is None:
            raise LudusError("syntax error: a colour is black or white")
        state = self._states[-1].copy()
        if winner(self._game, state) is not None:
            raise LudusError("illegal move")
        state[TURN], state[PLY] = seat, 0
        return state

    def _go_on(self, state: np.ndarray, move: int) -> None:
        play(self._game, state, move)
        self._states.append(state)


def _whole(words: list[str], usage: str) -> int:
    if len(words) != 1 or not re.fullmatch("[0-9]{1,9}", words[0]):
        raise LudusError(f"syntax error: write {usage}")
    return int(words[0])


def board_text(game: Any, state: np.ndarray) -> str:
    """The board as the protocol has it: black comes from the top, rows are counted from the bottom.

    >>> print(board_text(quoridor(3, 1), quoridor(3, 1).start().play("a1h").state))
       A   B   C
     +---+---+---+
    3|   | B |   |3  black walls: 0
     +=======+---+
    2|   |   |   |2  white walls: 1
     +---+---+---+
    1|   | W |   |1
     +---+---+---+
       A   B   C
    """
    size, walls = game.size, set(walls_on(state))
    pawns = {int(state[PAWN + seat]): colour[0].upper() for seat, colour in enumerate(COLOURS)}
    letters = "   " + "   ".join("ABCDEFGHI"[:size])
    lines = [letters, " +" + "---+" * size]
    for row in range(size):
        cells, edges = "|", "+"
        for column in range(size):
            cells += f" {pawns.get(WIDTH * row + column, ' ')} "
            right = {64 + 8 * row + column, 64 + 8 * (row - 1) + column} if row else {64 + column}
            cells += "H" if column < size - 1 and right & walls else "|"
            above = {8 * row + column, 8 * row + column - 1} if column else {8 * row}
            edges += "===" if row < size - 1 and above & walls else "---"
            edges += "=" if 8 * row + column in walls else "H" if 64 + 8 * row + column in walls else "+"
        stocks = f"  {COLOURS[row]} walls: {int(state[PAWN + 2 + row])}" if row < 2 else ""
        lines += [f"{size - row}{cells}{size - row}{stocks}", f" {edges}"]
    return "\n".join([*lines, letters])
