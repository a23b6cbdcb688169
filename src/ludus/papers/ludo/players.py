"""The players of Rossen's paper: `rossen` and `peters`, whose tables come with the package, and `semismart`, the opponent that
Peters trained against. They know the rules of ludopy only.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import moves
from ludus.errors import LudusError
from ludus.games.ludo.rules import CLASSIC
from ludus.kernel import implements
from ludus.methods.loading import load_learner
from ludus.methods.q import QPlayer
from ludus.papers.ludo.peters import semi_smart


class SemiSmart(NamedTuple):
    """Gets a piece to the goal if it can, else out of the yard, else moves the one farthest ahead."""


@implements(choose, SemiSmart)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    legal = np.empty(4, np.int64)
    return semi_smart(game, state, seat, legal, moves(game, state, seat, legal))


def make_rossen(game: Any, path: str | None) -> QPlayer:
    """Rossen's Q-table, as it was trained here."""
    return _shipped(game, "rossen")


def make_peters(game: Any, path: str | None) -> QPlayer:
    """Peters's Q-table, as it was trained here."""
    return _shipped(game, "peters")


def make_semismart(game: Any, path: str | None) -> SemiSmart:
    """The opponent that Peters trained against."""
    _only_ludopy(game, "semismart")
    return SemiSmart()


def _shipped(game: Any, name: str) -> QPlayer:
    _only_ludopy(game, name)
    return load_learner(
        game, Path(str(resources.files("ludus") / "models" / f"{name}.safetensors")), player=("q",)
    ).player()


def _only_ludopy(game: Any, name: str) -> None:
    if game.rules == CLASSIC:
        raise LudusError(f"player '{name}' knows the rules of ludopy only, as in ludo(rules=ludopy)")
