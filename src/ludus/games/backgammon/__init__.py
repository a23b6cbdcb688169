"""Backgammon, put together from its parts: rules, positions, notation, board, touching and files, and what networks see of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.contract.position import Game, Positions
from ludus.contract.views import Encoding
from ludus.errors import LudusError, choice
from ludus.games.backgammon.bearoff import BearoffRules
from ludus.games.backgammon.equities import FITTED, Opening, equities
from ludus.games.backgammon.files import Files
from ludus.games.backgammon.judging import WithCube
from ludus.games.backgammon.match import MatchRules
from ludus.games.backgammon.match_drawing import MatchDrawing
from ludus.games.backgammon.match_files import MatchFiles
from ludus.games.backgammon.match_ids import MatchIds
from ludus.games.backgammon.match_notation import MatchNotation
from ludus.games.backgammon.match_steps import MatchSteps
from ludus.games.backgammon.match_telling import MatchTelling
from ludus.games.backgammon.match_touching import MatchTouching
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


class Match(MatchRules, Positions, MatchNotation, MatchIds, MatchDrawing, MatchFiles, MatchTouching, MatchTelling):
    """Backgammon with the cube: a match, or a game for money. After a game of a match the next one begins, until somebody has won it.

    >>> position = backgammon(match=7).start().play("31").play("8/5 6/5").play("double").play("take")
    >>> position.kind, position.text
    ('chance', 'XGID=-b---BD-B---eE---c-e----B-:1:1:-1:00:0:0:0:7:10')
    """

    __slots__ = ()

    def stepwise(self, ids: str = "steps") -> Any:
        """The game checker by checker, with the cube (`match_steps.py`)."""
        if ids == "openspiel":
            raise LudusError(
                f"{self.facts.model} has no ids of openspiel: OpenSpiel's backgammon knows no cube; use those of steps, which have actions for it"
            )
        return choice("kind of actions", ids, {"steps": MatchSteps})(self)

    def encodings(self) -> dict[str, Encoding]:
        """None: the encodings of the game without the cube show these states too, but their outcomes are those of one game."""
        return {}

    @property
    def lender(self) -> Backgammon:
        """The game whose models play this one, too (`judging.py`): that without the cube."""
        return Backgammon()

    def adapted(self, encoding: Encoding) -> Encoding:
        """An encoding of that game, for this one."""
        opening = Opening(0.0, 0.0, 0.0) if self.bearoff else FITTED
        return WithCube(encoding, equities(self.match, self.crawford, opening))


_games: tuple[type[Game], ...] = (Backgammon, Bearoff, Match)  # mypy looks whether they are


def backgammon(
    scoring: int = 3, bearoff: int = 0, match: int = 0, cube: bool = False, **options: Any
) -> Backgammon | Bearoff | Match:
    """Backgammon, or the end of it, with `bearoff` checkers a seat in the home boards. A match to `match` points, or, with `cube`, one game for money; the options of these
    are those of `MatchRules`.

    >>> backgammon(bearoff=3)
    Bearoff(scoring=3, bearoff=3)
    >>> backgammon(cube=True, jacoby=True).facts.model
    'backgammon-cube-jacoby'
    """
    for name, value in options.items():
        if name not in MatchRules._fields:
            raise LudusError(
                f"backgammon has no option '{name}'; a game with the cube has {', '.join(MatchRules._fields)}"
            )
        if name == "crawford" and not match:
            raise LudusError(
                f"backgammon({name}={value}): the Crawford game is one of a match; name its length, as in match=7"
            )
        if name != "crawford" and (match or not cube):
            raise LudusError(
                f"backgammon({name}={value}): {name} is for games for money; write cube=true, and no match"
            )
    if not match and not cube:
        return Bearoff(scoring, bearoff) if bearoff else Backgammon(scoring)
    if scoring != 3:
        raise LudusError(f"backgammon(scoring={scoring}): with the cube gammons and backgammons always count")
    return Match(match, cube and not match, bearoff=bearoff, **options)
