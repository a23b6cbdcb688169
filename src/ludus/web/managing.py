"""The GGP manager beside the page: a process of its own, as it loads rulesheets and plays, with the page's database between them."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ludus.errors import LudusError
from ludus.web.workers import BusyError

SECONDS = 150.0  # for an answer: a rulesheet may have to be loaded


class ManagerProcess:
    """The manager's process, started when somebody wants a match."""

    def __init__(self, database: str, limits: tuple[float, int] = (60.0, 4000)) -> None:
        self._database, self._limits = database, limits
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self._lock = threading.Lock()
        # Threads of its own: an answer may take minutes, and the server reads its database by the common ones.
        self._threads = ThreadPoolExecutor(8, "manager")

    @property
    def running(self) -> bool:
        """Whether it was started, and is there."""
        return self._process is not None and self._process.poll() is None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The manager's answer: a status, and JSON."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, method, path, body)

    def _ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self._start()
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        try:
            line.request(method, path, None if body is None else json.dumps(body))
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException) as problem:
            raise BusyError(f"the game manager did not answer: {problem}") from problem
        finally:
            line.close()

    def _start(self) -> None:
        with self._lock:
            if self.running:
                return
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from ludus.web.managing import main; main()"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
            )  # fmt: skip
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            # Not in the command line, which others on this machine can read: there may be a password in it.
            self._process.stdin.write(json.dumps([self._database, *self._limits]) + "\n")
            self._process.stdin.flush()
            said = self._process.stdout.readline()
            if not said.strip().isdecimal():
                raise LudusError("the game manager could not start")
            self._port = int(said)

    def close(self) -> None:
        """Let it abort its matches, and end."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(15.0)
            if self.running:
                self._process.kill()


def main() -> None:
    """In the process: serve a manager on a port of this machine, until the other side is gone."""
    import signal

    from ludus.ggp.manager import Manager, serve
    from ludus.ggp.store import Store

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    database, seconds, memory = json.loads(sys.stdin.readline())
    manager = Manager(Store(database), grounding_seconds=seconds, memory=memory)
    with serve(manager, "127.0.0.1", 0) as server:
        print(server.port, flush=True)
        sys.stdin.read()
    manager.close()
