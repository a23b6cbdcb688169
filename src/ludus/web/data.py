"""What the server and its workers say to each other: plain tuples. Nothing here loads Numba, as the server does without."""

from __future__ import annotations

from typing import Any, NamedTuple


class Ref(NamedTuple):
    """A game: its name, and the text of its rulesheet where it came as one."""

    name: str
    sheet: str | None = None


class About(NamedTuple):
    """What a page must know of a game before it is played."""

    name: str
    seats: int
    seat_names: tuple[str, ...]
    best: str  # the best player that it has
    notation: str
    formats: tuple[str, ...]
    low: float  # the scores lie between
    high: float
    is_sheet: bool  # other programs can play it by the GGP protocol


class Mind(NamedTuple):
    """A player in a seat. The higher its temperature, the likelier it takes a move that it thinks worse than the best."""

    name: str
    temperature: float = 0.0
    slow: bool = False  # it takes its time, and is asked by `think` alone


class Course(NamedTuple):
    """How far a game has come: its state, and how many steps and rolls there were."""

    state: bytes
    plies: int = 0
    rolls: int = 0


class Done(NamedTuple):
    """A step that was taken, by a seat, by chance or by all seats at once, and the places of the board that it concerns."""

    seat: int | None
    kind: str  # "decision", "chance" or "joint"
    texts: tuple[str, ...]
    places: tuple[str, ...]
    note: str = ""  # what everybody should hear of it: how a game of a match ended


class Standing(NamedTuple):
    """How a game stands now."""

    course: Course
    kind: str  # "decision", "chance", "joint" or "over"
    turn: int | None
    waits: tuple[int, ...]  # the seats that have something to decide
    status: str
    moves: tuple[str, ...] = ()  # of the seat to move
    scores: tuple[float, ...] | None = None
    result: str | None = None
    places: tuple[str, ...] = ()  # of the last step that was no roll, where it was replayed
    notes: tuple[tuple[int, str], ...] = ()  # where it was replayed: such notes, and the plies that they belong to
    resigners: tuple[int, ...] = ()  # the seats that may offer to resign by a move, also while it is not their turn
    single: float = 1.0  # what who gives up now loses


class Asked(NamedTuple):
    """How a position is to be shown: to which seat, which then is at the bottom of the board (to nobody's: None), turned round or not; and
    what was touched so far.
    """

    seat: int | None = None
    flip: bool = False
    touched: tuple[str, ...] = ()


class Told(NamedTuple):
    """What a file says of a game beside its moves."""

    title: str
    names: tuple[str, ...]  # who sits where
    people: tuple[int, ...]
    seed: int
    started: int
    result: dict[str, Any] | None
    beginning: str | None = None


class Written(NamedTuple):
    """A file for people to keep."""

    name: str
    kind: str  # its media type
    text: str


class Found(NamedTuple):
    """A game that was in a file."""

    game: str
    names: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
