"""What is shown at the table: lines of words, and boards that fit into the terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from ludus.contract.knowing import hides
from ludus.play.history import with_history
from ludus.play.table import Table


class Screen:
    """A console, and what was said on it."""

    def __init__(self, console: Console, color: bool) -> None:
        self.console = console
        self.color = color
        self._told_width = False  # that the board is wider than the terminal

    def say(self, words: str = "", style: str = "") -> None:
        """Print a line."""
        code = self.console.encoding  # somebody's file name must not end the game because it can't be shown
        words = words.encode(code, "backslashreplace").decode(code)
        self.console.print(Text(words, style=style if self.color else ""))

    def draw(self, table: Table) -> None:
        """Print the board as it is now. Where it is too wide, lines are cut off: a wrapped line would break the board."""
        width = self.console.width
        board = Text.from_ansi(self._board(table))
        if getattr(table.game, "history", False):
            board = with_history(board, table, width)
        self.say()
        lines = board.split("\n")
        cut = [line for line in lines if line.cell_len > width and not _is_prose(line.plain)]
        needed = max((line.cell_len for line in cut), default=0)
        for line in cut:
            line.truncate(width)
        for line in lines:
            self.console.print(line, soft_wrap=not _is_prose(line.plain))
        self.say()
        if cut and not self._told_width:
            self._told_width = True
            self.say(f"The board is {needed} columns wide, and the terminal {width}: what does not fit is cut off.")

    def _board(self, table: Table) -> str:
        """The board of a position; at the end as the person saw it before."""
        position, fitting = table.position, getattr(table.game, "board_for", None)
        if fitting is None:
            return str(table.game.board_text(position.state, self.color))
        seat = table.people[0] if position.over and table.alone else None
        if hides(table.game) and table.people:
            seat = table.seat  # nobody else's business
        return str(fitting(position.state, self.color, self.console.width, seat))

    def cover(self, typed: str, ask: Callable[[str], str]) -> None:
        """Take a line that was typed off the screen and out of the list of earlier lines: others are still to choose."""
        if not self.console.is_terminal:
            return
        rows = -(-max(len(typed), 1) // self.console.width)
        self.console.control(Control(*((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)) * rows))
        if ask is input:
            with contextlib.suppress(ImportError, ValueError):
                import readline

                readline.remove_history_item(readline.get_current_history_length() - 1)


def _is_prose(line: str) -> bool:
    """Whether a line below a board is words, such as whose turn it is, which may be wrapped."""
    return line[:1].isalpha() or line.startswith("( ")
