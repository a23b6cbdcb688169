"""The kernels behind `Against`: games of one agent, one a row, played on until the agent, or somebody outside, has to choose."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.adapters.sights import FEW
from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, JOINT, OVER, moves, play, play_joint, roll, scores, start, turn
from ludus.kernel import implements, kernel, seed_stream
from ludus.players.base import Random, is_compiled


class Rows(NamedTuple):
    """The games, one a row, for kernels."""

    states: np.ndarray  # row, state
    turns: np.ndarray  # row: the seat to move, JOINT or OVER
    numbers: np.ndarray  # row: the number of the game
    dice: np.ndarray  # row, 1: the stream of the dice
    streams: np.ndarray  # row, seat, 1: the streams of the seats
    chosen: np.ndarray  # row, seat: moves to be played
    answered: np.ndarray  # row, seat: whether there is one
    outcomes: np.ndarray  # buffers
    odds: np.ndarray
    legal: np.ndarray


class Elsewhere(NamedTuple):
    """Stands for players that are asked outside the kernel."""

    number: int = 0


@implements(choose, Elsewhere)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return 0


def _few_rows(*arguments: Any) -> bool:
    """Whether compiling can wait: few games, and nobody in them who thinks."""
    rows = next(a for a in arguments if isinstance(a, Rows))
    return len(rows.turns) <= FEW and not any(
        is_compiled(a) and not isinstance(a, Elsewhere | Random) for a in arguments
    )


@kernel(lazy=True)
def settle(game: Any, state: Any, rng: Any, outcomes: Any, odds: Any) -> int:
    """Let chance have its way until somebody has to decide or the game is over, and say who."""
    while True:
        now = turn(game, state)
        if now != CHANCE:
            return now
        play(game, state, roll(game, state, rng, outcomes, odds))


@kernel(lazy=_few_rows)
def begin_rows(game: Any, rows: Any, which: Any, seed: int) -> None:
    """Begin the games of these rows' numbers, and go on to the first decision."""
    states, streams, dice, turns = rows.states, rows.streams, rows.dice, rows.turns
    for row in range(len(turns)):
        if which[row]:
            start(game, states[row])
            seed_stream(dice[row], seed, rows.numbers[row], 0)
            for seat in range(streams.shape[1]):
                seed_stream(streams[row, seat], seed, rows.numbers[row], 1 + seat)
                rows.answered[row, seat] = False
            turns[row] = settle(game, states[row], dice[row], rows.outcomes, rows.odds)


@kernel(lazy=_few_rows)
def take_actions(table: Any, rows: Any, masks: Any, seat: int, actions: Any, idle: Any) -> Any:
    """Note the agent's actions as moves to be played; say which are not legal."""
    wrong = np.zeros(len(actions), np.bool_)
    for row in range(len(actions)):
        if idle[row] or rows.turns[row] == OVER:
            continue
        if masks[row, actions[row]]:
            rows.chosen[row, seat] = table.moves[seat, actions[row]]
            rows.answered[row, seat] = True
        else:
            wrong[row] = True
    return wrong


@kernel
def _play_on(game: Any, base: Any, player: Any, inside: bool, rows: Any, agent: int) -> None:
    """Play in each game while the moves are there; those of a player inside always are."""
    states, turns, chosen, answered, streams = rows.states, rows.turns, rows.chosen, rows.answered, rows.streams
    dice, outcomes, odds, seats = rows.dice, rows.outcomes, rows.odds, rows.chosen.shape[1]
    for row in range(len(turns)):
        state, now = states[row], turns[row]
        while now != OVER:
            if now == JOINT:
                if inside and answered[row, agent]:
                    for seat in range(seats):
                        if seat != agent:
                            chosen[row, seat] = choose(player, base, state, seat, streams[row, seat])
                            answered[row, seat] = True
                ready = True
                for seat in range(seats):
                    ready &= answered[row, seat]
                if not ready:
                    break
                play_joint(game, state, chosen[row])
                for seat in range(seats):
                    answered[row, seat] = False
            elif now == agent:
                if not answered[row, now]:
                    break
                play(game, state, chosen[row, now])
                answered[row, now] = False
            elif inside:
                play(base, state, choose(player, base, state, now, streams[row, now]))
            elif answered[row, now]:
                play(base, state, chosen[row, now])
                answered[row, now] = False
            else:
                break
            now = settle(game, state, dice[row], outcomes, odds)
        turns[row] = now


@kernel(lazy=_few_rows)
def go_on(game: Any, base: Any, player: Any, inside: bool, rows: Any, asked: Any, agent: int) -> int:
    """Take the answers to the last questions, play in each game whose moves are there, and list the next questions."""
    states, turns, chosen, answered, streams = rows.states, rows.turns, rows.chosen, rows.answered, rows.streams
    places, seats_asked, answers, bounds = asked.asked_slots, asked.asked_seats, asked.answers, asked.bounds
    asked_states, asked_streams = asked.asked_states, asked.asked_streams
    seats, size = chosen.shape[1], asked_states.shape[1]
    for row in range(bounds[-1]):
        chosen[places[row], seats_asked[row]] = answers[row]
        answered[places[row], seats_asked[row]] = True
        streams[places[row], seats_asked[row], 0] = asked_streams[row, 0]
    _play_on(game, base, player, inside, rows, agent)
    count = 0
    for seat in range(seats):
        bounds[seat] = count
        if seat == agent:
            continue
        for row in range(len(turns)):
            now = turns[row]
            if now == seat or (now == JOINT and answered[row, agent] and not answered[row, seat]):
                places[count] = row
                seats_asked[count] = seat
                asked_streams[count, 0] = streams[row, seat, 0]
                for i in range(size):
                    asked_states[count, i] = states[row, i]
                count += 1
    bounds[seats] = count
    return count


@kernel(lazy=_few_rows)
def mark_legal(game: Any, table: Any, rows: Any, seat: int, out: Any) -> None:
    """Write which actions are legal in each game."""
    for row in range(len(out)):
        for i in range(out.shape[1]):
            out[row, i] = 0
        if rows.turns[row] == seat or rows.turns[row] == JOINT:
            for i in range(moves(game, rows.states[row], seat, rows.legal)):
                out[row, table.ids[rows.legal[i]]] = 1


@kernel(lazy=_few_rows)
def final_scores(game: Any, rows: Any, out: Any) -> Any:
    """Write the scores of the games that are over."""
    for row in range(len(out)):
        if rows.turns[row] == OVER:
            scores(game, rows.states[row], out[row])
    return out
