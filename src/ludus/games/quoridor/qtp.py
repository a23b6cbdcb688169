"""Moves in the words of the Quoridor Text Protocol, both ways.

There, squares are A1 to I9, and a wall is named by the square above and to the left of its middle. Black begins, at the top. So our first seat is
black, with the board upside down: then a row of theirs is a row of ours counted from the other side, for pawns and for walls.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ludus.errors import LudusError, brief
from ludus.games.quoridor.bitboard import TURN
from ludus.games.quoridor.notation import move_text, read_move

COLOURS = ("black", "white")  # of our seats
_WAYS = {"h": "horizontal", "v": "vertical"}


def place_text(game: Any, name: str) -> str:
    """A square or a wall of ours, as the protocol has it.

    >>> import ludus
    >>> place_text(ludus.game("quoridor"), "e2"), place_text(ludus.game("quoridor"), "e3h")
    ('E8', 'E7 horizontal')
    """
    way = f" {_WAYS[name[2]]}" if name[2:] else ""
    return f"{name[0].upper()}{game.size + 1 - int(name[1])}{way}"


def move_words(game: Any, state: np.ndarray, move: int) -> str:
    """A move as a square, or as a square and the way of a wall.

    >>> import ludus
    >>> game = ludus.game("quoridor")
    >>> [move_words(game, game.start().state, move) for move in (128, 20, 84)]
    ['E8', 'E7 horizontal', 'E7 vertical']
    """
    return place_text(game, move_text(game, state, move))


def command_text(game: Any, state: np.ndarray, move: int) -> str:
    """The command that plays a move of the seat whose turn it is.

    >>> import ludus
    >>> game = ludus.game("quoridor")
    >>> command_text(game, game.start().state, 128), command_text(game, game.start().state, 20)
    ('playmove black E8', 'playwall black E7 horizontal')
    """
    words = move_words(game, state, move)
    return f"{'playwall' if ' ' in words else 'playmove'} {COLOURS[int(state[TURN])]} {words}"


def read_words(game: Any, state: np.ndarray, words: str) -> int:
    """The legal move that such words stand for; LudusError says what is wrong with them.

    >>> import ludus
    >>> game = ludus.game("quoridor")
    >>> [read_words(game, game.start().state, words) for words in ("E8", "e7 h", "E7 VERTICAL")]
    [128, 20, 84]
    """
    found = re.fullmatch(r"([a-z])([1-9][0-9]?)(?:\s+(h|v|horizontal|vertical))?", words.strip().lower())
    if not found:
        raise LudusError(f"'{brief(words)}' is no move; one is a square, as E8, or a wall, as E7 horizontal")
    column, row = ord(found[1]) - ord("a"), int(found[2])
    if not (column < game.columns and row <= game.size):
        raise LudusError(f"'{brief(words)}' is off a board of {game.size} × {game.columns}")
    text = f"{found[1]}{game.size + 1 - row}{(found[3] or '')[:1]}"
    try:
        return read_move(game, state, text, "official")
    except LudusError as error:
        raise LudusError(f"'{brief(words)}' is not legal; in our notation, {error}") from None
