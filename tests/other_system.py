"""Makes Linux look like Windows, as far as ludus can tell: `pytest -p other_system`, or `other_system.pretend()` before ludus is imported.

What other packages need of the system they have loaded before. From then on modules that only POSIX has can't be imported, functions that only
POSIX has are gone, and `sys.platform` is "win32". Files and processes stay those of Linux: what this can't show is said in docs/install.md.
"""

from __future__ import annotations

import asyncio  # noqa: F401
import contextlib
import ctypes  # noqa: F401
import importlib
import multiprocessing.connection  # noqa: F401
import os
import selectors  # noqa: F401
import signal
import subprocess
import sys
import tempfile  # noqa: F401
import types
import webbrowser  # noqa: F401

import alembic.command  # noqa: F401
import clingo  # noqa: F401
import fastapi  # noqa: F401
import filelock._unix
import matplotlib.pyplot  # noqa: F401
import numba  # noqa: F401
import numpy as np  # noqa: F401
import rich.console
import safetensors.numpy  # noqa: F401
import sqlalchemy.dialects.sqlite  # noqa: F401
import typer.main  # noqa: F401
import uvicorn  # noqa: F401

EXTRAS = ("anywidget", "gymnasium.vector", "onnx", "pettingzoo.utils", "open_spiel.python.observation", "ray")
MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
FUNCTIONS = (
    "fork", "forkpty", "getpgid", "getuid", "geteuid", "killpg", "mkfifo", "nice", "openpty", "sched_getaffinity", "setpgid", "setsid",
    "sysconf", "wait4",
)  # fmt: skip
FLAGS = ("O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "WNOHANG")
SIGNALS = ("SIGKILL", "SIGXCPU", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM")


def pretend() -> None:
    """From now on it looks so, in this whole process."""
    for extra in EXTRAS:
        with contextlib.suppress(ImportError):  # whoever does without it
            importlib.import_module(extra)
    rich.console.Console()  # looks at the terminal
    subprocess.signal = types.SimpleNamespace(**vars(signal))  # Python's own way to end a process
    filelock._unix.os = types.SimpleNamespace(**vars(os))  # its own way to lock, which is another one on Windows
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in (*FUNCTIONS, *FLAGS):
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    sys.platform = "win32"


def pytest_configure() -> None:
    """As a plugin: before any test is read."""
    pretend()
