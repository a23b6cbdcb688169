"""How a player shares out the manager's clocks."""

from __future__ import annotations

import math
import time

WAKING = 0.05  # seconds from the end of thinking to the answer, at most


class Clock:
    """A clock of the manager's: the answer leaves `margin` seconds before its end, and thinking stops a little earlier. Short clocks have
    shorter margins. Until `ponder` a player may think on about what comes next. Times are those of the monotonic clock, which is the same in all processes.

    >>> clock = Clock(10.0, now=0.0, margin=0.5)
    >>> clock.answer, clock.think
    (9.5, 9.45)
    """

    def __init__(self, seconds: float, now: float, margin: float, ponder: float = -math.inf) -> None:
        margin = min(margin, seconds / 4)
        self.answer = now + max(seconds - margin, 0.05)
        self.think = self.answer - min(0.3 * margin, WAKING)
        self.ponder = ponder

    def left(self) -> float:
        """Seconds until the answer must leave."""
        return max(self.answer - time.monotonic(), 0.0)


class Lateness:
    """How much later than planned answers left, which the margin has to allow for: it grows at once, and is forgotten slowly.

    >>> lateness = Lateness(0.2)
    >>> lateness.note(0.1)
    >>> lateness.margin
    0.4
    """

    def __init__(self, least: float) -> None:
        self._least = least
        self._late = 0.0

    def note(self, seconds: float) -> None:
        """An answer left so much after its time."""
        self._late = max(seconds, 0.98 * self._late)

    @property
    def margin(self) -> float:
        """Seconds that an answer should be early."""
        return self._least + 2 * self._late
