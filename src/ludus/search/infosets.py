"""Monte Carlo tree search where not everybody sees everything: a node is what one seat knows (an information set), and not a state.

A simulation begins at a state that is drawn, and goes on as the seats would, each by what it knows itself: so nobody plays by what it can't see, neither the seat that
searches nor those against it. Each seat takes the upper bound for itself, or, more and more often, follows the mean of its choices so far (Smooth UCT, Heinrich and
Silver 2015), which brings forth mixed strategies. Where a seat comes to a new node, random games judge.

In simulations that begin at states that fit what one seat knows, the others meet only what is the case, and would soon play as if they knew it. So where simulations
from the beginning of the game have shown how they choose, they do so, and learn nothing from these.

States to begin with are found by `follow`: what happened is played again, with what others did and what chance brought drawn anew, and dropped where it
contradicts what the seat knows. Others' moves are drawn as the tree says that they choose.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.knowing import knowledge, steps_made
from ludus.contract.rules import (
    CHANCE,
    JOINT,
    OVER,
    Sizes,
    moves,
    play,
    play_joint,
    playouts,
    roll,
    scores,
    sizes_of,
    turn,
)
from ludus.kernel import below, kernel, mix_hash, uniform

# Of a node: its first arm, how many it has, how often simulations came by, and how often those from the beginning of the game.
FIRST, COUNT, VISITS, SURE = range(4)
MOVE, TRIES = range(2)  # of an arm: the move, how often it was chosen
NODES, ARMS = range(2)  # places in `used`
DEPTH = 1024  # choices that a simulation follows at most
KNOWN = 8  # visits from which on a node says how a seat chooses
DOUBT = 0.1  # the share of moves that are drawn all alike even so: others may play otherwise
# How often a seat looks for the best move, and does not follow the mean: less and less with the visits n of a node, but at least LEAST.
LEAST, FADE = 0.1, 0.05
SETTLED = 32  # visits from the beginning of the game, after which others choose as they did there


class InfoTree(NamedTuple):
    """What is known of each node, by a hash table, and room for the simulation under way."""

    table: np.ndarray  # 1 + the node, or 0
    keys: np.ndarray  # node
    nodes: np.ndarray  # node, see above
    arms: np.ndarray  # arm, see above
    total: np.ndarray  # arm: the sum of what its seat got
    used: np.ndarray  # nodes, arms
    path: np.ndarray  # choice: node, arm, seat
    now: np.ndarray  # the state
    legal: np.ndarray
    outcomes: np.ndarray
    odds: np.ndarray
    joint: np.ndarray
    value: np.ndarray


class InfoOptions(NamedTuple):
    """How to search."""

    c: float
    games: int  # random games at a new node
    low: float  # the lowest score
    high: float
    sizes: Sizes


def new_info_tree(game: Any, nodes: int) -> InfoTree:
    """An empty tree for at most so many nodes."""
    max_moves, state_size, seats, max_chances = sizes_of(game)
    whole = np.int64
    return InfoTree(
        table=np.zeros(1 << int(2 * nodes).bit_length(), whole),
        keys=np.zeros(nodes, np.uint64),
        nodes=np.zeros((nodes, 4), whole),
        arms=np.zeros((max(4 * nodes, max_moves), 2), whole),
        total=np.zeros(max(4 * nodes, max_moves)),
        used=np.zeros(2, whole),
        path=np.zeros((DEPTH, 3), whole),
        now=np.zeros(state_size, whole),
        legal=np.zeros(max_moves, whole),
        outcomes=np.zeros(max_chances, whole),
        odds=np.zeros(max_chances),
        joint=np.zeros(seats, whole),
        value=np.zeros(seats),
    )


def info_options(game: Any, c: float, games: int) -> InfoOptions:
    """The options of a search in a game."""
    low, high = game.facts.score_range
    return InfoOptions(float(c), games, float(low), float(high), sizes_of(game))


@kernel
def find_node(tree: Any, game: Any, state: Any, seat: int, may_add: bool) -> int:
    """The node of what a seat knows in a state in which it is to choose, -1 if there is none; `tree.legal` are its moves. A new one is added if it may be, and there is
    room.
    """
    count = moves(game, state, seat, tree.legal)
    key = mix_hash(knowledge(game, state, seat), seat)
    for i in range(count):  # sound rules give a seat the same moves wherever it knows the same: this is for others
        key = mix_hash(key, tree.legal[i])
    mask = len(tree.table) - 1
    slot = np.int64(key >> np.uint64(7)) & mask
    while tree.table[slot]:
        node = tree.table[slot] - 1
        if tree.keys[node] == key:
            return node
        slot = (slot + 1) & mask
    node, first = tree.used[NODES], tree.used[ARMS]
    if not may_add or node == len(tree.nodes) or first + count > len(tree.arms):
        return -1
    tree.table[slot] = node + 1
    tree.keys[node] = key
    tree.nodes[node, FIRST], tree.nodes[node, COUNT], tree.nodes[node, VISITS] = first, count, 0
    tree.nodes[node, SURE] = 0
    for i in range(count):
        tree.arms[first + i, MOVE], tree.arms[first + i, TRIES] = tree.legal[i], 0
        tree.total[first + i] = 0.0
    tree.used[NODES], tree.used[ARMS] = node + 1, first + count
    return node


@kernel
def _mean_arm(tree: Any, node: int, rng: Any) -> int:
    """An arm, drawn as often as it was chosen so far."""
    first = tree.nodes[node, FIRST]
    rest = uniform(rng) * tree.nodes[node, VISITS]
    last = first + tree.nodes[node, COUNT] - 1
    for arm in range(first, last):
        rest -= tree.arms[arm, TRIES]
        if rest < 0:
            return arm
    return last


@kernel
def _best_arm(tree: Any, node: int, c: float, rng: Any) -> int:
    """The arm with the highest upper bound; each is tried once before any is tried again."""
    first, visits = tree.nodes[node, FIRST], tree.nodes[node, VISITS]
    logarithm = log(visits + 1.0)
    best, highest, ties = first, -1.0, 1
    for arm in range(first, first + tree.nodes[node, COUNT]):
        tries = tree.arms[arm, TRIES]
        bound = 1e9 if tries == 0 else tree.total[arm] / tries + c * sqrt(logarithm / tries)
        if bound > highest:
            best, highest, ties = arm, bound, 1
        elif bound == highest:
            ties += 1
            if below(rng, ties) == 0:
                best = arm
    return best


@kernel
def _choice(tree: Any, game: Any, options: Any, rng: Any, seat: int, depth: int, me: int) -> tuple[int, bool]:
    """What a seat chooses in `tree.now`, noted on the path; and whether it is where it has never been, or there is no room to note it. `me` is as in `search_from`."""
    known = tree.used[NODES]
    node = find_node(tree, game, tree.now, seat, True)
    if node < 0:
        tree.path[depth, 0] = -1
        return tree.legal[below(rng, moves(game, tree.now, seat, tree.legal))], True
    if me >= 0 and me != seat and tree.nodes[node, SURE] >= SETTLED:
        tree.path[depth, 0] = -1
        return tree.arms[_mean_arm(tree, node, rng), MOVE], False
    share = max(LEAST, 1.0 / (1.0 + FADE * sqrt(tree.nodes[node, VISITS])))
    arm = _best_arm(tree, node, options.c, rng) if uniform(rng) < share else _mean_arm(tree, node, rng)
    tree.path[depth, 0], tree.path[depth, 1], tree.path[depth, 2] = node, arm, seat
    return tree.arms[arm, MOVE], node >= known


@kernel
def _simulate(tree: Any, game: Any, options: Any, rng: Any, me: int) -> None:
    """Go on from `tree.now` to a node that is new, or to the end, and note what comes of it."""
    seats, value, depth, fresh = len(tree.joint), tree.value, 0, False
    for s in range(seats):
        value[s] = 0.0
    while True:
        who = turn(game, tree.now)
        if who == OVER:
            scores(game, tree.now, value)
            break
        if fresh or depth + seats > DEPTH:
            playouts(game, tree.now, rng, options.games, options.sizes, value)
            for s in range(seats):
                value[s] /= options.games
            break
        if who == CHANCE:
            play(game, tree.now, roll(game, tree.now, rng, tree.outcomes, tree.odds))
        elif who == JOINT:
            for s in range(seats):
                tree.joint[s], unknown = _choice(tree, game, options, rng, s, depth, me)
                fresh = fresh or unknown
                depth += 1
            play_joint(game, tree.now, tree.joint)
        else:
            move, fresh = _choice(tree, game, options, rng, who, depth, me)
            depth += 1
            play(game, tree.now, move)
    for i in range(depth):
        node, arm, s = tree.path[i, 0], tree.path[i, 1], tree.path[i, 2]
        if node >= 0:
            worth = (value[s] - options.low) / (options.high - options.low)
            tree.nodes[node, VISITS] += 1
            if me < 0:
                tree.nodes[node, SURE] += 1
            tree.arms[arm, TRIES] += 1
            tree.total[arm] += worth


@kernel
def search_from(tree: Any, game: Any, options: Any, rng: Any, states: Any, count: int, me: int) -> None:
    """Run so many simulations, each from one of some states: -1 says that it is the beginning of the game, else `me` is the seat whose knowledge they fit."""
    for _ in range(count):
        state = states[below(rng, len(states))]
        for i in range(len(state)):
            tree.now[i] = state[i]
        _simulate(tree, game, options, rng, me)


# --- what may have happened ------------------------------------------------------------------------------------------


class Known(NamedTuple):
    """What a seat did, and the key of what it knew after each step."""

    seat: int
    own: np.ndarray
    keys: np.ndarray
    legal: np.ndarray  # what it may do now; empty if that is not known
    step: int = 0  # that is played again


@kernel
def _guess(tree: Any, game: Any, rng: Any, seat: int) -> int:
    """A move of somebody else: as it would choose, as far as that is known."""
    node = find_node(tree, game, tree.now, seat, False)
    if node >= 0 and tree.nodes[node, VISITS] >= KNOWN and uniform(rng) >= DOUBT:
        return tree.arms[_mean_arm(tree, node, rng), MOVE]
    return tree.legal[below(rng, moves(game, tree.now, seat, tree.legal))]


@kernel
def _own(tree: Any, game: Any, known: Any) -> int:
    """What the seat did in the step, or -1 if it can't have done it here."""
    for i in range(moves(game, tree.now, known.seat, tree.legal)):
        if tree.legal[i] == known.own[known.step]:
            return tree.legal[i]
    return -1


@kernel
def _try_step(tree: Any, game: Any, known: Any, rng: Any) -> bool:
    """Let `tree.now` go on by the step as it may have been; whether the seat would know what it knows."""
    while steps_made(game, tree.now) == known.step:
        who = turn(game, tree.now)
        if who == OVER:
            return False
        if who == CHANCE:
            play(game, tree.now, roll(game, tree.now, rng, tree.outcomes, tree.odds))
            continue
        for s in range(len(tree.joint)):
            if who in (s, JOINT):
                tree.joint[s] = _own(tree, game, known) if s == known.seat else _guess(tree, game, rng, s)
                if tree.joint[s] < 0:
                    return False
        if who == JOINT:
            play_joint(game, tree.now, tree.joint)
        else:
            play(game, tree.now, tree.joint[who])
    return knowledge(game, tree.now, known.seat) == known.keys[known.step]


@kernel
def _is_here(tree: Any, game: Any, known: Any) -> bool:
    """Whether the seat may do in `tree.now` what it may do."""
    if turn(game, tree.now) == OVER or moves(game, tree.now, known.seat, tree.legal) != len(known.legal):
        return False
    same = True
    for i in range(len(known.legal)):
        same &= tree.legal[i] == known.legal[i]
    return same


@kernel
def follow(tree: Any, game: Any, known: Any, rng: Any, states: Any, out: Any, first: int, tries: int) -> int:
    """From states that may have been before a step, find some that may have been after it, by so many tries; returns how many were written to `out`. States are
    taken in turn, from the `first` try on: to draw them would make some of them many, and lose others.
    """
    found, last = 0, known.step == len(known.keys) - 1 and len(known.legal) > 0
    for i in range(first, first + tries):
        state = states[i % len(states)]
        for k in range(len(state)):
            tree.now[k] = state[k]
        if not _try_step(tree, game, known, rng) or (last and not _is_here(tree, game, known)):
            continue
        for k in range(len(state)):
            out[found, k] = tree.now[k]
        found += 1
        if found == len(out):
            break
    return found
