"""How a move is made with a finger: which places of a board can be touched, and what comes of it.

A page shows the drawing of a game, in which places have names (`data-place`), and asks here what may be touched. It knows no rules. A game says
it by two methods, `turn_of` and `places_of`; the functions of the same names below ask any game, also one that has no such methods.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ludus.contract.rules import State
from ludus.errors import LudusError, brief

SHOWN = 8  # touches that an error lists


class Touch(NamedTuple):
    """Something that may be touched."""

    source: str | None  # the place of the piece that is taken up; None where a place is just touched
    target: str  # the place that it goes to, or that is touched
    text: str  # how this touch is written among those of a turn
    move: str | None  # the whole move in the game's notation, if the turn is complete with this touch
    name: str  # as one says it
    confirm: bool = False  # better asked again where fingers are thick
    button: str = ""  # what a button says by which it is made as well; the target then need be no place of the board
    key: str = ""  # on the keyboard, for the button


class Turn(NamedTuple):
    """A turn that is being made."""

    state: State  # as the board looks after the touches so far
    touches: tuple[Touch, ...]  # what may be touched now
    move: str | None  # the whole move that the touches so far make, if they make one


def turn_of(game: Any, state: State, seat: int, touched: Sequence[str] = ()) -> Turn:
    """A seat's turn after some touches; nothing can be touched where it is not that seat's turn, or where the game does not say what.

    >>> import ludus
    >>> position = ludus.game("backgammon").start().play("31")
    >>> turn = turn_of(position.game, position.state, 0, ["8/5"])
    >>> [(touch.text, touch.move) for touch in turn.touches if touch.source == "p6"]
    [('6/5', '8/5 6/5')]
    """
    if hasattr(game, "turn_of"):
        turn: Turn = game.turn_of(state, seat, touched)
        return turn
    return one_touch(state, (), touched, lambda move: state)


def places_of(game: Any, state: State, move: int) -> list[str]:
    """The places that a move in this state concerns, to mark them; none for an outcome of chance, or where the game does not say it.

    >>> import ludus
    >>> position = ludus.game("backgammon").start().play("31")
    >>> places_of(position.game, position.state, position.game.read_move(position.state, "8/5 6/5"))
    ['p8', 'p6', 'p5']
    """
    return list(game.places_of(state, move)) if hasattr(game, "places_of") else []


def board_of(game: Any, state: State, seat: int | None = None) -> str:
    """The drawing of a state with a seat at the bottom, if the game's drawing can be turned."""
    if seat is None or "seat" not in inspect.signature(game.board_svg).parameters:
        return str(game.board_svg(state))
    return str(game.board_svg(state, seat))


def choose(touches: Sequence[Touch], text: str) -> Touch:
    """The touch that a text stands for; LudusError says what is possible.

    >>> choose((Touch("p8", "p5", "8/5", None, "8 to 5"),), "8/4")
    Traceback (most recent call last):
    ludus.errors.LudusError: '8/4' can't be touched now; possible are: 8/5
    """
    for touch in touches:
        if touch.text == text:
            return touch
    if not touches:
        raise LudusError(f"{brief(text)!r} can't be touched: there is nothing to touch now")
    some = ", ".join(touch.text for touch in touches[:SHOWN]) + ", …" * (len(touches) > SHOWN)
    raise LudusError(f"{brief(text)!r} can't be touched now; possible are: {some}")


def one_touch(state: State, touches: Sequence[Touch], touched: Sequence[str], after: Callable[[str], State]) -> Turn:
    """A turn of a game in which one touch makes a move; `after` is the state after a move."""
    if not touched:
        return Turn(state, tuple(touches), None)
    move = choose(touches, touched[0]).move
    for text in touched[1:]:
        choose((), text)
    return Turn(state if move is None else after(move), (), move)
