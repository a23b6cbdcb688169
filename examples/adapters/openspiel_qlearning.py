"""OpenSpiel's tabular Q-learning on a rulesheet, and what it learned in the arena of ludus.

    python examples/adapters/openspiel_qlearning.py                     # tic-tac-toe, 5,000 games
    python examples/adapters/openspiel_qlearning.py --game nim --games 2000

One agent a seat learns from games against the other. Needs OpenSpiel: pip install 'ludus[openspiel]'.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.tabular_qlearner import QLearner
from open_spiel.python.rl_tools import ConstantSchedule

import ludus
from ludus.adapters import openspiel
from ludus.adapters.openspiel.bots import SpielPlayer


def learn(name: str, games: int, seed: int = 1) -> list[QLearner]:
    """Agents that have played so many games against each other, one a seat."""
    np.random.seed(seed)  # OpenSpiel's agents draw from numpy's own generator
    environment = rl_environment.Environment(openspiel.game(name))
    size = environment.action_spec()["num_actions"]
    agents = [
        QLearner(seat, size, step_size=0.3, epsilon_schedule=ConstantSchedule(0.2))
        for seat in range(environment.num_players)
    ]
    for _ in range(games):
        now = environment.reset()
        while not now.last():
            mover = now.observations["current_player"]
            now = environment.step([agents[mover].step(now).action])
        for agent in agents:
            agent.step(now)
    return agents


def as_player(name: str, agents: list[QLearner]) -> SpielPlayer:
    """What was learned, as a player for the arena."""

    def act(state: Any, seat: int, rng: np.random.Generator) -> int:
        seats = range(len(agents))
        shown = {
            "info_state": [state.observation_tensor(s) for s in seats],
            "legal_actions": [state.legal_actions(s) for s in seats],
            "current_player": seat,
        }
        np.random.seed(int(rng.integers(2**31)))  # ties are drawn, alike in every arena of the same seed
        now = rl_environment.TimeStep(shown, None, None, rl_environment.StepType.MID)
        return agents[seat].step(now, is_evaluation=True).action

    return SpielPlayer(name, act, name="qlearning")


def main() -> None:
    """Learn, and play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--game", default="tictactoe", help="a rulesheet, or any other game of ludus in which seats take turns"
    )
    parser.add_argument("--games", type=int, default=5000, help="games to learn from")
    given = parser.parse_args()
    player = as_player(given.game, learn(given.game, given.games))
    for rival in ("random", "mcts(simulations=20)"):
        print(ludus.arena(given.game, [player, rival], games=200, seed=1))


if __name__ == "__main__":
    main()
