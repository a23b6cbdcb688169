"""What a contest came to: one row a player, as data, as JSON and as a table for the terminal."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.matches.statistics import mean_and_error, wilson, win_shares
from ludus.showing import frame, html_table

if TYPE_CHECKING:
    from rich.table import Table


HEADS = ("wins", "win rate", "95 % interval", "points/game", "± s.e.")  # of a table, beside the player


@dataclass(frozen=True)
class Row:
    """How one player fared."""

    name: str
    games: int
    wins: float  # a win that n seats share counts 1/n for each of them; a whole number where the game knows no draws
    win_rate: float  # wins / games
    win_rate_ci95: tuple[float, float]  # Wilson's interval
    points_per_game: float
    points_se: float  # the standard error of the points per game; NaN after a single game
    by_seat: tuple[float, ...]  # the win rate in each seat; NaN where it never sat

    def to_json(self) -> dict[str, Any]:
        """As programs read it."""
        return {
            "name": self.name,
            "games": self.games,
            "wins": int(self.wins) if self.wins == int(self.wins) else self.wins,
            "win_rate": self.win_rate,
            "win_rate_ci95": list(self.win_rate_ci95),
            "points_per_game": self.points_per_game,
            "points_se": None if math.isnan(self.points_se) else self.points_se,
            "by_seat": [None if math.isnan(rate) else rate for rate in self.by_seat],
        }


@dataclass(frozen=True)
class Result:
    """A contest: what was played, and how each player fared."""

    game: str
    games: int
    seed: int
    seconds: float
    rows: tuple[Row, ...]
    # Who won each game, one row a game and one column a player, for those who want more than the rows tell.
    shares: np.ndarray = field(default_factory=lambda: np.empty((0, 0)), repr=False, compare=False)
    opening: int = 0  # random moves at the beginning of each game

    def won(self, player: int, seat: int | None = None) -> np.ndarray:
        """What a player won of each game in turn, 1, 0 or a part of a shared win; in one seat only, if told."""
        if seat is None:
            return self.shares[:, player]
        players = self.shares.shape[1]
        # Player p sits in seat (p - i) mod n in game i.
        return self.shares[(player - seat) % players :: players, player]

    def to_json(self) -> dict[str, Any]:
        """As programs read it."""
        return {
            "game": self.game,
            "games": self.games,
            "seed": self.seed,
            "opening": self.opening,
            "seconds": self.seconds,
            "players": [row.to_json() for row in self.rows],
        }

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame of pandas, or of polars if told, with a line for each player: `result.to_frame("polars")`."""
        return frame([_flat(row) for row in self.rows], kind)

    def _repr_html_(self) -> str:
        shown = [(row.name, *_texts(row)) for row in self.rows]
        return html_table(_title(self), ("player", *HEADS), shown)

    def __getitem__(self, name: str) -> Row:
        """The row of a player: `result["random"].win_rate`."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=100, color_system=None)
        console.print(table(self))
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in lines)


def summarise(scores: np.ndarray, names: Sequence[str], highest: float) -> tuple[Row, ...]:
    """The rows that follow from the scores: one row a game, one column a player."""
    shares = win_shares(scores, highest)
    rows = []
    for column, name in enumerate(distinct(names)):
        games, wins = len(scores), math.fsum(shares[:, column])
        points, error = mean_and_error(scores[:, column])
        # As in `Result.won`.
        sat = [shares[(column - seat) % len(names) :: len(names), column] for seat in range(len(names))]
        by_seat = tuple(float(part.mean()) if len(part) else math.nan for part in sat)
        rows.append(Row(name, games, wins, wins / games, wilson(wins, games), points, error, by_seat))
    return tuple(rows)


def distinct(names: Sequence[str]) -> list[str]:
    """Names that tell players apart who are called the same.

    >>> distinct(["random", "td", "random"])
    ['random', 'td', 'random#2']
    """
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return out


def shortened(names: Sequence[str], most: int = 21) -> list[str]:
    """Names without their middle where they are too long for a table; as they are, if they could not be told apart then.

    >>> shortened(["td:runs/backgammon-best-1(plies=1)", "random"])
    ['td:runs/ba…1(plies=1)', 'random']
    """
    half = (most - 1) // 2
    short = [name if len(name) <= most else f"{name[:half]}…{name[-half:]}" for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def table(result: Result) -> Table:
    """The result as a table for rich's console."""
    from rich import box
    from rich.table import Table

    names = shortened([row.name for row in result.rows])
    whole = [f"{short} is {row.name}" for short, row in zip(names, result.rows, strict=True) if short != row.name]
    out = Table(
        title=_title(result),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    out.caption, out.caption_justify = "\n".join(whole) or None, "left"
    out.add_column("player", style="bold", overflow="fold")
    for heading in HEADS:
        out.add_column(heading, justify="right", no_wrap=True)
    for name, row in zip(names, result.rows, strict=True):
        out.add_row(name, *_texts(row))
    return out


def _title(result: Result) -> str:
    opening = f", {result.opening} random moves first" if result.opening else ""
    return f"{result.game}: {result.games:,} games{opening}, seed {result.seed}, {result.seconds:.1f} s"


def _texts(row: Row) -> tuple[str, ...]:
    """What stands below HEADS."""
    low, high = row.win_rate_ci95
    return (
        f"{row.wins:,.0f}" if row.wins == int(row.wins) else f"{row.wins:,.1f}",
        f"{row.win_rate:.2%}",
        f"{low:.2%} – {high:.2%}",
        f"{row.points_per_game:+.4f}",
        "–" if math.isnan(row.points_se) else f"{row.points_se:.4f}",
    )


def _flat(row: Row) -> dict[str, Any]:
    """A row with one value a column."""
    low, high = row.win_rate_ci95
    seats = {f"win_rate_seat_{seat}": rate for seat, rate in enumerate(row.by_seat)}
    return {
        "player": row.name, "games": row.games, "wins": row.wins, "win_rate": row.win_rate, "win_rate_low": low, "win_rate_high": high,
        "points_per_game": row.points_per_game, "points_se": row.points_se, **seats,
    }  # fmt: skip
