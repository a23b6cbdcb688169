"""A tree that grows, from Python's side: where it begins, how long it grows, and what is known at its root. Several of them, each grown by a thread of its own, make one search: their roots
are added up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import JOINT
from ludus.kernel import stream
from ludus.search.fleet import Fleet, recall, renew
from ludus.search.lanes import LaneOptions, grow
from ludus.search.tree import (
    ARMS,
    COUNT,
    FIRST,
    MOVE,
    MOVER,
    NODES,
    PROVEN,
    SLOT,
    VISITS,
    Tree,
    find_state,
    keep_below,
    new_tree,
    plant,
)
from ludus.search.uct import UCTOptions, search

PACE = 0.003  # seconds that a call of the compiled search should take: the clock and `stop` wait for it


class Root(NamedTuple):
    """What is known of the moves of a seat at the root, one entry a move."""

    moves: np.ndarray
    visits: np.ndarray
    values: np.ndarray  # for the seat, in units of the score range
    proven: np.ndarray  # whether a value is exact
    certain: bool  # whether that of the root itself is
    together: bool  # whether all seats move at once


class InLanes(NamedTuple):
    """Search by `lanes.py`, for compiled rulesheets."""

    fleet: Fleet
    options: LaneOptions


class OneByOne(NamedTuple):
    """Search by `uct.py`, for any game."""

    leaf: Any
    options: UCTOptions


class Growing:
    """A tree of at most so many nodes, and how it grows.

    >>> import ludus
    >>> from ludus.search.fleet import new_fleet
    >>> game = ludus.game("tictactoe")
    >>> tree = Growing(game, InLanes(new_fleet(game), LaneOptions()), 10_000)
    >>> tree.begin(game.start().state)
    >>> tree.simulate(stream(1), 1000) >= 1000, int(tree.root(0).visits.sum()) >= 1000
    (True, True)
    """

    def __init__(self, game: Any, way: InLanes | OneByOne, nodes: int) -> None:
        self.game, self.way = game, way
        self.tree: Tree = new_tree(game, nodes, sharing=isinstance(way, InLanes))
        self._chunk = 1

    def begin(self, state: np.ndarray, keep: bool = False) -> None:
        """Put the root where the game has come to; with `keep` what is known below it stays."""
        state = np.array(state, np.int64)
        found = int(find_state(self.tree, state)) if keep else -1
        if found >= 0:
            keep_below(self.tree, found)
        else:
            plant(self.tree, state)
        if isinstance(self.way, InLanes):
            recall(self.way.fleet)
            if not keep:
                renew(self.way.fleet)

    def forget(self) -> None:
        """Know nothing any more."""
        self.tree.used[NODES] = self.tree.used[NODES + 1] = 0

    def simulate(self, rng: np.ndarray, count: int) -> int:
        """Do so many simulations, or fewer if the root's value becomes proven; return how many."""
        if isinstance(self.way, InLanes):
            return int(grow(self.tree, self.game, self.way.fleet, self.way.options, rng, count))
        return int(search(self.tree, self.game, self.way.leaf, self.way.options, rng, count))

    def simulate_until(
        self, rng: np.ndarray, end: float, stopped: Callable[[], bool], told: Callable[[float], None]
    ) -> None:
        """Search until a moment of the clock, or until it is stopped, or nothing is left to find out; `told` hears the time now and then. Once at least, however late it is."""
        now = time.perf_counter()
        searched = False
        while not searched or (now < end and not stopped()):
            begun, count, searched = now, self._chunk if now < end else 1, True
            done = self.simulate(rng, count)
            now = time.perf_counter()
            told(now)
            if done < count:
                return  # proven
            rate = done / max(now - begun, 1e-9)
            self._chunk = max(1, min(int(rate * min(PACE, max(end - now, 0.0))), 4 * count))
        self._chunk = max(1, self._chunk)

    def root(self, seat: int) -> Root:
        """What is known of a seat's moves."""
        tree = self.tree
        row = tree.slots[tree.nodes[0, SLOT]]
        first, count = row[FIRST], row[COUNT]
        together = bool(row[MOVER] == JOINT)
        if together:
            first += row[ARMS : ARMS + seat].sum()
            count = row[ARMS + seat]
        rows = np.arange(first, first + count)
        visits = tree.nodes[rows, VISITS]
        if (
            together and len(tree.amaf) and tree.amaf[rows, 0].any()
        ):  # what comes to an equilibrium is not what was tried, but what seemed right
            weights = tree.amaf[rows, 0].astype(float)
            visits = np.rint(weights / weights.sum() * visits.sum()).astype(np.int64)
        return Root(
            tree.nodes[rows, MOVE],
            visits,
            tree.mean[rows, seat],
            tree.nodes[rows, PROVEN] > 0,
            bool(tree.nodes[0, PROVEN]),
            together,
        )


def added(roots: list[Root]) -> Root:
    """What several trees know of the same root. What one of them has proven is so; where the root is certain in one, that one says it all."""
    for root in roots:
        if root.certain or len(roots) == 1:
            return root
    visits = np.sum([root.visits for root in roots], axis=0)
    values = np.sum([root.visits * root.values for root in roots], axis=0) / np.maximum(visits, 1)
    proven = np.any([root.proven for root in roots], axis=0)
    for root in roots:
        values = np.where(root.proven, root.values, values)
    return Root(roots[0].moves, visits, values, proven, False, roots[0].together)


def grow_together(
    trees: list[Growing], rng: np.ndarray, end: float, stop: threading.Event | None, told: Callable[[float], None]
) -> None:
    """Let each tree grow in a thread of its own until a moment of the clock, or until `stop` is set. If one proves its root, the others stop."""
    if len(trees) == 1:
        trees[0].simulate_until(rng, end, lambda: stop is not None and stop.is_set(), told)
        return
    found = threading.Event()

    def stopped() -> bool:
        return found.is_set() or (stop is not None and stop.is_set())

    def one(tree: Growing, own: np.ndarray) -> None:
        tree.simulate_until(own, end, stopped, lambda now: None)
        if tree.tree.nodes[0, PROVEN]:
            found.set()

    own = [stream(int(rng[0] >> np.uint64(1)), i) for i in range(1, len(trees))]
    threads = [threading.Thread(target=one, args=pair, daemon=True) for pair in zip(trees[1:], own, strict=True)]
    for thread in threads:
        thread.start()
    try:
        trees[0].simulate_until(rng, end, stopped, told)
    finally:
        found.set()
        for thread in threads:
            thread.join()
