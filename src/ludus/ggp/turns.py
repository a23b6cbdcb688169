"""The PLAYs of a match, in the order in which they arrived, each once.

A message has no number. After a stall several may be heard at once and by several threads, and a manager that got no answer
may send one again; nothing here knows the rules, which tell the rest (`following`).
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Sequence

from ludus.ggp.clock import Clock

Joint = tuple[str, ...]  # a move for each role


class Turn:
    """A PLAY to be answered."""

    def __init__(self, moves: Joint | None, arrived: float, clock: Clock) -> None:
        self.moves = moves
        self.arrived = arrived
        self.clock = clock
        self.done = threading.Event()
        self.move: str | None = None  # the answer; None if nobody waits for it any more

    def settle(self, move: str) -> None:
        """This is the answer."""
        if not self.done.is_set():
            self.move = move
            self.done.set()


class Turns:
    """All PLAYs so far.

    >>> turns = Turns()
    >>> turns.note(None, 1.0, Clock(5, 1.0, 0.5))[1], turns.note(("b",), 3.0, Clock(5, 3.0, 0.5))[1]
    (True, True)
    >>> turns.note(("a",), 2.0, Clock(5, 2.0, 0.5))[1], turns.note(("b",), 4.0, Clock(5, 4.0, 0.5))[1]
    (True, False)
    >>> turns.history()
    [('a',), ('b',)]
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: list[Turn] = []

    def note(self, moves: Sequence[str] | None, arrived: float, clock: Clock) -> tuple[Turn, bool]:
        """The turn of a PLAY, and whether it is a new one: one that is sent again before it was answered is the same, and so is a second
        first one. Nobody waits for the answer to any but the last.
        """
        joint = None if moves is None else tuple(moves)
        with self._lock:
            for known in self._turns[-1:]:
                is_open = not known.done.is_set() and arrived < known.clock.answer
                if known.moves == joint and (joint is None or is_open):
                    return known, False
            turn = Turn(joint, arrived, clock)
            bisect.insort(self._turns, turn, key=lambda one: one.arrived)
            for other in self._turns[:-1]:
                other.done.set()
            return turn, True

    def newest(self) -> Turn:
        """The turn that is to be answered."""
        with self._lock:
            return self._turns[-1]

    def history(self) -> list[Joint]:
        """What was played, as far as it was told."""
        with self._lock:
            return [turn.moves for turn in self._turns if turn.moves is not None]
