"""How far it is from a state of a rulesheet to its best end, by a relaxed game: there a proposition that could be true once stays possible, and so does one
that could be false once, and all legal moves can be made together. In it the cost of a literal is how many moves it takes until it can hold.

This is the additive heuristic of planning (Bonet and Geffner 2001), read off the circuit: the cost of an and-gate is the sum of its inputs' costs, and what makes it
false is the cheaper of what makes one of them false. Literals have costs side by side, a gate's own at its even number and that of its inverse at the odd one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.planning import best_ahead, steps_to_go
from ludus.games.gdl.lanes import ALL, GOALS, LEGAL, MOVES, NEXT, PROPOSITIONS, REGISTERS, TERMINAL, begin_of, nodes_of
from ludus.kernel import implements, kernel

ROUNDS = 200  # of moves in the relaxed game, at most
NEVER = np.float32(np.inf)
FREE = np.float32(0.0)
STEP = np.float32(1.0)


class Relaxed(NamedTuple):
    """The relaxed game, and what it is about."""

    best: float  # the highest score that it can come to from the beginning
    targets: np.ndarray  # literals of the goals that are worth it
    known: np.ndarray  # the bits of what only counts steps, in the words of a state's propositions
    costs: np.ndarray  # a workspace: the cost of each literal


def relaxed(game: Any, counters: np.ndarray) -> Relaxed:
    """The guide of a compiled game with one seat, with the bits of what only counts steps."""
    guide = Relaxed(np.inf, np.zeros(0, np.int64), counters, np.zeros(2 * int(nodes_of(game)), np.float32))
    state, begin = np.zeros(game.facts.state_size, np.int64), int(begin_of(game))
    state[begin : begin + len(game.initial)] = game.initial
    _spread(game, state, np.full(len(counters), ALL), guide.costs)
    best = _highest(game, guide.costs)
    worth = (game.goal_value == best) & (np.asarray(game.role_seat)[game.goal_role] == 0)
    return guide._replace(best=best / 100, targets=np.asarray(game.goal_literals)[worth].astype(np.int64))


@implements(steps_to_go, Relaxed)
def _(guide: Any, game: Any, state: Any) -> float:
    costs = guide.costs
    _spread(game, state, np.full(len(guide.known), ALL), costs)
    least = NEVER
    for i in range(len(guide.targets)):
        least = min(least, costs[guide.targets[i]])
    return max(least, costs[game.sizes[TERMINAL]])


@implements(best_ahead, Relaxed)
def _(guide: Any, game: Any, state: Any) -> float:
    _spread(game, state, guide.known, guide.costs)
    return _highest(game, guide.costs) / 100.0


@kernel
def _highest(game: Any, costs: Any) -> int:
    """The highest goal of the only seat that can hold at any cost; 0 if none can."""
    best = 0
    for g in range(len(game.goal_literals)):
        if game.role_seat[game.goal_role[g]] == 0 and costs[game.goal_literals[g]] < NEVER:
            best = max(best, game.goal_value[g])
    return best


@kernel
def _sweep(game: Any, phase: int, costs: Any) -> None:
    """The costs of a phase of the circuit."""
    inputs = 1 + game.sizes[PROPOSITIONS] + game.sizes[MOVES]
    base = inputs + game.sizes[REGISTERS]
    left, right = game.left, game.right
    for s in range(game.parts[phase], game.parts[phase + 1]):
        begin, end, low, high = game.segments[s, 0], game.segments[s, 1], game.segments[s, 2], game.segments[s, 3]
        for r in range(low, high):  # what is not derived is false
            costs[2 * (inputs + r)], costs[2 * (inputs + r) + 1] = NEVER, FREE
        while True:
            for g in range(begin, end):
                a, b = np.int64(left[g]), np.int64(right[g])
                costs[2 * (base + g)] = costs[a] + costs[b]
                costs[2 * (base + g) + 1] = min(costs[a ^ 1], costs[b ^ 1])
            changed = False
            for r in range(low, high):
                now = costs[game.registers[r]]
                if now < costs[2 * (inputs + r)]:
                    costs[2 * (inputs + r)] = now
                    changed = True
            if not changed:
                break


@kernel
def _spread(game: Any, state: Any, known: Any, costs: Any) -> None:
    """The costs of all literals from a state on; propositions that are not known, by their bits, may hold or not."""
    propositions, moves, begin = game.sizes[PROPOSITIONS], game.sizes[MOVES], begin_of(game)
    costs[0], costs[1] = NEVER, FREE  # the constant
    for p in range(propositions):
        holds = state[begin + (p >> 6)] >> (p & 63) & 1
        costs[2 * (1 + p)], costs[2 * (1 + p) + 1] = (FREE, NEVER) if holds else (NEVER, FREE)
        if not known[p >> 6] >> (p & 63) & 1:
            costs[2 * (1 + p)], costs[2 * (1 + p) + 1] = FREE, FREE
    for m in range(moves):
        costs[2 * (1 + propositions + m)], costs[2 * (1 + propositions + m) + 1] = NEVER, FREE
    for _ in range(ROUNDS):
        _sweep(game, LEGAL, costs)
        for m in range(moves):
            costs[2 * (1 + propositions + m)] = costs[game.legal_literals[m]]
        _sweep(game, NEXT, costs)
        changed = False
        for p in range(propositions):
            literal = np.int64(game.next_literals[p])
            for side in range(2):
                now, at = costs[literal ^ side] + STEP, 2 * (1 + p) + side
                if now < costs[at]:
                    costs[at] = now
                    changed = True
        if not changed:
            break
    _sweep(game, LEGAL, costs)
    _sweep(game, GOALS, costs)


