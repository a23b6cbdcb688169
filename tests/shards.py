"""Shards for the tests of work in many places: each does what its name says. They are found by name in any process, as `shards:square`."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from ludus.scale.processes import Tell


def square(number: int, tell: Tell) -> int:
    tell(number)
    return number * number


def add(first: int, number: int, tell: Tell) -> int:
    """With an argument that all shards share."""
    return first + number


def stumble(number: int, tell: Tell) -> int:
    return number // 0


def hang(seconds: float, tell: Tell) -> None:
    tell("beginning")
    time.sleep(seconds)


def take_memory(size: int, tell: Tell) -> int:
    import numpy as np

    return int(np.ones(size).sum())


def killed(tell: Tell) -> None:
    """As the system does with a process that has taken too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed_once(path: str, tell: Tell) -> str:
    """As when a machine is taken away: the next one gets it done."""
    if not Path(path).exists():
        Path(path).write_text("was here")
        killed(tell)
    return "done"


def note(folder: str, tell: Tell) -> None:
    """Leave a trace of the process that does it, and stay."""
    (Path(folder) / str(os.getpid())).write_text("")
    tell("beginning")
    time.sleep(600)


def grow(seconds: float, tell: Tell) -> None:
    """Take more and more memory until somebody minds."""
    kept = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kept.append(bytearray(10_000_000))
        tell(len(kept))
        time.sleep(0.05)
