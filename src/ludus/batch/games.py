"""Games in flight for methods in plain Python: their rules and dice are compiled, their moves are yours."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus.batch.batch import Batch, Ended, Questions
from ludus.batch.slots import DONE, ENDED, FIRST, Options, Slots, all_done, new_slots, step
from ludus.errors import LudusError

LIMIT = 1000  # moves after which a game is cut: some games can go on for ever


class Games:
    """Games number `first` to `first + count - 1` of a seed, at most `slots` of them in flight at once.

    `begin` and `step` return a Batch, the decisions that are due; `step` takes a move for each row. When a game ends, the next one
    begins in its slot. An empty batch says that all have ended; `scores` has a row for each game.

    The dice of a game, and what its seats draw, depend on the seed and its number alone, not on the slots: a method that learns
    `Games(game, seed=self.seed, first=self.games, count=games)` can stop between two such units with nothing in flight, and go on.

    The first `opening` moves of each game are random, and the same in as many games in a row as there are seats. A game of `limit` moves is
    cut (0: never).

    >>> games = Games("tictactoe", seed=1, count=100, slots=32)
    >>> batch, won = games.begin(), 0
    >>> while len(batch):
    ...     batch = games.step(batch.random_moves())
    ...     won += (batch.ended.scores[:, 0] == 1).sum()      # also of the last batch, which is empty
    >>> int(won), int((games.scores[:, 0] == 1).sum())
    (68, 68)
    """

    def __init__(
        self,
        game: Any,
        *,
        seed: int = 1,
        first: int = 0,
        count: int = 1000,
        slots: int = 256,
        opening: int = 0,
        limit: int = LIMIT,
    ) -> None:
        for name, value, least in (
            ("seed", seed, 0), ("first", first, 0), ("count", count, 0), ("slots", slots, 1), ("opening", opening, 0), ("limit", limit, 0),
        ):  # fmt: skip
            if value < least:
                raise LudusError(f"{name}={value}: give {least} or more")
        self.game = game_registry.game(game) if isinstance(game, str) else game
        self.numbers, self.slots = range(first, first + count), min(slots, max(count, 1))
        self._options = Options(seed, self.game.facts.max_plies, opening, limit)
        self._slots: Slots | None = None
        self._batch: Batch | None = None

    @property
    def scores(self) -> np.ndarray:
        """The scores so far: (games, seats), 0 for games that have not ended."""
        return self._flying().scores

    @property
    def done(self) -> int:
        """How many games have ended."""
        return int(self._flying().cursor[DONE])

    def begin(self) -> Batch:
        """The first decisions. Called again, it begins all games anew."""
        self._slots = new_slots(self.game, self.numbers, self.slots)
        return self._go_on()

    def step(self, moves: Any) -> Batch:
        """Play a move for each row of the last batch, which must be legal, and go on to the next decisions."""
        slots, batch = self._flying(), self._batch
        assert batch is not None
        slots.answers[: len(batch)] = batch.checked(moves)
        slots.asked_streams[: len(batch)] = batch.streams
        return self._go_on()

    def _go_on(self) -> Batch:
        slots, ended = self._flying(), []
        while True:
            asked = step(self.game, slots, len(slots.games), self._options)
            ended.append(self._ended(slots))
            if asked or all_done(slots):
                break
        self._batch = Batch(self.game, questions(slots, 0, asked), ended[0] if len(ended) == 1 else _joined(ended))
        return self._batch

    def _ended(self, slots: Slots) -> Ended:
        count = slots.cursor[ENDED]
        numbers = slots.ended_games[:count].copy()
        where = numbers, slots.ended_slots[:count].copy(), slots.scores[numbers - slots.cursor[FIRST]]
        return Ended(self.game, slots.ended_states[:count].copy(), slots.ended_over[:count].copy(), where)

    def _flying(self) -> Slots:
        if self._slots is None:
            raise LudusError("no game has begun: call begin() first")
        return self._slots


def questions(slots: Slots, first: int, end: int) -> Questions:
    """The questions from one row up to another, as a batch takes them (it copies them)."""
    places = slots.asked_slots[first:end]
    return Questions(
        slots.asked_states[first:end],
        slots.asked_seats[first:end],
        slots.games[places],
        places,
        slots.asked_streams[first:end],
    )


def _joined(parts: list[Ended]) -> Ended:
    """Where games end before their first decision, several steps pass in one."""
    states, over = np.concatenate([p._states for p in parts]), np.concatenate([p.over for p in parts])
    where = tuple(np.concatenate([getattr(p, name) for p in parts]) for name in ("games", "slots", "scores"))
    return Ended(parts[0].game, states, over, where)
