"""How fast our games are in OpenSpiel, and OpenSpiel's in ludus: a part of `ludus bench adapters`. A step is a random action, or an outcome of chance."""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ludus.bench.measuring import Measure, Peer, not_installed, repeat
from ludus.contract.rules import OVER, moves, play, start, turn
from ludus.games import game as game_of_name
from ludus.kernel import below, kernel, stream

HOME = "ludus.adapters.openspiel"  # a room below this one: found by name
STEPS = 50  # between two looks at the clock
OURS = (("tictactoe", "python_tic_tac_toe"), ("backgammon", "backgammon"), ("quoridor", "quoridor"))
THEIRS = "connect_four"


def measures() -> Iterator[Measure]:
    """Our games beside OpenSpiel's own of the same kind, of which tic-tac-toe is in Python as well; and one of its games in ludus."""
    if importlib.util.find_spec("pyspiel") is None:
        yield Measure("OpenSpiel", "steps/s", None, *not_installed("OpenSpiel"))
        return
    for name, peer in OURS:
        yield Measure(f"OpenSpiel, {name}", "steps/s", _stepping(f"ludus_{name}"), *_peer(peer))
    yield Measure(f"openspiel:{THEIRS} in ludus", "steps/s", _inside(f"openspiel:{THEIRS}"), *_peer(THEIRS))


def _peer(name: str) -> Peer:
    return Peer(f"OpenSpiel {name}", _stepping(name))


def _stepping(name: str) -> Callable[[float], float]:
    """Steps of one of OpenSpiel's games, asked from Python."""
    importlib.import_module("open_spiel.python.games" if name.startswith("python_") else HOME)
    game: Any = importlib.import_module("pyspiel").load_game(name)
    draw, state = random.Random(1), game.new_initial_state()

    def work(number: int) -> None:
        nonlocal state
        for _ in range(STEPS):
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, odds)[0])
            else:
                state.apply_action(draw.choice(state.legal_actions()))

    return lambda seconds: repeat(work, STEPS, seconds)


def _inside(name: str) -> Callable[[float], float]:
    """Steps of a game of ludus without chance, in a kernel."""
    game = game_of_name(name)
    state, legal, rng = np.zeros(game.facts.state_size, np.int64), np.zeros(game.facts.max_moves, np.int64), stream(1)
    start(game, state)
    return lambda seconds: repeat(lambda number: _walk(game, state, legal, rng, STEPS), STEPS, seconds)


@kernel
def _walk(game: Any, state: Any, legal: Any, rng: Any, steps: int) -> None:
    for _ in range(steps):
        seat = turn(game, state)
        if seat == OVER:
            start(game, state)
            seat = turn(game, state)
        play(game, state, legal[below(rng, moves(game, state, seat, legal))])
