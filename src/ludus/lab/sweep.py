"""A sweep: a training for every point of a grid over settings, each a run in a folder of its own.

So a sweep needs no way of resuming: runs that are finished are found, one that was interrupted is gone on with. It is a plain
grid because people read it as a table and compare it line by line with a paper's; a search that chooses its points by what
it saw would do neither, and trainings here are short. All points share one seed, and thereby their luck with the dice.

sweep.json      what is swept
NAME=VALUE,…/   a run a point
results.json    what came of them
curves.png, .svg
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError, unknown
from ludus.files import MEGABYTE, check_name, read_regular, write_atomically
from ludus.lab.metrics import Line
from ludus.lab.planning import plan
from ludus.lab.plots import Curve, Panel, chart, render
from ludus.lab.points import run_in, train_elsewhere
from ludus.lab.run import Run, TrainingError
from ludus.lab.train import Stopped
from ludus.methods.settings import like, to_dict
from ludus.scale.shards import Executor

if TYPE_CHECKING:
    from rich.table import Table

MOST_POINTS = 1_000  # more are a slip of the keyboard


@dataclass(frozen=True)
class Point:
    """A point of the grid: what was set, and the run that came of it."""

    values: dict[str, Any]
    run: Run

    @property
    def name(self) -> str:
        """What was set, in short."""
        return _name(self.values)

    def last(self, kind: str) -> Line:
        """The last line of a kind in the run's record."""
        return next((line for line in reversed(self.run.metrics()) if line["kind"] == kind), {})

    def to_json(self) -> dict[str, Any]:
        """The point as programs read it."""
        opponents = self.last("evaluation").get("opponents", [])
        return {
            "settings": self.values,
            "folder": str(self.run.folder),
            "games": self.run.config.training.games,
            "won": self.last("progress").get(
                "won_so_far"
            ),  # while learning, exploration included; None where nobody counts
            "opponents": [{k: row[k] for k in ("name", "games", "win_rate", "win_rate_ci95")} for row in opponents],
        }


@dataclass(frozen=True)
class Sweep:
    """A sweep that has come to its end."""

    folder: Path
    game: str
    preset: str
    seed: int
    points: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus sweep --json`, and of `results.json`."""
        return {
            "game": self.game,
            "preset": self.preset,
            "seed": self.seed,
            "folder": str(self.folder),
            "points": [point.to_json() for point in self.points],
        }

    def table(self) -> Table:
        """The results as a table for rich's console."""
        from rich import box
        from rich.table import Table

        title = f"{self.game}: {self.preset}, seed {self.seed}"
        out = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
        rows = [point.to_json() for point in self.points]
        for key in self.points[0].values:
            out.add_column(key, style="bold", justify="right")
        learning = any(row["won"] is not None for row in rows)
        if learning:
            out.add_column("won while learning", justify="right")
        for opponent in rows[0]["opponents"]:
            out.add_column(f"win rate against {opponent['name']}", justify="right")
            out.add_column("95 % interval", justify="right")
        for row in rows:
            cells = [_text(value) for value in row["settings"].values()]
            if learning:
                cells.append("–" if row["won"] is None else f"{row['won']:.2%}")
            for opponent in row["opponents"]:
                low, high = opponent["win_rate_ci95"]
                cells += [f"{opponent['win_rate']:.2%}", f"{low:.2%} – {high:.2%}"]
            out.add_row(*cells)
        return out

    def plot(self) -> tuple[Path, Path]:
        """Draw the curves of all points into `curves.png` and `curves.svg`."""
        opponents = list(dict.fromkeys(row["name"] for p in self.points for row in p.to_json()["opponents"]))
        panels = [
            Panel(f"win rate against {name}", [Curve(p.name, *_evaluated(p.run, name)) for p in self.points])
            for name in opponents
        ]
        won = [Curve(p.name, *progress_curve(p.run, "won_so_far"), thin=True) for p in self.points]
        if all(len(curve.x) for curve in won):
            panels.insert(0, Panel("games won so far, while learning", won))
        figure = chart(f"{self.game}: {self.preset}, seed {self.seed}", panels)
        paths = self.folder / "curves.png", self.folder / "curves.svg"
        for path in paths:
            write_atomically(path, render(figure, path.suffix[1:]))
        return paths


def sweep(
    game: str,
    preset: str | None,
    over: Mapping[str, Sequence[Any]],
    out: str | Path,
    seed: int = 1,
    say: Callable[[str], None] = lambda line: None,
    *,
    method: Any = None,
    jobs: Executor | None = None,
    **settings: Any,
) -> Sweep:
    """Train at every point of the grid `over`, such as `{"rate": [0.1, 0.2], "discount": [0.4, 0.8]}`.

    Where a preset's step size stays the same from beginning to end, it does so at every point, too. Further settings, `games` among
    them, hold for all points. Called again with the same arguments, it goes on where it was.

    Points are trained one after the other; or many at once by `jobs`, such as `ludus.workers("local")`, if the method is given by name.
    """
    base = plan(game, preset, method, seed, settings).config
    usual = base.settings | to_dict(base.training)
    grid = points_of(over, settings, usual)
    changes = [_steady(usual, settings | values) for values in grid]
    for change in changes:  # what can't be trained is said before anything is
        plan(game, preset, method, seed, change)
    folder = check_name(out)
    # With values as the settings have them, however they were given: the same sweep from the command line and from Python.
    axes = {key: list(dict.fromkeys(point[key] for point in grid)) for key in over}
    common = {key: usual[key] for key in settings}
    asked = {"game": game.strip(), "preset": base.label, "seed": seed, "over": axes, "settings": common}
    _claim(folder, json.loads(json.dumps(asked)))
    if jobs is not None:
        work = [
            (str(folder.resolve() / _name(v)), game, preset, seed, method, change)
            for v, change in zip(grid, changes, strict=True)
        ]
        train_elsewhere(jobs, work, folder / "sweep.json", say)
    points = []
    for number, (values, change) in enumerate(zip(grid, changes, strict=True), 1):
        say(f"{number} of {len(grid)}: {_name(values)}")
        try:
            run = run_in(folder / _name(values), game, preset, seed, method=method, **change)
        except Stopped as stopped:
            raise Stopped(f"stopped at point {number} of {len(grid)}; the same command goes on from there") from stopped
        points.append(Point(values, run))
    made = Sweep(folder, game.strip(), base.label, seed, tuple(points))
    write_atomically(folder / "results.json", (json.dumps(made.to_json(), indent=1) + "\n").encode())
    made.plot()
    return made


def progress_curve(run: Run, key: str) -> tuple[list[int], list[float]]:
    """What a run's record says of something, over the games learned from."""
    lines = [line for line in run.metrics() if line["kind"] == "progress" and key in line]
    return [line["games"] for line in lines], [line[key] for line in lines]


def _evaluated(run: Run, opponent: str) -> tuple[list[int], list[float]]:
    rows = [(line["games"], row) for line in run.evaluations() for row in line["opponents"] if row["name"] == opponent]
    return [games for games, _ in rows], [row["win_rate"] for _, row in rows]


# --- the grid --------------------------------------------------------------------------------------------------------


def read_axis(text: str) -> tuple[str, list[str]]:
    """An axis of the grid, as people type it.

    >>> read_axis("rate=0.1,0.2")
    ('rate', ['0.1', '0.2'])
    """
    key, equals, values = text.partition("=")
    parts = [part.strip() for part in values.split(",")]
    if not equals or not key.strip() or not all(parts):
        raise LudusError(f"can't read '{text}'; write NAME=VALUE,VALUE,…, as in rate=0.1,0.2,0.3")
    return key.strip(), parts


def points_of(
    over: Mapping[str, Sequence[Any]], common: Mapping[str, Any], usual: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """All combinations of the values, each as its usual one is written, the last axis running fastest."""
    if not over:
        raise LudusError("say what to sweep over, as in --over rate=0.1,0.2,0.3")
    count = 1
    axes: dict[str, list[Any]] = {}
    for key, values in over.items():
        if key not in usual:
            raise unknown("setting", key, usual)
        if isinstance(usual[key], list):
            raise LudusError(f"a sweep goes over single values; {key} is a list")
        if key in common:
            raise LudusError(f"{key} is swept over, and can't have one value for all points too")
        axes[key] = [like(usual[key], value, f"setting {key}") for value in values]
        if len(set(axes[key])) < len(values):
            raise LudusError(f"the sweep over {key} has a value twice: {', '.join(map(_text, axes[key]))}")
        count *= len(values)
    if not 1 <= count <= MOST_POINTS:
        raise LudusError(f"the grid has {count:,} points; give 1 to {MOST_POINTS:,}")
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _steady(usual: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """A change of the step size changes its end too, where the preset has them equal: else it would drift on the way."""
    if "rate" in change and "final_rate" not in change and usual["rate"] == usual.get("final_rate"):
        return change | {"final_rate": change["rate"]}
    return change


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _name(values: Mapping[str, Any]) -> str:
    # Repr, not the shorter text for people: two values must never share a folder.
    return ",".join(f"{k}={re.sub(r'[^A-Za-z0-9.+-]+', '-', str(v))}" for k, v in values.items())


def _claim(folder: Path, plan: dict[str, Any]) -> None:
    """Make sure that a folder is this sweep's own."""
    path = folder / "sweep.json"
    try:
        if path.exists():
            found = json.loads(read_regular(path, MEGABYTE))
            for key, value in plan.items():
                if not isinstance(found, dict) or found.get(key) != value:
                    was = found.get(key) if isinstance(found, dict) else found
                    raise LudusError(
                        f"{folder} holds another sweep: its {key} is {json.dumps(was)} instead of {json.dumps(value)}; "
                        "choose another folder"
                    )
            return
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise LudusError(f"{folder} is not an empty folder; choose another one for the sweep")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainingError(f"can't use the folder {folder}: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LudusError(f"{path} is damaged: {error}") from error
    write_atomically(path, (json.dumps(plan, indent=1, ensure_ascii=False) + "\n").encode())
