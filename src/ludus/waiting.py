"""What people wait for while code is compiled, and how long it takes. Kernels note it here; whoever talks with people shows it, and
estimates of real work leave it out.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

PATIENCE = 1.0  # seconds until somebody who waits is told for what
USUAL = 70  # functions that a command needs; so many tell how long it will take


class Meter:
    """What this process has compiled so far. The compiler works for one thread at a time."""

    def __init__(self) -> None:
        self.functions = 0
        self.listeners: list[Callable[[], None]] = []  # called when something begins to be compiled
        self._seconds, self._since, self._depth = 0.0, 0.0, 0

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Note that a function is being compiled, perhaps for the sake of another one."""
        self._depth += 1
        if self._depth == 1:
            self._since = time.perf_counter()
            for listener in list(self.listeners):
                listener()
        try:
            yield
        finally:
            self._depth -= 1
            self.functions += 1
            if self._depth == 0:
                self._seconds += time.perf_counter() - self._since

    @property
    def under_way(self) -> bool:
        """Whether something is being compiled now."""
        return self._depth > 0

    @property
    def seconds(self) -> float:
        """Seconds by the clock that compiling took so far, that under way included."""
        return self._seconds + (time.perf_counter() - self._since if self._depth else 0.0)


METER = Meter()


class Stopwatch:
    """Seconds of real work: those by the clock, without those spent on compiling.

    >>> Stopwatch().seconds < 1
    True
    """

    def __init__(self) -> None:
        self._begun, self._compiled = time.perf_counter(), METER.seconds

    @property
    def seconds(self) -> float:
        """Since the watch was made."""
        return time.perf_counter() - self._begun - (METER.seconds - self._compiled)


class Notice:
    """Has somebody told once, after a second of compiling, about how many seconds it will take."""

    def __init__(self, tell: Callable[[float], None] = lambda seconds: print_notice(seconds)) -> None:
        self._tell = tell
        self._told = False
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Notice:
        METER.listeners.append(self._begin)
        _notices.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        METER.listeners.remove(self._begin)
        _notices.remove(self)
        if self._timer is not None:
            self._timer.cancel()

    def _begin(self) -> None:
        if not self._told and (self._timer is None or not self._timer.is_alive()):
            self._timer = threading.Timer(max(PATIENCE - METER.seconds, 0.0), self._look)
            self._timer.daemon = True
            self._timer.start()

    def _look(self) -> None:
        if METER.under_way:
            self.tell(METER.seconds * USUAL / max(METER.functions, 1))

    def tell(self, seconds: float) -> None:
        """Tell it now, unless it was told."""
        if not self._told:
            self._told = True
            self._tell(seconds)


_notices: list[Notice] = []


def pass_on(seconds: float) -> None:
    """Tell whoever waits here that another process is compiling for us."""
    for notice in list(_notices):
        notice.tell(seconds)


@contextlib.contextmanager
def told(text: str) -> Iterator[None]:
    """Have people at a terminal told what they wait for, if it takes longer than a second."""
    timer = threading.Timer(PATIENCE, _print, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _print(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def print_notice(seconds: float) -> None:
    """Say on a terminal what is going on, about how long it takes, and that it happens once."""
    about = max(5 * round(seconds / 5), 5)
    _print(f"Compiling for first use: about {about} seconds. The code is kept, so that this happens once.")
