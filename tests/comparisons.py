"""Made-up comparisons: what a bench could have found, without its trainings.

`made` draws trainings around strengths that a test knows, from 0 (a random player) to 1 (the best one).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludus.comparing.results import Cell, Comparison, Demands, Entered, Game, Meeting, Point, Scale
from ludus.comparing.suite import parse_suite

LOW, HIGH = 0.2, 0.9  # what a random player and the best one win


@dataclass(frozen=True)
class Sheet:
    """A game that is played only on paper."""

    name: str
    seats: int = 2
    opponents: tuple[str, ...] = ("random",)
    chance: float = 0.0
    branching: float = 5.0
    length: float = 20.0
    joint: float = 0.0


SEVEN = (
    Sheet("tictactoe", opponents=("random", "perfect"), branching=4.5, length=8),
    Sheet("nim", branching=3, length=6),
    Sheet("connectfour", opponents=("random", "mcts(simulations=50)"), branching=6.5, length=30),
    Sheet("backgammon", chance=0.5, branching=17, length=55),
    Sheet("ludo(seats=4)", seats=4, opponents=("random", "heuristic"), chance=0.5, branching=2, length=200),
    Sheet("rock_paper_scissors", branching=3, length=1, joint=1.0),
    Sheet("eightpuzzle", seats=1, opponents=(), branching=2.7, length=31),
)
THREE = (*SEVEN[:2], SEVEN[4])


@dataclass(frozen=True)
class World:
    """How trainings come out. Strengths are true ones at the end of training; `speed` is the share of the budget after which half is learned."""

    strengths: Mapping[str, float]
    games: Sequence[Sheet] = THREE
    seeds: int = 10
    rounds: int = 20
    spread: float = 0.05  # among trainings
    speed: Mapping[str, float] = field(default_factory=dict)
    positions: Mapping[str, int] = field(default_factory=dict)  # judged in a game learned from
    circle: tuple[str, ...] = ()  # methods of whom each beats the next
    broken: Mapping[tuple[str, str], str] = field(default_factory=dict)  # game, method → what goes wrong
    skipped: Mapping[tuple[str, str], str] = field(default_factory=dict)  # game, method → why it can't learn it
    meet: bool = True


def made(world: World, seed: int = 1, folder: Path = Path("bench")) -> Comparison:
    """A comparison as this world has it."""
    rng = np.random.default_rng(seed)
    parts = [
        f'[[games]]\ngame = "{sheet.name}"\nopponents = {list(sheet.opponents)}\nbest = "perfect"\n'.replace("'", '"')
        for sheet in world.games
    ]
    suite = parse_suite('title = "Made up"\nbudget = {games = 3200}\n' + "".join(parts), "made", "made")
    games = tuple(
        Game(
            suite.task(sheet.name),
            {name: Scale(LOW, HIGH, True, 0) for name in (sheet.opponents or ("",))},
            Demands(sheet.seats, sheet.chance, sheet.branching, sheet.length, sheet.joint),
            ("random against itself won 0.501 [0.48, 0.52] of 2,000 games", "two trainings with one seed were equal"),
        )
        for sheet in world.games
    )
    cells = {
        (sheet.name, method, number): _cell(world, sheet, method, number, rng)
        for sheet in world.games
        for method in world.strengths
        for number in range(1, world.seeds + 1)
    }
    methods = tuple(Entered(name, f"examples/{name}", {"nim": {"hidden": 10}}, "") for name in world.strengths)
    meetings = tuple(_meetings(world, cells, rng)) if world.meet else ()
    return Comparison(folder, suite, _plan(world), games, methods, cells, meetings)


def _plan(world: World) -> dict[str, Any]:
    return {
        "command": f"ludus compare {' '.join(world.strengths)} --suite made --seeds {world.seeds} --seed 1",
        "seed": 1,
        "seeds": world.seeds,
        "versions": {"ludus": "0.1.0", "python": "3.11.2"},
        "machine": {"processor": "made up", "cores": 2},
        "hashes": {"suite": "0123456789abcdef"},
    }


def _cell(world: World, sheet: Sheet, method: str, number: int, rng: np.random.Generator) -> Cell:
    if why := world.skipped.get((sheet.name, method)):
        return Cell(sheet.name, method, number, skipped=why)
    end = world.strengths[method] + rng.normal(0, world.spread)
    half = world.speed.get(method, 0.1)
    points = []
    for step in range(6):
        share = 2.0 ** (step - 5)
        level = LOW + (HIGH - LOW) * end * (share / (share + half)) * (1 + half)
        shape = (world.rounds * (5 if step == 5 else 1), sheet.seats)
        scores = {
            name: rng.binomial(1, np.clip(level, 0, 1), shape).astype(float) for name in (sheet.opponents or ("",))
        }
        learned = round(3200 * share)
        judged = learned * world.positions.get(method, 40)
        points.append(Point(learned, judged + int(rng.integers(judged // 10)), judged // 2, scores))
    seconds = tuple(point.positions * 1e-5 * rng.uniform(0.9, 1.1) for point in points)
    why = world.broken.get((sheet.name, method), "")
    kept = points[:2] if why else points
    return Cell(sheet.name, method, number, tuple(kept), seconds[: len(kept)], 1.5, "" if why else "games", why)


def _meetings(world: World, cells: Mapping[tuple[str, str, int], Cell], rng: np.random.Generator) -> list[Meeting]:
    found = []
    for sheet, number in itertools.product(world.games, range(1, world.seeds + 1)):
        there = [name for name in world.strengths if cells[sheet.name, name, number].finished]
        if sheet.seats == 2:
            tables = list(itertools.combinations(there, 2))
        elif sheet.seats > 2 and len(there) > 1:
            tables = [tuple(itertools.islice(itertools.cycle(there), sheet.seats))]
        else:
            tables = []
        found += [_meeting(world, sheet, number, table, rng) for table in tables]
    return found


def _meeting(world: World, sheet: Sheet, number: int, table: tuple[str, ...], rng: np.random.Generator) -> Meeting:
    strength = np.array([world.strengths[name] for name in table]) + rng.normal(0, world.spread, len(table))
    if len(table) == 2 and set(table) <= set(world.circle):
        places = [world.circle.index(name) for name in table]
        strength += 0.3 if (places[1] - places[0]) % len(world.circle) == 1 else -0.3, 0.0
    weights = np.exp(3 * strength)
    won = rng.multinomial(sheet.seats, weights / weights.sum(), world.rounds)  # of the games of a round
    return Meeting(sheet.name, number, table, won.astype(float), won / sheet.seats)
