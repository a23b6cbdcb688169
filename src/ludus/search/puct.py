"""Tree search for two seats in turns, guided by a network with a policy and a value (PUCT, as in AlphaZero; Silver et al. 2018).

A simulation goes down the tree to a node that was not judged yet, asks the network, and makes all its children at once. A child that ends the game is exact, and
exact values go up the tree: a move that wins is enough to know its node, otherwise all of them are needed. Values are those of seat 0, from 0 to 1.

By time, the search plays its most visited move. For learning, the root is searched as in Gumbel AlphaZero (Danihelka et al. 2022): a few moves drawn by the policy meet in
rounds of which the better half goes on, and the shares that the network is to learn come from its logits and what the search found.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import EACH, OVER, moves, play_each, scores, turn
from ludus.kernel import generic, kernel, uniform

# Whole numbers of a node.
PARENT, FIRST, COUNT, MOVE, VISITS, PROVEN, SEAT = range(7)
COLUMNS = 7
DEEPEST = 512  # plies of a simulation


@generic
def judge(judge: Any, game: Any, state: Any, seat: int, legal: Any, count: int, logits: Any, /) -> float:
    """Write how good each legal move seems, as logits, and return the probability that `seat`, who moves, wins."""


class Forest(NamedTuple):
    """A tree: its first node is the root, and the children of a node are beside each other."""

    nodes: np.ndarray  # [node, column]
    prior: np.ndarray
    logit: np.ndarray
    total: np.ndarray  # sum of the values of its simulations; if proven, its value
    guess: np.ndarray  # what the network said of it
    states: np.ndarray
    used: np.ndarray  # [1]: how many nodes there are
    path: np.ndarray
    legal: np.ndarray
    logits: np.ndarray
    after: np.ndarray


class Puct(NamedTuple):
    """How a search goes down the tree."""

    c: float = 0.9
    reduction: float = 0.15  # how much worse than its parent a move is taken for that was not tried


def new_forest(game: Any, nodes: int) -> Forest:
    """An empty tree of so many nodes at most."""
    facts = game.facts
    nodes = max(nodes, facts.max_moves + 2)
    return Forest(
        np.zeros((nodes, COLUMNS), np.int32), np.zeros(nodes, np.float32), np.zeros(nodes, np.float32), np.zeros(nodes),
        np.zeros(nodes, np.float32), np.zeros((nodes, facts.state_size), np.int64), np.zeros(1, np.int64),
        np.zeros(DEEPEST, np.int64), np.zeros(facts.max_moves, np.int64), np.zeros(facts.max_moves, np.float32),
        np.zeros((EACH, facts.state_size), np.int64),
    )  # fmt: skip


@kernel
def _exact(game: Any, state: Any) -> float:
    """What an ended game is worth to seat 0, from 0 to 1."""
    both = np.zeros(2)
    scores(game, state, both)
    return 0.5 + 0.5 * (both[0] - both[1])


@kernel
def root_at(tree: Any, game: Any, state: Any) -> None:
    """Begin a tree at a state that is not over."""
    tree.used[0] = 1
    tree.nodes[0, :] = 0
    tree.nodes[0, PARENT] = -1
    tree.nodes[0, SEAT] = turn(game, state)
    tree.states[0, :] = state
    tree.total[0] = 0.0


@kernel
def _expand(tree: Any, game: Any, judging: Any, node: int) -> float:
    """Judge a node and make its children; return what it is worth to seat 0. Without room for the children it is judged only."""
    seat = int(tree.nodes[node, SEAT])
    state = tree.states[node]
    legal, logits = tree.legal, tree.logits
    count = moves(game, state, seat, legal)
    win = judge(judging, game, state, seat, legal, count, logits)
    value = win if seat == 0 else 1.0 - win
    tree.guess[node] = value
    first = tree.used[0]
    if first + count > len(tree.nodes):
        return value
    highest = logits[0]
    for i in range(1, count):
        highest = max(highest, logits[i])
    total = 0.0
    for i in range(count):
        tree.prior[first + i] = exp(logits[i] - highest)
        total += tree.prior[first + i]
    best, open_ones = -1.0, 0
    for begin in range(0, count, EACH):
        here = min(count - begin, EACH)
        play_each(game, state, legal, begin, here, tree.after)
        for i in range(here):
            child = first + begin + i
            tree.states[child, :] = tree.after[i]
            row = tree.nodes[child]
            row[:] = 0
            row[PARENT] = node
            row[MOVE] = legal[begin + i]
            tree.prior[child] /= total
            tree.logit[child] = logits[begin + i]
            tree.total[child] = 0.0
            whose = turn(game, tree.after[i])
            row[SEAT] = whose
            if whose == OVER:
                row[PROVEN] = 1
                tree.total[child] = _exact(game, tree.after[i])
                best = max(best, tree.total[child] if seat == 0 else 1.0 - tree.total[child])
            else:
                open_ones += 1
    tree.used[0] = first + count
    tree.nodes[node, FIRST] = first
    tree.nodes[node, COUNT] = count
    if best >= 1.0 or open_ones == 0:
        tree.nodes[node, PROVEN] = 1
        value = best if seat == 0 else 1.0 - best
        tree.total[node] = value
    return value


@kernel
def _settle(tree: Any, node: int) -> bool:
    """Whether a node, one of whose children has become exact, is exact too; then its value is set."""
    first, count, seat = tree.nodes[node, FIRST], tree.nodes[node, COUNT], tree.nodes[node, SEAT]
    best, every = -1.0, True
    for child in range(first, first + count):
        if tree.nodes[child, PROVEN]:
            best = max(best, tree.total[child] if seat == 0 else 1.0 - tree.total[child])
        else:
            every = False
    if best >= 1.0 or every:
        tree.nodes[node, PROVEN] = 1
        tree.total[node] = best if seat == 0 else 1.0 - best
        return True
    return False


@kernel
def mean_of(tree: Any, node: int, seat: int) -> float:
    """What a node that was visited or is exact is worth to a seat."""
    value = tree.total[node] if tree.nodes[node, PROVEN] else tree.total[node] / max(tree.nodes[node, VISITS], 1)
    return value if seat == 0 else 1.0 - value


@kernel
def _best_child(tree: Any, node: int, options: Any) -> int:
    """The child with the highest upper bound for who moves. One that is known to lose is taken only if there is no other."""
    first, count, seat = tree.nodes[node, FIRST], tree.nodes[node, COUNT], tree.nodes[node, SEAT]
    tried, mass = 0, 0.0
    for child in range(first, first + count):
        tried += tree.nodes[child, VISITS]
        if tree.nodes[child, VISITS]:
            mass += tree.prior[child]
    visits = tree.nodes[node, VISITS]
    own = tree.total[node] / visits if visits else np.float64(tree.guess[node])
    unknown = (own if seat == 0 else 1.0 - own) - options.reduction * sqrt(mass)
    scale = options.c * sqrt(tried + 1.0)
    found, highest = first, -1e30
    for child in range(first, first + count):
        n = tree.nodes[child, VISITS]
        proven = tree.nodes[child, PROVEN] != 0
        value = mean_of(tree, child, seat) if n or proven else unknown
        if proven and value <= 0.0:
            value -= 1e6
        bound = value + scale * tree.prior[child] / (1.0 + n)
        if bound > highest:
            highest, found = bound, child
    return found


@kernel
def simulate(tree: Any, game: Any, judging: Any, options: Any, start: int) -> None:
    """One simulation, from the root; if `start` is a child of it, through that child."""
    node, depth = 0, 0
    tree.path[0] = 0
    while tree.nodes[node, COUNT] and not tree.nodes[node, PROVEN] and depth + 1 < len(tree.path):
        node = start if depth == 0 and start > 0 else _best_child(tree, node, options)
        depth += 1
        tree.path[depth] = node
    known = tree.nodes[node, PROVEN] != 0
    value = tree.total[node] if known else _expand(tree, game, judging, node)
    fresh = tree.nodes[node, PROVEN] != 0
    tree.nodes[node, VISITS] += 1
    if not fresh:
        tree.total[node] += value
    for i in range(depth - 1, -1, -1):
        node = tree.path[i]
        tree.nodes[node, VISITS] += 1
        if fresh:
            fresh = _settle(tree, node)
            if fresh:
                value = tree.total[node]
        if not fresh:
            tree.total[node] += value


@kernel
def search_tree(tree: Any, game: Any, judging: Any, options: Any, count: int) -> int:
    """So many simulations, or fewer if the root becomes exact or the tree is full; return how many."""
    for done in range(count):
        if tree.nodes[0, PROVEN] and tree.nodes[0, COUNT]:
            return done
        if tree.used[0] + len(tree.legal) > len(tree.nodes):
            return done
        simulate(tree, game, judging, options, 0)
    return count


@kernel
def favourite(tree: Any) -> int:
    """The root's child to play: one that wins for sure, else the most visited that does not lose for sure; of equals the one that seems better. One simulation plays
    by the policy alone."""
    first, count, seat = tree.nodes[0, FIRST], tree.nodes[0, COUNT], tree.nodes[0, SEAT]
    found, highest = first, -1e30
    for child in range(first, first + count):
        n = tree.nodes[child, VISITS]
        value = mean_of(tree, child, seat) if n or tree.nodes[child, PROVEN] else 0.0
        rank = n + value if n else 0.1 * tree.prior[child]
        if tree.nodes[child, PROVEN]:
            if value >= 1.0:
                rank = 1e12
            elif value <= 0.0:
                rank = -1e6 + n
            elif tree.nodes[0, PROVEN]:
                rank = 1e9 * value
        if rank > highest:
            highest, found = rank, child
    return found


@kernel
def find_root(tree: Any, state: Any) -> int:
    """The node of a state at most two plies below the root, or -1."""
    if tree.used[0] == 0:
        return -1
    end = tree.nodes[0, FIRST] + tree.nodes[0, COUNT]
    last = end
    for node in range(tree.nodes[0, FIRST], end):
        if tree.nodes[node, COUNT]:
            last = max(last, tree.nodes[node, FIRST] + tree.nodes[node, COUNT])
    for node in range(last):
        parent = tree.nodes[node, PARENT]
        if node == 0 or parent == 0 or tree.nodes[parent, PARENT] == 0:
            same = True
            for i in range(len(state)):
                if tree.states[node, i] != state[i]:
                    same = False
                    break
            if same:
                return node
    return -1


@kernel
def keep_subtree(tree: Any, root: int, renamed: Any) -> None:
    """Make a node the root and forget all that is not below it. Nodes have higher numbers than their parents, and keep their order."""
    used = 0
    for node in range(tree.used[0]):
        parent = tree.nodes[node, PARENT]
        kept = node == root or (node > root and renamed[parent] >= 0)
        renamed[node] = used if kept else -1
        if kept:
            if used != node:
                tree.nodes[used, :] = tree.nodes[node]
                tree.prior[used] = tree.prior[node]
                tree.logit[used] = tree.logit[node]
                tree.total[used] = tree.total[node]
                tree.guess[used] = tree.guess[node]
                tree.states[used, :] = tree.states[node]
            tree.nodes[used, PARENT] = -1 if node == root else renamed[parent]
            used += 1
    for node in range(tree.used[0]):
        if renamed[node] >= 0 and tree.nodes[renamed[node], COUNT]:
            tree.nodes[renamed[node], FIRST] = renamed[tree.nodes[renamed[node], FIRST]]
    tree.used[0] = used


# --- for learning ----------------------------------------------------------------------------------------------------


class Lesson(NamedTuple):
    """How the root is searched for learning."""

    simulations: int
    width: int  # moves that are drawn
    noise: float  # how much chance has a say in the drawing; 1: as the policy says
    sharpness: float  # how much a difference of values counts beside one of logits


@kernel
def _standing(tree: Any, child: int, seat: int, lesson: Any, most: int) -> float:
    """What the search says of a child, on the scale of logits."""
    return (50.0 + most) * lesson.sharpness * mean_of(tree, child, seat)


@kernel
def _most_visits(tree: Any) -> int:
    most = 0
    for child in range(tree.nodes[0, FIRST], tree.nodes[0, FIRST] + tree.nodes[0, COUNT]):
        most = max(most, tree.nodes[child, VISITS])
    return most


@kernel
def search_rounds(tree: Any, game: Any, judging: Any, options: Any, lesson: Any, rng: Any) -> int:
    """Search a new tree in rounds of which the better half of the moves goes on, and return the child that is left."""
    simulate(tree, game, judging, options, 0)
    first, count, seat = tree.nodes[0, FIRST], tree.nodes[0, COUNT], tree.nodes[0, SEAT]
    luck = np.zeros(count)
    order = np.zeros(count, np.int64)
    for i in range(count):
        noise = -log(-log((uniform(rng) + 1e-12) * (1 - 1e-9)) + 1e-12)
        luck[i] = tree.logit[first + i] + lesson.noise * noise
        if tree.nodes[first + i, PROVEN]:
            luck[i] += _standing(tree, first + i, seat, lesson, 0)
    _by_rank(luck, order, count)
    left = min(count, lesson.width)
    rounds = 1
    while (1 << rounds) < left:
        rounds += 1
    spent = 1
    rank = np.zeros(count)
    while not tree.nodes[0, PROVEN]:
        each = max(1, (lesson.simulations - 1) // (rounds * left))
        for _ in range(each):
            for i in range(left):
                if spent < lesson.simulations and not tree.nodes[0, PROVEN]:
                    if not tree.nodes[first + order[i], PROVEN]:
                        simulate(tree, game, judging, options, first + order[i])
                    spent += 1
        most = _most_visits(tree)
        for i in range(count):
            rank[i] = -1e30
        for i in range(left):
            rank[order[i]] = luck[order[i]] + _standing(tree, first + order[i], seat, lesson, most)
        _by_rank(rank, order, count)
        if spent >= lesson.simulations or left <= 1:
            break
        left = max(left // 2, 1)
    return favourite(tree) if tree.nodes[0, PROVEN] else first + order[0]


@kernel
def _by_rank(rank: Any, order: Any, count: int) -> None:
    """The places of the ranks, highest first."""
    sorted_ones = np.argsort(-rank[:count], kind="mergesort")
    for i in range(count):
        order[i] = sorted_ones[i]


@kernel
def learned_shares(tree: Any, lesson: Any, out: Any) -> float:
    """Write which share each legal move should have by what the search found, and return what the root is worth to who moves. Moves that were not tried count as
    much as the network and the tried ones say of the root.
    """
    first, count, seat = tree.nodes[0, FIRST], tree.nodes[0, COUNT], tree.nodes[0, SEAT]
    guess = np.float64(tree.guess[0]) if seat == 0 else 1.0 - tree.guess[0]
    visits, mass, weighted = 0, 0.0, 0.0
    for child in range(first, first + count):
        if tree.nodes[child, VISITS] or tree.nodes[child, PROVEN]:
            visits += tree.nodes[child, VISITS]
            mass += tree.prior[child]
            weighted += tree.prior[child] * mean_of(tree, child, seat)
    mixed = (guess + visits * weighted / mass) / (1.0 + visits) if mass > 0 else guess
    most, highest = _most_visits(tree), -1e30
    for i in range(count):
        child = first + i
        known = tree.nodes[child, VISITS] or tree.nodes[child, PROVEN]
        standing = _standing(tree, child, seat, lesson, most) if known else (50.0 + most) * lesson.sharpness * mixed
        out[i] = tree.logit[child] + standing
        if tree.nodes[child, PROVEN]:
            value = mean_of(tree, child, seat)
            if value >= 1.0:
                out[i] += 10.0
            elif value <= 0.0:
                out[i] -= 10.0
        highest = max(highest, out[i])
    total = 0.0
    for i in range(count):
        out[i] = exp(out[i] - highest)
        total += out[i]
    for i in range(count):
        out[i] /= total
    if tree.nodes[0, PROVEN]:
        return mean_of(tree, 0, seat)
    return mixed
