"""References: the network and the judging of moves once more, dense, in float64, and written to be easily seen to be right."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract import rules, views
from ludus.contract.rules import CHANCE, OVER
from ludus.nets.network import Network


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def wide(net: Network) -> Network:
    """The same network in float64."""
    return Network(*(part.astype(np.float64) for part in net))


def forward(net: Network, k: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hidden units and outputs of section `k` for dense inputs."""
    hidden = sigmoid(x @ net.w1[k] + net.b1[k])
    return hidden, sigmoid(net.w2[k] @ hidden + net.b2[k])


def dense(encoding: Any, game: Any, state: np.ndarray) -> np.ndarray:
    """All inputs of a state, zeros included."""
    inputs = encoding.shape(game)[1]
    index, value = np.zeros(inputs, np.int64), np.zeros(inputs, np.float32)
    count = views.features(encoding, game, state, index, value)
    x = np.zeros(inputs)
    x[index[:count]] = value[:count]
    return x


class Judge:
    """Judges states and moves by a network, as `ludus.nets.value` does."""

    def __init__(self, net: Network, encoding: Any, game: Any) -> None:
        self.net, self.encoding, self.game = net, encoding, game
        self.outputs = encoding.shape(game)[2]

    def after(self, state: np.ndarray, move: int) -> np.ndarray:
        child = state.copy()
        rules.play(self.game, child, move)
        return child

    def moves(self, state: np.ndarray, seat: int) -> list[int]:
        out = np.zeros(self.game.facts.max_moves, np.int64)
        return out[: rules.moves(self.game, state, seat, out)].tolist()

    def chances(self, state: np.ndarray) -> list[tuple[int, float]]:
        outcomes, odds = np.zeros(self.game.facts.max_chances, np.int64), np.zeros(self.game.facts.max_chances)
        count = rules.chances(self.game, state, outcomes, odds)
        return list(zip(outcomes[:count].tolist(), odds[:count].tolist(), strict=True))

    def worth(self, vector: np.ndarray) -> np.ndarray:
        out = np.zeros(self.game.facts.seats)
        views.worth(self.encoding, self.game, vector, out)
        return out

    def static(self, state: np.ndarray) -> np.ndarray:
        """The outcome of an ended game, or the network's judgement, in the seats' common terms."""
        if rules.turn(self.game, state) == OVER:
            out = np.zeros(self.outputs)
            views.outcome(self.encoding, self.game, state, out)
            return out
        k = views.section(self.encoding, self.game, state)
        out = forward(self.net, k, dense(self.encoding, self.game, state))[1]
        views.from_view(self.encoding, self.game, state, out)
        return out

    def best(self, state: np.ndarray, seat: int) -> int:
        """The move after which the position is judged best for `seat`."""
        legal = self.moves(state, seat)
        return legal[int(np.argmax([self.worth(self.static(self.after(state, move)))[seat] for move in legal]))]

    def expect(self, state: np.ndarray, plies: int) -> np.ndarray:
        """The judgement of a state when so many more plies have been played, each the best one at first sight."""
        seat = rules.turn(self.game, state)
        if plies == 0 or seat == OVER:
            return self.static(state)
        if seat == CHANCE:
            return sum(odds * self.expect(self.after(state, roll), plies) for roll, odds in self.chances(state))
        return self.expect(self.after(state, self.best(state, seat)), plies - 1)
