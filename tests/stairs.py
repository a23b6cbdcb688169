"""A toy game to be learned: four seats, small enough to be solved exactly, and with an encoding that is a table in disguise.

Four climb their stairs. A die tells what to do: climb a step, climb and roll again, push the next
one down a step, or choose. As the die decides half of the moves, learners see all positions, whatever they think of them.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER, Facts, chances, moves, play, scores, start, turn
from ludus.contract.views import features, from_view, outcome, to_view, worth
from ludus.errors import LudusError
from ludus.kernel import implements

FREE, CLIMB, PUSH, AGAIN = 1, 2, 3, 4  # what the die may show
FACES = ("", "free", "climb", "push", "again")
ODDS = (0.5, 0.125, 0.25, 0.125)


class Stairs(NamedTuple):
    """Whoever first gets to the top wins.

    # steps climbed 4, seat to move 1, die 1 (0: still to be rolled)
    A move is 0 to climb, or 1 to push the next seat down.
    """

    top: int = 3

    @property
    def facts(self) -> Facts:
        return Facts("stairs", 1, 4, 6, 2, 4, 0, (0.0, 1.0))

    def start(self) -> Position:
        return Position.start(self)

    def position(self, text: str) -> Position:
        return Position.read(self, text)

    def encodings(self) -> dict[str, Any]:
        return {"table": Table()}

    def move_text(self, state: np.ndarray, move: int) -> str:
        if state[5] == 0:
            return FACES[move]
        return "push" if move else "climb"

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        position = Position(self, state)
        known = [m for m, _ in position.chances()] or position.moves()
        for move in known:
            if str(move) == text:
                return int(move)
        raise LudusError(f"'{text}' is not possible here; possible are: {', '.join(map(str, known))}")

    def state_text(self, state: np.ndarray) -> str:
        return f"{'-'.join(map(str, state[:4]))} seat {state[4]} {FACES[state[5]]}".rstrip()

    def read_state(self, text: str) -> np.ndarray:
        match = re.fullmatch(r"(\d)-(\d)-(\d)-(\d) seat ([0-3])(?: (free|climb|push|again))?", text)
        if match is None or max(int(n) for n in match.groups()[:4]) > self.top:
            raise LudusError(f"'{text}' is no position of stairs; one looks like {self.start().text}")
        *numbers, face = match.groups(default="")
        return np.array([*map(int, numbers), FACES.index(face)], np.int64)

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        return "\n".join(f"{seat} {'_' * int(n)}" for seat, n in enumerate(state[:4]))

    def board_svg(self, state: np.ndarray) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg"><text y="20">{self.state_text(state)}</text></svg>'


@implements(start, Stairs)
def _(game: Any, state: Any) -> None:
    state[:] = 0


@implements(turn, Stairs)
def _(game: Any, state: Any) -> int:
    for seat in range(4):
        if state[seat] == game.top:
            return OVER
    return CHANCE if state[5] == 0 else state[4]


@implements(chances, Stairs)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    for i in range(4):
        outcomes[i] = i + 1
        probabilities[i] = ODDS[i]
    return 4


@implements(moves, Stairs)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    count = 0
    for move in range(2):
        if state[5] == FREE or (move == 1) == (state[5] == PUSH):
            out[count] = move
            count += 1
    return count


@implements(play, Stairs)
def _(game: Any, state: Any, move: int) -> None:
    if state[5] == 0:
        state[5] = move
        return
    other = (state[4] + move) % 4
    if move == 0:
        state[other] += 1
    elif state[other] > 0:
        state[other] -= 1
    if state[5] != AGAIN:
        state[4] = (state[4] + 1) % 4
    state[5] = 0


@implements(scores, Stairs)
def _(game: Any, state: Any, out: Any) -> None:
    for seat in range(4):
        out[seat] = 1.0 if state[seat] == game.top else 0.0


# --- the encoding ----------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """One input for each position, in the view of the seat about to roll. Four outputs: who wins, counted from that seat."""

    outputs: int = 4

    def shape(self, game: Stairs) -> tuple[int, int, int]:
        return 1, game.top**4, self.outputs


@implements(features, Table)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    at = 0
    for i in range(4):
        at = game.top * at + state[(state[4] + i) % 4]
    index[0] = at
    value[0] = 1
    return 1


@implements(outcome, Table)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    scores(game, state, out)


@implements(worth, Table)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    for seat in range(4):
        out[seat] = prediction[seat]


@implements(to_view, Table)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    common = np.copy(vector)
    for i in range(4):
        vector[i] = common[(state[4] + i) % 4]


@implements(from_view, Table)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    seen = np.copy(vector)
    for i in range(4):
        vector[(state[4] + i) % 4] = seen[i]


# --- the solution ----------------------------------------------------------------------------------------------------

Places = tuple[int, ...]  # of all four, from the seat about to roll on


def after(places: Places, move: int) -> Places:
    """Where all stand after a move, counted from the seat that made it."""
    out = list(places)
    out[move] = out[move] + 1 if move == 0 else max(out[move] - 1, 0)
    return tuple(out)


def options(game: Stairs, values: dict[Places, np.ndarray], places: Places, face: int) -> dict[int, np.ndarray]:
    """The legal moves, each with how likely it makes everybody's win, counted from the mover."""
    found = {}
    for move in {FREE: (0, 1), CLIMB: (0,), PUSH: (1,), AGAIN: (0,)}[face]:
        there = after(places, move)
        if there[0] == game.top:
            found[move] = np.array([1.0, 0, 0, 0])
        elif face == AGAIN:
            found[move] = values[there]
        else:  # the next seat rolls, and counts from itself
            found[move] = np.roll(values[there[1:] + there[:1]], 1)
    return found


def solve(game: Stairs) -> dict[Places, np.ndarray]:
    """How likely each wins if all play well, for each position before a roll: by value iteration."""
    values = {places: np.full(4, 0.25) for places in np.ndindex(*(game.top,) * 4)}
    change = 1.0
    while change > 1e-9:
        change = 0.0
        for places in values:
            best = [max(options(game, values, places, face).values(), key=lambda v: v[0]) for face in (1, 2, 3, 4)]
            fresh = np.array(ODDS) @ best
            change = max(change, float(np.abs(fresh - values[places]).max()))
            values[places] = fresh
    return values
