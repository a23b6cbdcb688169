"""What was found of a match: every turn, and what they add up to."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.analysing.reading import CUBE, MOVE, Sheet
from ludus.games import game_name
from ludus.showing import frame

WORDS, PAGE = (
    "ludus.analysing.words",
    "ludus.analysing.page",
)  # found by name: they know this module, not the other way round
FORMAT, VERSION = "ludus analysis", 1
GRADES = (("blunder", 0.08), ("error", 0.04), ("doubtful", 0.02))  # what is lost at least, in points
RATE, PR = 1000, 500  # times the mean loss of an unforced decision: the error rate, and the figure like XG's PR


class Choice(NamedTuple):
    """A move that could have been made, and what it is worth to who makes it, judged so many plies ahead."""

    move: str
    value: float
    plies: int


@dataclass(frozen=True)
class Turn:
    """A roll with the move after it; a move alone, where nobody rolls; a roll alone, where nobody moved; or an action with the cube."""

    game: int  # of the file, from 1 on
    number: int  # in the game, from 1 on
    kind: str  # move, roll or cube
    seat: int  # -1: nobody's
    roll: str
    played: str  # the move, or what was done with the cube
    position: str  # in which that was; of a roll alone the one after it
    luck: tuple[float, ...] = ()  # of the roll, by seat
    moves: tuple[Choice, ...] = ()  # all legal ones, best first: those judged farthest ahead before the others
    state: Any = field(default=None, repr=False, compare=False)

    @property
    def forced(self) -> bool:
        """Whether there was nothing to decide."""
        return self.kind == MOVE and len(self.moves) == 1

    @property
    def unforced(self) -> bool:
        """Whether there was something to decide."""
        return len(self.moves) > 1

    @property
    def best(self) -> Choice | None:
        """The best move."""
        return self.moves[0] if self.moves else None

    @property
    def choice(self) -> Choice | None:
        """The move that was made."""
        return next((each for each in self.moves if each.move == self.played), None)

    @property
    def loss(self) -> float | None:
        """What the move lost against the best one, in points; None where nobody moved."""
        made, best = self.choice, self.best
        return None if made is None or best is None else best.value - made.value

    @property
    def grade(self) -> str:
        """blunder, error, doubtful, or nothing."""
        lost = self.loss or 0.0
        return next((name for name, least in GRADES if lost >= least), "")

    @property
    def own_luck(self) -> float | None:
        """What the roll brought to the seat that rolled it."""
        return self.luck[self.seat] if self.luck and self.seat >= 0 else None

    def to_json(self) -> dict[str, Any]:
        """The public shape of a turn."""
        return {
            "number": self.number,
            "kind": self.kind,
            "seat": self.seat,
            "roll": self.roll or None,
            "played": self.played or None,
            "position": self.position,
            "luck": self.own_luck,
            "lucks": list(self.luck),
            "forced": self.forced,
            "loss": self.loss,
            "grade": self.grade or None,
            "best": self.best.move if self.best else None,
            "moves": [each._asdict() for each in self.moves],
        }


@dataclass(frozen=True)
class Sums:
    """What the turns of a seat add up to."""

    decisions: int = 0
    forced: int = 0
    loss: float = 0.0  # of all decisions, in points
    blunder: int = 0
    error: int = 0
    doubtful: int = 0
    rolls: int = 0
    luck: float | None = None  # of its own rolls
    cube: int = 0  # actions, which nobody judged
    result: float | None = None  # points of the finished games, without the cube
    adjusted: float | None = None  # the same less the luck of all rolls in them, the others' too

    @property
    def unforced(self) -> int:
        """Decisions in which there was a choice."""
        return self.decisions - self.forced

    @property
    def error_rate(self) -> float | None:
        """Thousandths of a point that an unforced decision lost on average."""
        return RATE * self.loss / self.unforced if self.unforced else None

    @property
    def pr(self) -> float | None:
        """A figure like XG's performance rating: 500 times the points that an unforced decision lost on average."""
        return PR * self.loss / self.unforced if self.unforced else None

    def to_json(self) -> dict[str, Any]:
        """The public shape of a seat's sums."""
        return {
            "decisions": self.decisions,
            "unforced": self.unforced,
            "forced": self.forced,
            "loss": self.loss,
            "error_rate": self.error_rate,
            "pr": self.pr,
            "blunders": self.blunder,
            "errors": self.error,
            "doubtful": self.doubtful,
            "rolls": self.rolls,
            "luck": self.luck,
            "cube_actions": self.cube,
            "result": self.result,
            "luck_adjusted_result": self.adjusted,
        }


@dataclass(frozen=True)
class GameAnalysis:
    """A game of the match."""

    number: int
    turns: tuple[Turn, ...]
    score: tuple[int, ...] = ()
    winner: int | None = None
    points: int | None = None
    result: tuple[float, ...] = ()


@dataclass(frozen=True)
class MatchAnalysis:
    """A file of games as a judge sees it."""

    sheet: Sheet = field(repr=False)
    judge: str
    plies: int | None  # how far ahead a network looked; None for judges that are none
    width: int | None  # how many moves it looked at so far ahead, at most
    luck_judge: str | None
    games: tuple[GameAnalysis, ...] = field(repr=False)

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
        own = [turn for game in games for turn in game.turns if turn.seat == seat]
        moves = [turn for turn in own if turn.kind == MOVE]
        lucks = [turn.own_luck for turn in own if turn.own_luck is not None]
        ended = [game for game in games if game.result]
        judged = self.luck_judge is not None
        result = _sum(game.result[seat] for game in ended) if ended else None
        all_luck = _sum(turn.luck[seat] for game in ended for turn in game.turns if turn.luck)
        return Sums(
            decisions=len(moves),
            forced=sum(turn.forced for turn in moves),
            loss=_sum(turn.loss or 0.0 for turn in moves),
            **{grade: sum(turn.grade == grade for turn in moves) for grade, _ in GRADES},
            rolls=sum(turn.roll != "" for turn in own),
            luck=_sum(lucks) if judged else None,
            cube=sum(turn.kind == CUBE for turn in own),
            result=result,
            adjusted=result - all_luck if result is not None and judged else None,
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
            "cube_judged": False,
            "grades": dict(GRADES),
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
                    "grade": turn.grade or None,
                    "forced": turn.forced,
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


def _sum(values: Iterable[float]) -> float:
    return float(np.sum(list(values), dtype=float))
