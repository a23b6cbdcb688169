"""Games as files to be analysed, and a judge without sense, for the tests of `ludus.analysing`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, OVER, play, random_move, roll, start, turn
from ludus.games.backgammon.mat import Record, record_plays, write_mat
from ludus.kernel import stream
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


def careless_plays(game: Any, seed: int, careless: tuple[float, float]) -> list[int]:
    """A game or a match of an older td, which stays as it is, against itself, in which each seat does anything at all, with checkers and cube, in a share of its decisions."""
    td, rng, whims = ludus.player("td:backgammon-rich", game), stream(seed), np.random.default_rng(seed)
    room, odds = np.zeros(game.facts.max_moves, np.int64), np.zeros(game.facts.max_chances)
    state, plays = np.zeros(game.facts.state_size, np.int64), list[int]()
    start(game, state)
    while (seat := int(turn(game, state))) != OVER:
        if seat == CHANCE:
            move = roll(game, state, rng, room, odds)
        elif whims.random() < careless[seat]:
            move = random_move(game, state, seat, rng, room)
        else:
            move = choose(td, game, state, seat, rng)
        plays.append(int(move))
        play(game, state, move)
    return plays


def careless_match(path: Path, length: int, seed: int, careless: tuple[float, float] = (0.0, 0.1)) -> Path:
    """Such a match as a `.mat` file."""
    game = ludus.game(f"backgammon(match={length})")
    path.write_text(game.write_game(path.name, ("careful", "careless"), careless_plays(game, seed, careless)))
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
