"""The raw results as CSV, for people who want to count themselves. Numbers read back as they were."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ludus.comparing.results import Cell, Comparison

GAMES = ("game", "method", "seed", "games", "opponent", "round", "seat", "score")
CELLS = ("game", "method", "seed", "games", "positions", "moves", "seconds", "score", "state")
MEETINGS = ("game", "seed", "table", "round", "method", "score", "share")


def games_csv(comparison: Comparison) -> str:
    """games.csv: a row a game that a training was measured by, at each point of its learning curve (`games`: learned from), and at its end against
    other programs.
    """
    return _csv(GAMES, _games(comparison))


def cells_csv(comparison: Comparison) -> str:
    """cells.csv: a row a training and point, with its mean normalised score; a training without points has one row that says its state."""
    return _csv(CELLS, (row for cell in comparison.trainings() for row in _cell(comparison, cell)))


def meetings_csv(comparison: Comparison) -> str:
    """meetings.csv: a row a round and entrant of the methods' games among each other; tables are counted from 1."""
    return _csv(MEETINGS, _meetings(comparison))


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return out.getvalue()


def _games(comparison: Comparison) -> Iterator[Sequence[object]]:
    for cell in comparison.trainings():
        for point in cell.points:
            for opponent, scores in point.scores.items():
                yield from _rounds((cell.game, cell.method, cell.seed, point.games, opponent), scores)
    for each in comparison.foreign:
        learned = comparison.cells[each.game, each.method, each.seed].points[-1].games
        yield from _rounds((each.game, each.method, each.seed, learned, each.peer), each.scores)


def _rounds(about: tuple[object, ...], scores: np.ndarray) -> Iterator[Sequence[object]]:
    for (number, seat), score in np.ndenumerate(scores):
        yield *about, number + 1, seat, float(score)


def _cell(comparison: Comparison, cell: Cell) -> Iterator[Sequence[object]]:
    state = f"skipped: {cell.skipped}" if cell.skipped else f"failed: {cell.failure}" if cell.failure else "finished"
    for place, point in enumerate(cell.points):
        seconds = cell.seconds[place] if place < len(cell.seconds) else ""
        score = float(np.mean(comparison.normalised(cell.game, point)))
        yield cell.game, cell.method, cell.seed, point.games, point.positions, point.moves, seconds, score, state
    if not cell.points:
        yield cell.game, cell.method, cell.seed, "", "", "", "", "", state


def _meetings(comparison: Comparison) -> Iterator[Sequence[object]]:
    for table, meeting in enumerate(comparison.meetings, 1):
        for (number, place), score in np.ndenumerate(meeting.scores):
            share = float(meeting.shares[number, place])
            yield meeting.game, meeting.seed, table, number + 1, meeting.players[place], float(score), share
