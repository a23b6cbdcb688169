"""The benchmark of methods in plain Python: that what it measures learns and plays as it says."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.batch import Batch
from ludus.bench import games as bench
from ludus.bench import methods
from ludus.kernel import JIT
from ludus.matches import arena
from ludus.matches.flight import play_games
from ludus.players import player

needs_jit = pytest.mark.skipif(not JIT, reason="speed is that of compiled code")


class Linear:
    """Plays with what the benchmark's learner has learned."""

    def __init__(self, learner: methods.LinearTD) -> None:
        self.learner = learner

    def choose_batch(self, batch: Batch) -> np.ndarray:
        after = batch.afterstates()
        values = np.where(after.over, 1e9 * after.scores[:, 0], after.observe("raw") @ self.learner.weights)
        return after.best(np.where(after.seats == 0, values, -values))


def test_a_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else real(name, *rest))
    linear, torch = methods.measures()
    assert "torch network" in torch.name
    monkeypatch.setattr(methods, "measures", lambda: iter([torch]))
    (row,) = bench.bench("methods", seconds=0.01)
    assert row["name"] == torch.name
    assert [row[key] for key in ("value", "peer", "peer_value", "ratio")] == [None, "not installed: torch", None, None]
    assert linear.ours is not None


@needs_jit
def test_the_linear_learner_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "UNIT", 8)
    monkeypatch.setattr(methods, "_torch_player", lambda: iter([]))
    (row,) = bench.bench("methods", seconds=0.01)
    assert (row["name"], row["unit"]) == ("linear TD(0) in numpy, self-play of backgammon", "games/s")
    assert row["value"] > 0


@needs_jit
def test_a_network_of_torch_moves_alike_however_it_is_asked() -> None:
    pytest.importorskip("torch")
    game = ludus.game("backgammon")
    network, random = methods.TorchNetwork(game), player("random", game)

    def scores(asked: Any) -> list[list[float]]:
        return play_games(game, [asked, random], ["torch", "random"], 1, range(4)).scores.tolist()

    assert scores(network) == scores(methods.OneByOne(network)) == scores(methods.OneRow(network))


@needs_jit
@pytest.mark.long
def test_the_linear_learner_learns() -> None:
    learner = methods.LinearTD()
    for _ in range(12):
        learner.learn(methods.UNIT)
    assert arena(learner.game, [Linear(learner), "random"], games=400).rows[0].win_rate > 0.85
