"""How fast rulesheets are played and read: `ludus bench gdl`. OpenSpiel's peers are its hand-written games, played at random in C++."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from ludus.bench.measuring import Measure, openspiel_rollouts, repeat
from ludus.contract.rules import playouts, sizes_of
from ludus.games import gdl
from ludus.kernel import stream
from ludus.players.mcts import make_mcts

# The sheets, how many playouts are asked for at once, and OpenSpiel's name of the game with as many rollouts.
SHEETS = (
    ("tictactoe", 100_000, "tic_tac_toe", 20_000),
    ("connectfour", 20_000, "connect_four", 4_000),
    ("breakthrough", 4_000, "breakthrough", 400),
    ("hex9", 1_000, "hex(board_size=9)", 200),
)
SEARCHED = ("connectfour", "breakthrough6", "reversi", "checkers", "hex9")


def measures() -> Iterator[Measure]:
    """Random games of some sheets, and how long it takes from a sheet to the first of them."""
    for name, batch, peer, rollouts in SHEETS:
        who, work = openspiel_rollouts(peer, rollouts)
        shown = f"{who} {peer}" if work else who
        yield Measure(f"{name}: playouts", "games/s", _playouts(name, batch), shown, work)
    for name in SEARCHED:
        yield Measure(
            f"{name}: leaves of mcts", "leaves/s", _leaves(name, True), "mcts one by one", _leaves(name, False)
        )
    for name in ("tictactoe", "connectfour", "hex9"):
        yield Measure(f"{name}: from the sheet to the first playout", "s", _reading(name))


def _playouts(name: str, batch: int) -> Callable[[float], float]:
    game = gdl.from_name(name)
    state, sizes, total = game.first(), sizes_of(game), np.zeros(game.facts.seats)

    def work(number: int) -> None:
        playouts(game, state, stream(1, number), batch, sizes, total)

    return lambda seconds: repeat(work, batch, seconds)


def _leaves(name: str, lanes: bool) -> Callable[[float], float]:
    """How many leaves a search from the first state judges: each by a game of its own in lanes, by eight together one by one."""
    game = gdl.from_name(name)
    chooser = make_mcts(game, None, simulations=1, leaf=1 if lanes else None, lanes=lanes)

    def grow(number: int) -> None:
        chooser.grow(game.first(), stream(1, number), batch)

    batch = 2_000 if lanes else 20
    return lambda seconds: repeat(grow, batch, seconds)


def _reading(name: str) -> Callable[[float], float]:
    text = gdl.read_text(gdl.shipped()[name])

    def once(seconds: float) -> float:
        begun = time.perf_counter()
        game = gdl.load(text, name)
        playouts(game, game.first(), stream(1), 1, sizes_of(game), np.zeros(game.facts.seats))
        return time.perf_counter() - begun

    return once
