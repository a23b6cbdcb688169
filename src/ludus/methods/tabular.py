"""The kernels of method `table`: matches are played and learned from, state by state, in a hash table (Wang, Emmerich & Plaat 2018).

Values are goals from 0 to 1. Entries that are not there count 0, and only values above 0 are followed: where a role finds none, it
moves at random (QPlayer) or searches (QMPlayer).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import JOINT, OVER, moves, play, play_joint, scores, turn
from ludus.kernel import below, kernel, uniform
from ludus.methods.episodes import MAX_PLIES, begin_episode, is_own, new_dice, next_decision
from ludus.nets.hashtable import find, move_key, slot_of, state_key, value_at, with_capacity
from ludus.search.montecarlo import search_budget, search_move

# When values change.
AT_END = 0  # Q-learning from the end of a match back to its beginning: Algorithms 4 and 5
AT_STEPS = 1  # Q-learning at each decision, of the one before: Algorithms 2 and 3
TRACES = 2  # TD(λ) at each decision, of all before: Banerjee & Stone (2007)
UPDATES = {"end": AT_END, "step": AT_STEPS, "traces": TRACES}

NO_MOVE = -1  # what a role does while another one moves, where that is remembered too


class Options(NamedTuple):
    """How a table is read and changed, as numbers for kernels."""

    update: int
    afterstates: bool  # values belong to the states after moves, and not to moves in states
    complete: bool  # values are followed only where every move has one
    watch: bool  # learns from the moves of others too, for the roles that they play
    noops: bool  # states in which another role moves are met and remembered too, as in GGP, where all have a move at each step
    discount: float
    decay: float  # λ
    power: float  # the step size falls with the number n of visits, as 1 / n^power
    playouts: int  # games a move, where there is no value to follow; 0: a random move
    nested: bool  # whether such games are played by search in their turn
    limit: int  # most entries
    low: float  # the lowest score of the game
    span: float  # from the lowest score to the highest


class Record(NamedTuple):
    """The decisions of a match so far."""

    seat: np.ndarray
    first: np.ndarray  # where its options begin in `keys`
    size: np.ndarray  # how many there are
    chosen: np.ndarray  # which of them was taken
    keys: np.ndarray  # of all options of all decisions


@kernel
def new_record(decisions: int, moves: int) -> Any:
    """Space for a match."""
    return Record(
        np.empty(decisions, np.int64), np.empty(decisions, np.int64), np.empty(decisions, np.int64),
        np.empty(decisions, np.int64), np.empty(moves, np.uint64),
    )  # fmt: skip


@kernel
def _with_space(record: Any, decisions: int, moves: int) -> Any:
    """The record, or a larger copy if it has no space for one decision more, of so many moves."""
    begin = record.first[decisions - 1] + record.size[decisions - 1] if decisions else 0
    if decisions < len(record.seat) and begin + moves <= len(record.keys):
        return record
    wide = new_record(2 * len(record.seat), 2 * (begin + moves))
    for i in range(decisions):
        wide.seat[i], wide.first[i], wide.size[i] = record.seat[i], record.first[i], record.size[i]
        wide.chosen[i] = record.chosen[i]
    for i in range(begin):
        wide.keys[i] = record.keys[i]
    return wide


# --- looking up ------------------------------------------------------------------------------------------------------


@kernel
def option_keys(game: Any, state: Any, seat: int, afterstates: bool, legal: Any, count: int, after: Any, out: Any) -> None:  # fmt: skip
    """Write the keys of a seat's moves. Where all move at once, no state belongs to one seat's move, and the move has the value."""
    if afterstates and turn(game, state) != JOINT:
        for n in range(count):
            for i in range(len(state)):
                after[i] = state[i]
            play(game, after, legal[n])
            out[n] = state_key(after, seat)
    else:
        base = state_key(state, seat)
        for n in range(count):
            out[n] = move_key(base, legal[n])


@kernel
def best_value(table: Any, keys: Any, begin: int, count: int) -> float:
    """The highest of some values, at least 0."""
    best = 0.0
    for n in range(begin, begin + count):
        best = max(best, value_at(table, keys[n]))
    return best


@kernel
def best_known(table: Any, keys: Any, count: int, complete: bool) -> int:
    """Which option has the highest value above 0, the first of equals; -1 if there is none. `complete`: also -1 if any has no value."""
    best, highest = -1, 0.0
    for n in range(count):
        slot = find(table, keys[n])
        if slot < 0:
            if complete:
                return -1
        elif table.values[slot] > highest:
            best, highest = n, table.values[slot]
    return best


# --- learning --------------------------------------------------------------------------------------------------------


@kernel
def nudge(table: Any, options: Any, key: Any, target: float, rate: float) -> None:
    """Q ← (1 - α) Q + α target. Beyond its limit, a table takes no new keys."""
    if table.used[0] >= options.limit and find(table, key) < 0:
        return
    slot = slot_of(table, key)
    table.visits[slot] += 1
    alpha = rate
    if options.power > 0.0:
        alpha = rate * np.float64(table.visits[slot]) ** -options.power
    table.values[slot] = (1.0 - alpha) * table.values[slot] + alpha * target


@kernel
def learn_backwards(table: Any, options: Any, record: Any, length: int, goals: Any, rate: float) -> None:
    """Q-learning from a match's last decision to its first: each role's next state is that of its own next decision."""
    later = np.full(len(goals), -1)
    for t in range(length - 1, -1, -1):
        seat = record.seat[t]
        after = later[seat]
        target = goals[seat]
        if after >= 0:
            target = options.discount * best_value(table, record.keys, record.first[after], record.size[after])
        nudge(table, options, record.keys[record.first[t] + record.chosen[t]], target, rate)
        later[seat] = t


@kernel
def learn_traces(table: Any, options: Any, record: Any, length: int, seat: int, target: float, rate: float) -> None:
    """TD(λ): the error of a seat's last value, towards `target`, changes all its values of the match, the older the less."""
    share, error = 1.0, 0.0
    newest = True
    for t in range(length - 1, -1, -1):
        if record.seat[t] != seat:
            continue
        key = record.keys[record.first[t] + record.chosen[t]]
        slot = find(table, key)
        value = table.values[slot] if slot >= 0 else 0.0
        if newest:
            error = target - value
            newest = False
        nudge(table, options, key, value + share * error, rate)
        share *= options.discount * options.decay


class Tally(NamedTuple):
    """What came of each match, and of all of them."""

    wins: np.ndarray  # whether the learner won it alone
    points: np.ndarray  # its goal
    counts: np.ndarray  # decisions, and those made by search


class Plan(NamedTuple):
    """Which matches are learned from, and how fast."""

    learning: np.ndarray
    rate: float


@kernel
def learn_matches(
    table: Any, options: Any, game: Any, sizes: Any, seats: Any, episodes: Any, plan: Any, tally: Any
) -> Any:
    """Play matches, and learn from those that the plan says; return the table, which may have grown."""
    max_moves, state_size, places, max_chances = sizes
    rate, exploration, first = plan.rate, episodes.exploration, episodes.first
    wins, points, counts = tally.wins, tally.points, tally.counts
    state, after = np.zeros(state_size, np.int64), np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rng = dice.rng
    legal, means, keys = np.zeros(max_moves, np.int64), np.zeros(max_moves), np.zeros(max_moves, np.uint64)
    joint, goals = np.zeros(places, np.int64), np.zeros(places)
    last = np.zeros(places, np.int64)
    record = new_record(64, 64 * 16)
    for number in range(first, first + len(exploration)):
        epsilon, learns = exploration[number - first], plan.learning[number - first]
        begin_episode(game, state, dice, episodes.seed, number)
        last[:] = -1
        length, plies = 0, 0
        while plies < MAX_PLIES:
            mover = next_decision(game, state, dice.dice, dice.outcomes, dice.odds)
            if mover == OVER:
                break
            plies += 1
            for seat in range(places):
                own = is_own(seats, seat, number, places)
                moving = mover in (seat, JOINT)
                if moving and not own:
                    joint[seat] = choose(seats.partner, game, state, seat, rng)
                if not (own or options.watch) or not (moving or options.noops):
                    continue
                count = 1
                if moving:
                    count = moves(game, state, seat, legal)
                    option_keys(game, state, seat, options.afterstates, legal, count, after, keys)
                else:
                    keys[0] = move_key(state_key(state, seat), NO_MOVE)
                before = last[seat]
                if learns and options.update == AT_STEPS and before >= 0:
                    table = with_capacity(table, 1)
                    best = options.discount * best_value(table, keys, 0, count)
                    nudge(table, options, record.keys[record.first[before] + record.chosen[before]], best, rate)
                chosen = 0
                if moving and not own:
                    while legal[chosen] != joint[seat]:
                        chosen += 1
                elif moving:
                    counts[0] += 1
                    if uniform(rng) < epsilon:
                        chosen = below(rng, count)
                    else:
                        chosen = best_known(table, keys, count, options.complete)
                        if chosen < 0 and options.playouts > 0:
                            counts[1] += 1
                            budget = search_budget(options.playouts, options.nested)
                            chosen = search_move(game, state, seat, rng, budget, sizes, legal, means)
                        elif chosen < 0:
                            chosen = below(rng, count)
                    joint[seat] = legal[chosen]
                if learns and options.update == TRACES and before >= 0:
                    table = with_capacity(table, length)
                    learn_traces(
                        table, options, record, length, seat, options.discount * value_at(table, keys[chosen]), rate
                    )
                record = _with_space(record, length, count)
                begin = record.first[length - 1] + record.size[length - 1] if length else 0
                record.seat[length], record.first[length] = seat, begin
                record.size[length], record.chosen[length] = count, chosen
                for n in range(count):
                    record.keys[begin + n] = keys[n]
                last[seat] = length
                length += 1
            if mover == JOINT:
                play_joint(game, state, joint)
            else:
                play(game, state, joint[mover])
        wins[number - first] = 0.0
        points[number - first] = 0.0
        if turn(game, state) != OVER:
            continue  # a match without end teaches nothing
        scores(game, state, goals)
        for seat in range(places):
            goals[seat] = (goals[seat] - options.low) / options.span
        if learns and options.update == AT_END:
            table = with_capacity(table, length)
            learn_backwards(table, options, record, length, goals, rate)
        elif learns:
            table = with_capacity(table, length)
            for seat in range(places):
                if last[seat] >= 0 and options.update == TRACES:
                    learn_traces(table, options, record, length, seat, goals[seat], rate)
                elif last[seat] >= 0:
                    t = last[seat]
                    nudge(table, options, record.keys[record.first[t] + record.chosen[t]], goals[seat], rate)
        wins[number - first], points[number - first] = outcome_for(goals, seats, number)
    return table


@kernel
def outcome_for(goals: Any, seats: Any, number: int) -> tuple[float, float]:
    """Whether one of the learner's seats has won alone (in a game for one: has reached the highest goal), and the mean goal of them."""
    places = len(goals)
    best, own, others = -1.0, 0, -1.0
    total = 0.0
    for seat in range(places):
        if is_own(seats, seat, number, places):
            best = max(best, goals[seat])
            total += goals[seat]
            own += 1
        else:
            others = max(others, goals[seat])
    won = best > others if own < places else best >= 1.0
    return (1.0 if won else 0.0), total / own
