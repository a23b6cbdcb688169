"""What a measurement is, how ours and a peer's take turns, and OpenSpiel's random games, which several games are measured by.

A measurement is a pair of functions, ours and a peer's, each doing some work and saying how much of it. They take turns in
several short rounds, and the median of each counts: machines are noisy, and a noise that hits both spoils no ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

ROUNDS = 5


class Measure(NamedTuple):
    """One line of a benchmark. `ours` and `theirs` work for about so many seconds and return how much they did a second.

    A peer's name without `theirs` says why there is nothing to measure, or quotes what was not measured here.
    """

    name: str
    unit: str
    ours: Callable[[float], float] | None  # None: it can't be measured here either
    peer: str | None = None
    theirs: Callable[[float], float] | None = None


class Peer(NamedTuple):
    """Who is measured beside us: a name, and what it does; nothing but the name if its package is not installed."""

    name: str | None
    work: Callable[[float], float] | None = None


NOBODY = Peer(None)


def not_installed(package: str) -> Peer:
    """A peer that can't be measured here."""
    return Peer(f"not installed: {package}")


def measured(measure: Measure, seconds: float) -> dict[str, Any]:
    """A row of `ludus bench`: each side works for about so many seconds."""
    ours: list[float] = []
    theirs: list[float] = []
    if measure.ours is not None:
        measure.ours(0.0)  # compiles
        for _ in range(ROUNDS):
            ours.append(measure.ours(seconds / ROUNDS))
            if measure.theirs is not None:
                theirs.append(measure.theirs(seconds / ROUNDS))
    value = statistics.median(ours) if ours else None
    peer_value = statistics.median(theirs) if theirs else None
    return {
        "name": measure.name,
        "value": value,
        "unit": measure.unit,
        "peer": measure.peer,
        "peer_value": peer_value,
        "ratio": value / peer_value if value and peer_value else None,
    }


def repeat(work: Callable[[int], object], batch: int, seconds: float) -> float:
    """Do batches of work, numbered from 0, until the time is up; at least one. Returns how much was done a second."""
    begun = time.perf_counter()
    done = 0
    while done == 0 or time.perf_counter() < begun + seconds:
        work(done)
        done += batch
    return done / (time.perf_counter() - begun)


def openspiel_rollouts(name: str, rollouts: int) -> Peer:
    """OpenSpiel's random games in C++, from the first decision on. Called from Python ply by ply it is a hundred times slower, which would
    tell of Python only; a search of one simulation evaluates its root by as many rollouts as we like, without leaving C++.
    """
    try:
        import pyspiel  # optional
    except ImportError:
        return not_installed("OpenSpiel")
    game: Any = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])

    def work(number: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, number + 1)
        pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, number + 1, False).step(state)

    return Peer("OpenSpiel", lambda seconds: repeat(work, rollouts, seconds))
