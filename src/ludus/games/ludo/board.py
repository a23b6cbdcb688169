"""How a Ludo board is laid out, and how it looks as text in the terminal; `picture` draws it.

Red's yard is at the top left; green, yellow and blue follow clockwise, as the pieces go. In the text, squares are
numbered as the seat to move counts them, so that a move can be read off the board. Nothing here knows rules beyond how
a state is laid out and which squares are marked.
"""

from __future__ import annotations

import numpy as np

from ludus.games.ludo.rules import CLASSIC, DIE, GLOBES, LUDOPY_131, NEXT_STAR, TURN, LudoRules, colour

COLOURS = ("red", "green", "yellow", "blue")
SIGNS = "RGYB"
SIDE = 15  # squares along an edge of the board

Cell = tuple[int, int]  # row and column, from the top left


# --- where things are ------------------------------------------------------------------------------------------------


def turned(cell: Cell, quarters: int) -> Cell:
    """A cell after so many quarter turns clockwise about the middle of the board."""
    for _ in range(quarters % 4):
        cell = cell[1], SIDE - 1 - cell[0]
    return cell


# Red's quarter of the track: along its arm, up the next one and over its tip. The others are the same, turned.
_QUARTER = [(6, c) for c in range(1, 6)] + [(r, 6) for r in range(5, -1, -1)] + [(0, 7), (0, 8)]
TRACK: tuple[Cell, ...] = tuple(turned(cell, quarter) for quarter in range(4) for cell in _QUARTER)


def lane(game: LudoRules) -> int:
    """The position of the first square of the home column."""
    return 53 if game.rules == LUDOPY_131 else 52


def cell_of(game: LudoRules, owner: int, position: int) -> Cell:
    """The cell of a colour's piece that is on the track, in its column, or home.

    >>> import ludus
    >>> [cell_of(ludus.game("ludo"), 0, position) for position in (1, 51, 52, 56, 57)]
    [(6, 1), (7, 0), (7, 1), (7, 5), (7, 6)]
    """
    if position < lane(game):
        return TRACK[(13 * owner + position - 1) % 52]
    # The longer column takes the place of the goal, which then is the corner of the middle beside its yard.
    corner = position == game.goal and game.rules == LUDOPY_131
    return turned((6, 6) if corner else (7, 1 + position - lane(game)), owner)


def marks(game: LudoRules) -> dict[Cell, str]:
    """The squares of the track that are special: `safe` ones (in ludopy the globes and starts), and `star`s."""
    out: dict[Cell, str] = {}
    for r in range(1, 53):
        cell = TRACK[r - 1]
        if game.rules != CLASSIC:
            if GLOBES >> r & 1 or r % 13 == 1:
                out[cell] = "safe"
            elif NEXT_STAR[r] or r == 51:
                out[cell] = "star"
        elif game.safe_squares and (r - 1) % 13 in (0, 8):
            out[cell] = "safe"
    return out


def playing(game: LudoRules) -> list[int]:
    """The colours of the seats."""
    return [int(colour(game, seat)) for seat in range(game.seats)]


def seat_names(game: LudoRules) -> tuple[str, ...]:
    """The colours of the seats, as words."""
    return tuple(COLOURS[c] for c in playing(game))


def stacks(game: LudoRules, state: np.ndarray) -> dict[Cell, dict[int, int]]:
    """The pieces on the board, neither in a yard nor home: how many of each colour on each cell."""
    out: dict[Cell, dict[int, int]] = {}
    for owner in range(4):
        for r in pieces(state, owner):
            if 0 < r < game.goal:
                stack = out.setdefault(cell_of(game, owner, r), {})
                stack[owner] = stack.get(owner, 0) + 1
    return out


def pieces(state: np.ndarray, owner: int) -> list[int]:
    """The positions of a colour's pieces, the foremost first."""
    return sorted(state[4 * owner : 4 * owner + 4].tolist(), reverse=True)


def mover(game: LudoRules, state: np.ndarray) -> int | None:
    """The colour whose turn it is, or that has won; None before it is drawn who begins."""
    return int(colour(game, int(state[TURN]))) if state[TURN] >= 0 else None


def status(game: LudoRules, state: np.ndarray) -> str:
    """Whose turn it is, with the die; or who has won."""
    owner = mover(game, state)
    if owner is None:
        return "Who begins?"
    if state[DIE] < 0:
        return f"{COLOURS[owner]} wins"
    return f"{COLOURS[owner]} to move: {state[DIE]}" if state[DIE] else f"{COLOURS[owner]} to roll"


def describe(game: LudoRules, state: np.ndarray) -> str:
    """The position in words, for those who can't see the picture; squares as each colour counts them."""
    sides = []
    for owner in playing(game):
        at = pieces(state, owner)
        parts = [f"{at.count(0)} in the yard"] if 0 in at else []
        on = [str(r) for r in at if 0 < r < game.goal]
        parts += [f"on {' and '.join(filter(None, [', '.join(on[:-1]), on[-1]]))}"] if on else []
        parts += [f"{at.count(game.goal)} home"] if game.goal in at else []
        sides.append(f"{COLOURS[owner]}: {', '.join(parts)}.")
    return f"{status(game, state)}. {' '.join(sides)}"


# --- text ------------------------------------------------------------------------------------------------------------

# Foreground and background are always set together, from the 256 colours: so the board looks the same on dark and on
# light terminals.
_YARD_PAINT = ("38;5;231;48;5;124", "38;5;231;48;5;28", "38;5;16;48;5;178", "38;5;231;48;5;25")
_PIECE_PAINT = ("1;38;5;231;48;5;160", "1;38;5;231;48;5;34", "1;38;5;16;48;5;220", "1;38;5;231;48;5;33")
_LANE_PAINT = ("38;5;88;48;5;217", "38;5;22;48;5;157", "38;5;94;48;5;229", "38;5;18;48;5;153")
_PAINT = {"plain": "38;5;246;48;5;255", "safe": "38;5;238;48;5;250", "star": "38;5;238;48;5;250", "none": "0"}
_ABSENT_PAINT = "38;5;245;48;5;238"
_WIDE = 4  # columns of the terminal for a cell
TEXT_WIDTH = _WIDE * SIDE
_YARD = 6  # cells along an edge of a yard


def text(game: LudoRules, state: np.ndarray, color: bool = False) -> str:
    """The board as lines of text, 60 columns wide, with the colours of an ANSI terminal where wanted.

    Safe squares (in ludopy globes and starts) are in brackets, stars have one; R2 is two red pieces, [R2] two at home.

    >>> import ludus
    >>> position = ludus.game("ludo").position("0,0,14,57 9,0,0,0 3,3,51,52 0,0,0,0 turn=red die=4")
    >>> print(text(position.game, position.state))
    +----------------------+ 11  12  13 +----------------------+
    | red has a 4          | 10  g  (R) | green                |
    |        R   R         |(9)  g   15 |        G   G         |
    |        .   .         | 8   g   16 |        G   .         |
    | on 14, home 1        | 7   g   17 | on 9                 |
    +----------------------+ 6   g   18 +----------------------+
     .  (1)  2   3   4   5      [ ]      19  20  21 (G)  23  24
     51  52  53  54  55  56 [R1]    [ ]  y   y   y   y   Y   Y
     50  49 (48) 47  46  45     [ ]      31  30  Y2  28 (27) 26
    +----------------------+ 44  b   32 +----------------------+
    | blue                 | 43  b   33 | yellow               |
    |        B   B         | 42  b   34 |        .   .         |
    |        B   B         | 41  b  (35)|        .   .         |
    |                      |(40) b   36 | on 52 51 3 3         |
    +----------------------+ 39  38  37 +----------------------+
    <BLANKLINE>
    red to move: 4
    """
    owner = mover(game, state)
    cells = _cells(game, state, owner)
    paints = _paints(game) if color else {}
    lines = []
    for row in range(SIDE):
        line = ""
        column = 0
        while column < SIDE:
            yard = _yard_at(row, column)
            if yard is not None:
                words = _yard_line(game, state, yard, row % 9, color)
                style = _YARD_PAINT[yard] if yard in playing(game) else _ABSENT_PAINT
                line += f"\x1b[{style}m{words}\x1b[0m" if color else words
                column += _YARD
            else:
                words = cells.get((row, column), _WIDE * " ")
                line += _painted(words, paints.get((row, column), _PAINT["none"])) if color else words
                column += 1
        lines.append(line.rstrip())
    return "\n".join([*lines, "", status(game, state)])


def narrow_text(game: LudoRules, state: np.ndarray, color: bool = False) -> str:
    """The board as lines of text, 30 columns wide: squares have no numbers, and below it stands where the pieces are.

    >>> import ludus
    >>> game = ludus.game("ludo")
    >>> print(narrow_text(game, game.position("0,0,0,0 1,1,57,10 57,0,9,4 57,1,17,1 turn=green die=4").state).splitlines()[6])
    . o . . B .       . . . o G .
    """
    special, on, colours = marks(game), stacks(game, state), playing(game)
    signs = {cell: {"safe": "o", "star": "*"}.get(special.get(cell, ""), ".") for cell in TRACK}
    signs |= {cell_of(game, c, r): SIGNS[c].lower() for c in colours for r in range(lane(game), game.goal)}
    signs |= {cell: _stack(stack)[:2] for cell, stack in on.items()}
    for c in colours:
        waiting = pieces(state, c).count(0)
        spots = [turned((row, column), c) for row in (2, 3) for column in (2, 3)]
        signs |= {spot: SIGNS[c] if i < waiting else "-" for i, spot in enumerate(spots)}
    paints = _paints(game) if color else {}
    lines = []
    for row in range(SIDE):
        cells = [(f"{signs.get((row, column), ''):<2}", paints.get((row, column))) for column in range(SIDE)]
        line = "".join(_painted(words, style) if style else words for words, style in cells)
        lines.append(line.rstrip())
    return "\n".join([*lines, "", describe(game, state)])


def _yard_at(row: int, column: int) -> int | None:
    """The colour whose yard covers a cell."""
    if 6 <= row <= 8 or 6 <= column <= 8:
        return None
    return (0 if column < 6 else 1) if row < 6 else (3 if column < 6 else 2)


def _yard_line(game: LudoRules, state: np.ndarray, owner: int, line: int, color: bool) -> str:
    """One of the six lines of a yard: a frame, the colour, the pieces that wait there, and where the others are."""
    width = _YARD * _WIDE - 2
    edge, side = (" ", " ") if color else ("-", "|")
    if line in (0, _YARD - 1):
        corner = " " if color else "+"
        return corner + width * edge + corner
    if owner not in playing(game):
        return side + width * " " + side
    at = pieces(state, owner)
    waiting, home = at.count(0), at.count(game.goal)
    if line in (2, 3):
        spots = [SIGNS[owner] if i < waiting else "." for i in range(4)][2 * (line - 2) :][:2]
        words = f"{spots[0]}   {spots[1]}".center(width)
    elif line == 1:
        doing = {-1: " wins", 0: " rolls"}.get(int(state[DIE]), f" has a {state[DIE]}")
        words = f" {COLOURS[owner]}{doing if mover(game, state) == owner else ''}"
    else:
        on = [str(r) for r in at if 0 < r < game.goal]
        words = " " + ", ".join(["on " + " ".join(on)] * bool(on) + [f"home {home}"] * bool(home))
    return f"{side}{words:<{width}}{side}"


def _cells(game: LudoRules, state: np.ndarray, owner: int | None) -> dict[Cell, str]:
    """What stands on each cell outside the yards."""
    special, on = marks(game), stacks(game, state)
    first = owner or 0  # before anybody is to move, squares are numbered as red counts
    out: dict[Cell, str] = {}
    # The square behind its start has no number for a colour that turns off before it.
    numbers = {TRACK[(13 * first + r - 1) % 52]: str(r) if r < lane(game) else "." for r in range(1, 53)}
    for c in playing(game):
        for r in range(lane(game), game.goal):
            numbers[cell_of(game, c, r)] = str(r) if c == first else SIGNS[c].lower()
    for cell, number in numbers.items():
        out[cell] = _square(_stack(on[cell]) if cell in on else number, special.get(cell))
    for c in playing(game):
        home = pieces(state, c).count(game.goal)
        out[cell_of(game, c, game.goal)] = f"[{SIGNS[c]}{home}]" if home else "[ ] "
    return out


def _stack(stack: dict[int, int]) -> str:
    """The pieces on one square: R, R2, RG; where there is no room for numbers, the colours alone."""
    words = "".join(SIGNS[c] + (str(n) if n > 1 else "") for c, n in stack.items())
    return words if len(words) <= (2 if len(stack) == 1 else _WIDE) else "".join(SIGNS[c] for c in stack)


def _square(words: str, mark: str | None) -> str:
    if len(words) > 2:
        return f"{words:>{_WIDE}}"
    if mark == "safe":
        return f"({words})".ljust(_WIDE)
    return f" {words}{'*' * (mark == 'star')}".ljust(_WIDE)


def _paints(game: LudoRules) -> dict[Cell, str]:
    out = dict.fromkeys(TRACK, _PAINT["plain"])
    out |= {cell: _PAINT[mark] for cell, mark in marks(game).items()}
    for c in playing(game):
        out[cell_of(game, c, 1)] = _LANE_PAINT[c]
        out |= {cell_of(game, c, r): _LANE_PAINT[c] for r in range(lane(game), game.goal)}
        out[cell_of(game, c, game.goal)] = _YARD_PAINT[c]
    return out


def _painted(words: str, style: str) -> str:
    """A cell in its colours, each piece in those of its own."""
    out = f"\x1b[{style}m"
    owner = None
    for sign in words:
        owner = SIGNS.index(sign) if sign in SIGNS else owner if sign.isdecimal() else None
        out += sign if owner is None else f"\x1b[{_PIECE_PAINT[owner]}m{sign}\x1b[0;{style}m"
    return out + "\x1b[0m"
