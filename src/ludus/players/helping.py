"""Threads that search beside a player, or while its opponent thinks. They share its table of positions, and nothing else: what they find there makes its own search
shorter.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any

import numpy as np

from ludus.search.leaves import NetworkLeaf, network_leaf
from ludus.search.minimax import run
from ludus.search.minimax_space import DEEPEST, MinimaxOptions, MinimaxWorkspace, begin, minimax_workspace

CHUNK = 2000  # judged moves between two looks at whether to stop: about a millisecond
ANY = 9.0  # beyond all values
LONGEST = 120.0  # seconds: who has not moved by then may never


class Helpers:
    """Some threads that search one position, deeper and deeper, until they are told to stop.

    >>> import ludus
    >>> player = ludus.player("alphabeta(seconds=0.05,threads=2)", ludus.game("quoridor"))
    >>> player.choose(ludus.game("quoridor").start(), ludus.kernel.stream(1)) in range(141)
    True
    """

    def __init__(self, game: Any, view: Any, options: MinimaxOptions) -> None:
        self.game, self.view, self.options = game, view, options
        self._spaces: list[tuple[MinimaxWorkspace, Any]] = []  # of each thread: its stack of nodes, and its view
        self._threads: list[threading.Thread] = []
        self._stop = threading.Event()
        weakref.finalize(self, self._stop.set)  # also when the program ends

    def start(self, count: int, main: MinimaxWorkspace, state: np.ndarray) -> None:
        """Let so many threads search a state, with the table and the past of the main search."""
        self.stop()
        self._stop.clear()
        while len(self._spaces) < count:
            self._spaces.append((minimax_workspace(self.game, 1), own_view(self.game, self.view)))
        for number, (space, view) in enumerate(self._spaces[:count]):
            shared = space._replace(table=main.table, past=main.past)
            given = (shared, view, state.copy(), 1 + number % 2)
            self._threads.append(threading.Thread(target=self._search, args=given, daemon=True))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End them, and wait until they have ended."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _search(self, ws: Any, view: Any, state: np.ndarray, first: int) -> None:
        end = time.monotonic() + LONGEST
        for plies in range(first, DEEPEST + 1):
            begin(ws, self.game, state, plies, -ANY, ANY)
            while not run(ws, self.game, view, self.options, CHUNK):
                if self._stop.is_set() or time.monotonic() > end:
                    return
            if self._stop.is_set():
                return


def own_view(game: Any, view: Any) -> Any:
    """A view like this one for another thread: a network needs room for what it works out."""
    return network_leaf(game, view.encoding, view.net) if isinstance(view, NetworkLeaf) else view
