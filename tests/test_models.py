"""Each shipped model is as strong as it is said to be, and the test would notice one that is not.

A player of known strength plays some hundred games against a weak one. It must win as many as an honest model wins with probability
above 0.9999; the same file with random weights must not.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import ludus
from ludus.kernel import JIT
from ludus.matches.statistics import wilson
from ludus.nets import storage

pytestmark = pytest.mark.skipif(not JIT, reason="some thousand games")

MODELS = Path(ludus.__file__).parent / "models"
RISK = 1e-4  # that an honest model fails
MEASURED = 20_000  # games behind the rates below
SEED = 7  # another one than that of the rates


class Case(NamedTuple):
    """A model, the player that it makes, who sits in all other seats, and the rate of games that it won of MEASURED, with seed 1."""

    model: str
    game: str
    player: str
    opponent: str
    rate: float
    opening: int = 0  # random moves first, for players that always move alike
    games: int = 400

    @property
    def kind(self) -> str:
        """The player that reads such a file."""
        return {"rossen": "q", "peters": "q"}.get(self.player, self.player.partition("(")[0].partition(":")[0])


# ludus arena GAME PLAYER OPPONENT … --games 20000 --seed 1 [--opening 4]
CASES = [
    Case("backgammon", "backgammon", "td", "random", 0.9991),
    Case("backgammon-rich", "backgammon", "td:backgammon-rich", "random", 0.9987),
    Case("ludo-classic-2", "ludo(seats=2)", "td", "random", 0.9406),
    Case("ludo-classic-3", "ludo(seats=3)", "td", "random", 0.8339),
    Case("ludo-classic-4", "ludo", "td", "random", 0.7814),
    Case("ludo-ludopy-2", "ludo(rules=ludopy,seats=2)", "td", "random", 0.9516),
    Case("ludo-ludopy-3", "ludo(rules=ludopy,seats=3)", "td", "random", 0.8819),
    Case("ludo-ludopy-4", "ludo(rules=ludopy)", "td", "random", 0.8320),
    Case("ludo-ludopy-1.3.1-2", "ludo(rules=ludopy-1.3.1,seats=2)", "td", "random", 0.9596),
    Case("ludo-ludopy-1.3.1-3", "ludo(rules=ludopy-1.3.1,seats=3)", "td", "random", 0.8901),
    Case("ludo-ludopy-1.3.1-4", "ludo(rules=ludopy-1.3.1)", "td", "random", 0.8459),
    Case("quoridor", "quoridor", "td", "heuristic", 0.9694, opening=4),
    Case("quoridor-side", "quoridor", "td:quoridor-side", "heuristic", 0.9649, opening=4),
    Case("quoridor-qlnn-160-187", "quoridor", "qlnn(layout=160-187)", "path", 0.9822, opening=4),
    Case("quoridor-qlnn-200-200", "quoridor", "qlnn(layout=200-200)", "path", 0.9718, opening=4),
    Case("quoridor-qlnn-345-200", "quoridor", "qlnn(layout=345-200)", "path", 0.9597, opening=4),
    # One simulation is the bare policy.
    Case("breakthrough-zero", "breakthrough", "zero(simulations=1)", "random", 1.0, opening=2),
    Case("hex7-zero", "hex7", "zero(simulations=1)", "random", 1.0, opening=2),
    Case("reversi-zero", "reversi", "zero(simulations=1)", "random", 0.9955, opening=2),
    # A random table still makes sensible kinds of moves: it takes more games to tell it from a learned one.
    Case("rossen", "ludo(rules=ludopy-1.3.1)", "rossen", "random", 0.5769, games=2_000),
    Case("peters", "ludo(rules=ludopy-1.3.1)", "peters", "random", 0.7208),
]
each_model = pytest.mark.parametrize("case", CASES, ids=lambda case: case.model)


def bound(rate: float, games: int, risk: float = RISK) -> int:
    """The most wins that a player of this rate reaches with probability above 1 - risk: P(X < wins) < risk, X binomial."""
    wins, below = 0, 0.0
    while True:
        ways = math.log(math.comb(games, wins))
        below += math.exp(ways + wins * math.log(rate) + (games - wins) * math.log1p(-rate))
        if below >= risk:
            return wins
        wins += 1


def needed(case: Case) -> int:
    """The bound for the lowest rate that the measurement allows."""
    lowest, _ = wilson(case.rate * MEASURED, MEASURED)
    return bound(lowest, case.games)


def wins(case: Case, player: str) -> float:
    """How many games a player wins in the place of the model's."""
    seats = ludus.game(case.game).facts.seats
    players = [player] + [case.opponent] * (seats - 1)
    return ludus.arena(case.game, players, case.games, SEED, jobs=1, opening=case.opening).rows[0].wins


@pytest.mark.parametrize(("rate", "games"), [(0.5, 10), (0.9, 100), (0.57, 2_000), (0.9987, 400)])
def test_bound_is_the_binomials(rate: float, games: int) -> None:
    wins = bound(rate, games)
    assert stats.binom.cdf(wins - 1, games, rate) < RISK <= stats.binom.cdf(wins, games, rate)


def test_every_shipped_model_has_its_case() -> None:
    assert sorted(case.model for case in CASES) == sorted(path.stem for path in MODELS.glob("*.safetensors"))


@each_model
def test_a_shipped_model_is_as_strong_as_it_was(case: Case) -> None:
    assert wins(case, case.player) >= needed(case)


@each_model
def test_random_weights_are_not(case: Case, tmp_path: Path) -> None:
    tensors, facts = storage.load(MODELS / f"{case.model}.safetensors")
    rng = np.random.default_rng(1)
    noise = {name: rng.normal(0, tensor.std(), tensor.shape).astype(tensor.dtype) for name, tensor in tensors.items()}
    storage.save(tmp_path / "broken.safetensors", noise, facts)
    briefly = "(simulations=1)" if case.kind == "zero" else ""  # it would search by time
    assert wins(case, f"{case.kind}:{tmp_path / 'broken.safetensors'}{briefly}") < needed(case)
