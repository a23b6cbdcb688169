"""Backgammon, put together from its parts: rules, positions, notation, board, touching and files, and what networks see of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.contract.position import Game, Positions
from ludus.contract.views import Encoding
from ludus.errors import choice
from ludus.games.backgammon.bearoff import BearoffRules
from ludus.games.backgammon.files import Files
from ludus.games.backgammon.notation import Notation
from ludus.games.backgammon.picture import Drawing
from ludus.games.backgammon.plans import Encodings
from ludus.games.backgammon.rules import BackgammonRules
from ludus.games.backgammon.stepped import STEPWISE
from ludus.games.backgammon.touching import Touching


class Stepwise:
    """The same game in small steps, of which there is a fixed number."""

    __slots__ = ()

    def stepwise(self: Any, ids: str = "steps") -> Any:
        """The game checker by checker, or with the ids of `openspiel` (`steps.py`).

        >>> Backgammon().stepwise().facts.actions, Backgammon().stepwise("openspiel").facts.actions
        (156, 1352)
        """
        return choice("kind of actions", ids, STEPWISE)(self)


class Backgammon(BackgammonRules, Positions, Notation, Drawing, Files, Touching, Stepwise):
    """Backgammon for money without the cube; a win counts at most `scoring` points (3: backgammons, 2: gammons, 1).

    >>> Backgammon().start().play("31").play("8/5 6/5").kind
    'chance'
    """

    __slots__ = ()

    def encodings(self) -> Mapping[str, Encoding]:
        """The ways to show positions to a network: raw, raw4, board, rich and plans."""
        return Encodings()


class Bearoff(BearoffRules, Positions, Notation, Drawing, Files, Touching, Stepwise):  # type: ignore[misc]  # as in BearoffRules
    """Backgammon from a bear-off on. Its games are in no `.mat` files: those begin at the start of a whole game.

    >>> backgammon(bearoff=2).start().text
    'XGID=-----AA------------aa-----:0:0:0:00:0:0:0:0:10'
    """

    __slots__ = ()

    @property
    def formats(self) -> tuple[str, ...]:
        """None."""
        return ()

    def encodings(self) -> Mapping[str, Encoding]:
        """The ways to show positions to a network: those of the whole game."""
        return Encodings()


_games: tuple[type[Game], ...] = (Backgammon, Bearoff)  # mypy looks whether they are


def backgammon(scoring: int = 3, bearoff: int = 0) -> Backgammon | Bearoff:
    """Backgammon, or the end of it, with `bearoff` checkers a seat in the home boards.

    >>> backgammon(bearoff=3)
    Bearoff(scoring=3, bearoff=3)
    """
    return Bearoff(scoring, bearoff) if bearoff else Backgammon(scoring)
