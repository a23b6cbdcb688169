"""How fast the house is, beside its peers on the same machine: the engine of `ludus bench`.

A measurement is a pair of functions, ours and a peer's, each doing some work and saying how much of it. They take turns in
several short rounds, and the median of each counts: machines are noisy, and a noise that hits both spoils no ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import CHANCE, JOINT, OVER, play, play_joint, random_move, roll, start, turn
from ludus.errors import LudusError
from ludus.games import game as game_of_name
from ludus.kernel import kernel, stream

ROUNDS = 5


class Measure(NamedTuple):
    """One line of a benchmark. `ours` and `theirs` work for about so many seconds and return how much they did."""

    name: str
    unit: str
    ours: Callable[[float], float]
    peer: str | None = None
    theirs: Callable[[float], float] | None = None


def bench(game_name: str, seconds: float = 2.0) -> list[dict[str, Any]]:
    """Measure a game on one core, giving each side of each measurement about so many seconds.

    The rows are `{"name", "value", "unit", "peer", "peer_value", "ratio"}`; the peer's are None where none is installed.
    """
    if seconds <= 0:
        raise LudusError(f"seconds={seconds}: give each measurement some time")
    game = game_of_name(game_name)
    return [_row(measure, seconds) for make in MEASURES for measure in [make(game)] if measure is not None]


def _row(measure: Measure, seconds: float) -> dict[str, Any]:
    ours: list[float] = []
    theirs: list[float] = []
    measure.ours(0.0)  # compiles
    for _ in range(ROUNDS):
        ours.append(_rate(measure.ours, seconds / ROUNDS))
        if measure.theirs is not None:
            theirs.append(_rate(measure.theirs, seconds / ROUNDS))
    value = statistics.median(ours)
    peer_value = statistics.median(theirs) if theirs else None
    return {
        "name": measure.name,
        "value": value,
        "unit": measure.unit,
        "peer": measure.peer if theirs else None,
        "peer_value": peer_value,
        "ratio": value / peer_value if peer_value else None,
    }


def _rate(work: Callable[[float], float], seconds: float) -> float:
    begun = time.perf_counter()
    amount = work(seconds)
    return amount / (time.perf_counter() - begun)


def repeat(work: Callable[[int], None], batch: int, seconds: float) -> float:
    """Do batches of work, numbered from 0, until the time is up; at least one. Returns how much was done."""
    end = time.perf_counter() + seconds
    done = 0
    while done == 0 or time.perf_counter() < end:
        work(done)
        done += batch
    return float(done)


# --- games between players that move at random -----------------------------------------------------------------------


@kernel
def random_games(game: Any, count: int, rng: Any, state: Any, joint: Any, room: Any, outcomes: Any, odds: Any) -> None:
    """Play games at random in one compiled loop: the speed of the rules, with nothing around them."""
    for _ in range(count):
        start(game, state)
        while True:
            seat = turn(game, state)
            if seat == OVER:
                break
            if seat == CHANCE:
                play(game, state, roll(game, state, rng, outcomes, odds))
            elif seat == JOINT:
                for each in range(len(joint)):
                    joint[each] = random_move(game, state, each, rng, room)
                play_joint(game, state, joint)
            else:
                play(game, state, random_move(game, state, seat, rng, room))


def _random_games(game: Any) -> Measure:
    facts = game.facts
    state, joint, room = (np.zeros(n, np.int64) for n in (facts.state_size, facts.seats, facts.max_moves))
    outcomes, odds = np.zeros(max(facts.max_chances, 1), np.int64), np.zeros(max(facts.max_chances, 1))
    batch = 100

    def work(number: int) -> None:
        random_games(game, batch, stream(1, number), state, joint, room, outcomes, odds)

    return Measure(
        "random games", "games/s", lambda s: repeat(work, batch, s), "OpenSpiel", _openspiel_games(facts.name)
    )


def _openspiel_games(name: str) -> Callable[[float], float] | None:
    """OpenSpiel's random games in C++. Called from Python ply by ply it is a hundred times slower, which would tell of
    Python only; its search with random playouts runs them without leaving C++.
    """
    openings = {"backgammon": "backgammon(scoring_type=full_scoring)"}
    try:
        import pyspiel
    except ImportError:
        return None
    if name not in openings:
        return None
    game = pyspiel.load_game(openings[name])
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    batch = 50

    def work(number: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, number + 1)
        pyspiel.MCTSBot(game, evaluator, 2.0, batch, 1000, False, 1, False).step(state)

    return lambda seconds: repeat(work, batch, seconds)


# What is measured, in this order. A maker returns None for a game that it does not concern.
MEASURES: list[Callable[[Any], Measure | None]] = [_random_games]
