"""What is played is on disk before anybody is told. One thread writes; whatever waits when it gets to it goes into one transaction, as a disk
takes no longer for many steps than for one.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any

from ludus.records import Records
from ludus.web.workers import settle

MOST = 500  # changes in one transaction

Change = Callable[[Records], Any]


class Writer:
    """Writes changes into the records, many at once."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self._queue: queue.SimpleQueue[tuple[Change, asyncio.Future[Any], asyncio.AbstractEventLoop] | None] = (
            queue.SimpleQueue()
        )
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def write(self, change: Change) -> Any:
        """Make a change, and come back when it is on disk. If it fails, none of it is done, and the error is raised here."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._queue.put((change, future, loop))
        return await asyncio.shield(future)

    def close(self) -> None:
        """Finish what waits."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, last = [first], False
            with contextlib.suppress(queue.Empty):
                while len(batch) < MOST and not last:
                    following = self._queue.get_nowait()
                    last = following is None
                    if following is not None:
                        batch.append(following)
            self._write(batch)
            if last:
                return

    def _write(self, batch: list[tuple[Change, asyncio.Future[Any], asyncio.AbstractEventLoop]]) -> None:
        answers: list[tuple[Any, Exception | None]] = []
        try:
            with self.records.transaction():
                for change, _, _ in batch:
                    try:
                        with self.records.transaction():  # one that can't be made leaves the others alone
                            answers.append((change(self.records), None))
                    except Exception as problem:
                        answers.append((None, problem))
        except Exception as problem:
            answers = [(None, problem)] * len(batch)
        for (_, future, loop), (answer, error) in zip(batch, answers, strict=True):
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(settle, future, answer, error)
