"""What strangers bring: a method, a game and a player, each in a file of its own, as somebody would write it who never read ludus's source."""

from __future__ import annotations

from pathlib import Path

METHOD = '''
"""Learns which first moves are good: the mean result of random games after each."""

from dataclasses import dataclass

import numpy as np

from ludus.methods import Method, setting


class FirstMove:
    """Begins with its favourite, and goes on at random."""

    def __init__(self, moves, values):
        self.moves, self.values = moves, values

    def choose(self, position, rng):
        legal = [int(move) for move in position.moves()]
        known = dict(zip(self.moves, self.values))
        if all(move in known for move in legal):
            return max(legal, key=known.get)
        return legal[rng.integers(len(legal))]


class Opener(Method):
    """The mean result of each first move, in random games."""

    @dataclass(frozen=True)
    class Settings:
        rate: float = setting(0.5, "step size", above=0, high=1)
        start: float = setting(0.0, "first value of every move")

    def setup(self):
        self.moves = [int(move) for move in self.game.start().moves()]
        self.values = np.full(len(self.moves), self.settings.start)

    def learn(self, games):
        won = 0
        for number in range(self.games, self.games + games):
            rng = np.random.default_rng([self.seed, number])
            first = rng.integers(len(self.moves))
            position = self.game.start().play(self.moves[first])
            while not position.over:
                legal = position.moves()
                position = position.play(legal[rng.integers(len(legal))])
                self.counters["moves"] += 1
            result = position.scores()[0]
            won += result == max(position.scores())
            self.values[first] += self.settings.rate * (result - self.values[first])
        return {"won": won / games, "highest": self.values.max()}

    def state(self):
        return {"values": self.values}

    def player(self):
        return FirstMove(self.moves, self.values)
'''

GAME = '''
"""Take one or two from a heap; whoever takes the last one wins."""

import re
from typing import NamedTuple

import numpy as np

from ludus.contract import rules
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.kernel import implements


class Heap(NamedTuple):
    size: int = 7

    @property
    def facts(self):
        return rules.Facts("heap", 1, 2, 2, 2, 0, self.size, (-1.0, 1.0), str(self.size))

    def start(self):
        return Position.start(self)

    def position(self, text):
        return Position.read(self, text)

    def encodings(self):
        return {}

    def move_text(self, state, move):
        return f"take {move}"

    def read_move(self, state, text, seat=None):
        match = re.fullmatch(r"take ([12])", text)
        if match is None or int(match[1]) > state[0]:
            raise LudusError(f"'{text}' is not possible here")
        return int(match[1])

    def state_text(self, state):
        return f"{state[0]} seat {state[1]}"

    def read_state(self, text):
        match = re.fullmatch(r"(\\d+) seat ([01])", text)
        if match is None:
            raise LudusError(f"'{text}' is no position of heap")
        return np.array([int(match[1]), int(match[2])], np.int64)

    def board_text(self, state, color=False):
        return "|" * int(state[0])

    def board_svg(self, state):
        return '<svg xmlns="http://www.w3.org/2000/svg"/>'


@implements(rules.start, Heap)
def _(game, state):
    state[0], state[1] = game.size, 0


@implements(rules.turn, Heap)
def _(game, state):
    return state[1] if state[0] > 0 else rules.OVER


@implements(rules.moves, Heap)
def _(game, state, seat, out):
    out[0], out[1] = 1, 2
    return min(state[0], 2)


@implements(rules.play, Heap)
def _(game, state, move):
    state[0] -= move
    state[1] = 1 - state[1]


@implements(rules.scores, Heap)
def _(game, state, out):
    out[state[1]], out[1 - state[1]] = -1.0, 1.0
'''

PLAYER = '''
"""Plays the first or the last legal move."""


class Stubborn:
    def __init__(self, last=False):
        self.last = last

    def choose(self, position, rng):
        return position.moves()[-1 if self.last else 0]


def guarded(game, last=True):
    """A function may make players, too; it is given the game if it asks for it."""
    assert game.facts.seats == 2
    return Stubborn(last)
'''

TEXTS = {"opener.py": METHOD, "heap.py": GAME, "stubborn.py": PLAYER}


def write(folder: Path) -> Path:
    """The three files in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder
