"""For the tests of `ludus.play`: a scripted person at the table, and games as unlike backgammon as the contract allows."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import ludus
from ludus import games, players
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import JOINT, OVER, Facts
from ludus.errors import LudusError
from ludus.kernel import implements
from ludus.play import play
from ludus.play.terminal import Terminal

BACKGAMMON = ludus.game("backgammon")
X_BEGINS = 3  # a seed whose opening roll, 21, lets X begin; the next rolls are 32 and 52


# --- the person ------------------------------------------------------------------------------------------------------


def talk(*lines: str, game: Any = BACKGAMMON, **settings: Any) -> str:
    """Play with these lines and then Ctrl-D, and give back all that was to be seen."""
    console = Console(record=True, width=300, file=io.StringIO())
    rest = iter(lines)

    def ask(prompt: str) -> str:
        line = next(rest, None)
        console.print(f"{prompt}{line}", markup=False, highlight=False, soft_wrap=True)
        if line is None:
            raise EOFError
        return line

    play(game, **{"against": "random", "seed": X_BEGINS, "color": False, **settings}, ask=ask, console=console)
    return console.export_text()


def terminal(game: Any = BACKGAMMON, against: Any = "random", seed: int = 1, seat: Any = 0) -> Terminal:
    def no_question(prompt: str) -> str:
        raise AssertionError(f"asked: {prompt}")

    made = Terminal(game, against, seed, False, no_question, Console(record=True, width=300, file=io.StringIO()))
    made.sit(seat)
    return made


def play_to_the_end(terminal: Terminal) -> None:
    """Always take the first legal move."""
    terminal.advance()
    while terminal.table.due != OVER:
        terminal.obey(str(terminal.table.choices()[0]))
        terminal.advance()


# --- the games -------------------------------------------------------------------------------------------------------


class Plain:
    """What the toy games have in common."""

    def start(self) -> Position:
        return Position.start(self)

    def move_text(self, state: np.ndarray, move: int) -> str:
        return f"take {move}"

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        for move in Position(self, state).moves(seat):
            if move.text == text:
                return int(move)
        raise LudusError(f"{text!r} is not among: {', '.join(map(str, Position(self, state).moves(seat)))}")

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        return f"[{state[0]} left]"  # what looks like markup must come out as it is


class StonesFields(NamedTuple):
    stones: int = 9


class Stones(Plain, StonesFields):
    """Four seats, no dice: take one or two stones; whoever takes the last one gets a point."""

    @property
    def facts(self) -> Facts:
        return Facts("nim", 1, 4, 2, 2, 0, 0, (0.0, 1.0))


@implements(rules.start, Stones)
def _(game: Any, state: Any) -> None:
    state[0] = game.stones
    state[1] = 0


@implements(rules.turn, Stones)
def _(game: Any, state: Any) -> int:
    return OVER if state[0] == 0 else state[1]


@implements(rules.moves, Stones)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 1
    out[1] = 2
    return min(state[0], 2)


@implements(rules.play, Stones)
def _(game: Any, state: Any, move: int) -> None:
    state[0] -= move
    state[1] = (state[1] + 1) % 4


@implements(rules.scores, Stones)
def _(game: Any, state: Any, out: Any) -> None:
    out[:] = 0.0
    out[(state[1] + 3) % 4] = 1.0


class CoinsFields(NamedTuple):
    rounds: int = 2


class Coins(Plain, CoinsFields):
    """Two seats that move at once: seat 0 gets a point for each round with equal pennies, seat 1 for the others."""

    @property
    def facts(self) -> Facts:
        return Facts("pennies", 1, 2, 2, 2, 0, 0, (0.0, 9.0))

    def move_text(self, state: np.ndarray, move: int) -> str:
        return ("heads", "tails")[move]


@implements(rules.start, Coins)
def _(game: Any, state: Any) -> None:
    state[0] = game.rounds
    state[1] = 0


@implements(rules.turn, Coins)
def _(game: Any, state: Any) -> int:
    return OVER if state[0] == 0 else JOINT


@implements(rules.moves, Coins)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 0
    out[1] = 1
    return 2


@implements(rules.play_joint, Coins)
def _(game: Any, state: Any, joint: Any) -> None:
    state[0] -= 1
    state[1] += joint[0] == joint[1]


@implements(rules.scores, Coins)
def _(game: Any, state: Any, out: Any) -> None:
    out[0] = state[1]
    out[1] = game.rounds - state[1]


class PlainPlayer:
    """A player in plain Python. (A compiled one would leave kernels for these toys in the package's cache on disk.)"""

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        return int(rng.choice(position.moves(1 if position.turn is None else position.turn)))


def make_plain(game: Any, path: str | None) -> PlainPlayer:
    return PlainPlayer()


def introduce(monkeypatch: Any) -> None:
    """Let the toy games and the plain player be known by their names."""
    monkeypatch.setitem(players.REGISTRY, "plain", players.Entry("", __name__, "make_plain", {}))
    for name in ("nim", "pennies"):
        monkeypatch.setitem(games.REGISTRY, name, games.Entry("", __name__, name.title(), {}))
