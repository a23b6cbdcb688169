"""A DQN in plain torch learns tic-tac-toe by self-play through PettingZoo, and plays in a ludus arena. One file, no framework, as CleanRL does it.

pip install 'ludus[pettingzoo,torch]'
python examples/adapters/dqn.py --games 5000
"""

from __future__ import annotations

import argparse
from collections import deque
from typing import Any

import numpy as np
import torch

import ludus
from ludus.adapters import pettingzoo
from ludus.adapters.agents import Agent

GAME = "tictactoe"
BATCH, MEMORY, RATE, TARGET_EVERY = 64, 20_000, 1e-3, 200
torch.set_num_threads(1)  # the network is small: more of them would wait for each other


class Learner:
    """A network with a value for each action, one copy of it that stands still, and what was lived through."""

    def __init__(self, inputs: int, actions: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.net, self.still = (self._network(inputs, actions) for _ in range(2))
        self.still.load_state_dict(self.net.state_dict())
        self.adam = torch.optim.Adam(self.net.parameters(), RATE)
        self.memory: deque[tuple[Any, ...]] = deque(maxlen=MEMORY)
        self.updates = 0

    @staticmethod
    def _network(inputs: int, actions: int) -> torch.nn.Sequential:
        return torch.nn.Sequential(torch.nn.Linear(inputs, 64), torch.nn.ReLU(), torch.nn.Linear(64, actions))

    def act(self, seen: dict[str, np.ndarray], epsilon: float) -> int:
        """A legal action: the best, or now and then any."""
        if self.rng.random() < epsilon:
            return int(self.rng.choice(np.flatnonzero(seen["action_mask"])))
        return int(self.pick(seen["observation"][None], seen["action_mask"][None])[0])

    @torch.no_grad()
    def pick(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The best legal action of each row."""
        values = self.net(torch.from_numpy(observations)).numpy()
        return np.where(masks, values, -np.inf).argmax(1)

    def learn(self) -> None:
        """One step on a batch of what was lived through."""
        if len(self.memory) < BATCH:
            return
        rows = [self.memory[i] for i in self.rng.integers(len(self.memory), size=BATCH)]
        seen, action, reward, after, mask = (torch.from_numpy(np.array(column)) for column in zip(*rows, strict=True))
        with torch.no_grad():
            best = torch.where(mask, self.still(after), -torch.inf).max(1).values
            target = reward + torch.where(mask.any(1), best, 0.0)
        loss = torch.nn.functional.smooth_l1_loss(self.net(seen).gather(1, action[:, None])[:, 0], target)
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.updates += 1
        if self.updates % TARGET_EVERY == 0:
            self.still.load_state_dict(self.net.state_dict())


def train(games: int, seed: int = 1) -> Learner:
    """Self-play: both agents share one network. An agent's next observation is the one at its next turn, or at the end."""
    env = pettingzoo.env(GAME)
    env.reset(seed=seed)
    agent = env.agents[0]
    learner = Learner(env.observation_space(agent)["observation"].shape[0], env.action_space(agent).n, seed)
    for game in range(games):
        env.reset()
        before: dict[str, tuple[np.ndarray, int]] = {}
        for name in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            if name in before:
                one = before[name][0], before[name][1], np.float32(reward), seen["observation"], seen["action_mask"] > 0
                learner.memory.append(one)
                learner.learn()
            if terminated or truncated:
                env.step(None)
                continue
            action = learner.act(seen, max(0.05, 1 - 2 * game / games))
            before[name] = seen["observation"], action
            env.step(action)
    return learner


def main() -> None:
    """Learn, and meet ludus players."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--games", type=int, default=2_000)
    given = options.parse_args()
    dqn = Agent(train(given.games).pick, name="dqn")
    for opponent in ("random", "perfect"):
        row = ludus.arena(GAME, [dqn, opponent], games=200, seed=1)["dqn"]
        low, high = row.win_rate_ci95
        print(f"against {opponent}: {row.win_rate:.3f} of {row.games} games, draws by half ({low:.3f}–{high:.3f})")


if __name__ == "__main__":
    main()
