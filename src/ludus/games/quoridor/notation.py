"""Quoridor in text, both ways: moves, and positions on one line. Whatever is read is legal, or refused with the rule against it.

Three ways to write moves are known, as *styles*. The `official` one names the square to which the pawn goes (`e2`) and, for a
wall, the square next to its middle that is nearest to a1 (`e3h`, `e3v`). The `thesis` (`quoridor2016`) writes a pawn's way (`u`,
`rr`, `dl`; up is towards row 9) and a wall's number (`h3`, `v24`). `glendenning` looks as the official one, but counts rows from
the far side, so that the first seat starts on e9, and names a wall by the square above and to the left of its middle.
Games as files live in `record.py`, reasons in `objections.py`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ludus.contract.rules import OVER, start
from ludus.errors import LudusError
from ludus.games.quoridor.bitboard import (
    BIT,
    DIRECTIONS,
    HORIZONTAL,
    PASS,
    PAWN,
    PLY,
    STEP,
    TURN,
    VERTICAL,
    WIDTH,
    shut,
)
from ludus.games.quoridor.naming import COLUMNS, is_anchor, seat_names, square_text, wall_text, walls_on
from ludus.games.quoridor.objections import OFFSETS, WAYS, clash, cut_off, objection, reach
from ludus.games.quoridor.rules import is_home

STYLES = ("official", "thesis", "glendenning")
_TURNED = {name[::-1]: name for name in DIRECTIONS}  # `ru` is as good as `ur`


def wrong(text: str, reason: str) -> LudusError:
    """An error that quotes what was written."""
    return LudusError(f"{text if len(text) <= 80 else text[:79] + '…'!r}: {reason}")


# --- moves -----------------------------------------------------------------------------------------------------------


def check_style(style: str) -> None:
    """Refuse a style that there is not."""
    if style not in STYLES:
        raise LudusError(f"there is no style {style!r} of writing moves; there are {', '.join(STYLES)}")


def move_text(game: Any, state: np.ndarray, move: int, style: str = "official") -> str:
    """A move as people write it.

    >>> import ludus
    >>> game = ludus.game("quoridor")
    >>> [move_text(game, game.start().state, 20, style) for style in STYLES]
    ['e3h', 'h20', 'e6h']
    >>> [move_text(game, game.start().state, STEP, style) for style in STYLES]
    ['e2', 'u', 'e8']
    """
    check_style(style)
    move = int(move)
    if move == PASS:
        return "pass"
    if style == "thesis":
        return DIRECTIONS[move - STEP] if move >= STEP else f"{'hv'[move >> 6]}{move & 63}"
    if move < STEP:
        name = wall_text(move)
        return name if style == "official" else f"{name[0]}{game.size - int(name[1])}{name[2]}"
    name = square_text(int(state[PAWN + int(state[TURN])]) + OFFSETS[move - STEP])
    return name if style == "official" else f"{name[0]}{game.size + 1 - int(name[1])}"


def read_move(game: Any, state: np.ndarray, text: str, style: str | None = None) -> int:
    """The legal move that a text stands for; LudusError names the rule against it.

    Without a style the official one and the thesis's are both understood. They collide in `h1` to `h9`: that is the square where
    the pawn can go there, and otherwise the wall of that number (`h03` is always the wall). A style's first letter and a colon ask
    for that one: `g:e6h`, `t:h3`.

    >>> import ludus
    >>> game = ludus.game("quoridor")
    >>> [read_move(game, game.start().state, text) for text in ("e2", "u", "e3h", "h20", "g:e6h", "h3")]
    [128, 128, 20, 20, 20, 3]
    >>> read_move(game, game.start().state, "e4")
    Traceback (most recent call last):
    ludus.errors.LudusError: 'e4': that is too far; the pawn on e1 can go to e2, f1, d1
    """
    if style is not None:
        check_style(style)
    state = np.array(state, np.int64)
    if state[TURN] == OVER:
        raise wrong(text, "the game is over")
    word = "".join(text.lower().split())
    if style is None and word[1:2] == ":" and (asked := [known for known in STYLES if known[0] == word[0]]):
        style, word = asked[0], word[2:]
    reasons = []
    for reading in (style,) if style else ("official", "thesis"):
        move = _code(game, state, word, reading)
        reason = move if isinstance(move, str) else objection(game, state, move)
        if not isinstance(move, str) and not reason:
            return move
        if reason:
            reasons.append(reason)
    if not reasons:
        raise wrong(text, f"it is no move; {_forms(style)}")
    raise wrong(text, "; and as the thesis's wall, ".join(dict.fromkeys(reasons)))


def _forms(style: str | None) -> str:
    """What moves look like."""
    if style == "thesis":
        return f"a move is the pawn's way ({', '.join(DIRECTIONS)}) or a wall's number, as h3 or v24"
    wall = f"a wall, as e3h ({'below' if style == 'glendenning' else 'above'} e3) or e3v (to its right)"
    if style is not None:
        return f"a move is the pawn's square, as e2, or {wall}"
    return f"a move is the pawn's square, as e2, or way, as u or ur; or {wall}, or its number, as h20"


def _code(game: Any, state: np.ndarray, word: str, style: str) -> int | str:
    """The code of a move, legal or not; or why there is none: a reason, or nothing where the text is not of this style."""
    if word == "pass":
        return PASS
    if style == "thesis":
        word = _TURNED.get(word, word)
        if word in DIRECTIONS:
            return STEP + DIRECTIONS.index(word)
        found = re.fullmatch("([hv])([0-9]{1,3})", word)
        if not found:
            return ""
        anchor = int(found[2])
        if not is_anchor(game, anchor):
            return f"there is no wall {anchor}; walls are numbered {_numbers(game)}"
        return anchor + 64 * (found[1] == "v")
    found = re.fullmatch("([a-uw-z])([1-9][0-9]?|0)([hv]?)", word)
    if not found or (found[1] == "h" and len(found[2]) > 1 and not found[3]):  # the latter is a wall of the thesis's
        return ""
    column, row = ord(found[1]) - ord("a"), int(found[2]) - 1
    if not (0 <= column < game.columns and 0 <= row < game.size):
        return f"{found[1]}{found[2]} is off the board; its squares are a1 to {_last_square(game)}"
    if style == "glendenning":
        row = game.size - 1 - row - bool(found[3])
    if found[3]:
        if not (0 <= row < game.size - 1 and column < game.columns - 1):
            corner = "above" if style == "glendenning" else "below"
            return f"that wall would stick out of the board; walls are named by the square {corner} and to the left of their middle, a1 to {_last_corner(game)}"
        return 8 * row + column + 64 * (found[3] == "v")
    at = int(state[PAWN + int(state[TURN])])
    way = row - at // WIDTH, column - at % WIDTH
    if way not in WAYS:
        return f"that is {'where the pawn is' if way == (0, 0) else 'too far'}; {reach(game, state)}"
    return STEP + WAYS.index(way)


def _last_square(game: Any) -> str:
    return f"{COLUMNS[game.columns - 1]}{game.size}"


def _last_corner(game: Any) -> str:
    """The name of the last wall, without its direction."""
    return f"{COLUMNS[game.columns - 2]}{game.size - 1}"


def _numbers(game: Any) -> str:
    """What the thesis's numbers of walls are on this board."""
    rows, columns = game.size - 2, game.columns - 2
    if rows == columns:
        return "0 to 63" if rows == 7 else f"8 × row + column, each from 0 to {rows}"
    return f"8 × row + column, rows from 0 to {rows} and columns from 0 to {columns}"


# --- positions -------------------------------------------------------------------------------------------------------


def state_text(game: Any, state: np.ndarray) -> str:
    """A position on one line: pawns, stocks and walls, whose turn it is, and how many plies were played.

    >>> import ludus
    >>> state_text(ludus.game("quoridor"), ludus.game("quoridor").start().play("e3h").state)
    'e1 e9 / 9 10 / e3h / green 1'
    """
    pawns = [square_text(int(square)) for square in state[PAWN : PAWN + game.seats]]
    stocks = [str(count) for count in state[PAWN + game.seats : PAWN + 2 * game.seats]]
    walls = [wall_text(wall) for wall in walls_on(state)] or ["-"]
    whose = "over" if state[TURN] == OVER else seat_names(game)[int(state[TURN])]
    return " / ".join(map(" ".join, (pawns, stocks, walls, [whose, str(int(state[PLY]))])))


def read_state(game: Any, text: str) -> np.ndarray:
    """The state that a line stands for; LudusError names what can't be. The plies may be left out where they are none.

    >>> import ludus
    >>> read_state(ludus.game("quoridor"), "e4 e5 / 9 10 / e4h e4v / yellow")
    Traceback (most recent call last):
    ludus.errors.LudusError: 'e4 e5 / 9 10 / e4h e4v / yellow': the wall e4v can't be: it would cross e4h
    """
    fields = [field.split() for field in text.lower().split("/")]
    if len(fields) != 4:
        raise wrong(text, "a position is pawns / stocks / walls / turn and plies, as e1 e9 / 10 10 / - / yellow 0")
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    _read_pawns(game, state, text, fields[0])
    _read_walls(game, state, text, fields[2])
    _read_stocks(game, state, text, fields[1])
    _read_turn(game, state, text, fields[3])
    return state


def _read_pawns(game: Any, state: np.ndarray, text: str, words: list[str]) -> None:
    names = seat_names(game)
    if len(words) != game.seats:
        raise wrong(text, f"there are {len(words)} pawns; there must be {game.seats}: {', '.join(names)}")
    for seat, word in enumerate(words):
        last = _last_square(game)
        if not re.fullmatch(f"[a-{last[0]}][1-{last[1]}]", word):
            raise wrong(text, f"{names[seat]}'s pawn can't be on {word!r}; squares are a1 to {last}")
        square = WIDTH * (int(word[1]) - 1) + COLUMNS.index(word[0])
        if square in state[PAWN : PAWN + seat]:
            other = names[state[PAWN : PAWN + seat].tolist().index(square)]
            raise wrong(text, f"two pawns can't be on one square: {other}'s and {names[seat]}'s are on {word}")
        state[PAWN + seat] = square
    home = [names[seat] for seat in range(game.seats) if is_home(game, state, seat)]
    if len(home) > 1:
        raise wrong(text, f"{' and '.join(home)} are at their goals, but the first who gets there ends the game")


def _read_walls(game: Any, state: np.ndarray, text: str, words: list[str]) -> None:
    for word in [] if words == ["-"] else words:
        found = re.fullmatch("([a-h])([1-8])([hv])", word)
        anchor = 8 * (int(found[2]) - 1) + COLUMNS.index(found[1]) if found else -1
        if not found or not is_anchor(game, anchor):
            last = _last_corner(game)
            raise wrong(text, f"there is no wall {word!r}; walls are a1h to {last}h and a1v to {last}v, and - is none")
        wall = anchor + 64 * (found[3] == "v")
        if reason := clash(state, wall):
            raise wrong(text, f"the wall {word} can't be: {reason}")
        state[VERTICAL if wall & 64 else HORIZONTAL] |= BIT[anchor]
        shut(state, wall)
    if lost := cut_off(game, state):
        raise wrong(text, f"the walls can't be so: they cut {' and '.join(lost)}")


def _read_stocks(game: Any, state: np.ndarray, text: str, words: list[str]) -> None:
    names = seat_names(game)
    if len(words) != game.seats:
        raise wrong(text, f"there are {len(words)} stocks of walls; there must be {game.seats}: {', '.join(names)}")
    for seat, word in enumerate(words):
        if not re.fullmatch("[0-9]{1,2}", word) or int(word) > game.walls:
            raise wrong(text, f"{names[seat]} can't have {word} walls left; a seat has 0 to {game.walls}")
        state[PAWN + game.seats + seat] = int(word)
    built, left = len(walls_on(state)), sum(map(int, words))
    if built + left > game.seats * game.walls:
        raise wrong(
            text,
            f"too many walls: {built} on the board and {left} in stock, but there are {game.seats} × {game.walls}",
        )


def _read_turn(game: Any, state: np.ndarray, text: str, words: list[str]) -> None:
    names = seat_names(game)
    if not 1 <= len(words) <= 2 or words[0] not in (*names, "over"):
        raise wrong(text, f"the last part must be {', '.join(names)} or over, and the number of plies, as yellow 0")
    if len(words) == 2 and not re.fullmatch("[0-9]{1,9}", words[1]):
        raise wrong(text, f"{words[1]!r} can't be the number of plies")
    state[PLY] = int(words[1]) if len(words) == 2 else 0
    if state[PLY] > game.limit:
        raise wrong(text, f"{words[1]} plies are too many: a game is a draw after {game.limit}")
    home = [names[seat] for seat in range(game.seats) if is_home(game, state, seat)]
    if words[0] == "over":
        if not home and state[PLY] < game.limit:
            raise wrong(text, f"the game can't be over: no pawn is at its goal, and {game.limit} plies are not played")
        state[TURN] = OVER
        return
    if home:
        raise wrong(text, f"{home[0]} is at its goal, so that the game is over and {words[0]} can't be to move")
    if state[PLY] == game.limit:
        raise wrong(text, f"after {game.limit} plies the game is over, a draw, and {words[0]} can't be to move")
    state[TURN] = names.index(words[0])


# --- what a game offers ----------------------------------------------------------------------------------------------


class Notation:
    """Moves and positions of a game in text, both ways."""

    __slots__ = ()

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called."""
        return seat_names(self)

    @property
    def move_forms(self) -> str:
        """How moves may be written, for people who ask."""
        return (
            "e2 for the pawn, or u, r, d, l, uu, ur … as it goes; e3h or e3v for a wall, above or to the right of e3, or by "
            "number, h20, v20; g:e6h in Glendenning's notation"
        )

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move in official notation."""
        return move_text(self, state, move)

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move that a text stands for."""
        return read_move(self, state, text)

    def state_text(self, state: np.ndarray) -> str:
        """The whole state on one line."""
        return state_text(self, state)

    def read_state(self, text: str) -> np.ndarray:
        """The state that such a line stands for."""
        return read_state(self, text)
