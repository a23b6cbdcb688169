"""The networks that players judge positions by: those that come with the package, and those of runs and files."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ludus.contract.views import encoding_of
from ludus.errors import LudusError
from ludus.nets import storage
from ludus.nets.models import check_encoding, check_game, fact, model_file
from ludus.nets.network import Network, in_line


def lender_of(game: Any) -> Any:
    """The game whose models play a game: its own, unless it borrows those of another, as backgammon with the cube does."""
    return getattr(game, "lender", game)


def _model_path(game: Any) -> Path:
    game = lender_of(game)
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


def model_of(game: Any, path: str | None) -> tuple[Any, Network]:
    """The encoding and the network of a run's folder or a file; those of the shipped model for None, or `td` where no file is called so."""
    shipped = path is None or (path == "td" and not Path(path).exists())  # as in mcts:td
    file = shipped_model(game) if shipped else Path(path or "")
    file = model_file(str(file), "td")
    lender = lender_of(game)
    encoding, network = load_model(lender, file.resolve(), file.stat().st_mtime_ns if file.exists() else 0)
    return (encoding if lender is game else game.adapted(encoding)), network


@lru_cache(maxsize=64, typed=True)  # typed: games are tuples, and those of two types may hold the same numbers
def load_model(game: Any, path: Path, stamp: int) -> tuple[Any, Network]:
    """The encoding and the network of a model or checkpoint; `stamp` tells versions of the file apart."""
    tensors, facts = storage.load(path)
    check_game(game, facts, str(path))
    fact(facts, "settings", dict, str(path))
    if facts.get("player", "td") != "td":
        raise LudusError(f"{path} holds what player '{facts['player']}' plays by; name it as {facts['player']}:{path}")
    try:
        encoding = encoding_of(game, fact(facts["settings"], "encoding", str, str(path)))
        network = Network(*(tensors[name] for name in Network._fields))
    except KeyError as missing:
        raise LudusError(f"{path} lacks {missing}: it is not a model of a player") from None
    check_encoding(facts, getattr(encoding, "version", 1), str(path))
    sections, inputs, outputs = encoding.shape(game)
    hidden = network.b1.shape[-1] if network.b1.ndim else 0
    wanted = ((sections, inputs, hidden), (sections, hidden), (sections, outputs, hidden), (sections, outputs))
    if tuple(t.shape for t in network) != wanted or any(t.dtype != np.float32 for t in network):
        raise LudusError(f"{path} does not have the shape that encoding '{facts['settings']['encoding']}' needs")
    return encoding, in_line(network)
