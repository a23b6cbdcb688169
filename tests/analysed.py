"""Games as files to be analysed, and a judge without sense, for the tests of `ludus.analysing`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ludus
from ludus.games.backgammon.mat import Record, record_plays, write_mat
from ludus.play.saved import save
from ludus.play.table import Table
from test_backgammon_mat import SAMPLE, random_plays


def sample_file(folder: Path) -> Path:
    """A match with the cube, of which one game is given up."""
    path = folder / "sample.mat"
    path.write_text(SAMPLE)
    return path


def match_file(folder: Path, *seeds: int, most: int = 10_000, names: tuple[str, str] = ("Ann", "Bob")) -> Path:
    """Random games as a file."""
    games = tuple(record_plays(random_plays(seed, most)) for seed in seeds)
    path = folder / "match.mat"
    path.write_text(write_mat(Record(names, 0, games)))
    return path


class Last:
    """Likes the last moves best."""

    name = "last"

    def rank(self, position: Any, rng: Any) -> list[tuple[Any, float]]:
        return [(move, 1.0 - at) for at, move in enumerate(reversed(position.moves()))]


def played(folder: Path, name: str, steps: int, ending: str = ".json") -> Path:
    game = ludus.game(name)
    table = Table(game, 1, (), [f"p{seat}" for seat in range(game.facts.seats)])
    for _ in range(steps):
        if table.position.over:
            break
        if table.position.kind == "chance":
            table.roll()
        elif table.position.kind == "joint":
            table.take([int(table.position.moves(seat)[0]) for seat in range(game.facts.seats)])
        else:
            table.take([int(table.position.moves()[0])])
    path = folder / f"game{ending}"
    save(table, path)
    return path
