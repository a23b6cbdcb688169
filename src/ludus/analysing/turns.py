"""A turn of a game, as a judge sees it: what was done, what could have been done, and what each is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ludus.analysing.sheet import CUBE, MOVE

GRADES = (("blunder", 0.08), ("error", 0.04), ("doubtful", 0.02))  # what is lost at least, in points
CLOSE = 0.16  # points behind the best: a double that seems to lose less is one to think about, and counts as a decision
NO_DOUBLE, DOUBLE, TAKE, PASS, BEAVER, RACCOON = "no double", "double", "take", "pass", "beaver", "raccoon"
MISTAKES = {
    NO_DOUBLE: "missed double", DOUBLE: "wrong double", TAKE: "wrong take", PASS: "wrong pass", BEAVER: "wrong beaver",
    RACCOON: "wrong raccoon",
}  # fmt: skip


class Choice(NamedTuple):
    """Something that could have been done, and what it is worth to who does it, judged so many plies ahead, or by a rollout."""

    move: str
    value: float
    plies: int
    error: float | None = None  # standard error of the value; None: it was not rolled out

    def like(self, other: Choice) -> bool:
        """Whether it was judged in the same way as another."""
        return self.plies == other.plies and (self.error is None) == (other.error is None)


class CubeValues(NamedTuple):
    """What the ways to handle the cube are worth to who may double, in points of the cube before the double."""

    no_double: float | None  # None: the double was made, and waits for an answer
    double_take: float  # or a beaver, where that is better for who is doubled
    double_pass: float
    verdict: str  # what both should do: 'double, take'


@dataclass(frozen=True)
class Turn:
    """A roll with the move after it; a move alone, where nobody rolls; a roll alone, where nobody moved; or a decision about the cube."""

    game: int  # of the file, from 1 on
    number: int  # in the game, from 1 on; not to double is part of the turn that follows
    kind: str  # move, roll or cube
    seat: int  # -1: nobody's
    roll: str
    played: str  # the move, or what was done with the cube
    position: str  # in which that was; of a roll alone the one after it
    luck: tuple[float, ...] = ()  # of the roll, by seat
    moves: tuple[Choice, ...] = ()  # all legal ones, best first: those judged farthest ahead before the others
    stake: float = 1.0  # what a point of `luck` and of `loss` is worth in the unit of results (Sheet.unit)
    cube: CubeValues | None = None  # of a decision about the cube
    loss_error: float | None = None  # standard error of the loss; None: it was not rolled out
    state: Any = field(default=None, repr=False, compare=False)

    @property
    def forced(self) -> bool:
        """Whether there was nothing to decide."""
        return self.kind == MOVE and len(self.moves) == 1

    @property
    def counted(self) -> bool:
        """Whether it counts in rates: moves if there were several, doubles and answers always, and not to double if that was close."""
        if self.kind != CUBE or self.played != NO_DOUBLE:
            return len(self.moves) > 1
        return any(self.moves[0].value - each.value < CLOSE for each in self.moves if each.move == DOUBLE)

    @property
    def best(self) -> Choice | None:
        """The best choice."""
        return self.moves[0] if self.moves else None

    @property
    def choice(self) -> Choice | None:
        """What was chosen."""
        return next((each for each in self.moves if each.move == self.played), None)

    @property
    def loss(self) -> float | None:
        """What was lost against the best choice, in points; None where nobody decided, or nobody judged."""
        made, best = self.choice, self.best
        return None if made is None or best is None else best.value - made.value

    @property
    def cost(self) -> float | None:
        """The same in the unit of results: with the cube points of the session, or match winning chance."""
        return None if self.loss is None else self.loss * self.stake

    @property
    def grade(self) -> str:
        """blunder, error, doubtful, or nothing."""
        lost = self.loss or 0.0
        return next((name for name, least in GRADES if lost >= least), "")

    @property
    def mistake(self) -> str:
        """What players call a wrong decision about the cube; nothing where it was right, and for moves."""
        if self.kind != CUBE or not self.loss or self.best is None:
            return ""
        if self.played == TAKE and self.best.move in (BEAVER, RACCOON):
            return f"missed {self.best.move}"
        return MISTAKES[self.played]

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
            "stake": self.stake,
            "forced": self.forced,
            "counted": self.counted,
            "loss": self.loss,
            "loss_error": self.loss_error,
            "grade": self.grade or None,
            "mistake": self.mistake or None,
            "best": self.best.move if self.best else None,
            "cube": self.cube._asdict() if self.cube else None,
            "moves": [each._asdict() for each in self.moves],
        }
