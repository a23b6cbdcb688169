"""Three tiny games that show what the contract of games allows beyond backgammon, and small players for them.

`Nim` has no chance, `Race` has four seats, a die, and a six that gives the same seat another turn, and in `Pennies` both
seats move at once. Each is complete: rules as kernels, and texts both ways.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER, Facts
from ludus.errors import LudusError
from ludus.kernel import implements
from ludus.players.base import choose


def _svg(text: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><text y="20">{text}</text></svg>'


def _numbers(game: Any, text: str, pattern: str) -> np.ndarray:
    match = re.fullmatch(pattern, text)
    if match is None:
        raise LudusError(f"'{text}' is no position of {game.facts.name}; one looks like {game.start().text}")
    return np.array([int(n) for n in match.groups()], np.int64)


def _legal(game: Any, state: np.ndarray, text: str, seat: int | None = None) -> int:
    """The move or outcome that is written so, whichever seat may make it, or one seat in particular."""
    position = Position(game, state)
    seats = [position.turn if seat is None else seat]
    if position.kind == "joint" and seat is None:
        seats = list(range(game.facts.seats))
    known = [m for m, _ in position.chances()] or [m for seat in seats for m in position.moves(seat)]
    for move in known:
        if move.text == text:
            return int(move)
    raise LudusError(f"'{text}' is not possible here; possible are: {', '.join(map(str, known))}")


def _no_encodings(game: Any) -> dict[str, Any]:
    return {}


# --- Nim -------------------------------------------------------------------------------------------------------------


class Nim(NamedTuple):
    """Take as many as you like from one heap; whoever takes the last one wins.

    # heaps n, seat to move 1
    A move is 16 × heap + how many, written as in B3: three from the second heap.
    """

    heaps: tuple[int, ...] = (3, 4, 5)

    @property
    def facts(self) -> Facts:
        return Facts("nim", 1, 2, len(self.heaps) + 1, sum(self.heaps), 0, sum(self.heaps), (-1.0, 1.0))

    def start(self) -> Position:
        return Position.start(self)

    def position(self, text: str) -> Position:
        return Position.read(self, text)

    def move_text(self, state: np.ndarray, move: int) -> str:
        return f"{chr(ord('A') + move // 16)}{move % 16}"

    def state_text(self, state: np.ndarray) -> str:
        return f"{'-'.join(map(str, state[:-1]))} seat {state[-1]}"

    def read_state(self, text: str) -> np.ndarray:
        return _numbers(self, text, "-".join(r"(\d+)" for _ in self.heaps) + r" seat ([01])")

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        return "\n".join(f"{chr(ord('A') + h)} {'|' * int(n)}" for h, n in enumerate(state[:-1]))

    def board_svg(self, state: np.ndarray) -> str:
        return _svg(self.state_text(state))

    read_move = _legal
    encodings = _no_encodings


@implements(rules.start, Nim)
def _(game: Any, state: Any) -> None:
    for heap in range(len(game.heaps)):
        state[heap] = game.heaps[heap]
    state[len(game.heaps)] = 0


@implements(rules.turn, Nim)
def _(game: Any, state: Any) -> int:
    for heap in range(len(game.heaps)):
        if state[heap] > 0:
            return state[len(game.heaps)]
    return OVER


@implements(rules.moves, Nim)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    count = 0
    for heap in range(len(game.heaps)):
        for take in range(1, state[heap] + 1):
            out[count] = 16 * heap + take
            count += 1
    return count


@implements(rules.play, Nim)
def _(game: Any, state: Any, move: int) -> None:
    state[move // 16] -= move % 16
    state[len(game.heaps)] = 1 - state[len(game.heaps)]


@implements(rules.scores, Nim)
def _(game: Any, state: Any, out: Any) -> None:
    loser = state[len(game.heaps)]  # who would be to move, and finds nothing
    out[loser] = -1.0
    out[1 - loser] = 1.0


# --- Race ------------------------------------------------------------------------------------------------------------


class Race(NamedTuple):
    """Four runners and a die: run as far as it shows, or stay. A six gives another turn. The first one home wins.

    # places 4, seat to move 1, die 1 (0: still to be rolled)
    A move is the number of fields, an outcome the die.
    """

    length: int = 12

    @property
    def facts(self) -> Facts:
        return Facts("race", 1, 4, 6, 2, 6, 0, (0.0, 1.0))

    def start(self) -> Position:
        return Position.start(self)

    def position(self, text: str) -> Position:
        return Position.read(self, text)

    def move_text(self, state: np.ndarray, move: int) -> str:
        if state[5] == 0:
            return str(move)
        return "run" if move else "stay"

    def state_text(self, state: np.ndarray) -> str:
        a, b, c, d, seat, die = state.tolist()
        return f"{a},{b},{c},{d} seat {seat} die {die}"

    def read_state(self, text: str) -> np.ndarray:
        return _numbers(self, text, r"(\d+),(\d+),(\d+),(\d+) seat ([0-3]) die ([0-6])")

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        lanes = [["."] * self.length + ["|"] for _ in range(4)]
        for seat, lane in enumerate(lanes):
            lane[min(int(state[seat]), self.length)] = str(seat)
        return "\n".join("".join(lane) for lane in lanes)

    def board_svg(self, state: np.ndarray) -> str:
        return _svg(self.state_text(state))

    read_move = _legal
    encodings = _no_encodings


@implements(rules.start, Race)
def _(game: Any, state: Any) -> None:
    for i in range(6):
        state[i] = 0


@implements(rules.turn, Race)
def _(game: Any, state: Any) -> int:
    for seat in range(4):
        if state[seat] >= game.length:
            return OVER
    return CHANCE if state[5] == 0 else state[4]


@implements(rules.chances, Race)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    for i in range(6):
        outcomes[i] = i + 1
        probabilities[i] = 1 / 6
    return 6


@implements(rules.moves, Race)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 0
    out[1] = state[5]
    return 2


@implements(rules.play, Race)
def _(game: Any, state: Any, move: int) -> None:
    if state[5] == 0:
        state[5] = move
        return
    state[state[4]] += move
    if state[5] != 6:
        state[4] = (state[4] + 1) % 4
    state[5] = 0


@implements(rules.scores, Race)
def _(game: Any, state: Any, out: Any) -> None:
    for seat in range(4):
        out[seat] = 1.0 if state[seat] >= game.length else 0.0


# --- Pennies ---------------------------------------------------------------------------------------------------------


class Pennies(NamedTuple):
    """Both show a coin at once. Seat 0 wins the round if they match, seat 1 if not; whoever first wins two rounds wins.

    # rounds won 2
    A move is 0 for heads, 1 for tails.
    """

    rounds: int = 2

    @property
    def facts(self) -> Facts:
        return Facts("pennies", 1, 2, 2, 2, 0, 2 * self.rounds - 1, (-1.0, 1.0))

    def start(self) -> Position:
        return Position.start(self)

    def position(self, text: str) -> Position:
        return Position.read(self, text)

    def move_text(self, state: np.ndarray, move: int) -> str:
        return "tails" if move else "heads"

    def state_text(self, state: np.ndarray) -> str:
        return f"{state[0]}:{state[1]}"

    def read_state(self, text: str) -> np.ndarray:
        return _numbers(self, text, r"(\d+):(\d+)")

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        return f"matching {state[0]}, differing {state[1]}"

    def board_svg(self, state: np.ndarray) -> str:
        return _svg(self.board_text(state))

    read_move = _legal
    encodings = _no_encodings


@implements(rules.start, Pennies)
def _(game: Any, state: Any) -> None:
    state[0] = 0
    state[1] = 0


@implements(rules.turn, Pennies)
def _(game: Any, state: Any) -> int:
    return OVER if max(state[0], state[1]) == game.rounds else JOINT


@implements(rules.moves, Pennies)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 0
    out[1] = 1
    return 2


@implements(rules.play, Pennies)
def _(game: Any, state: Any, move: int) -> None:
    pass  # nobody ever moves alone here, but kernels that serve every game name this word


@implements(rules.play_joint, Pennies)
def _(game: Any, state: Any, joint: Any) -> None:
    state[0 if joint[0] == joint[1] else 1] += 1


@implements(rules.scores, Pennies)
def _(game: Any, state: Any, out: Any) -> None:
    winner = 0 if state[0] == game.rounds else 1
    out[winner] = 1.0
    out[1 - winner] = -1.0


# --- players ---------------------------------------------------------------------------------------------------------


class First(NamedTuple):
    """A built-in player that takes the first move in the list."""

    max_moves: int


@implements(choose, First)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    out = np.empty(player.max_moves, np.int64)
    rules.moves(game, state, seat, out)
    return out[0]


class PythonFirst:
    """The same in plain Python, and by text."""

    def choose(self, position: Position, rng: np.random.Generator) -> str:
        return str(position.moves()[0])


class Whimsical:
    """A plain Python player that moves at random."""

    name = "whimsical"

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        return rng.choice(position.moves())


class PerfectNim:
    """Leaves heaps whose xor is 0 where it can; from such heaps the other side can't win."""

    name = "perfect"

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        def xor(move: int) -> int:
            return int(np.bitwise_xor.reduce(position.play(move).state[:-1]))

        return min(position.moves(), key=xor)
