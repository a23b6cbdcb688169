"""Small training runs for tests, and what it means that two of them are the same."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from ludus.lab import Progress, Run
from ludus.nets import storage

# Two runs as small as a run can be and still have checkpoints to fall back to.
TRACES: dict[str, Any] = {
    "preset": "mauermann2015", "games": 400, "hidden": 10, "evaluation_games": 10, "evaluate_every": 150, "checkpoint_every": 60,
}  # fmt: skip
SELFPLAY: dict[str, Any] = {
    "method": "selfplay", "encoding": "raw", "games": 256, "hidden": 8, "batch": 32,
    "rate": 0.01, "final_rate": 0.001, "evaluation_games": 10, "evaluate_every": 100, "checkpoint_every": 64,
}  # fmt: skip


def weights(run: Run) -> dict[str, bytes]:
    """The weights of a run's model, bit for bit."""
    tensors, _ = storage.load(run.model)
    return {name: tensor.tobytes() for name, tensor in tensors.items()}


def timeless(run: Run) -> list[dict[str, Any]]:
    """The record of a run, without what depends on the machine's speed."""
    return [{k: v for k, v in line.items() if k not in ("seconds", "games_per_second")} for line in run.metrics()]


def same(run: Run, undisturbed: Run) -> bool:
    """Whether a run became what an undisturbed one is. Its folder must hold nothing but a run."""
    assert run.finished
    assert {p.name for p in run.folder.iterdir()} == {p.name for p in undisturbed.folder.iterdir()}
    last = f"checkpoints/{undisturbed.config.training.games:09}.safetensors"
    for name in ("model.safetensors", last):  # whole files, as sha256sum would see them
        assert (run.folder / name).read_bytes() == (undisturbed.folder / name).read_bytes(), name
    return timeless(run) == timeless(undisturbed)


class Ear(Progress):
    """Hears warnings, and does something once so many games have been learned from."""

    def __init__(self, at: int = -1, act: Callable[[], None] = lambda: None) -> None:
        self.at, self.act = at, act
        self.warnings: list[str] = []

    def trained(self, games: int, seconds: float) -> None:
        if games == self.at:
            self.act()

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)
