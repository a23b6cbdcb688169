"""What differs from system to system: where files of users belong, how much memory there is, how processes are limited and watched. Elsewhere
ludus asks here; nothing that only POSIX has is imported anywhere when a module is loaded.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

HAS_LIMITS = resource is not None  # processes can be limited in time and memory
CAN_FORK = hasattr(os, "fork")  # a process can be copied
CAN_PASS_SOCKETS = sys.platform != "win32"  # a new process can be given an open socket
PIPES_CAN_WAIT = sys.platform != "win32"  # a pipe can be waited for, with an end to patience


def cache_folder() -> Path:
    """Where a program keeps what it could make again; RuntimeError for a user without a home."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def data_folder() -> Path:
    """Where ludus keeps what users have: games that were played, models that were fetched. $LUDUS_DATA_DIR, or a folder where the system
    wants the data of programs.
    """
    told = os.environ.get("LUDUS_DATA_DIR")
    if told:
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "ludus"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "ludus"


def memory() -> int:
    """The bytes of memory that this process may come to use.

    >>> memory() > 10**8
    True
    """
    there = _physical()
    if resource is None:
        return there
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return there if limit == resource.RLIM_INFINITY else min(there, limit)


def _physical() -> int:
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong), ("load", ctypes.c_ulong), ("physical", ctypes.c_ulonglong), ("rest", ctypes.c_ulonglong * 6),
        ]  # fmt: skip

    status = Status(length=ctypes.sizeof(Status))
    windows = getattr(ctypes, "windll", None)
    if windows is None or not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 4 << 30  # nobody can tell: a small machine
    return int(status.physical)


def most_memory_held() -> int:
    """The most bytes that this process has held so far; 0 where the system does not tell."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def own_limits() -> tuple[float | None, int | None]:
    """The seconds of processor time and the bytes of memory that this process is limited to; None where it is not."""
    if resource is None:
        return None, None
    seconds, size = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS))
    endless = resource.RLIM_INFINITY
    return None if seconds == endless else float(seconds), None if size == endless else size


def be_nice(by: int) -> None:
    """Let other processes go first, where the system knows how."""
    if hasattr(os, "nice"):
        os.nice(by)
