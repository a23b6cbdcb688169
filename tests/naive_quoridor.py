"""Quoridor once more, slow and by the book: squares are pairs, walls are pieces of wood, ways are searched for square by square.

Written from the description of the rules, not from the kernels, and shares no code with them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

Square = tuple[int, int]  # row, from the first player's; column, from the left
Wall = tuple[str, int, int]  # "h" or "v", and the square to the left of and below its middle
Action = tuple[str, int, int]  # a wall, or ("to", row, column); ("pass", 0, 0) where nothing can be done

AROUND = ((1, 0), (0, 1), (-1, 0), (0, -1))


@dataclass
class Table:
    """A game of Quoridor."""

    size: int = 9
    stock: int = 10
    seats: int = 2
    limit: int = 324
    walls: list[Wall] = field(default_factory=list)
    turn: int = 0
    ply: int = 0
    winner: int | None = None
    columns: int = 0  # as many as rows, unless told

    def __post_init__(self) -> None:
        self.columns = self.columns or self.size
        row, column = self.size // 2, self.columns // 2
        bottom, left, top, right = (0, column), (row, 0), (self.size - 1, column), (row, self.columns - 1)
        self.pawns: list[Square] = [bottom, top] if self.seats == 2 else [bottom, left, top, right]
        self.stocks = [self.stock] * self.seats

    def copy(self) -> Table:
        """The same position, to play on from."""
        other = replace(self, walls=list(self.walls))
        other.pawns, other.stocks = list(self.pawns), list(self.stocks)
        return other

    @property
    def over(self) -> bool:
        return self.winner is not None or self.ply >= self.limit

    def is_goal(self, seat: int, square: Square) -> bool:
        """Whether a seat wants to come here: to the side opposite of where it began."""
        row, column = square
        sides = [row == self.size - 1, column == self.columns - 1, row == 0, column == 0]
        return sides[seat * 4 // self.seats]

    # --- ways --------------------------------------------------------------------------------------------------------

    def blocked(self, here: Square, there: Square) -> bool:
        """Whether a wall, or the edge of the board, is between two neighbours."""
        if not (0 <= there[0] < self.size and 0 <= there[1] < self.columns):
            return True
        row, column = min(here[0], there[0]), min(here[1], there[1])
        if here[1] == there[1]:  # one above the other: a horizontal wall begins here, or one square to the left
            return ("h", row, column) in self.walls or ("h", row, column - 1) in self.walls
        return ("v", row, column) in self.walls or ("v", row - 1, column) in self.walls

    def neighbours(self, square: Square) -> list[Square]:
        near = [(square[0] + r, square[1] + c) for r, c in AROUND]
        return [other for other in near if not self.blocked(square, other)]

    def distance(self, seat: int) -> int | None:
        """Steps to the goal, whatever pawns stand in the way; None if there is no way."""
        begun = self.pawns[seat]
        known = {begun: 0}
        queue = deque([begun])
        while queue:
            square = queue.popleft()
            if self.is_goal(seat, square):
                return known[square]
            for other in self.neighbours(square):
                if other not in known:
                    known[other] = known[square] + 1
                    queue.append(other)
        return None

    # --- moves -------------------------------------------------------------------------------------------------------

    def fits(self, wall: Wall) -> bool:
        """Whether no wall lies where this one would, crosses it, or overlaps one of its halves."""
        kind, row, column = wall
        if not (0 <= row < self.size - 1 and 0 <= column < self.columns - 1):
            return False
        along = [(kind, row, column - 1), (kind, row, column + 1)]
        if kind == "v":
            along = [(kind, row - 1, column), (kind, row + 1, column)]
        return not any(other in self.walls for other in [("h", row, column), ("v", row, column), *along])

    def allowed(self, wall: Wall) -> bool:
        """Whether a wall may be built: it fits, and leaves every pawn a way."""
        if not self.fits(wall):
            return False
        self.walls.append(wall)
        good = all(self.distance(seat) is not None for seat in range(self.seats))
        self.walls.pop()
        return good

    def landings(self) -> set[Square]:
        """Where the pawn of the seat to move can go."""
        here = self.pawns[self.turn]
        found = set()
        for next_to in self.neighbours(here):
            if next_to not in self.pawns:
                found.add(next_to)
                continue
            behind = (2 * next_to[0] - here[0], 2 * next_to[1] - here[1])
            if not self.blocked(next_to, behind):
                found |= {behind} - set(self.pawns)
            else:
                aside = [square for square in self.neighbours(next_to) if square != here]
                found |= set(aside) - set(self.pawns)
        return found

    def actions(self) -> set[Action]:
        """All legal moves."""
        found: set[Action] = {("to", row, column) for row, column in self.landings()}
        if self.stocks[self.turn] > 0:
            places = [(kind, r, c) for kind in "hv" for r in range(self.size - 1) for c in range(self.columns - 1)]
            found |= {wall for wall in places if self.allowed(wall)}
        return found or {("pass", 0, 0)}

    def play(self, action: Action) -> None:
        kind, row, column = action
        if kind == "to":
            self.pawns[self.turn] = (row, column)
            if self.is_goal(self.turn, (row, column)):
                self.winner = self.turn
        elif kind != "pass":
            self.walls.append(action)
            self.stocks[self.turn] -= 1
        self.turn = (self.turn + 1) % self.seats
        self.ply += 1

    def perft(self, depth: int) -> int:
        """How many sequences of so many moves there are; a game that ends earlier has none."""
        if self.over:
            return 0
        found = self.actions()
        if depth == 1:
            return len(found)
        total = 0
        for action in found:
            child = self.copy()
            child.play(action)
            total += child.perft(depth - 1)
        return total
