"""A compiled rulesheet at work: 64 random games at once in the bits of a word, or one state at a time for search and learning.

One set of kernels plays every game; a game is data. The value of a node is `words` words of 64 lanes each, and every lane is a game of its own. A state
of the contract holds the true propositions as bits and, so that nothing is computed twice, what follows from them: whose turn it is, the
goals at the end, and the legal moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus import contract
from ludus.contract import CHANCE, JOINT, OVER, Facts
from ludus.errors import LudusError
from ludus.games.gdl import face
from ludus.games.gdl.kif import write
from ludus.kernel import below, count_bits, implements, kernel, lowest_bit

LEGAL, GOALS, NEXT = 0, 1, 2  # the phases of a circuit
ALL = np.int64(-1)
NONE = np.int64(0)
BIT = np.int64(1)
IDLE_LIMIT = 20_000  # steps of random games without any of them ending, before they are given up

# What a game's `sizes` hold.
PROPOSITIONS, MOVES, REGISTERS, GATES, ROLES, SEATS, CHANCE_ROLE, TERMINAL = range(8)

# A state: whose turn, goals by seat, moves by role that are fixed already (or -1), propositions, legal moves
TURN = 0


class Compiled(NamedTuple):
    """The arrays of a compiled game."""

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


class Gdl(face.Face, Compiled):
    """A game whose rules came as a rulesheet, compiled. See `ludus.games.gdl` for how to get one."""

    __slots__ = ()

    @property
    def facts(self) -> Facts:
        s = self.sizes.tolist()
        state_size = 1 + s[SEATS] + s[ROLES] + (s[PROPOSITIONS] + 63) // 64 + (s[MOVES] + 63) // 64
        counts = np.diff(self.role_moves).tolist()
        luck = counts[s[CHANCE_ROLE]] if s[CHANCE_ROLE] >= 0 else 0
        return self._facts(s[SEATS], state_size, max(*counts, 1), luck)

    def fluents(self, state: np.ndarray) -> list[str]:
        """The propositions that hold in a state."""
        texts, begin = face.info(self).propositions, int(_begin(self))
        return [t for p, t in enumerate(texts) if int(state[begin + (p >> 6)]) >> (p & 63) & 1]

    def fixed(self, state: np.ndarray) -> list[tuple[str, str]]:
        """The roles whose moves are fixed already, while chance has still to choose, and the moves."""
        moves = state[1 + int(self.sizes[SEATS]) :].tolist()
        return [(role, self.move_text(state, moves[r])) for r, role in enumerate(self.roles) if moves[r] >= 0]

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or what chance chose, as the sheet writes it."""
        return face.info(self).moves[move]

    def legal_codes(self, state: np.ndarray) -> list[list[int]]:
        """The legal moves of each role, chance among them, as numbers."""
        room = np.zeros(max(int(self.sizes[MOVES]), 1), np.int64)
        state = state.copy()
        return [room[: _count_legal(self, state, r, room)].tolist() for r in range(len(self.roles))]

    def legal(self, state: np.ndarray) -> list[list[str]]:
        """The legal moves of each role, chance among them."""
        texts = face.info(self).moves
        return [[texts[m] for m in codes] for codes in self.legal_codes(state)]

    def advance(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """The state after one move of each role."""
        after, begin = state.copy(), 1 + int(self.sizes[SEATS])
        self._check_count(texts)
        for r, codes in enumerate(self.legal_codes(state)):
            after[begin + r] = face.match(self.roles[r], texts[r], {self.move_text(state, m): m for m in codes})
        _carry_out(self, after)
        return after

    def read_state(self, text: str) -> np.ndarray:
        """The state in which the propositions of a line hold, and no others."""
        fluents, fixed = self._read_fluents(text)
        state = np.zeros(self.facts.state_size, np.int64)
        for term in fluents:
            number = face.info(self).proposition_of.get(write(term))
            if number is None:
                raise LudusError(f"the position: {write(term)} can never hold in {self.facts.name}")
            state[int(_begin(self)) + (number >> 6)] |= np.int64(1) << np.int64(number & 63)
        complete(self, state, np.zeros(nodes_of(self), np.int64))
        self._fix(state, fixed, self.legal_codes(state))
        return state

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role at the end of a game; 0 where the rules name none."""
        super().goals(state)  # or an error
        out = np.zeros(len(self.roles), np.int64)
        role_goals(self, state.copy(), out)
        return out.tolist()

    def encodings(self) -> dict[str, Any]:
        """The ways to show states to a network."""
        return {"propositions": Propositions()}


# --- evaluation ------------------------------------------------------------------------------------------------------


@kernel
def _gates(game: Any, begin: int, end: int, base: int, values: Any, lanes: Any) -> None:
    left, right = game.left, game.right
    if len(lanes) == 1:
        for g in range(begin, end):
            a, b = np.int64(left[g]), np.int64(right[g])
            values[base + g] = (values[a >> 1] ^ -(a & 1)) & (values[b >> 1] ^ -(b & 1))
    else:
        for g in range(begin, end):
            a, b = np.int64(left[g]), np.int64(right[g])
            x, y = -(a & 1), -(b & 1)
            a, b = (a >> 1) * 4, (b >> 1) * 4
            # All is read before anything is written, so that the four words can be one for the processor.
            a0, a1, a2, a3 = values[a], values[a + 1], values[a + 2], values[a + 3]
            b0, b1, b2, b3 = values[b], values[b + 1], values[b + 2], values[b + 3]
            out = (base + g) * 4
            c0, c1, c2, c3 = (a0 ^ x) & (b0 ^ y), (a1 ^ x) & (b1 ^ y), (a2 ^ x) & (b2 ^ y), (a3 ^ x) & (b3 ^ y)
            values[out], values[out + 1], values[out + 2], values[out + 3] = c0, c1, c2, c3


@kernel
def evaluate(game: Any, phase: int, values: Any, lanes: Any) -> None:
    """Compute a phase of the circuit for all lanes; `lanes` is a tuple of as many zeros as there are words a node (1 or 4)."""
    words = len(lanes)
    inputs = 1 + game.sizes[PROPOSITIONS] + game.sizes[MOVES]
    base = inputs + game.sizes[REGISTERS]
    for s in range(game.parts[phase], game.parts[phase + 1]):
        begin, end, low, high = game.segments[s, 0], game.segments[s, 1], game.segments[s, 2], game.segments[s, 3]
        for i in range((inputs + low) * words, (inputs + high) * words):
            values[i] = 0
        while True:
            _gates(game, begin, end, base, values, lanes)
            changed = NONE
            for r in range(low, high):
                literal = np.int64(game.registers[r])
                for w in range(words):
                    now = values[(literal >> 1) * words + w] ^ -(literal & 1)
                    at = (inputs + r) * words + w
                    changed |= values[at] ^ now
                    values[at] = now
            if changed == 0:
                break


@kernel
def nodes_of(game: Any) -> int:
    """How many nodes the circuit has."""
    s = game.sizes
    return 1 + s[PROPOSITIONS] + s[MOVES] + s[REGISTERS] + s[GATES]


# --- many random games at once ---------------------------------------------------------------------------------------


@kernel(inline=True)
def _swap(block: Any, base: int, width: int, mask: Any) -> None:
    for group in range(32 // width):
        at = base + group * 2 * width
        for i in range(at, at + width):
            # The mask takes away what the sign brings in.
            swap = ((block[i] >> width) ^ block[i + width]) & mask
            block[i] ^= swap << width
            block[i + width] ^= swap


@kernel
def transpose(block: Any, base: int) -> None:
    """Turn 64 words of 64 bits, from word `base` on, about their diagonal, so that bit i of word k becomes bit k of word i (Warren,
    Hacker's Delight 7-3). Each width on its own: loops of a known length become instructions on several words.
    """
    _swap(block, base, 32, np.int64(0x00000000FFFFFFFF))
    _swap(block, base, 16, np.int64(0x0000FFFF0000FFFF))
    _swap(block, base, 8, np.int64(0x00FF00FF00FF00FF))
    _swap(block, base, 4, np.int64(0x0F0F0F0F0F0F0F0F))
    _swap(block, base, 2, np.int64(0x3333333333333333))
    _swap(block, base, 1, np.int64(0x5555555555555555))


@kernel(inline=True)
def _bit_of_rank(word: Any, rank: int) -> int:
    """The position of the set bit that has `rank` set bits below it."""
    for _ in range(rank):
        word &= word - 1
    return lowest_bit(word)


@kernel
def _choose_moves(game: Any, role: int, active: Any, values: Any, word: int, words: int, rng: Any, blocks: Any, listed: Any) -> Any:  # fmt: skip
    """Choose a legal move of a role in each of the 64 active lanes of a word, each as likely as the others; write them to the inputs. Returns the
    lanes in which there is one.
    """
    begin, end = game.role_moves[role], game.role_moves[role + 1]
    legal = game.legal_literals
    inputs = (1 + game.sizes[PROPOSITIONS]) * words + word
    found = 0
    some, several = NONE, NONE  # lanes with a legal move, lanes with a choice
    for m in range(begin, end):
        literal = np.int64(legal[m])
        lanes = (values[(literal >> 1) * words + word] ^ -(literal & 1)) & active
        values[inputs + m * words] = lanes
        several |= some & lanes
        some |= lanes
        listed[found] = m
        found += lanes != 0
    if several == 0:
        return some
    count = 0
    for i in range(found):
        m = listed[i]
        lanes = values[inputs + m * words]
        values[inputs + m * words] = lanes & ~several
        listed[count] = m
        blocks[count] = lanes & several
        count += (lanes & several) != 0
    full = (count + 63) // 64
    for i in range(count, full * 64):
        blocks[i] = 0
    for b in range(full):
        transpose(blocks, b * 64)
    while several:
        lane = lowest_bit(several)  # type: ignore[arg-type]
        several &= several - 1
        if full == 1:
            choices = blocks[lane]
            m = listed[_bit_of_rank(choices, below(rng, count_bits(choices)))]
        else:
            total = 0
            for b in range(full):
                total += count_bits(blocks[b * 64 + lane])
            rank = below(rng, total)
            b = 0
            while rank >= count_bits(blocks[b * 64 + lane]):
                rank -= count_bits(blocks[b * 64 + lane])
                b += 1
            m = listed[b * 64 + _bit_of_rank(blocks[b * 64 + lane], rank)]
        values[inputs + m * words] |= BIT << lane
    return some


@kernel
def _literal(values: Any, literal: int, word: int, words: int) -> Any:
    return values[(literal >> 1) * words + word] ^ -(literal & 1)


@kernel
def lane_playouts(game: Any, state: Any, rng: Any, count: int, total: Any, lanes: Any) -> int:
    """Play `count` random games from a state, 64 in every word of `lanes`; add the scores to `total`. Returns the moves made.

    A lane whose game has ended takes the next one, so that none is idle while there are games to play.
    """
    words = len(lanes)
    sizes = game.sizes
    propositions, roles = sizes[PROPOSITIONS], sizes[ROLES]
    begin = _begin(game)
    values = np.zeros(nodes_of(game) * words, np.int64)
    widest = 0
    for r in range(roles):
        widest = max(widest, game.role_moves[r + 1] - game.role_moves[r])
    blocks, listed = np.zeros((widest + 127) // 64 * 64, np.int64), np.zeros(widest + 1, np.int64)
    after = np.zeros(propositions * words, np.int64)
    active, ended = np.zeros(words, np.int64), np.zeros(words, np.int64)
    fresh = np.zeros(words, np.int64)  # lanes in their first step: moves that are fixed already are made in it
    stuck, left = np.zeros(words, np.int64), np.zeros(words, np.int64)  # lanes in which a role has no move
    waiting = count
    for w in range(words):
        if waiting >= 64:
            active[w] = ALL
        elif waiting > 0:
            active[w] = (BIT << waiting) - 1
        waiting -= 64
    waiting = max(waiting, 0)
    fresh[:] = active
    for p in range(propositions):
        bit = -(state[begin + (p >> 6)] >> (p & 63) & 1)
        for w in range(words):
            values[(1 + p) * words + w] = bit
    steps, quiet = 0, 0
    while quiet < IDLE_LIMIT:
        evaluate(game, LEGAL, values, lanes)
        any_ended, any_active = NONE, NONE
        for w in range(words):
            ended[w] = (_literal(values, sizes[TERMINAL], w, words) | stuck[w]) & active[w]
            any_ended |= ended[w]
        if any_ended:
            quiet = 0
            evaluate(game, GOALS, values, lanes)
            role = -1
            for g in range(len(game.goal_literals) - 1, -1, -1):
                if game.goal_role[g] != role:
                    role = game.goal_role[g]
                    left[:] = ended
                seat = game.role_seat[role]
                if seat >= 0:
                    for w in range(words):
                        won = _literal(values, np.int64(game.goal_literals[g]), w, words) & left[w]
                        left[w] &= ~won  # where several goals hold, the best counts
                        total[seat] += count_bits(won) * game.goal_value[g] / 100.0
            # Lanes that have ended begin again; those that are not needed any more rest.
            for w in range(words):
                again = ended[w]
                idle = NONE
                while again and count_bits(again) > waiting:
                    idle |= again & -again
                    again &= again - 1
                waiting -= count_bits(again)
                active[w] &= ~idle
                ended[w] = again
        for w in range(words):
            any_active |= active[w]
        if any_active == 0:
            break
        any_stuck = NONE
        for w in range(words):
            playing = active[w] & ~ended[w]
            stuck[w] = 0
            for role in range(roles):
                stuck[w] |= playing & ~_choose_moves(game, role, playing, values, w, words, rng, blocks, listed)
                fixed = state[1 + sizes[SEATS] + role]
                if fixed >= 0 and fresh[w] & playing:
                    for m in range(game.role_moves[role], game.role_moves[role + 1]):
                        at = (1 + propositions + m) * words + w
                        values[at] = (values[at] & ~fresh[w]) | (fresh[w] & playing if m == fixed else 0)
            steps += count_bits(playing)
            fresh[w] = ended[w]
            any_stuck |= stuck[w]
        evaluate(game, NEXT, values, lanes)
        for p in range(propositions):
            literal = np.int64(game.next_literals[p])
            for w in range(words):
                after[p * words + w] = _literal(values, literal, w, words)
        if any_stuck:  # nobody can go on there: the game ends as it stands
            for p in range(propositions):
                for w in range(words):
                    at = p * words + w
                    after[at] = (after[at] & ~stuck[w]) | (values[words + at] & stuck[w])
        if any_ended:
            for p in range(propositions):
                bit = -(state[begin + (p >> 6)] >> (p & 63) & 1)
                for w in range(words):
                    values[(1 + p) * words + w] = (after[p * words + w] & ~ended[w]) | (bit & ended[w])
        else:
            for i in range(propositions * words):
                values[words + i] = after[i]
        quiet += 1
    return steps


# --- one state -------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _begin(game: Any) -> int:
    """Where the propositions begin in a state."""
    return 1 + game.sizes[SEATS] + game.sizes[ROLES]


@kernel(inline=True)
def _legal_begin(game: Any) -> int:
    """Where the legal moves begin in a state."""
    return _begin(game) + (game.sizes[PROPOSITIONS] + 63) // 64


@kernel
def _is_legal(game: Any, state: Any, move: int) -> bool:
    return (state[_legal_begin(game) + (move >> 6)] >> (move & 63)) & 1 != 0


@kernel
def _count_legal(game: Any, state: Any, role: int, listed: Any) -> int:
    """How many legal moves a role has; as many of them as there is room for go to `listed`."""
    at = _legal_begin(game)
    begin, end = game.role_moves[role], game.role_moves[role + 1]
    found = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = state[at + word]
        if word == begin >> 6:
            bits &= ALL << (begin & 63)
        if (word + 1) * 64 > end:
            bits &= (BIT << (end & 63)) - 1
        while bits:
            if found < len(listed):
                listed[found] = word * 64 + lowest_bit(bits)
            found += 1
            bits &= bits - 1
    return found


@kernel
def _say_turn(game: Any, state: Any, over: bool) -> None:
    """Work out from a state's legal moves whose turn it is."""
    sizes = game.sizes
    seats, roles = sizes[SEATS], sizes[ROLES]
    for r in range(roles):
        state[1 + seats + r] = -1
    two = np.zeros(2, np.int64)
    deciding, decider, stirring, lucky = 0, -1, -1, False
    for r in range(roles):
        count = _count_legal(game, state, r, two)
        if count == 0:
            over = True  # rules that leave a role without a move: nobody can go on
        elif r == sizes[CHANCE_ROLE]:
            lucky = count > 1
        elif count > 1:
            deciding += 1
            decider = game.role_seat[r]
        elif two[0] != game.idle[r] and stirring < 0:
            stirring = game.role_seat[r]
    for s in range(seats):
        state[1 + s] = 0
    if over:
        state[TURN] = OVER
    elif deciding > 1:
        state[TURN] = JOINT
    elif deciding == 1:
        state[TURN] = decider
    elif lucky:
        state[TURN] = CHANCE
    else:
        state[TURN] = max(stirring, 0)  # nobody has a choice; who does more than wait has the turn


@kernel
def _say_goals(game: Any, state: Any, values: Any, lane: int) -> None:
    """Write the goals of a state that is over; `values` hold the phase of the goals."""
    for g in range(len(game.goal_literals)):
        seat = game.role_seat[game.goal_role[g]]
        if seat >= 0 and (_literal(values, np.int64(game.goal_literals[g]), 0, 1) >> lane) & 1:
            state[1 + seat] = game.goal_value[g]


@kernel
def complete(game: Any, state: Any, values: Any) -> None:
    """Work out what follows from a state's propositions: whose turn it is, the legal moves, and the goals if it is over."""
    sizes = game.sizes
    begin, at = _begin(game), _legal_begin(game)
    for p in range(sizes[PROPOSITIONS]):
        values[1 + p] = state[begin + (p >> 6)] >> (p & 63) & 1
    evaluate(game, LEGAL, values, (NONE,))
    for i in range(at, len(state)):
        state[i] = 0
    for m in range(sizes[MOVES]):
        if _literal(values, np.int64(game.legal_literals[m]), 0, 1) & 1:
            state[at + (m >> 6)] |= BIT << (m & 63)
    _say_turn(game, state, _literal(values, sizes[TERMINAL], 0, 1) & 1 != 0)
    if state[TURN] == OVER:
        evaluate(game, GOALS, values, (NONE,))
        _say_goals(game, state, values, 0)


@kernel
def role_goals(game: Any, state: Any, out: Any) -> None:
    """The goals of all roles in a state, chance's too."""
    begin = _begin(game)
    values = np.zeros(nodes_of(game), np.int64)
    for p in range(game.sizes[PROPOSITIONS]):
        values[1 + p] = state[begin + (p >> 6)] >> (p & 63) & 1
    evaluate(game, LEGAL, values, (NONE,))
    evaluate(game, GOALS, values, (NONE,))
    for g in range(len(game.goal_literals)):
        if _literal(values, np.int64(game.goal_literals[g]), 0, 1) & 1:
            out[game.goal_role[g]] = game.goal_value[g]


@kernel
def _carry_out(game: Any, state: Any) -> None:
    """Make the moves that are fixed, and for all other roles their only one."""
    sizes = game.sizes
    begin, seats = _begin(game), sizes[SEATS]
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
            _count_legal(game, state, r, one)
            move = one[0]
        values[1 + sizes[PROPOSITIONS] + move] = 1
    evaluate(game, LEGAL, values, (NONE,))
    evaluate(game, NEXT, values, (NONE,))
    for i in range(begin, _legal_begin(game)):
        state[i] = 0
    for p in range(sizes[PROPOSITIONS]):
        if _literal(values, np.int64(game.next_literals[p]), 0, 1) & 1:
            state[begin + (p >> 6)] |= BIT << (p & 63)
    complete(game, state, values)


@kernel
def _go_on(game: Any, state: Any) -> None:
    """The moves of all seats are fixed: carry them out, unless chance has a choice of its own."""
    luck = game.sizes[CHANCE_ROLE]
    if luck >= 0 and state[TURN] != CHANCE and _count_legal(game, state, luck, np.zeros(1, np.int64)) > 1:
        state[TURN] = CHANCE
    else:
        _carry_out(game, state)


# --- the contract ----------------------------------------------------------------------------------------------------


@implements(contract.start, Gdl)
def _(game: Any, state: Any) -> None:
    begin = _begin(game)
    state[:] = 0
    for i in range(len(game.initial)):
        state[begin + i] = game.initial[i]
    values = np.zeros(nodes_of(game), np.int64)
    complete(game, state, values)


@implements(contract.turn, Gdl)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(contract.moves, Gdl)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    return _count_legal(game, state, game.seat_role[seat], out)


@implements(contract.play, Gdl)
def _(game: Any, state: Any, move: int) -> None:
    role = game.sizes[CHANCE_ROLE] if state[TURN] == CHANCE else game.seat_role[state[TURN]]
    state[1 + game.sizes[SEATS] + role] = move
    _go_on(game, state)


@implements(contract.play_joint, Gdl)
def _(game: Any, state: Any, joint: Any) -> None:
    for seat in range(game.sizes[SEATS]):
        state[1 + game.sizes[SEATS] + game.seat_role[seat]] = joint[seat]
    _go_on(game, state)


@implements(contract.chances, Gdl)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    if game.sizes[CHANCE_ROLE] < 0:
        return 0
    count = _count_legal(game, state, game.sizes[CHANCE_ROLE], outcomes)
    for i in range(count):
        probabilities[i] = 1.0 / count
    return count


@implements(contract.scores, Gdl)
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


@implements(contract.play_each, Gdl)
def _(game: Any, state: Any, listed: Any, first: int, count: int, out: Any) -> None:
    # All moves at once, each in a lane of its own.
    sizes = game.sizes
    propositions, moves = sizes[PROPOSITIONS], sizes[MOVES]
    begin, at = _begin(game), _legal_begin(game)
    mover = game.seat_role[state[TURN]]
    one = np.zeros(1, np.int64)
    if sizes[CHANCE_ROLE] >= 0 and _count_legal(game, state, sizes[CHANCE_ROLE], one) > 1:
        for i in range(count):
            out[i] = state
            contract.play(game, out[i], listed[first + i])
        return
    values = np.empty(nodes_of(game), np.int64)
    after, block = np.empty(max(propositions, moves), np.int64), np.empty(64, np.int64)
    values[0] = 0
    for p in range(propositions):
        values[1 + p] = -(state[begin + (p >> 6)] >> (p & 63) & 1)
    for m in range(moves):
        values[1 + propositions + m] = 0
    for r in range(sizes[ROLES]):
        if r != mover:
            _count_legal(game, state, r, one)
            values[1 + propositions + one[0]] = ALL
    for i in range(count):
        values[1 + propositions + listed[first + i]] = BIT << i
    evaluate(game, LEGAL, values, (NONE,))
    evaluate(game, NEXT, values, (NONE,))
    for p in range(propositions):
        after[p] = _literal(values, np.int64(game.next_literals[p]), 0, 1)
    for p in range(propositions):
        values[1 + p] = after[p]
    _to_states(after, propositions, count, begin, block, out)
    evaluate(game, LEGAL, values, (NONE,))
    for m in range(moves):
        after[m] = _literal(values, np.int64(game.legal_literals[m]), 0, 1)
    _to_states(after, moves, count, at, block, out)
    over = _literal(values, sizes[TERMINAL], 0, 1)
    known = False
    for i in range(count):
        _say_turn(game, out[i], (over >> i) & 1 != 0)
        if out[i, TURN] == OVER:
            if not known:
                evaluate(game, GOALS, values, (NONE,))
                known = True
            _say_goals(game, out[i], values, i)


@implements(contract.playouts, Gdl)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    if count > 64:
        lane_playouts(game, state, rng, count, total, (NONE, NONE, NONE, NONE))
    else:
        lane_playouts(game, state, rng, count, total, (NONE,))


@kernel
def count_forced(game: Any, seed_rng: Any, steps: int, counts: Any) -> None:
    """Play at random, and count how often each move is the only one that its role has."""
    state = np.zeros(_legal_begin(game) + (game.sizes[MOVES] + 63) // 64, np.int64)
    contract.start(game, state)
    widest = 2
    for r in range(game.sizes[ROLES]):
        widest = max(widest, game.role_moves[r + 1] - game.role_moves[r])
    listed = np.zeros(widest, np.int64)
    for _ in range(steps):
        if state[TURN] == OVER:
            contract.start(game, state)
            if state[TURN] == OVER:
                return
        for r in range(game.sizes[ROLES]):
            count = _count_legal(game, state, r, listed)
            if count == 1:
                counts[listed[0]] += 1
            state[1 + game.sizes[SEATS] + r] = listed[below(seed_rng, count)]
        _carry_out(game, state)


# --- encoding --------------------------------------------------------------------------------------------------------


class Propositions(NamedTuple):
    """An input for each proposition that holds; an output for the score of each seat."""

    kind: int = 0

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and outputs of a network for this."""
        return 1, int(game.sizes[PROPOSITIONS]), int(game.sizes[SEATS])


@implements(contract.features, Propositions)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    begin, end = _begin(game), _legal_begin(game)
    found = 0
    for word in range(begin, end):
        bits = state[word]
        while bits:
            index[found] = (word - begin) * 64 + lowest_bit(bits)
            value[found] = 1
            found += 1
            bits &= bits - 1
    return found


@implements(contract.outcome, Propositions)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    for seat in range(len(out)):
        out[seat] = state[1 + seat] / 100.0


@implements(contract.from_scores, Propositions)
def _(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    for seat in range(len(out)):
        out[seat] = scores[seat]
    return True


@implements(contract.worth, Propositions)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    for seat in range(len(out)):
        out[seat] = prediction[seat]
