"""The examples of other people's learners: with a tiny budget they learn something, and play in an arena."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import ludus
from ludus.adapters.agents import Agent
from ludus.errors import LudusError

FOLDER = Path(__file__).parent.parent / "examples" / "adapters"


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_dqn_learns_through_pettingzoo_and_plays_in_an_arena():
    pytest.importorskip("torch")
    dqn = example("dqn")
    learner = dqn.train(40, seed=1)
    assert learner.updates > 50
    again = dqn.train(40, seed=1)
    assert all((a == b).all() for a, b in zip(learner.net.parameters(), again.net.parameters(), strict=True))
    result = ludus.arena("tictactoe", [Agent(learner.pick, name="dqn"), "mcts(simulations=4)"], games=20, seed=1)
    assert result["dqn"].games == 20


def test_maskable_ppo_learns_through_gymnasium_and_plays_in_an_arena():
    pytest.importorskip("sb3_contrib")
    ppo = example("maskable_ppo")
    model = ppo.learn(128, batch=128)
    assert model.num_timesteps == 128
    result = ludus.arena(ppo.GAME, [ppo.player(model), "path"], games=4, seed=1)
    assert result["ppo"].games == 4


@pytest.mark.parametrize("game", ["backgammon", "backgammon-steps", "ludo(seats=2)", "tron"])
def test_whoever_picks_actions_can_play(game):
    last = Agent(lambda observations, masks: masks.shape[1] - 1 - masks[:, ::-1].argmax(1), name="last")
    assert ludus.arena(game, [last, "random"], games=6, seed=2)["last"].games == 6


@pytest.mark.parametrize(
    ("pick", "reason"),
    [
        (lambda seen, masks: masks.argmin(1), "agent 'wrong': action .* is not legal for seat"),
        (lambda seen, masks: masks.argmax(1) + 500, "agent 'wrong': .* is no action of backgammon-steps"),
        (lambda seen, masks: [0.5], "agent 'wrong': one action a row is wanted"),
    ],
)
def test_wrong_picks_are_named(pick, reason):
    with pytest.raises(LudusError, match=reason):
        ludus.arena("backgammon", [Agent(pick, name="wrong"), "random"], games=2, seed=1)
