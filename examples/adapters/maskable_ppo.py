"""MaskablePPO of sb3-contrib learns Quoridor on a small board through Gymnasium, and plays in a ludus arena.

pip install 'ludus[sb3]'
python examples/adapters/maskable_ppo.py --steps 200000
"""

from __future__ import annotations

import argparse
import functools
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import ludus
import ludus.adapters.gymnasium  # registers the environments
from ludus.adapters.agents import Agent

GAME = "quoridor(size=5)"
torch.set_num_threads(1)  # the network is small: more of them would wait for each other


def learn(steps: int, seed: int = 1, opponent: str = "random", batch: int = 512) -> Any:
    """A model after so many steps against an opponent, on both sides of the board. Masks come from the environments' `action_masks()`."""
    sides = [functools.partial(gymnasium.make, "ludus/Quoridor5-v0", opponent=opponent, seat=seat) for seat in (0, 1)]
    settings: dict[str, Any] = {"net_arch": [64, 64]}
    model = MaskablePPO(
        "MultiInputPolicy",
        DummyVecEnv(sides),
        n_steps=batch // 2,
        batch_size=batch // 4,
        seed=seed,
        policy_kwargs=settings,
    )
    return model.learn(steps)


def player(model: Any) -> Agent:
    """The model as a ludus player."""

    def pick(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen = {"observation": observations, "action_mask": masks.astype(np.int8)}
        return model.predict(seen, action_masks=masks, deterministic=True)[0]

    return Agent(pick, name="ppo")


def main() -> None:
    """Learn, and meet ludus players."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=20_000)
    options.add_argument("--games", type=int, default=100)
    given = options.parse_args()
    ppo = player(learn(given.steps))
    for opponent in ("random", "path"):
        row = ludus.arena(GAME, [ppo, opponent], games=given.games, seed=1)["ppo"]
        low, high = row.win_rate_ci95
        print(f"against {opponent}: {row.win_rate:.3f} of {row.games} games, draws by half ({low:.3f}–{high:.3f})")


if __name__ == "__main__":
    main()
