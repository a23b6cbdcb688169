"""The player behind `perfect`: solves a small game when it is made (`search.solve`), and then looks its moves up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import plies_left, wind
from ludus.contract.playing import choose
from ludus.contract.rules import moves, random_move
from ludus.errors import LudusError
from ludus.kernel import implements, kernel
from ludus.nets.hashtable import find, state_key
from ludus.players.base import choose_all
from ludus.search.exact import best_move
from ludus.search.solve import Book, remembered
from ludus.waiting import told


class Perfect(NamedTuple):
    """Never gives away anything of the value of the game, and of the moves that don't takes the one that does best against a random player. In
    positions that a game can't come to from its beginning it knows nothing, and moves at random.
    """

    book: Book
    max_moves: int


@kernel
def _looked_up(player: Any, game: Any, state: Any, seat: int, rng: Any, now: Any, legal: Any) -> int:
    book = player.book
    for i in range(len(state)):
        now[i] = state[i]
    plies = max(plies_left(book.clock, game, now), 1)
    wind(book.clock, game, now)
    slot = find(book.table, state_key(now, 0))
    chosen = best_move(book.picks, book.table.visits[slot], plies) if slot >= 0 else -1
    if chosen < 0:
        return random_move(game, state, seat, rng, legal)
    moves(game, state, seat, legal)
    return legal[chosen]


@implements(choose, Perfect)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    now, legal = np.empty(len(state), np.int64), np.empty(player.max_moves, np.int64)
    return _looked_up(player, game, state, seat, rng, now, legal)


@implements(choose_all, Perfect)
def _(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any) -> None:
    now, legal = np.empty(states.shape[1], np.int64), np.empty(player.max_moves, np.int64)
    for i in range(len(states)):
        out[i] = _looked_up(player, game, states[i], seats[i], rngs[i], now, legal)


def make_perfect(game: Any, path: str | None) -> Perfect:
    """The player `perfect`; LudusError if the game can't be solved.

    >>> import ludus
    >>> ludus.arena("tictactoe", ["perfect", "perfect"], 10).rows[0].points_per_game
    0.5
    """
    name = game.facts.name
    try:
        with told(f"Solving {name}, so that it can be played perfectly: this can take a minute."):
            book = remembered(game)[1]
    except LudusError as error:
        raise LudusError(f"nobody plays {name} perfectly here: {error}") from None
    return Perfect(book, game.facts.max_moves)
