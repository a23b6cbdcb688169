"""The player behind `mcts` in games with hidden information: it draws states that fit what its seat knows, and searches from them by what each seat knows
(`ludus.search.infosets`).

Before that, some simulations begin at the beginning of the game: by them the tree learns how others choose, and from that follows what their moves tell.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.knowing import known_to, trail
from ludus.contract.position import Move, Position
from ludus.contract.rules import OVER, moves, turn
from ludus.errors import LudusError
from ludus.kernel import stream, uniform
from ludus.players.base import as_stream, decider
from ludus.quantities import need_memory
from ludus.search.infosets import (
    COUNT,
    FIRST,
    MOVE,
    NODES,
    SURE,
    TRIES,
    InfoTree,
    Known,
    find_node,
    follow,
    info_options,
    new_info_tree,
    search_from,
)

SECONDS = 0.1
C = 0.5
LEAF = 8  # random games at a new node
MAX_NODES = 200_000
NODE_BYTES = 150
STATES = 256  # that fit what the seat knows, from which simulations begin
TRIES_A_STEP = 16_384  # to find them
TRIES_A_CALL = 256
LEAST_TRIES = 32  # however late it is
ROUNDS = 3  # so often it begins anew, with more tries, if no state fits
BEGINNING = 0.5  # the share of simulations that begin at the beginning of the game
ENOUGH = 500  # simulations from there that come to where the game stands: then it is so small that all of them do
PACE = 0.005  # seconds that a call of the compiled search should take
FAINT = 0.25  # moves that were chosen less often than this share of the favourite are taken for mere exploration


class Glimpse(NamedTuple):
    """What a search found about one move."""

    move: Move
    tries: int
    value: float  # the score that it expects for the seat to move


class Budget:
    """What may still be done for a move: simulations, or seconds; `stop` ends it."""

    def __init__(self, simulations: int, seconds: float, stop: threading.Event | None = None) -> None:
        self.simulations, self.stop = simulations, stop
        self.begun = time.perf_counter()
        self.seconds = seconds

    def left(self, share: float) -> bool:
        """Whether less than a share of the time is over; where simulations are counted, always."""
        if self.simulations:
            return True
        is_stopped = self.stop is not None and self.stop.is_set()
        return not is_stopped and time.perf_counter() - self.begun < share * self.seconds


class HiddenMCTS:
    """Monte Carlo tree search by what each seat knows.

    By time (`seconds` a move) the tree, and the states that fit, are kept from move to move. By count (`simulations` a move) a move depends on what the seat knows
    and the random stream alone.

    >>> import ludus
    >>> game = ludus.game("montyhall")
    >>> player = ludus.player("mcts(simulations=2000)", game)
    >>> position = game.start().play("hide 2").play("choose 1").play("open 3").seen_by(0)
    >>> game.move_text(position.state, player.choose(position, np.random.default_rng(1)))
    'switch'
    """

    def __init__(
        self,
        game: Any,
        seconds: float = SECONDS,
        simulations: int = 0,
        c: float = C,
        leaf: int = LEAF,
        nodes: int = MAX_NODES,
    ) -> None:
        self.name = f"mcts({f'simulations={simulations}' if simulations else f'seconds={seconds:g}'})"
        self.game = game
        self.seconds, self.simulations = seconds, simulations
        self._within = game.brief()
        self._nodes = min(nodes, 64 + 2 * simulations * game.facts.seats) if simulations else nodes
        self._options = info_options(self._within, c, leaf)
        self._tree: InfoTree | None = None
        self._chunk = 1
        self._beginning = np.zeros((1, 0), np.int64)
        self._kept: tuple[int, np.ndarray, np.ndarray] | None = None  # a seat, its keys, and states that fit them
        self.best: int | None = None  # the move that it would play, while it thinks
        if not simulations:
            self.slots = 1  # games that the arena should have in flight: what is kept is of one game

    # --- what is asked of a player -----------------------------------------------------------------------------------

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move for `seat`, by what it knows."""
        legal = self._legal(state, seat)
        if len(legal) == 1:
            return int(legal[0])
        self._search(state, seat, rng, Budget(self.simulations, self.seconds))
        return self._drawn(state, seat, rng)

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), as_stream(rng))

    def think(self, position: Position, seconds: float, stop: threading.Event | None, rng: Any) -> Move:
        """The move after so much time, or soon after `stop` is set."""
        seat, own = decider(position), as_stream(rng)
        found, state = position.moves(), position.state.copy()
        self.best = None
        if len(found) > 1:
            self._search(state, seat, own, Budget(0, seconds, stop))
            chosen = self._drawn(state, seat, own)
            return next(move for move in found if move == chosen)
        return found[0]

    def study(self, state: np.ndarray, end: float, stop: threading.Event | None, rng: np.ndarray) -> None:
        """Learn how the seats choose, from the beginning of the game, until a moment of the monotonic clock or until `stop` is set."""
        self._simulate(rng, self.tree and self._beginning, Budget(0, max(end - time.monotonic(), 0.0), stop), 1.0)

    def look(self, position: Position, rng: Any) -> list[Glimpse]:
        """What a search finds about each move, the one that it would play most often first."""
        seat, state = decider(position), position.state.copy()
        self._search(state, seat, as_stream(rng), Budget(self.simulations, self.seconds))
        legal = {int(move): move for move in position.moves()}
        low, high = self.game.facts.score_range
        found, tries, total = self._arms(state, seat)
        order = np.lexsort((-total / np.maximum(tries, 1), -tries))
        return [
            Glimpse(legal[int(found[i])], int(tries[i]), low + float(total[i]) / max(int(tries[i]), 1) * (high - low)) for i in order
        ]  # fmt: skip

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves with the scores that a search expects, the one that it would play most often first. One that was tried too seldom to be preferred counts
        no more than those before it.
        """
        looks = self.look(position, rng)
        return list(zip((look.move for look in looks), accumulate((look.value for look in looks), min), strict=True))

    def policy(self, position: Position, rng: Any) -> dict[Move, float]:
        """How likely it is to make each move: it draws, as whoever can be foreseen can be beaten."""
        looks = self.look(position, rng)
        weights = _clear(np.array([look.tries for look in looks], float))
        return {look.move: float(weight) for look, weight in zip(looks, weights, strict=True)}

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        state, rng = known_to(self.game, self.game.start().state, 0), stream(1)
        self._search(state, 0, rng, Budget(2, 0.0))
        self.forget()

    def forget(self) -> None:
        """Begin the next move with nothing."""
        self._kept = None
        if self._tree is not None:
            self._tree.table[:] = 0
            self._tree.used[:] = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tree": None, "_kept": None}

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    # --- searching ---------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> InfoTree:
        """What was found so far."""
        if self._tree is None:
            self._tree = new_info_tree(self._within, self._nodes)
            self._beginning = self._within.start().state[None].copy()
        return self._tree

    def _legal(self, state: np.ndarray, seat: int) -> np.ndarray:
        legal = np.zeros(self.game.facts.max_moves, np.int64)
        return legal[: moves(self.game, state, seat, legal)]

    def _search(self, state: np.ndarray, seat: int, rng: np.ndarray, budget: Budget) -> None:
        state = known_to(self.game, state, seat)  # whoever asks: this is all that it looks at
        tree, known = self.tree, self.known(state, seat)
        if budget.simulations or self._is_new(known) or tree.used[NODES] > 0.8 * self._nodes:
            self.forget()
        node = max(int(find_node(tree, self._within, self._short(state), seat, True)), 0)
        self._simulate(rng, self._beginning, budget, BEGINNING)
        states, me = (
            (self.states(known, rng, budget), seat) if tree.nodes[node, SURE] < ENOUGH else (self._beginning, -1)
        )
        if states is not None:
            self.keep(known if me >= 0 else known._replace(keys=known.keys[:0]), states)
            self._simulate(rng, states, budget, 1.0, me, lambda: self._note_best(state, seat, rng))

    def _simulate(
        self,
        rng: np.ndarray,
        states: np.ndarray,
        budget: Budget,
        share: float,
        me: int = -1,
        tell: Callable[[], None] = lambda: None,
    ) -> None:
        """Simulations from some states, until a share of the budget is used; one at least."""
        if budget.simulations:
            part = share * budget.simulations if share < 1.0 else (1.0 - BEGINNING) * budget.simulations
            search_from(self.tree, self._within, self._options, rng, states, max(int(part), 1), me)
            return
        while True:
            begun, count = time.perf_counter(), self._chunk
            search_from(self.tree, self._within, self._options, rng, states, count, me)
            tell()
            if not budget.left(share):
                return
            rate = count / max(time.perf_counter() - begun, 1e-9)
            self._chunk = max(1, min(int(rate * PACE), 4 * count))

    def _note_best(self, state: np.ndarray, seat: int, rng: np.ndarray) -> None:
        self.best = self._drawn(state, seat, rng.copy())

    def known(self, state: np.ndarray, seat: int) -> Known:
        """What the seat knows."""
        capacity = self.game.facts.state_size
        own, keys = np.zeros(capacity, np.int64), np.zeros(capacity, np.uint64)
        count = trail(self.game, state, seat, own, keys)
        if count < 0:
            count = 0  # a game longer than the state can tell: no simulation will come to where it stands
        return Known(seat, own[:count].copy(), keys[:count].copy(), self._legal(state, seat).copy())

    def keep(self, known: Known, states: np.ndarray | None) -> np.ndarray | None:
        """Begin with these states the next time, as they fit what a seat knows."""
        if states is not None:
            self._kept = known.seat, known.keys, states
        return states

    def _is_new(self, known: Known) -> bool:
        """Whether this is another game than the last one."""
        if self._kept is None:
            return False
        seat, keys, _ = self._kept
        return seat != known.seat or not np.array_equal(keys, known.keys[: len(keys)])

    def states(self, known: Known, rng: np.ndarray, budget: Budget) -> np.ndarray | None:
        """States that fit what a seat knows, a row each; None if none was found."""
        if self._is_new(known):
            self._kept = None
        for attempt in range(ROUNDS):
            states, step = self.tree and self._beginning, 0
            if self._kept is not None and attempt == 0:
                step, states = len(self._kept[1]), self._kept[2]
            tries, share = TRIES_A_STEP << (2 * attempt), 0.6 + 0.15 * attempt
            while step < len(known.keys) and len(states):
                states = self._after(
                    known._replace(step=step), rng, states, tries, functools.partial(budget.left, share)
                )
                step += 1
            if len(states):
                return states
            if not budget.left(share):
                break
        return None

    def _after(
        self, known: Known, rng: np.ndarray, states: np.ndarray, tries: int, goes_on: Callable[[], bool]
    ) -> np.ndarray:
        """States after a step; some tries are made, however late it is."""
        found = np.zeros((STATES, states.shape[1]), np.int64)
        count, done, some = 0, 0, 1  # few at first: there are games in which each takes its time
        while True:
            count += follow(self.tree, self._within, known, rng, states, found[count:], done, some)
            done, some = done + some, min(2 * some, TRIES_A_CALL)
            if count == STATES or done >= tries or not (goes_on() or (count == 0 and done < LEAST_TRIES)):
                return found[:count]

    # --- the root ----------------------------------------------------------------------------------------------------

    def _short(self, state: np.ndarray) -> np.ndarray:
        return np.array(state[: self._within.facts.state_size], np.int64)

    def _arms(self, state: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The moves at the root, how often each was tried, and the sum of what it brought."""
        tree, own = self.tree, self._short(known_to(self.game, state, seat))
        node = int(find_node(tree, self._within, own, seat, False))
        if node < 0:
            legal = self._legal(state, seat)
            return legal, np.zeros(len(legal), np.int64), np.zeros(len(legal))
        first, count = tree.nodes[node, FIRST], tree.nodes[node, COUNT]
        arms = tree.arms[first : first + count]
        return arms[:, MOVE].copy(), arms[:, TRIES].copy(), tree.total[first : first + count].copy()

    def _drawn(self, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        found, tries, _ = self._arms(state, seat)
        weights = _clear(tries.astype(float))
        place = int(np.searchsorted(np.cumsum(weights), uniform(rng), side="right"))
        return int(found[min(place, len(found) - 1)])


class Recollection:
    """What a seat knows of a game, from its moves and percepts alone: what it may do now follows from a state that fits them."""

    def __init__(self, game: Any, seat: int) -> None:
        self.game, self.seat = game, seat
        self._sampler = HiddenMCTS(game, nodes=1)

    def state(self, memory: Sequence[Any], rng: np.ndarray, seconds: float) -> np.ndarray:
        """The state as the seat knows it; LudusError if no state was found that fits."""
        whole, sampler = self.game.first(), self._sampler
        self.game.recall(whole, self.seat, memory)
        known = sampler.known(whole, self.seat)._replace(legal=np.zeros(0, np.int64))
        found = sampler.keep(known, sampler.states(known, rng, Budget(0, seconds)))
        if found is None:
            raise LudusError(f"no state was found that fits what {self.game.seat_names[self.seat]} was told")
        begun = [one for one in found if turn(sampler.game, one) != OVER]
        whole[: found.shape[1]] = begun[0] if begun else found[0]
        self.game.recall(whole, self.seat, memory)
        return known_to(self.game, whole, self.seat)


def _clear(tries: np.ndarray) -> np.ndarray:
    """How likely each move is, from how often it was tried."""
    weights = np.where(tries < FAINT * tries.max(), 0.0, tries) if tries.max() > 0 else np.ones(len(tries))
    return weights / weights.sum()


def make_hidden(game: Any, path: str | None, **arguments: Any) -> HiddenMCTS:
    """The player `mcts` in a game with hidden information."""
    known = ("seconds", "simulations", "c", "leaf", "nodes")
    if path is not None:
        raise LudusError(
            f"mcts:{path}: networks see the whole state, and {game.facts.name} hides some of it; mcts alone plays it"
        )
    for name in arguments:
        if name not in known:
            raise LudusError(
                f"mcts({name}=…) is not for games with hidden information, such as {game.facts.name}; there it takes {', '.join(known)}"
            )
    if arguments.get("seconds") is not None and arguments.get("simulations") is not None:
        raise LudusError("mcts searches by time or by count: give seconds or simulations, not both")
    need_memory(arguments.get("nodes", MAX_NODES) * NODE_BYTES, f"mcts(nodes={arguments.get('nodes', MAX_NODES)})")
    return HiddenMCTS(game, **arguments)
