"""What the turns of a seat add up to: checker play, decisions about the cube, both together, and luck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.analysing.sheet import CUBE, MOVE
from ludus.analysing.turns import GRADES, MISTAKES, Turn

RATE, PR = 1000, 500  # times the mean loss of a decision that counts: the error rate, and the figure like XG's PR


@dataclass(frozen=True)
class Part:
    """Some decisions of a seat."""

    decisions: int = 0
    counted: int = 0  # of them, in rates
    loss: float = 0.0  # in points
    cost: float = 0.0  # in the unit of results: points with the cube, or match winning chance
    blunder: int = 0
    error: int = 0
    doubtful: int = 0

    @property
    def error_rate(self) -> float | None:
        """Thousandths of a point that a decision that counts lost on average."""
        return RATE * self.loss / self.counted if self.counted else None

    @property
    def pr(self) -> float | None:
        """A figure like XG's performance rating: 500 times the points that a decision that counts lost on average."""
        return PR * self.loss / self.counted if self.counted else None

    def to_json(self) -> dict[str, Any]:
        """The public shape of a part."""
        return {
            "decisions": self.decisions,
            "counted": self.counted,
            "loss": self.loss,
            "cost": self.cost,
            "error_rate": self.error_rate,
            "pr": self.pr,
            "blunders": self.blunder,
            "errors": self.error,
            "doubtful": self.doubtful,
        }


@dataclass(frozen=True)
class Sums(Part):
    """All decisions of a seat, and its luck."""

    checker: Part = Part()
    cube: Part = Part()
    mistakes: tuple[tuple[str, int], ...] = ()  # with the cube: what was wrong, and how often
    actions: int = 0  # with the cube: doubles, beavers and answers
    rolls: int = 0
    luck: float | None = None  # of its own rolls, in points
    result: float | None = None  # of the finished games, in the unit of results
    adjusted: float | None = None  # the same less the luck of all rolls in them, the others' too

    @property
    def forced(self) -> int:
        """Moves without a choice."""
        return self.checker.decisions - self.checker.counted

    def to_json(self) -> dict[str, Any]:
        """The public shape of a seat's sums."""
        return super().to_json() | {
            "checker": self.checker.to_json(),
            "cube": self.cube.to_json() | {"mistakes": dict(self.mistakes)},
            "cube_actions": self.actions,
            "rolls": self.rolls,
            "luck": self.luck,
            "result": self.result,
            "luck_adjusted_result": self.adjusted,
        }


def add_up(turns: Sequence[Turn], seat: int, results: Sequence[float], ended: Iterable[Turn], lucky: bool) -> Sums:
    """The sums of a seat over its turns; `results` are those of the finished games, `ended` all turns in them. Nothing is said of luck unless it was judged."""
    own = [turn for turn in turns if turn.seat == seat]
    judged = [turn for turn in own if turn.moves]
    wrong = Counter(turn.mistake for turn in judged if turn.mistake and turn.grade)
    result = _sum(results) if results else None
    all_luck = _sum(turn.luck[seat] * turn.stake for turn in ended if turn.luck)
    return Sums(
        **vars(_part(judged)),
        checker=_part([turn for turn in judged if turn.kind == MOVE]),
        cube=_part([turn for turn in judged if turn.kind == CUBE]),
        mistakes=tuple((name, wrong[name]) for name in _names(wrong)),
        actions=sum(turn.kind == CUBE and turn.played != "no double" for turn in own),
        rolls=sum(turn.roll != "" for turn in own),
        luck=_sum(turn.own_luck for turn in own if turn.own_luck is not None) if lucky else None,
        result=result,
        adjusted=result - all_luck if result is not None and lucky else None,
    )


def _part(turns: Sequence[Turn]) -> Part:
    return Part(
        decisions=len(turns),
        counted=sum(turn.counted for turn in turns),
        loss=_sum(turn.loss or 0.0 for turn in turns),
        cost=_sum(turn.cost or 0.0 for turn in turns),
        **{grade: sum(turn.grade == grade for turn in turns) for grade, _ in GRADES},
    )


def _names(wrong: Counter[str]) -> list[str]:
    """The four mistakes that everybody knows, and others that happened."""
    usual = list(MISTAKES.values())[:4]
    return usual + sorted(set(wrong) - set(usual))


def _sum(values: Iterable[float]) -> float:
    return float(np.sum(list(values), dtype=float))
