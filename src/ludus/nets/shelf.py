"""The models that are at hand: those that come with the package, and those that were fetched, in the user's folder of data. A model is called by
the name of its file: `td:NAME` plays by it.
"""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ludus.errors import LudusError, brief, unknown
from ludus.files import MEGABYTE, check_name, read_regular, write_atomically
from ludus.nets import storage
from ludus.system import data_folder

END = ".safetensors"
LARGEST = 500 * MEGABYTE  # that is fetched
SECONDS = 60.0  # without a word from a server
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def shipped() -> dict[str, Path]:
    """The models that come with ludus, by name.

    >>> "backgammon" in shipped()
    True
    """
    return models_in(Path(str(resources.files("ludus") / "models")))


def folder() -> Path:
    """Where fetched models are kept."""
    return data_folder() / "models"


def models_in(place: Path) -> dict[str, Path]:
    """The models in a folder, by name; none if there is no such folder."""
    try:
        return {path.name.removesuffix(END): path for path in sorted(place.glob(f"*{END}"))}
    except OSError as error:
        raise LudusError(f"can't look into {place}: {error.strerror}") from error


def named(name: str) -> Path | None:
    """The file of a fetched model, or of one that comes with ludus; None if there is none of this name."""
    if not _NAME.fullmatch(name):
        return None
    return models_in(folder()).get(name) or shipped().get(name)


def find(name: str) -> Path:
    """The file of a model: its name, its file, or the folder of the run that made it. LudusError if there is none.

    >>> find("backgamon")
    Traceback (most recent call last):
    ludus.errors.LudusError: unknown model 'backgamon'; did you mean 'backgammon' or 'backgammon-rich'?
    """
    path = check_name(name)
    if path.is_dir():
        path = path / f"model{END}"
        if not path.exists():
            raise LudusError(f"there is no model{END} in the folder {name}")
    if path.exists():
        return path
    found = named(name)
    if found is None and (len(Path(name).parts) > 1 or name.endswith(END)):
        raise LudusError(f"there is no file {brief(name, 250)}")
    if found is None:
        raise unknown("model", name, shipped() | models_in(folder()))
    return found


def about(path: Path) -> dict[str, Any]:
    """What a model's file says of itself, and what it holds; the whole file is checked on the way."""
    data = read_regular(path, storage.LARGEST)
    tensors, facts = storage.unpacked(data, path)
    settings, counters = facts.get("settings") or {}, facts.get("counters") or {}
    return {
        "file": str(path),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "game": facts.get("game_text") or facts.get("game"),
        "model": facts.get("game"),
        "rules_version": facts.get("game_version"),
        "player": facts.get("player"),
        "method": facts.get("method"),
        "preset": facts.get("preset"),
        "seed": facts.get("seed"),
        "games": counters.get("games"),
        "encoding": settings.get("encoding"),
        "encoding_version": facts.get("encoding_version", 1),
        "numbers": sum(tensor.size for tensor in tensors.values()),
        "tensors": {name: [str(tensors[name].dtype), list(tensors[name].shape)] for name in sorted(tensors)},
    }


# --- fetching --------------------------------------------------------------------------------------------------------


def fetch(source: str, name: str | None = None, sha256: str | None = None, place: Path | None = None) -> Path:
    """Bring a model from a file or an address, http or https, to the shelf, or to another folder; return its file. It is kept only if it is a
    model of ludus, whole, with the digest that was given, and not too large. No model is ever replaced by another one.
    """
    stated = sha256.lower() if sha256 is not None else None
    if stated is not None and not _SHA256.fullmatch(stated):
        raise LudusError(f"--sha256 {brief(sha256)}: give the 64 hexadecimal digits that `sha256sum` prints")
    target = (place or folder()) / f"{_name_for(source, name)}{END}"
    data = _download(source) if _is_address(source) else read_regular(source, LARGEST)
    digest = hashlib.sha256(data).hexdigest()
    if stated is not None and digest != stated:
        raise LudusError(f"{brief(source, 250)} is not the file that was meant: its SHA-256 is {digest}")
    _, facts = storage.unpacked(data, brief(source, 250))
    if facts.get("kind") != "model" or not isinstance(facts.get("player"), str):
        raise LudusError(f"{brief(source, 250)} is not a model of a player: fetch the model.safetensors of a run")
    if target.exists():
        if read_regular(target, storage.LARGEST) == data:
            return target
        raise LudusError(f"there is another model {target}: --name gives this one another name")
    write_atomically(target, data)
    return target


def _is_address(source: str) -> bool:
    scheme, colon, _ = source.partition("://")
    if not colon:
        return False
    if scheme.lower() not in ("http", "https"):
        raise LudusError(f"can't fetch by {brief(scheme)}: give an address that begins with https://, or a file")
    return True


def _name_for(source: str, name: str | None) -> str:
    """What the model is to be called: as told, as its file, or as the folder of its run."""
    try:
        last = Path(unquote(urlsplit(source).path) if "://" in source else source)
    except ValueError as error:
        raise LudusError(f"can't fetch {brief(source, 250)}: {error}") from None
    found = name or (
        last.parent.name if last.name == f"model{END}" and last.parent.name else last.name.removesuffix(END)
    )
    if not _NAME.fullmatch(found):
        raise LudusError(
            f"a model can't be called {brief(repr(found))}: give --name, of letters, digits, dots, hyphens and underscores"
        )
    if found in shipped():
        raise LudusError(f"a model called {found} comes with ludus: --name gives this one another name")
    return found


def _download(address: str) -> bytes:
    shown = brief(address, 250)
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            data: bytes = answer.read(LARGEST + 1)
            missing = answer.length
    except urllib.error.HTTPError as error:
        raise LudusError(f"can't fetch {shown}: the server answers {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise LudusError(f"can't fetch {shown}: {brief(reason)}") from None
    if len(data) > LARGEST:
        raise LudusError(f"{shown} is too large: a model may hold at most {LARGEST / MEGABYTE:,.6g} MB")
    if missing:
        raise LudusError(f"can't fetch {shown}: the server stopped {missing:,} bytes before the end")
    return data
