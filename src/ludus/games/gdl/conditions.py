"""Conditions that are not needed: what the state, or the other conditions of a gate, already say is left out of a network.

Here a network has gates of many inputs. A set of literals is *refuted* if it can't hold in any state that a game can come to, with moves that are legal there: by
unit propagation over gates and over *sets* of inputs of which one holds at most (or just one: the contents of a cell, whose turn it is, the moves of a
role), and by trying out a few cases. Nothing is taken for granted: that a set of propositions is exclusive is shown by induction (`keep_exclusive`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import kernel

FALSE, TRUE = 0, 1
CASES = 12  # that are tried out at most, where propagation alone does not refute
NEAR = 8  # gates above a gate that are looked at for what must hold where its value matters
LITTLE = 600  # nodes: plain Python is done with so few in less time than compiling would take


class Net(NamedTuple):
    """Gates with many inputs: those of node n are `pool[first[n]]` and following, `width[n]` of them (-1: the node is no gate)."""

    first: np.ndarray
    width: np.ndarray
    pool: np.ndarray
    user: np.ndarray  # the only gate that needs a node, or -1
    users: (
        np.ndarray
    )  # gates that need node n: users[users_first[n]] to users[users_first[n + 1]]; some may not need it any more
    users_first: np.ndarray


class Sets(NamedTuple):
    """Sets of inputs of which at most one holds, and what follows from literals."""

    first: np.ndarray  # members of set s: members[first[s]] to members[first[s + 1]]
    members: np.ndarray
    whole: (
        np.ndarray
    )  # 2: one of them always holds; 1: where a move is made; 0: at most one; -1: nothing is known of them
    of: np.ndarray  # the sets of node n: of[of_first[n]] to of[of_first[n + 1]]
    of_first: np.ndarray
    watched: np.ndarray  # two members of each set that are not known to fail (Moskewicz et al. 2001): only when one of them does, the others are looked at
    legal: np.ndarray  # the literal that holds if an input does: that a move is legal; TRUE for others
    moves: np.ndarray  # the moves whose legality node n says: moves[moves_first[n]] to moves[moves_first[n + 1]]
    moves_first: np.ndarray


class Work(NamedTuple):
    """What is assumed and what follows: -1 is unknown."""

    value: np.ndarray
    trail: np.ndarray
    sizes: np.ndarray  # of the trail; how many of it were looked at; whether a contradiction was found; effort so far; the most that is allowed
    cases: np.ndarray  # where the trail was when each case was begun


TRAIL, SEEN, CLASH, EFFORT, MOST = range(5)


# --- what follows ----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _assume(work: Any, literal: int) -> None:
    value, trail, sizes, _ = work
    node, wanted = literal >> 1, 1 - (literal & 1)
    if value[node] < 0:
        value[node] = wanted
        trail[sizes[TRAIL]] = node
        sizes[TRAIL] += 1
    elif value[node] != wanted:
        sizes[CLASH] = 1


@kernel
def _examine(net: Any, work: Any, gate: int) -> None:
    """What a gate and its inputs say of each other."""
    first, width, pool = net.first, net.width, net.pool
    value, sizes = work.value, work.sizes
    begin, end = first[gate], first[gate] + width[gate]
    sizes[EFFORT] += 1 + ((end - begin) >> 2)
    if value[gate] == 1:
        for k in range(begin, end):
            _assume(work, pool[k])
        return
    open_inputs, last = 0, 0
    for k in range(begin, end):
        known = value[pool[k] >> 1]
        if known < 0:
            open_inputs += 1
            last = pool[k]
        elif known == pool[k] & 1:  # an input that does not hold
            if value[gate] < 0:
                _assume(work, 2 * gate + 1)
            return
    if open_inputs == 0:
        _assume(work, 2 * gate)
    elif open_inputs == 1 and value[gate] == 0:
        _assume(work, last ^ 1)


@kernel
def _look_at_sets(sets: Any, work: Any, node: int, moving: bool) -> None:
    first, members, whole, watched = sets.first, sets.members, sets.whole, sets.watched
    value, sizes = work.value, work.sizes
    for k in range(sets.of_first[node], sets.of_first[node + 1]):
        s = sets.of[k]
        if value[node] == 1 and whole[s] >= 0:
            sizes[EFFORT] += (first[s + 1] - first[s]) >> 2
            for i in range(first[s], first[s + 1]):
                if members[i] != node:
                    _assume(work, 2 * members[i] + 1)
        elif (
            value[node] == 0
            and (whole[s] == 2 or (whole[s] == 1 and moving))
            and node in (watched[s, 0], watched[s, 1])
        ):
            mine = 0 if watched[s, 0] == node else 1
            other, found = watched[s, 1 - mine], -1
            sizes[EFFORT] += (first[s + 1] - first[s]) >> 2
            for i in range(first[s], first[s + 1]):
                if value[members[i]] != 0 and members[i] != other:
                    found = members[i]
                    break
            if found >= 0:
                watched[s, mine] = found
            else:
                _assume(work, 2 * other)


@kernel
def _propagate(net: Any, sets: Any, work: Any, moving: bool) -> bool:
    """Draw the conclusions that are at hand, while effort is allowed; False if they contradict each other."""
    value, trail, sizes, _ = work
    while sizes[SEEN] < sizes[TRAIL] and not sizes[CLASH] and sizes[EFFORT] <= sizes[MOST]:
        node = trail[sizes[SEEN]]
        sizes[SEEN] += 1
        if net.width[node] >= 0:
            _examine(net, work, node)
        for k in range(net.users_first[node], net.users_first[node + 1]):
            if sizes[CLASH]:
                break
            _examine(net, work, net.users[k])
        if sets.of_first[node] < sets.of_first[node + 1]:
            _look_at_sets(sets, work, node, moving)
        if value[node] == 1:
            _assume(work, sets.legal[node])
        for k in range(sets.moves_first[node], sets.moves_first[node + 1]):
            move = sets.moves[k]
            if value[node] == sets.legal[move] & 1:
                _assume(work, 2 * move + 1)
    return sizes[CLASH] == 0


@kernel
def _take_back(work: Any, to: int) -> None:
    value, trail, sizes, _ = work
    for i in range(to, sizes[TRAIL]):
        value[trail[i]] = -1
    sizes[TRAIL] = sizes[SEEN] = to
    sizes[CLASH] = 0


@kernel
def _refute(net: Any, sets: Any, work: Any, moving: bool, cases: int) -> bool:
    """Whether what is assumed can't hold: all conclusions, and some cases where a gate fails and it is not known for which of its inputs."""
    value, trail, sizes, places = work
    begun = sizes[TRAIL]
    if not _propagate(net, sets, work, moving):
        return True
    depth, tried, look = 0, 0, 0
    while True:
        # A gate that does not hold, although none of its inputs is known to fail.
        case = -1
        while look < sizes[TRAIL] and case < 0:
            node = trail[look]
            if value[node] == 0 and net.width[node] > 0:
                fails = False
                for k in range(net.first[node], net.first[node] + net.width[node]):
                    literal = net.pool[k]
                    fails = fails or value[literal >> 1] == literal & 1
                    if value[literal >> 1] < 0 and case < 0:
                        case = literal
                if fails:
                    case = -1
            if case < 0:
                look += 1
        if case < 0 or tried >= cases or sizes[EFFORT] > sizes[MOST]:
            return False
        tried += 1
        places[depth, 0], places[depth, 1] = sizes[TRAIL], case
        depth += 1
        _assume(work, case ^ 1)
        while not _propagate(net, sets, work, moving):
            if depth == 0:
                return True
            depth -= 1
            _take_back(work, max(places[depth, 0], begun))
            _assume(work, places[depth, 1])  # the other case, for good
            look = 0


# --- what is not needed ----------------------------------------------------------------------------------------------


@kernel
def _assume_context(net: Any, work: Any, gate: int) -> None:
    """Assume what must hold where the value of a gate matters: all other inputs of the one gate that needs it, and of the gate that needs that."""
    here = gate
    for _ in range(NEAR):
        above = net.user[here]
        if above < 0:
            return
        for k in range(net.first[above], net.first[above] + net.width[above]):
            if net.pool[k] >> 1 != here:
                _assume(work, net.pool[k])
        here = above


@kernel(lazy=lambda net, *rest: len(net.width) < LITTLE)
def drop_conditions(net: Any, sets: Any, work: Any, order: Any, moving: Any) -> int:
    """Leave out the inputs of gates that say nothing new, for the gates in `order`; how many there were. `moving` says of each gate whether it only matters where
    moves are made.
    """
    first, width, pool = net.first, net.width, net.pool
    sizes = work.sizes
    dropped = 0
    for n in range(len(order)):
        gate = order[n]
        if sizes[EFFORT] > sizes[MOST]:
            break
        if width[gate] == 1:
            continue
        base = sizes[TRAIL]
        _assume_context(net, work, gate)
        if not _propagate(net, sets, work, moving[gate]):
            _take_back(work, base)
            continue  # it never matters, as a gate above it will say
        context = sizes[TRAIL]
        # Can all hold together?
        for k in range(first[gate], first[gate] + width[gate]):
            _assume(work, pool[k])
        if _refute(net, sets, work, moving[gate], CASES):
            dropped += width[gate]
            width[gate] = 1
            pool[first[gate]] = FALSE
            _take_back(work, base)
            continue
        i = 0
        while i < width[gate] and width[gate] > 1:
            _take_back(work, context)
            one = pool[first[gate] + i]
            for k in range(width[gate]):
                if k != i:
                    _assume(work, pool[first[gate] + k])
            _assume(work, one ^ 1)
            if _refute(net, sets, work, moving[gate], CASES):
                width[gate] -= 1
                for k in range(first[gate] + i, first[gate] + width[gate]):
                    pool[k] = pool[k + 1]
                dropped += 1
            else:
                i += 1
        _take_back(work, base)
    return dropped


@kernel(lazy=lambda net, *rest: len(net.width) < LITTLE)
def keep_exclusive(net: Any, sets: Any, work: Any, following: Any, propositions: int) -> None:
    """Give up the sets of propositions (inputs 1 to `propositions`) that do not stay exclusive from state to state; `following` are the literals of what holds
    next. All that are left prove each other: they hold at the beginning, and if all hold in a state then all hold in the next.
    """
    first, members, whole, sizes = sets.first, sets.members, sets.whole, work.sizes
    allowed, spent = sizes[MOST], 0
    changed = True
    while changed:
        changed = False
        for s in range(len(whole)):
            if whole[s] < 0 or members[first[s]] > propositions:
                continue
            if spent > 2 * allowed:
                whole[s] = -1
                continue
            # One that takes too long is given up, and the others go on.
            sizes[EFFORT] = 0
            sizes[MOST] = allowed * (first[s + 1] - first[s]) // len(members)
            base = sizes[TRAIL]
            held = True
            for i in range(first[s], first[s + 1]):
                one = following[members[i] - 1]
                _assume(work, one)
                if _propagate(net, sets, work, True):
                    middle = sizes[TRAIL]
                    for k in range(i + 1, first[s + 1]):
                        other = following[members[k] - 1]
                        if work.value[other >> 1] != other & 1:
                            _assume(work, other)
                            held = held and _refute(net, sets, work, True, 4 * CASES)
                            _take_back(work, middle)
                        if not held:
                            break
                _take_back(work, base)
                if not held:
                    break
            if held and whole[s] == 2:
                for i in range(first[s], first[s + 1]):
                    _assume(work, following[members[i] - 1] ^ 1)
                if not _refute(net, sets, work, True, 4 * CASES):
                    whole[s] = 0
                    changed = True
                _take_back(work, base)
            if not held:
                whole[s] = -1
                changed = True
            spent += sizes[EFFORT]
            changed = changed or spent > 2 * allowed
    sizes[EFFORT], sizes[MOST] = 0, allowed
