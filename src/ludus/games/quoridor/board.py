"""How a Quoridor board looks as text in the terminal, and in words; `picture.py` draws it.

The first seat is at the bottom, as the notation has it. Nothing here knows rules beyond how a state is laid out; distances are
those of the rules' kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import OVER
from ludus.games.quoridor.bitboard import PAWN, PLY, TURN, WIDTH, distance
from ludus.games.quoridor.naming import COLUMNS, goal_text, seat_names, square_text, wall_text, walls_on
from ludus.games.quoridor.rules import is_home

# --- what there is to show -------------------------------------------------------------------------------------------


def winner(game: Any, state: np.ndarray) -> int | None:
    """The seat whose pawn is at its goal."""
    return next((seat for seat in range(game.seats) if is_home(game, state, seat)), None)


def status(game: Any, state: np.ndarray) -> str:
    """Whose turn it is; or who has won."""
    names = seat_names(game)
    if state[TURN] != OVER:
        return f"{names[int(state[TURN])]} to move"
    won = winner(game, state)
    return "a draw" if won is None else f"{names[won]} wins"


def number(game: Any, state: np.ndarray) -> int:
    """The number of the move that is due, or of the last one, as people count: one for each round of the seats."""
    return max(int(state[PLY]) - (state[TURN] == OVER), 0) // game.seats + 1


def stock(game: Any, state: np.ndarray, seat: int) -> int:
    """How many walls a seat has left."""
    return int(state[PAWN + game.seats + seat])


def steps_left(game: Any, state: np.ndarray, seat: int) -> int:
    """The length of a seat's shortest way to its goal."""
    return int(distance(game, np.array(state, np.int64), seat))


def describe(game: Any, state: np.ndarray) -> str:
    """The position in words, for those who can't see the picture."""
    sides = [
        f"{name} is on {square_text(int(state[PAWN + seat]))}, {steps_left(game, state, seat)} from {goal_text(game, seat)}, "
        f"with {stock(game, state, seat)} walls left."
        for seat, name in enumerate(seat_names(game))
    ]
    walls = ", ".join(wall_text(wall) for wall in walls_on(state))
    return f"{status(game, state)}. {' '.join(sides)} Walls: {walls or 'none'}."


# --- text ------------------------------------------------------------------------------------------------------------

# Foreground and background are always set together, from the 256 colours: so the board looks the same on dark and on
# light terminals.
_FRAME, _SQUARE, _GROOVE, _WALL = "38;5;223;48;5;52", "38;5;94;48;5;137", "38;5;94;48;5;94", "1;38;5;94;48;5;230"
_PAWNS = {
    "yellow": "1;38;5;16;48;5;220",
    "green": "1;38;5;231;48;5;28",
    "blue": "1;38;5;231;48;5;25",
    "red": "1;38;5;231;48;5;124",
}


def text(game: Any, state: np.ndarray, color: bool = False) -> str:
    """The board as lines of text, 43 columns wide at most, with the colours of an ANSI terminal where wanted.

    >>> import ludus
    >>> print(text(ludus.game("quoridor(size=5)"), ludus.game("quoridor(size=5)").start().play("b2h").play("d4v").state))
         a   b   c   d   e
       +-------------------+
     5 | .   .   G   . | . | 5
       |               |   |
     4 | .   .   .   . | . | 4
       |                   |
     3 | .   .   .   .   . | 3
       |    =======        |
     2 | .   .   .   .   . | 2
       |                   |
     1 | .   .   Y   .   . | 1
       +-------------------+
         a   b   c   d   e
    <BLANKLINE>
     > Y yellow  2 walls  5 to row 5
       G green   2 walls  5 to row 1
       move 2
    """
    kinds, signs = _grid(game, state)
    wide = len(kinds[0])
    names = "   ".join(COLUMNS[: game.columns])

    def paint(part: str, style: str) -> str:
        return f"\x1b[{style}m{part}\x1b[0m" if color else part

    def line(y: int) -> str:
        cells = [paint(sign, style) for sign, style in _runs(kinds[y], signs[y], color)]
        row = str(y // 2 + 1) if y % 2 == 0 else " "
        side = " " if color else "|"
        return (
            paint(f" {row} {side}", _FRAME) + "".join(cells) + paint(f"{side} {row} ", _FRAME).rstrip(" " * (not color))
        )

    edge = "   " + ((wide + 2) * " " if color else f"+{wide * '-'}+")
    letters = f"     {names}"
    if color:
        top = bottom = [paint(f"{letters:<{wide + 8}}", _FRAME)]
    else:
        top, bottom = [letters, edge], [edge, letters]
    return "\n".join([*top, *(line(y) for y in reversed(range(len(kinds)))), *bottom, "", *_foot(game, state, color)])


def _grid(game: Any, state: np.ndarray) -> tuple[list[list[str]], list[list[str]]]:
    """The style and the sign of each character of the board, from the bottom up: squares are three wide, grooves one."""
    high, wide = 2 * game.size - 1, 4 * game.columns - 1
    kinds = [[_GROOVE if y % 2 or x % 4 == 3 else _SQUARE for x in range(wide)] for y in range(high)]
    signs = [["." if y % 2 == 0 and x % 4 == 1 else " " for x in range(wide)] for y in range(high)]
    for wall in walls_on(state):
        row, column = wall >> 3 & 7, wall & 7
        if wall < 64:
            places = [(2 * row + 1, 4 * column + i) for i in range(7)]
        else:
            places = [(2 * row + i, 4 * column + 3) for i in range(3)]
        for y, x in places:
            kinds[y][x], signs[y][x] = _WALL, "=" if wall < 64 else "|"
    for seat, name in enumerate(seat_names(game)):
        square = int(state[PAWN + seat])
        y, x = 2 * (square // WIDTH), 4 * (square % WIDTH) + 1
        signs[y][x] = name[0].upper()
        kinds[y][x - 1 : x + 2] = [_PAWNS[name]] * 3
    return kinds, signs


def _runs(kinds: list[str], signs: list[str], color: bool) -> list[tuple[str, str]]:
    """A line's characters, those of one style together; colours need no signs for squares and walls."""
    out: list[tuple[str, str]] = []
    for kind, sign in zip(kinds, signs, strict=True):
        shown = " " if color and sign in ".=|" else sign
        if out and out[-1][1] == kind:
            out[-1] = out[-1][0] + shown, kind
        else:
            out.append((shown, kind))
    return out


def _foot(game: Any, state: np.ndarray, color: bool) -> list[str]:
    """Whose turn it is, everybody's walls and distance to the goal, and the number of the move."""
    names, out = seat_names(game), []
    wide = max(map(len, names))
    many = max(len(str(stock(game, state, seat))) for seat in range(game.seats))
    far = [steps_left(game, state, seat) for seat in range(game.seats)]
    for seat, name in enumerate(names):
        sign = f"\x1b[{_PAWNS[name]}m {name[0].upper()} \x1b[0m" if color else name[0].upper()
        left = stock(game, state, seat)
        out.append(
            f" {'>' if state[TURN] == seat else ' '} {sign} {name:<{wide}}  {left:>{many}} wall{'s' if left != 1 else ' '}  "
            f"{far[seat]:>{len(str(max(far)))}} to {goal_text(game, seat)}"
        )
    last = f": {status(game, state)}" if state[TURN] == OVER else ""
    return [*out, f"   move {number(game, state)}{last}"]
