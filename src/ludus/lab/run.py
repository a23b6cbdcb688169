"""The folder of a training run, and what can be asked of it: its player, its record, its curves, its checkpoints.

config.toml         what is trained
metrics.jsonl       how it went
checkpoints/        the newest few, each with all that is needed to go on
model.safetensors   the weights alone: what the player `td:FOLDER` loads
curve.png, .svg     the learning curve
.lock, .owner       held by the process that trains, and its number while it does
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from ludus import games, players
from ludus.errors import LudusError, brief
from ludus.files import HeldError, check_name, held, read_regular, write_atomically
from ludus.games import gdl
from ludus.lab import metrics
from ludus.lab.config import Config, Training
from ludus.lab.metrics import Line
from ludus.lab.plots import draw, learning_curve, render
from ludus.methods import Method
from ludus.methods.loading import load_learner
from ludus.methods.settings import to_dict
from ludus.names import is_code
from ludus.nets import storage
from ludus.nets.models import fact
from ludus.quantities import SO_FAR
from ludus.showing import frame, html_picture

KEEP = 3  # checkpoints; older ones go

_CHECKPOINT = re.compile(r"(\d{9,})\.safetensors")
# What `write_atomically` leaves behind when it is killed.
_TEMPORARY = re.compile(
    r"\.(\.owner|config\.toml|metrics\.jsonl|model\.safetensors|curve\.(png|svg)|\d{9,}\.safetensors)\.\w+"
)


class LockedError(LudusError):
    """Another process trains in the folder."""


class TrainingError(LudusError):
    """A run that had begun could not go on, through no fault of what the user gave."""

    exit_code = 1


RULES = "rules.kif"  # a copy of the rulesheet, so that a run does not depend on a file elsewhere


class Run:
    """A training run on disk."""

    def __init__(
        self, folder: Path, config: Config, game: Any = None, method: type[Method] | None = None, named: bool = False
    ) -> None:
        self.folder, self.config = folder, config
        self._game, self._method = game, method  # where they are known already
        self._named = named  # whether the configuration is what a user has just said, and not what a file says

    @classmethod
    def open(cls, folder: str | Path, game: Any = None, method: type[Method] | None = None) -> Run:
        """The run in a folder. A game or a method that is not part of ludus, nor installed, must be given, or have been named before."""
        folder = Path(folder)
        return cls(folder, Config.read(folder / "config.toml"), game, method)

    def __repr__(self) -> str:
        c = self.config
        return f"Run({self.folder}: {c.game}, {c.label}, seed {c.seed}, {c.training.games:,} games)"

    # What people ask.

    @property
    def game(self) -> Any:
        """The game that is learned."""
        if self._game is None:
            copy = self.folder / RULES
            if copy.exists():
                self._game = gdl.from_copy(copy, self.config.game)
            else:
                self._game = games.game(self.config.game, load=False)
        if self._game.facts.version != self.config.game_version:
            raise LudusError(
                f"{self.folder} was trained with version {self.config.game_version} of the rules of {self._game.facts.name}; "
                f"this ludus has version {self._game.facts.version}"
            )
        return self._game

    def method(self) -> Method:
        """The method with its settings, before it knows the game."""
        return self.config.make_method(self._method)

    def learner(self) -> Any:
        """The method at the beginning of its training."""
        c = self.config
        return self.method().begin(self.game, c.seed, c.training.games, self.other_player)

    def other_player(self, name: str) -> Any:
        """Somebody whom the run names: a partner, a teacher, an opponent. Code is loaded only if a user named it."""
        return players.player(name, self.game, load=self._named)

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end. The model is the last thing that is written, but for the curve."""
        try:
            _, facts = storage.load(self.model)
        except LudusError:
            return False
        return self._differs(facts, "model") is None and facts["counters"]["games"] >= self.config.training.games

    @property
    def evaluate_every(self) -> int:
        """Games from one evaluation to the next: ten a run, unless the settings say otherwise."""
        return self.config.training.evaluate_every or -(-self.config.training.games // 10)

    @property
    def checkpoint_every(self) -> int:
        """Games from one checkpoint to the next: twenty a run, unless the settings say otherwise."""
        return self.config.training.checkpoint_every or -(-self.config.training.games // 20)

    @property
    def model(self) -> Path:
        """The file with the weights."""
        return self.folder / "model.safetensors"

    @property
    def player_name(self) -> str:
        """The name of the player that the run has made so far, as commands take it."""
        method = self.method()
        name = type(method).named(method.settings)
        # Code from outside is run only if it is named.
        code = f"(method={self.config.method})" if name == "run" and is_code(self.config.method) else ""
        return f"{name}:{self.folder}{code}"

    def player(self, game: Any = None, **arguments: Any) -> Any:
        """The player that the run has made so far, with arguments such as `plies=1`; for another game of its family if told."""
        method = self.method()
        name = type(method).named(method.settings)
        if name == "run":
            return load_learner(game or self.game, self.model, type(method)).player()
        return players.make(name, game or self.game, str(self.folder), arguments)

    def metrics(self) -> list[Line]:
        """The record so far: a dictionary a line, of kind "progress" or "evaluation"."""
        return metrics.read(self.folder / "metrics.jsonl", self.config.method)

    def evaluations(self) -> list[Line]:
        """The evaluations so far."""
        return [line for line in self.metrics() if line["kind"] == "evaluation"]

    def plot(self, log: bool = False) -> tuple[Path, Path]:
        """Draw the learning curve into `curve.png` and `curve.svg`."""
        c = self.config
        return draw(self.folder, self.evaluations(), f"{c.game}: {c.label}, seed {c.seed}", log)

    def to_frame(self, kind: str = "pandas") -> Any:
        """The evaluations as a frame of pandas, or of polars if told: a line for each of them and opponent."""
        return frame(metrics.flat(self.evaluations()), kind)

    def _repr_html_(self) -> str:
        found = self.evaluations()
        if not found:
            return f"<div>{escape(repr(self))}: not evaluated yet</div>"
        c = self.config
        curve = render(learning_curve(found, f"{c.game}: {c.label}, seed {c.seed}"), "svg").decode()
        return html_picture(curve, f"{self.folder}, {found[-1]['games']:,} of {c.training.games:,} games", 720)

    # Checkpoints.

    def checkpoints(self) -> list[Path]:
        """The checkpoints' files, newest first."""
        found = [p for p in _listing(self.folder / "checkpoints") if _CHECKPOINT.fullmatch(p.name)]
        return sorted(found, key=lambda p: int(p.stem), reverse=True)

    def facts(self, kind: str, learner: Any = None) -> dict[str, Any]:
        """What every file of weights says about where it comes from."""
        c, method = self.config, self.method()
        return {
            "kind": kind,
            "game": self.game.facts.model,
            "game_version": c.game_version,
            "game_text": c.game,
            "preset": c.preset,
            "seed": c.seed,
            "method": c.method,
            "player": type(method).named(method.settings),
            "settings": to_dict(method.settings),
            "training": to_dict(c.training),
        } | (learner.facts() if learner is not None else {})

    def save(self, learner: Any, before: int, tally: dict[str, float], with_model: bool = True) -> None:
        """Write a checkpoint, then the model, then let go of old checkpoints. `before`: games before the last unit; `tally`: what has been
        reported since the last line of the record.
        """
        learner.check_finite()
        counters, state = learner.counters, learner.state()
        name = f"{learner.games:09}.safetensors"
        more = {"counters": counters, "games_before": before, "tally": tally}
        storage.save(self.folder / "checkpoints" / name, state, self.facts("checkpoint", learner) | more)
        if with_model:
            storage.save(self.model, learner.model(), self.facts("model", learner) | {"counters": counters})
        for old in self.checkpoints()[KEEP:]:
            with contextlib.suppress(OSError):  # one too many does no harm
                old.unlink()

    def restore(self, learner: Any, warn: Callable[[str], None]) -> tuple[int, dict[str, float]]:
        """Bring a learner to the newest good checkpoint; return the games before its last unit, and the tally of reports.

        A checkpoint that can't be used is put aside, with a warning, and the one before it is tried. Without any good
        one the learner stays at its beginning.
        """
        beginning = {name: array.copy() for name, array in learner.state().items()}
        nothing = dict.fromkeys(learner.counters, 0)
        for path in self.checkpoints():
            try:
                tensors, facts = storage.load(path)
                difference = self._differs(facts, "checkpoint", learner)
                if difference is None and facts["counters"]["games"] != int(path.stem):
                    difference = f"it holds {facts['counters']['games']} games"
                if difference is not None:
                    raise LudusError(f"{path} is not a checkpoint of this run: {difference}")
                before, tally = _whole(facts, "games_before", path), _tally(facts, path)
                kept = {"positions": 0} | facts["counters"]  # which older files lack
                counters = {name: _whole(kept, name, path) for name in learner.counters}
                learner.restore(tensors)
                learner.counters.update(counters)
                return before, tally
            except LudusError as error:
                self._put_aside(path, str(error) if str(path) in str(error) else f"{path}: {error}", warn)
        learner.restore(beginning)  # a checkpoint that did not fit may have left something of it
        learner.counters.update(nothing)
        warn(f"there is no good checkpoint in {self.folder}: beginning again")
        return 0, {}

    def _put_aside(self, path: Path, reason: str, warn: Callable[[str], None]) -> None:
        aside = path.with_name(f"{path.name}.bad")
        warn(f"{reason}; it is now called {aside.name}, and the run goes back to the checkpoint before it")
        try:
            path.replace(aside)
        except OSError as error:
            raise TrainingError(f"can't rename {path}: {error.strerror}") from error

    def _differs(self, facts: dict[str, Any], kind: str, learner: Any = None) -> str | None:
        """How the facts of a file differ from those of this run's own."""
        usual = {"settings": to_dict(type(self.method()).Settings()), "training": to_dict(Training())}
        for key, ours in self.facts(kind, learner).items():
            theirs = facts.get(key, 1 if key == "encoding_version" else None)  # which older files lack
            if key in usual and isinstance(theirs, dict):
                theirs = usual[key] | theirs  # settings that are newer than the file
            if theirs != ours and isinstance(ours, dict) and isinstance(theirs, dict):
                key, ours, theirs = next((k, v, theirs.get(k)) for k, v in ours.items() if theirs.get(k) != v)
            if theirs != ours:
                return f"its {key.replace('_', ' ')} is {brief(repr(theirs))} instead of {ours!r}"
        counters = facts.get("counters")
        if not isinstance(counters, dict) or type(counters.get("games")) is not int:
            return "it does not say how many games it has learned from"
        return None

    # Who may write.

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from training in this folder. The system lifts the lock when the process ends, however."""
        path, owner = self.folder / ".lock", self.folder / ".owner"
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(held(path, wait=False))
            except HeldError:
                who = ""
                with contextlib.suppress(LudusError):
                    who = read_regular(owner, 20).decode(errors="replace").strip()
                raise LockedError(
                    f"{self.folder} is being trained by another process{', number ' * bool(who)}{who}"
                ) from None
            except OSError as error:
                raise TrainingError(f"can't write {path}: {error.strerror}") from error
            with contextlib.suppress(LudusError):  # a full disk; who holds the lock is good to know, no more
                write_atomically(owner, f"{os.getpid()}\n".encode())
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    owner.unlink()

    def clean(self) -> None:
        """Remove what a killed process left half written. Only for who holds the lock."""
        for folder in (self.folder, self.folder / "checkpoints"):
            for path in _listing(folder):
                if _TEMPORARY.fullmatch(path.name):
                    try:
                        path.unlink(missing_ok=True)
                    except OSError as error:
                        raise TrainingError(f"can't remove {path}: {error.strerror}") from error


def _whole(facts: dict[str, Any], key: str, path: Path) -> int:
    return SO_FAR.read(fact(facts, key, int, str(path)), f"{path}: {key} = {facts[key]}")


def _tally(facts: dict[str, Any], path: Path) -> dict[str, float]:
    tally = facts.get("tally", {})
    if not isinstance(tally, dict) or not all(type(v) in (int, float) and math.isfinite(v) for v in tally.values()):
        raise LudusError(f"{path} makes no sense: its tally is {brief(repr(tally))}")
    return dict(tally)


def is_free(folder: Path) -> bool:
    """Whether a new run may begin in a folder: there is none, or nothing but what a run leaves that hardly began."""
    check_name(folder)
    try:
        if folder.exists() and not folder.is_dir():
            return False
    except OSError as error:
        raise LudusError(f"can't look into {folder}: {error.strerror}") from error
    return all(p.name in (".lock", ".owner") or _TEMPORARY.fullmatch(p.name) for p in _listing(folder))


def _listing(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise LudusError(f"can't look into {folder}: {error.strerror}") from error
