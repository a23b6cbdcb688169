"""A player of ours as an engine that speaks the Quoridor Text Protocol (docs/engines.md).

Tools want to hear an engine's name within a second or two. So rules and players are loaded with the first command that is about the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.errors import LudusError, brief

if TYPE_CHECKING:
    from ludus.adapters.qtp_board import QtpBoard

ABOUT_BOARD = (
    "boardsize", "clear_board", "walls", "playmove", "playwall", "genmove", "undo", "winner", "showboard"
)  # fmt: skip
COMMANDS = ("name", "version", "known_command", "list_commands", "quit", *ABOUT_BOARD)


class Qtp:
    """An engine that speaks the Quoridor Text Protocol.

    >>> engine = Qtp("path", "1.0")
    >>> for line in ("boardsize 5", "clear_board", "walls 2", "playwall white A2 h", "genmove black", "winner", "undo 3"):
    ...     print(line, engine.answer(line).strip())
    boardsize 5 =
    clear_board =
    walls 2 =
    playwall white A2 h =
    genmove black = C4
    winner = false
    undo 3 ? cannot undo
    """

    def __init__(self, player: str | None = None, version: str = "", seed: int = 1) -> None:
        self.over = False
        self._player, self._version, self._seed = player, version, seed
        self._made: QtpBoard | None = None

    def answer(self, line: str) -> str | None:
        """The answer to a command, with the empty line that ends it."""
        words = line.partition("#")[0].split()
        if not words:
            return None
        try:
            said = self._said(words[0], words[1:])
        except LudusError as error:
            return f"? {brief(' '.join(str(error).split()), 500)}\n\n"
        return f"= {said}".rstrip().replace("= \n", "=\n") + "\n\n"

    def _said(self, command: str, words: list[str]) -> str:
        match command:
            case "name":
                return f"ludus {self._player}" if self._player else "ludus"
            case "version":
                return self._version
            case "known_command":
                return str(" ".join(words) in COMMANDS).lower()
            case "list_commands":
                return "\n".join(COMMANDS)
            case "quit":
                self.over = True
                return ""
        if command not in ABOUT_BOARD:
            raise LudusError("unknown command")
        return str(getattr(self._board(), command)(words))

    def _board(self) -> QtpBoard:
        if self._made is None:
            from ludus.adapters.qtp_board import QtpBoard

            self._made = QtpBoard(self._player, self._seed)
        return self._made
