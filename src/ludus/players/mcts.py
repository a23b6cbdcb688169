"""The player behind `mcts`: Monte Carlo tree search by time or by count, with random games or a network at the leaves. The
search itself is in `ludus.search.uct`; here are the clock, the choice at the root, and what people and programs ask of a player.
"""

from __future__ import annotations

import threading
import time
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.knowing import hides
from ludus.contract.position import Move, Position
from ludus.contract.rules import JOINT, guided_playouts, moves, sizes_of
from ludus.errors import LudusError
from ludus.kernel import specialises, stream, uniform
from ludus.players.base import as_stream, decider
from ludus.players.hidden import HiddenMCTS, make_hidden
from ludus.players.models import model_of
from ludus.quantities import need_memory
from ludus.search.leaves import Guided, Mixed, Playouts, network_leaf
from ludus.search.tree import (
    ARMS,
    COUNT,
    FIRST,
    MOVE,
    MOVER,
    PROVEN,
    SLOT,
    VISITS,
    Tree,
    find_state,
    keep_below,
    new_tree,
    plant,
)
from ludus.search.uct import search, uct_options

PACE = 0.003  # seconds that a call of the compiled search should take: the clock and `stop` wait for it
TELL = 0.02  # seconds after which it says anew which move is the best so far
NODES = 2_000_000  # of a tree, unless told
FAINT = (
    0.15  # where all move at once, moves visited less than this share of the favourite are taken for mere exploration
)

SECONDS = 0.1
C = 0.3
C_NETWORK = 0.2
C_GUIDED = 2.0
LEAF = (
    8  # random games at a leaf: in a game that plays many at once, more would be cheap, but a larger tree is worth more
)


class Look(NamedTuple):
    """What a search found about one move."""

    move: Move
    visits: int
    value: float  # the score that it expects for the seat to move
    proven: bool  # whether that is exact


class Effort(NamedTuple):
    """How long to search for a move, and in how large a tree."""

    seconds: float = SECONDS
    simulations: int = 0  # 0: by time
    nodes: int = NODES


class MCTS:
    """Monte Carlo tree search.

    By time (`seconds` a move) the tree below the position that the game has come to is kept from move to move. By count
    (`simulations` a move) each move begins with a new tree: it depends on the position and the random stream alone.

    >>> import ludus
    >>> player = ludus.players.player("mcts(simulations=50)", ludus.game("backgammon"))
    >>> position = ludus.game("backgammon").start().play("31")
    >>> player.choose(position, np.random.default_rng(1)) in position.moves()
    True
    """

    def __init__(
        self,
        game: Any,
        leaf: Any,
        effort: Effort = Effort(),  # noqa: B008  # immutable
        c: float = C,
        ahead: bool = True,
        name: str = "mcts",
    ) -> None:
        self.name = name
        self.game = game
        self.seconds, self.simulations, nodes = effort
        self._leaf = leaf
        self._options = uct_options(game, c, ahead)
        self._legal = np.zeros(game.facts.max_moves, np.int64)
        # A root can always be opened up.
        max_moves, _, seats, max_chances = sizes_of(game)
        self._nodes = max(nodes, 1 + max(seats * max_moves, max_chances))
        self._tree: Tree | None = None
        self._chunk = 1
        self._ready = False
        self.best: int | None = None  # the move that it would play, while it thinks
        if not self.simulations:
            self.slots = 1  # games that the arena should have in flight: the tree and the clock are for one at a time

    # --- what is asked of a player -----------------------------------------------------------------------------------

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move for `seat`. The arena prefers this to `choose`."""
        if moves(self.game, state, seat, self._legal) == 1:
            return int(self._legal[0])
        self._search(state, rng, self.seconds, self.simulations)
        return self._favourite(seat, rng)

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), as_stream(rng))

    def think(self, position: Position, seconds: float, stop: threading.Event | None, rng: Any) -> Move:
        """The move after so much time, or soon after `stop` is set; sooner where nothing is left to find out."""
        seat, own = decider(position), as_stream(rng)
        found = position.moves()
        self.best = None
        if len(found) > 1:
            self._search(position.state.copy(), own, seconds, 0, stop, seat)
            chosen = self._favourite(seat, own)
            return next(move for move in found if move == chosen)
        return found[0]

    def look(self, position: Position, rng: Any) -> list[Look]:
        """What a search finds about each move, the one that it would play (or would play most often) first."""
        seat, own = decider(position), as_stream(rng)
        self._search(position.state.copy(), own, self.seconds, self.simulations)
        return self._looks(position, seat)

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves with the scores that a search expects, the one that it would play first. One that was tried too seldom to be
        preferred counts no more than those before it, however well its few games went: `look` has the bare means.
        """
        looks = self.look(position, rng)
        return list(zip((look.move for look in looks), accumulate((look.value for look in looks), min), strict=True))

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        if not self._ready:
            state = self.game.start().state.copy()
            tree, rng = new_tree(self.game, self._nodes), stream(1)
            plant(tree, state)
            search(tree, self.game, self._leaf, self._options, rng, 1)
            keep_below(tree, max(int(find_state(tree, state)), 0))
            self._tree = tree
            tree.used[:] = 0
            self._ready = True

    def forget(self) -> None:
        """Begin the next move with a new tree."""
        if self._tree is not None:
            self._tree.used[:] = 0

    @property
    def tree(self) -> Tree:
        """The tree of the last search."""
        self.prepare()
        assert self._tree is not None
        return self._tree

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tree": None, "_ready": False}

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    # --- searching ---------------------------------------------------------------------------------------------------

    def _search(
        self,
        state: np.ndarray,
        rng: np.ndarray,
        seconds: float,
        simulations: int,
        stop: threading.Event | None = None,
        seat: int | None = None,
    ) -> None:
        tree = self.tree
        end = time.perf_counter() + seconds
        state = np.array(state, np.int64)
        root = -1 if simulations else int(find_state(tree, state))
        if root >= 0:
            keep_below(tree, root)
        else:
            plant(tree, state)
        if simulations:
            search(tree, self.game, self._leaf, self._options, rng, simulations)
        else:
            self._search_until(tree, rng, end, stop, seat)

    def _search_until(
        self, tree: Tree, rng: np.ndarray, end: float, stop: threading.Event | None, seat: int | None
    ) -> None:
        now = time.perf_counter()
        said, searched = now, False
        while not searched or (
            now < end and not (stop is not None and stop.is_set())
        ):  # once at least, however late it is
            begun, count, searched = now, self._chunk if now < end else 1, True
            done = search(tree, self.game, self._leaf, self._options, rng, count)
            now = time.perf_counter()
            if seat is not None and (self.best is None or now - said > TELL):
                self.best, said = self._favourite(seat, rng.copy()), now
            if done < count:
                return  # proven
            rate = count / max(now - begun, 1e-9)
            self._chunk = max(1, min(int(rate * min(PACE, max(end - now, 0.0))), 4 * count))
        self._chunk = max(1, self._chunk)

    # --- the root ----------------------------------------------------------------------------------------------------

    def _entries(self, seat: int) -> np.ndarray:
        """The root's children, or the arms of a seat where all move at once."""
        tree = self.tree
        row = tree.slots[tree.nodes[0, SLOT]]
        first, count = row[FIRST], row[COUNT]
        if row[MOVER] == JOINT:
            first += row[ARMS : ARMS + seat].sum()
            count = row[ARMS + seat]
        return np.arange(first, first + count)

    def _order(self, seat: int) -> np.ndarray:
        """The root's moves, best first: the most visited; before it a proven one that is better than that one seems; a
        proven loss last.
        """
        tree, entries = self.tree, self._entries(seat)
        value, visits, proven = tree.mean[entries, seat], tree.nodes[entries, VISITS], tree.nodes[entries, PROVEN] > 0
        if tree.nodes[0, PROVEN]:
            return entries[np.lexsort((-visits, -np.where(proven, value, -1.0)))]
        open_ones = entries[~proven][np.lexsort((-value[~proven], -visits[~proven]))]
        sure = entries[proven][np.argsort(-value[proven], kind="stable")]
        better = tree.mean[sure, seat] >= (tree.mean[open_ones[0], seat] if len(open_ones) else 0.0)
        return np.concatenate([sure[better], open_ones, sure[~better]])

    def _favourite(self, seat: int, rng: np.ndarray) -> int:
        """The move to play. Where all move at once it is drawn, as a player who can be foreseen can be beaten."""
        tree, order = self.tree, self._order(seat)
        if tree.slots[tree.nodes[0, SLOT], MOVER] != JOINT:
            return int(tree.nodes[order[0], MOVE])
        weights = tree.nodes[order, VISITS].astype(float)
        weights[weights < FAINT * weights.max()] = 0.0
        place = np.searchsorted(np.cumsum(weights), uniform(rng) * weights.sum(), side="right")
        return int(tree.nodes[order[min(int(place), len(order) - 1)], MOVE])

    def _looks(self, position: Position, seat: int) -> list[Look]:
        tree, (low, high) = self.tree, self.game.facts.score_range
        known = {int(move): move for move in position.moves(seat)}
        return [
            Look(
                known[int(tree.nodes[e, MOVE])],
                int(tree.nodes[e, VISITS]),
                low + float(tree.mean[e, seat]) * (high - low),
                bool(tree.nodes[e, PROVEN]),
            )
            for e in self._order(seat)
        ]


class MCTSOptions(NamedTuple):
    """What `mcts(...)` takes. None: what suits the rest."""

    seconds: float | None = None
    simulations: int | None = None
    c: float | None = None
    leaf: int | None = None  # games at a leaf
    mix: float = 0.0  # the share of random games in a network's judgement
    ahead: bool = True
    guided: bool = False
    nodes: int = NODES

    def check(self, game: Any, path: str | None) -> None:
        """LudusError if these make no sense, alone or together, for a game and a network's path."""
        if self.seconds is not None and self.simulations is not None:
            raise LudusError("mcts searches by time or by count: give seconds or simulations, not both")
        need_memory(self.nodes * (64 + 8 * game.facts.seats), f"mcts(nodes={self.nodes})")
        if self.mix and path is None:
            raise LudusError("mcts(mix=…) mixes random games with a network: name one, as in mcts:runs/first(mix=0.5)")
        if self.guided and path is not None:
            raise LudusError("mcts(guided=true) plays sensible games at the leaves: a network can't be named too")
        if self.guided and not specialises(guided_playouts, type(game)):
            raise LudusError(
                f"mcts(guided=true): {game.facts.name} does not say which moves are sensible; quoridor does"
            )


def make_mcts(game: Any, path: str | None, **arguments: Any) -> MCTS | HiddenMCTS:
    """The player `mcts`, or `mcts:RUN_OR_FILE` with a network at the leaves; the arguments are those of `MCTSOptions`. With `guided` a
    game's own idea of sensible moves decides which of them are looked at, and how games are played on from the leaves: one game a leaf,
    unless told, so that simulations are games.
    """
    if hides(game):
        return make_hidden(game, path, **arguments)
    options = MCTSOptions(**arguments)
    options.check(game, path)
    guided, seconds, simulations = options.guided, options.seconds or SECONDS, options.simulations or 0
    games = options.leaf or (1 if guided else LEAF)
    leaf: Any = Guided(games) if guided else Playouts(games)
    if path is not None:
        leaf = network_leaf(game, *model_of(game, path))
        if options.mix:
            leaf = Mixed(leaf, games, float(options.mix), np.zeros(game.facts.seats))
    c = options.c if options.c is not None else C_GUIDED if guided else C if path is None else C_NETWORK
    limit = f"simulations={simulations}" if simulations else f"seconds={seconds:g}"
    name = f"mcts{':' + path if path else ''}({limit}{',guided' if guided else ''})"
    return MCTS(game, leaf, Effort(seconds, simulations, options.nodes), c, options.ahead, name)
