"""The JSON that comes in and goes out, as the OpenAPI document describes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MAX_SHEET = 500_000  # characters
MAX_FILE = 2_000_000

Id = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9_.-]+$")]
Name = Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]
Text = Annotated[str, StringConstraints(max_length=2_000, pattern=r"^[^\x00]*$")]
SeatNumber = Annotated[int, Field(ge=0, le=63)]


class Shape(BaseModel):
    """What is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class Person(Shape):
    """A seat for a person."""

    kind: Literal["person"]
    name: Name = "You"


class Player(Shape):
    """A seat for a player: of a level, with some seconds to think, or by its exact name, such as `td(plies=1)`."""

    kind: Literal["player"]
    name: Name = ""
    level: Literal["beginner", "easy", "medium", "strong", "best"] | None = None
    seconds: Annotated[float, Field(ge=0.05, le=600)] | None = None
    player: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None


class Clock(Shape):
    """Seconds for each person, and how many more after each move."""

    seconds: Annotated[float, Field(ge=5, le=86_400)]
    increment: Annotated[float, Field(ge=0, le=3_600)] = 0.0


class NewTable(Shape):
    """A game that somebody wants to begin, or to go on with."""

    game: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        examples=["backgammon", "ludo(seats=2)"]
    )
    seats: Annotated[list[Annotated[Person | Player, Field(discriminator="kind")]], Field(min_length=1, max_length=64)]
    seed: Annotated[int, Field(ge=0, lt=1 << 53)] | None = Field(
        None, description="Of the dice; unless given, a new one."
    )
    position: Text | None = Field(None, description="Where it begins; unless given, at the start.")
    clock: Clock | None = None
    pace: Annotated[float, Field(ge=0.0, le=60)] | None = Field(
        None, description="Seconds between moves where only players play."
    )


class NewSheet(Shape):
    """A rulesheet in the Game Description Language."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_SHEET)]
    name: Name = "My game"


class NewMove(Shape):
    """A move in the game's notation. `ply` is how many steps the game has; so a move is never played twice, or in another position."""

    move: Text
    ply: Annotated[int, Field(ge=0, le=1_000_000)]
    seat: SeatNumber


class Seat(Shape):
    """Whose wish it is."""

    seat: SeatNumber


class NewFile(Shape):
    """A file with games: `.mat`, `.quoridor`, or the JSON of ludus or of a GGP match."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    text: Annotated[str, StringConstraints(max_length=MAX_FILE)]
    game: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None


class Error(BaseModel):
    """What was wrong, and what would be right."""

    error: str


class TableOut(BaseModel):
    """A table, its seats, its steps and how it stands."""

    model_config = ConfigDict(extra="allow")
    id: str
    game: str
    title: str
    ply: int
    version: int
    kind: str
    turn: int | None
    due: list[int]
    status: str
    result: dict[str, Any] | None


class Seated(BaseModel):
    """A new table, and the keys to the seats of people."""

    id: str
    keys: dict[str, str]
    table: TableOut


class Moved(BaseModel):
    """The table after a move; and, if asked for, the moves that are legal now."""

    table: TableOut
    moves: list[str] | None = None


class ViewOut(BaseModel):
    """A position as a page shows it: the board as SVG, what may be touched, the legal moves."""

    model_config = ConfigDict(extra="allow")
    id: str
    ply: int
    position: str
    kind: str
    board: str
    moves: list[dict[str, str]]


class Why(BaseModel):
    """Whether a move is legal, and if not, why."""

    legal: bool
    reason: str
