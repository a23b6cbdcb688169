"""The player `zero`: tree search by a network with a policy and a value, which method `zero` learns."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Move, Position
from ludus.contract.rules import moves
from ludus.errors import LudusError
from ludus.games.gdl.machine import Compiled
from ludus.players.base import decider
from ludus.search.board import BoardJudge
from ludus.search.puct import (
    COUNT,
    FIRST,
    MOVE,
    PROVEN,
    SEAT,
    VISITS,
    Puct,
    favourite,
    find_root,
    keep_subtree,
    mean_of,
    new_forest,
    root_at,
    search_tree,
)

SECONDS = 0.1
NODES = 400_000  # of a tree, unless told
PACE = 0.003  # seconds that a call of the compiled search should take


class Limits(NamedTuple):
    """How long to search for a move."""

    seconds: float = SECONDS
    simulations: int = 0  # 0: by time
    nodes: int = NODES


def check_game(game: Any) -> None:
    """LudusError if a game is none that this search and its network are for."""
    name, compiled = game.facts.name, isinstance(game, Compiled)
    if not compiled:
        raise LudusError(f"zero is for compiled rulesheets; {name} is none")
    if game.facts.seats != 2 or game.facts.max_chances:
        raise LudusError(f"zero is for two seats without chance; {name} is another kind of game")
    if game.start().kind == "joint":
        raise LudusError(f"zero is for games of turns; in {name} all seats move at once")


class Zero:
    """Tree search by a network.

    By time (`seconds` a move) the tree below the position that the game has come to is kept from move to move. By count (`simulations` a move) each move begins with
    a new tree: it depends on the position alone.
    """

    def __init__(
        self,
        game: Any,
        judge: BoardJudge,
        limits: Limits = Limits(),  # noqa: B008  # immutable
        options: Puct = Puct(),  # noqa: B008  # immutable
        name: str = "zero",
    ) -> None:
        check_game(game)
        self.game, self.name = game, name
        self.judge, self._limits, self._options = judge, limits, options
        self._legal = np.zeros(game.facts.max_moves, np.int64)
        self._tree: Any = None
        self._renamed = np.zeros(0, np.int64)
        self._chunk = 1
        self.best: int | None = None  # the move that it would play, while it thinks
        if not limits.simulations:
            self.slots = 1  # games that the arena should have in flight: the tree and the clock are for one at a time

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: Any) -> int:
        """The move for `seat`. The arena prefers this to `choose`."""
        if moves(self.game, state, seat, self._legal) == 1:
            return int(self._legal[0])
        self._search(np.array(state, np.int64), self._limits.seconds, self._limits.simulations, None)
        return int(self.tree.nodes[favourite(self.tree), MOVE])

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), rng)

    def think(self, position: Position, seconds: float, stop: threading.Event | None, rng: Any) -> Move:
        """The move after so much time, or soon after `stop` is set; sooner where nothing is left to find out."""
        found = position.moves()
        self.best = None
        if len(found) == 1:
            return found[0]
        self._search(position.state.copy(), seconds, 0, stop)
        chosen = int(self.tree.nodes[favourite(self.tree), MOVE])
        return next(move for move in found if move == chosen)

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves with the scores that a search expects, the one that it would play first, then by visits."""
        self._search(position.state.copy(), self._limits.seconds, self._limits.simulations, None)
        tree = self.tree
        first, count, seat = (int(tree.nodes[0, column]) for column in (FIRST, COUNT, SEAT))
        known = {int(move): move for move in position.moves()}
        best = int(favourite(tree))
        order = sorted(range(first, first + count), key=lambda child: (child != best, -int(tree.nodes[child, VISITS])))
        low, high = self.game.facts.score_range
        values: list[tuple[Move, float]] = []
        least = 1.0
        for child in order:
            tried = tree.nodes[child, VISITS] or tree.nodes[child, PROVEN]
            least = min(least, float(mean_of(tree, child, seat)) if tried else least)
            values.append((known[int(tree.nodes[child, MOVE])], low + least * (high - low)))
        return values

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        if self._tree is None:
            state = self.game.start().state.copy()
            tree = new_forest(self.game, self._limits.nodes)
            self._renamed = np.zeros(len(tree.nodes), np.int64)
            root_at(tree, self.game, state)
            search_tree(tree, self.game, self.judge, self._options, 2)
            keep_subtree(tree, max(int(find_root(tree, state)), 0), self._renamed)
            favourite(tree)
            tree.used[0] = 0
            self._tree = tree

    def forget(self) -> None:
        """Begin the next move with a new tree."""
        if self._tree is not None:
            self._tree.used[0] = 0

    @property
    def tree(self) -> Any:
        """The tree of the last search."""
        self.prepare()
        return self._tree

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tree": None}

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    def _search(self, state: np.ndarray, seconds: float, simulations: int, stop: threading.Event | None) -> None:
        tree = self.tree
        end = time.perf_counter() + seconds
        root = -1 if simulations else int(find_root(tree, state))
        if root >= 0:
            keep_subtree(tree, root, self._renamed)
        else:
            root_at(tree, self.game, state)
        if simulations:
            search_tree(tree, self.game, self.judge, self._options, simulations)
            return
        now, searched = time.perf_counter(), False
        while not searched or (now < end and not (stop is not None and stop.is_set())):
            begun, count, searched = now, self._chunk, True
            done = search_tree(tree, self.game, self.judge, self._options, count)
            now = time.perf_counter()
            if stop is not None:
                self.best = int(tree.nodes[favourite(tree), MOVE])
            if done < count:
                return  # proven, or no room is left
            rate = count / max(now - begun, 1e-9)
            self._chunk = max(1, min(int(rate * min(PACE, max(end - now, 0.0))), 4 * count))
