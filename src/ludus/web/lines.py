"""A process, and a line to it that can be waited for. Where a new process can be given an open socket, the line is a pair of sockets; elsewhere it
comes back to a port of this machine, with a word that only it was told.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Sequence
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge

from ludus.system import CAN_PASS_SOCKETS

KEY = "LUDUS_LINE_KEY"  # what the process is told, in its environment
PATIENCE = 60.0  # seconds for the process to come back
PAUSE = 0.02  # seconds from one look whether it is still there to the next


def start(command: Sequence[str], environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process, whose first argument is then what `answer` needs, and return it with the line to it. OSError if it does not come."""
    if not CAN_PASS_SOCKETS:
        return _start_by_port(command, environment)
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [*command, str(theirs.fileno())], env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
        )
    return process, Connection(ours.detach())


def _start_by_port(command: Sequence[str], environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], Connection]:
    key = secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(PAUSE)
        told = [*command, f"port{door.getsockname()[1]}"]
        process = subprocess.Popen(told, env=environment | {KEY: key}, stdin=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < until:
            with contextlib.suppress(TimeoutError):
                came, _ = door.accept()
                came.setblocking(True)
                line = Connection(came.detach())
                deliver_challenge(line, key.encode())
                answer_challenge(line, key.encode())
                return process, line
        process.kill()
        process.wait()
    raise OSError("a process ended before it was there")


def answer(told: str) -> Connection:
    """In the process: its end of the line."""
    if told.startswith("port"):
        return Client(("127.0.0.1", int(told.removeprefix("port"))), authkey=os.environ.pop(KEY).encode())
    return Connection(int(told))
