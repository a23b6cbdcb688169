"""The folder of a training run, and what can be asked of it: its player, its record, its curves, its checkpoints.

config.toml         what is trained
metrics.jsonl       how it went
checkpoints/        the newest few, each with all that is needed to go on
model.safetensors   the weights alone: what the player `td:FOLDER` loads
curve.png, .svg     the learning curve
.lock               held by the process that trains
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError
from ludus.lab import metrics
from ludus.lab.config import Config
from ludus.lab.metrics import Line
from ludus.nets import storage

if TYPE_CHECKING:  # these import Numba, which reading a record does not need
    from ludus.methods.learner import Learner

KEEP = 3  # checkpoints; older ones go

_CHECKPOINT = re.compile(r"(\d{9,})\.safetensors")
# What `write_atomically` leaves behind when it is killed.
_TEMPORARY = re.compile(r"\.(config\.toml|metrics\.jsonl|model\.safetensors|curve\.(png|svg)|\d{9,}\.safetensors)\.\w+")


class TrainingError(LudusError):
    """A run that had begun could not go on, through no fault of what the user gave."""

    exit_code = 1


RULES = "rules.kif"  # a copy of the rulesheet, so that a run does not depend on a file elsewhere


class Run:
    """A training run on disk."""

    def __init__(self, folder: Path, config: Config) -> None:
        self.folder, self.config = folder, config

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """The run in a folder."""
        folder = Path(folder)
        return cls(folder, Config.read(folder / "config.toml"))

    def __repr__(self) -> str:
        c = self.config
        return f"Run({self.folder}: {c.game}, {c.preset}, seed {c.seed}, {c.settings.games:,} games)"

    # What people ask.

    @property
    def game(self) -> Any:
        """The game that is learned."""
        from ludus.games import game, gdl

        copy = self.folder / RULES
        made = gdl.from_copy(copy, self.config.game) if copy.exists() else game(self.config.game)
        if made.facts.version != self.config.game_version:
            raise LudusError(
                f"{self.folder} was trained with version {self.config.game_version} of the rules of {made.facts.name}; "
                f"this ludus has version {made.facts.version}"
            )
        return made

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end. The model is the last thing that is written, but for the curve."""
        try:
            _, facts = storage.load(self.model)
        except LudusError:
            return False
        return self._differs(facts, "model") is None and facts["counters"]["games"] >= self.config.settings.games

    @property
    def evaluate_every(self) -> int:
        """Games from one evaluation to the next: ten a run, unless the settings say otherwise."""
        return self.config.settings.evaluate_every or -(-self.config.settings.games // 10)

    @property
    def checkpoint_every(self) -> int:
        """Games from one checkpoint to the next: twenty a run, unless the settings say otherwise."""
        return self.config.settings.checkpoint_every or -(-self.config.settings.games // 20)

    @property
    def model(self) -> Path:
        """The file with the weights."""
        return self.folder / "model.safetensors"

    @property
    def player_name(self) -> str:
        """The name of the player that the run has made so far, as commands take it."""
        s = self.config.settings
        names = {"table": "qm" if s.playouts else "q", "q": "q", "qlnn": "qlnn"}
        name = names.get(s.method, "td")
        return f"{name}:{self.folder}"

    def player(self, game: Any = None, **arguments: Any) -> Any:
        """The player that the run has made so far, with arguments such as `plies=1`; for another game of its family if told."""
        from ludus.players.greedy import make_td
        from ludus.players.qlnn import make_qlnn
        from ludus.players.qplayer import make_q, make_qm

        makers: dict[str, Callable[..., Any]] = {"q": make_q, "qm": make_qm, "td": make_td, "qlnn": make_qlnn}
        make = makers[self.player_name.partition(":")[0]]
        return make(game or self.game, str(self.folder), **arguments)

    def metrics(self) -> list[Line]:
        """The record so far: a dictionary a line, of kind "progress" or "evaluation"."""
        return metrics.read(self.folder / "metrics.jsonl")

    def evaluations(self) -> list[Line]:
        """The evaluations so far."""
        return [line for line in self.metrics() if line["kind"] == "evaluation"]

    def plot(self, log: bool = False) -> tuple[Path, Path]:
        """Draw the learning curve into `curve.png` and `curve.svg`."""
        from ludus.lab.plots import draw

        return draw(self, log)

    # Checkpoints.

    def checkpoints(self) -> list[Path]:
        """The checkpoints' files, newest first."""
        found = [p for p in _listing(self.folder / "checkpoints") if _CHECKPOINT.fullmatch(p.name)]
        return sorted(found, key=lambda p: int(p.stem), reverse=True)

    def facts(self, kind: str) -> dict[str, Any]:
        """What every file of weights says about where it comes from."""
        c = self.config
        return {
            "kind": kind,
            "game": self.game.facts.model,
            "game_version": c.game_version,
            "game_text": c.game,
            "preset": c.preset,
            "seed": c.seed,
            "settings": c.settings.to_dict(),
        }

    def save(self, learner: Learner, before: int, seconds: float, with_model: bool = True) -> None:
        """Write a checkpoint, then the model, then let go of old checkpoints. `before`: games before the last unit."""
        state = {"counters": learner.counters, "games_before": before, "seconds": seconds}
        name = f"{learner.games:09}.safetensors"
        storage.save(self.folder / "checkpoints" / name, learner.tensors(), self.facts("checkpoint") | state)
        if with_model:
            storage.save(self.model, learner.model(), self.facts("model") | state)
        for old in self.checkpoints()[KEEP:]:
            with contextlib.suppress(OSError):  # one too many does no harm
                old.unlink()

    def restore(self, learner: Learner, warn: Callable[[str], None]) -> tuple[int, float]:
        """Bring a learner to the newest good checkpoint; return the games before its last unit, and the seconds.

        A checkpoint that can't be used is put aside, with a warning, and the one before it is tried. Without any good
        one the learner stays at its beginning.
        """
        beginning = {name: tensor.copy() for name, tensor in learner.tensors().items()}
        nothing = dict.fromkeys(learner.counters, 0)
        for path in self.checkpoints():
            try:
                tensors, facts = storage.load(path)
                difference = self._differs(facts, "checkpoint")
                if difference is None and facts["counters"]["games"] != int(path.stem):
                    difference = f"it holds {facts['counters']['games']} games"
                if difference is not None:
                    raise LudusError(f"{path} is not a checkpoint of this run: {difference}")
                before, seconds = int(facts["games_before"]), float(facts["seconds"])
                learner.restore(tensors, facts["counters"])
                return before, seconds
            except KeyError as missing:
                self._put_aside(path, f"{path} lacks {missing}", warn)
            except LudusError as error:
                self._put_aside(path, str(error) if str(path) in str(error) else f"{path}: {error}", warn)
        learner.restore(beginning, nothing)  # a checkpoint that did not fit may have left something of it
        warn(f"there is no good checkpoint in {self.folder}: beginning again")
        return 0, 0.0

    def _put_aside(self, path: Path, reason: str, warn: Callable[[str], None]) -> None:
        aside = path.with_name(f"{path.name}.bad")
        warn(f"{reason}; it is now called {aside.name}, and the run goes back to the checkpoint before it")
        try:
            path.replace(aside)
        except OSError as error:
            raise TrainingError(f"can't rename {path}: {error.strerror}") from error

    def _differs(self, facts: dict[str, Any], kind: str) -> str | None:
        """How the facts of a file differ from those of this run's own."""
        for key, ours in self.facts(kind).items():
            theirs = facts.get(key)
            if theirs != ours and key == "settings" and isinstance(theirs, dict):
                key, ours, theirs = next((k, v, theirs.get(k)) for k, v in ours.items() if theirs.get(k) != v)
            if theirs != ours:
                return f"its {key.replace('_', ' ')} is {theirs!r} instead of {ours!r}"
        counters = facts.get("counters")
        if not isinstance(counters, dict) or not isinstance(counters.get("games"), int):
            return "it does not say how many games it has learned from"
        return None

    # Who may write.

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from training in this folder. The system lifts the lock when the process ends, however."""
        path = self.folder / ".lock"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise TrainingError(f"can't write {path}: {error.strerror}") from error
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                who = os.read(handle, 20).decode(errors="replace").strip()
                raise LudusError(f"{self.folder} is being trained by another process, number {who}") from None
            with contextlib.suppress(OSError):  # a full disk; who holds the lock is good to know, no more
                os.ftruncate(handle, 0)
                os.write(handle, f"{os.getpid()}\n".encode())
            yield
        finally:
            os.close(handle)

    def clean(self) -> None:
        """Remove what a killed process left half written. Only for who holds the lock."""
        for folder in (self.folder, self.folder / "checkpoints"):
            for path in _listing(folder):
                if _TEMPORARY.fullmatch(path.name):
                    try:
                        path.unlink(missing_ok=True)
                    except OSError as error:
                        raise TrainingError(f"can't remove {path}: {error.strerror}") from error


def is_free(folder: Path) -> bool:
    """Whether a new run may begin in a folder: there is none, or nothing but what a run leaves that hardly began."""
    try:
        if folder.exists() and not folder.is_dir():
            return False
    except OSError as error:
        raise LudusError(f"can't look into {folder}: {error.strerror}") from error
    return all(p.name == ".lock" or _TEMPORARY.fullmatch(p.name) for p in _listing(folder))


def _listing(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise LudusError(f"can't look into {folder}: {error.strerror}") from error
