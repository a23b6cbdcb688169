"""The player behind `td`: the move whose outcome a network likes best, judged at once or some plies ahead. Looking ahead is
`ludus.search.lookahead`'s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import sizes_of
from ludus.errors import LudusError
from ludus.games.backgammon.match import MatchRules
from ludus.kernel import implements, kernel
from ludus.nets.network import Network
from ludus.nets.value import best_move, workspace
from ludus.players.alphabeta import make_alphabeta
from ludus.players.base import choose_all
from ludus.players.cubeful import CubefulPlayer
from ludus.players.models import model_of
from ludus.search.lookahead import (
    MARGIN,
    Plies,
    Rounds,
    evaluate_ahead,
    evaluate_by_rounds,
    evaluate_now,
    lookahead_workspace,
)


class TDPlayer(NamedTuple):
    """Greedy on a network: the best position after the move."""

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]  # most moves, length of a state, seats, most outcomes of chance


class LookaheadPlayer(NamedTuple):
    """Judges the best moves again, by the replies to them some plies ahead. A type of its own, as it takes three times as long
    to compile.
    """

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]
    plies: Plies


class RolloutPlayer(NamedTuple):
    """Judges the best moves again, by playing on from each until its own next move is made, some times with the same dice for all of
    them: what threatens a piece in the meantime is seen, and luck is shared.
    """

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]
    rounds: Rounds


@kernel
def _hand_over(space: Any, count: int, legal: Any, values: Any) -> int:
    """Copy what was found to the arrays of who asked."""
    legal[:count] = space.legal[:count]
    values[:count] = space.values[:count]
    return count


# --- greedy ----------------------------------------------------------------------------------------------------------


@implements(choose, TDPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    max_moves, state_size, seats, _ = player.sizes
    ws = workspace(player.net, game, max_moves, state_size, seats)
    return best_move(player.net, player.encoding, game, state, seat, ws)


@implements(choose_all, TDPlayer)
def _(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any) -> None:
    max_moves, state_size, number, _ = player.sizes
    ws = workspace(player.net, game, max_moves, state_size, number)
    for i in range(len(states)):
        out[i] = best_move(player.net, player.encoding, game, states[i], seats[i], ws)


@implements(evaluate_moves, TDPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    space = lookahead_workspace(player.net, game, player.sizes)
    count = evaluate_now(player.net, player.encoding, game, state, seat, space)
    return _hand_over(space, count, legal, values)


# --- some plies ahead ------------------------------------------------------------------------------------------------


@kernel
def _best_ahead(player: Any, game: Any, state: Any, seat: int, space: Any) -> int:
    count = evaluate_ahead(player.net, player.encoding, game, state, seat, player.plies, space, False)
    return space.legal[np.argmax(space.values[:count])]


@implements(choose, LookaheadPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return _best_ahead(player, game, state, seat, lookahead_workspace(player.net, game, player.sizes))


@implements(choose_all, LookaheadPlayer)
def _(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any) -> None:
    space = lookahead_workspace(player.net, game, player.sizes)
    for i in range(len(states)):
        out[i] = _best_ahead(player, game, states[i], seats[i], space)


@implements(evaluate_moves, LookaheadPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    space = lookahead_workspace(player.net, game, player.sizes)
    count = evaluate_ahead(player.net, player.encoding, game, state, seat, player.plies, space)
    return _hand_over(space, count, legal, values)


# --- rollouts --------------------------------------------------------------------------------------------------------


@kernel
def _best_by_rounds(player: Any, game: Any, state: Any, seat: int, rng: Any, space: Any) -> int:
    count = evaluate_by_rounds(player.net, player.encoding, game, state, seat, rng, player.rounds, space)
    return space.legal[np.argmax(space.values[:count])]


@implements(choose, RolloutPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return _best_by_rounds(player, game, state, seat, rng, lookahead_workspace(player.net, game, player.sizes))


@implements(choose_all, RolloutPlayer)
def _(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any) -> None:
    space = lookahead_workspace(player.net, game, player.sizes)
    for i in range(len(states)):
        out[i] = _best_by_rounds(player, game, states[i], seats[i], rngs[i], space)


@implements(evaluate_moves, RolloutPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    space = lookahead_workspace(player.net, game, player.sizes)
    count = evaluate_by_rounds(player.net, player.encoding, game, state, seat, rng, player.rounds, space)
    return _hand_over(space, count, legal, values)


# --- makers ----------------------------------------------------------------------------------------------------------


def td_player(
    game: Any,
    encoding: Any,
    network: Network,
    plies: int = 0,
    width: int = 8,
    rollouts: int = 0,
    margin: float = MARGIN,
) -> TDPlayer | LookaheadPlayer | RolloutPlayer | CubefulPlayer:
    """A player from a network in memory."""
    sizes = sizes_of(game)
    if rollouts:
        return RolloutPlayer(network, encoding, sizes, Rounds(rollouts, width))
    if plies == 0:
        return TDPlayer(network, encoding, sizes)
    if isinstance(game, MatchRules):
        if plies > 2:
            raise LudusError(f"td(plies={plies}): with the cube td looks at most 2 plies ahead")
        return CubefulPlayer(network, encoding, sizes, Plies(plies, width, margin))
    return LookaheadPlayer(network, encoding, sizes, Plies(plies, width, margin))


def make_td(
    game: Any,
    path: str | None,
    plies: int = 0,
    width: int = 8,
    rollouts: int = 0,
    seconds: float | None = None,
    margin: float = MARGIN,
    **search: Any,
) -> Any:
    """The player of a model: the shipped one, or that of a run's folder or a file. With `seconds` a move, where two seats take turns
    without chance, alpha-beta search on the network looks as far ahead as it gets; `threads` and `ponder` are its own.
    """
    if seconds is not None:
        if plies or rollouts:
            raise LudusError("td looks ahead by plies, by rollouts or for so many seconds: give one of them")
        return make_alphabeta(game, path or "td", seconds=seconds, **search)
    if search:
        raise LudusError(f"td({next(iter(search))}=…) is for a search by time: give seconds, too")
    if rollouts and plies:
        raise LudusError("td looks ahead either by plies or by rollouts: give one of them")
    encoding, network = model_of(game, path)
    return td_player(game, encoding, network, plies, width, rollouts, margin)
