"""The legal moves of a match by plain interpretation of its rules: slow, but there at once.

A match may begin while its game is still being compiled. Until that is done, this is where legal moves come from.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from ludus.errors import LudusError
from ludus.games.gdl.interpreter import Machine
from ludus.games.gdl.kif import read_term, simple, write
from ludus.games.gdl.sheet import read_sheet


class Shadow:
    """Follows a match on sets of terms.

    >>> shadow = Shadow("(role a) (legal a left) (legal a right) (<= terminal (true x)) (goal a 0)")
    >>> shadow.legal("a", [])
    ['left', 'right']
    """

    def __init__(self, rules: str) -> None:
        self._rules = rules
        self._lock = threading.Lock()
        self._machine: Machine | None = None
        self._looks: list[Any] = []  # what was seen after each joint move

    def legal(self, role: str, history: Sequence[Sequence[str]]) -> list[str]:
        """The legal moves of a role after these joint moves; LudusError if the rules or the moves are bad."""
        with self._lock:
            if self._machine is None:
                self._machine = Machine(read_sheet(self._rules, "ggp"))
                self._looks = [self._machine.look(self._machine.initial())]
            for joint in history[len(self._looks) - 1 :]:
                if len(joint) != len(self._machine.roles):
                    raise LudusError(f"{len(joint)} moves for {len(self._machine.roles)} roles")
                after = self._looks[-1].following([simple(read_term(text, "a move")) for text in joint])
                self._looks.append(self._machine.look(after))
            rows = self._looks[len(history)].ask(("legal", 2))
        return sorted(write(move) for who, move in rows if who == role)
