"""Games among players, many in flight at once: `ludus.batch.slots` plays them and lists the questions, grouped by player; here each
player answers all its questions at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.batch import Batch
from ludus.batch.games import questions
from ludus.batch.slots import DONE, Options, Slots, all_done, new_slots, step
from ludus.contract.position import Position
from ludus.contract.rules import moves
from ludus.errors import LudusError
from ludus.players.base import choose_all, generator, is_compiled
from ludus.players.judging import judge_of

SLOTS = 1024  # games in flight at most
PACE = 0.01  # seconds: while a step takes less, twice as many games are let fly. Ctrl-C and progress wait for a step.


class Manner(NamedTuple):
    """How the games of a contest are played, beside who plays them. Only the number of slots changes no result."""

    slots: int = SLOTS
    opening: int = 0  # random moves at the beginning of a game
    paired: bool = False  # the dice are the same for all seatings of the players before others are thrown
    seatings: int = 0  # how many of them differ, 2 where a, b, a and b sit; 0: as many as there are seats
    luck: Any = None  # who judges the luck of the dice, noted beside the scores: a name, such as `td`, or a judge


PLAIN = Manner()


class Played(NamedTuple):
    """What games came to: one row a game, one column a player."""

    scores: np.ndarray
    luck: np.ndarray  # what the dice brought of it (see `ludus.batch.luck`); 0 where nobody judged

    @property
    def adjusted(self) -> np.ndarray:
        """The scores less the luck in them: their means are the same, and vary less."""
        return self.scores - self.luck


def play_games(
    game: Any,
    players: Sequence[Any],
    names: Sequence[str],
    seed: int,
    games: range,
    report: Callable[[int], None] = lambda done: None,
    manner: Manner = PLAIN,
) -> Played:
    """Play the games of these numbers, with one player a seat.

    `report` hears after each step how many games are done; what it raises ends the contest. A player that thinks by the
    clock, and goes on from where it was, may want fewer games in flight, and says so by an attribute `slots`. One that waits
    for others, and takes hardly longer for many questions than for one, lets a step take longer by an attribute `pace`.
    """
    slots = min([manner.slots, *(getattr(player, "slots", manner.slots) for player in players)])
    judge = judge_of(game, manner.luck)
    flight = new_slots(game, games, slots, groups=len(players))
    answer = [asker(player, name, game, flight) for player, name in zip(players, names, strict=True)]
    alike = (manner.seatings or game.facts.seats) if manner.paired else 1
    options = Options(seed, game.facts.max_plies, manner.opening, alike=alike)
    pace = max([PACE, *(getattr(player, "pace", PACE) for player in players)])
    flying = 1
    while True:
        begun = time.perf_counter()
        if step(game, flight, flying, options, judge) == 0 and all_done(flight):
            return Played(_by_player(flight.scores, games), _by_player(flight.luck.sums, games))
        bounds = flight.bounds.tolist()
        for player, ask in enumerate(answer):
            if bounds[player] < bounds[player + 1]:
                ask(bounds[player], bounds[player + 1])
        report(int(flight.cursor[DONE]))
        if time.perf_counter() - begun < pace:
            flying = min(2 * flying, len(flight.games))


def _by_player(scores: np.ndarray, games: range) -> np.ndarray:
    """Scores by seat as scores by player: in game i, player (s + i) mod n sits in seat s (`group_of`)."""
    seats = scores.shape[1]
    return np.take_along_axis(scores, (np.arange(seats) - np.array(games)[:, None]) % seats, axis=1)


def asker(player: Any, name: str, game: Any, flight: Slots) -> Callable[[int, int], None]:
    """A function that lets a player answer the questions from one row up to another."""
    if not is_compiled(player):
        return (_BatchAsker if hasattr(player, "choose_batch") else _PythonAsker)(player, name, game, flight)

    def ask(first: int, end: int) -> None:
        states, seats = flight.asked_states[first:end], flight.asked_seats[first:end]
        choose_all(player, game, states, seats, flight.asked_streams[first:end], flight.answers[first:end])

    return ask


class _BatchAsker:
    """Asks a Python player with a method `choose_batch(batch) -> moves` all its questions at once."""

    def __init__(self, player: Any, name: str, game: Any, flight: Slots) -> None:
        self.player, self.name, self.game, self.flight = player, name, game, flight

    def __call__(self, first: int, end: int) -> None:
        batch = Batch(self.game, questions(self.flight, first, end))
        answers = self.player.choose_batch(batch)
        self.flight.answers[first:end] = batch.checked(answers, f"player '{self.name}'")
        self.flight.asked_streams[first:end] = batch.streams


class _PythonAsker:
    """Asks a plain Python player, question by question, and looks at what it answers.

    A player may have a method `choose_state(game, state, seat, stream) -> int`. It is preferred to `choose`, as it
    spares the making of a Position; the stream is a kernel's, for `ludus.kernel.draw`.
    """

    def __init__(self, player: Any, name: str, game: Any, flight: Slots) -> None:
        self.player, self.name, self.game, self.flight = player, name, game, flight
        self.fast = getattr(player, "choose_state", None)
        self.generators: dict[tuple[int, int], tuple[int, np.random.Generator]] = {}  # slot, seat -> game, generator
        self.legal = np.zeros(game.facts.max_moves, np.int64)

    def __call__(self, first: int, end: int) -> None:
        flight = self.flight
        seats, slots = flight.asked_seats[first:end].tolist(), flight.asked_slots[first:end].tolist()
        for row, seat, slot in zip(range(first, end), seats, slots, strict=True):
            state, number = flight.asked_states[row], int(flight.games[slot])
            if self.fast is not None:
                answer = self.fast(self.game, state, seat, flight.asked_streams[row])
            else:
                rng = self._generator(slot, seat, number, flight.asked_streams[row])
                answer = self.player.choose(Position(self.game, state, seat), rng)
            flight.answers[row] = self._checked(answer, state, seat, number)

    def _generator(self, slot: int, seat: int, number: int, stream: np.ndarray) -> np.random.Generator:
        known = self.generators.get((slot, seat))
        if known is None or known[0] != number:
            known = self.generators[slot, seat] = (number, generator(stream))
        return known[1]

    def _checked(self, answer: Any, state: np.ndarray, seat: int, number: int) -> int:
        where = f"player '{self.name}', game {number}, seat {seat}"
        if isinstance(answer, str):
            try:
                return self.game.read_move(state, answer, seat)
            except LudusError as error:
                raise LudusError(f"{where}: {error}") from None
        if isinstance(answer, int | np.integer):
            legal = self.legal[: moves(self.game, state, seat, self.legal)].tolist()
            if answer in legal:
                return int(answer)
        raise LudusError(f"{where}: {answer!r} is not a legal move in {self.game.state_text(state)}")
