"""How far it is from a state of a rulesheet to its best end, by a relaxed game: there a proposition that could be true once stays possible, and so does one
that could be false once, and all legal moves can be made together. A literal costs as many rounds of such moves as it takes until it can hold, and the
best end costs what the conditions of its goal cost together.

This is a heuristic of planning (Bonet and Geffner 2001; the maximum within a condition, the sum over them) read off the circuit. Literals have words side by
side: in which lanes a gate can be true at its even number, in which it can be false at the odd one. So 64 states are judged at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.planning import best_ahead, steps_to_go
from ludus.contract.rules import EACH
from ludus.games.gdl.lanes import (
    ALL,
    BIT,
    GOALS,
    LEGAL,
    MOVES,
    NEXT,
    NONE,
    PROPOSITIONS,
    REGISTERS,
    TERMINAL,
    begin_of,
    nodes_of,
    transpose,
)
from ludus.kernel import implements, kernel, lowest_bit

ROUNDS = 1000  # of moves in the relaxed game, at most


class Relaxed(NamedTuple):
    """The relaxed game, and what it is about."""

    best: float  # the highest score that it can come to from the beginning
    conditions: np.ndarray  # literals that must hold for it
    known: np.ndarray  # the bits of what only counts steps, in the words of a state's propositions
    can: np.ndarray  # a workspace: the lanes in which each literal can hold


def relaxed(game: Any, counters: np.ndarray) -> Relaxed:
    """The guide of a compiled game with one seat, with the bits of what only counts steps."""
    can = np.zeros(2 * int(nodes_of(game)), np.int64)
    states, begin = np.zeros((1, game.facts.state_size), np.int64), int(begin_of(game))
    states[0, begin : begin + len(game.initial)] = game.initial
    _begin(game, states, 1, np.full(len(counters), ALL), can)
    while _go_on(game, can):
        pass
    best = int(_highest(game, can))
    worth = (game.goal_value == best) & (np.asarray(game.role_seat)[game.goal_role] == 0)
    targets = np.asarray(game.goal_literals)[worth].tolist() or [int(game.sizes[TERMINAL])]
    return Relaxed(best / 100, np.array(_conditions(game, targets[0]), np.int64), counters, can)


def _conditions(game: Any, target: int) -> list[int]:
    """The literals whose conjunction a literal is."""
    base = 1 + int(game.sizes[PROPOSITIONS] + game.sizes[MOVES] + game.sizes[REGISTERS])
    todo, found = [int(target)], set()
    while todo:
        literal = todo.pop()
        gate = (literal >> 1) - base
        if literal & 1 or gate < 0:
            found.add(literal)
        else:
            todo += [int(game.left[gate]), int(game.right[gate])]
    return sorted(found)


@implements(steps_to_go, Relaxed)
def _(guide: Any, game: Any, states: Any, count: int, out: Any) -> None:
    can: Any = guide.can
    lanes: Any = ALL if count == EACH else (BIT << count) - BIT
    _begin(game, states, count, np.full(len(guide.known), ALL), can)
    for i in range(count):
        out[i] = 0.0
    for _ in range(ROUNDS):
        _sweep(game, LEGAL, can)
        _sweep(game, GOALS, can)
        missing: Any = NONE
        for c in range(len(guide.conditions)):
            without = ~can[guide.conditions[c]] & lanes
            missing |= without
            while without:
                out[lowest_bit(without)] += 1.0
                without &= without - BIT
        if missing == 0:
            return
        if not _go_on(game, can):
            while missing:
                out[lowest_bit(missing)] = np.inf
                missing &= missing - BIT
            return


@implements(best_ahead, Relaxed)
def _(guide: Any, game: Any, state: Any) -> float:
    _begin(game, state.reshape(1, len(state)), 1, guide.known, guide.can)
    while _go_on(game, guide.can):
        pass
    return _highest(game, guide.can) / 100.0


@kernel
def _highest(game: Any, can: Any) -> int:
    """The highest goal of the only seat that can hold in the first lane; 0 if none can."""
    _sweep(game, LEGAL, can)
    _sweep(game, GOALS, can)
    best = 0
    for g in range(len(game.goal_literals)):
        if game.role_seat[game.goal_role[g]] == 0 and can[game.goal_literals[g]] & BIT:
            best = max(best, game.goal_value[g])
    return best


@kernel
def _sweep(game: Any, phase: int, can: Any) -> None:
    """What can hold in a phase of the circuit."""
    inputs = 1 + game.sizes[PROPOSITIONS] + game.sizes[MOVES]
    base = inputs + game.sizes[REGISTERS]
    left, right = game.left, game.right
    for s in range(game.parts[phase], game.parts[phase + 1]):
        begin, end, low, high = game.segments[s, 0], game.segments[s, 1], game.segments[s, 2], game.segments[s, 3]
        for r in range(low, high):  # what is derived can be false, unless proven; here that is left open
            can[2 * (inputs + r)], can[2 * (inputs + r) + 1] = NONE, ALL
        while True:
            for g in range(begin, end):
                a, b = np.int64(left[g]), np.int64(right[g])
                can[2 * (base + g)] = can[a] & can[b]
                can[2 * (base + g) + 1] = can[a ^ 1] | can[b ^ 1]
            changed = NONE
            for r in range(low, high):
                now, at = can[game.registers[r]], 2 * (inputs + r)
                changed |= now & ~can[at]
                can[at] |= now
            if changed == 0:
                break


@kernel
def _begin(game: Any, states: Any, count: int, known: Any, can: Any) -> None:
    """Set what can hold to what holds in each state; propositions that are not known, by their bits, may hold or not."""
    propositions, begin, block = game.sizes[PROPOSITIONS], begin_of(game), np.empty(64, np.int64)
    can[0], can[1] = NONE, ALL  # the constant
    for base in range(0, propositions, 64):
        word = base >> 6
        for i in range(64):
            block[i] = states[i, begin + word] if i < count else NONE
        transpose(block, 0)
        for p in range(base, min(base + 64, propositions)):
            free = (known[word] >> (p & 63) & BIT) - BIT
            can[2 * (1 + p)], can[2 * (1 + p) + 1] = block[p - base] | free, ~block[p - base] | free
    for m in range(propositions, propositions + game.sizes[MOVES]):
        can[2 * (1 + m)], can[2 * (1 + m) + 1] = NONE, ALL


@kernel
def _go_on(game: Any, can: Any) -> bool:
    """A round of moves; whether anything can hold now that could not before."""
    propositions, moves = game.sizes[PROPOSITIONS], game.sizes[MOVES]
    _sweep(game, LEGAL, can)
    for m in range(moves):
        can[2 * (1 + propositions + m)] = can[game.legal_literals[m]]
    _sweep(game, NEXT, can)
    changed = NONE
    for p in range(propositions):
        literal, at = np.int64(game.next_literals[p]), 2 * (1 + p)
        true, false = can[literal], can[literal ^ 1]
        changed |= (true & ~can[at]) | (false & ~can[at + 1])
        can[at] |= true
        can[at + 1] |= false
    return changed != 0
