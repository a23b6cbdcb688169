"""One game under way between a person and players: its steps so far, its dice, undo, and its result in words.

All chance follows from the seed: the n-th roll of a game and what a player draws at its n-th step are always the same.
So undo, and save and load, can't be used to fish for better dice: whoever goes back gets the same rolls again.

Beyond the contract, a game may offer `seat_names` (a name for each seat, as the board shows them), `result_text(state)`
(what was won, to be read after "You win": "a gammon"), and, for file formats of its own, `formats` with `write_game` and
`read_game` (see `saved.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import CHANCE, JOINT, OVER, Move, Position, roll, turn
from ludus.errors import LudusError
from ludus.kernel import stream

YOU = "you"


class Step(NamedTuple):
    """One roll, one seat's move, or one move of all seats at once, and the position that it leads to."""

    seat: int  # who moved; CHANCE for a roll, JOINT for all seats
    moves: tuple[int, ...]  # one move or outcome, or one for each seat
    texts: tuple[str, ...]  # the same as people write them
    after: Position


class Session:
    """A game under way. Whatever goes wrong in a step leaves it as it was."""

    def __init__(self, game: Any, seed: int, seat: int, names: Sequence[str]) -> None:
        if not 0 <= seat < game.facts.seats:
            raise LudusError(f"there is no seat {seat}; the seats of {game.facts.name} are 0 to {game.facts.seats - 1}")
        if not 0 <= seed < 2**63:
            raise LudusError(f"seed {seed} is out of range; it must be from 0 to 2**63 - 1")
        self.game = game
        self.seed = seed
        self.seat = seat  # the person's
        self.names = tuple(names)  # who sits where
        self.beginning: Position = game.start()
        self.steps: list[Step] = []

    @property
    def position(self) -> Position:
        return self.steps[-1].after if self.steps else self.beginning

    @property
    def due(self) -> int:
        """The seat that is to move, or CHANCE, JOINT or OVER."""
        return int(turn(self.game, self.position.state))

    def choices(self) -> list[Move]:
        """What the person may play now; nothing while it is not their turn."""
        return self.position.moves(self.seat)

    def stream(self, purpose: int) -> np.ndarray:
        """The random numbers for the step that is due. Purpose 0 is the dice, 1 + seat a player."""
        index = sum(step.seat == CHANCE for step in self.steps) if purpose == 0 else len(self.steps)
        return stream(self.seed, index, purpose)

    # Going on.

    def roll(self) -> Step:
        """Let chance take its step."""
        state, room = self.position.state, self.game.facts.max_chances
        return self.take([int(roll(self.game, state, self.stream(0), np.zeros(room, np.int64), np.zeros(room)))])

    def take(self, moves: Sequence[int]) -> Step:
        """Take the step that is due: the outcome of a roll, a seat's move, or one move for each seat."""
        position, due = self.position, self.due
        after = position.play(moves if due == JOINT else moves[0])
        texts = tuple(self.game.move_text(position.state, int(move)) for move in moves)
        self.steps.append(Step(due, tuple(map(int, moves)), texts, after))
        return self.steps[-1]

    def read(self, text: str, seat: int) -> int:
        """The legal move of a seat, or the outcome of a roll, that a text stands for; LudusError says why there is none."""
        if self.due == OVER:
            raise LudusError("the game is over")
        return int(self.game.read_move(self.position.state, text, seat if self.due == JOINT else None))

    def undo(self) -> bool:
        """Go back to the person's previous decision, over rolls, the others' moves and forced ones; False: there is none."""
        for i in reversed(range(len(self.steps))):
            before = self.steps[i - 1].after if i else self.beginning
            if len(before.moves(self.seat)) > 1:
                del self.steps[i:]
                return True
        return False

    # In words.

    def mark(self, seat: int) -> str:
        """What the board calls a seat."""
        names = getattr(self.game, "seat_names", None)
        return names[seat] if names else f"seat {seat}"

    def who(self, seat: int) -> str:
        return YOU if seat == self.seat else f"{self.names[seat]} ({self.mark(seat)})"

    def result(self) -> str:
        """How the game ended, in words for the person who played it."""
        position = self.position
        scores = position.scores()
        best = max(scores)
        winners = [seat for seat, score in enumerate(scores) if score == best]
        said = getattr(self.game, "result_text", None)
        what = f" {said(position.state)}" if said else ""
        if len(winners) == len(scores):
            return f"The game is drawn, {points(best)} each."
        names = " and ".join(self.who(seat) for seat in winners)
        if len(winners) > 1:
            words = f"{names} share the win, {points(best)} each."
        else:
            words = f"{names} {'win' if winners == [self.seat] else 'wins'}{what}, {points(best)}."
        if self.seat not in winners and len(scores) > 2:
            place = 1 + sum(score > scores[self.seat] for score in scores)
            words += f" You have {points(scores[self.seat])} (place {place} of {len(scores)})."
        return "Y" + words[1:] if words.startswith(YOU + " ") else words


def points(value: float) -> str:
    """
    >>> points(1), points(0.5)
    ('1 point', '0.5 points')
    """
    return f"{value:g} point{'' if value == 1 else 's'}"
