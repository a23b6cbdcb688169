"""A compiled rulesheet as a game of the contract, one state at a time for search and learning; many random games at once are the business of `lanes`.

A state holds the true propositions as bits and, so that nothing is computed twice, what follows from them: whose turn it is, the
goals at the end, and the legal moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract import rules
from ludus.contract.rules import CHANCE, JOINT, OVER, Facts
from ludus.games.gdl.face import facts_of
from ludus.games.gdl.lanes import (
    ALL,
    BIT,
    CHANCE_ROLE,
    GOALS,
    LEGAL,
    MOVES,
    NEXT,
    NONE,
    PROPOSITIONS,
    ROLES,
    SEATS,
    TERMINAL,
    TURN,
    begin_of,
    evaluate,
    lane_playouts,
    legal_begin_of,
    literal_of,
    nodes_of,
    transpose,
)
from ludus.kernel import below, implements, kernel, lowest_bit


class Compiled(NamedTuple):
    """The rules of a compiled game, as arrays."""

    sheet: np.ndarray  # what people see, as bytes of JSON: names, texts, the rulesheet itself
    sizes: np.ndarray
    left: np.ndarray  # the circuit
    right: np.ndarray
    registers: np.ndarray
    segments: np.ndarray
    parts: np.ndarray
    initial: np.ndarray  # propositions that hold at the beginning, as bits
    legal_literals: np.ndarray  # literals, one a move, in the order of roles
    next_literals: np.ndarray  # literals, one a proposition: whether it holds next
    goal_literals: np.ndarray  # literals, and what each is worth to which role
    goal_role: np.ndarray
    goal_value: np.ndarray
    role_moves: np.ndarray  # moves of role r are role_moves[r] to role_moves[r + 1]
    seat_role: np.ndarray
    role_seat: np.ndarray  # -1: chance
    idle: np.ndarray  # the move by which each role waits, or -1

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        s = self.sizes.tolist()
        state_size = 1 + s[SEATS] + s[ROLES] + (s[PROPOSITIONS] + 63) // 64 + (s[MOVES] + 63) // 64
        counts = np.diff(self.role_moves).tolist()
        chances = counts[s[CHANCE_ROLE]] if s[CHANCE_ROLE] >= 0 else 0
        return facts_of(self, s[SEATS], state_size, max(*counts, 1), chances, s[MOVES])


# --- one state -------------------------------------------------------------------------------------------------------


@kernel
def count_legal(game: Any, state: Any, role: int, legal: Any) -> int:
    """How many legal moves a role has; as many of them as there is room for go to `legal`."""
    at = legal_begin_of(game)
    begin, end = game.role_moves[role], game.role_moves[role + 1]
    found = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = state[at + word]
        if word == begin >> 6:
            bits &= ALL << (begin & 63)
        if (word + 1) * 64 > end:
            bits &= (BIT << (end & 63)) - 1
        while bits:
            if found < len(legal):
                legal[found] = word * 64 + lowest_bit(bits)
            found += 1
            bits &= bits - 1
    return found


@kernel
def say_turn(game: Any, state: Any, over: bool) -> None:
    """Work out from a state's legal moves whose turn it is."""
    sizes = game.sizes
    seats, roles = sizes[SEATS], sizes[ROLES]
    for r in range(roles):
        state[1 + seats + r] = -1
    two = np.zeros(2, np.int64)
    deciding, decider, acting, drawing = 0, -1, -1, False
    for r in range(roles):
        count = count_legal(game, state, r, two)
        if count == 0:
            over = True  # rules that leave a role without a move: nobody can go on
        elif r == sizes[CHANCE_ROLE]:
            drawing = count > 1
        elif count > 1:
            deciding += 1
            decider = game.role_seat[r]
        elif two[0] != game.idle[r] and acting < 0:
            acting = game.role_seat[r]
    for s in range(seats):
        state[1 + s] = 0
    if over:
        state[TURN] = OVER
    elif deciding > 1:
        state[TURN] = JOINT
    elif deciding == 1:
        state[TURN] = decider
    elif drawing:
        state[TURN] = CHANCE
    else:
        state[TURN] = max(acting, 0)  # nobody has a choice; who does more than wait has the turn


@kernel
def _say_goals(game: Any, state: Any, values: Any, lane: int) -> None:
    """Write the goals of a state that is over; `values` hold the phase of the goals."""
    for g in range(len(game.goal_literals)):
        seat = game.role_seat[game.goal_role[g]]
        if seat >= 0 and (literal_of(values, np.int64(game.goal_literals[g]), 0, 1) >> lane) & 1:
            state[1 + seat] = game.goal_value[g]


@kernel
def complete(game: Any, state: Any, values: Any) -> None:
    """Work out what follows from a state's propositions: whose turn it is, the legal moves, and the goals if it is over."""
    sizes = game.sizes
    begin, at = begin_of(game), legal_begin_of(game)
    for p in range(sizes[PROPOSITIONS]):
        values[1 + p] = state[begin + (p >> 6)] >> (p & 63) & 1
    evaluate(game, LEGAL, values, (NONE,))
    for i in range(at, len(state)):
        state[i] = 0
    for m in range(sizes[MOVES]):
        if literal_of(values, np.int64(game.legal_literals[m]), 0, 1) & 1:
            state[at + (m >> 6)] |= BIT << (m & 63)
    say_turn(game, state, literal_of(values, sizes[TERMINAL], 0, 1) & 1 != 0)
    if state[TURN] == OVER:
        evaluate(game, GOALS, values, (NONE,))
        _say_goals(game, state, values, 0)


@kernel
def look_at_end(game: Any, state: Any, out: Any) -> None:
    """Which goals hold in a state, and behind them whether the rules say that it is terminal."""
    begin = begin_of(game)
    values = np.zeros(nodes_of(game), np.int64)
    for p in range(game.sizes[PROPOSITIONS]):
        values[1 + p] = state[begin + (p >> 6)] >> (p & 63) & 1
    evaluate(game, LEGAL, values, (NONE,))
    evaluate(game, GOALS, values, (NONE,))
    for g in range(len(game.goal_literals)):
        out[g] = literal_of(values, np.int64(game.goal_literals[g]), 0, 1) & 1 != 0
    out[len(game.goal_literals)] = literal_of(values, game.sizes[TERMINAL], 0, 1) & 1 != 0


@kernel
def carry_out(game: Any, state: Any) -> None:
    """Make the moves that are fixed, and for all other roles their only one."""
    sizes = game.sizes
    begin, seats = begin_of(game), sizes[SEATS]
    values = np.empty(nodes_of(game), np.int64)
    values[0] = 0
    one = np.zeros(1, np.int64)
    for p in range(sizes[PROPOSITIONS]):
        values[1 + p] = state[begin + (p >> 6)] >> (p & 63) & 1
    for m in range(sizes[MOVES]):
        values[1 + sizes[PROPOSITIONS] + m] = 0
    for r in range(sizes[ROLES]):
        move = state[1 + seats + r]
        if move < 0:
            count_legal(game, state, r, one)
            move = one[0]
        values[1 + sizes[PROPOSITIONS] + move] = 1
    evaluate(game, LEGAL, values, (NONE,))
    evaluate(game, NEXT, values, (NONE,))
    for i in range(begin, legal_begin_of(game)):
        state[i] = 0
    for p in range(sizes[PROPOSITIONS]):
        if literal_of(values, np.int64(game.next_literals[p]), 0, 1) & 1:
            state[begin + (p >> 6)] |= BIT << (p & 63)
    complete(game, state, values)


@kernel
def _go_on(game: Any, state: Any) -> None:
    """The moves of all seats are fixed: carry them out, unless chance has a choice of its own."""
    chance_role = game.sizes[CHANCE_ROLE]
    if chance_role >= 0 and state[TURN] != CHANCE and count_legal(game, state, chance_role, np.zeros(1, np.int64)) > 1:
        state[TURN] = CHANCE
    else:
        carry_out(game, state)


# --- the contract ----------------------------------------------------------------------------------------------------


@implements(rules.start, Compiled)
def _(game: Any, state: Any) -> None:
    begin = begin_of(game)
    state[:] = 0
    for i in range(len(game.initial)):
        state[begin + i] = game.initial[i]
    values = np.zeros(nodes_of(game), np.int64)
    complete(game, state, values)


@implements(rules.turn, Compiled)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(rules.moves, Compiled)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    return count_legal(game, state, game.seat_role[seat], out)


@implements(rules.play, Compiled)
def _(game: Any, state: Any, move: int) -> None:
    role = game.sizes[CHANCE_ROLE] if state[TURN] == CHANCE else game.seat_role[state[TURN]]
    state[1 + game.sizes[SEATS] + role] = move
    _go_on(game, state)


@implements(rules.play_joint, Compiled)
def _(game: Any, state: Any, joint: Any) -> None:
    for seat in range(game.sizes[SEATS]):
        state[1 + game.sizes[SEATS] + game.seat_role[seat]] = joint[seat]
    _go_on(game, state)


@implements(rules.chances, Compiled)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    if game.sizes[CHANCE_ROLE] < 0:
        return 0
    count = count_legal(game, state, game.sizes[CHANCE_ROLE], outcomes)
    for i in range(count):
        probabilities[i] = 1.0 / count
    return count


@implements(rules.scores, Compiled)
def _(game: Any, state: Any, out: Any) -> None:
    for seat in range(game.sizes[SEATS]):
        out[seat] = state[1 + seat] / 100.0


@kernel
def _to_states(words: Any, count: int, lanes: int, at: int, block: Any, out: Any) -> None:
    """Write bits that are given as a word a proposition, a lane a state, into states, from place `at` on."""
    for base in range(0, count, 64):
        here = min(count - base, 64)
        for i in range(here):
            block[i] = words[base + i]
        for i in range(here, 64):
            block[i] = 0
        transpose(block, 0)
        for lane in range(lanes):
            out[lane, at + (base >> 6)] = block[lane]


@implements(rules.play_each, Compiled)
def _(game: Any, state: Any, legal: Any, first: int, count: int, out: Any) -> None:
    # All moves at once, each in a lane of its own.
    sizes = game.sizes
    propositions, moves = sizes[PROPOSITIONS], sizes[MOVES]
    begin = begin_of(game)
    mover = game.seat_role[state[TURN]]
    one = np.zeros(1, np.int64)
    if sizes[CHANCE_ROLE] >= 0 and count_legal(game, state, sizes[CHANCE_ROLE], one) > 1:
        for i in range(count):
            out[i] = state
            rules.play(game, out[i], legal[first + i])
        return
    values = np.empty(nodes_of(game), np.int64)
    values[0] = 0
    for p in range(propositions):
        values[1 + p] = -(state[begin + (p >> 6)] >> (p & 63) & 1)
    for m in range(moves):
        values[1 + propositions + m] = 0
    for r in range(sizes[ROLES]):
        if r != mover:
            count_legal(game, state, r, one)
            values[1 + propositions + one[0]] = ALL
    for i in range(count):
        values[1 + propositions + legal[first + i]] = BIT << i
    _move_lanes(game, values, count, out)


@kernel
def _move_lanes(game: Any, values: Any, count: int, out: Any) -> None:
    """Make the moves that are chosen in each of `count` lanes, and write the states that they lead to."""
    sizes = game.sizes
    propositions, moves = sizes[PROPOSITIONS], sizes[MOVES]
    begin, at = begin_of(game), legal_begin_of(game)
    after, block = np.empty(max(propositions, moves), np.int64), np.empty(64, np.int64)
    evaluate(game, LEGAL, values, (NONE,))
    evaluate(game, NEXT, values, (NONE,))
    for p in range(propositions):
        after[p] = literal_of(values, np.int64(game.next_literals[p]), 0, 1)
    for p in range(propositions):
        values[1 + p] = after[p]
    _to_states(after, propositions, count, begin, block, out)
    evaluate(game, LEGAL, values, (NONE,))
    for m in range(moves):
        after[m] = literal_of(values, np.int64(game.legal_literals[m]), 0, 1)
    _to_states(after, moves, count, at, block, out)
    over = literal_of(values, sizes[TERMINAL], 0, 1)
    known = False
    for i in range(count):
        say_turn(game, out[i], (over >> i) & 1 != 0)
        if out[i, TURN] == OVER:
            if not known:
                evaluate(game, GOALS, values, (NONE,))
                known = True
            _say_goals(game, out[i], values, i)


@implements(rules.play_pairs, Compiled)
def _(game: Any, states: Any, which: Any, chosen: Any, count: int, out: Any) -> None:
    # Each pair in a lane of its own.
    sizes = game.sizes
    propositions, moves = sizes[PROPOSITIONS], sizes[MOVES]
    begin, one = begin_of(game), np.zeros(1, np.int64)
    if sizes[CHANCE_ROLE] >= 0:
        for i in range(count):
            out[i] = states[which[i]]
            rules.play(game, out[i], chosen[i])
        return
    values, block = np.empty(nodes_of(game), np.int64), np.empty(64, np.int64)
    values[0] = 0
    for base in range(0, propositions, 64):
        for i in range(64):
            block[i] = states[which[i], begin + (base >> 6)] if i < count else NONE
        transpose(block, 0)
        for p in range(base, min(base + 64, propositions)):
            values[1 + p] = block[p - base]
    for m in range(moves):
        values[1 + propositions + m] = 0
    for i in range(count):
        values[1 + propositions + chosen[i]] |= BIT << i
    if sizes[ROLES] > 1:
        for i in range(count):
            state = states[which[i]]
            for r in range(sizes[ROLES]):
                if r != game.seat_role[state[TURN]]:
                    count_legal(game, state, r, one)
                    values[1 + propositions + one[0]] |= BIT << i
    _move_lanes(game, values, count, out)


@implements(rules.playouts, Compiled)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    if count > 64:
        lane_playouts(game, state, rng, count, total, (NONE, NONE, NONE, NONE))
    else:
        lane_playouts(game, state, rng, count, total, (NONE,))


@kernel
def count_forced(game: Any, seed_rng: Any, steps: int, counts: Any) -> None:
    """Play at random, and count how often each move is the only one that its role has."""
    state = np.zeros(legal_begin_of(game) + (game.sizes[MOVES] + 63) // 64, np.int64)
    rules.start(game, state)
    widest = 2
    for r in range(game.sizes[ROLES]):
        widest = max(widest, game.role_moves[r + 1] - game.role_moves[r])
    legal = np.zeros(widest, np.int64)
    for _ in range(steps):
        if state[TURN] == OVER:
            rules.start(game, state)
            if state[TURN] == OVER:
                return
        for r in range(game.sizes[ROLES]):
            count = count_legal(game, state, r, legal)
            if count == 1:
                counts[legal[0]] += 1
            state[1 + game.sizes[SEATS] + r] = legal[below(seed_rng, count)]
        carry_out(game, state)
