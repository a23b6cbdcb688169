"""One game with an agent at each seat: what environments for many agents are made of."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from gymnasium import spaces

from ludus.adapters.actions import Actions
from ludus.adapters.gymnasium import FPS, observation_space
from ludus.adapters.rendering import MODES
from ludus.adapters.sights import Sights
from ludus.adapters.stepping import settle
from ludus.contract.rules import JOINT, OVER, play, play_joint, scores, start
from ludus.errors import LudusError
from ludus.kernel import stream


class Table:
    """One game with an agent at each seat: what both kinds of environments are made of."""

    def __init__(self, game: Any, ids: str, encoding: str, max_cycles: int | None) -> None:
        if max_cycles is not None and (not isinstance(max_cycles, int) or max_cycles < 1):
            raise LudusError(f"max_cycles={max_cycles!r}: give 1 or more, or None")
        self.actions = Actions(game, ids)
        self.game, self.max_cycles = self.actions.game, max_cycles
        facts, self.sights = self.game.facts, Sights(self.actions, encoding)
        self.names = [f"player_{seat}" for seat in range(facts.seats)]
        self.state = np.zeros(facts.state_size, np.int64)
        self.turn, self.rounds = OVER, 0.0
        self._seed, self._number = -1, 0
        self._outcomes, self._odds = np.zeros(max(facts.max_chances, 1), np.int64), np.zeros(max(facts.max_chances, 1))
        sizes = self.sights.size, self.sights.bounded, self.actions.size
        self.observation_spaces = {name: observation_space(*sizes) for name in self.names}
        self.action_spaces = {name: spaces.Discrete(self.actions.size) for name in self.names}

    def begin(self, seed: int | None) -> None:
        """The game of a seed, or the next one."""
        if seed is not None or self._seed < 0:
            self._seed, self._number = secrets.randbits(31) if seed is None else int(seed), -1
        self._number += 1
        self._dice = stream(self._seed, self._number, 0)
        start(self.game, self.state)
        self.rounds = 0.0
        self._settle()
        if self.turn == OVER:
            raise LudusError(f"{self.game.facts.name} is over before anybody has to decide")

    def _settle(self) -> None:
        self.turn = int(settle(self.game, self.state, self._dice, self._outcomes, self._odds))
        self._masks: dict[int, np.ndarray] = {}

    def mask(self, seat: int) -> np.ndarray:
        """The legal actions of a seat, as 0 and 1; not to be written to."""
        if seat not in self._masks:
            self._masks[seat] = self.actions.mask(self.state, seat)
        return self._masks[seat]

    def reason(self, seat: int, action: Any) -> str:
        """Why an action is not legal; empty if it is. LudusError if there is no such action."""
        legal = self.mask(seat)[self.actions.checked(action)]
        return "" if legal else self.actions.reason(self.state, seat, action)

    def play(self, chosen: dict[int, int]) -> None:
        """Play what the seats have chosen: that of the seat to move, or all where all move at once."""
        if self.turn == JOINT:
            joint = [self.actions.move(seat, chosen[seat]) for seat in range(len(self.names))]
            play_joint(self.game, self.state, np.array(joint, np.int64))
        else:
            play(self.game, self.state, self.actions.move(self.turn, chosen[self.turn]))
        self.rounds += 1 if len(chosen) > 1 else 1 / len(self.names)
        self._settle()

    @property
    def cut(self) -> bool:
        """Whether the game is over because of `max_cycles`."""
        return self.max_cycles is not None and self.turn != OVER and self.rounds > self.max_cycles - 1e-6

    def scores(self) -> np.ndarray:
        """The scores of a game that is over."""
        out = np.zeros(len(self.names))
        scores(self.game, self.state, out)
        return out

    def observation(self, seat: int) -> dict[str, np.ndarray]:
        """What an agent sees."""
        seen = self.sights.one(self.state, seat, self.turn == OVER)
        return {"observation": seen, "action_mask": self.mask(seat).copy()}

    def metadata(self, parallel: bool) -> dict[str, Any]:
        """What PettingZoo wants to know."""
        name = self.game.facts.name.replace("-", "_")
        return {
            "name": f"ludus_{name}_v0",
            "render_modes": list(MODES),
            "is_parallelizable": parallel,
            "render_fps": FPS,
        }
