"""What was found of a match: every turn, and what they add up to."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ludus.analysing.sheet import Sheet
from ludus.analysing.sums import Sums, add_up
from ludus.analysing.turns import CLOSE, GRADES, Turn
from ludus.games import game_name
from ludus.showing import frame

WORDS, PAGE = (
    "ludus.analysing.words",
    "ludus.analysing.page",
)  # found by name: they know this module, not the other way round
FORMAT, VERSION = "ludus analysis", 2


@dataclass(frozen=True)
class GameAnalysis:
    """A game of the match."""

    number: int
    turns: tuple[Turn, ...]
    score: tuple[int, ...] = ()
    winner: int | None = None
    points: int | None = None
    result: tuple[float, ...] = ()


class Rolled(NamedTuple):
    """What was rolled out."""

    decisions: int
    in_doubt: int  # decisions that would have been rolled out, if it had not been too many
    games: int  # each choice, at most
    seed: int


@dataclass(frozen=True)
class MatchAnalysis:
    """A file of games as a judge sees it."""

    sheet: Sheet = field(repr=False)
    judge: str
    plies: int | None  # how far ahead a network looked; None for judges that are none
    width: int | None  # how many moves it looked at so far ahead, at most
    luck_judge: str | None
    games: tuple[GameAnalysis, ...] = field(repr=False)
    rolled: Rolled | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self.sheet.path

    @property
    def names(self) -> tuple[str, ...]:
        """Who sat where."""
        return self.sheet.names

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of all games."""
        return tuple(turn for game in self.games for turn in game.turns)

    def sums(self, seat: int, games: Sequence[GameAnalysis] | None = None) -> Sums:
        """What a seat's turns add up to, in all games unless told in which."""
        games = self.games if games is None else games
        ended = [game for game in games if game.result]
        return add_up(
            [turn for game in games for turn in game.turns],
            seat,
            [game.result[seat] for game in ended],
            [turn for game in ended for turn in game.turns],
            self.luck_judge is not None,
        )

    def worst(self, most: int | None = None) -> list[Turn]:
        """The decisions that are doubtful or more, the worst first; at most so many."""
        graded = [turn for turn in self.turns if turn.grade]
        return sorted(graded, key=lambda turn: -(turn.loss or 0.0))[:most]

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus analyse FILE --json`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "file": str(self.path),
            "game": game_name(self.sheet.game),
            "names": list(self.names),
            "length": self.sheet.length,
            "judge": self.judge,
            "plies": self.plies,
            "width": self.width,
            "luck_judge": self.luck_judge,
            "cubeful": self.sheet.cubeful,
            "unit": self.sheet.unit,
            "grades": dict(GRADES),
            "close": CLOSE,
            "rollout": self.rolled._asdict() if self.rolled else None,
            "players": self._players(self.games),
            "games": [
                {
                    "number": game.number,
                    "score": list(game.score),
                    "winner": game.winner,
                    "points": game.points,
                    "result": list(game.result),
                    "players": self._players([game]),
                    "turns": [turn.to_json() for turn in game.turns],
                }
                for game in self.games
            ],
        }

    def _players(self, games: Sequence[GameAnalysis]) -> list[dict[str, Any]]:
        return [
            {"seat": seat, "name": name, **self.sums(seat, games).to_json()} for seat, name in enumerate(self.names)
        ]

    def to_frame(self, kind: str = "pandas") -> Any:
        """All turns as a frame of pandas, or of polars if told."""
        rows = []
        for turn in self.turns:
            made, best = turn.choice, turn.best
            rows.append(
                {
                    "game": turn.game,
                    "turn": turn.number,
                    "kind": turn.kind,
                    "player": self.names[turn.seat] if turn.seat >= 0 else None,
                    "roll": turn.roll or None,
                    "luck": turn.own_luck,
                    "played": turn.played or None,
                    "value": made.value if made else None,
                    "best": best.move if best else None,
                    "best_value": best.value if best else None,
                    "loss": turn.loss,
                    "cost": turn.cost,
                    "grade": turn.grade or None,
                    "mistake": turn.mistake or None,
                    "forced": turn.forced,
                    "counted": turn.counted,
                    "position": turn.position,
                }
            )
        return frame(rows, kind)

    def text(self, worst: int = 10, moves: int = 3) -> str:
        """As people read it in a terminal: the sums, and the worst decisions with their best moves."""
        return str(importlib.import_module(WORDS).to_text(self, worst, moves))

    def html(self, worst: int = 20) -> str:
        """A page that needs nothing else, with the boards of the worst decisions."""
        return str(importlib.import_module(PAGE).to_html(self, worst))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return str(importlib.import_module(WORDS).to_table(self))
