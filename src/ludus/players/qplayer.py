"""The players behind `q` and `qm`: the option whose value is highest, by a table or a network that learning made. Also `rossen`
and `peters`, whose tables come with the package, and the opponent that Peters trained against.

There are two kinds of values: those of a game's scheme (`ludus.methods.q`), and those of the states themselves, of any game
(`ludus.methods.table`), where `qm` searches if it knows nothing.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import moves, sizes_of
from ludus.contract.views import options
from ludus.errors import LudusError
from ludus.games.ludo.rules import CLASSIC
from ludus.kernel import implements
from ludus.methods import q
from ludus.methods.learner import new_store, scheme_of, store_tensors
from ludus.methods.presets import Settings
from ludus.methods.table import Way, option_keys, table_from, table_move, way_of
from ludus.nets import storage
from ludus.nets.hashtable import HashTable, value_at
from ludus.papers.ludo.tabular import semi_smart
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


class TablePlayer(NamedTuple):
    """Greedy on the values of states; where it knows none, it searches or moves at random."""

    table: HashTable
    way: Way
    sizes: tuple[int, int, int, int]


@implements(choose, TablePlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return table_move(player.table, player.way, game, state, seat, player.sizes, rng)


@implements(evaluate_moves, TablePlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, listed: Any, values: Any) -> int:
    keys = np.empty(len(listed), np.uint64)
    count = moves(game, state, seat, listed)
    option_keys(game, state, seat, player.way.afterstates, listed, count, np.empty(len(state), np.int64), keys)
    for n in range(count):
        values[n] = player.way.low + player.way.span * value_at(player.table, keys[n])
    return count


class SemiSmart(NamedTuple):
    """Gets a piece to the goal if it can, else out of the yard, else moves the one farthest ahead."""


@implements(choose, SemiSmart)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    listed = np.empty(4, np.int64)
    return semi_smart(game, state, seat, listed, moves(game, state, seat, listed))


def q_player(scheme: Any, store: Any, desk: Any) -> QPlayer:
    """A player from values in memory."""
    return QPlayer(store, scheme, (len(desk.inputs), len(desk.hidden), len(desk.output)))


def table_player(game: Any, table: HashTable, way: Way) -> TablePlayer:
    """A player from a table in memory."""
    return TablePlayer(table, way, sizes_of(game))


def make_q(game: Any, path: str | None) -> QPlayer | TablePlayer:
    """The player of a run's folder or of a file."""
    return load_q(game, model_file(path, "q"))


def make_qm(game: Any, path: str | None, playouts: int | None = None, nested: bool | None = None) -> TablePlayer:
    """The player of a table of states that searches where it knows nothing, with so many games a move."""
    file = model_file(path, "qm")
    player = load_q(game, file)
    if not isinstance(player, TablePlayer):
        raise LudusError(f"{file} holds values of a scheme, which knows all that can happen; name it as q:{path}")
    if playouts is not None and playouts < 1:
        raise LudusError(f"qm(playouts={playouts}): playouts must be at least 1")
    way = player.way._replace(playouts=playouts or player.way.playouts or USUAL_PLAYOUTS)
    return player._replace(way=way if nested is None else way._replace(nested=nested))


USUAL_PLAYOUTS = 200  # games a move, for a table that was learned without search


def model_file(path: str | None, name: str) -> Path:
    """The model of a run's folder, or the file itself."""
    if path is None:
        raise LudusError(f"say whose values to play by, as in {name}:runs/first")
    file = Path(path)
    if file.is_dir():
        if not (file / "model.safetensors").exists():
            raise LudusError(f"there is no model.safetensors in the folder {file}")
        file = file / "model.safetensors"
    return file


def load_q(game: Any, path: Path) -> QPlayer | TablePlayer:
    """The player of a file. A scheme's tables are of use to any number of seats; networks and tables of states only to the very game
    that they were made for.
    """
    tensors, facts = storage.load(path)
    settings = facts.get("settings", {})
    theirs = parse(str(facts.get("game_text", "?"))).name
    if settings.get("method") == "table":
        if facts.get("game") != game.facts.model or facts.get("game_version") != game.facts.version:
            raise LudusError(
                f"{path} is a model for {facts.get('game')} (rules version {facts.get('game_version')}), "
                f"not for {game.facts.model} (rules version {game.facts.version})"
            )
        way = way_of(game, Settings.from_dict(settings, str(path)))
        return table_player(game, table_from(tensors, game, str(path)), way)
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
    def make(game: Any, path: str | None) -> QPlayer | TablePlayer:
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
