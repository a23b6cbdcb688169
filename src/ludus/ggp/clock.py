"""How a player shares out the manager's clocks."""

from __future__ import annotations

import time


class Clock:
    """A clock of the manager's: the answer leaves `margin` seconds before its end, and thinking stops a little earlier. Short clocks have
    shorter margins. Times are those of the monotonic clock, which is the same in all processes.

    >>> clock = Clock(10.0, now=0.0, margin=0.5)
    >>> clock.answer, clock.think
    (9.5, 9.35)
    """

    def __init__(self, seconds: float, now: float, margin: float) -> None:
        margin = min(margin, seconds / 4)
        self.answer = now + max(seconds - margin, 0.05)
        self.think = self.answer - 0.3 * margin

    def left(self) -> float:
        """Seconds until the answer must leave."""
        return max(self.answer - time.monotonic(), 0.0)
