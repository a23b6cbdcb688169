"""The player behind `q`: the option whose value is highest, by a table or a network that Q-learning made. Also `rossen`
and `peters`, whose tables come with the package, and the opponent that Peters trained against.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import choose, moves, options
from ludus.errors import LudusError
from ludus.games.ludo.rules import CLASSIC
from ludus.games.ludo.tabular import semi_smart
from ludus.kernel import implements
from ludus.learning import q, storage
from ludus.learning.learner import new_store, scheme_of, store_tensors
from ludus.spec import parse


class QPlayer(NamedTuple):
    """Greedy on the values of a scheme's options."""

    store: Any
    scheme: Any
    sizes: tuple[int, int, int]  # inputs, hidden units and outputs of the network; a table has none


@implements(choose, QPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    rows, actions = np.empty(q.MAX_OPTIONS, np.int64), np.empty(q.MAX_OPTIONS, np.int64)
    listed = np.empty(q.MAX_OPTIONS, np.int64)
    inputs, hidden, outputs = player.sizes
    desk = q.new_desk(inputs, hidden, outputs)
    count = options(player.scheme, game, state, seat, rng, rows, actions, listed)
    q.look(player.store, game, state, desk)
    return listed[q.best_option(player.store, player.scheme, desk, rows, actions, count, rng)]


class SemiSmart(NamedTuple):
    """Gets a piece to the goal if it can, else out of the yard, else moves the one farthest ahead."""


@implements(choose, SemiSmart)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    listed = np.empty(4, np.int64)
    return semi_smart(game, state, seat, listed, moves(game, state, seat, listed))


def q_player(scheme: Any, store: Any, desk: Any) -> QPlayer:
    """A player from values in memory."""
    return QPlayer(store, scheme, (len(desk.inputs), len(desk.hidden), len(desk.output)))


def make_q(game: Any, path: str | None) -> QPlayer:
    """The player of a run's folder or of a file."""
    if path is None:
        raise LudusError("say whose values to play by, as in q:runs/first")
    file = Path(path)
    if file.is_dir():
        if not (file / "model.safetensors").exists():
            raise LudusError(f"there is no model.safetensors in the folder {file}")
        file = file / "model.safetensors"
    return load_q(game, file)


def load_q(game: Any, path: Path) -> QPlayer:
    """The player of a file. Tables are of use to any number of seats; a network only to that which it was made for."""
    tensors, facts = storage.load(path)
    settings = facts.get("settings", {})
    theirs = parse(str(facts.get("game_text", "?"))).name
    if theirs != game.facts.name or facts.get("game_version") != game.facts.version:
        raise LudusError(
            f"{path} is a model for {theirs} (rules version {facts.get('game_version')}), "
            f"not for {game.facts.name} (rules version {game.facts.version})"
        )
    if settings.get("method") != "q":
        raise LudusError(f"{path} does not hold values of Q-learning; name it as td:{path}")
    try:
        scheme = scheme_of(game, settings["encoding"])
    except LudusError as error:
        raise LudusError(f"{path} was not made for these rules: {error}") from None
    store, desk = new_store(game, scheme, int(settings["hidden"]), 0)
    for name, own in store_tensors(store).items():
        found = tensors.get(name)
        if found is None or found.shape != own.shape or found.dtype != own.dtype:
            raise LudusError(f"{path} does not have the shape that scheme '{settings['encoding']}' needs here: {name}")
        if not np.isfinite(found).all():
            raise LudusError(f"{path} holds numbers that are not finite")
        own[...] = found
    return q_player(scheme, store, desk)


def _shipped(name: str) -> Any:
    def make(game: Any, path: str | None) -> QPlayer:
        _only_ludopy(game, name)
        return load_q(game, Path(str(resources.files("ludus") / "models" / f"{name}.safetensors")))

    return make


def _only_ludopy(game: Any, name: str) -> None:
    if game.rules == CLASSIC:
        raise LudusError(f"player '{name}' knows the rules of ludopy only, as in ludo(rules=ludopy)")


make_rossen = _shipped("rossen")
make_peters = _shipped("peters")


def make_semismart(game: Any, path: str | None) -> SemiSmart:
    """The opponent that Peters trained against."""
    _only_ludopy(game, "semismart")
    return SemiSmart()
