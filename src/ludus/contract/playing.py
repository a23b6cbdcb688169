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


# --- a workspace for many moves --------------------------------------------------------------------------------------
# A player is shared by threads, so it can't hold the arrays that it writes to. Who asks for many moves makes a workspace once, and
# hands it in with each question. What a player answers must not depend on what is left in it.


@generic
def new_workspace(player: Any, game: Any, /) -> Any:
    """The arrays that `choose_with` writes to; for one thread."""


@generic
def choose_with(player: Any, game: Any, state: Any, seat: int, rng: Any, workspace: Any, /) -> int:
    """As `choose`, with a workspace that `new_workspace` made."""


@implements(new_workspace, object)
def _(player: Any, game: Any) -> Any:
    return 0  # a player without a workspace


@implements(choose_with, object)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, workspace: Any) -> int:
    return choose(player, game, state, seat, rng)


# --- views of a search -----------------------------------------------------------------------------------------------


@generic
def assess(view: Any, game: Any, state: Any, /) -> float:
    """What a state is worth to seat 0 of two, less what it is worth to seat 1, without looking ahead. Games offer views of their own
    (`game.view()`), and so this is declared here, and not where it is used, in `ludus.search.minimax`.
    """
