"""Ludo, put together from its parts: rules, positions, notation, board and touching, and what networks see of it."""

from __future__ import annotations

from typing import Any

from ludus.contract.position import Game, Positions
from ludus.contract.views import Encoding
from ludus.errors import LudusError
from ludus.games.ludo.features import ENCODINGS
from ludus.games.ludo.notation import Notation
from ludus.games.ludo.picture import Drawing
from ludus.games.ludo.rules import BLOCKADES, RULES, LudoRules
from ludus.games.ludo.sight import LudoSight
from ludus.games.ludo.touching import Touching


class Ludo(LudoRules, Positions, Notation, Drawing, Touching):
    """Ludo for two to four. `ludo()` makes one from the words that people use; the fields are those of `LudoRules`."""

    __slots__ = ()

    def encodings(self) -> dict[str, Encoding]:
        """The ways to show positions to a network: raw, view and rich."""
        return ENCODINGS

    def sight(self, seat: int) -> LudoSight:
        """What a seat sees at its decision, the die included."""
        return LudoSight(seat)


_game: type[Game] = Ludo  # mypy looks whether it is


def ludo(rules: str = "classic", seats: int = 4, **options: Any) -> Ludo:
    """The game of these words; the options are those of `LudoRules`, and for `classic` only.

    >>> ludo(rules="ludopy", seats=2)
    Ludo(rules=1, seats=2, blockades=1, safe_squares=True, exact=True, three_sixes=False, capture_bonus=False)
    """
    if rules not in RULES:
        raise LudusError(f"ludo(rules={rules}): rules must be one of {', '.join(RULES)}")
    if seats not in (2, 3, 4):
        raise LudusError(f"ludo(seats={seats}): two, three or four can play")
    for name, value in options.items():
        if name not in Ludo._fields:
            raise LudusError(f"ludo has no option '{name}'; it has {', '.join(Ludo._fields)}")
        if rules != "classic":
            raise LudusError(f"ludo({name}={value}): the rules of {rules} are fixed; options are for classic only")
        if name == "blockades":
            if value not in BLOCKADES:
                raise LudusError(f"ludo(blockades={value}): blockades must be one of {', '.join(BLOCKADES)}")
            options[name] = BLOCKADES.index(value)
        elif not isinstance(value, bool):
            raise LudusError(f"ludo({name}={value}): {name} must be true or false")
    return Ludo(RULES.index(rules), int(seats), **options)
