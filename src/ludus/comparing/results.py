"""What came of a comparison, as its folder holds it, and as statistics want it.

comparison.json                 what is compared: see `ludus.comparing.plan`
checks/GAME.json                the self-checks of a game
scales/GAME.json                what the worst and the best player score: 0 and 1
cells/GAME/METHOD/SEED/         a training: result.json, costs.json, and what the lab keeps of it
meetings/GAME/SEED.json         the methods among each other
peers/GAME/PEER/SEED.json       the methods against another program, where it is installed
tuning/METHOD/…                 trials of settings

Everything but costs.json, which has measured times, is the same whenever the same comparison is made again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludus.comparing.suite import Suite, Task
from ludus.errors import LudusError
from ludus.files import MEGABYTE, read_regular
from ludus.matches.statistics import normalised
from ludus.showing import frame

PLAN = "comparison.json"
LARGEST = 200 * MEGABYTE  # a file of results


@dataclass(frozen=True)
class Point:
    """A point of a learning curve."""

    games: int  # learned from so far
    positions: int  # judged so far
    moves: int
    scores: dict[
        str, np.ndarray
    ]  # opponent → round, seat of the learner: its score. In a game for one the opponent is ""


@dataclass(frozen=True)
class Cell:
    """A training of a method in a game with one seed: its learning curve, or why there is none."""

    game: str
    method: str
    seed: int
    points: tuple[Point, ...] = ()
    seconds: tuple[float, ...] = ()  # of processor time so far, at each point; learning only
    played: float = 0.0  # seconds of processor time that measuring took
    stopped_by: str = ""  # the budget that was used up first: games, positions or seconds
    failure: str = ""  # what went wrong
    skipped: str = ""  # why the method can't learn this game at all

    @property
    def finished(self) -> bool:
        """Whether it came to its end."""
        return bool(self.points) and not self.failure


@dataclass(frozen=True)
class Scale:
    """What the worst and the best player score against an opponent, on average: the 0 and 1 of the scale."""

    low: float
    high: float
    exact: bool  # the game is solved, and the numbers are not measured
    rounds: int  # that they were measured by


@dataclass(frozen=True)
class Meeting:
    """Trainings of methods with the same seed among each other. In round r, entrant `players[k]` of a table scored `scores[r, k]` on average over
    the seatings, and won the share `shares[r, k]` of them.
    """

    game: str
    seed: int
    players: tuple[str, ...]
    scores: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True)
class Foreign:
    """A training at its end against another program: `scores[round, seat of the training]`."""

    game: str
    peer: str
    method: str
    seed: int
    scores: np.ndarray


@dataclass(frozen=True)
class Demands:
    """What a game demands, measured with random players: for the radar of the report."""

    seats: int
    chance: float  # bits that dice and the like decide, for each decision
    branching: float  # legal moves in a decision, on average
    length: float  # decisions in a game, on average
    joint: float  # share of the decisions in which all move at once


@dataclass(frozen=True)
class Game:
    """A game of the comparison, with what was found out about it."""

    task: Task
    scales: dict[str, Scale]  # by opponent
    demands: Demands
    checks: tuple[str, ...]  # in words, what was looked at

    @property
    def name(self) -> str:
        """As people type it."""
        return self.task.game


@dataclass(frozen=True)
class Entered:
    """A method that was compared."""

    label: str  # how the report calls it
    given: str  # as it was named
    settings: dict[str, dict[str, Any]]  # by game; what was set and what was not
    code: str  # hash of code that is not part of ludus
    published: bool = False  # its results come from the leaderboard
    tuning: dict[str, Any] = field(default_factory=dict)  # what was tuned, to what, and what that cost


@dataclass(frozen=True)
class Comparison:
    """A comparison that has come to its end, or as far as it is."""

    folder: Path
    suite: Suite
    plan: dict[str, Any]  # comparison.json: command, seed, seeds, versions, machine, hashes
    games: tuple[Game, ...]
    methods: tuple[Entered, ...]
    cells: dict[tuple[str, str, int], Cell]  # by game, method, seed
    meetings: tuple[Meeting, ...]
    foreign: tuple[Foreign, ...] = ()

    @property
    def seeds(self) -> range:
        """The seeds of the trainings."""
        return range(1, self.plan["seeds"] + 1)

    def of(self, game: str, method: str) -> list[Cell]:
        """The trainings of a method in a game that came to their end, by seed."""
        found = (self.cells.get((game, method, seed)) for seed in self.seeds)
        return [cell for cell in found if cell is not None and cell.finished]

    def trainings(self) -> list[Cell]:
        """All trainings, in the order of games, methods and seeds."""
        keys = (
            (game.name, method.label, seed) for game in self.games for method in self.methods for seed in self.seeds
        )
        return [self.cells[key] for key in keys if key in self.cells]

    def to_frame(self, kind: str = "pandas") -> Any:
        """The learning curves as a frame of pandas, or of polars if told: a line for each training and point, with its normalised score."""
        rows = [
            {
                "game": cell.game, "method": cell.method, "seed": cell.seed, "games": point.games, "positions": point.positions,
                "score": float(np.mean(self.normalised(cell.game, point))),
            }
            for cell in self.trainings()
            for point in cell.points
        ]  # fmt: skip
        return frame(rows, kind)

    def unfinished(self) -> list[Cell]:
        """Trainings that went wrong, or could not be."""
        return [cell for cell in self.trainings() if cell.failure or cell.skipped]

    def game(self, name: str) -> Game:
        """A game of the comparison."""
        return next(game for game in self.games if game.name == name)

    def normalised(self, game: str, point: Point) -> np.ndarray:
        """What each round is worth on the scale from the worst (0) to the best player (1), as a mean over opponents and seats."""
        scales = self.game(game).scales
        parts = [
            normalised(scores.mean(axis=1), scales[opponent].low, scales[opponent].high)
            for opponent, scores in point.scores.items()
        ]
        return np.mean(parts, axis=0)

    def final(self, game: str, method: str) -> np.ndarray:
        """The normalised results at the end: an array [seed, round], as `bootstrap_interval` wants it; no rows where none came to its end."""
        rows = [self.normalised(game, cell.points[-1]) for cell in self.of(game, method)]
        return np.stack(rows) if rows else np.zeros((0, 0))

    def shared_games(self, *methods: str) -> list[str]:
        """The games in which two trainings or more of each of these methods came to their end."""
        return [game.name for game in self.games if all(len(self.of(game.name, method)) >= 2 for method in methods)]


def folder_name(text: str) -> str:
    """A name that files may have.

    >>> folder_name("quoridor(size=5,walls=1)")
    'quoridor(size=5,walls=1)'
    >>> folder_name("../sheets/My game.kif")
    '..-sheets-My-game.kif'
    """
    return re.sub(r"[^A-Za-z0-9.,=()+_-]+", "-", text)[:120]


def read_json(path: Path) -> Any:
    """A file of results; LudusError if it is damaged."""
    try:
        return json.loads(read_regular(path, LARGEST))
    except LudusError:
        raise
    except (ValueError, RecursionError) as error:
        raise LudusError(f"{path} is damaged: {error}; delete it, and --resume makes it again") from error
