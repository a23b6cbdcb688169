"""What a built-in player implements: generic functions on the type of the player, and `assess`, on that of a search's view."""

from __future__ import annotations

from typing import Any

from ludus.kernel import generic, implements


@generic
def choose(player: Any, game: Any, state: Any, seat: int, rng: Any, /) -> int:
    """The move that a built-in player makes for `seat` in `state`. It must leave the state as it found it."""


@generic
def evaluate_moves(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any, /) -> int:
    """Write the legal moves and what the player thinks each is worth to `seat`; return how many there are."""


@generic
def assess(view: Any, game: Any, state: Any, /) -> float:
    """What a state is worth to seat 0 of two, less what it is worth to seat 1, without looking ahead. Games offer views of their own
    (`game.view()`), and so this is declared here, and not where it is used, in `ludus.search.minimax`.
    """


@generic
def grain(view: Any, /) -> float:
    """What a clear advantage is to a view, on the scale of half the log odds of a value from -1 to 1 (for small values the same as the values): margins of a search are
    multiples of it.
    """


@implements(grain, object)
def _(view: Any) -> float:
    return 1.0
