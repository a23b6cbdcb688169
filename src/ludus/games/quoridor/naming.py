"""What people call the things on a Quoridor board: seats, squares, walls and goals. How moves are written is `notation.py`'s."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.games.quoridor.bitboard import HORIZONTAL, VERTICAL, WIDTH, side_of

COLUMNS = "abcdefghi"
_WORD = (1 << 64) - 1


def seat_names(game: Any) -> tuple[str, ...]:
    """What boards and files call the seats: the first is yellow, the one that faces it green, as in the thesis.

    >>> import ludus
    >>> seat_names(ludus.game("quoridor(seats=4)"))
    ('yellow', 'blue', 'green', 'red')
    """
    return ("yellow", "green") if game.seats == 2 else ("yellow", "blue", "green", "red")


def square_text(square: int) -> str:
    """A square's name.

    >>> square_text(0), square_text(76)
    ('a1', 'e9')
    """
    return f"{COLUMNS[square % WIDTH]}{square // WIDTH + 1}"


def wall_text(wall: int) -> str:
    """A wall's official name, by the square below and to the left of its middle.

    >>> wall_text(20), wall_text(64 + 20)
    ('e3h', 'e3v')
    """
    return f"{COLUMNS[wall & 7]}{(wall >> 3 & 7) + 1}{'v' if wall & 64 else 'h'}"


def goal_text(game: Any, seat: int) -> str:
    """The side that a seat wants to reach.

    >>> import ludus
    >>> [goal_text(ludus.game("quoridor(seats=4)"), seat) for seat in range(4)]
    ['row 9', 'column i', 'row 1', 'column a']
    """
    return (f"row {game.size}", f"column {COLUMNS[game.columns - 1]}", "row 1", "column a")[side_of(game, seat)]


def is_anchor(game: Any, anchor: int) -> bool:
    """Whether a wall can have its middle there on a board of these rows and columns."""
    return 0 <= anchor < 64 and (anchor & 7) < game.columns - 1 and (anchor >> 3) < game.size - 1


def walls_on(state: np.ndarray) -> list[int]:
    """The walls on the board as move codes, horizontal ones first."""
    words = int(state[HORIZONTAL]) & _WORD | (int(state[VERTICAL]) & _WORD) << 64
    return [wall for wall in range(128) if words >> wall & 1]
