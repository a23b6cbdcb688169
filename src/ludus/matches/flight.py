"""Many games in flight at once, so that a ply costs a kernel's time and not an interpreter's.

One step of the loop is one kernel that plays the moves just chosen, rolls the dice that are due, records finished games
and starts others in their place, and lists the questions "what do you move here?" grouped by player; then each player
answers all its questions at once. A game's randomness depends on the seed and its number alone: the dice have one stream,
each seat another, so neither the number of games in flight nor that of workers changes any result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER, moves, play, play_joint, random_move, roll, scores, start, turn
from ludus.errors import LudusError
from ludus.kernel import kernel, seed_stream
from ludus.players.base import choose_all, generator, is_compiled

ROOM = 1024  # games in flight at most
PACE = 0.01  # seconds: while a step takes less, twice as many games are let fly. Ctrl-C and progress wait for a step.

# Places in `Flight.cursor`: the next game to start, the last one + 1, how many are done, the first one, and one that
# goes on longer than its rules promise (or -1).
NEXT, END, DONE, FIRST, ENDLESS = range(5)


class Flight(NamedTuple):
    """The arrays of a flight: slots, each with a game; questions to players about them; the scores of finished games."""

    # One row a slot.
    states: np.ndarray  # slot, state
    games: np.ndarray  # slot: the number of its game, or -1
    turns: np.ndarray  # slot: the seat to move, JOINT, or OVER for an empty slot
    plies: np.ndarray  # slot
    dice: np.ndarray  # slot, 1: the stream of the dice
    streams: np.ndarray  # slot, seat, 1: the streams of the players
    chosen: np.ndarray  # slot, seat: the moves to be played
    # One row a question. They are copies: a player can't spoil a game by scribbling on its question.
    asked_states: np.ndarray
    asked_slots: np.ndarray
    asked_seats: np.ndarray
    asked_streams: np.ndarray
    answers: np.ndarray
    bounds: np.ndarray  # player + 1: questions bounds[p] up to bounds[p + 1] are player p's
    # The rest.
    scores: np.ndarray  # game, player
    cursor: np.ndarray  # see NEXT, END, DONE, FIRST, ENDLESS
    outcomes: np.ndarray  # room for a chance event
    odds: np.ndarray
    seat_scores: np.ndarray  # room for one game's scores
    listed: np.ndarray  # room for moves


def new_flight(game: Any, first: int, end: int, room: int) -> Flight:
    """A flight that will play the games from number `first` up to, but without, `end`."""
    facts = game.facts
    room, seats, rows = min(room, end - first), facts.seats, min(room, end - first) * facts.seats
    whole = np.int64
    return Flight(
        states=np.zeros((room, facts.state_size), whole),
        games=np.full(room, -1, whole),
        turns=np.full(room, OVER, whole),
        plies=np.zeros(room, whole),
        dice=np.zeros((room, 1), np.uint64),
        streams=np.zeros((room, seats, 1), np.uint64),
        chosen=np.zeros((room, seats), whole),
        asked_states=np.zeros((rows, facts.state_size), whole),
        asked_slots=np.zeros(rows, whole),
        asked_seats=np.zeros(rows, whole),
        asked_streams=np.zeros((rows, 1), np.uint64),
        answers=np.zeros(rows, whole),
        bounds=np.zeros(seats + 1, whole),
        scores=np.zeros((end - first, seats)),
        cursor=np.array([first, end, 0, first, -1], whole),
        outcomes=np.zeros(max(facts.max_chances, 1), whole),
        odds=np.zeros(max(facts.max_chances, 1)),
        seat_scores=np.zeros(seats),
        listed=np.zeros(facts.max_moves, whole),
    )


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def player_at(seat: int, game_number: int, seats: int) -> int:
    """Who sits there: from game to game, the players move on by one seat."""
    return (seat + game_number) % seats


# A flight is many arrays. Kernels that get it are called once a step, not once a game, and take out at the beginning what
# their loops use: handing all of it to a function costs more than a ply does.


@kernel
def _play_answers(game: Any, flight: Any) -> None:
    """Play the moves that were chosen, one in each slot that has a game."""
    slots, seats, answers, given = flight.asked_slots, flight.asked_seats, flight.answers, flight.asked_streams
    states, turns, plies, chosen, streams = flight.states, flight.turns, flight.plies, flight.chosen, flight.streams
    for row in range(flight.bounds[-1]):
        chosen[slots[row], seats[row]] = answers[row]
        streams[slots[row], seats[row], 0] = given[row, 0]
    for slot in range(len(turns)):
        seat = turns[slot]
        if seat == OVER:
            continue
        if seat == JOINT:
            play_joint(game, states[slot], chosen[slot])
        else:
            play(game, states[slot], chosen[slot, seat])
        plies[slot] += 1


@kernel
def _open(game: Any, flight: Any, slot: int, seed: int, opening: int) -> None:
    """Begin a game with random moves: the same in as many games in a row as there are seats, so that each player has each side once."""
    state, joint, rng = flight.states[slot], flight.chosen[slot], np.zeros(1, np.uint64)
    seats = len(flight.seat_scores)
    seed_stream(rng, seed, flight.games[slot] // seats, 1 + seats)
    while opening > 0:
        seat = turn(game, state)
        if seat == OVER:
            break
        if seat == CHANCE:
            play(game, state, roll(game, state, rng, flight.outcomes, flight.odds))
            continue
        if seat == JOINT:
            for s in range(seats):
                joint[s] = random_move(game, state, s, rng, flight.listed)
            play_joint(game, state, joint)
        else:
            play(game, state, random_move(game, state, seat, rng, flight.listed))
        opening -= 1


@kernel
def _settle(game: Any, flight: Any, slots: int, seed: int, max_plies: int, opening: int) -> None:
    """Go on in each slot until somebody has to choose: roll dice, record a finished game, start the next one."""
    states, games, turns, plies, cursor = flight.states, flight.games, flight.turns, flight.plies, flight.cursor
    dice, streams, seat_scores, results = flight.dice, flight.streams, flight.seat_scores, flight.scores
    outcomes, odds = flight.outcomes, flight.odds
    seats = len(seat_scores)
    for slot in range(slots):
        state, rng = states[slot], dice[slot]
        while True:
            if games[slot] < 0:
                turns[slot] = OVER
                if cursor[NEXT] == cursor[END]:
                    break
                games[slot] = cursor[NEXT]
                plies[slot] = 0
                cursor[NEXT] += 1
                start(game, state)
                if opening > 0:
                    _open(game, flight, slot, seed, opening)
                seed_stream(rng, seed, games[slot], 0)
                for seat in range(seats):
                    seed_stream(streams[slot, seat], seed, games[slot], 1 + seat)
            now = turn(game, state)
            if now == CHANCE:
                play(game, state, roll(game, state, rng, outcomes, odds))
            elif now == OVER:
                scores(game, state, seat_scores)
                for seat in range(seats):
                    results[games[slot] - cursor[FIRST], player_at(seat, games[slot], seats)] = seat_scores[seat]
                cursor[DONE] += 1
                games[slot] = -1
            else:
                if 0 < max_plies <= plies[slot]:
                    cursor[ENDLESS] = games[slot]
                turns[slot] = now
                break


@kernel
def _list_questions(flight: Any, slots: int) -> None:
    """Write the questions of all slots, grouped by player: count each player's, then write each to its place."""
    states, games, turns, streams, bounds = flight.states, flight.games, flight.turns, flight.streams, flight.bounds
    asked_states, asked_slots, asked_seats = flight.asked_states, flight.asked_slots, flight.asked_seats
    asked_streams = flight.asked_streams
    seats, size = streams.shape[1], states.shape[1]
    for player in range(seats + 1):
        bounds[player] = 0
    for slot in range(slots):
        for seat in range(seats):
            if turns[slot] in (seat, JOINT):
                bounds[player_at(seat, games[slot], seats)] += 1
    rows = 0
    for player in range(seats + 1):
        rows += bounds[player]
        bounds[player] = rows  # the end of the player's part; writing backwards turns it into the beginning
    for slot in range(slots - 1, -1, -1):
        for seat in range(seats):
            if turns[slot] in (seat, JOINT):
                player = player_at(seat, games[slot], seats)
                bounds[player] -= 1
                row = bounds[player]
                asked_slots[row] = slot
                asked_seats[row] = seat
                asked_streams[row, 0] = streams[slot, seat, 0]
                for i in range(size):
                    asked_states[row, i] = states[slot, i]


@kernel
def step(game: Any, flight: Any, slots: int, seed: int, max_plies: int, opening: int) -> int:
    """Play what was chosen, go on in the first `slots` slots to the next choices, and return how many there are."""
    _play_answers(game, flight)
    _settle(game, flight, slots, seed, max_plies, opening)
    _list_questions(flight, slots)
    return flight.bounds[-1]


# --- the loop --------------------------------------------------------------------------------------------------------


def play_games(
    game: Any,
    players: Sequence[Any],
    names: Sequence[str],
    seed: int,
    games: range,
    report: Callable[[int], None] = lambda done: None,
    room: int = ROOM,
    opening: int = 0,
) -> np.ndarray:
    """Play the games of these numbers, with one player a seat. Returns the scores: one row a game, one column a player.

    The first `opening` moves of each game are random. `report` hears after each step how many games are done; what it raises ends the contest. A player that thinks by the
    clock, and goes on from where it was, may want fewer games in flight, and says so by an attribute `room`.
    """
    room = min([room, *(getattr(player, "room", room) for player in players)])
    flight = new_flight(game, games.start, games.stop, room)
    answer = [_asker(player, name, game, flight) for player, name in zip(players, names, strict=True)]
    slots = 1
    while True:
        begun = time.perf_counter()
        if step(game, flight, slots, seed, game.facts.max_plies, opening) == 0:
            return flight.scores
        if flight.cursor[ENDLESS] >= 0:
            raise LudusError(
                f"game {flight.cursor[ENDLESS]} of {game.facts.name} goes on after {game.facts.max_plies} plies, "
                "which its rules promise not to (facts.max_plies)"
            )
        bounds = flight.bounds.tolist()
        for player, ask in enumerate(answer):
            if bounds[player] < bounds[player + 1]:
                ask(bounds[player], bounds[player + 1])
        report(int(flight.cursor[DONE]))
        if time.perf_counter() - begun < PACE:
            slots = min(2 * slots, len(flight.games))


def _asker(player: Any, name: str, game: Any, flight: Flight) -> Callable[[int, int], None]:
    """A function that lets a player answer the questions from one row up to another."""
    if not is_compiled(player):
        return _PythonAsker(player, name, game, flight)

    def ask(first: int, end: int) -> None:
        states, seats = flight.asked_states[first:end], flight.asked_seats[first:end]
        choose_all(player, game, states, seats, flight.asked_streams[first:end], flight.answers[first:end])

    return ask


class _PythonAsker:
    """Asks a plain Python player, question by question, and looks at what it answers.

    A player may have a method `choose_state(game, state, seat, stream) -> int`. It is preferred to `choose`, as it
    spares the making of a Position; the stream is a kernel's, for `ludus.kernel.draw`.
    """

    def __init__(self, player: Any, name: str, game: Any, flight: Flight) -> None:
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
