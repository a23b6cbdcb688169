"""Trainings that are made now, gone on with, or found finished: the points of a sweep, here or elsewhere, and the trainings of a paper."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.lab.config import Config
from ludus.lab.planning import plan
from ludus.lab.progress import Progress
from ludus.lab.run import Run
from ludus.lab.train import Stopped, train
from ludus.methods import Method
from ludus.methods.settings import to_dict
from ludus.scale.processes import Tell
from ludus.scale.shards import Executor, Shard
from ludus.scale.stamps import files_in


def train_elsewhere(crew: Executor, work: list[tuple[Any, ...]], claim: Path, say: Callable[[str], None]) -> None:
    """Have points trained by others, who must see the same folder."""
    _, game, _, _, method, _ = work[0]
    if not isinstance(method, str | None):
        raise LudusError("give the method by name, as in file.py:Class, if others are to train it")
    shards = [Shard("ludus.lab.points:train_point", each, Path(each[0]).name, crew.patience) for each in work]
    try:
        with closing(crew.map(shards, files=[claim, *files_in([game, method or ""])])) as outcomes:
            for number, outcome in enumerate(outcomes, 1):
                outcome.result()
                say(f"{number} of {len(work)} trained: {shards[outcome.number].title}")
    except KeyboardInterrupt:
        raise Stopped("stopped; the same command goes on from there") from None


def train_point(
    folder: str, game: str, preset: str | None, seed: int, method: str | None, change: dict[str, Any], tell: Tell
) -> None:
    """Train a point, in whatever process this is. `tell` hears of every unit of games."""
    run_in(Path(folder), game, preset, seed, _Telling(tell), method=method, **change)


class _Telling(Progress):
    """Tells how many games a training is on."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def trained(self, games: int, seconds: float) -> None:
        """A unit of games was learned from."""
        self._tell(games)

    def evaluating(self, opponent: str, done: int, total: int) -> None:
        """Games are played to see how good it is."""
        self._tell(done)


def run_in(
    folder: Path, game: str, preset: str | None, seed: int, progress: Progress | None = None, *, method: Any = None, **settings: Any
) -> Run:  # fmt: skip
    """The run in a folder: found finished, gone on with, or begun now. LudusError if another one is there."""
    if not (folder / "config.toml").exists():
        return train(game, preset, folder, seed, method=method, progress=progress, **settings)
    wanted, found = plan(game, preset, method, seed, settings).config, Config.read(folder / "config.toml")
    theirs, ours = (_flat(config) for config in (found, wanted))
    for key, value in ours.items():
        if theirs.get(key) != value:
            raise LudusError(
                f"{folder} holds another run: its {key} is {theirs.get(key)!r} instead of {value!r}; choose another folder"
            )
    # Its settings are the run's own, as was just seen.
    return train(resume=folder, method=type(method) if isinstance(method, Method) else method, progress=progress)


def _flat(config: Config) -> dict[str, Any]:
    """All that makes a run what it is."""
    settings = to_dict(config.make_method().settings)  # complete, also where the file is older than some of them
    top = {"game": config.game, "preset": config.preset, "method": config.method, "seed": config.seed}
    return top | to_dict(config.training) | settings
