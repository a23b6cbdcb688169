"""Backgammon, put together from its parts: rules, positions, notation, board and files, and what networks see of it."""

from __future__ import annotations

from ludus.contract.position import Game, Positions
from ludus.contract.views import Encoding
from ludus.games.backgammon.board import Drawing
from ludus.games.backgammon.features import ENCODINGS
from ludus.games.backgammon.files import Files
from ludus.games.backgammon.notation import Notation
from ludus.games.backgammon.rules import BackgammonRules


class Backgammon(BackgammonRules, Positions, Notation, Drawing, Files):
    """Backgammon for money without the cube; a win counts at most `scoring` points (3: backgammons, 2: gammons, 1).

    >>> Backgammon().start().play("31").play("8/5 6/5").kind
    'chance'
    """

    __slots__ = ()

    def encodings(self) -> dict[str, Encoding]:
        """The ways to show positions to a network: raw, raw4, board and rich."""
        return ENCODINGS


_game: type[Game] = Backgammon  # mypy looks whether it is
