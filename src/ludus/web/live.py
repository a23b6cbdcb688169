"""Browsers that watch: each has one WebSocket, on which it hears of every change at the tables it looks at, with the board drawn for it.

Nobody is sent what is old already: who can't keep up hears of the last change only.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ludus.web.data import Asked

MOST_WATCHED = 64  # tables by one browser
MOST_BROWSERS = 1_000


_name = re.compile(r"[A-Za-z0-9_.-]{1,120}")  # of a table or a match

Describe = Callable[[str, Asked], Awaitable[dict[str, Any]]]


class Hub:
    """All browsers that watch. `describe` says what a browser is to be shown of something."""

    def __init__(self, describe: Describe) -> None:
        self.describe = describe
        self._browsers: set[Browser] = set()
        self.doing: str | None = None  # what is being compiled

    def changed(self, identifier: str) -> None:
        """There is something new about a table or a match."""
        for browser in self._browsers:
            browser.touch(identifier)

    def tell(self, words: str | None) -> None:
        """Something is being compiled, or no longer."""
        if words != self.doing:
            self.doing = words
            for browser in self._browsers:
                browser.touch(None)

    def watched(self) -> set[str]:
        """What somebody looks at."""
        return {identifier for browser in self._browsers for identifier in browser.watching}

    def send(self, identifier: str, message: dict[str, Any]) -> None:
        """Tell all who watch something."""
        for browser in self._browsers:
            if identifier in browser.watching:
                browser.queue(message)

    async def serve(self, socket: WebSocket) -> None:
        """Talk with one browser until it is gone."""
        if len(self._browsers) >= MOST_BROWSERS:
            await socket.close(1013)
            return
        await socket.accept()
        browser = Browser(socket, self)
        self._browsers.add(browser)
        both = [asyncio.ensure_future(browser.send_all()), asyncio.ensure_future(browser.listen())]
        try:
            # One doesn't go on without the other: a browser that is sent nothing more must notice, and come again.
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._browsers.discard(browser)
            for task in both:
                task.cancel()
            problems = await asyncio.gather(*both, return_exceptions=True)
        for problem in problems:
            if isinstance(problem, Exception) and not isinstance(problem, WebSocketDisconnect | RuntimeError):
                logging.getLogger("ludus.web").error("a browser could not be told the news: %s", problem)
                with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                    await socket.close(1011)


class Browser:
    """One browser, and what it looks at."""

    def __init__(self, socket: WebSocket, hub: Hub) -> None:
        self._socket, self._hub = socket, hub
        self.watching: dict[str, Asked] = {}
        self._dirty: dict[str | None, None] = {}  # tables that it has not seen the last of, and None: what is compiled
        self._messages: dict[tuple[str, str | None], dict[str, Any]] = {}
        self._news = asyncio.Event()

    def touch(self, identifier: str | None) -> None:
        """There is something new about a table, or about what is compiled."""
        if identifier is None or identifier in self.watching:
            self._dirty[identifier] = None
            self._news.set()

    def queue(self, message: dict[str, Any]) -> None:
        """Something to be told as it is, instead of what was to be told of the same and is old now."""
        self._messages[message["type"], message.get("id")] = message
        self._news.set()

    async def listen(self) -> None:
        """Hear what it wants to watch."""
        while True:
            try:
                wish = json.loads(await self._socket.receive_text())
                self._hear(wish)
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
                wrong = 'say {"watch": "ID", "seat": 0, "flip": false} or {"unwatch": "ID"}'
                self.queue({"type": "error", "error": f"this was not understood; {wrong}"})

    def _hear(self, wish: dict[str, Any]) -> None:
        if "unwatch" in wish:
            self.watching.pop(str(wish["unwatch"]), None)
            return
        identifier = wish["watch"]
        if not _name.fullmatch(identifier):
            raise ValueError(identifier)
        if len(self.watching) >= MOST_WATCHED and identifier not in self.watching:
            self.queue({"type": "error", "error": f"at most {MOST_WATCHED} games can be watched at once"})
            return
        self.watching[identifier] = Asked(_seat(wish.get("seat")), wish.get("flip") is True)
        self.touch(identifier)

    async def send_all(self) -> None:
        """Send what there is, as fast as the browser takes it."""
        await self._socket.send_json({"type": "ready", "doing": self._hub.doing})
        while True:
            await self._news.wait()
            self._news.clear()
            messages, self._messages = self._messages, {}
            for message in messages.values():
                await self._socket.send_json(message)
            dirty, self._dirty = self._dirty, {}
            for identifier in dirty:
                if identifier is None:
                    await self._socket.send_json({"type": "ready", "doing": self._hub.doing})
                elif identifier in self.watching:
                    await self._socket.send_json(await self._news_of(identifier))

    async def _news_of(self, identifier: str) -> dict[str, Any]:
        try:
            return await self._hub.describe(identifier, self.watching[identifier])
        except Exception as problem:  # whatever it is, the browser is told
            return {"type": "error", "id": identifier, "error": str(problem)}


def _seat(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 64):
        return value
    raise ValueError("seat")
