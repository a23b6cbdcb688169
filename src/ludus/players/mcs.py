"""Monte Carlo search without a tree: `mcs` judges each move by random games (Wang et al. 2018, Algorithm 1), `nmcs` by games
in which all seats move by such searches themselves. The searches are those of `ludus.search.montecarlo`.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.position import Move, Position
from ludus.contract.rules import moves, sizes_of
from ludus.errors import LudusError
from ludus.kernel import implements
from ludus.players.base import as_stream, decider
from ludus.search.montecarlo import Budget, add_nested, add_playouts, mcs_move, nested_move

BLOCK = 64  # playouts of each move between two looks at the clock: as many as a game may play at once


class MCS(NamedTuple):
    """Flat Monte Carlo search: equally many random games for each move, by count."""

    sizes: tuple[int, int, int, int]  # see `sizes_of`
    playouts: int


@implements(choose, MCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return mcs_move(game, state, seat, rng, player.playouts, player.sizes)


@implements(evaluate_moves, MCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    values[:] = 0
    number = add_playouts(game, state, seat, rng, player.playouts, player.sizes, legal, values)
    values[:number] /= player.playouts
    return number


class TimedMCS:
    """Flat Monte Carlo search until the time is up. Python looks at the clock after each block of random games."""

    slots = 1  # games that the arena should have in flight: whoever thinks by the clock thinks of one at a time

    def __init__(self, game: Any, seconds: float) -> None:
        self.name = f"mcs(seconds={seconds:g})"
        self.seconds = seconds
        self._sizes = sizes_of(game)

    def evaluate_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The legal moves, and the mean score of the random games after each."""
        state = np.array(state, np.int64)
        legal, sums = np.zeros(self._sizes[0], np.int64), np.zeros(self._sizes[0])
        add_playouts(
            game, state, seat, rng, 1, self._sizes, legal, np.zeros_like(sums)
        )  # compiled before the clock runs
        end, done = time.perf_counter() + self.seconds, 0
        while done == 0 or time.perf_counter() < end:
            number = add_playouts(game, state, seat, rng, BLOCK, self._sizes, legal, sums)
            done += BLOCK
        return legal[:number], sums[:number] / done

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move for `seat`; see the arena."""
        legal = np.zeros(self._sizes[0], np.int64)
        if moves(game, state, seat, legal) == 1:
            return int(legal[0])
        found, means = self.evaluate_state(game, state, seat, rng)
        return int(found[np.argmax(means)])

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), as_stream(rng))

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves and their mean scores, best first."""
        found, means = self.evaluate_state(position.game, position.state.copy(), decider(position), as_stream(rng))
        worth = dict(zip(found.tolist(), means.tolist(), strict=True))
        return sorted(((m, worth[int(m)]) for m in position.moves()), key=lambda pair: -pair[1])


class NestedMCS(NamedTuple):
    """Nested Monte Carlo search."""

    sizes: tuple[int, int, int, int]
    budget: Budget


@implements(choose, NestedMCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return nested_move(game, state, seat, rng, player.budget, player.sizes)


@implements(evaluate_moves, NestedMCS)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    values[:] = 0
    number = add_nested(game, state, seat, rng, player.budget, player.sizes, legal, values)
    values[:number] /= player.budget.games
    return number


# --- makers ----------------------------------------------------------------------------------------------------------


def make_mcs(game: Any, path: str | None, playouts: int | None = None, seconds: float | None = None) -> MCS | TimedMCS:
    """Flat Monte Carlo search, by count (100 random games for each move unless told) or by time.

    >>> import ludus
    >>> make_mcs(ludus.game("backgammon"), None, playouts=10).playouts
    10
    """
    if playouts is not None and seconds is not None:
        raise LudusError("mcs searches by count or by time: give playouts or seconds, not both")
    if seconds is not None:
        return TimedMCS(game, seconds)
    return MCS(sizes_of(game), 100 if playouts is None else playouts)


def make_nmcs(game: Any, path: str | None, level: int = 1, playouts: int = 8, games: int = 4) -> NestedMCS:
    """Nested Monte Carlo search."""
    return NestedMCS(sizes_of(game), Budget(level, playouts, games))
