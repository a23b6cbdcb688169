"""Q-learning (Watkins 1989) on a *scheme*, which sorts situations and moves into rows and actions (see `ludus.contract`).

The values live in a table or in a network; both answer the same words below. A learner's seats share them. When an
action is accounted for is the scheme's business: at once, at the seat's next roll, or at its next decision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, OVER, play, roll, scores, start, turn
from ludus.contract.views import account, features, options, prospects, reward, tidy
from ludus.kernel import below, generic, implements, kernel, seed_stream, uniform
from ludus.nets.network import Network, hidden_units, output_units
from ludus.nets.value import MAX_PLIES

MAX_OPTIONS = 64


class QTable(NamedTuple):
    """Values in a table: one for each row and action."""

    table: np.ndarray


class QNetwork(NamedTuple):
    """A network with an output for each action, whose sigmoid units span the values from `low` to `high`; `step` is how far
    it goes down the slope towards a changed value.
    """

    net: Network
    encoding: Any
    low: float
    high: float
    step: float


class Desk(NamedTuple):
    """Room for what a network is asked about: its inputs, its hidden layer and its outputs."""

    inputs: np.ndarray
    value: np.ndarray
    hidden: np.ndarray
    output: np.ndarray
    back: np.ndarray


@kernel
def new_desk(inputs: int, hidden: int, outputs: int) -> Any:
    """Room for one thread; a table needs none."""
    return Desk(
        np.zeros(inputs, np.int64),
        np.zeros(inputs, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(outputs, np.float32),
        np.zeros(hidden, np.float32),
    )


@generic
def look(store: Any, game: Any, state: Any, desk: Any) -> int:
    """Turn to a state: the values asked for next are those of this state."""


@generic
def value_of(store: Any, desk: Any, row: int, action: int) -> float:
    """The value of an action in the state that was looked at last."""


@generic
def nudge(store: Any, game: Any, state: Any, desk: Any, row: int, action: int, target: float, rate: float) -> float:
    """Move the value of an action in a state towards a target; return by how much it was asked to move."""


@generic
def end_game(store: Any, scheme: Any) -> None:
    """Do what the scheme wants done after each game."""


@implements(end_game, QTable)
def _(store: Any, scheme: Any) -> None:
    tidy(scheme, store.table)


@implements(end_game, QNetwork)
def _(store: Any, scheme: Any) -> None:
    pass


@implements(look, QTable)
def _(store: Any, game: Any, state: Any, desk: Any) -> int:
    return 0


@implements(value_of, QTable)
def _(store: Any, desk: Any, row: int, action: int) -> float:
    return store.table[row, action]


@implements(nudge, QTable)
def _(store: Any, game: Any, state: Any, desk: Any, row: int, action: int, target: float, rate: float) -> float:
    change = rate * (target - store.table[row, action])
    store.table[row, action] += change
    return change


@implements(look, QNetwork)
def _(store: Any, game: Any, state: Any, desk: Any) -> int:
    count = features(store.encoding, game, state, desk.inputs, desk.value)
    hidden_units(store.net, 0, desk.inputs, desk.value, count, desk.hidden)
    output_units(store.net, 0, desk.hidden, desk.output)
    return count


@implements(value_of, QNetwork)
def _(store: Any, desk: Any, row: int, action: int) -> float:
    return store.low + (store.high - store.low) * desk.output[action]


@implements(nudge, QNetwork)
def _(store: Any, game: Any, state: Any, desk: Any, row: int, action: int, target: float, rate: float) -> float:
    net = store.net
    count = look(store, game, state, desk)
    y = desk.output[action]
    wanted = (target - store.low) / (store.high - store.low)
    step = (
        np.float32(rate * store.step) * np.float32(wanted - y) * y * (np.float32(1) - y)
    )  # down the slope of the squared error
    for j in range(len(desk.hidden)):
        h = desk.hidden[j]
        desk.back[j] = step * net.w2[0, action, j] * h * (np.float32(1) - h)
        net.w2[0, action, j] += step * h
        net.b1[0, j] += desk.back[j]
    net.b2[0, action] += step
    for a in range(count):
        i, v = desk.inputs[a], desk.value[a]
        for j in range(len(desk.hidden)):
            net.w1[0, i, j] += v * desk.back[j]
    return rate * (target - (store.low + (store.high - store.low) * y))


# --- choosing and learning -------------------------------------------------------------------------------------------


@kernel
def best_option(store: Any, scheme: Any, desk: Any, rows: Any, actions: Any, count: int, rng: Any) -> int:
    """The option with the highest value above the scheme's floor; the first if there is none."""
    best, highest, ties = 0, scheme.floor, 1
    for n in range(count):
        value = value_of(store, desk, rows[n], actions[n])
        if value > highest:
            best, highest, ties = n, value, 1
        elif value == highest and scheme.random_ties:
            ties += 1
            if below(rng, ties) == 0:
                best = n
    return best


class Last(NamedTuple):
    """The last action of each seat: what it was, and whether it is still to be accounted for."""

    due: np.ndarray
    before: np.ndarray  # seat, state
    after: np.ndarray
    row: np.ndarray
    action: np.ndarray
    move: np.ndarray


@kernel
def settle(
    store: Any, scheme: Any, game: Any, last: Any, seat: int, now: Any, rate: float, discount: float, desk: Any, rows: Any,
    actions: Any,
) -> float:  # fmt: skip
    """Account for a seat's last action: Q(s, a) ← Q(s, a) + α (r + γ max Q(s', a') - Q(s, a)); return the change."""
    last.due[seat] = False
    before, after, action, move = last.before[seat], last.after[seat], last.action[seat], last.move[seat]
    count = prospects(scheme, game, now, seat, move, rows, actions)
    if count < 0:
        return 0.0
    future = scheme.floor if count else 0.0
    if count:
        look(store, game, now, desk)
        for n in range(count):
            future = max(future, value_of(store, desk, rows[n], actions[n]))
    target = reward(scheme, game, before, seat, action, move, after, now) + discount * future
    return nudge(store, game, before, desk, last.row[seat], action, target, rate)


@kernel
def learn_games(
    store: Any, scheme: Any, desk: Any, game: Any, sizes: Any, other: Any, mask: int, rotate: bool, seed: int, first: int,
    exploration: Any, rate: float, discount: float, changes: Any, won: Any,
) -> int:  # fmt: skip
    """Play and learn from games `first`, `first` + 1, …, one for each number in `exploration`, the share of random actions;
    return the decisions made.

    Bit s of `mask` says that the learner sits in seat s, `other` in the rest; with `rotate` all move on by a seat a game.
    `changes` gets the sum of the changes of each game, `won` whether the learner won it.
    """
    _, state_size, seats, max_chances = sizes
    state = np.zeros(state_size, np.int64)
    rng, luck = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    outcomes, odds = np.zeros(max_chances, np.int64), np.zeros(max_chances)
    rows, actions = np.zeros(MAX_OPTIONS, np.int64), np.zeros(MAX_OPTIONS, np.int64)
    listed = np.zeros(MAX_OPTIONS, np.int64)
    last = Last(
        np.zeros(seats, np.bool_), np.zeros((seats, state_size), np.int64), np.zeros((seats, state_size), np.int64),
        np.zeros(seats, np.int64), np.zeros(seats, np.int64), np.zeros(seats, np.int64),
    )  # fmt: skip
    result = np.zeros(seats)
    decisions = 0
    for number in range(first, first + len(exploration)):
        epsilon = exploration[number - first]
        seed_stream(rng, seed, number, 0)
        seed_stream(luck, seed, number, 1)
        start(game, state)
        last.due[:] = False
        change = 0.0
        plies = 0
        while plies < MAX_PLIES:
            seat = turn(game, state)
            if seat == OVER:
                break
            if seat == CHANCE:
                who = account(scheme, game, state)
                if who >= 0 and last.due[who]:
                    change += settle(store, scheme, game, last, who, state, rate, discount, desk, rows, actions)
                play(game, state, roll(game, state, rng, outcomes, odds))
                continue
            plies += 1
            place = (seat + number) % seats if rotate else seat
            if not mask >> place & 1:
                play(game, state, choose(other, game, state, seat, luck))
                continue
            if last.due[seat]:
                change += settle(store, scheme, game, last, seat, state, rate, discount, desk, rows, actions)
            decisions += 1
            count = options(scheme, game, state, seat, luck, rows, actions, listed)
            if uniform(luck) < epsilon:
                chosen = below(luck, count)
            else:
                look(store, game, state, desk)
                chosen = best_option(store, scheme, desk, rows, actions, count, luck)
            last.row[seat], last.action[seat], last.move[seat] = rows[chosen], actions[chosen], listed[chosen]
            last.before[seat] = state
            play(game, state, listed[chosen])
            last.after[seat] = state
            last.due[seat] = True
            if not scheme.late:
                change += settle(store, scheme, game, last, seat, state, rate, discount, desk, rows, actions)
        won[number - first] = 0
        if turn(game, state) == OVER:
            scores(game, state, result)
            for seat in range(seats):
                if last.due[seat]:
                    change += settle(store, scheme, game, last, seat, state, rate, discount, desk, rows, actions)
                place = (seat + number) % seats if rotate else seat
                if mask >> place & 1 and result[seat] == result.max():
                    won[number - first] = 1
        end_game(store, scheme)
        changes[number - first] = change
    return decisions
