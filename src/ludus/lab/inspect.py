"""Looking into what a run of method 'table' has learned: how much it knows, and what it thinks of the moves in a position."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.lab.run import Run
from ludus.methods.loading import load_learner
from ludus.methods.table import TablePlayer
from ludus.methods.tabular import option_keys
from ludus.nets import storage
from ludus.nets.hashtable import find
from ludus.nets.models import fact

if TYPE_CHECKING:
    from rich.table import Table


class Entry(NamedTuple):
    """A move, and what the table says of it; no value and no visits where it says nothing."""

    move: str
    value: float | None
    visits: int


@dataclass(frozen=True)
class Inspection:
    """What a table knows."""

    folder: str
    game: str
    games: int  # that were played while learning
    entries: int
    visits: int
    position: str
    seat: int
    moves: tuple[Entry, ...]  # best first

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus table --json`."""
        return {
            "folder": self.folder,
            "game": self.game,
            "games": self.games,
            "entries": self.entries,
            "visits": self.visits,
            "position": self.position,
            "seat": self.seat,
            "moves": [entry._asdict() for entry in self.moves],
        }

    def table(self) -> Table:
        """The moves as a table for rich's console."""
        from rich import box
        from rich.table import Table

        title = f"{self.game}: {self.entries:,} entries, {self.visits:,} visits, {self.games:,} games\nseat {self.seat} in {self.position}"
        wide = min(max(map(len, title.splitlines())), 78)  # or the title would be broken to the width of the moves
        out = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, min_width=wide)
        out.add_column("move", style="bold", overflow="fold")
        out.add_column("value", justify="right")
        out.add_column("visits", justify="right")
        for entry in self.moves:
            out.add_row(entry.move, "–" if entry.value is None else f"{entry.value:.4f}", f"{entry.visits:,}")
        return out


def inspect(folder: str | Path, position: str | None = None) -> Inspection:
    """Look into the table of a run, at a position of its game or at the beginning."""
    run = Run.open(folder)
    game = run.game
    learner = load_learner(game, run.model)
    player = learner.player()
    if not isinstance(player, TablePlayer):
        raise LudusError(f"{folder} holds no table of states: its method is '{run.config.method}'")
    table, options = player.table, player.options
    _, facts = storage.load(run.model)
    games = fact(fact(facts, "counters", dict, str(run.model)), "games", int, str(run.model))
    at = game.start() if position is None else game.position(position)
    if at.turn is None:
        raise LudusError(f"nobody is to move in {at.text}: give a position in which one seat decides")
    legal = at.moves()
    keys = np.zeros(len(legal), np.uint64)
    codes = np.array([int(move) for move in legal], np.int64)
    option_keys(game, at.state.copy(), at.turn, options.afterstates, codes, len(codes), np.zeros_like(at.state), keys)
    rows = []
    for move, key in zip(legal, keys, strict=True):
        slot = int(find(table, key))
        known = slot >= 0
        value = options.low + options.span * float(table.values[slot]) if known else None
        rows.append(Entry(move.text, value, int(table.visits[slot]) if known else 0))
    rows.sort(key=lambda row: -1.0 if row.value is None else row.value, reverse=True)
    return Inspection(
        str(folder), run.config.game, games, int(table.used[0]), int(table.visits.sum()), at.text,
        at.turn, tuple(rows),
    )  # fmt: skip
