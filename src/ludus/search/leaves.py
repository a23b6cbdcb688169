"""How tree search judges the states at the edge of its tree: by random games, by sensible ones, by a network, or by random games and a network. Each is a
NamedTuple that implements the generic functions below; `uct.py` is written against them. Values here are scores, one number a seat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import guided_playouts, playouts, sizes_of
from ludus.contract.views import worth
from ludus.kernel import generic, implements, kernel
from ludus.nets.network import Network
from ludus.nets.value import Workspace, predict, workspace


@generic
def informed(leaf: Any) -> bool:
    """Whether `glance` says anything: search then looks at all moves of a leaf at once, and begins with the better ones."""


@generic
def glance(leaf: Any, game: Any, state: Any, out: Any) -> None:
    """Write what a state after a move looks like, without playing on."""


@generic
def evaluate(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    """Write what a state is worth."""


@generic
def refine(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    """Change `out`, what a state seems to be worth by glances at its moves, by what playing on says."""


@generic
def selective(leaf: Any) -> bool:
    """Whether search looks only at moves that are sensible in the game's own view, and at the promising ones first."""


@implements(selective, object)
def _(leaf: Any) -> bool:
    return False


# --- random games ----------------------------------------------------------------------------------------------------


class Playouts(NamedTuple):
    """The mean of some random games."""

    games: int


@implements(informed, Playouts)
def _(leaf: Any) -> bool:
    return False


@implements(glance, Playouts)
def _(leaf: Any, game: Any, state: Any, out: Any) -> None:
    pass


@implements(evaluate, Playouts)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    _mean_playout(game, state, rng, leaf.games, sizes, out)


@implements(refine, Playouts)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    pass


@kernel
def _mean_playout(game: Any, state: Any, rng: Any, count: int, sizes: Any, out: Any) -> None:
    for s in range(len(out)):
        out[s] = 0.0
    playouts(game, state, rng, count, sizes, out)
    for s in range(len(out)):
        out[s] /= count


# --- sensible games --------------------------------------------------------------------------------------------------


class Guided(NamedTuple):
    """The mean of some games in which all make sensible moves, and a tree of such moves."""

    games: int


@implements(informed, Guided)
def _(leaf: Any) -> bool:
    return False


@implements(selective, Guided)
def _(leaf: Any) -> bool:
    return True


@implements(glance, Guided)
def _(leaf: Any, game: Any, state: Any, out: Any) -> None:
    pass


@implements(evaluate, Guided)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    for s in range(len(out)):
        out[s] = 0.0
    guided_playouts(game, state, rng, leaf.games, sizes, out)
    for s in range(len(out)):
        out[s] /= leaf.games


@implements(refine, Guided)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    pass


# --- a network -------------------------------------------------------------------------------------------------------


class NetworkLeaf(NamedTuple):
    """The judgement of a network."""

    net: Network
    encoding: Any
    ws: Workspace


def network_leaf(game: Any, encoding: Any, net: Network) -> NetworkLeaf:
    """A leaf evaluator from a network in memory."""
    max_moves, state_size, seats, _ = sizes_of(game)
    return NetworkLeaf(net, encoding, workspace(net, game, max_moves, state_size, seats))


@kernel
def _predicted(leaf: Any, game: Any, state: Any, out: Any) -> None:
    predict(leaf.net, leaf.encoding, game, state, leaf.ws)
    worth(leaf.encoding, game, leaf.ws.output, out)


@implements(informed, NetworkLeaf)
def _(leaf: Any) -> bool:
    return True


@implements(glance, NetworkLeaf)
def _(leaf: Any, game: Any, state: Any, out: Any) -> None:
    _predicted(leaf, game, state, out)


@implements(evaluate, NetworkLeaf)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    _predicted(leaf, game, state, out)


@implements(refine, NetworkLeaf)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    pass


# --- both ------------------------------------------------------------------------------------------------------------


class Mixed(NamedTuple):
    """A network's judgement and the mean of random games, which has a share in the whole."""

    network: NetworkLeaf
    games: int  # random ones
    share: float
    scores: np.ndarray  # seat: for the mean of the random games


@implements(informed, Mixed)
def _(leaf: Any) -> bool:
    return True


@implements(glance, Mixed)
def _(leaf: Any, game: Any, state: Any, out: Any) -> None:
    _predicted(leaf.network, game, state, out)


@implements(evaluate, Mixed)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    _predicted(leaf.network, game, state, out)
    _mix(leaf, game, state, rng, sizes, out)


@implements(refine, Mixed)
def _(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    _mix(leaf, game, state, rng, sizes, out)


@kernel
def _mix(leaf: Any, game: Any, state: Any, rng: Any, sizes: Any, out: Any) -> None:
    _mean_playout(game, state, rng, leaf.games, sizes, leaf.scores)
    for s in range(len(out)):
        out[s] += leaf.share * (leaf.scores[s] - out[s])
