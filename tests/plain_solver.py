"""The solver once more, in plain Python and fractions, by recursion over whole states: slow, and easily seen to be right."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ludus.contract import rules
from ludus.contract.rules import CHANCE, OVER

State = tuple[int, ...]
Known = dict[str, Fraction]  # as the fields of a Solution


def exactly(number: float) -> Fraction:
    """The fraction that a probability or a score stands for."""
    return Fraction(float(number)).limit_denominator(10_000)


def ways(game: Any, state: State) -> list[tuple[int, Fraction, State]]:
    """The moves or outcomes of a state, how likely each is at random, and the states after them."""
    now, facts = np.array(state, np.int64), game.facts
    codes, odds = np.zeros(max(facts.max_moves, facts.max_chances), np.int64), np.zeros(max(facts.max_chances, 1))
    who = rules.turn(game, now)
    count = rules.chances(game, now, codes, odds) if who == CHANCE else rules.moves(game, now, who, codes)
    found = []
    for i in range(count):
        after = now.copy()
        rules.play(game, after, int(codes[i]))
        likely = exactly(odds[i]) if who == CHANCE else Fraction(1, int(count))
        found.append((int(codes[i]), likely, tuple(after.tolist())))
    return found


def plainly(game: Any, seat: int) -> Callable[[State], Known]:
    """A function that says what is known of a state, for one seat."""

    @cache
    def of(state: State) -> Known:
        now = np.array(state, np.int64)
        who = rules.turn(game, now)
        if who == OVER:
            scores = np.zeros(2)
            rules.scores(game, now, scores)
            score = exactly(scores[seat])
            won = Fraction(int(scores[seat] > scores[1 - seat]))
            return {"value": score, "exploiter": score, "safe": score, "wins": won, "random": score}
        after = [(likely, of(there)) for _, likely, there in ways(game, state)]
        mean = {kind: sum(likely * known[kind] for likely, known in after) for kind in after[0][1]}
        if who == CHANCE:
            return mean
        if who != seat:
            return mean | {"value": min(known["value"] for _, known in after)}
        value = max(known["value"] for _, known in after)
        safe = max(known["safe"] for _, known in after if known["value"] == value)
        best = {kind: max(known[kind] for _, known in after) for kind in ("exploiter", "wins")}
        return mean | best | {"value": value, "safe": safe}

    return of


def first_state(game: Any) -> State:
    """The state at the beginning of a game."""
    state = np.zeros(game.facts.state_size, np.int64)
    rules.start(game, state)
    return tuple(state.tolist())


def all_states(game: Any) -> list[State]:
    """All states that a game can come to, and in which a seat is to move."""
    seen, fresh = {first_state(game)}, [first_state(game)]
    while fresh:
        state = fresh.pop()
        if rules.turn(game, np.array(state, np.int64)) != OVER:
            after = {there for _, _, there in ways(game, state)} - seen
            seen |= after
            fresh += after
    return [state for state in sorted(seen) if rules.turn(game, np.array(state, np.int64)) >= 0]
