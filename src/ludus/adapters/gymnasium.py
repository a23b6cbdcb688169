"""Gymnasium: one agent against ludus players. Importing this module registers the environments (docs/environments.md).

    import gymnasium, ludus.adapters.gymnasium
    env = gymnasium.make("ludus/Backgammon-v0", opponent="td", seat=0)

An observation has what the seat sees (`observation`) and the legal actions (`action_mask`). The reward is the score at the end of a game. An action that
is not legal loses the game, and `info["illegal"]` says why.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.adapters.against import Against
from ludus.adapters.naming import environments, full_name
from ludus.adapters.rendering import MODES, check_mode, rendered
from ludus.errors import NotInstalledError

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise NotInstalledError("ludus.adapters.gymnasium needs Gymnasium: pip install 'ludus[gymnasium]'") from None

FPS = 2


def observation_space(inputs: int, bounded: bool, actions: int) -> spaces.Dict:
    """What observations look like."""
    low, high = (0.0, 1.0) if bounded else (-np.inf, np.inf)
    return spaces.Dict(
        {
            "observation": spaces.Box(low, high, (inputs,), np.float32),
            "action_mask": spaces.Box(0, 1, (actions,), np.int8),
        }
    )


def _seed(seed: int | None, generator: np.random.Generator) -> int:
    return int(generator.integers(1 << 31)) if seed is None else int(seed)


class LudusEnv(gymnasium.Env):  # type: ignore[misc]
    """A game of `seat` against ludus players. `opponent` is a name or a player for all other seats, or a list with one for each; `actions` the kind of
    small steps, for games that have several (backgammon: `steps` or `openspiel`); `encoding` one of the game's encodings to be observed instead of
    its sight. Parameters of the game can be given by name: `size=5`.

    >>> env = LudusEnv("quoridor", size=5)
    >>> observation, info = env.reset(seed=1)
    >>> observation["observation"].shape, int(observation["action_mask"].sum())
    ((87,), 35)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> reward, terminated, truncated
    (0.0, False, False)
    """

    metadata = {"render_modes": list(MODES), "render_fps": FPS}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: str = "backgammon",
        opponent: Any = "random",
        seat: int = 0,
        actions: str = "steps",
        encoding: str = "",
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        check_mode(render_mode)
        self.games = Against(full_name(game, parameters), opponent, seat, 1, actions, encoding)
        self.render_mode = render_mode
        size, sights = self.games.actions.size, self.games.sights
        self.action_space = spaces.Discrete(size)
        self.observation_space = observation_space(sights.size, sights.bounded, size)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the game of a seed, or the next one."""
        super().reset(seed=seed)
        first = seed is not None or not self.games.begun
        self.games.begin(_seed(seed, self.np_random) if first else None)
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, and go on to the next decision or the end."""
        games = self.games
        given = games.checked(np.asarray(action).reshape(-1))
        before = games.rows.states[0].copy()
        wrong = bool(games.step(given)[0])
        if wrong:
            games.give_up(np.array([True]))
        over, scores = bool(games.over[0]), games.scores()[0]
        if wrong:
            scores = games.actions.scores_of_loss(games.seat)
        info = self._info()
        if wrong:
            info["illegal"] = games.actions.reason(before, games.seat, int(given[0]))
        if over:
            info["scores"] = scores.tolist()
        self._show()
        return self._observation(), float(scores[games.seat]) if over else 0.0, over, False, info

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, as MaskablePPO asks for it."""
        return self.games.masks()[0].astype(bool)

    def render(self) -> Any:
        """The position, in the mode that was asked for; `human` prints by itself."""
        if self.render_mode == "human":
            return None
        return rendered(self.games.game, self.games.rows.states[0].copy(), self.render_mode, self.games.seat)

    def _show(self) -> None:
        if self.render_mode == "human":
            rendered(self.games.game, self.games.rows.states[0].copy(), "human")

    def _observation(self) -> dict[str, np.ndarray]:
        return {"observation": self.games.observe()[0], "action_mask": self.games.masks()[0]}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.games.masks()[0]}


class LudusVectorEnv(VectorEnv):  # type: ignore[misc]
    """Many such games stepped at once, in compiled code. A game that ended is followed by the next one at the next step, whose action for it is not
    looked at (AutoresetMode.NEXT_STEP).

    >>> envs = LudusVectorEnv(num_envs=8, game="tictactoe")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(np.zeros(8, int))
    >>> observations["action_mask"].sum(1).tolist()
    [7, 7, 7, 7, 7, 7, 7, 7]
    """

    metadata = {"render_modes": [], "render_fps": FPS, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        game: str = "backgammon",
        opponent: Any = "random",
        seat: int = 0,
        actions: str = "steps",
        encoding: str = "",
        max_episode_steps: int | None = None,
        **parameters: Any,
    ) -> None:
        check_mode(parameters.pop("render_mode", None))
        self.games = Against(full_name(game, parameters), opponent, seat, num_envs, actions, encoding)
        self.num_envs, self.render_mode = self.games.count, None
        size, sights = self.games.actions.size, self.games.sights
        self.single_action_space = spaces.Discrete(size)
        self.single_observation_space = observation_space(sights.size, sights.bounded, size)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._limit = max_episode_steps or 0
        self._steps = np.zeros(self.num_envs, np.int64)
        self._done = np.zeros(self.num_envs, np.bool_)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the games of a seed, or the next ones."""
        if isinstance(seed, list | tuple):
            seed = seed[0]
        super().reset(seed=seed)
        self.games.begin(_seed(seed, self.np_random) if seed is not None or not self.games.begun else None)
        self._steps[:], self._done[:] = 0, False
        return self._observations(), self._infos()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in each game."""
        games, anew = self.games, self._done.copy()
        given = games.checked(np.where(anew, 0, actions) if anew.any() else actions)
        before = games.rows.states.copy()
        wrong = games.step(given, anew)
        if anew.any():
            games.begin(which=anew)
        games.give_up(wrong)
        over = games.over
        rewards = games.scores()[:, games.seat]
        rewards[wrong] = games.actions.scores_of_loss(games.seat)[games.seat]
        self._steps = np.where(anew, 0, self._steps + 1)
        cut = (self._steps >= self._limit) & ~over if self._limit else np.zeros(self.num_envs, np.bool_)
        self._done = over | cut
        infos = self._infos()
        if wrong.any():
            infos["_illegal"], infos["illegal"] = wrong.copy(), np.full(self.num_envs, "", object)
            for row in np.flatnonzero(wrong):
                infos["illegal"][row] = games.actions.reason(before[row], games.seat, int(given[row]))
        return self._observations(), rewards, over, cut, infos

    def action_masks(self) -> np.ndarray:
        """Which actions are legal: (games, actions)."""
        return self.games.masks().astype(bool)

    def _observations(self) -> dict[str, np.ndarray]:
        return {"observation": self.games.observe(), "action_mask": self.games.masks()}

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self.games.masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}


def register() -> None:
    """Register the environments: one for each game, rulesheet and usual variant, and `ludus/Game-v0` for any."""
    here = __name__
    for name, settings in environments().items():
        known = f"ludus/{name}-v0"
        if known not in gymnasium.registry:
            gymnasium.register(
                known,
                entry_point=f"{here}:LudusEnv",
                vector_entry_point=f"{here}:LudusVectorEnv",
                kwargs=settings,
            )


register()
