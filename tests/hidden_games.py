"""Games with hidden information, worked out by the book: every deal, every choice, every pure strategy of an answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from ludus.contract.position import Position

Policy = Callable[[Position, int], dict[str, float]]  # how likely a seat is to make each move, by what it knows

# Kuhn's equilibria (1950) for ann's share of bluffs `alpha`, from 0 to 1/3: how likely the bolder of two actions is, by card and what went before.
BOLD = ("bet", "call")


def equilibrium(alpha: float) -> Policy:
    bold = {
        ("ann", "jack", "first"): alpha, ("ann", "queen", "first"): 0.0, ("ann", "king", "first"): 3 * alpha,
        ("ann", "jack", "bet"): 0.0, ("ann", "queen", "bet"): alpha + 1 / 3, ("ann", "king", "bet"): 1.0,
        ("bob", "jack", "check"): 1 / 3, ("bob", "queen", "check"): 0.0, ("bob", "king", "check"): 1.0,
        ("bob", "jack", "bet"): 0.0, ("bob", "queen", "bet"): 1 / 3, ("bob", "king", "bet"): 1.0,
    }  # fmt: skip

    def policy(position: Position, seat: int) -> dict[str, float]:
        told = " ".join(text for step in position.game.memory(position.state, seat) for text in step.percepts).split()
        card = told[told.index("card") + 1]
        last = told[-2] if told[-2] in ("check", "bet") else "first"
        share = bold[position.game.seat_names[seat], card, last]
        return {str(move): share if str(move) in BOLD else 1 - share for move in position.moves(seat)}

    return policy


def knows(position: Position, seat: int) -> str:
    """What a seat knows, as a text."""
    return position.seen_by(seat).text


def value(position: Position, policies: list[Policy]) -> list[float]:
    """The mean score of each seat if all play by their policies."""
    if position.over:
        return position.scores()
    if position.kind == "chance":
        parts = [(p, position.play(int(move))) for move, p in position.chances()]
    else:
        seat = position.turn
        assert seat is not None
        parts = [(p, position.play(move)) for move, p in policies[seat](position, seat).items() if p > 0]
    scores = [(p, value(after, policies)) for p, after in parts]
    return [sum(p * s[seat] for p, s in scores) for seat in range(position.game.facts.seats)]


def information_sets(position: Position, seat: int) -> dict[str, Position]:
    """All that a seat may know when it is to choose, and a position of each."""
    if position.over:
        return {}
    found: dict[str, Position] = {knows(position, seat): position} if position.turn == seat else {}
    codes = [m for m, _ in position.chances()] if position.kind == "chance" else position.moves()
    for move in codes:
        found = information_sets(position.play(int(move)), seat) | found
    return found


def best_answer(game: Any, policies: list[Policy], seat: int) -> float:
    """What a seat can get at most against the others' policies, by trying all of its pure strategies."""
    sets = {key: [str(m) for m in at.moves()] for key, at in information_sets(game.start(), seat).items()}
    best = 0.0
    for choice in product(*sets.values()):
        pure = dict(zip(sets, choice, strict=True))
        own = [*policies]
        own[seat] = lambda position, s, pure=pure: {pure[knows(position, s)]: 1.0}
        best = max(best, value(game.start(), own)[seat])
    return best


def tabulated(game: Any, ask: Callable[[Position, int], dict[str, float]]) -> Policy:
    """A policy that asks once about everything that a seat may know."""
    table = {
        (seat, key): ask(at, seat)
        for seat in range(game.facts.seats)
        for key, at in information_sets(game.start(), seat).items()
    }
    return lambda position, seat: table[seat, knows(position, seat)]
