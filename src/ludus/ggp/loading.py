"""Rulesheets become games in the background, so that a server goes on answering while it happens.

A sheet may take long, or for ever, or be refused; who waits for it decides how long. The game of the last sheet is kept:
a PREVIEW is followed by START, and matches of one game by others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.games import interpret
from ludus.games.gdl.sheet import read_sheet

MAX_LOADING = 3  # sheets at once; threads can't be stopped, and hostile sheets might pile up

Load = Callable[[str, float, int], Any]  # rules, seconds, megabytes -> game


def load_rules(rules: str, seconds: float, memory: int) -> Any:
    """The game of a rulesheet, within limits; LudusError if it is none, or needs more."""
    return gdl.load(rules, name="ggp", seconds=seconds, memory=memory)


def interpret_rules(rules: str, seconds: float, memory: int) -> Any:
    """The game of a rulesheet as those are played that are too large to be compiled."""
    return interpret(read_sheet(rules, "ggp"), "ggp", "", rules)


class Loading:
    """A sheet on its way: `done` is set when either `game` or `error` is there."""

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.game: Any = None
        self.error: str | None = None
        self.done = threading.Event()

    def run(self, load: Load, seconds: float, memory: int) -> None:
        """Load it; whatever goes wrong is an error text, for the sheet may be anything."""
        try:
            self.game = load(self.rules, seconds, memory)
        except LudusError as problem:
            self.error = str(problem)
        except (Exception, MemoryError) as problem:
            self.error = f"the rules can't be loaded: {type(problem).__name__}: {problem}"
        self.done.set()


class Loader:
    """Loads sheets, a few at once, and remembers the last one that became a game."""

    def __init__(self, load: Load = load_rules, memory: int = 4000) -> None:
        self.load = load
        self.memory = memory
        self._lock = threading.Lock()
        self._under_way: list[Loading] = []
        self._last: Loading | None = None

    def full(self) -> bool:
        """Whether no other sheet can begin now."""
        with self._lock:
            return sum(not loading.done.is_set() for loading in self._under_way) >= MAX_LOADING

    def begin(self, rules: str, seconds: float) -> Loading | None:
        """Begin with a sheet, or find it again; None if too many are under way."""
        with self._lock:
            self._under_way = [loading for loading in self._under_way if not loading.done.is_set()]
            for known in [*self._under_way, *filter(None, [self._last])]:
                if known.rules == rules and known.error is None:
                    return known
            if len(self._under_way) >= MAX_LOADING:
                return None
            loading = self._last = Loading(rules)
            self._under_way.append(loading)
        threading.Thread(target=loading.run, args=(self.load, seconds, self.memory), name="rules", daemon=True).start()
        return loading
