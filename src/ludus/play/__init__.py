"""People at the board, in the terminal, against each other and any players in any game of the contract.

`table.py` is where people and players sit: one game under way, without any input or output. `saved.py` writes it to a file
and reads it again, `terminal.py` talks with the people at it, `watching.py` shows players at play, and `menu.py` leads to all
this. Nothing here knows a particular game; what a game may offer beyond the contract is listed in `table.py`.
"""

from __future__ import annotations

from ludus.play.menu import choose
from ludus.play.terminal import play

__all__ = ["choose", "play"]
