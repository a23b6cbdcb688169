"""Games of rulesheets beside the naive interpreter: both play the same moves and must say the same of every state."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np

from naive_gdl import Naive

State = frozenset[str]


def is_over(naive: Naive, state: State) -> bool:
    """Ended by the rules, or because some role has no legal move."""
    return naive.terminal(state) or not all(naive.legal(state))


def goals(naive: Naive, state: State) -> list[int]:
    """The goal of each role but chance, 0 if there is none, the best if there are several."""
    return [
        max(values, default=0)
        for role, values in zip(naive.roles, naive.goal_values(state), strict=True)
        if role != "random"
    ]


def agree(game: Any, naive: Naive, state: np.ndarray, known: State) -> None:
    """Everything that both can say of a state is the same."""
    assert sorted(game.fluents(state)) == sorted(known)
    assert [sorted(moves) for moves in game.legal(state)] == naive.legal(known)
    assert game.terminal(state) == is_over(naive, known)
    if game.terminal(state):
        found = [g for role, g in zip(game.roles, game.goals(state), strict=True) if role != "random"]
        assert found == goals(naive, known)


def play_together(game: Any, naive: Naive, seed: int, steps: int = 1000) -> tuple[np.ndarray, State]:
    """Play a random game, at most so many steps of it, and compare all states. Returns the last."""
    assert list(game.roles) == naive.roles
    rng = random.Random(seed)
    state, known = game.first(), naive.initial()
    agree(game, naive, state, known)
    for _ in range(steps):
        if game.terminal(state):
            break
        joint = [rng.choice(moves) for moves in naive.legal(known)]
        state, known = game.advance(state, joint), naive.next(known, joint)
        agree(game, naive, state, known)
    return state, known


class TooManyError(Exception):
    """There are more states than a test has time for."""


def moments(
    naive: Naive, state: State, first: dict[str, str] | None = None, most: int = 10_000
) -> list[tuple[float, float]]:
    """The mean and the variance of each seat's score when everybody plays at random from a state, worked out exactly. `first` are moves
    that some roles make in the first step.
    """
    memo: dict[State, list[Fraction]] = {}
    count = itertools.count()

    def visit(state: State, fixed: dict[str, str]) -> list[Fraction]:
        if state in memo and not fixed:
            return memo[state]
        if is_over(naive, state):
            scores = [Fraction(g, 100) for g in goals(naive, state)]
            result = [*scores, *(s * s for s in scores)]
        else:
            choices = [[fixed[r]] if r in fixed else m for r, m in zip(naive.roles, naive.legal(state), strict=True)]
            joints = list(itertools.product(*choices))
            if next(count) * len(joints) > most:
                raise TooManyError
            parts = [visit(naive.next(state, list(joint)), {}) for joint in joints]
            result = [sum(column, Fraction(0)) / len(joints) for column in zip(*parts, strict=True)]
        if not fixed:
            memo[state] = result
        return result

    numbers = visit(state, first or {})
    seats = len(numbers) // 2
    return [(float(numbers[s]), float(numbers[seats + s] - numbers[s] ** 2)) for s in range(seats)]
