"""The player behind `td`: the move whose outcome a network likes best, judged at once or some plies ahead."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, judge
from ludus.contract.rules import CHANCE, chances, moves, play, roll, sizes_of, turn
from ludus.contract.views import encoding_of, worth
from ludus.errors import LudusError
from ludus.kernel import draw, implements, kernel, seed_stream
from ludus.nets import storage
from ludus.nets.network import Network
from ludus.nets.value import best_move, expect, expect_deeper, predict, workspace

ROUND_PLIES = 100  # rolls and moves in a round, at most: somebody may throw sixes for ever


class TDPlayer(NamedTuple):
    """Greedy on a network: the best position after the move."""

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]  # most moves, length of a state, seats, most outcomes of chance


class LookaheadPlayer(NamedTuple):
    """Judges the `width` best moves again, by the replies to them one or two plies ahead. A type of its own, as it takes
    three times as long to compile.
    """

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]
    plies: int
    width: int


class RolloutPlayer(NamedTuple):
    """Judges the `width` best moves again, by playing on from each until its own next move is made, `rollouts` times with
    the same dice for all of them: what threatens a piece in the meantime is seen, and luck is shared.
    """

    net: Network
    encoding: Any
    sizes: tuple[int, int, int, int]
    rollouts: int
    width: int


@kernel
def _judge_now(player: Any, game: Any, state: Any, seat: int, listed: Any, values: Any, ws: Any) -> int:
    count = moves(game, state, seat, listed)
    child = np.empty_like(state)
    for i in range(count):
        child[:] = state
        play(game, child, listed[i])
        predict(player.net, player.encoding, game, child, ws)
        worth(player.encoding, game, ws.output, ws.worth)
        values[i] = ws.worth[seat]
    return count


@kernel
def _judge_ahead(player: Any, game: Any, state: Any, seat: int, listed: Any, values: Any) -> int:
    max_moves, state_size, seats, max_chances = player.sizes
    ws = workspace(player.net, game, max_moves, state_size, seats)
    count = _judge_now(player, game, state, seat, listed, values, ws)
    if count == 1:
        return count
    child, judgement = np.empty_like(state), np.empty_like(ws.best)
    outcomes, odds = np.empty(max_chances, np.int64), np.empty(max_chances)
    order = np.argsort(-values[:count])
    floor = np.inf
    for i in order[: player.width]:
        child[:] = state
        play(game, child, listed[i])
        if player.plies == 1:
            expect(player.net, player.encoding, game, child, ws, outcomes, odds, judgement)
        else:
            expect_deeper(player.net, player.encoding, game, child, ws, outcomes, odds, judgement)
        worth(player.encoding, game, judgement, ws.worth)
        values[i] = ws.worth[seat]
        floor = min(floor, values[i])
    if count > player.width:  # moves not judged again must not overtake those that were
        shift = max(values[order[player.width]] - floor, 0.0) + 1e-6
        for i in order[player.width :]:
            values[i] -= shift
    return count


@kernel
def _draw_in_layers(game: Any, state: Any, outcomes: Any, odds: Any, share: float) -> int:
    """The outcome of a chance event below which a share of all its chances lies."""
    count = chances(game, state, outcomes, odds)
    for i in range(count - 1):
        share -= odds[i]
        if share < 0:
            return outcomes[i]
    return outcomes[count - 1]


@kernel
def _play_round(net: Any, encoding: Any, game: Any, state: Any, seat: int, dice: Any, share: float, ws: Any,
                outcomes: Any, odds: Any) -> None:  # fmt: skip
    """Play on greedily until `seat` has moved, or the game is over; the judgement of where that leads goes to `ws.best`."""
    first = True
    for _ in range(ROUND_PLIES):
        mover = turn(game, state)
        if mover == CHANCE:
            # The first roll goes evenly through all its outcomes from rollout to rollout.
            result = (
                _draw_in_layers(game, state, outcomes, odds, share)
                if first
                else roll(game, state, dice, outcomes, odds)
            )
            first = False
            play(game, state, result)
        elif mover < 0:
            break
        else:
            move = best_move(net, encoding, game, state, mover, ws)
            if mover == seat:
                return
            play(game, state, move)
    predict(net, encoding, game, state, ws)
    ws.best[:] = ws.output


@kernel
def _judge_by_rounds(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    max_moves, state_size, seats, max_chances = player.sizes
    ws = workspace(player.net, game, max_moves, state_size, seats)
    count = _judge_now(player, game, state, seat, listed, values, ws)
    if count == 1:
        return count
    child, dice = np.empty_like(state), np.empty(1, np.uint64)
    outcomes, odds = np.empty(max_chances, np.int64), np.empty(max_chances)
    order = np.argsort(-values[:count])
    floor = np.inf
    series = np.int64(draw(rng))
    for i in order[: player.width]:
        total = 0.0
        for k in range(player.rollouts):
            seed_stream(dice, series, k, 2)
            child[:] = state
            play(game, child, listed[i])
            _play_round(
                player.net, player.encoding, game, child, seat, dice, (k + 0.5) / player.rollouts, ws, outcomes, odds
            )
            worth(player.encoding, game, ws.best, ws.worth)
            total += ws.worth[seat]
        values[i] = total / player.rollouts
        floor = min(floor, values[i])
    if count > player.width:
        shift = max(values[order[player.width]] - floor, 0.0) + 1e-6
        for i in order[player.width :]:
            values[i] -= shift
    return count


@implements(choose, RolloutPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    listed, values = np.empty(player.sizes[0], np.int64), np.empty(player.sizes[0])
    count = _judge_by_rounds(player, game, state, seat, rng, listed, values)
    return listed[np.argmax(values[:count])]


@implements(judge, RolloutPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    return _judge_by_rounds(player, game, state, seat, rng, listed, values)


@implements(choose, TDPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    max_moves, state_size, seats, _ = player.sizes
    ws = workspace(player.net, game, max_moves, state_size, seats)
    return best_move(player.net, player.encoding, game, state, seat, ws)


@implements(judge, TDPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    max_moves, state_size, seats, _ = player.sizes
    ws = workspace(player.net, game, max_moves, state_size, seats)
    return _judge_now(player, game, state, seat, listed, values, ws)


@implements(choose, LookaheadPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    listed, values = np.empty(player.sizes[0], np.int64), np.empty(player.sizes[0])
    count = _judge_ahead(player, game, state, seat, listed, values)
    return listed[np.argmax(values[:count])]


@implements(judge, LookaheadPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    return _judge_ahead(player, game, state, seat, listed, values)


def td_player(
    game: Any, encoding: Any, network: Network, plies: int = 0, width: int = 8, rollouts: int = 0
) -> TDPlayer | LookaheadPlayer | RolloutPlayer:
    """A player from a network in memory."""
    sizes = sizes_of(game)
    if rollouts:
        return RolloutPlayer(network, encoding, sizes, rollouts, width)
    if plies == 0:
        return TDPlayer(network, encoding, sizes)
    return LookaheadPlayer(network, encoding, sizes, plies, width)


def _model_path(game: Any) -> Path:
    return Path(str(resources.files("ludus") / "models" / f"{game.facts.model}.safetensors"))


def has_model(game: Any) -> bool:
    """Whether a player for the game comes with the package."""
    return _model_path(game).exists()


def shipped_model(game: Any) -> Path:
    """The file of the best player that comes with the package."""
    path = _model_path(game)
    if not path.exists():
        raise LudusError(f"no player for {game.facts.model} is shipped; train one and name it as td:FOLDER")
    return path


def make_td(
    game: Any, path: str | None, plies: int = 0, width: int = 8, rollouts: int = 0, seconds: float | None = None
) -> Any:
    """The player of a model: the shipped one, or that of a run's folder or a file. With `seconds` a move, where two seats take turns
    without chance, alpha-beta search on the network looks as far ahead as it gets.
    """
    if seconds is not None:
        from ludus.players.alphabeta import make_alphabeta

        if plies or rollouts:
            raise LudusError("td looks ahead by plies, by rollouts or for so many seconds: give one of them")
        return make_alphabeta(game, path or "td", seconds=seconds)
    if width < 1:
        raise LudusError(f"td(width={width}): width must be 1 or more")
    if rollouts < 0:
        raise LudusError(f"td(rollouts={rollouts}): give the number of rollouts of each move, or 0 for none")
    if rollouts and plies:
        raise LudusError("td looks ahead either by plies or by rollouts: give one of them")
    shipped = path is None or (path == "td" and not Path(path).exists())  # as in mcts:td
    file = shipped_model(game) if shipped else Path(path or "")
    if file.is_dir():
        if not (file / "model.safetensors").exists():
            raise LudusError(f"there is no model.safetensors in the folder {file}")
        file = file / "model.safetensors"
    encoding, network = load_model(game, file.resolve(), file.stat().st_mtime_ns if file.exists() else 0)
    return td_player(game, encoding, network, plies, width, rollouts)


@lru_cache(maxsize=64, typed=True)  # typed: games are tuples, and those of two types may hold the same numbers
def load_model(game: Any, path: Path, stamp: int) -> tuple[Any, Network]:
    """The encoding and the network of a model or checkpoint; `stamp` tells versions of the file apart."""
    tensors, facts = storage.load(path)
    theirs = (facts.get("game"), facts.get("game_version"))
    if theirs != (game.facts.model, game.facts.version):
        raise LudusError(
            f"{path} is a model for {theirs[0]} (rules version {theirs[1]}), "
            f"not for {game.facts.model} (rules version {game.facts.version})"
        )
    if facts.get("settings", {}).get("method") in ("q", "table"):
        raise LudusError(f"{path} holds values of Q-learning; name it as q:{path}")
    try:
        encoding = encoding_of(game, facts["settings"]["encoding"])
        network = Network(*(tensors[name] for name in Network._fields))
    except KeyError as missing:
        raise LudusError(f"{path} lacks {missing}: it is not a model of a player") from None
    sections, inputs, outputs = encoding.shape(game)
    hidden = network.b1.shape[-1]
    wanted = ((sections, inputs, hidden), (sections, hidden), (sections, outputs, hidden), (sections, outputs))
    if tuple(t.shape for t in network) != wanted or any(t.dtype != np.float32 for t in network):
        raise LudusError(f"{path} does not have the shape that encoding '{facts['settings']['encoding']}' needs")
    if not all(np.isfinite(t).all() for t in network):
        raise LudusError(f"{path} holds numbers that are not finite")
    return encoding, network
