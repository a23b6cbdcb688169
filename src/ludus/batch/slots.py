"""Slots, each with a game in flight, so that a ply costs a kernel's time and not an interpreter's.

One step is one kernel: it plays the moves just chosen, rolls the dice that are due, records finished games and starts others in
their place, and lists the questions "what do you move here?". A game's randomness depends on the seed and its number alone: the
dice have one stream, each seat another, so that neither the number of slots nor that of workers changes any result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.batch.luck import UNJUDGED, Luck, judging_room, new_luck, note_luck
from ludus.contract.knowing import veil_all
from ludus.contract.rules import CHANCE, JOINT, OVER, play, play_joint, random_move, roll, scores, start, turn
from ludus.errors import LudusError
from ludus.kernel import kernel, seed_stream

# Places in `Slots.cursor`: the next game to start, the last one + 1, how many are done, the first one, one that goes on longer
# than its rules promise (or -1), and how many ended in this step.
NEXT, END, DONE, FIRST, ENDLESS, ENDED = range(6)


class Options(NamedTuple):
    """How games are played in slots, beside their rules."""

    seed: int
    max_plies: int  # what the rules promise as a game's greatest length, or 0
    opening: int = 0  # random moves at the beginning of a game
    limit: int = 0  # a game of so many moves is cut; 0: none is
    alike: int = 1  # so many games in a row have the same dice


class Slots(NamedTuple):
    """The arrays: slots with their games, questions about them, the scores of finished games."""

    # One row a slot.
    states: np.ndarray  # slot, state
    games: np.ndarray  # slot: the number of its game, or -1
    turns: np.ndarray  # slot: the seat to move, JOINT, or OVER for an empty slot
    plies: np.ndarray  # slot
    dice: np.ndarray  # slot, 1: the stream of the dice
    streams: np.ndarray  # slot, seat, 1: the streams of the seats
    chosen: np.ndarray  # slot, seat: the moves to be played
    # One row a question. They are copies: who answers can't spoil a game by scribbling on the question.
    asked_states: np.ndarray
    asked_slots: np.ndarray
    asked_seats: np.ndarray
    asked_streams: np.ndarray
    answers: np.ndarray
    bounds: np.ndarray  # group + 1: questions bounds[g] up to bounds[g + 1] go to group g
    # One row a game that ended in this step, at most one a slot.
    ended_states: np.ndarray
    ended_games: np.ndarray
    ended_slots: np.ndarray
    ended_over: np.ndarray  # False: it was cut
    # The rest.
    scores: np.ndarray  # game, seat
    cursor: np.ndarray  # see NEXT, END, DONE, FIRST, ENDLESS, ENDED
    outcomes: np.ndarray  # buffers for a chance event, one game's scores, and legal moves
    odds: np.ndarray
    seat_scores: np.ndarray
    legal: np.ndarray
    luck: Luck


def new_slots(game: Any, numbers: range, slots: int, groups: int = 1) -> Slots:
    """Slots that will play the games of these numbers. Questions are sorted into groups, as many as there are or one a seat: see `group_of`."""
    facts = game.facts
    slots, seats = min(slots, len(numbers)), facts.seats
    rows, whole = slots * seats, np.int64
    return Slots(
        states=np.zeros((slots, facts.state_size), whole),
        games=np.full(slots, -1, whole),
        turns=np.full(slots, OVER, whole),
        plies=np.zeros(slots, whole),
        dice=np.zeros((slots, 1), np.uint64),
        streams=np.zeros((slots, seats, 1), np.uint64),
        chosen=np.zeros((slots, seats), whole),
        asked_states=np.zeros((rows, facts.state_size), whole),
        asked_slots=np.zeros(rows, whole),
        asked_seats=np.zeros(rows, whole),
        asked_streams=np.zeros((rows, 1), np.uint64),
        answers=np.zeros(rows, whole),
        bounds=np.zeros(groups + 1, whole),
        ended_states=np.zeros((slots, facts.state_size), whole),
        ended_games=np.zeros(slots, whole),
        ended_slots=np.zeros(slots, whole),
        ended_over=np.zeros(slots, np.bool_),
        scores=np.zeros((len(numbers), seats)),
        cursor=np.array([numbers.start, numbers.stop, 0, numbers.start, -1, 0], whole),
        outcomes=np.zeros(max(facts.max_chances, 1), whole),
        odds=np.zeros(max(facts.max_chances, 1)),
        seat_scores=np.zeros(seats),
        legal=np.zeros(facts.max_moves, whole),
        luck=new_luck(game, len(numbers)),
    )


@kernel
def group_of(seat: int, number: int, groups: int) -> int:
    """To whom a question goes: where there are as many groups as seats, they move on by one seat from game to game."""
    return (seat + number) % groups


# These are many arrays. Kernels that get them are called once a step, not once a game, and take out at the beginning what their
# loops use: handing all of it to a function costs more than a ply does.


@kernel
def _play_answers(game: Any, slots: Any) -> None:
    """Play the moves that were chosen, one in each slot that has a game."""
    places, seats, answers, given = slots.asked_slots, slots.asked_seats, slots.answers, slots.asked_streams
    states, turns, plies, chosen, streams = slots.states, slots.turns, slots.plies, slots.chosen, slots.streams
    for row in range(slots.bounds[-1]):
        chosen[places[row], seats[row]] = answers[row]
        streams[places[row], seats[row], 0] = given[row, 0]
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
def _open(game: Any, slots: Any, slot: int, seed: int, opening: int) -> None:
    """Begin a game with random moves: the same in as many games in a row as there are seats, so that each player has each side once."""
    state, joint, rng = slots.states[slot], slots.chosen[slot], np.zeros(1, np.uint64)
    seats = len(slots.seat_scores)
    seed_stream(rng, seed, slots.games[slot] // seats, 1 + seats)
    while opening > 0:
        seat = turn(game, state)
        if seat == OVER:
            break
        if seat == CHANCE:
            play(game, state, roll(game, state, rng, slots.outcomes, slots.odds))
            continue
        if seat == JOINT:
            for s in range(seats):
                joint[s] = random_move(game, state, s, rng, slots.legal)
            play_joint(game, state, joint)
        else:
            play(game, state, random_move(game, state, seat, rng, slots.legal))
        opening -= 1


@kernel
def _settle(game: Any, slots: Any, count: int, options: Any, judge: Any) -> None:
    """Go on in each of the first `count` slots until somebody has to choose: roll dice, record a finished game, start the next one."""
    states, games, turns, plies, cursor = slots.states, slots.games, slots.turns, slots.plies, slots.cursor
    dice, streams, seat_scores, results = slots.dice, slots.streams, slots.seat_scores, slots.scores
    ended_states, ended_games, ended_slots = slots.ended_states, slots.ended_games, slots.ended_slots
    ended_over, outcomes, odds = slots.ended_over, slots.outcomes, slots.odds
    luck, room = slots.luck, judging_room(judge, game)
    seats, size = len(seat_scores), states.shape[1]
    cursor[ENDED] = 0
    for slot in range(count):
        state, rng = states[slot], dice[slot]
        ended = False
        while True:
            if games[slot] < 0:
                turns[slot] = OVER
                if cursor[NEXT] == cursor[END]:
                    break
                games[slot] = cursor[NEXT]
                plies[slot] = 0
                cursor[NEXT] += 1
                start(game, state)
                if options.opening > 0:
                    _open(game, slots, slot, options.seed, options.opening)
                seed_stream(rng, options.seed, games[slot] // options.alike, 0)
                for seat in range(seats):
                    seed_stream(streams[slot, seat], options.seed, games[slot], 1 + seat)
            now = turn(game, state)
            if now == CHANCE:
                outcome = roll(game, state, rng, outcomes, odds)
                note_luck(judge, game, state, outcome, luck, room, games[slot] - cursor[FIRST])
                play(game, state, outcome)
            elif now == OVER or 0 < options.limit <= plies[slot]:
                if ended:  # a game that ends before its first decision: it waits for the next step, as there is one place a slot
                    turns[slot] = OVER
                    break
                ended = True
                row = cursor[ENDED]
                ended_games[row] = games[slot]
                ended_slots[row] = slot
                ended_over[row] = now == OVER
                for i in range(size):
                    ended_states[row, i] = state[i]
                if now == OVER:
                    scores(game, state, seat_scores)
                    for seat in range(seats):
                        results[games[slot] - cursor[FIRST], seat] = seat_scores[seat]
                cursor[ENDED] += 1
                cursor[DONE] += 1
                games[slot] = -1
            else:
                if 0 < options.max_plies <= plies[slot]:
                    cursor[ENDLESS] = games[slot]
                turns[slot] = now
                break


@kernel
def _list_questions(slots: Any, count: int) -> None:
    """Write the questions of the first `count` slots: count each group's, then write each to its place."""
    states, games, turns, streams, bounds = slots.states, slots.games, slots.turns, slots.streams, slots.bounds
    asked_states, asked_slots, asked_seats = slots.asked_states, slots.asked_slots, slots.asked_seats
    asked_streams = slots.asked_streams
    groups, seats, size = len(bounds) - 1, streams.shape[1], states.shape[1]
    for group in range(groups + 1):
        bounds[group] = 0
    for slot in range(count):
        for seat in range(seats):
            if turns[slot] in (seat, JOINT):
                bounds[group_of(seat, games[slot], groups)] += 1
    rows = 0
    for group in range(groups + 1):
        rows += bounds[group]
        bounds[group] = rows  # the end of the group's part; writing backwards turns it into the beginning
    for slot in range(count - 1, -1, -1):
        for seat in range(seats - 1, -1, -1):
            if turns[slot] in (seat, JOINT):
                group = group_of(seat, games[slot], groups)
                bounds[group] -= 1
                row = bounds[group]
                asked_slots[row] = slot
                asked_seats[row] = seat
                asked_streams[row, 0] = streams[slot, seat, 0]
                for i in range(size):
                    asked_states[row, i] = states[slot, i]


@kernel
def _step(game: Any, slots: Any, count: int, options: Any, judge: Any) -> int:
    _play_answers(game, slots)
    _settle(game, slots, count, options, judge)
    _list_questions(slots, count)
    veil_all(game, slots.asked_states, slots.asked_seats, slots.bounds[-1])
    return slots.bounds[-1]


def step(game: Any, slots: Slots, count: int, options: Options, judge: Any = UNJUDGED) -> int:
    """Play what was chosen, go on in the first `count` slots to the next choices, and return how many there are. A judge notes the luck of the dice
    (`ludus.batch.luck`), and changes nothing else. LudusError if a game is longer than its rules promise.
    """
    asked = _step(game, slots, count, options, judge)
    if slots.cursor[ENDLESS] >= 0:
        raise LudusError(
            f"game {slots.cursor[ENDLESS]} of {game.facts.name} goes on after {game.facts.max_plies} plies, "
            "which its rules promise not to (facts.max_plies)"
        )
    return asked


def all_done(slots: Slots) -> bool:
    """Whether all games have ended."""
    return bool(slots.cursor[DONE] == len(slots.scores))
