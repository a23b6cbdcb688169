"""PettingZoo: every game with an agent at each seat. Importing this module registers the environments (docs/environments.md).

    from ludus.adapters import pettingzoo
    env = pettingzoo.env("backgammon")                      # agents take turns (AEC)
    env = pettingzoo.parallel_env("tron")                   # all move at once

Agents are `player_0`, `player_1`, …, one a seat. Chance is inside; an agent may be asked several times in a row. An observation has what the agent's seat
sees (`observation`) and its legal actions (`action_mask`). Rewards are the scores at the end. An action that is not legal loses the game, and the agent's
info says why under `illegal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.adapters.naming import JOINT_SHEETS, environments, full_name
from ludus.adapters.rendering import check_mode, rendered
from ludus.contract.rules import JOINT, OVER
from ludus.errors import LudusError, NotInstalledError

try:
    import pettingzoo
    from pettingzoo.utils import wrappers

    from ludus.adapters.table import Table
except ImportError:
    raise NotInstalledError("ludus.adapters.pettingzoo needs PettingZoo: pip install 'ludus[pettingzoo]'") from None


class _Common:
    """What both kinds of environments offer."""

    table: Table
    render_mode: str | None

    def observation_space(self, agent: str) -> Any:
        """What an agent's observations look like."""
        return self.table.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of an agent."""
        return self.table.action_spaces[agent]

    def render(self) -> Any:
        """The position, in the mode that was asked for."""
        return rendered(self.table.game, self.table.state.copy(), self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""


class raw_env(_Common, pettingzoo.AECEnv):  # type: ignore[misc]  # noqa: N801  # as PettingZoo calls them
    """A game in which agents act one after another. Where all seats move at once, each is asked in turn, and sees nothing of the others' choices.

    `max_cycles` cuts a game after so many actions of each agent, in the mean. Parameters of the game can be given by name: `size=5`.

    >>> env = raw_env("tictactoe")
    >>> env.reset(seed=1)
    >>> for action in (0, 4, 1, 5, 2):
    ...     env.step(action)
    >>> env.terminations, env.rewards
    ({'player_0': True, 'player_1': True}, {'player_0': 1.0, 'player_1': 0.0})
    """

    def __init__(
        self,
        game: str = "backgammon",
        actions: str = "steps",
        encoding: str = "",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        check_mode(render_mode)
        self.table = Table(full_name(game, parameters), actions, encoding, max_cycles)
        self.render_mode = render_mode
        self.metadata = self.table.metadata(False)
        self.possible_agents = list(self.table.names)
        self.observation_spaces, self.action_spaces = self.table.observation_spaces, self.table.action_spaces

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the game of a seed, or the next one."""
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[int, int] = {}
        self._skip_agent_selection = None
        self._select()

    def _select(self) -> None:
        """Say who is to act."""
        turn = self.table.turn
        if turn != OVER:
            self.agent_selection = self.possible_agents[len(self._chosen) if turn == JOINT else turn]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now."""
        return self.table.observation(self.possible_agents.index(agent))

    def step(self, action: Any) -> None:
        """Play the action of the agent whose turn it is; None for one that is done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat, table = self.possible_agents.index(agent), self.table
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        reason = table.reason(seat, action)
        if reason:
            self.infos[agent] = {"illegal": reason}
            self._finish(table.actions.scores_of_loss(seat))
        else:
            self._chosen[seat] = int(action)
            if table.turn != JOINT or len(self._chosen) == len(table.names):
                table.play(self._chosen)
                self._chosen = {}
            if table.turn == OVER:
                self._finish(table.scores())
            elif table.cut:
                self.truncations = dict.fromkeys(self.agents, True)
            self._select()
        self._accumulate_rewards()

    def _finish(self, result: np.ndarray) -> None:
        self.rewards = {name: float(result[seat]) for seat, name in enumerate(self.possible_agents)}
        self.terminations = dict.fromkeys(self.agents, True)


class raw_parallel_env(_Common, pettingzoo.ParallelEnv):  # type: ignore[misc]  # noqa: N801
    """A game in which all agents act at once. Where only some have anything to decide, what the others say is not looked at; their mask shows action 0.

    >>> env = raw_parallel_env("rockpaperscissors")
    >>> observations, infos = env.reset(seed=1)
    >>> observations["player_0"]["action_mask"].tolist()
    [1, 1, 1]
    """

    def __init__(
        self,
        game: str = "tron",
        actions: str = "steps",
        encoding: str = "",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        check_mode(render_mode)
        self.table = Table(full_name(game, parameters), actions, encoding, max_cycles)
        self.table.begin(0)
        if self.table.turn != JOINT:
            name = self.table.actions.base.facts.name
            raise LudusError(
                f"in {name} the seats take turns: use env(), as parallel_env() is for games in which all move at once"
            )
        self.table = Table(self.table.game, actions, encoding, max_cycles)
        self.render_mode = render_mode
        self.metadata = self.table.metadata(True)
        self.possible_agents = list(self.table.names)
        self.observation_spaces, self.action_spaces = self.table.observation_spaces, self.table.action_spaces

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin the game of a seed, or the next one."""
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        if self.render_mode == "human":
            self.render()
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Play the actions of all agents."""
        table, agents = self.table, self.agents
        if not agents:
            return {}, {}, {}, {}, {}
        if missing := [agent for agent in agents if agent not in actions]:
            raise LudusError(f"all agents act at once: there is no action of {', '.join(missing)}")
        chosen = {seat: table.actions.checked(actions[agent]) for seat, agent in enumerate(agents)}
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        result = np.zeros(len(agents))
        wrong = []
        for seat, agent in enumerate(agents):
            if table.actions.deciding(table.state, seat) and (reason := table.reason(seat, chosen[seat])):
                infos[agent]["illegal"] = reason
                wrong.append(table.actions.scores_of_loss(seat))
        if wrong:
            result = np.min(wrong, axis=0)
        else:
            table.play(chosen)
            result = table.scores() if table.turn == OVER else result
        over, cut = bool(wrong) or table.turn == OVER, not wrong and table.cut
        self.agents = [] if over or cut else agents
        if self.render_mode == "human":
            self.render()
        rewards = {agent: float(result[seat]) for seat, agent in enumerate(agents)}
        return self._observations(), rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, cut), infos

    def _observations(self) -> dict[str, dict[str, np.ndarray]]:
        out = {agent: self.table.observation(seat) for seat, agent in enumerate(self.possible_agents)}
        for seen in out.values():
            if self.table.turn != OVER and not seen["action_mask"].any():
                seen["action_mask"][0] = 1
        return out


def env(game: str = "backgammon", **settings: Any) -> Any:
    """A game as an AEC environment that also notices calls in the wrong order. The settings are those of `raw_env`."""
    return wrappers.OrderEnforcingWrapper(raw_env(game, **settings))


def parallel_env(game: str = "tron", **settings: Any) -> raw_parallel_env:
    """A game in which all seats move at once as a parallel environment. The settings are those of `raw_parallel_env`."""
    return raw_parallel_env(game, **settings)


def register() -> None:
    """Register the environments: one for each game, rulesheet and usual variant, and `ludus/Game-v0` for any."""
    for name, settings in environments().items():
        kinds = ("aec", "parallel") if settings.get("game") in JOINT_SHEETS else ("aec",)
        for kind in kinds:
            registry = pettingzoo.aec_registry if kind == "aec" else pettingzoo.parallel_registry
            if f"ludus/{name}-v0" not in registry:
                entry = f"{__name__}:{'env' if kind == 'aec' else 'parallel_env'}"
                pettingzoo.register(kind, f"ludus/{name}-v0", entry, kwargs=settings)


register()
