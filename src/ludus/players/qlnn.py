"""The player `qlnn`: the legal move with the highest output of a Q-network, found by one pass through it and no search."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import moves
from ludus.contract.views import action
from ludus.errors import LudusError
from ludus.kernel import implements
from ludus.methods.deepq import best_of, look
from ludus.methods.qlnn import view_of
from ludus.nets import storage
from ludus.nets.dense import UNITS, Dense, empty_dense, new_desk, read_layout

LAYOUT = "200-200"  # of the shipped model that `qlnn` alone is
SHIPPED = ("160-187", "200-200", "345-200")  # the thesis's three


class QLNNPlayer(NamedTuple):
    """Greedy on the outputs of a network."""

    net: Dense
    sight: Any  # the view; Numba takes that word for another
    max_moves: int


@implements(choose, QLNNPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    net, listed = player.net, np.empty(player.max_moves, np.int64)
    desk = new_desk(net.w1.shape[0], net.w1.shape[1], net.w2.shape[1], net.w3.shape[1])
    count = moves(game, state, seat, listed)
    look(net, player.sight, game, state, desk)
    return listed[best_of(player.sight, game, state, desk, listed, count, rng)]


@implements(evaluate_moves, QLNNPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    net = player.net
    desk = new_desk(net.w1.shape[0], net.w1.shape[1], net.w2.shape[1], net.w3.shape[1])
    count = moves(game, state, seat, listed)
    look(net, player.sight, game, state, desk)
    for n in range(count):
        slot = action(player.sight, game, state, listed[n])
        values[n] = 2.0 * desk.output[slot] - 1.0 if slot >= 0 else 0.0
    return count


def qlnn_player(game: Any, view: Any, net: Dense) -> QLNNPlayer:
    """A player from a network in memory."""
    return QLNNPlayer(net, view, game.facts.max_moves)


def shipped_file(layout: str) -> Path:
    """The file of the model of a layout that comes with the package."""
    return Path(str(resources.files("ludus") / "models" / f"quoridor-qlnn-{layout}.safetensors"))


def make_qlnn(game: Any, path: str | None, layout: str = LAYOUT) -> QLNNPlayer:
    """The player of a model: a shipped one, or that of a run's folder or a file."""
    if path is None:
        if layout not in SHIPPED:
            raise LudusError(f"no qlnn of layout '{layout}' is shipped; there are {', '.join(SHIPPED)}")
        return load_qlnn(game, shipped_file(layout))
    if layout != LAYOUT:
        raise LudusError(f"qlnn:{path} has a layout of its own: leave out layout={layout}")
    file = Path(path)
    if file.is_dir():
        if not (file / "model.safetensors").exists():
            raise LudusError(f"there is no model.safetensors in the folder {file}")
        file = file / "model.safetensors"
    return load_qlnn(game, file)


def load_qlnn(game: Any, path: Path) -> QLNNPlayer:
    """The player of a file; LudusError if it is none, or for other rules."""
    tensors, facts = storage.load(path)
    theirs = (facts.get("game"), facts.get("game_version"))
    if theirs != (game.facts.model, game.facts.version):
        raise LudusError(
            f"{path} is a model for {theirs[0]} (rules version {theirs[1]}), "
            f"not for {game.facts.model} (rules version {game.facts.version})"
        )
    settings = facts.get("settings", {})
    if settings.get("method") != "qlnn":
        raise LudusError(
            f"{path} does not hold a Q-network with an output for each action; name it as td:{path} or q:{path}"
        )
    view = view_of(game, settings["encoding"])
    _, inputs, outputs = view.shape(game)
    net = empty_dense((inputs, *read_layout(settings["layout"]), outputs), UNITS[settings["units"]])
    for name, own in net.tensors().items():
        found = tensors.get(name)
        if found is None or found.shape != own.shape or found.dtype != own.dtype:
            raise LudusError(f"{path} does not have the shape that layout {settings['layout']} needs: {name}")
        if not np.isfinite(found).all():
            raise LudusError(f"{path} holds numbers that are not finite")
        own[...] = found
    return qlnn_player(game, view, net)
