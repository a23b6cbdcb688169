"""What a run trains: the game, the method, the settings and the seed, as `config.toml` holds them.

The file is written once, when the run begins, and never changed: with it and the package's version, the run can be made
again from nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus import __version__
from ludus.errors import LudusError, brief, unknown
from ludus.files import MEGABYTE, check_name, read_regular
from ludus.methods import Method, method_class
from ludus.methods.settings import defaults, read, setting, to_dict
from ludus.nets import formats
from ludus.quantities import GAMES, GAMES_OR_NONE, SEED

LARGEST = MEGABYTE  # a file that is read


@dataclass(frozen=True)
class Training:
    """Settings of a training itself, whatever the method."""

    games: int = setting(5_000, "games to learn from", GAMES)
    evaluate_every: int = setting(0, "games from one evaluation to the next; 0: ten times in a run", GAMES_OR_NONE)
    checkpoint_every: int = setting(0, "games from one checkpoint to the next; 0: twenty times in a run", GAMES_OR_NONE)
    opponents: tuple[str, ...] = setting(("random",), "players that it is evaluated against")
    evaluation_games: int = setting(1_000, "games against each of them", GAMES)

    def check(self) -> None:
        """LudusError if there is nobody to measure the learner by."""
        if not self.opponents:
            raise LudusError(
                "setting opponents = [] makes no sense: it should name a player at least, as in opponents=random"
            )


@dataclass(frozen=True)
class Config:
    """All that a run depends on."""

    game: str  # with its parameters, as people type it
    game_version: int
    preset: str  # empty: the method's own settings
    method: str  # a name, or where its code is
    seed: int
    training: Training
    settings: dict[str, Any]  # the method's, complete
    code: dict[str, str] = field(
        default_factory=dict
    )  # hashes of code that is not part of ludus, by "game" or "method"
    ludus: str = __version__  # the version that began the run

    @property
    def label(self) -> str:
        """The preset, or the method where there is none."""
        return self.preset or self.method

    def to_toml(self) -> str:
        """The text of `config.toml`."""
        top = {"format": formats.FORMAT, "game": self.game, "game_version": self.game_version, "preset": self.preset}
        top |= {"method": self.method, "seed": self.seed, "ludus": self.ludus}
        tables = {"training": to_dict(self.training), "settings": self.settings}
        tables |= {"code": self.code} if self.code else {}
        return (
            "# A training run of ludus. Go on with it: ludus train --resume FOLDER\n"
            + _table(top)
            + "".join(f"\n[{name}]\n{_table(values)}" for name, values in tables.items())
        )

    @classmethod
    def read(cls, path: Path) -> Config:
        """The configuration in a file; LudusError says what is wrong with it."""
        folder = check_name(path).parent
        if folder.exists() and not folder.is_dir():
            raise LudusError(f"{folder} is a file, not the folder of a training run")
        if not path.exists():
            raise LudusError(f"there is no training run in {folder}: it has no {path.name}")
        try:
            values = tomllib.loads(read_regular(path, LARGEST).decode())
        except LudusError:
            raise
        except (ValueError, RecursionError) as error:  # not UTF-8, or not TOML
            raise LudusError(f"{path} is damaged: {brief(error)}") from error
        version = values.get("format", 1)
        if type(version) is not int or version not in range(1, formats.FORMAT + 1):
            raise LudusError(f"{path} has format {brief(version)}; this ludus reads formats 1 to {formats.FORMAT}")
        if version == 1:
            try:
                values = formats.upgraded(values)
            except (KeyError, TypeError, AttributeError) as error:
                raise LudusError(f"{path} is damaged: its settings are not those of a training ({error})") from None
        wanted = {
            "game": str, "game_version": int, "preset": str, "method": str, "seed": int, "training": dict, "settings": dict, "ludus": str,
        }  # fmt: skip
        for key, kind in wanted.items():
            if key not in values:
                raise LudusError(f"{path} is damaged: it lacks '{key}'")
            if type(values[key]) is not kind:
                raise LudusError(f"{path}: {key} = {brief(repr(values[key]))} makes no sense")
        SEED.read(values["seed"], f"{path}: seed={values['seed']}")
        code = values.get("code", {})
        if not isinstance(code, dict) or not all(isinstance(digest, str) for digest in code.values()):
            raise LudusError(f"{path}: code = {brief(repr(code))} makes no sense")
        made = {key: values[key] for key in wanted} | {"code": code}
        try:
            return cls(**made | {"training": read(Training, values["training"], "a training")})
        except LudusError as error:
            raise LudusError(f"{path}: {error}") from None

    def make_method(self, cls: type[Method] | None = None) -> Method:
        """The method with its settings. Code from outside must have been named before, or be given."""
        cls = cls or method_class(self.method, load=False)
        method = cls()
        method.settings = read(cls.Settings, self.settings, f"method '{self.method}'", given=())
        return method


def split(values: Mapping[str, Any], method: str, cls: type[Method]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings as people give them, all in one: those of the training, and those of the method. LudusError for any other.

    >>> from ludus.methods import method_class
    >>> split({"games": 100, "hidden": 10}, "traces", method_class("traces"))
    ({'games': 100}, {'hidden': 10})
    """
    own, common = defaults(cls.Settings), defaults(Training)
    if both := own.keys() & common.keys():
        raise TypeError(f"every training has a setting {min(both)}: {cls.__name__} must call its own otherwise")
    for name in values:
        if name not in own and name not in common:
            raise unknown(f"setting of method '{method}'", name, [*own, *common])
    return {k: v for k, v in values.items() if k in common}, {k: v for k, v in values.items() if k not in common}


def read_change(text: str) -> tuple[str, str]:
    """A change of one setting, as people type it. What it may be is the method's business.

    >>> read_change("rate=0.05"), read_change("opponents=random,td(plies=1,width=4)")
    (('rate', '0.05'), ('opponents', 'random,td(plies=1,width=4)'))
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise LudusError(f"can't read the setting '{brief(text)}'; write NAME=VALUE, as in rate=0.05")
    return key, value


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
