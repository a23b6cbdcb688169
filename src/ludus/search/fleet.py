"""Many games of a rulesheet under way at once, each in a lane of its own, and each begun from a state of its own: what `lanes.py` sends out from the edge of its
tree. All lanes make a step together, by one pass over the rulesheet's circuit (`games/gdl/lanes.py`).

A lane is *idle*; or it has been given a state, and perhaps the move that is to be made in it, which leads to a state that the tree does not know yet; or it plays on at random. Where the moves of
random games are drawn by what they were worth so far (`candidates`), several are drawn, and the best of them is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.games.gdl.lanes import (
    GOALS,
    LEGAL,
    MOVES,
    NEXT,
    PROPOSITIONS,
    ROLES,
    SEATS,
    TERMINAL,
    begin_of,
    evaluate,
    gather_choices,
    legal_begin_of,
    literal_of,
    move_of_rank,
    nodes_of,
)
from ludus.kernel import below, count_bits, kernel, lowest_bit
from ludus.search.judgement import Judgement, conclude, no_judgement
from ludus.search.tree import DEPTH

BIT = np.int64(1)
NONE = np.int64(0)
RECORDED = 512  # decisions of a random game that are remembered, at most
PROBES = 1 << 14  # room for moves that are to be looked at
SIMULATION, PROBE = 0, 1  # what a lane is for
SERIAL, HEAD, TAIL, STEPS, PROBED, FOUND = range(6)  # places in `Fleet.cursor`
# Rows of `Fleet.masks`, bits by lane: playing; about to make a move that was told; in the state after that; without a move for some role; over
ACTIVE, LOADED, BORN, STUCK, ENDED = range(5)


class Fleet(NamedTuple):
    """All lanes, and what is noted of each while it plays. The first axis of most is the lane."""

    words: tuple[Any, ...]  # as many zeros as there are words a node: 64 lanes each
    values: np.ndarray  # what holds, by node of the circuit and word
    after: np.ndarray  # what holds next, by proposition and word
    legal: np.ndarray  # a workspace for choices
    blocks: np.ndarray
    masks: np.ndarray  # see above, by word
    kind: np.ndarray
    told: np.ndarray  # lane, role: the move that is to be made first, or -1
    steps: np.ndarray  # how many it has made
    path: np.ndarray  # lane, ply: the node
    surest: np.ndarray  # lane, ply: the node's best proven child, or -1
    arms: np.ndarray  # lane, ply, seat: where all move at once, the arm of each seat; else -1
    depth: np.ndarray  # where the path ends
    record: np.ndarray  # lane, decision: the move
    recorded: np.ndarray  # how many
    value: np.ndarray  # seat: what a game came to
    probes: np.ndarray  # nodes that are to be looked at, in a ring
    cursor: np.ndarray
    seen: np.ndarray  # move: the last simulation that made it
    seat_of: np.ndarray  # move: whose it is, -1 for chance
    rates: np.ndarray  # move: how often it was made, and the mean of what came of it for its seat
    judgement: Judgement  # by which states are judged, if games are broken off
    hidden: np.ndarray  # the values of its hidden units


def new_fleet(game: Any, words: int = 1, judgement: Judgement | None = None) -> Fleet:
    """Idle lanes for a game of a rulesheet, 64 for each word; without a judgement games can't be broken off.

    >>> import ludus
    >>> new_fleet(ludus.game("tictactoe")).told.shape
    (64, 2)
    """
    lanes, (propositions, moves, _, _, roles, seats, *_) = 64 * words, game.sizes.tolist()
    widest = int(np.diff(game.role_moves).max())
    known = judgement or no_judgement(seats)
    seat_of = np.repeat(game.role_seat, np.diff(game.role_moves))
    return Fleet(
        words=(NONE,) * words,
        values=np.zeros(nodes_of(game) * words, np.int64),
        after=np.zeros(propositions * words, np.int64),
        legal=np.zeros(widest + 1, np.int64),
        blocks=np.zeros((widest + 127) // 64 * 64, np.int64),
        masks=np.zeros((5, words), np.int64),
        kind=np.zeros(lanes, np.int64),
        told=np.full((lanes, roles), -1, np.int64),
        steps=np.zeros(lanes, np.int64),
        path=np.zeros((lanes, DEPTH), np.int32),
        surest=np.full((lanes, DEPTH), -1, np.int32),
        arms=np.full((lanes, DEPTH, seats), -1, np.int32),
        depth=np.zeros(lanes, np.int64),
        record=np.zeros((lanes, RECORDED), np.int32),
        recorded=np.zeros(lanes, np.int64),
        value=np.zeros(seats),
        probes=np.zeros(PROBES, np.int64),
        cursor=np.zeros(6, np.int64),
        seen=np.zeros(moves, np.int64),
        seat_of=seat_of.astype(np.int64),
        rates=np.zeros((moves, 2)),
        judgement=known,
        hidden=np.zeros(known.w1.shape[1], np.float32),
    )


@kernel
def recall(fleet: Any) -> None:
    """Make all lanes idle: the tree that they came from is another one now."""
    fleet.masks[:] = 0
    fleet.cursor[HEAD] = fleet.cursor[TAIL] = 0


@kernel
def load(game: Any, fleet: Any, lane: int, state: Any) -> None:
    """Give an idle lane a state to play on from. Moves of it that are fixed already will be made."""
    words = len(fleet.words)
    word, bit = lane >> 6, BIT << (lane & 63)
    begin = begin_of(game)
    after = fleet.after
    for p in range(game.sizes[PROPOSITIONS]):
        at = p * words + word
        if (state[begin + (p >> 6)] >> (p & 63)) & 1:
            after[at] |= bit
        else:
            after[at] &= ~bit
    for role in range(game.sizes[ROLES]):
        fleet.told[lane, role] = state[1 + game.sizes[SEATS] + role]
    fleet.kind[lane] = SIMULATION
    fleet.steps[lane] = 0
    fleet.recorded[lane] = 0
    fleet.masks[ACTIVE, word] |= bit
    fleet.masks[LOADED, word] |= bit


@kernel
def look(game: Any, fleet: Any) -> None:
    """Work out what follows from the states of all lanes: the legal moves, which games have ended, and then the goals."""
    words, masks = len(fleet.words), fleet.masks
    for i in range(len(fleet.after)):
        fleet.values[words + i] = fleet.after[i]
    evaluate(game, LEGAL, fleet.values, fleet.words)
    ended = NONE
    for w in range(words):
        over = literal_of(fleet.values, game.sizes[TERMINAL], w, words) | masks[STUCK, w]
        masks[ENDED, w] = over & masks[ACTIVE, w]
        ended |= masks[ENDED, w]
    if ended:
        evaluate(game, GOALS, fleet.values, fleet.words)


@kernel
def read_scores(game: Any, fleet: Any, lane: int) -> None:
    """Write the scores of a lane whose game has ended to `fleet.value`. Where several goals hold, the best counts."""
    words, word = len(fleet.words), lane >> 6
    for s in range(len(fleet.value)):
        fleet.value[s] = 0.0
    for g in range(len(game.goal_literals)):  # by role, the lower goals first
        seat = game.role_seat[game.goal_role[g]]
        if seat >= 0 and (literal_of(fleet.values, np.int64(game.goal_literals[g]), word, words) >> (lane & 63)) & 1:
            fleet.value[seat] = game.goal_value[g] / 100.0


@kernel
def judge(game: Any, fleet: Any, lane: int) -> None:
    """Write what the judgement says of a lane's state to `fleet.value`."""
    words, word, shift = len(fleet.words), lane >> 6, lane & 63
    w1, hidden = fleet.judgement.w1, fleet.hidden
    last = len(w1) - 1
    for h in range(len(hidden)):
        hidden[h] = w1[last, h]
    for p in range(last):
        if (fleet.values[(1 + p) * words + word] >> shift) & 1:
            for h in range(len(hidden)):
                hidden[h] += w1[p, h]
    conclude(fleet.judgement, hidden, fleet.value)


@kernel
def read_state(game: Any, fleet: Any, lane: int, state: Any) -> None:
    """Write the propositions and the legal moves of a lane; whose turn it is remains to be said."""
    words, word, shift = len(fleet.words), lane >> 6, lane & 63
    begin, at = begin_of(game), legal_begin_of(game)
    for i in range(begin, len(state)):
        state[i] = 0
    for p in range(game.sizes[PROPOSITIONS]):
        state[begin + (p >> 6)] |= ((fleet.values[(1 + p) * words + word] >> shift) & 1) << (p & 63)
    for m in range(game.sizes[MOVES]):
        holds = literal_of(fleet.values, np.int64(game.legal_literals[m]), word, words)
        state[at + (m >> 6)] |= ((holds >> shift) & 1) << (m & 63)


@kernel
def step(game: Any, fleet: Any, candidates: int, rng: Any) -> None:
    """Let all lanes that play make their moves: those that they were told, all others at random."""
    words, masks = len(fleet.words), fleet.masks
    roles, propositions = game.sizes[ROLES], game.sizes[PROPOSITIONS]
    inputs = 1 + propositions
    stuck = NONE
    for w in range(words):
        active = masks[ACTIVE, w]
        masks[STUCK, w] = 0
        for role in range(roles):
            bound: Any = NONE
            rest = masks[LOADED, w]
            while rest:
                lane = lowest_bit(rest)
                rest &= rest - 1
                if fleet.told[w * 64 + lane, role] >= 0:
                    bound |= BIT << lane
            found = _choose(game, fleet, role, w, active & ~bound, candidates, rng)
            masks[STUCK, w] |= active & ~bound & ~found
            while bound:
                lane = lowest_bit(bound)
                bound &= bound - 1
                fleet.values[(inputs + fleet.told[w * 64 + lane, role]) * words + w] |= BIT << lane
        stuck |= masks[STUCK, w]
        masks[BORN, w] = masks[LOADED, w]
        masks[LOADED, w] = 0
        fleet.cursor[STEPS] += count_bits(active)
        while active:
            lane = w * 64 + lowest_bit(active)
            active &= active - 1
            fleet.steps[lane] += 1
    evaluate(game, NEXT, fleet.values, fleet.words)
    for p in range(propositions):
        literal = np.int64(game.next_literals[p])
        for w in range(words):
            fleet.after[p * words + w] = literal_of(fleet.values, literal, w, words)
    if stuck:  # nobody can go on there: the game ends as it stands
        for p in range(propositions):
            for w in range(words):
                at, still = p * words + w, masks[STUCK, w]
                fleet.after[at] = (fleet.after[at] & ~still) | (fleet.values[words + at] & still)


@kernel
def _choose(game: Any, fleet: Any, role: int, word: int, active: Any, candidates: int, rng: Any) -> Any:
    """Choose a legal move of a role in each active lane of a word, and remember it where there was a choice. Returns the lanes in which there is one."""
    words = len(fleet.words)
    some, several, count = gather_choices(game, role, active, fleet.values, word, words, fleet.legal, fleet.blocks)
    inputs = (1 + game.sizes[PROPOSITIONS]) * words + word
    rates = fleet.rates
    while several:
        lane = lowest_bit(several)
        several &= several - 1
        total = 0
        for b in range(0, count, 64):
            total += count_bits(fleet.blocks[b + lane])
        m = move_of_rank(fleet.legal, fleet.blocks, lane, below(rng, total))
        for _ in range(1, candidates):
            other = move_of_rank(fleet.legal, fleet.blocks, lane, below(rng, total))
            if rates[other, 1] > rates[m, 1]:
                m = other
        fleet.values[inputs + m * words] |= BIT << lane
        at, number = word * 64 + lane, fleet.recorded[word * 64 + lane]
        if number < RECORDED:
            fleet.record[at, number] = m
            fleet.recorded[at] = number + 1
    return some
