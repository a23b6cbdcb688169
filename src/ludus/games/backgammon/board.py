"""How a backgammon board looks as text in the terminal, and in words; `picture.py` draws it.

The text shows it as seat 0 (X, light) sits at it: at the bottom, its checkers going round to point 1 at the bottom right.
Points are numbered as the seat to move counts them, so that a move can be read off the board; at the end as the winner does, who
moved last, or as a seat that is named. Nothing here knows rules beyond how a state is laid out. A die that is used already, while a
turn is being made, is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.games.backgammon.rules import BAR, CHECKERS, DIE1, DIE2, OFF, SIDE, TURN, win_size

NAMES = ("X", "O")
WINS = ("", "a single game", "a gammon", "a backgammon")

# The points of both rows from left to right, as seat 0 counts them.
TOP = (13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24)
BOTTOM = (12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
WIDE = 72  # columns of the board with what stands beside it
HEIGHT = 5  # a taller stack shows its height as a number


class Beside(NamedTuple):
    """What is to be seen beside the checkers where there is a cube."""

    status: str
    cube: int  # what it shows
    owner: int  # -1: it is in the middle
    points: tuple[str, str]  # of each seat, as in "3 of 7"; empty where there is no match
    crawford: bool  # the Crawford game: the cube lies aside
    rolls: bool = False  # somebody decides whether to roll


# --- what there is to show -------------------------------------------------------------------------------------------


def pips(state: np.ndarray, seat: int) -> int:
    """How many steps a seat's checkers still have to go."""
    return int(sum(point * int(state[SIDE * seat + point]) for point in range(1, BAR + 1)))


def winner(state: np.ndarray) -> int | None:
    """The seat that has borne off all its checkers."""
    return next((seat for seat in (0, 1) if state[SIDE * seat + OFF] == CHECKERS), None)


def status(state: np.ndarray) -> str:
    """Whose turn it is, with the dice; or who has won what."""
    won = winner(state)
    if won is not None:
        return f"{NAMES[won]} wins {WINS[win_size(state, won)]}"
    if state[TURN] < 0:
        return "Opening roll"
    name = NAMES[state[TURN]]
    return f"{name} to move: {abs(state[DIE1])}-{abs(state[DIE2])}" if state[DIE1] else f"{name} to roll"


def stack_on(state: np.ndarray, point: int) -> tuple[int, int]:
    """Who stands on a point, as seat 0 counts it, with how many checkers."""
    own, other = int(state[point]), int(state[SIDE + 25 - point])
    return (1, other) if other else (0, own)


def number_of(state: np.ndarray, point: int, seat: int | None = None) -> int:
    """The number of a point for a seat, or for the one that moves, or moved last."""
    if seat is None:
        won = winner(state)
        seat = int(state[TURN]) if won is None else won
    return 25 - point if seat == 1 else point


def cube_text(beside: Beside) -> str:
    """The cube in words, or that it is not in use."""
    if beside.crawford:
        return "Crawford game"
    return f"cube {beside.cube}" + (f", {NAMES[beside.owner]}'s" if beside.owner >= 0 else "")


def describe(state: np.ndarray, beside: Beside | None = None) -> str:
    """The position in words, for those who can't see the picture; points as the seat to move counts them."""
    sides = []
    for seat in (0, 1):
        stacks = [
            f"{state[SIDE * seat + p]} on {number_of(state, p if seat == 0 else 25 - p)}"
            for p in range(24, 0, -1)
            if state[SIDE * seat + p]
        ]
        places = ((BAR, "on the bar"), (OFF, "off"))
        stacks += [f"{state[SIDE * seat + at]} {where}" for at, where in places if state[SIDE * seat + at]]
        sides.append(f"{NAMES[seat]} has {', '.join(stacks)}; {pips(state, seat)} pips to go.")
    if beside is None:
        return f"{status(state)}. {' '.join(sides)}"
    score = "".join(f" {name}: {points}." for name, points in zip(NAMES, beside.points, strict=True) if points)
    return f"{beside.status}. {cube_text(beside)[:1].upper()}{cube_text(beside)[1:]}.{score} {' '.join(sides)}"


# --- text ------------------------------------------------------------------------------------------------------------

# Foreground and background are always set together, from the 256 colours: so the board looks the same on dark and on
# light terminals.
_PAINT = {
    "frame": "38;5;223;48;5;94",
    "dark": "38;5;230;48;5;22",
    "light": "38;5;230;48;5;65",
    "bar": "38;5;223;48;5;58",
    0: "1;38;5;16;48;5;230",
    1: "1;38;5;230;48;5;88",
}


def text(
    state: np.ndarray, color: bool = False, counts: int | None = None, width: int = WIDE, beside: Beside | None = None
) -> str:
    """The board as lines of text, with the colours of an ANSI terminal where wanted, and points as a seat counts them, if one is named.
    If there is less room than it needs, it has points of two columns, and what stands beside it stands below.

    >>> import ludus
    >>> print(text(ludus.game("backgammon").start().play(31).state))
    +13-14-15-16-17-18-+---+19-20-21-22-23-24-+
    | X           O    |   | O              X |   O   pips 167   off 0
    | X           O    |   | O              X |
    | X           O    |   | O                |
    | X                |   | O                |
    | X                |   | O                |
    |                  |BAR|                  |   X to move: 3-1
    | O                |   | X                |
    | O                |   | X                |
    | O           X    |   | X                |
    | O           X    |   | X              O |
    | O           X    |   | X              O |   X   pips 167   off 0
    +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+
    """
    corner, side, dash = (" ", " ", " ") if color else ("+", "|", "-")
    narrow = width < WIDE
    wide = 2 if narrow else 3  # columns of a point

    def paint(part: str, style: str | int) -> str:
        return f"\x1b[{_PAINT[style]}m{part}\x1b[0m" if color else part

    def edge(points: Sequence[int]) -> str:
        if narrow:  # there is room for every other number
            numbers = [f"{number_of(state, p, counts):{dash}<4}" * (i % 2 == 0) for i, p in enumerate(points)]
        else:
            numbers = [f"{number_of(state, p, counts):{dash}>2}{dash}" for p in points]
        parts = ("", "".join(numbers[:6]), wide * dash, "".join(numbers[6:]), "")
        return paint(corner.join(parts), "frame")

    def cell(seat: int, count: int, row: int, empty: str) -> str:
        if count <= row:
            return paint(wide * " ", empty)
        sign = str(count) if row == HEIGHT - 1 and count > HEIGHT else NAMES[seat]
        return paint(f"{sign:<2}" if narrow else f"{sign:^3}", seat)

    def line(points: Sequence[int], row: int, seat: int) -> str:
        cells = [cell(*stack_on(state, p), row, ("dark", "light")[i % 2]) for i, p in enumerate(points)]
        bar = cell(seat, int(state[SIDE * seat + BAR]), row, "bar")
        return paint(side, "frame").join(("", "".join(cells[:6]), bar, "".join(cells[6:]), ""))

    def note(seat: int) -> str:
        return (
            f"{paint(f'{NAMES[seat]:^{3 * color}}', seat)}   pips {pips(state, seat)}   off {state[SIDE * seat + OFF]}"
        )

    top = [line(TOP, row, 1) for row in range(HEIGHT)]
    bottom = [line(BOTTOM, row, 0) for row in reversed(range(HEIGHT))]
    half = paint(6 * wide * " ", "dark")
    middle = paint(side, "frame").join(("", half, paint("BAR" if not narrow else "  ", "bar"), half, ""))
    said = beside.status if beside else status(state)
    below = [note(1), note(0), said] if narrow else []
    if not narrow:
        top[0] += "   " + note(1)
        middle += "   " + said
        bottom[-1] += "   " + note(0)
    if beside:
        cube, (x, o) = cube_text(beside), (f"points {points}" * bool(points) for points in beside.points)
        if narrow:
            below += [", ".join(filter(None, (cube, f"O {o}" * bool(o), f"X {x}" * bool(x))))]
        else:
            row = {-1: bottom, 0: bottom, 1: top}[beside.owner]
            row[{-1: 0, 0: -3, 1: 2}[beside.owner]] += "   " + cube
            top[1], bottom[-2] = (f"{edge}   {points}".rstrip() for edge, points in ((top[1], o), (bottom[-2], x)))
    return "\n".join([edge(TOP), *top, middle, *bottom, edge(BOTTOM), *below])
