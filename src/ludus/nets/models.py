"""The files of models: where they are, and whether one is for this game and this way of seeing it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.errors import LudusError, brief
from ludus.files import check_name
from ludus.nets import shelf


def fact(facts: Any, key: str, kind: type, where: str) -> Any:
    """What a file says of something; LudusError if it says nothing of it, or what can't be.

    >>> fact({"seed": "one"}, "seed", int, "model.safetensors")
    Traceback (most recent call last):
    ludus.errors.LudusError: model.safetensors makes no sense: its seed is 'one'
    """
    if key not in facts:
        raise LudusError(f"{where} lacks {key}: it is not a model of a player")
    if type(facts[key]) is not kind:
        raise LudusError(f"{where} makes no sense: its {key} is {brief(repr(facts[key]))}")
    return facts[key]


def model_file(path: str | None, player: str) -> Path:
    """The model of a run's folder, or the file itself. `player` is who asks."""
    if path is None:
        raise LudusError(f"say whose values to play by, as in {player}:runs/first")
    file = check_name(path)
    if not file.exists():
        file = shelf.named(path) or file
    if file.is_dir():
        if not (file / "model.safetensors").exists():
            raise LudusError(f"there is no model.safetensors in the folder {file}")
        file = file / "model.safetensors"
    return file


def check_game(game: Any, facts: dict[str, Any], where: str) -> None:
    """LudusError if a model was made for another game, or other rules of it."""
    theirs = (facts.get("game"), facts.get("game_version"))
    if theirs != (game.facts.model, game.facts.version):
        raise LudusError(
            f"{where} is a model for {theirs[0]} (rules version {theirs[1]}), "
            f"not for {game.facts.model} (rules version {game.facts.version})"
        )


def check_encoding(facts: dict[str, Any], version: int, where: str) -> None:
    """LudusError if a model was made with another version of its encoding: it would read the inputs wrongly."""
    theirs = facts.get("encoding_version", 1)  # which older files lack
    if theirs != version:
        name = facts.get("settings", {}).get("encoding", "")
        raise LudusError(
            f"{where} was made with version {brief(theirs)} of encoding '{name}', and this is version {version}: train it again"
        )
