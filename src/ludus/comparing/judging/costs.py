"""What trainings cost: games, positions, and seconds of processor time, for learning and for measuring."""

from __future__ import annotations

from dataclasses import dataclass

from ludus.comparing.results import Cell, Comparison


@dataclass(frozen=True)
class Cost:
    """What all trainings of a method in a game cost together, those that failed too."""

    method: str
    game: str
    trainings: int
    games: int  # learned from
    positions: int  # judged
    moves: int
    learning: float  # seconds of processor time
    measured_games: int
    measuring: float  # seconds of processor time
    stopped_by: str  # the budgets that were used up first, with how often


def costs(comparison: Comparison) -> tuple[Cost, ...]:
    """The costs of each method in each game that it was trained in."""
    found = []
    for method in comparison.methods:
        for game in comparison.games:
            cells = [comparison.cells.get((game.name, method.label, seed)) for seed in comparison.seeds]
            begun = [cell for cell in cells if cell is not None and not cell.skipped]
            if begun:
                found.append(_cost(method.label, game.name, begun))
    return tuple(found)


def _cost(method: str, game: str, cells: list[Cell]) -> Cost:
    ends = [cell.points[-1] for cell in cells if cell.points]
    by = [cell.stopped_by for cell in cells if cell.stopped_by]
    return Cost(
        method, game, len(cells),
        sum(end.games for end in ends), sum(end.positions for end in ends), sum(end.moves for end in ends),
        sum(cell.seconds[-1] for cell in cells if cell.seconds),
        sum(scores.size for cell in cells for point in cell.points for scores in point.scores.values()),
        sum(cell.played for cell in cells),
        ", ".join(f"{name} {by.count(name)}×" for name in sorted(set(by))),
    )  # fmt: skip
