"""How fast and how deep alpha-beta search on a game's shipped network looks, beside the same search without what makes it selective."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.bench.measuring import Measure
from ludus.contract.rules import OVER, moves, play, start, turn
from ludus.errors import LudusError
from ludus.kernel import stream
from ludus.players.alphabeta import AlphaBeta, make_alphabeta
from ludus.search.minimax_space import MinimaxOptions

OPENING = 4  # random moves at the beginning of a game
EVERY = 7  # plies between two positions
NEVER = 1e9
WHOLE = "every move to the full depth"


def measures(game: Any) -> list[Measure]:
    """Nodes and evaluations a second, and the depth that is reached; none where no network for a search is shipped."""
    try:
        ours, theirs = make_alphabeta(game, "td"), make_alphabeta(game, "td")
    except LudusError:
        return []
    theirs._options = whole(theirs._options)
    states = _positions(game, 10)
    return [
        Measure("search: nodes", "nodes/s", _rate(ours, states, 0), WHOLE, _rate(theirs, states, 0)),
        Measure("search: evaluations", "evaluations/s", _rate(ours, states, 1), WHOLE, _rate(theirs, states, 1)),
        Measure("search: depth in a fifth of --seconds", "plies", _depth(ours, states), WHOLE, _depth(theirs, states)),
    ]


def whole(options: MinimaxOptions) -> MinimaxOptions:
    """The same without reductions, futility and proofs."""
    return options._replace(reduction=NEVER, above=NEVER, below=NEVER, late=NEVER, proofs=0)


def _positions(game: Any, games: int) -> list[np.ndarray]:
    """Positions of games that a search of one ply plays against itself after some random moves."""
    player, draw, room = (
        make_alphabeta(game, "td", depth=1),
        np.random.default_rng(1),
        np.zeros(game.facts.max_moves, np.int64),
    )
    found = []
    for _ in range(games):
        state = np.zeros(game.facts.state_size, np.int64)
        start(game, state)
        for ply in itertools.count():
            seat = int(turn(game, state))
            if seat == OVER:
                break
            if ply > OPENING and ply % EVERY == 0:
                found.append(state.copy())
            count = moves(game, state, seat, room)
            opening = ply < OPENING
            play(
                game,
                state,
                room[draw.integers(count)] if opening else player.choose_state(game, state, seat, stream(1)),
            )
    order = draw.permutation(len(found))
    return [found[i] for i in order]


def _searches(player: AlphaBeta, states: list[np.ndarray]) -> Callable[[float], None]:
    """Search the next of the positions for so many seconds, as if nothing were known of it."""
    following = itertools.cycle(states)

    def search(seconds: float) -> None:
        state = next(following)
        player.forget()
        player.seconds = seconds
        player.choose_state(player.game, state, int(turn(player.game, state)), stream(1))

    return search


def _rate(player: AlphaBeta, states: list[np.ndarray], which: int) -> Callable[[float], float]:
    search = _searches(player, states)

    def work(seconds: float) -> float:
        before, begun = player.effort[which], time.process_time()
        search(seconds)
        return (player.effort[which] - before) / (time.process_time() - begun)

    return work


def _depth(player: AlphaBeta, states: list[np.ndarray]) -> Callable[[float], float]:
    search = _searches(player, states)

    def work(seconds: float) -> float:
        search(seconds)
        return float(player.reached)

    return work
