"""Backgammon by a network with feedforward inhibition and synaptic scaling (Keck, Savin & Lücke 2012), in numpy.

    ludus train backgammon --method examples/methods/hebbian.py:Hebbian --games 20000

The hidden units know nothing of winning. They learn by themselves what kinds of positions there are:

- feedforward inhibition: inputs are divided by their sum, and stand on a background of 1: y = 1 + (A - D) x / Σx, in sum always A;
- lateral inhibition: units compete, s = softmax(y·log W), the soft winner takes it all;
- Hebbian learning: ΔW = ε s (y - W), and by that the weights of each unit come to the sum A too: synaptic scaling.

This climbs the likelihood of a mixture of Poisson distributions, as EM does; s is then the probability that a position is of a unit's kind. What each
kind is worth is learned beside it: a position's value is V = s·v, the mean of its kinds' values, and v follows TD(λ).
"""

from dataclasses import dataclass

import numpy as np

from ludus.batch import Batch, Games, Observation
from ludus.contract.views import encoding_of
from ludus.methods import Method, setting


class Hebbian(Method):
    """Kinds of positions by Hebbian learning with synaptic scaling, their values by TD(λ)."""

    @dataclass(frozen=True)
    class Settings:
        """What steers it."""

        units: int = setting(100, "hidden units: kinds of positions", low=2, high=100_000)
        contrast: float = setting(20.0, "A - D, the sum of the inputs above their background", above=0, high=1e6)
        hebb: float = setting(0.01, "step size ε of the Hebbian weights", above=0, high=1)
        rate: float = setting(0.03, "step size of the kinds' values", above=0, high=1e6)
        decay: float = setting(0.7, "λ, by which traces fade from move to move", low=0, high=1)
        exploration: float = setting(0.05, "share of random moves", low=0, high=1)
        slots: int = setting(16, "games in flight at once", low=1, high=10_000)

    unit = 100

    def setup(self) -> None:
        """Weights that sum up to A, a little different in each unit; values of 0."""
        self.inputs, units = encoding_of(self.game, "raw").shape(self.game)[1], self.settings.units
        rng = np.random.default_rng(self.seed)
        self.weights = rng.uniform(0.9, 1.1, (units, self.inputs))
        self.weights *= (self.inputs + self.settings.contrast) / self.weights.sum(axis=1, keepdims=True)
        self.values = np.zeros(units)

    def learn(self, games: int) -> dict[str, float]:
        """Play the next games against oneself; after each move the units learn what they saw, and what it was worth."""
        settings = self.settings
        play = Games(self.game, seed=self.seed, first=self.games, count=games, slots=settings.slots)
        traces, said, target = (
            np.zeros((settings.slots, settings.units)),
            np.zeros(settings.slots),
            np.zeros(settings.slots),
        )
        batch, moved, error, moves = play.begin(), np.zeros(0, np.int64), 0.0, 0
        while True:
            after, x, kinds, values = self.evaluate(batch)
            pick = np.where(
                batch.uniform() < settings.exploration,
                after.draw(),
                after.argmax(np.where(after.seats == 0, values, -values)),
            )
            target[batch.slots] = values[pick]
            target[batch.ended.slots] = batch.ended.scores[:, 0]
            difference = target[moved] - said[moved]
            self.values += settings.rate * difference @ traces[moved]
            error += np.abs(difference).sum()
            moves += len(moved)
            if not len(batch):
                self.counters["moves"] += moves
                return {"error": error / max(moves, 1)}
            traces[batch.ended.slots] = 0
            moved = batch.slots
            traces[moved] = settings.decay * traces[moved] + kinds[pick]
            said[moved] = values[pick]
            self.see(x.take(pick), kinds[pick])
            batch = play.step(after.moves[pick])

    def see(self, x: Observation, kinds: np.ndarray) -> None:
        """The Hebbian step."""
        y = 1 + self.settings.contrast * x.dense() / np.maximum(total(x), 1)[:, None]
        self.weights += self.settings.hebb * (kinds.T @ y - kinds.sum(axis=0)[:, None] * self.weights)

    def evaluate(self, batch: Batch) -> tuple:
        """All moves of a batch, what is seen after them, of which kind that is, and what it is worth to seat 0."""
        after = batch.afterstates()
        x = after.observe("raw")
        kinds = respond(self.weights, self.settings.contrast, x)
        return after, x, kinds, np.where(after.over, after.scores[:, 0], kinds @ self.values)

    def state(self) -> dict[str, np.ndarray]:
        """All that changes."""
        return {"weights": self.weights, "values": self.values}

    def player(self) -> "Greedy":
        """Who plays with what was learned so far."""
        return Greedy(self)


def total(x: Observation) -> np.ndarray:
    """The sum of each row's inputs."""
    return x @ np.ones(x.inputs)


def respond(weights: np.ndarray, contrast: float, x: Observation) -> np.ndarray:
    """The activity of each unit for each row."""
    logs = np.log(weights)
    activity = logs.sum(axis=1) + contrast * (x @ logs.T) / np.maximum(total(x), 1)[:, None]
    activity = np.exp(activity - activity.max(axis=1, keepdims=True, initial=-np.inf))
    return activity / activity.sum(axis=1, keepdims=True)


class Greedy:
    """Makes the move of the highest value, the first of equals."""

    name = "hebbian"

    def __init__(self, learner: Hebbian) -> None:
        self.learner = learner

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """A move for each row."""
        after, _, _, values = self.learner.evaluate(batch)
        return after.best(np.where(after.seats == 0, values, -values))
