"""REINFORCE (Williams 1992) on any game, in torch: a network says how much each legal move is liked, and learns from the scores.

    pip install torch
    ludus train backgammon --method examples/methods/reinforce.py:Reinforce --games 20000

The network sees the state after a move and has an output for each seat: the logit of that move for the seat that makes it. The softmax
over the legal moves is the policy. After a batch of games, moves of seats that scored more than their seat's average become likelier, the others
less likely, by one step of Adam. Of a move that ends the game an encoding shows nothing, so that all such moves look alike.
"""

from dataclasses import dataclass

import numpy as np
import torch

from ludus.batch import Batch, Games, Legal
from ludus.contract.views import encoding_of
from ludus.methods import Method, setting


class Reinforce(Method):
    """Policy gradient over the states after the legal moves."""

    @dataclass(frozen=True)
    class Settings:
        """What steers it."""

        encoding: str = setting("raw", "what is seen of a state: an encoding of the game")
        hidden: int = setting(40, "hidden units", low=1, high=4096)
        rate: float = setting(0.003, "step size of Adam", above=0, high=1e6)
        entropy: float = setting(0.01, "how much indecision is rewarded", low=0, high=1e6)

    unit = 64
    joint = True

    def setup(self) -> None:
        """Make the network and what Adam remembers of it."""
        _, inputs, _ = encoding_of(self.game, self.settings.encoding).shape(self.game)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            self.network = torch.nn.Sequential(
                torch.nn.Linear(inputs, self.settings.hidden),
                torch.nn.ReLU(),
                torch.nn.Linear(self.settings.hidden, self.game.facts.seats),
            )
        self.adam = torch.optim.Adam(self.network.parameters(), self.settings.rate)
        for parameter in self.network.parameters():
            parameter.grad = torch.zeros_like(parameter)
        self.adam.step()  # along no gradient: it changes nothing, but from now on Adam's averages are there to be kept

    def learn(self, games: int) -> dict[str, float]:
        """Play the next games by the policy, then take one step."""
        play = Games(self.game, seed=self.seed, first=self.games, count=games)
        batch, decisions = play.begin(), []
        while len(batch):
            look = Look(batch, self.settings.encoding)
            with torch.no_grad():
                pick = look.legal.draw(look.log_odds(self.network).exp().numpy())
            decisions.append((look, pick, batch.games - self.games, batch.seats))
            batch = play.step(look.legal.moves[pick])
        advantage = torch.from_numpy(play.scores - play.scores.mean(axis=0)).float()
        moves = sum(len(pick) for _, pick, _, _ in decisions)
        self.adam.zero_grad()
        doubt = 0.0
        for (
            look,
            pick,
            numbers,
            seats,
        ) in decisions:  # the network looks again, so that gradients need not be remembered
            log_odds = look.log_odds(self.network)
            entropy = -(log_odds.exp() * log_odds).sum()
            gain = (advantage[numbers, seats] * log_odds[pick]).sum() + self.settings.entropy * entropy
            (-gain / moves).backward()
            doubt += float(entropy.detach())
        self.adam.step()
        self.counters["moves"] += moves
        return {"entropy": doubt / moves}

    def state(self) -> dict[str, np.ndarray]:
        """All that changes: the arrays share their memory with torch."""
        arrays = {f"network.{name}": p.detach().numpy() for name, p in self.network.named_parameters()}
        for i, p in enumerate(self.network.parameters()):
            arrays |= {f"adam.{i}.{name}": value.numpy() for name, value in self.adam.state[p].items()}
        return arrays

    def player(self) -> "Likeliest":
        """Who plays with what was learned so far."""
        return Likeliest(self.network, self.settings.encoding)


class Look:
    """The legal moves of a batch, and what is seen after each."""

    def __init__(self, batch: Batch, encoding: str) -> None:
        after = batch.afterstates()
        self.legal: Legal = batch.legal()
        self.x, self.seats = after.observe(encoding), torch.from_numpy(after.seats)

    def logits(self, network: torch.nn.Module) -> torch.Tensor:
        """How much each move is liked by the seat that could make it."""
        return network(torch.from_numpy(self.x.dense()))[torch.arange(len(self.seats)), self.seats]

    def log_odds(self, network: torch.nn.Module) -> torch.Tensor:
        """The logarithms of the probabilities of all moves: a softmax over those of each row."""
        logits, rows, count = self.logits(network), torch.from_numpy(self.legal.rows), len(self.legal.starts) - 1
        highest = torch.full((count,), -torch.inf).scatter_reduce(0, rows, logits.detach(), "amax")
        shifted = logits - highest[rows]
        return shifted - torch.zeros(count).index_add(0, rows, shifted.exp()).log()[rows]


class Likeliest:
    """Makes the likeliest move, the first of equals."""

    name = "reinforce"

    def __init__(self, network: torch.nn.Module, encoding: str) -> None:
        self.network, self.encoding = network, encoding

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """A move for each row."""
        look = Look(batch, self.encoding)
        with torch.inference_mode():
            return look.legal.best(look.logits(self.network).numpy())
