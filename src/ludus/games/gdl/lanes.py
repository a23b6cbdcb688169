"""Many games in the bits of a word: evaluates the circuit of a rulesheet, and plays random games on it.

The value of a node is one word of 64 lanes or four, and every lane is a game of its own: one pass over the gates moves all of them on. A game is data
(`machine.Compiled`); one set of kernels plays every game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import below, count_bits, kernel, lowest_bit

LEGAL, GOALS, NEXT = 0, 1, 2  # the phases of a circuit
ALL = np.int64(-1)
NONE = np.int64(0)
BIT = np.int64(1)
IDLE_LIMIT = 20_000  # steps of random games without any of them ending, before they are given up

# What a game's `sizes` hold.
PROPOSITIONS, MOVES, REGISTERS, GATES, ROLES, SEATS, CHANCE_ROLE, TERMINAL = range(8)

# A state: whose turn, goals by seat, moves by role that are fixed already (or -1), propositions, legal moves
TURN = 0


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


@kernel(inline=True)
def begin_of(game: Any) -> int:
    """Where the propositions begin in a state."""
    return 1 + game.sizes[SEATS] + game.sizes[ROLES]


@kernel(inline=True)
def legal_begin_of(game: Any) -> int:
    """Where the legal moves begin in a state."""
    return begin_of(game) + (game.sizes[PROPOSITIONS] + 63) // 64


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


class Choices(NamedTuple):
    """A workspace: the legal moves of a role in any of 64 lanes, and as bits in which lanes each is legal."""

    legal: np.ndarray
    blocks: np.ndarray


@kernel
def gather_choices(
    game: Any, role: int, active: Any, values: Any, word: int, words: int, legal: Any, blocks: Any
) -> tuple[Any, Any, int]:
    """Find the legal moves of a role in each of the 64 active lanes of a word. A move without an alternative is written to the inputs. Where there are
    several, `legal` lists moves, and `blocks` has for each 64 of them a word a lane, with the bits of those that are legal there.

    Returns the lanes in which there is a move, those in which there are several, and how many moves are listed.
    """
    begin, end = game.role_moves[role], game.role_moves[role + 1]
    literals = game.legal_literals
    inputs = (1 + game.sizes[PROPOSITIONS]) * words + word
    found = 0
    some, several = NONE, NONE  # lanes with a legal move, lanes with a choice
    for m in range(begin, end):
        literal = np.int64(literals[m])
        lanes = (values[(literal >> 1) * words + word] ^ -(literal & 1)) & active
        values[inputs + m * words] = lanes
        several |= some & lanes
        some |= lanes
        legal[found] = m
        found += lanes != 0
    if several == 0:
        return some, several, 0
    count = 0
    for i in range(found):
        m = legal[i]
        lanes = values[inputs + m * words]
        values[inputs + m * words] = lanes & ~several
        legal[count] = m
        blocks[count] = lanes & several
        count += (lanes & several) != 0
    full = (count + 63) // 64
    for i in range(count, full * 64):
        blocks[i] = 0
    for b in range(full):
        transpose(blocks, b * 64)
    return some, several, count


@kernel(inline=True)
def move_of_rank(legal: Any, blocks: Any, lane: int, rank: int) -> int:
    """The legal move of a lane that has `rank` legal ones before it, as `gather_choices` lists them."""
    b = 0
    while rank >= count_bits(blocks[b + lane]):
        rank -= count_bits(blocks[b + lane])
        b += 64
    return legal[b + _bit_of_rank(blocks[b + lane], rank)]


@kernel
def _choose_moves(game: Any, role: int, active: Any, values: Any, word: int, words: int, rng: Any, choices: Any) -> Any:
    """Choose a legal move of a role in each of the 64 active lanes of a word, each as likely as the others; write them to the inputs. Returns the
    lanes in which there is one.
    """
    legal, blocks = choices
    inputs = (1 + game.sizes[PROPOSITIONS]) * words + word
    some, several, count = gather_choices(game, role, active, values, word, words, legal, blocks)
    while several:
        lane = lowest_bit(several)
        several &= several - 1
        total = 0
        for b in range(0, count, 64):
            total += count_bits(blocks[b + lane])
        m = move_of_rank(legal, blocks, lane, below(rng, total))
        values[inputs + m * words] |= BIT << lane
    return some


@kernel
def literal_of(values: Any, literal: int, word: int, words: int) -> Any:
    """The lanes of a word in which a literal holds."""
    return values[(literal >> 1) * words + word] ^ -(literal & 1)


@kernel
def lane_playouts(game: Any, state: Any, rng: Any, count: int, total: Any, lanes: Any) -> int:
    """Play `count` random games from a state, 64 in every word of `lanes`; add the scores to `total`. Returns the moves made.

    A lane whose game has ended takes the next one, so that none is idle while there are games to play.
    """
    words = len(lanes)
    sizes = game.sizes
    propositions, roles = sizes[PROPOSITIONS], sizes[ROLES]
    begin = begin_of(game)
    values = np.zeros(nodes_of(game) * words, np.int64)
    widest = 0
    for r in range(roles):
        widest = max(widest, game.role_moves[r + 1] - game.role_moves[r])
    choices = Choices(np.zeros(widest + 1, np.int64), np.zeros((widest + 127) // 64 * 64, np.int64))
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
            ended[w] = (literal_of(values, sizes[TERMINAL], w, words) | stuck[w]) & active[w]
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
                        won = literal_of(values, np.int64(game.goal_literals[g]), w, words) & left[w]
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
                stuck[w] |= playing & ~_choose_moves(game, role, playing, values, w, words, rng, choices)
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
                after[p * words + w] = literal_of(values, literal, w, words)
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
