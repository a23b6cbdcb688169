"""The games of OpenSpiel (the `openspiel` extra) as games of ours: `openspiel:connect_four`, `openspiel:breakthrough(rows=5,columns=5)`.

OpenSpiel holds the rules; kernels ask it by calls back into Python, ply by ply. That makes a game like any other, only slow. The way
out, our games for OpenSpiel's algorithms, is `ludus.adapters.openspiel`.
"""

from __future__ import annotations

from typing import Any

PREFIX = "openspiel"  # of the names of these games


def from_name(name: str | None, arguments: dict[str, Any]) -> Any:
    """The game that OpenSpiel has under a name, with OpenSpiel's own parameters."""
    from ludus.games.openspiel.loading import named  # whoever only lists games does not wait for Numba

    return named(name, arguments)


def adopt(game: Any) -> Any:
    """A game of ours from one of OpenSpiel's (`pyspiel.Game`) that you have.

    >>> import pyspiel
    >>> adopt(pyspiel.load_game("tic_tac_toe")).start().play("x(1,1)").turn
    1
    """
    from ludus.games.openspiel.loading import adopted

    return adopted(game)
