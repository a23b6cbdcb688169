"""Methods against other people's programs. Not everybody has these, so that they have no part in scores and ranks: what is told are plain points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.comparing.judging.figures import Figure
from ludus.comparing.results import Comparison
from ludus.matches.statistics import bootstrap_interval, mean_score


@dataclass(frozen=True)
class Encounter:
    """What the trainings of a method score against another program, in points of the game."""

    game: str
    peer: str
    method: str
    trainings: int
    points: Figure


def encounters(comparison: Comparison) -> tuple[Encounter, ...]:
    """All methods against all programs that there are."""
    found: dict[tuple[str, str, str], list[np.ndarray]] = {}
    for each in comparison.foreign:
        found.setdefault((each.game, each.peer, each.method), []).append(each.scores.mean(axis=1))
    return tuple(
        Encounter(*key, len(rows), Figure(*map(float, bootstrap_interval(mean_score, [np.stack(rows)]))))
        for key, rows in found.items()
    )
