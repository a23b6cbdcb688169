"""What the methods that learn a network of positions share (`ludus.nets.network`): its settings, its weights, and `td`, who plays by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.contract.rules import sizes_of
from ludus.contract.views import encoding_of
from ludus.methods.base import Method
from ludus.methods.settings import setting
from ludus.nets.network import new_network
from ludus.players.greedy import td_player
from ludus.quantities import UNITS


@dataclass(frozen=True)
class NetworkSettings:
    """Settings of the network itself."""

    encoding: str = setting("raw", "how the network sees positions: one of the game's encodings")
    hidden: int = setting(40, "hidden units", UNITS)


class NetworkMethod(Method):
    """A method that learns a network of positions."""

    def setup(self) -> None:
        """Make the network."""
        self.sizes = sizes_of(self.game)
        self.encoding = encoding_of(self.game, self.settings.encoding)
        sections, inputs, outputs = self.encoding.shape(self.game)
        self.network = new_network(sections, inputs, self.settings.hidden, outputs, self.seed)

    def state(self) -> dict[str, np.ndarray]:
        """The weights."""
        return self.model()

    def model(self) -> dict[str, np.ndarray]:
        """The weights."""
        return dict(self.network._asdict())

    def player(self) -> Any:
        """Greedy on the network."""
        return td_player(self.game, self.encoding, self.network)

    def facts(self) -> dict[str, Any]:
        """Which version of the encoding the weights are for."""
        return {"encoding_version": getattr(self.encoding, "version", 1)}

    @classmethod
    def named(cls, settings: Any) -> str:
        """The player `td` loads such networks."""
        return "td"
