"""Quoridor, put together from its parts: rules with sensible moves for searches, positions, notation, board, touching and files, and what
networks see of it.
"""

from __future__ import annotations

from ludus.contract.position import Game, Positions
from ludus.contract.views import Encoding
from ludus.errors import LudusError
from ludus.games.quoridor import guided as guided  # implementations of generic functions, which nobody else imports
from ludus.games.quoridor import races as races
from ludus.games.quoridor.clock import PlyClock
from ludus.games.quoridor.features import PathLead, Side
from ludus.games.quoridor.notation import Notation
from ludus.games.quoridor.picture import Drawing
from ludus.games.quoridor.record import Files
from ludus.games.quoridor.rules import QuoridorRules, usual_walls
from ludus.games.quoridor.sight import QuoridorSight
from ludus.games.quoridor.stocks import FEWEST_MANY, Stocks
from ludus.games.quoridor.touching import Touching
from ludus.quantities import COLUMNS, PLIES, ROWS, WALLS


class Quoridor(QuoridorRules, Positions, Notation, Drawing, Files, Touching):
    """Quoridor for two or four seats on a board of `size` rows and as many columns, or `columns`, with `walls` walls for each seat; a game that
    is not won after `limit` plies is a draw.
    """

    __slots__ = ()

    def __new__(cls, size: int = 9, columns: int = 0, walls: int = 10, seats: int = 2, limit: int = 324) -> Quoridor:
        """The game with these rules; where no columns are given the board is square."""
        return super().__new__(cls, size, columns or size, walls, seats, limit)

    def encodings(self) -> dict[str, Encoding]:
        """The ways to show positions to a network, for two seats: `side`, and, with many walls, `stocks` with a network for each phase of the game."""
        if self.seats != 2:
            return {}
        return {"side": Side(), "stocks": Stocks()} if 2 * self.walls >= FEWEST_MANY else {"side": Side()}

    def view(self) -> PathLead:
        """How `alphabeta` judges positions without a network: by the difference of the two ways to the goal."""
        return PathLead()

    def sight(self, seat: int) -> QuoridorSight:
        """What a seat sees at its decision."""
        return QuoridorSight(seat)

    def clock(self) -> PlyClock:
        """What ends a game that is not won (`contract.clock`)."""
        return PlyClock(self.limit)


_game: type[Game] = Quoridor  # mypy looks whether it is


def quoridor(
    size: int = 9,
    walls: int | None = None,
    seats: int = 2,
    limit: int | None = None,
    columns: int | None = None,
) -> Quoridor:
    """The game with as many columns as rows, the usual walls for its board and a limit of four plies a square, where these are not given.

    >>> quoridor(seats=4)
    Quoridor(size=9, walls=5, seats=4, limit=324)
    >>> quoridor(7, columns=5)
    Quoridor(size=7, columns=5, walls=4, seats=2, limit=140)
    """
    size = ROWS.read(size, f"quoridor(size={size})")
    columns = size if columns is None else COLUMNS.read(columns, f"quoridor(columns={columns})")
    if seats not in (2, 4):
        raise LudusError(f"quoridor: seats={seats} is not possible; two or four can play")
    walls = usual_walls(size * columns, seats) if walls is None else walls
    limit = 4 * size * columns if limit is None else limit
    walls = WALLS.read(walls, f"quoridor(walls={walls})")
    return Quoridor(size, columns, walls, seats, PLIES.read(limit, f"quoridor(limit={limit})"))
