"""Self-play by searches: what is learned is what a plain calculation says, for games found by the same search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ludus
from ludus.contract.rules import OVER, play, scores, start, turn
from ludus.contract.views import section
from ludus.errors import LudusError
from ludus.kernel import JIT
from ludus.methods.searching import TABLE_BITS, Search, search_and_learn
from ludus.methods.selfplay import Batch, Targets
from ludus.nets.network import empty_network, new_network
from ludus.nets.value import predict, workspace
from ludus.search.leaves import network_leaf
from ludus.search.minimax import run
from ludus.search.minimax_space import BEST, BEST_MOVE, MinimaxOptions, begin, minimax_workspace

pytestmark = pytest.mark.skipif(not JIT, reason="takes minutes in plain Python")
GAME = ludus.game("quoridor(size=5,walls=2)")
SIDE = GAME.encodings()["side"]
DECAY = 0.6


def played(game: Any, net: Any, depth: int, how: Any) -> tuple[list[Any], list[float], float]:
    """A game of the search against itself: the states at decisions, what the search says of them to seat 0, as a chance to win, and the outcome."""
    view, search = network_leaf(game, SIDE, net), minimax_workspace(game, TABLE_BITS)
    state, states, values = np.zeros(game.facts.state_size, np.int64), [], []
    start(game, state)
    while (seat := int(turn(game, state))) != OVER:
        begin(search, game, state, depth, -9.0, 9.0)
        assert run(search, game, view, how, 10**9)
        value = min(max(search.bounds[0, BEST], -1.0), 1.0)
        states.append(state.copy())
        values.append(0.5 + 0.5 * (value if seat == 0 else -value))
        play(game, state, search.frames[0, BEST_MOVE])
    points = np.zeros(2)
    scores(game, state, points)
    return states, values, 0.5 + 0.5 * points[0]


@pytest.mark.parametrize("seed", [2, 3])
def test_targets_are_values_of_searches_and_a_share_of_what_comes_later(seed: int) -> None:
    depth, width = 2, 6
    low, high = GAME.facts.score_range
    how = MinimaxOptions(width, width, False, 1 / (high - low), high + low)
    net = new_network(*SIDE.shape(GAME)[:2], 6, 1, seed=seed)
    states, values, outcome = played(GAME, net, depth, how)
    targets, later = [], outcome
    for value in reversed(values):
        later = value + DECAY * (later - value)
        targets.append(later)
    targets.reverse()
    # The slope of the cross-entropy by the output's sum is prediction minus target: so is the gradient of its bias, summed over the game.
    max_moves, size, seats = GAME.facts.max_moves, GAME.facts.state_size, 2
    ws = workspace(net, GAME, max_moves, size, seats)
    wanted = 0.0
    for state, target in zip(states, targets, strict=True):
        assert section(SIDE, GAME, state) == 0
        predict(net, SIDE, GAME, state, ws)
        wanted += (ws.output[0] - target) * (1 if turn(GAME, state) == 0 else -1)
    gradient = empty_network(*net.shape)
    options = Targets(DECAY, False, 0.0, 0.0, 0, 0, 0.0)
    positions, judged = search_and_learn(
        net, gradient, SIDE, GAME, (max_moves, size, seats, 0), Batch(1, 0, 1), options, Search(depth, how)
    )
    assert positions == len(states)
    assert judged > 10 * positions
    assert gradient.b2[0, 0] == pytest.approx(wanted, abs=1e-4)
    assert np.abs(gradient.w1).sum() > 0


@pytest.mark.parametrize(
    ("game", "settings", "complaint"),
    [
        ("backgammon", {"encoding": "rich", "search": 2}, "two seats that take turns, without chance"),
        ("ludo", {"encoding": "rich", "search": 1}, "two seats that take turns"),
        ("quoridor", {"encoding": "side", "search": 2, "playouts": 3}, "playouts has no effect with search = 2"),
        ("quoridor", {"encoding": "side", "search": 65}, "from 0 to 64"),
    ],
)
def test_what_can_not_be_searched_is_refused(game: str, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LudusError, match=complaint):
        ludus.train(game, method="selfplay", games=10, **settings)


def test_it_learns_in_rulesheets_too(tmp_path: Any) -> None:
    run = ludus.train(
        "tictactoe",
        method="selfplay",
        encoding="propositions",
        hidden=8,
        search=2,
        games=40,
        out=tmp_path,
        exploration=0.1,
    )
    assert ludus.arena("tictactoe", [run.player(), "random"], games=10, seed=1).rows[0].games == 10
