"""What a file with games holds: a row of rolls, moves and decisions about the cube for each game."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.games.backgammon import mat
from ludus.games.backgammon.match import MatchRules

ROLL, MOVE, CUBE = "roll", "move", "cube"
POINTS, CHANCE = "points", "match winning chance"  # what results may be counted in


class Act(NamedTuple):
    """Something that happened in a game, and the state in which it did."""

    kind: str  # ROLL, MOVE or CUBE
    seat: int  # who; of a roll the seat that moves by it, or -1
    code: int  # the outcome or the move; who might have doubled, and rolled, made the move `roll`
    text: str  # as people write it
    state: np.ndarray


class Played(NamedTuple):
    """A game of a file."""

    number: int  # in the file, from 1 on
    acts: tuple[Act, ...]
    score: tuple[int, ...] = ()  # of a match, before the game
    winner: int | None = None
    points: int | None = None  # of a match, that the winner got
    result: tuple[float, ...] = ()  # by seat; nothing: the game was not finished


class Sheet(NamedTuple):
    """What a file holds."""

    path: Path
    game: Any
    names: tuple[str, ...]
    games: tuple[Played, ...]
    length: int | None = None  # of a match in points, 0 for money; None where there is no cube
    record: mat.Record | None = None  # of a `.mat` file

    @property
    def cubeful(self) -> bool:
        """Whether the cube and the score count in what a position is worth."""
        return isinstance(self.game, MatchRules)

    @property
    def unit(self) -> str:
        """What results are counted in."""
        return CHANCE if self.cubeful and self.game.match else POINTS
