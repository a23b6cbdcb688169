"""Plans for games with one seat and without chance: the moves to the best end that can be found in the time there is, and whether a better one can be.

Several searches take turns: breadth-first (`search.breadth`), which leaves out what only counts steps at first and then goes through all states again with it, if that
is needed for a proof; best-first with the game's guide, and depth-first (`search.bestfirst`); and nested rollout policy adaptation (`search.adapting`). The best plan of
any of them is always at hand. It is proven if it has the highest score that the rules offer, if there are no other states, or if what is still ahead after so
many steps can't be worth more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import NoClock
from ludus.contract.planning import NoGuide, best_ahead, counter_of, guide_of
from ludus.contract.rules import OVER, play, sizes_of, turn
from ludus.errors import LudusError
from ludus.search.adapting import TOTAL, adapt, new_nest
from ludus.search.bestfirst import deepen, new_frontier
from ludus.search.breadth import BEFORE, DEPTH, EXHAUSTED, FULL, GOING, LAST, new_layers, widen
from ludus.system import memory

PACE = 0.005  # seconds that a call of a compiled search should take: the clock and `stop` wait for it
MOST_BYTES = 2_000_000_000  # of one search
WEIGHT = 3.0  # of a guide's word, beside the moves made so far
EXACT = 1e-9  # scores that differ by less are equal


class Plan(NamedTuple):
    """The moves to an end of the game, its score, and whether no end has a higher one."""

    moves: tuple[int, ...]
    score: float
    proven: bool


def check_solo(game: Any) -> None:
    """LudusError if a game has several seats, or chance.

    >>> import ludus
    >>> check_solo(ludus.game("tictactoe"))
    Traceback (most recent call last):
    ludus.errors.LudusError: tictactoe has 2 seats: plans are made for games with one seat and without chance
    """
    facts = game.facts
    found = f"{facts.seats} seats" if facts.seats != 1 else "chance" if facts.max_chances else ""
    if found:
        raise LudusError(f"{facts.name} has {found}: plans are made for games with one seat and without chance")


# --- the searches ----------------------------------------------------------------------------------------------------


class _Search:
    """One of the searches: runs for some steps, and has a best end to show."""

    status = GOING
    score: float | None = None  # of the best end so far
    chunk = 64  # steps of the next call

    def run(self, aim: float) -> None:
        """Go on for `chunk` steps."""
        raise NotImplementedError

    def moves(self) -> list[int]:
        """The way to the best end."""
        raise NotImplementedError

    def pace(self, seconds: float, left: float) -> None:
        """Fit the next call to the clock, by the time that the last one took."""
        rate = self.chunk / max(seconds, 1e-6)
        self.chunk = max(1, min(int(rate * min(PACE, max(left, 0.0))), 8 * self.chunk))


def _way(way: np.ndarray, end: np.ndarray) -> list[int]:
    """The moves from the root to an end."""
    found, node = [int(end[LAST])], int(end[BEFORE])
    while node > 0:
        found.append(int(way[node, 1]))
        node = int(way[node, 0])
    return found[::-1]


class _Breadth(_Search):
    def __init__(self, game: Any, counter: Any, state: np.ndarray, guide: Any) -> None:
        self._game, self._counter, self._guide, self._sizes = game, counter, guide, sizes_of(game)
        self._layers = new_layers(game, counter, state)
        self._limit = _room(100 + 16 * len(state))
        self._depth = 0
        self.exact = isinstance(counter, NoClock)  # whether states are told apart by all that is in them

    def run(self, aim: float) -> None:
        self.status, self._layers = widen(
            self._game, self._counter, self._layers, self._sizes, self.chunk, self._limit, aim
        )
        if self._layers.end[LAST] >= 0:
            self.score = float(self._layers.best[0])

    def moves(self) -> list[int]:
        return _way(self._layers.way, self._layers.end)

    def nothing_above(self, score: float) -> bool:
        """Whether all states that are not seen yet are too late for a higher score."""
        depth = int(self._layers.used[DEPTH])
        if not self.exact or depth == self._depth:
            return False
        self._depth = depth
        return score >= best_ahead(self._guide, self._game, self._layers.here[0]) - EXACT


class _BestFirst(_Search):
    def __init__(self, game: Any, tellers: tuple[Any, Any], state: np.ndarray, weight: float) -> None:
        self._game, self._tellers, self._weight, self._sizes = game, tellers, weight, sizes_of(game)
        self._frontier = new_frontier(game, tellers[0], state)
        self._limit = _room(100 + 16 * len(state))

    def run(self, aim: float) -> None:
        self.status, self._frontier = deepen(
            self._game, self._tellers, self._frontier, self._sizes, self._weight, self.chunk, self._limit, aim
        )
        if self._frontier.end[LAST] >= 0:
            self.score = float(self._frontier.best[0])

    def moves(self) -> list[int]:
        return _way(self._frontier.way, self._frontier.end)


class _Adapting(_Search):
    chunk = 1

    def __init__(self, game: Any, state: np.ndarray, rng: np.ndarray) -> None:
        self._game, self._state, self._rng, self._sizes = game, state, rng, sizes_of(game)
        self._nest = new_nest(game)

    def run(self, aim: float) -> None:
        adapt(self._game, self._state, self._nest, self._sizes, self._rng, self.chunk, aim)
        if self._nest.best[0] > -np.inf:
            self.score = float(self._nest.best[0])

    def moves(self) -> list[int]:
        return [int(move) for move in self._nest.top[: self._nest.used[TOTAL]]]


def _room(each: int) -> int:
    """How many nodes a search may have."""
    return max(min(memory() // 8, MOST_BYTES) // each, 10_000)


# --- all together ----------------------------------------------------------------------------------------------------


class Planner:
    """Looks for plans, and keeps what it knows from one question to the next, also when the first moves of the plan have been made.

    >>> import ludus
    >>> from ludus.kernel import stream
    >>> planner = Planner(ludus.game("maze"))
    >>> plan = planner.plan(ludus.game("maze").first(), 60.0, None, stream(1))
    >>> len(plan.moves), plan.score, plan.proven
    (29, 1.0, True)
    """

    def __init__(self, game: Any) -> None:
        check_solo(game)
        self._game = game
        self._counter, self._guide = counter_of(game), guide_of(game)
        self._aim = min(game.facts.score_range[1], self._guide.best) - EXACT
        self.forget()

    def forget(self) -> None:
        """Begin anew with the next question."""
        self._root: np.ndarray | None = None
        self._searches: list[_Search] = []
        self.best: Plan | None = None  # what is known so far, also while it thinks

    def plan(self, state: np.ndarray, seconds: float, stop: threading.Event | None, rng: np.ndarray) -> Plan | None:
        """The best plan for a state that is not over, after so much time, or soon after `stop` is set; sooner if it is proven. None if no end was found."""
        end = time.perf_counter() + seconds
        self._settle(state, rng)
        turns = self._turns()
        while self.best is None or not self.best.proven:
            search = next(turns, None)
            begun = time.perf_counter()
            if search is None or (begun >= end and self.best is not None):
                break
            search.run(self._aim)
            now = time.perf_counter()
            search.pace(now - begun, end - now)
            self._note(search)
            if now >= end and (self.best is not None or now >= end + 1.0) or (stop is not None and stop.is_set()):
                break
        return self.best

    def _settle(self, state: np.ndarray, rng: np.ndarray) -> None:
        """Make ready for a state: go on if it is the root; begin anew if not, with the rest of the plan if it is the next one there."""
        if self._root is not None and np.array_equal(state, self._root):
            return
        rest = None
        if self._root is not None and self.best is not None and len(self.best.moves) > 1:
            after = self._root.copy()
            play(self._game, after, self.best.moves[0])
            if np.array_equal(after, state):
                rest = self.best._replace(moves=self.best.moves[1:])
        self._root, self.best = np.array(state, np.int64), rest
        self._searches = []
        if rest is None or not rest.proven:
            self._searches = self._begun(self._root, rng)

    def _begun(self, state: np.ndarray, rng: np.ndarray) -> list[_Search]:
        game, counter = self._game, self._counter
        found: list[_Search] = [_Adapting(game, state, rng.copy()), _Breadth(game, counter, state, self._guide)]
        if not isinstance(self._guide, NoGuide):
            found.append(_BestFirst(game, (counter, self._guide), state, WEIGHT))
        return [*found, _BestFirst(game, (counter, NoGuide()), state, 0.0)]

    def _turns(self) -> Iterator[_Search]:
        """The searches, one after the other, again and again, as long as any goes on."""
        while self._searches:
            for search in list(self._searches):
                yield search
                if search.status != GOING:
                    self._searches.remove(search)
            if all(isinstance(search, _Adapting) for search in self._searches) and self.best and self.best.proven:
                return

    def _note(self, search: _Search) -> None:
        """Take over what a search has found, and what that proves."""
        assert self._root is not None
        if search.score is not None and (self.best is None or search.score > self.best.score + EXACT):
            self.best = Plan(tuple(search.moves()), search.score, search.score >= self._aim)
        if not isinstance(search, _Breadth):
            return
        if search.status == EXHAUSTED and not search.exact:
            self._searches.append(_Breadth(self._game, NoClock(), self._root, self._guide))
        elif self.best is not None and (
            (search.status == EXHAUSTED and search.exact)
            or (search.status != FULL and search.nothing_above(self.best.score))
        ):
            self.best = self.best._replace(proven=True)


def follow(game: Any, state: np.ndarray, moves: tuple[int, ...]) -> np.ndarray:
    """The state after some moves; LudusError if the game is over before the last one."""
    now = np.array(state, np.int64)
    for move in moves:
        if turn(game, now) == OVER:
            raise LudusError("the plan goes on after the end of the game")
        play(game, now, move)
    return now
