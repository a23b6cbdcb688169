"""Numbers that people give, by kind: what each may be, and what is said of one that it may not.

Every option of a command, every argument of a player or a game in its name and every setting of a method has one of these kinds, so that a
number that is too large to be held, to be waited for or to make sense is refused in one line, wherever it is given.
"""

from __future__ import annotations

import numbers
import os
import sys
from dataclasses import dataclass
from typing import Any

from ludus.errors import LudusError, brief
from ludus.system import memory

LARGEST = 2**63 - 1  # what a whole number may be in a kernel, and in a file
GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class Quantity:
    """A kind of number: whole or not, and its range."""

    name: str  # as in "a number of games"
    type: type[int] | type[float]
    low: float | None = None  # at least
    high: float | None = None  # at most
    above: float | None = None  # more than

    def fault(self, value: Any) -> str | None:
        """What a value should be and is not, as it reads after "should be"; None if nothing is wrong with it.

        >>> SHARE.fault(2), SHARE.fault(0.5)
        ('a number from 0 to 1', None)
        """
        wanted: Any = numbers.Integral if self.type is int else numbers.Real
        if isinstance(value, bool) or not isinstance(value, wanted):
            return self.range
        most = LARGEST if self.type is int else sys.float_info.max
        if not -most <= value <= most:  # not a number is neither
            return self.range if self.high is not None or value != value else f"{self.range}, and not so large"
        if self.above is not None and not value > self.above:
            return self.range
        low, high = -most if self.low is None else self.low, most if self.high is None else self.high
        return None if low <= value <= high else self.range

    def read(self, value: Any, where: str) -> Any:
        """The number, as its type; LudusError if it is not of this kind. `where` says what was given, as in "--games 0".

        >>> SECONDS.read(2, "--seconds 2")
        2.0
        >>> GAMES.read(0, "--games 0")
        Traceback (most recent call last):
        ludus.errors.LudusError: --games 0: a number of games is a whole number from 1 to 1,000,000,000
        """
        fault = self.fault(value)
        if fault is not None:
            raise LudusError(f"{brief(where, 300)}: {self.name} is {fault}")
        return self.type(value)

    def typed(self, text: str, where: str) -> Any:
        """The number that somebody typed; LudusError if it is none of this kind.

        >>> PORT.typed("9147", "--port 9147")
        9147
        """
        try:
            value = self.type(text)
        except ValueError:  # not a number, or one of too many digits
            value = None
        return self.read(value, where)

    @property
    def range(self) -> str:
        """What it may be, in words."""
        kind = "a whole number" if self.type is int else "a number"
        if self.low is not None and self.high is not None:
            return f"{kind} from {_text(self.low)} to {_text(self.high)}"
        low = f"above {_text(self.above)}" if self.above is not None else ""
        low = f"at least {_text(self.low)}" if self.low is not None else low
        high = f"at most {_text(self.high)}" if self.high is not None else ""
        return " ".join(filter(None, (kind, " and ".join(filter(None, (low, high))))))

    @property
    def text(self) -> str:
        """The range in signs, for lists."""
        low = (
            f"> {_text(self.above)}"
            if self.above is not None
            else f"≥ {_text(self.low)}"
            if self.low is not None
            else ""
        )
        high = f"≤ {_text(self.high)}" if self.high is not None else ""
        return " and ".join(filter(None, (low, high)))


def _text(bound: float) -> str:
    return "2⁶³ - 1" if bound == LARGEST else f"{bound:,}" if isinstance(bound, int) else f"{bound:,g}"


# --- the kinds -------------------------------------------------------------------------------------------------------

SEED = Quantity("a seed", int, 0, LARGEST)
GAMES = Quantity("a number of games", int, 1, 10**9)
GAMES_OR_NONE = Quantity("a number of games", int, 0, 10**9)
BATCH = Quantity("a number of games at once", int, 1, 10**6)
COUNT = Quantity("a count", int, 1, 10**9)
COUNT_OR_NONE = Quantity("a count", int, 0, 10**9)
SO_FAR = Quantity("a count", int, 0, 10**18)  # what was counted, not asked for: a long run judges billions of positions
PLAYOUTS = Quantity("a number of playouts", int, 1, 10**6)
PLAYOUTS_OR_NONE = Quantity("a number of playouts", int, 0, 10**6)
MOVES = Quantity("a number of moves", int, 1, 10**6)
MOVES_OR_NONE = Quantity("a number of moves", int, 0, 10**6)
PLIES = Quantity("a number of plies", int, 1, 10**5)
SEARCH_PLIES = Quantity("a number of plies", int, 0, 64)
PLIES_AHEAD = Quantity("a number of plies ahead", int, 0, 2)
ROWS = Quantity("a number of rows", int, 3, 9)
COLUMNS = Quantity("a number of columns", int, 3, 9)
WALLS = Quantity("a number of walls", int, 0, 64)
CHECKERS = Quantity("a number of checkers", int, 0, 15)
POINTS = Quantity("a number of points", int, 0, 1000)
DOUBLES = Quantity("a number of doubles", int, 0, 10)
PARTS = Quantity("a number of parts", int, 1, 4096)
UNITS = Quantity("a number of units", int, 1, 4096)
ROUNDS = Quantity("a number of rounds", int, 1, 10**4)
CORES = Quantity("a number of cores", int, 1, 4096)
SHARE = Quantity("a share", float, 0, 1)
SOME_SHARE = Quantity("a share above 0", float, above=0, high=1)
STEP = Quantity("a step size", float, above=0, high=10**6)
MARGIN = Quantity("a margin", float, 0, 10**6)
FACTOR = Quantity("a factor", float, above=0, high=10**6)
POSITIONS_OR_NONE = Quantity("a number of positions", int, 0, 10**8)
PASSES = Quantity("a number of passes", float, above=0, high=1000)
WEIGHT = Quantity("a weight", float, 0, 10**6)
STEPS = Quantity("a number of steps on the board", float, -1000, 1000)
SECONDS = Quantity("a time in seconds", float, above=0, high=10**6)
DELAY = Quantity("a time in seconds", float, 0, 86_400)
CLOCK = Quantity("a clock in seconds", int, 1, 86_400)
MEGABYTES = Quantity("a number of megabytes", int, 200, 10**6)
PORT = Quantity("a port", int, 0, 65_535)


# --- memory ----------------------------------------------------------------------------------------------------------


_most_cores: int | None = None  # that this process was told to use


def limit_cores(most: int | None) -> None:
    """Let this process use so many cores only: others work beside it."""
    global _most_cores
    _most_cores = most


def cores() -> int:
    """How many cores this process may use.

    >>> cores() >= 1
    True
    """
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return there if _most_cores is None else min(there, _most_cores)


def need_memory(size: int, where: str) -> None:
    """LudusError if what was given would need more bytes of memory than there are. Else the system would end the process, sooner or later.

    >>> need_memory(10**18, "mcts(nodes=1)")
    Traceback (most recent call last):
    ludus.errors.LudusError: mcts(nodes=1): that takes 1,000,000,000 GB of memory; this machine has ...
    """
    there = memory()
    if size > there:
        raise LudusError(
            f"{brief(where, 300)}: that takes {size / GIGABYTE:,.0f} GB of memory; this machine has {there / GIGABYTE:,.0f}"
        )
