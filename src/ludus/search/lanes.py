"""Monte Carlo tree search for compiled rulesheets, which play 64 games at once or more: a tree as in `uct.py`, whose leaves are judged by random games that are all under way at the same
time (`fleet.py`). A lane whose game is over carries its result up, goes down the tree again for the next leaf, and plays on from there, while the others go on with theirs.

- Simulations that are not over yet count as visits, so that those under way at the same time spread (Liu et al. 2020, "watch the unobserved").
- A node gets children when it has been visited `open_at` times, and each of them is then looked at: a move that ends the game is proven (`probe`). Where that finds nothing, it is done seldom.
- Orders of moves that lead to the same state share what is found there: visits belong to the move, values to the state.
- What came of a move that was made later in a simulation counts for it while it has few visits of its own (RAVE, Gelly & Silver 2007), where that pays.
- Moves of random games are drawn among those that did well so far (in the manner of MAST, Finnsson & Björnsson 2008), where that pays.
- With a judgement (`judgement.py`), games are broken off after `cut` plies, and judged; and new moves begin with what it says of them (`prior`).
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, JOINT, OVER, play, play_joint, scores, turn
from ludus.games.gdl.lanes import CHANCE_ROLE
from ludus.games.gdl.machine import say_turn
from ludus.kernel import below, kernel, lowest_bit
from ludus.search.fleet import (
    ACTIVE,
    BORN,
    ENDED,
    FOUND,
    HEAD,
    LOADED,
    PROBE,
    PROBED,
    PROBES,
    SERIAL,
    STUCK,
    TAIL,
    judge,
    load,
    look,
    read_scores,
    read_state,
    step,
)
from ludus.search.leaves import Playouts
from ludus.search.together import note_regret, pull
from ludus.search.tree import (
    AGE,
    COUNT,
    FIRST,
    MOVE,
    MOVER,
    OWNER,
    PARENT,
    PENDING,
    PLY,
    PROVEN,
    SLOT,
    TOTAL,
    VISITS,
    enter_slot,
    place_in_table,
)
from ludus.search.uct import draw_child, list_moves, prove

BIT = np.int64(1)
TRIES = 8  # simulations that may end within the tree before a lane waits for the next step
MEMORY, WATCHED, OFTEN = (
    1024,
    16,
    30,
)  # of new nodes: how many are remembered, one in how many is always looked at, and one in how many must show an end
FADING = 30.0  # a node that was visited so many times `rave` needs no more notes


class LaneOptions(NamedTuple):
    """How to search."""

    c: float = 0.3  # how much to explore
    open_at: int = 2  # visits after which a node gets children
    probe: bool = True  # whether each of them is then looked at
    rave: float = (
        0.0  # visits from which on a move's own games count as much as what is noted beside them; 0: that never counts
    )
    later: bool = False  # whether games in which a move was made later are noted beside it
    candidates: int = 1  # how many moves are drawn for a step of a random game; the best of them is made
    longest: int = 2000  # steps of a random game, at most; one that is longer counts as nothing for all
    cut: int = -1  # plies after which a game is broken off and judged; -1: never
    prior: float = 0.0  # as how many games a judgement counts that is noted beside a new move


@kernel
def grow(tree: Any, game: Any, fleet: Any, options: Any, rng: Any, count: int) -> int:
    """Do about `count` simulations, or fewer if the root's value is proven; return how many. Games that are still under way go on with the next call."""
    nodes, masks = tree.nodes, fleet.masks
    if nodes[0, SLOT] < 0:
        _open(tree, game, fleet, options, 0, 0)
    done = 0
    while done < count and not nodes[0, PROVEN]:
        for w in range(len(fleet.words)):
            idle = ~masks[ACTIVE, w]
            while idle:
                lane = w * 64 + lowest_bit(idle)
                idle &= idle - 1
                done += _send(tree, game, fleet, options, lane, rng)
        look(game, fleet)
        for w in range(len(fleet.words)):
            done += _settle(tree, game, fleet, options, w)
        step(game, fleet, options.candidates, rng)
    return done


# --- going down ------------------------------------------------------------------------------------------------------


@kernel
def _send(tree: Any, game: Any, fleet: Any, options: Any, lane: int, rng: Any) -> int:
    """Give an idle lane something to do. Returns how many simulations came to their end within the tree."""
    cursor, nodes = fleet.cursor, tree.nodes
    while cursor[HEAD] != cursor[TAIL]:
        child = fleet.probes[cursor[HEAD]]
        cursor[HEAD] = (cursor[HEAD] + 1) % PROBES
        parent = nodes[child, PARENT]
        if not (nodes[child, PROVEN] or nodes[parent, PROVEN] or nodes[child, VISITS]):
            k = nodes[parent, SLOT]
            load(game, fleet, lane, tree.states[k])
            fleet.told[lane, game.seat_role[tree.slots[k, MOVER]]] = nodes[child, MOVE]
            fleet.kind[lane] = PROBE
            fleet.path[lane, 0] = child
            return 0
    for tried in range(TRIES):
        if _descend(tree, game, fleet, options, lane, rng):
            return tried
        _back_up(tree, fleet, options, lane)
        if nodes[0, PROVEN]:
            return tried + 1
    return TRIES


@kernel
def _descend(tree: Any, game: Any, fleet: Any, options: Any, lane: int, rng: Any) -> bool:
    """Go down the tree, and play on from its edge. False if the simulation ends within the tree: `fleet.value` is what it came to."""
    nodes, slots, value = tree.nodes, tree.slots, fleet.value
    path, node, depth = fleet.path, np.int64(0), np.int64(0)
    fleet.recorded[lane] = 0
    path[lane, 0] = 0
    while True:
        k = nodes[node, SLOT]
        fleet.surest[lane, depth] = -1
        fleet.arms[lane, depth, 0] = -1
        if k >= 0 and nodes[slots[k, OWNER], PROVEN] and not nodes[node, PROVEN]:
            _copy_proof(tree, slots[k, OWNER], node)
        if nodes[node, PROVEN]:
            fleet.depth[lane] = depth
            for s in range(len(value)):
                value[s] = tree.mean[node, s]
            return False
        if k < 0:
            break
        if depth + 1 == path.shape[1]:  # no room to go on
            fleet.depth[lane] = depth
            load(game, fleet, lane, tree.states[k])
            fleet.masks[LOADED, lane >> 6] &= ~(BIT << (lane & 63))
            return True
        who = slots[k, MOVER]
        if who == JOINT:
            child = pull(tree, fleet, options, rng, lane, node, depth)
        elif who == CHANCE:
            child = draw_child(tree, rng, k)
        else:
            child = _selected(tree, fleet, options, rng, lane, node, depth)
        if child < 0:  # no room for a combination of moves
            break
        depth += 1
        path[lane, depth] = child
        node = child
        nodes[node, PENDING] += 1
    fleet.depth[lane] = depth
    return _leave(tree, game, fleet, options, lane)


@kernel
def _leave(tree: Any, game: Any, fleet: Any, options: Any, lane: int) -> bool:
    """Load a lane with the state before the last move of its path, and that move; where there is chance, with the state after it. False if that ends the game."""
    nodes, slots, now = tree.nodes, tree.slots, tree.now
    depth = fleet.depth[lane]
    node = fleet.path[lane, depth]
    before = nodes[node, SLOT] if nodes[node, SLOT] >= 0 else nodes[fleet.path[lane, depth - 1], SLOT]
    ply = depth if nodes[node, SLOT] >= 0 else depth - 1
    together = slots[before, MOVER] == JOINT
    if together:
        for s in range(len(tree.joint)):
            tree.joint[s] = nodes[fleet.arms[lane, ply, s], MOVE]
    if game.sizes[CHANCE_ROLE] < 0:
        load(game, fleet, lane, tree.states[before])
        if together:
            for s in range(len(tree.joint)):
                fleet.told[lane, game.seat_role[s]] = tree.joint[s]
        else:
            fleet.told[lane, game.seat_role[slots[before, MOVER]]] = nodes[node, MOVE]
        return True
    for i in range(len(now)):
        now[i] = tree.states[before, i]
    if together:
        play_joint(game, now, tree.joint)
    else:
        play(game, now, nodes[node, MOVE])
    who = turn(game, now)
    if who == OVER:
        scores(game, now, fleet.value)
        _end(tree, fleet, node)
        return False
    if nodes[node, SLOT] < 0 and nodes[node, VISITS] + 1 >= options.open_at:
        _open(tree, game, fleet, options, node, depth)
    load(game, fleet, lane, now)
    return True


@kernel(inline=True)
def _selected(tree: Any, fleet: Any, options: Any, rng: Any, lane: int, node: int, depth: int) -> int:
    """The child with the highest upper bound for the seat to move. Nothing more can be learned about those proven; the best of them is noted beside the path."""
    nodes, mean, slots = tree.nodes, tree.mean, tree.slots
    k = nodes[node, SLOT]
    who = slots[k, MOVER]
    logarithm = log(slots[k, TOTAL] + nodes[node, PENDING] + 1.0)
    here = tree.shared[k, who]
    best, highest, ties = slots[k, FIRST], -1e9, 1
    surest: Any = np.int64(-1)
    for child in range(best, best + slots[k, COUNT]):
        if nodes[child, PROVEN]:
            if surest < 0 or mean[child, who] > mean[surest, who]:
                surest = child
            continue
        visits, below_it = nodes[child, VISITS], nodes[child, SLOT]
        n = visits + nodes[child, PENDING]
        bound = here if visits == 0 else tree.shared[below_it, who] if below_it >= 0 else mean[child, who]
        if options.rave > 0:
            later = tree.amaf[child, 0]
            bound += (tree.amaf[child, 1] - bound) * later / (later + visits + 1 + visits * later / options.rave)
        bound += options.c * sqrt(logarithm / n if n > 1 else logarithm)
        if bound > highest:
            best, highest, ties = child, bound, 1
        elif bound == highest:
            ties += 1
            if below(rng, ties) == 0:
                best = child
    fleet.surest[lane, depth] = surest
    return best


# --- at the edge -----------------------------------------------------------------------------------------------------


@kernel
def _settle(tree: Any, game: Any, fleet: Any, options: Any, word: int) -> int:
    """Look at the lanes that have just come to a leaf, and take back those whose games are over. Returns how many simulations are done."""
    masks, nodes = fleet.masks, tree.nodes
    born, ended, done = masks[BORN, word], masks[ENDED, word], 0
    masks[BORN, word] = 0
    lanes = born | ended
    if options.cut >= 0 or fleet.steps.max() >= options.longest:
        rest = masks[ACTIVE, word] & ~lanes
        while rest:
            lane = word * 64 + lowest_bit(rest)
            if _broken_off(fleet, options, lane) or fleet.steps[lane] >= options.longest:
                lanes |= rest & -rest
            rest &= rest - 1
    while lanes:
        bit = lanes & -lanes
        lane = word * 64 + lowest_bit(lanes)
        lanes &= lanes - 1
        over, new = (ended & bit) != 0, (born & bit) != 0
        known = game.sizes[CHANCE_ROLE] >= 0  # then the leaf has been looked at before
        node = fleet.path[lane, 0 if fleet.kind[lane] == PROBE else fleet.depth[lane]]
        if over:
            read_scores(game, fleet, lane)
            if new and not known and nodes[node, SLOT] < 0:
                _end(tree, fleet, node)
        if fleet.kind[lane] == PROBE:
            if over:
                fleet.cursor[FOUND] += 1
                prove(tree, nodes[node, PARENT], node)
            elif options.prior > 0:
                judge(game, fleet, lane)
                tree.amaf[node, 0] += options.prior
                seat = tree.slots[nodes[nodes[node, PARENT], SLOT], MOVER]
                tree.amaf[node, 1] += (fleet.value[seat] - tree.amaf[node, 1]) * options.prior / tree.amaf[node, 0]
            masks[ACTIVE, word] &= ~bit
            continue
        if new and not over:
            if not known and nodes[node, SLOT] < 0 and nodes[node, VISITS] + 1 >= options.open_at:
                read_state(game, fleet, lane, tree.now)
                say_turn(game, tree.now, False)
                _open(tree, game, fleet, options, node, fleet.depth[lane])
            if not _broken_off(fleet, options, lane):
                continue
        if not over:
            if options.cut >= 0:
                judge(game, fleet, lane)
            else:
                for s in range(len(fleet.value)):
                    fleet.value[s] = 0.0
        masks[ACTIVE, word] &= ~bit
        masks[STUCK, word] &= ~bit
        _back_up(tree, fleet, options, lane)
        done += 1
    return done


@kernel(inline=True)
def _broken_off(fleet: Any, options: Any, lane: int) -> bool:
    """Whether a lane has gone far enough beyond its leaf, to which its first step led."""
    return options.cut >= 0 and fleet.steps[lane] > options.cut


@kernel
def _end(tree: Any, fleet: Any, node: int) -> None:
    """The game is over at a node, with the scores of `fleet.value`."""
    tree.nodes[node, PROVEN] = 1
    for s in range(len(fleet.value)):
        tree.mean[node, s] = fleet.value[s]


@kernel
def _copy_proof(tree: Any, source: int, node: int) -> None:
    tree.nodes[node, PROVEN] = 1
    for s in range(tree.mean.shape[1]):
        tree.mean[node, s] = tree.mean[source, s]


@kernel
def _open(tree: Any, game: Any, fleet: Any, options: Any, node: int, depth: int) -> None:
    """Give a node with the state `tree.now` a slot: that of another node with the same state, or a new one if there is room."""
    nodes, slots = tree.nodes, tree.slots
    ply = depth + (slots[nodes[0, SLOT], PLY] if node else 0)
    at = place_in_table(tree, tree.now, ply)
    if tree.table[at, 0] == tree.used[AGE]:
        k = tree.table[at, 1]
        nodes[node, SLOT] = k
        if nodes[slots[k, OWNER], PROVEN]:
            _copy_proof(tree, slots[k, OWNER], node)
        return
    who = turn(game, tree.now)
    if not list_moves(tree, game, Playouts(1), node, who):
        return
    k = nodes[node, SLOT]
    slots[k, PLY] = ply
    slots[k, TOTAL] = nodes[node, VISITS]
    for s in range(tree.mean.shape[1]):
        tree.shared[k, s] = tree.mean[node, s]
    enter_slot(tree, at, k)
    if options.probe and who >= 0 and _worth_probing(fleet, options):
        cursor = fleet.cursor
        for child in range(slots[k, FIRST], slots[k, FIRST] + slots[k, COUNT]):
            behind = (cursor[TAIL] + 1) % PROBES
            if behind == cursor[HEAD]:
                return
            fleet.probes[cursor[TAIL]] = child
            cursor[TAIL] = behind


@kernel
def _worth_probing(fleet: Any, options: Any) -> bool:
    """Whether the moves of a new node should be looked at: always where they are judged; else where that finds ends of games often enough, and now and then to see whether it does."""
    cursor = fleet.cursor
    cursor[PROBED] += 1
    if cursor[PROBED] >= MEMORY:
        cursor[PROBED] //= 2
        cursor[FOUND] //= 2
    return (
        options.prior > 0
        or cursor[PROBED] < WATCHED
        or cursor[PROBED] % WATCHED == 0
        or cursor[FOUND] * OFTEN > cursor[PROBED]
    )


# --- going up --------------------------------------------------------------------------------------------------------


@kernel
def _back_up(tree: Any, fleet: Any, options: Any, lane: int) -> None:
    """Carry `fleet.value` up the path of a lane."""
    nodes, mean, slots, value = tree.nodes, tree.mean, tree.slots, fleet.value
    seats, depth = len(value), fleet.depth[lane]
    fleet.cursor[SERIAL] += 1
    serial = fleet.cursor[SERIAL]
    noting = options.later
    if noting or options.candidates > 1:
        for i in range(fleet.recorded[lane]):
            _note(fleet, fleet.record[lane, i], serial)
    for i in range(depth, -1, -1):
        node = fleet.path[lane, i]
        k, arm = nodes[node, SLOT], fleet.arms[lane, i, 0]
        if i < depth and arm < 0:
            who, child = slots[k, MOVER], fleet.path[lane, i + 1]
            if who >= 0:
                if noting or options.candidates > 1:
                    _note(fleet, nodes[child, MOVE], serial)
                if noting and slots[k, TOTAL] < FADING * options.rave:
                    _note_later(tree, fleet, k, serial)
                surest = fleet.surest[lane, i]
                if surest >= 0 and mean[surest, who] >= mean[child, who]:
                    for s in range(seats):  # the mover would rather have that
                        value[s] = mean[surest, s]
            if nodes[child, PROVEN] and not nodes[node, PROVEN]:
                prove(tree, node, child)
        nodes[node, VISITS] += 1
        if i:
            nodes[node, PENDING] -= 1
        if nodes[node, PROVEN]:
            for s in range(seats):
                value[s] = mean[node, s]
        else:
            for s in range(seats):
                mean[node, s] += (value[s] - mean[node, s]) / nodes[node, VISITS]
        if k >= 0:
            slots[k, TOTAL] += 1
            for s in range(seats):
                tree.shared[k, s] += (value[s] - tree.shared[k, s]) / slots[k, TOTAL]
        if arm >= 0:
            for s in range(seats):
                arm = fleet.arms[lane, i, s]
                nodes[arm, VISITS] += 1
                nodes[arm, PENDING] -= 1
                mean[arm, s] += (value[s] - mean[arm, s]) / nodes[arm, VISITS]
            note_regret(tree, fleet, lane, i, k)


@kernel(inline=True)
def _note(fleet: Any, move: int, serial: int) -> None:
    """A move was made in the simulation that has just come to its end."""
    if fleet.seen[move] == serial:
        return
    fleet.seen[move] = serial
    seat = fleet.seat_of[move]
    if seat >= 0:
        rates = fleet.rates
        rates[move, 0] += 1
        rates[move, 1] += (fleet.value[seat] - rates[move, 1]) / rates[move, 0]


@kernel
def _note_later(tree: Any, fleet: Any, k: int, serial: int) -> None:
    """Let all moves of a slot know what came of a simulation in which they were made then or later."""
    first, who = tree.slots[k, FIRST], tree.slots[k, MOVER]
    for child in range(first, first + tree.slots[k, COUNT]):
        if fleet.seen[tree.nodes[child, MOVE]] == serial:
            tree.amaf[child, 0] += 1
            tree.amaf[child, 1] += (fleet.value[who] - tree.amaf[child, 1]) / tree.amaf[child, 0]
