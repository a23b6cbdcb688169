"""Counters of steps in rulesheets, as clocks (`contract.clock`). Many sheets count steps so that a game must end, as in

    (<= (next (step ?n)) (true (step ?m)) (tick ?m ?n))
    (<= terminal (true (step 40)))

Whether a fluent does nothing else is read off the rules: what is next of it depends on it alone, and of all the rest only the end and the goals may
depend on it, by facts named in full.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import NoClock, plies_left, run_out, wind
from ludus.contract.rules import start
from ludus.games.gdl.kif import Term, is_variable, read_term, variables, write
from ludus.games.gdl.lanes import begin_of, legal_begin_of, nodes_of
from ludus.games.gdl.machine import carry_out, complete
from ludus.games.gdl.rules import Rule
from ludus.games.gdl.sheet import read_sheet
from ludus.kernel import implements

MOST_STEPS = 10_000  # of a clock; what counts longer is taken for a part of the position


class StepClock(NamedTuple):
    """A counter of steps that ends the game."""

    limit: int
    mask: np.ndarray  # the bits of the counter, in the words of a state's propositions
    hands: np.ndarray  # those that are set after 0, 1, … `limit` steps


@implements(plies_left, StepClock)
def _(clock: Any, game: Any, state: Any) -> int:
    begin = begin_of(game)
    for step in range(clock.limit):
        same = True
        for w in range(len(clock.mask)):
            same &= state[begin + w] & clock.mask[w] == clock.hands[step, w]
        if same:
            return clock.limit - step
    return 0


@implements(wind, StepClock)
def _(clock: Any, game: Any, state: Any) -> None:
    begin = begin_of(game)
    for w in range(len(clock.mask)):
        state[begin + w] = (state[begin + w] & ~clock.mask[w]) | clock.hands[0, w]


@implements(run_out, StepClock)
def _(clock: Any, game: Any, state: Any) -> None:
    begin = begin_of(game)
    for w in range(len(clock.mask)):
        state[begin + w] = (state[begin + w] & ~clock.mask[w]) | clock.hands[clock.limit, w]
    complete(game, state, np.zeros(nodes_of(game), np.int64))


class StepCounter(NamedTuple):
    """All that only counts steps, whatever the end of the game and its goals make of it (`contract.planning`)."""

    mask: np.ndarray  # the bits of the counters, in the words of a state's propositions
    first: np.ndarray  # those that are set at the beginning


@implements(wind, StepCounter)
def _(counter: Any, game: Any, state: Any) -> None:
    begin = begin_of(game)
    for w in range(len(counter.mask)):
        state[begin + w] = (state[begin + w] & ~counter.mask[w]) | counter.first[w]


# --- which fluents are clocks ----------------------------------------------------------------------------------------

Fluent = tuple[str, int]  # its name, and how many arguments it has


def step_clock(game: Any, source: str, proposition_of: dict[str, int]) -> StepClock | NoClock:
    """The clock of a compiled game with such a rulesheet; NoClock if it has none."""
    for fluent, ends in counters(read_sheet(source).rules):
        mask = _bits(game, [n for text, n in proposition_of.items() if _fluent_of(text) == fluent])
        end = _bits(game, [proposition_of[write(atom)] for atom in ends if write(atom) in proposition_of])
        hands = _hands(game, mask, end)
        if hands is not None:
            return StepClock(len(hands) - 1, mask, hands)
    return NoClock()


def step_counter(game: Any, source: str, proposition_of: dict[str, int]) -> StepCounter | NoClock:
    """All that only counts steps in a compiled game with such a rulesheet; NoClock if nothing does."""
    known = {fluent for fluent, _ in _counting(read_sheet(source).rules)}
    mask = _bits(game, [n for text, n in proposition_of.items() if _fluent_of(text) in known])
    return StepCounter(mask, mask & game.initial) if mask.any() else NoClock()


def _bits(game: Any, numbers: list[int]) -> np.ndarray:
    """Propositions as bits, in the words of a state."""
    bits = np.zeros(legal_begin_of(game) - begin_of(game), np.int64)
    for n in numbers:
        bits[n >> 6] |= np.int64(1) << np.int64(n & 63)
    return bits


def _hands(game: Any, mask: np.ndarray, end: np.ndarray) -> np.ndarray | None:
    """The counter's bits after each step until those that matter change; None if they never do. It counts by itself, so that any moves will do."""
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    begin = int(begin_of(game))
    seen = [state[begin : begin + len(mask)] & mask]
    for _ in range(MOST_STEPS):
        carry_out(game, state)
        now = state[begin : begin + len(mask)] & mask
        seen.append(now)
        if ((now & end) != (seen[0] & end)).any():
            return np.array(seen)
    return None


def counters(rules: list[Rule]) -> list[tuple[Fluent, list[Term]]]:
    """The fluents that count by themselves and decide about nothing but the end and its goals, each with the facts of it that are asked for there.

    >>> rules = read_sheet('''(role a) (legal a go) (init (step 0)) (tick 0 1) (tick 1 2) (goal a 100)
    ...     (<= (next (step ?n)) (true (step ?m)) (tick ?m ?n)) (<= terminal (true (step 2)))''').rules
    >>> counters(rules)
    [(('step', 1), [('step', '2')])]
    """
    return [
        (fluent, asked)
        for fluent, asked in _counting(rules)
        if asked and not any(True for term in asked for _ in variables(term))
    ]


def _counting(rules: list[Rule]) -> list[tuple[Fluent, list[Term]]]:
    """The fluents that count by themselves and decide about nothing but the end and its goals, each with what is asked of it there."""
    nexts, found = [rule for rule in rules if rule.relation == ("next", 1)], []
    if any(_name_of(rule.head[1]) is None for rule in nexts):
        return []
    for fluent in sorted({name for rule in nexts if (name := _name_of(rule.head[1])) is not None}):
        others = [rule for rule in nexts if _name_of(rule.head[1]) != fluent]
        others += [rule for rule in rules if rule.relation == ("legal", 2)]
        last = [rule for rule in rules if rule.relation in (("terminal", 0), ("goal", 2))]
        own = _asked(rules, [rule for rule in nexts if rule not in others])
        asked = [term for term in _asked(rules, last) if _name_of(term) in (fluent, None)]
        alone = all(_name_of(term) == fluent for term in own)
        apart = not any(_name_of(term) in (fluent, None) for term in _asked(rules, others))
        if alone and apart:
            found.append((fluent, asked))
    return found


_MOVES = ("",)  # stands for what is done: no fluent is called so


def _asked(rules: list[Rule], roots: list[Rule]) -> list[Term]:
    """The fluents that rules ask for, by themselves or by way of other relations, and _MOVES if they ask for moves."""
    found: list[Term] = []
    fresh, seen = list(roots), set()
    while fresh:
        for literal in fresh.pop().body:
            if literal.relation in (("true", 1), ("does", 2)):
                found.append(literal.atom[1] if literal.relation == ("true", 1) else _MOVES)
            elif literal.relation not in seen:
                seen.add(literal.relation)
                fresh += [rule for rule in rules if rule.relation == literal.relation]
    return found


def _name_of(term: Term) -> Fluent | None:
    """The fluent of a term; None if it can be any."""
    if isinstance(term, str):
        return None if is_variable(term) else (term, 0)
    return term[0], len(term) - 1


def _fluent_of(text: str) -> Fluent | None:
    return _name_of(read_term(text))
