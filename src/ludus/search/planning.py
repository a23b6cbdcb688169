"""Plans for games with one seat and without chance: the moves to the best end that can be found in the time there is, and whether a better one can be.

Several searches take turns: breadth-first (`search.breadth`), which leaves out what only counts steps at first and then goes through all states again with it, if that
is needed for a proof; best-first with the game's guide, and depth-first (`search.bestfirst`); and nested rollout policy adaptation (`search.adapting`). The best plan of
any of them is always at hand. It is proven if it has the highest score that the rules offer, if there are no other states, or if what is still ahead after so
many steps can't be worth more.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import NoClock
from ludus.contract.planning import NoGuide, best_ahead, counter_of, guide_of
from ludus.contract.rules import play, sizes_of
from ludus.errors import LudusError
from ludus.search.adapting import TOTAL, adapt, new_nest
from ludus.search.bestfirst import deepen, new_frontier
from ludus.search.breadth import BEFORE, DEPTH, EXHAUSTED, FULL, GOING, LAST, new_layers, widen
from ludus.system import memory

PACE = 0.005  # seconds that a call of a compiled search should take: the clock and `stop` wait for it
MOST_BYTES = 2_000_000_000  # of one search
GRACE = 1.0  # seconds after its time for a plan of any kind, where there is none yet
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


class Restarts(NamedTuple):
    """When a best-first search begins anew."""

    weights: tuple[float, ...]  # by turns
    nodes: int  # after so many for the first time
    growth: float  # and then after so many times more


GUIDED = Restarts((3.0, 2.0), 100_000, 2.0)
INTO_THE_DEPTH = Restarts((0.0,), 5_000, 1.2)


class _BestFirst(_Search):
    """Begins anew when it has grown to some size, each time larger, as it may have gone astray: nodes that seem equal come in another order then."""

    def __init__(
        self, game: Any, tellers: tuple[Any, Any], state: np.ndarray, restarts: Restarts, rng: np.ndarray
    ) -> None:
        self._game, self._tellers, self._state = game, tellers, state
        self._weights, self._limit, self._growth = restarts
        self._sizes, self._rng = sizes_of(game), rng
        self._most = _room(100 + 16 * len(state))
        self._best: list[int] = []
        self.guided = not isinstance(tellers[1], NoGuide)
        self._restart()

    def _restart(self) -> None:
        self._weight, *rest = self._weights
        self._weights = (*rest, self._weight)
        self._frontier = new_frontier(self._game, self._tellers[0], self._state, self._rng)

    def run(self, aim: float) -> None:
        self.status, self._frontier = deepen(
            self._game, self._tellers, self._frontier, self._sizes, self._weight, self.chunk, self._limit, aim
        )
        found = self._frontier
        if found.end[LAST] >= 0 and (self.score is None or found.best[0] > self.score):
            self.score, self._best = float(found.best[0]), _way(found.way, found.end)
        if self.status == FULL and self._limit < self._most:
            self._limit, self.status = min(int(self._growth * self._limit), self._most), GOING
            self._restart()

    def moves(self) -> list[int]:
        return self._best


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
        self._best: Plan | None = None  # from the root on
        self._at = 0  # how many of its moves are made

    def warm_up(self, state: np.ndarray, rng: np.ndarray) -> None:
        """Let each search take a step from a state that is not over, so that all is compiled."""
        for search in [*self._begun(state, rng), _Breadth(self._game, NoClock(), state, self._guide)]:
            search.chunk = 1
            search.run(self._aim)
        best_ahead(self._guide, self._game, state)

    def fresh(self) -> Planner:
        """Another planner for the same game."""
        other = copy.copy(self)
        other.forget()
        return other

    @property
    def best(self) -> Plan | None:
        """The best plan so far, for the state that was asked about last; also while it thinks."""
        best = self._best
        return None if best is None else best._replace(moves=best.moves[self._at :])

    def plan(
        self,
        state: np.ndarray,
        seconds: float,
        stop: threading.Event | None,
        rng: np.ndarray,
        tell: Callable[[Plan], None] | None = None,
    ) -> Plan | None:
        """The best plan for a state that is not over, after so much time, or soon after `stop` is set; sooner if it is proven. None if no end was
        found. `tell` is called with each better plan.
        """
        end = time.perf_counter() + seconds
        self._settle(state, rng)
        turns, told = self._turns(), None
        while True:
            best, now = self.best, time.perf_counter()
            if tell is not None and best is not None and best.score != told:
                tell(best)
                told = best.score
            late = now >= end if best is not None else now >= end + GRACE
            if late or (best is not None and best.proven) or (stop is not None and stop.is_set()):
                return best
            search = next(turns, None)
            if search is None:
                return best
            search.run(self._aim)
            self._note(search)
            search.pace(time.perf_counter() - now, end - now)

    def _settle(self, state: np.ndarray, rng: np.ndarray) -> None:
        """Make ready for a state: go on if it is the root; if the plan leads there, take its rest; else begin anew."""
        made = self._made(state)
        if made == 0 or (made > 0 and self._best is not None and self._best.proven):
            self._at = made
            return
        rest = self._best._replace(moves=self._best.moves[made:]) if self._best is not None and made > 0 else None
        self._root, self._best, self._at = np.array(state, np.int64), rest, 0
        self._searches = self._begun(self._root, rng)

    def _made(self, state: np.ndarray) -> int:
        """How many moves of the plan lead from the root to a state; -1 if it does not come by there."""
        if self._root is None:
            return -1
        now, moves = self._root.copy(), self._best.moves if self._best is not None else ()
        for made in range(len(moves) + 1):
            if np.array_equal(now, state):
                return made
            if made < len(moves):
                play(self._game, now, moves[made])
        return -1

    def _begun(self, state: np.ndarray, rng: np.ndarray) -> list[_Search]:
        game, counter = self._game, self._counter
        found: list[_Search] = [_Adapting(game, state, rng.copy()), _Breadth(game, counter, state, self._guide)]
        if not isinstance(self._guide, NoGuide):
            found.append(_BestFirst(game, (counter, self._guide), state, GUIDED, rng.copy()))
        return [*found, _BestFirst(game, (counter, NoGuide()), state, INTO_THE_DEPTH, rng.copy())]

    def _turns(self) -> Iterator[_Search]:
        """The searches, one after the other, again and again, as long as any goes on; one that is guided twice as often."""
        while self._searches:
            for search in list(self._searches):
                for _ in range(2 if isinstance(search, _BestFirst) and search.guided else 1):
                    if search.status == GOING:
                        yield search
                if search.status != GOING:
                    self._searches.remove(search)

    def _note(self, search: _Search) -> None:
        """Take over what a search has found, and what that proves."""
        assert self._root is not None
        if search.score is not None and (self._best is None or search.score > self._best.score + EXACT):
            self._best = Plan(tuple(search.moves()), search.score, search.score >= self._aim)
        if not isinstance(search, _Breadth):
            return
        if search.status == EXHAUSTED and not search.exact:
            self._searches.append(_Breadth(self._game, NoClock(), self._root, self._guide))
        elif self._best is not None and (
            (search.status == EXHAUSTED and search.exact)
            or (search.status == GOING and search.nothing_above(self._best.score))
        ):
            self._best = self._best._replace(proven=True)
