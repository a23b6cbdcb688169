"""A batch: decisions that are due in many games at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ludus.batch.choices import Afterstates, Legal, find_moves, list_moves, mark, random_moves, states_after, uniforms
from ludus.batch.states import Seated, States
from ludus.contract.knowing import hides, known_to
from ludus.contract.position import Position
from ludus.contract.rules import sizes_of
from ludus.errors import LudusError

_positions = 0


def positions_listed() -> int:
    """How many states after moves batches have listed in this process so far: what a method in plain Python has judged."""
    return _positions


class Questions(NamedTuple):
    """What a batch is made of: one row a decision."""

    states: np.ndarray  # row, state
    seats: np.ndarray  # row: whose decision
    games: np.ndarray  # row: the number of the game
    slots: np.ndarray  # row: the game's slot
    streams: np.ndarray  # row, 1: the random stream of the game and seat


class Ended(States):
    """Games that ended since the step before: their numbers `games`, `slots`, `scores` (games, seats) and last `states`. `over` is False
    where a game was cut because it was too long; its scores are 0.
    """

    def __init__(self, game: Any, states: np.ndarray, over: np.ndarray, where: tuple[np.ndarray, ...]) -> None:
        super().__init__(game, states, over)
        self.games, self.slots, self.scores = where

    @classmethod
    def none(cls, game: Any) -> Ended:
        """No games."""
        facts, no = game.facts, np.zeros(0, np.int64)
        return cls(
            game, np.zeros((0, facts.state_size), np.int64), no.astype(bool), (no, no, np.zeros((0, facts.seats)))
        )


class Batch(Seated):
    """Decisions that are due, one a row: `states`, `seats`, `games` (their numbers), `slots`. Where all seats of a game move at once, each has a row.

    A slot is the place of a game in flight, from 0 to the number of slots - 1: a row of your own arrays, for what you remember of the
    game; `ended` tells which games ended since the step before. All arrays are the batch's own and stay as they are when games go on.

    What is random here (`uniform`, `random_moves`, `draw` of legal moves) is drawn from the stream of the row's game and seat: it depends on
    the seed, the number of the game, the seat, and how often the seat has drawn in this game, and on nothing else.

    >>> from ludus.batch import Games
    >>> batch = Games("backgammon", seed=1, count=4).begin()
    >>> len(batch), batch.states.shape, batch.games.tolist()
    (4, (4, 55), [0, 1, 2, 3])
    >>> after = batch.afterstates()
    >>> len(after.moves) == len(after.states) == int(after.starts[-1])
    True
    >>> x = after.observe("raw")              # sparse inputs, a row for each move
    >>> values = x @ np.ones(x.inputs)        # a value for each move, here a silly one
    >>> after.best(values).shape
    (4,)
    """

    def __init__(self, game: Any, questions: Questions, ended: Ended | None = None) -> None:
        super().__init__(game, questions.states.copy(), np.zeros(len(questions.states), np.bool_))
        self.seats, self.games, self.slots = questions.seats.copy(), questions.games.copy(), questions.slots.copy()
        self.streams = questions.streams.copy()
        self.ended = Ended.none(game) if ended is None else ended
        self._seats = self.seats.copy()

    @classmethod
    def of(cls, position: Position, seat: int, stream: np.ndarray) -> Batch:
        """A batch of one decision. What it draws, it draws from a copy of the stream."""
        one = np.zeros(1, np.int64)
        return cls(
            position.game,
            Questions(known_to(position.game, position.state, seat)[None], one + seat, one, one, stream[None]),
        )

    @cached_property
    def _listed(self) -> tuple[np.ndarray, np.ndarray]:
        return list_moves(self.game, self._states, self._seats, self.game.facts.max_moves)

    def legal(self) -> Legal:
        """The legal moves of each row."""
        found, starts = self._listed
        return Legal(found.copy(), starts.copy(), self.streams)

    def afterstates(self) -> Afterstates:
        """The legal moves of each row, with the states to which they lead; LudusError where information is hidden, as nobody can know these."""
        if hides(self.game):
            raise LudusError(
                f"{self.game.facts.name} hides some of its state: nobody can know the states after moves; use legal()"
            )
        found, starts = self._listed
        global _positions
        _positions += len(found)
        after = states_after(self.game, self._states, self._seats, found, starts, self.streams, sizes_of(self.game))
        return Afterstates(self.game, self.legal(), after, self._seats)

    def mask(self) -> np.ndarray:
        """Which actions are legal: (rows, actions), bool. For games with a fixed set of actions (`facts.actions`), whose moves are their numbers."""
        actions = self.game.facts.actions
        if not actions:
            raise LudusError(
                f"{self.game.facts.name} has no fixed number of actions, and so no mask: use legal() or afterstates()"
            )
        legal, out = self.legal(), np.zeros((len(self), actions), np.bool_)
        mark(legal.moves, legal.rows, out)
        return out

    def uniform(self) -> np.ndarray:
        """A random number from 0 up to 1 for each row."""
        return uniforms(self.streams)

    def random_moves(self) -> np.ndarray:
        """A random legal move for each row, each as likely as the others."""
        return random_moves(self.game, self._states, self._seats, self.streams, self.game.facts.max_moves)

    def position(self, row: int) -> Position:
        """One of the decisions as a Position, to look at."""
        return Position(self.game, self._states[row], int(self._seats[row]))

    def checked(self, moves: Any, who: str = "") -> np.ndarray:
        """Moves, one a row, as an array of whole numbers; LudusError names the first that is not legal, and who chose it."""
        who = f"{who}, " if who else ""
        chosen = np.asarray(moves)
        if chosen.shape != (len(self),) or not (np.issubdtype(chosen.dtype, np.integer) or not len(self)):
            kind = f"an array of {chosen.dtype} of shape {chosen.shape}"
            raise LudusError(f"{who}one move is wanted for each of {len(self)} rows, as a whole number, not {kind}")
        chosen = chosen.astype(np.int64)
        wrong = np.flatnonzero(find_moves(*self._listed, chosen) < 0)
        if len(wrong):
            row = wrong[0]
            raise LudusError(
                f"{who}game {self.games[row]}, seat {self._seats[row]}: {chosen[row]} is not a legal move in "
                f"{self.game.state_text(self._states[row])}"
            )
        return chosen
