"""Classic Ludo once more, slow and by the book: pieces that know where they stand, a table that knows who rolls.

Written from the description of the rules, not from the kernels, and shares no code with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

YARD, FINISH = 0, 57
LAST_OF_TRACK = 51

Place = tuple[str, int]


@dataclass
class Piece:
    colour: int
    steps: int = YARD  # how far it has come: 1 to 51 on the track, then the home column

    def place(self, steps: int | None = None) -> Place:
        """Where it stands, or would after so many steps; places that pieces share are equal."""
        r = self.steps if steps is None else steps
        if r == YARD:
            return f"yard of {self.colour}", 0
        if r <= LAST_OF_TRACK:
            return "track", (13 * self.colour + r - 1) % 52
        return f"home column of {self.colour}", r


@dataclass
class Table:
    """A game of Ludo. `roller` is a seat, None before it is drawn; `die` is None until it is rolled."""

    seats: int = 4
    blockades: str = "land"
    safe_squares: bool = True
    exact: bool = True
    three_sixes: bool = False
    capture_bonus: bool = False
    roller: int | None = None
    die: int | None = None
    sixes: int = 0  # in a row
    winner: int | None = None
    pieces: list[list[Piece]] = field(init=False)  # a list for each seat

    def __post_init__(self) -> None:
        colours = [0, 2] if self.seats == 2 else list(range(self.seats))
        self.pieces = [[Piece(colour) for _ in range(4)] for colour in colours]

    # What stands where.

    def is_safe(self, place: Place) -> bool:
        kind, square = place
        return kind != "track" or (self.safe_squares and square % 13 in (0, 8))

    def enemies_at(self, place: Place) -> list[Piece]:
        """The roller's enemies on a square of the track."""
        others = [piece for seat, four in enumerate(self.pieces) if seat != self.roller for piece in four]
        return [piece for piece in others if place[0] == "track" and piece.place() == place]

    def is_closed(self, place: Place) -> bool:
        return self.blockades != "none" and not self.is_safe(place) and len(self.enemies_at(place)) >= 2

    # What may move.

    def way(self, piece: Piece) -> list[int]:
        """The steps that a piece takes by the die, one after the other; none if it can't go."""
        assert self.die is not None
        if piece.steps == YARD:
            return [1] if self.die == 6 else []
        way = list(range(piece.steps + 1, piece.steps + self.die + 1))
        if way[-1] > FINISH and self.exact:
            return []
        return [steps for steps in way if steps <= FINISH]

    def may_move(self, piece: Piece) -> bool:
        way = self.way(piece)
        if not way:
            return False
        looked_at = way if self.blockades == "pass" else way[-1:]
        return not any(self.is_closed(piece.place(steps)) for steps in looked_at)

    def movable(self) -> list[int]:
        """The roller's pieces that may move by the die; none before it is rolled."""
        if self.die is None or self.roller is None:
            return []
        return [i for i, piece in enumerate(self.pieces[self.roller]) if self.may_move(piece)]

    # What happens.

    def roll(self, die: int) -> None:
        self.sixes = self.sixes + 1 if die == 6 else 0
        if self.three_sixes and self.sixes == 3:
            self.pass_on()
            return
        self.die = die
        if not self.movable():
            self.die = None
            if die != 6:
                self.pass_on()

    def move(self, number: int) -> None:
        assert self.roller is not None
        piece = self.pieces[self.roller][number]
        rolled, self.die, piece.steps = self.die, None, self.way(piece)[-1]
        caught = [] if self.is_safe(piece.place()) else self.enemies_at(piece.place())
        for enemy in caught:
            enemy.steps = YARD
        if all(own.steps == FINISH for own in self.pieces[self.roller]):
            self.winner = self.roller
        elif rolled != 6 and not (self.capture_bonus and caught):
            self.pass_on()

    def pass_on(self) -> None:
        assert self.roller is not None
        self.die, self.sixes, self.roller = None, 0, (self.roller + 1) % self.seats
