"""Tabular learning of any game, state by state (Wang, Emmerich & Plaat 2018): a hash table holds a value for each move in each state
that a role has met, or for each state after a move. One kernel plays and learns from whole matches; `learner.py` steers it.

Values are goals from 0 to 1. Entries that are not there count 0, and only values above 0 are followed: where a role finds none, it
moves at random (QPlayer) or searches (QMPlayer).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER, moves, play, play_joint, roll, scores, start, turn
from ludus.errors import LudusError
from ludus.kernel import below, kernel, seed_stream, uniform
from ludus.methods.presets import Settings
from ludus.nets.hashtable import HashTable, find, move_key, slot_of, state_key, table_of, value_at, with_room
from ludus.nets.value import MAX_PLIES
from ludus.search.montecarlo import search_budget, search_move

# When values change.
AT_END = 0  # Q-learning from the end of a match back to its beginning: Algorithms 4 and 5
AT_STEPS = 1  # Q-learning at each decision, of the one before: Algorithms 2 and 3
TRACES = 2  # TD(λ) at each decision, of all before: Banerjee & Stone (2007)
UPDATES = {"end": AT_END, "step": AT_STEPS, "traces": TRACES}

NO_MOVE = -1  # what a role does while another one moves, where that is remembered too


class Way(NamedTuple):
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
def new_record(decisions: int, options: int) -> Any:
    """Room for a match."""
    return Record(
        np.empty(decisions, np.int64), np.empty(decisions, np.int64), np.empty(decisions, np.int64),
        np.empty(decisions, np.int64), np.empty(options, np.uint64),
    )  # fmt: skip


@kernel
def _roomy(record: Any, decisions: int, options: int) -> Any:
    """The record, or a larger copy if it has no room for one decision more of so many options."""
    begin = record.first[decisions - 1] + record.size[decisions - 1] if decisions else 0
    if decisions < len(record.seat) and begin + options <= len(record.keys):
        return record
    wide = new_record(2 * len(record.seat), 2 * (begin + options))
    for i in range(decisions):
        wide.seat[i], wide.first[i], wide.size[i] = record.seat[i], record.first[i], record.size[i]
        wide.chosen[i] = record.chosen[i]
    for i in range(begin):
        wide.keys[i] = record.keys[i]
    return wide


# --- looking up ------------------------------------------------------------------------------------------------------


@kernel
def option_keys(game: Any, state: Any, seat: int, afterstates: bool, listed: Any, count: int, after: Any, out: Any) -> None:  # fmt: skip
    """Write the keys of a seat's moves. Where all move at once, no state belongs to one seat's move, and the move has the value."""
    if afterstates and turn(game, state) != JOINT:
        for n in range(count):
            for i in range(len(state)):
                after[i] = state[i]
            play(game, after, listed[n])
            out[n] = state_key(after, seat)
    else:
        base = state_key(state, seat)
        for n in range(count):
            out[n] = move_key(base, listed[n])


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
def nudge(table: Any, way: Any, key: Any, target: float, rate: float) -> None:
    """Q ← (1 - α) Q + α target. Beyond its limit, a table takes no new keys."""
    if table.used[0] >= way.limit and find(table, key) < 0:
        return
    slot = slot_of(table, key)
    table.visits[slot] += 1
    alpha = rate
    if way.power > 0.0:
        alpha = rate * np.float64(table.visits[slot]) ** -way.power
    table.values[slot] = (1.0 - alpha) * table.values[slot] + alpha * target


@kernel
def learn_backwards(table: Any, way: Any, record: Any, length: int, goals: Any, rate: float) -> None:
    """Q-learning from a match's last decision to its first: each role's next state is that of its own next decision."""
    later = np.full(len(goals), -1)
    for t in range(length - 1, -1, -1):
        seat = record.seat[t]
        after = later[seat]
        target = goals[seat]
        if after >= 0:
            target = way.discount * best_value(table, record.keys, record.first[after], record.size[after])
        nudge(table, way, record.keys[record.first[t] + record.chosen[t]], target, rate)
        later[seat] = t


@kernel
def learn_traces(table: Any, way: Any, record: Any, length: int, seat: int, target: float, rate: float) -> None:
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
        nudge(table, way, key, value + share * error, rate)
        share *= way.discount * way.decay


@kernel
def learn_matches(
    table: Any, way: Any, game: Any, sizes: Any, partner: Any, mask: int, rotate: bool, seed: int, first: int,
    exploration: Any, learning: Any, rate: float, wins: Any, points: Any, counts: Any,
) -> Any:  # fmt: skip
    """Play matches `first`, `first` + 1, …, one for each number in `exploration`, the share of random moves, and learn from those that
    `learning` says; return the table, which may have grown.

    Bit s of `mask` says that the learner sits in seat s, `partner` in the rest; with `rotate` all move on by a seat a match. `wins` gets
    whether the learner won each match alone, `points` its goal; `counts` is added the decisions, and those made by search.
    """
    max_moves, state_size, seats, max_chances = sizes
    state, after = np.zeros(state_size, np.int64), np.zeros(state_size, np.int64)
    rng, luck = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    outcomes, odds = np.zeros(max_chances, np.int64), np.zeros(max_chances)
    listed, means, keys = np.zeros(max_moves, np.int64), np.zeros(max_moves), np.zeros(max_moves, np.uint64)
    joint, goals = np.zeros(seats, np.int64), np.zeros(seats)
    last = np.zeros(seats, np.int64)
    record = new_record(64, 64 * 16)
    for number in range(first, first + len(exploration)):
        epsilon, learns = exploration[number - first], learning[number - first]
        seed_stream(rng, seed, number, 0)
        seed_stream(luck, seed, number, 1)
        start(game, state)
        last[:] = -1
        length, plies = 0, 0
        while plies < MAX_PLIES:
            mover = turn(game, state)
            if mover == OVER:
                break
            if mover == CHANCE:
                play(game, state, roll(game, state, rng, outcomes, odds))
                continue
            plies += 1
            for seat in range(seats):
                place = (seat + number) % seats if rotate else seat
                own = mask >> place & 1
                moving = mover in (seat, JOINT)
                if moving and not own:
                    joint[seat] = choose(partner, game, state, seat, luck)
                if not (own or way.watch) or not (moving or way.noops):
                    continue
                count = 1
                if moving:
                    count = moves(game, state, seat, listed)
                    option_keys(game, state, seat, way.afterstates, listed, count, after, keys)
                else:
                    keys[0] = move_key(state_key(state, seat), NO_MOVE)
                before = last[seat]
                if learns and way.update == AT_STEPS and before >= 0:
                    table = with_room(table, 1)
                    best = way.discount * best_value(table, keys, 0, count)
                    nudge(table, way, record.keys[record.first[before] + record.chosen[before]], best, rate)
                chosen = 0
                if moving and not own:
                    while listed[chosen] != joint[seat]:
                        chosen += 1
                elif moving:
                    counts[0] += 1
                    if uniform(luck) < epsilon:
                        chosen = below(luck, count)
                    else:
                        chosen = best_known(table, keys, count, way.complete)
                        if chosen < 0 and way.playouts > 0:
                            counts[1] += 1
                            budget = search_budget(way.playouts, way.nested)
                            chosen = search_move(game, state, seat, luck, budget, sizes, listed, means)
                        elif chosen < 0:
                            chosen = below(luck, count)
                    joint[seat] = listed[chosen]
                if learns and way.update == TRACES and before >= 0:
                    table = with_room(table, length)
                    learn_traces(table, way, record, length, seat, way.discount * value_at(table, keys[chosen]), rate)
                record = _roomy(record, length, count)
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
        for seat in range(seats):
            goals[seat] = (goals[seat] - way.low) / way.span
        if learns and way.update == AT_END:
            table = with_room(table, length)
            learn_backwards(table, way, record, length, goals, rate)
        elif learns:
            table = with_room(table, length)
            for seat in range(seats):
                if last[seat] >= 0 and way.update == TRACES:
                    learn_traces(table, way, record, length, seat, goals[seat], rate)
                elif last[seat] >= 0:
                    t = last[seat]
                    nudge(table, way, record.keys[record.first[t] + record.chosen[t]], goals[seat], rate)
        wins[number - first], points[number - first] = outcome_for(goals, mask, number if rotate else 0)
    return table


@kernel
def outcome_for(goals: Any, mask: int, turned: int) -> tuple[float, float]:
    """Whether one of the learner's seats has won alone (in a game for one: has reached the highest goal), and the mean goal of them."""
    seats = len(goals)
    best, own, others = -1.0, 0, -1.0
    total = 0.0
    for seat in range(seats):
        if mask >> (seat + turned) % seats & 1:
            best = max(best, goals[seat])
            total += goals[seat]
            own += 1
        else:
            others = max(others, goals[seat])
    won = best > others if own < seats else best >= 1.0
    return (1.0 if won else 0.0), total / own


# --- for players -----------------------------------------------------------------------------------------------------


@kernel
def table_move(table: Any, way: Any, game: Any, state: Any, seat: int, sizes: Any, rng: Any) -> int:
    """The move that the table says is best; where it knows none, one found by search, or a random one."""
    max_moves, state_size, _, _ = sizes
    listed, keys = np.empty(max_moves, np.int64), np.empty(max_moves, np.uint64)
    count = moves(game, state, seat, listed)
    option_keys(game, state, seat, way.afterstates, listed, count, np.empty(state_size, np.int64), keys)
    chosen = best_known(table, keys, count, way.complete)
    if chosen < 0 and way.playouts > 0:
        budget = search_budget(way.playouts, way.nested)
        chosen = search_move(game, state, seat, rng, budget, sizes, listed, np.empty(max_moves))
    elif chosen < 0:
        chosen = below(rng, count)
    return listed[chosen]


# --- for Python ------------------------------------------------------------------------------------------------------


def way_of(game: Any, settings: Settings) -> Way:
    """The way that settings ask for."""
    low, high = game.facts.score_range
    s = settings
    return Way(
        UPDATES[s.update], s.afterstates, s.complete, s.watch, s.noops, s.discount, s.decay, s.rate_power, s.playouts, s.nested,
        s.table_limit, float(low), float(high - low) or 1.0,
    )  # fmt: skip


def rules_mark(game: Any) -> np.ndarray:
    """A mark of the rules that a table is for: games of one name may number their states and moves otherwise, as sheets of rules do."""
    position = Position.start(game)
    mark = np.uint64(state_key(position.state.copy(), game.facts.seats))  # compiled functions return plain integers
    for seat in range(game.facts.seats):
        for move in position.moves(seat):
            mark = np.uint64(move_key(mark, int(move)))
            mark = np.uint64(move_key(mark, int.from_bytes(move.text.encode()[-7:])))
    return np.array([mark], np.uint64)


def table_from(tensors: dict[str, np.ndarray], game: Any, where: str) -> HashTable:
    """The table in a file; LudusError if there is none in it, or one for other rules."""
    kinds = {"keys": np.uint64, "values": np.float64, "visits": np.int64, "rules": np.uint64}
    for name, kind in kinds.items():
        if name not in tensors or tensors[name].dtype != kind or tensors[name].ndim != 1:
            raise LudusError(f"{where} does not hold a table of states: {name} is missing or of another kind")
    keys, values, visits = tensors["keys"], tensors["values"], tensors["visits"]
    if not len(keys) == len(values) == len(visits):
        raise LudusError(
            f"{where} is damaged: it has {len(keys)} keys, but {len(values)} values and {len(visits)} visits"
        )
    if (len(keys) and keys[0] == 0) or not (keys[1:] > keys[:-1]).all() or not np.isfinite(values).all():
        raise LudusError(f"{where} is damaged: its keys are not in order, or its values not finite")
    if not np.array_equal(tensors["rules"], rules_mark(game)):
        raise LudusError(
            f"{where} was made for other rules of {game.facts.name}: it begins otherwise, or moves have other names"
        )
    return table_of(keys, values, visits)
