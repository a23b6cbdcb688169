"""Hidden information (GDL-II): the rules of a game whose sheet has `sees`. Around a game that everybody could see, compiled or interpreted, this keeps what each seat
has done and perceived, and can take away all the rest (`contract.knowing`).

A state is one of the game within, and behind it: for whom it is veiled, how many steps were made, a key of what each seat knows, a list of legal moves (of
interpreted games), and a log. A step of the log has for each seat its move and what it perceived: of a compiled game a bit for each percept that the seat can
have, of an interpreted one the number of a set of percepts. If the log has no room left, the oldest steps are overwritten; without a log (`room` 0) a state is
short, and good for searches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract import knowing, rules
from ludus.contract.rules import CHANCE, OVER, Facts
from ludus.games.gdl.interpreter import KEEP, KEPT, SEES, Interpreting
from ludus.games.gdl.lanes import (
    BIT,
    NONE,
    PROPOSITIONS,
    TURN,
    begin_of,
    evaluate,
    legal_begin_of,
    literal_of,
    nodes_of,
)
from ludus.games.gdl.machine import Compiled, count_legal
from ludus.kernel import KEY, call_python, generic, implements, kernel, mix_hash

WORDS = 4096  # of a log, at most
STEPS = 256  # of a log, at most

# What a veiled game's `sizes` hold: the length of a state within, its seats and roles, the steps for which the log has room, the role of chance or -1, and the most
# moves of a seat.
BASE, SEATS, ROLES, ROOM, CHANCE_ROLE, MOST = range(6)
# Places behind the state within: whom it is veiled for (0: nobody, else 1 + the seat), the steps made, the list of legal moves, and a key for each seat.
VEILED, MADE, LIST, KEYS = range(4)


class CompiledSight(NamedTuple):
    """The circuit of what roles perceive; its inputs are those of the game's."""

    sizes: np.ndarray
    left: np.ndarray
    right: np.ndarray
    registers: np.ndarray
    segments: np.ndarray
    parts: np.ndarray
    literals: np.ndarray  # one a percept, in the order of seats
    first: np.ndarray  # percepts of seat s are first[s] to first[s + 1]
    texts: np.ndarray  # of the percepts, as bytes of JSON


class InterpretedSight(NamedTuple):
    """What roles perceive is asked of the interpreter, which numbers sets of percepts."""

    first: np.ndarray  # as above: one for each seat, the number


class Veiled(NamedTuple):
    """The rules of a game with hidden information."""

    base: Any  # the game that everybody could see
    seeing: Any  # a sight, see above
    sizes: np.ndarray
    seat_role: np.ndarray
    at: np.ndarray  # where the part of each seat begins in a step of the log, and how long such a step is

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        within = self.base.facts
        log = int(self.sizes[ROOM]) * int(self.at[-1])
        return within._replace(state_size=within.state_size + KEYS + within.seats + log)


def veiled_parts(base: Any, sight: Any, roles: tuple[str, ...]) -> tuple[Any, ...]:
    """The fields of a veiled game around another one."""
    words = 1 + (np.diff(sight.first) + 63) // 64
    at = np.concatenate([[0], np.cumsum(words)]).astype(np.int64)
    room = max(min(STEPS, WORDS // int(at[-1])), 8)
    chance_role = roles.index("random") if "random" in roles else -1
    facts = base.facts
    sizes = np.array([facts.state_size, facts.seats, len(roles), room, chance_role, facts.max_moves], np.int64)
    return base, sight, sizes, np.array([r for r, role in enumerate(roles) if role != "random"], np.int64), at


# --- what compiled and interpreted games do in their own ways ---------------------------------------------------------


@generic
def perceive(base: Any, sight: Any, state: Any, joint: Any, at: Any, out: Any, /) -> None:
    """Write a step of the log: for each seat its move, and what it perceives when each role makes its move of `joint`. -1 stands for a role's only move."""


@generic
def list_kept(base: Any, state: Any, number: int, seat: int, out: Any, /) -> int:
    """The legal moves of a seat in a veiled state, which has the number of a list."""


@generic
def keep_legal(base: Any, state: Any, seat: int, /) -> int:
    """Take everything out of a state within but the legal moves of a seat: they are left there, or kept in a list, of which this is the number."""


@implements(perceive, Compiled)
def _(base: Any, sight: Any, state: Any, joint: Any, at: Any, out: Any) -> None:
    inputs, begin = 1 + base.sizes[PROPOSITIONS], begin_of(base)
    values = np.zeros(nodes_of(sight), np.int64)
    one = np.zeros(1, np.int64)
    for p in range(base.sizes[PROPOSITIONS]):
        values[1 + p] = state[begin + (p >> 6)] >> (p & 63) & 1
    for r in range(len(joint)):
        if joint[r] < 0:
            count_legal(base, state, r, one)
            joint[r] = one[0]
        values[inputs + joint[r]] = 1
    evaluate(sight, 0, values, (NONE,))
    for s in range(len(at) - 1):
        out[at[s]] = joint[base.seat_role[s]]
        for i in range(at[s] + 1, at[s + 1]):
            out[i] = 0
        for k in range(sight.first[s], sight.first[s + 1]):
            if literal_of(values, np.int64(sight.literals[k]), 0, 1) & 1:
                i = k - sight.first[s]
                out[at[s] + 1 + (i >> 6)] |= BIT << (i & 63)


@implements(perceive, Interpreting)
def _(base: Any, sight: Any, state: Any, joint: Any, at: Any, out: Any) -> None:
    roles, seats = len(joint), len(at) - 1
    told = np.zeros(roles + 2 * seats, np.int64)
    for r in range(roles):
        told[r] = joint[r]
    call_python(base.sizes[3], SEES, state, 0, told)
    for s in range(seats):
        out[at[s]] = told[roles + s]
        out[at[s] + 1] = told[roles + seats + s]


@implements(list_kept, Compiled)
def _(base: Any, state: Any, number: int, seat: int, out: Any) -> int:
    return count_legal(base, state, base.seat_role[seat], out)


@implements(list_kept, Interpreting)
def _(base: Any, state: Any, number: int, seat: int, out: Any) -> int:
    return call_python(base.sizes[3], KEPT, state, number, out)


@implements(keep_legal, Compiled)
def _(base: Any, state: Any, seat: int) -> int:
    role, at = base.seat_role[seat], legal_begin_of(base)
    for i in range(TURN + 1, at):
        state[i] = 0
    begin, end = base.role_moves[role], base.role_moves[role + 1]
    for word in range(len(state) - at):
        mask = NONE
        for m in range(max(begin, word * 64), min(end, (word + 1) * 64)):
            mask |= BIT << (m & 63)
        state[at + word] &= mask
    return 0


@implements(keep_legal, Interpreting)
def _(base: Any, state: Any, seat: int) -> int:
    number = call_python(base.sizes[3], KEEP, state, seat, state)
    for i in range(TURN + 1, len(state)):
        state[i] = 0
    return number


# --- the contract ----------------------------------------------------------------------------------------------------


@kernel
def _joint_of(game: Any, state: Any) -> Any:
    """The moves by role that are fixed already, -1 elsewhere."""
    begin = 1 + game.sizes[SEATS]
    return state[begin : begin + game.sizes[ROLES]].copy()


@kernel
def mix_step(game: Any, key: Any, seat: int, step: Any, begin: int) -> Any:
    """The key of what a seat knows after a step, which lies in an array from some place on."""
    for i in range(begin + game.at[seat], begin + game.at[seat + 1]):
        key = mix_hash(key, step[i])
    return key


@kernel
def _as_signed(key: Any) -> Any:
    """The number with the same bits, in plain Python too, which lets no large number become a negative one."""
    return (np.int64(key >> np.uint64(32)) << np.int64(32)) | np.int64(key & np.uint64(0xFFFFFFFF))


@kernel
def first_key(seat: int) -> Any:
    """The key of what a seat knows at the beginning."""
    return mix_hash(KEY, seat)


@kernel
def settle(game: Any, state: Any) -> None:
    """Where nobody has a choice, it is chance's turn: a seat that was asked for its only move could tell from it that chance has none."""
    if game.sizes[CHANCE_ROLE] >= 0 and state[TURN] >= 0:
        legal = np.empty(game.sizes[MOST], np.int64)
        if rules.moves(game.base, state[: game.sizes[BASE]], state[TURN], legal) == 1:
            state[TURN] = CHANCE


@kernel
def note_step(game: Any, before: Any, state: Any, joint: Any) -> None:
    """Note what everybody did and perceives, if a move in the state `before` made a whole step; `state` has come of it."""
    size, at = game.sizes[BASE], game.at
    for r in range(len(joint)):
        if state[1 + game.sizes[SEATS] + r] >= 0:
            return  # chance has still to choose
    settle(game, state)
    step = np.zeros(at[-1], np.int64)
    perceive(game.base, game.seeing, before, joint, at, step)
    keys = size + KEYS
    for s in range(game.sizes[SEATS]):
        state[keys + s] = _as_signed(np.uint64(mix_step(game, np.uint64(state[keys + s]), s, step, 0)))
    if game.sizes[ROOM] > 0:
        begin = keys + game.sizes[SEATS] + state[size + MADE] % game.sizes[ROOM] * at[-1]
        for i in range(at[-1]):
            state[begin + i] = step[i]
    state[size + MADE] += 1


@implements(rules.start, Veiled)
def _(game: Any, state: Any) -> None:
    size = game.sizes[BASE]
    rules.start(game.base, state[:size])
    settle(game, state)
    for i in range(size, len(state)):
        state[i] = 0
    for s in range(game.sizes[SEATS]):
        state[size + KEYS + s] = np.int64(first_key(s))


@implements(rules.turn, Veiled)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(rules.moves, Veiled)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    size = game.sizes[BASE]
    if state[size + VEILED] == 0:
        return rules.moves(game.base, state[:size], seat, out)
    if state[size + VEILED] == 1 + seat:
        return list_kept(game.base, state[:size], state[size + LIST], seat, out)
    return 0


@implements(rules.play, Veiled)
def _(game: Any, state: Any, move: int) -> None:
    size = game.sizes[BASE]
    if state[size + VEILED] != 0:
        state[TURN] = OVER  # nobody can play on from what a seat knows
        return
    before, joint = state[:size].copy(), _joint_of(game, state)
    joint[game.sizes[CHANCE_ROLE] if state[TURN] == CHANCE else game.seat_role[state[TURN]]] = move
    rules.play(game.base, state[:size], move)
    note_step(game, before, state, joint)


@implements(rules.play_joint, Veiled)
def _(game: Any, state: Any, moves: Any) -> None:
    size = game.sizes[BASE]
    if state[size + VEILED] != 0:
        state[TURN] = OVER
        return
    before, joint = state[:size].copy(), _joint_of(game, state)
    for s in range(game.sizes[SEATS]):
        joint[game.seat_role[s]] = moves[s]
    rules.play_joint(game.base, state[:size], moves)
    note_step(game, before, state, joint)


@implements(rules.chances, Veiled)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    return rules.chances(game.base, state[: game.sizes[BASE]], outcomes, probabilities)


@implements(rules.scores, Veiled)
def _(game: Any, state: Any, out: Any) -> None:
    rules.scores(game.base, state[: game.sizes[BASE]], out)


@implements(rules.playouts, Veiled)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    within = game.sizes[BASE]
    rules.playouts(game.base, state[:within], rng, count, (sizes[0], within, sizes[2], sizes[3]), total)


@implements(knowing.veil, Veiled)
def _(game: Any, state: Any, seat: int) -> None:
    size, seats, at = game.sizes[BASE], game.sizes[SEATS], game.at
    if state[size + VEILED] != 0:
        return
    is_over = state[TURN] == OVER
    state[size + LIST] = keep_legal(game.base, state[:size], seat)
    state[size + VEILED] = 1 + seat
    state[TURN] = OVER if is_over else seat
    for s in range(seats):
        if s != seat:
            state[size + KEYS + s] = 0
    begin = size + KEYS + seats
    for step in range(min(state[size + MADE], game.sizes[ROOM])):
        for i in range(at[-1]):
            if not at[seat] <= i < at[seat + 1]:
                state[begin + step * at[-1] + i] = 0


@implements(knowing.veil_all, Veiled)
def _(game: Any, states: Any, seats: Any, count: int) -> None:
    for i in range(count):
        knowing.veil(game, states[i], seats[i])


@implements(knowing.knowledge, Veiled)
def _(game: Any, state: Any, seat: int) -> Any:
    return np.uint64(state[game.sizes[BASE] + KEYS + seat])


@implements(knowing.steps_made, Veiled)
def _(game: Any, state: Any) -> int:
    return state[game.sizes[BASE] + MADE]


@implements(knowing.trail, Veiled)
def _(game: Any, state: Any, seat: int, own: Any, keys: Any) -> int:
    size, width, made = game.sizes[BASE], game.at[-1], state[game.sizes[BASE] + MADE]
    if made > game.sizes[ROOM] or made > len(own):
        return -1
    key = np.uint64(first_key(seat))
    for step in range(made):
        begin = size + KEYS + game.sizes[SEATS] + step * width
        key = mix_step(game, key, seat, state, begin)
        own[step] = state[begin + game.at[seat]]
        keys[step] = key
    return made
