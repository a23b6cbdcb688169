"""The player behind `mcts`: Monte Carlo tree search by time or by count, with random games or a network at the leaves. The
search itself is in `ludus.search.uct`; here are the clock, the choice at the root, and what people and programs ask of a player.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.knowing import hides
from ludus.contract.position import Move, Position
from ludus.contract.rules import guided_playouts, moves, sizes_of
from ludus.errors import LudusError
from ludus.games.gdl.machine import Compiled
from ludus.kernel import specialises, stream, uniform
from ludus.players.base import as_stream, decider
from ludus.players.hidden import HiddenMCTS, make_hidden
from ludus.players.models import model_of
from ludus.quantities import need_memory
from ludus.search.fleet import new_fleet
from ludus.search.growing import Growing, InLanes, OneByOne, Root, added, grow_together
from ludus.search.lanes import LaneOptions
from ludus.search.leaves import Guided, Mixed, Playouts, network_leaf
from ludus.search.study import SHORTEST, Studied, Study
from ludus.search.tree import SLOT, Tree
from ludus.search.uct import uct_options

TELL = 0.02  # seconds after which it says anew which move is the best so far
NODES = 2_000_000  # of a tree, unless told
FAINT = (
    0.15  # where all move at once, moves visited less than this share of the favourite are taken for mere exploration
)

SECONDS = 0.1
C = 0.3
C_NETWORK = 0.2
C_GUIDED = 2.0
STUDIED = 0.8  # the share of a start clock in which it finds out how to search; then it searches
LEAF = 8  # random games that make a simulation, where a search goes by their count


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
    study: float = 0.0  # seconds for finding out how the game is best searched, before the first move


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
        ways: Sequence[InLanes | OneByOne],
        effort: Effort = Effort(),  # noqa: B008  # immutable
        name: str = "mcts",
    ) -> None:
        self.name = name
        self.game = game
        self.seconds, self.simulations, nodes, self._study = effort
        self._ways = tuple(ways)  # a tree for each, grown by a thread of its own
        self._legal = np.zeros(game.facts.max_moves, np.int64)
        # A root can always be opened up.
        max_moves, _, seats, max_chances = sizes_of(game)
        self._nodes = max(nodes, 1 + max(seats * max_moves, max_chances))
        self._trees: list[Growing] = []
        self.best: int | None = None  # the move that it would play, while it thinks
        self.studied: Studied | None = None  # what it found out about the game before it began
        if not self.simulations:
            self.slots = 1  # games that the arena should have in flight: the tree and the clock are for one at a time

    # --- what is asked of a player -----------------------------------------------------------------------------------

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move for `seat`. The arena prefers this to `choose`."""
        if moves(self.game, state, seat, self._legal) == 1:
            return int(self._legal[0])
        self._search(state, rng, self.seconds)
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
            self._think(position.state, own, time.perf_counter() + seconds, stop, seat)
            chosen = self._favourite(seat, own)
            return next(move for move in found if move == chosen)
        return found[0]

    def ponder(self, state: np.ndarray, end: float, stop: threading.Event, rng: np.ndarray) -> None:
        """Search from a state until a moment of the monotonic clock, or until `stop` is set: what is found there is at hand if the game comes that way."""
        self._think(state, rng, time.perf_counter() + end - time.monotonic(), stop, None)

    def study(self, state: np.ndarray, end: float, stop: threading.Event, rng: np.ndarray) -> None:
        """Before a match that begins with a state: find out how this game is best searched, then search, until a moment of the monotonic clock, or until `stop` is set."""
        self.prepare()
        seconds = end - time.monotonic()
        if seconds >= SHORTEST and self.game.facts.seats > 1:
            self._find_ways(time.monotonic() + STUDIED * seconds, stop)
        self.ponder(state, end, stop, rng)

    def _find_ways(self, end: float, stop: threading.Event | None) -> None:
        """Find out how this game is best searched, and do so from now on."""
        first = self._ways[0]
        if isinstance(first, InLanes):
            self.studied = Study(self.game, first.options, 1, len(self._ways), stop).run(end)
            words = len(first.fleet.words)
            self._ways = tuple(
                InLanes(new_fleet(self.game, words, self.studied.judgement), self.studied.options) for _ in self._ways
            )
            for tree, way in zip(self._trees, self._ways, strict=True):
                tree.way = way
                tree.forget()

    def look(self, position: Position, rng: Any) -> list[Look]:
        """What a search finds about each move, the one that it would play (or would play most often) first."""
        seat, own = decider(position), as_stream(rng)
        self._search(position.state, own, self.seconds)
        return self._looks(position, seat)

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves with the scores that a search expects, the one that it would play first. One that was tried too seldom to be
        preferred counts no more than those before it, however well its few games went: `look` has the bare means.
        """
        looks = self.look(position, rng)
        return list(zip((look.move for look in looks), accumulate((look.value for look in looks), min), strict=True))

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        if not self._trees:
            state = self.game.start().state
            trees = [Growing(self.game, way, self._nodes) for way in self._ways]
            trees[0].begin(state)
            trees[0].simulate(stream(1), 1)
            trees[0].begin(state, keep=True)
            for tree in trees:
                tree.forget()
            self._trees = trees
            if self._study and self.studied is None:
                self._find_ways(time.monotonic() + self._study, None)

    def forget(self) -> None:
        """Begin the next move with a new tree."""
        for tree in self._trees:
            tree.forget()

    @property
    def tree(self) -> Tree:
        """The tree of the last search, the first of several."""
        self.prepare()
        return self._trees[0].tree

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_trees": [], "studied": None}

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    def grow(self, state: np.ndarray, rng: np.ndarray, count: int) -> None:
        """Search from a state by count, in a new tree."""
        self.prepare()
        self._trees[0].begin(state)
        self._trees[0].simulate(rng, count)

    # --- searching ---------------------------------------------------------------------------------------------------

    def _search(self, state: np.ndarray, rng: np.ndarray, seconds: float) -> None:
        if not self.simulations:
            self._think(state, rng, time.perf_counter() + seconds, None, None)
            return
        self.grow(state, rng, self.simulations)

    def _think(
        self, state: np.ndarray, rng: np.ndarray, end: float, stop: threading.Event | None, seat: int | None
    ) -> None:
        """Search until a moment of the clock; with a seat `best` is what it would play, now and then."""
        self.prepare()
        for tree in self._trees:
            tree.begin(state, keep=True)
        said = 0.0

        def tell(now: float) -> None:
            nonlocal said
            if seat is not None and (self.best is None or now - said > TELL):
                self.best, said = self._favourite(seat, rng.copy()), now

        grow_together(self._trees, rng, end, stop, tell)

    # --- the root ----------------------------------------------------------------------------------------------------

    def _root(self, seat: int) -> Root:
        """What all trees know of a seat's moves."""
        opened = [tree.root(seat) for tree in self._trees if tree.tree.used[0] and tree.tree.nodes[0, SLOT] >= 0]
        return added(opened)

    def _favourite(self, seat: int, rng: np.ndarray) -> int:
        """The move to play. Where all move at once it is drawn, as a player who can be foreseen can be beaten."""
        root = self._root(seat)
        order = _order(root)
        if not root.together:
            return int(root.moves[order[0]])
        weights = root.visits[order].astype(float)
        weights[weights < FAINT * weights.max()] = 0.0
        place = np.searchsorted(np.cumsum(weights), uniform(rng) * weights.sum(), side="right")
        return int(root.moves[order[min(int(place), len(order) - 1)]])

    def _looks(self, position: Position, seat: int) -> list[Look]:
        root, (low, high) = self._root(seat), self.game.facts.score_range
        known = {int(move): move for move in position.moves(seat)}
        return [
            Look(
                known[int(root.moves[i])],
                int(root.visits[i]),
                low + float(root.values[i]) * (high - low),
                bool(root.proven[i]),
            )
            for i in _order(root)
        ]


def _order(root: Root) -> np.ndarray:
    """The root's moves, best first: the most visited; before it a proven one that is better than that one seems; a
    proven loss last.
    """
    value, visits, proven = root.values, root.visits, root.proven
    if root.certain:
        return np.lexsort((-visits, -np.where(proven, value, -1.0)))
    rows = np.arange(len(visits))
    open_ones = rows[~proven][np.lexsort((-value[~proven], -visits[~proven]))]
    sure = rows[proven][np.argsort(-value[proven], kind="stable")]
    better = value[sure] >= (value[open_ones[0]] if len(open_ones) else 0.0)
    return np.concatenate([sure[better], open_ones, sure[~better]])


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
    threads: int = 1  # trees that grow at the same time
    study: float = 0.0  # seconds before the first move: see `ludus.search.study`
    lanes: bool = True  # whether the games of a rulesheet are played many at once
    rave: float = 250.0  # in lanes: see `LaneOptions`
    candidates: int = 2
    open_at: int = 2
    words: int = 1

    def check(self, game: Any, path: str | None) -> None:
        """LudusError if these make no sense, alone or together, for a game and a network's path."""
        if self.seconds is not None and self.simulations is not None:
            raise LudusError("mcts searches by time or by count: give seconds or simulations, not both")
        if self.simulations is not None and self.threads > 1:
            raise LudusError("mcts(threads=…) is for searches by time: one by count comes to the same move each time")
        if self.study and not (isinstance(game, Compiled) and self.lanes and path is None):
            raise LudusError("mcts(study=…) is for compiled rulesheets, without a network")
        need_memory(self.threads * self.nodes * (80 + 8 * game.facts.seats), f"mcts(nodes={self.nodes})")
        if self.mix and path is None:
            raise LudusError("mcts(mix=…) mixes random games with a network: name one, as in mcts:runs/first(mix=0.5)")
        if self.guided and path is not None:
            raise LudusError("mcts(guided=true) plays sensible games at the leaves: a network can't be named too")
        if self.guided and not specialises(guided_playouts, type(game)):
            raise LudusError(
                f"mcts(guided=true): {game.facts.name} does not say which moves are sensible; quoridor does"
            )


def make_mcts(game: Any, path: str | None, **arguments: Any) -> MCTS:
    """The player `mcts`, or `mcts:RUN_OR_FILE` with a network at the leaves; the arguments are those of `MCTSOptions`. With `guided` a
    game's own idea of sensible moves decides which of them are looked at, and how games are played on from the leaves: one game a leaf,
    unless told, so that simulations are games.
    """
    options = MCTSOptions(**arguments)
    options.check(game, path)
    guided, seconds, simulations = options.guided, options.seconds or SECONDS, options.simulations or 0
    limit = f"simulations={simulations}" if simulations else f"seconds={seconds:g}"
    name = f"mcts{':' + path if path else ''}({limit}{',guided' if guided else ''})"
    games = options.leaf or (1 if guided else LEAF)
    if isinstance(game, Compiled) and path is None and options.lanes:
        ways = [InLanes(new_fleet(game, options.words), _lane_options(options)) for _ in range(options.threads)]
        return MCTS(game, ways, Effort(seconds, simulations * games, options.nodes, options.study), name)
    c = options.c if options.c is not None else C_GUIDED if guided else C if path is None else C_NETWORK
    found = [
        OneByOne(_leaf(game, path, options, games), uct_options(game, c, options.ahead)) for _ in range(options.threads)
    ]
    return MCTS(game, found, Effort(seconds, simulations, options.nodes), name)


def _lane_options(options: MCTSOptions) -> LaneOptions:
    c = C if options.c is None else options.c
    return LaneOptions(
        c=float(c),
        probe=options.ahead,
        rave=float(options.rave),
        candidates=options.candidates,
        open_at=options.open_at,
    )


def _leaf(game: Any, path: str | None, options: MCTSOptions, games: int) -> Any:
    """How leaves are judged, with a workspace of its own."""
    if path is None:
        return Guided(games) if options.guided else Playouts(games)
    leaf = network_leaf(game, *model_of(game, path))
    return Mixed(leaf, games, float(options.mix), np.zeros(game.facts.seats)) if options.mix else leaf


def make(game: Any, path: str | None, **arguments: Any) -> MCTS | HiddenMCTS:
    """What `mcts` is in a game: where information is hidden, another search."""
    return (make_hidden if hides(game) else make_mcts)(game, path, **arguments)
