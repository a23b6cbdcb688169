"""What a run trains: the game, the settings and the seed, as `config.toml` holds them.

The file is written once, when the run begins, and never changed: with it and the package's version, the run can be made
again from nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ludus import __version__
from ludus.errors import LudusError, choice
from ludus.methods.presets import Settings

MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Config:
    """All that a run depends on."""

    game: str  # with its parameters, as people type it
    game_version: int
    preset: str
    seed: int
    settings: Settings
    ludus: str = __version__  # the version that began the run

    def to_toml(self) -> str:
        """The text of `config.toml`."""
        top = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "settings"}
        return (
            "# A training run of ludus. Go on with it: ludus train --resume FOLDER\n"
            f"{_table(top)}\n[settings]\n{_table(self.settings.to_dict())}"
        )

    @classmethod
    def read(cls, path: Path) -> Config:
        """The configuration in a file; LudusError says what is wrong with it."""
        try:
            values = tomllib.loads(path.read_bytes().decode())
        except FileNotFoundError:
            raise LudusError(f"there is no training run in {path.parent}: it has no {path.name}") from None
        except NotADirectoryError:
            raise LudusError(f"{path.parent} is a file, not the folder of a training run") from None
        except OSError as error:
            raise LudusError(f"can't read {path}: {error.strerror}") from error
        except ValueError as error:  # not UTF-8, or not TOML
            raise LudusError(f"{path} is damaged: {error}") from error
        wanted = {"game": str, "game_version": int, "preset": str, "seed": int, "settings": dict, "ludus": str}
        for key, kind in wanted.items():
            if key not in values:
                raise LudusError(f"{path} is damaged: it lacks '{key}'")
            if type(values[key]) is not kind:
                raise LudusError(f"{path}: {key} = {values[key]!r} makes no sense")
        missing = {f.name for f in fields(Settings)} - values["settings"].keys()
        if missing:
            # A default in its place might not be what the run was begun with.
            raise LudusError(f"{path} lacks the setting{'s' * (len(missing) > 1)} {', '.join(sorted(missing))}")
        settings = Settings.from_dict(values["settings"], str(path))
        check_seed(values["seed"])
        return cls(**{key: values[key] for key in wanted} | {"settings": settings})


def check_seed(seed: int) -> None:
    """LudusError for a number that can't seed a random stream."""
    if not 0 <= seed <= MAX_SEED:
        raise LudusError(f"seed={seed}: a seed is a whole number from 0 to 2⁶³ - 1")


def read_change(text: str) -> tuple[str, Any]:
    """A change of one setting, as people type it.

    >>> read_change("rate=0.05"), read_change("opponents=random,td(plies=1,width=4)")
    (('rate', 0.05), ('opponents', ['random', 'td(plies=1,width=4)']))
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    known: dict[str, Any] = Settings().to_dict()
    if not equals or not key:
        raise LudusError(f"can't read the setting '{text}'; write NAME=VALUE, as in rate=0.05")
    usual = choice("setting", key, known)
    if not value and (isinstance(usual, list) or usual == ""):
        return key, type(usual)()
    if not value:
        raise LudusError(f"setting {key}: give a value like {usual!r}, as in {key}={usual}")
    if isinstance(usual, list):
        return key, re.split(r",(?![^(]*\))", value)  # commas in parentheses belong to a name's arguments
    if isinstance(usual, bool):  # bool("false") is true
        if value.lower() not in ("true", "false"):
            raise LudusError(f"setting {key}: '{value}' should be true or false")
        return key, value.lower() == "true"
    try:
        return key, type(usual)(value)
    except ValueError:
        raise LudusError(f"setting {key}: '{value}' should be like {usual!r}") from None


# The standard library reads TOML, but does not write it. A table of numbers, words and lists of words takes these lines,
# which is less than a dependency costs.


def _table(values: dict[str, Any]) -> str:
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in values.items())


def toml_value(value: bool | int | float | str | list[Any]) -> str:
    """A value as TOML writes it.

    >>> print(toml_value(["random", "td(plies=1)"]), toml_value(1e-5), toml_value(True))
    ["random", "td(plies=1)"] 1e-05 true
    """
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str):
        # JSON's escapes are TOML's too; but TOML wants one for DEL, and none for characters beyond ASCII.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)
