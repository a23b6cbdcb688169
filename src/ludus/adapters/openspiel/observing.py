"""What OpenSpiel's learners see of our games: tensors and strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.adapters.sights import Sights
from ludus.contract.rules import JOINT, OVER


class Observer:
    """Shows a state: as a tensor with its parts in `dict`, and as a string. The parts are `turn`, a one for the seat to move, and `observation`, what a
    seat sees (`ludus.adapters.sights`). With perfect recall there is the history as a string, and no tensor.
    """

    def __init__(self, sights: Sights, seats: int, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers of our games take no parameters, but got {params}")
        self.public, self.recall = kind is None or kind.public_info, kind is not None and kind.perfect_recall
        self.sights, self.tensor, self.dict = sights, None, {}
        if self.public and not self.recall:
            self.tensor = np.zeros(seats + sights.size, np.float32)
            self.dict = {"turn": self.tensor[:seats], "observation": self.tensor[seats:]}

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player sees of a state into `tensor`."""
        if self.dict:
            now = state.moment
            self.dict["turn"][:] = now.turn == JOINT
            if now.turn >= 0:
                self.dict["turn"][now.turn] = 1
            # OpenSpiel asks for the shape of tensors as nobody in particular.
            self.dict["observation"][:] = self.sights.one(now.array, max(player, 0), now.turn == OVER)

    def string_from(self, state: Any, player: int) -> str:
        """What a player sees of a state, as text."""
        if not self.public:
            return ""
        return state.history_str() if self.recall else state.text
