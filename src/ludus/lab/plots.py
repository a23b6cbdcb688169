"""The learning curve of a run: win rate and points per game against each opponent over the games learned from, each
with its 95 % band, as PNG and SVG. matplotlib is imported only when something is drawn.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError
from ludus.lab.metrics import Line
from ludus.learning.storage import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ludus.lab.run import Run

Z95 = 1.96
# Okabe and Ito's colours, which people with any kind of colour vision can tell apart; the yellow is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
INK, GRID = "#333333", "#DDDDDD"


def draw(run: Run, log: bool = False) -> tuple[Path, Path]:
    """Draw the curve of a run into its folder."""
    c = run.config
    figure = learning_curve(run.evaluations(), f"{c.game}: {c.preset}, seed {c.seed}", log)
    paths = run.folder / "curve.png", run.folder / "curve.svg"
    for path in paths:
        write_atomically(path, render(figure, path.suffix[1:]))
    return paths


def render(figure: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file of kind png or svg; the same figure always gives the same bytes."""
    import matplotlib

    out = io.BytesIO()
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    with matplotlib.rc_context({"svg.hashsalt": "ludus", "svg.fonttype": "none"}):
        figure.savefig(out, format=kind, dpi=150, metadata=metadata)
    return out.getvalue()


def learning_curve(evaluations: Sequence[Line], title: str, log: bool = False) -> Figure:
    """A figure of two panels. With `log`, equal factors of games are equally far apart."""
    if not evaluations:
        raise LudusError("there is nothing to draw yet: the run has not been evaluated")
    import matplotlib

    matplotlib.use("Agg")  # never opens a window
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold", color=INK)
    wins, points = figure.subplots(2, 1, sharex=True)
    played = evaluations[-1]["opponents"][0]["games"]
    _panel(wins, evaluations, "win rate", _win_rate, "{:.1%}")
    _panel(points, evaluations, "points per game", _points, "{:+.2f}")
    wins.set_title(f"{played:,} games an evaluation; bands: 95 % intervals", loc="right", fontsize=9, color="#777777")
    wins.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    points.yaxis.set_major_formatter(lambda value, _: f"{value:+.4g}".replace("-", "−") if value else "0")
    low, high = points.get_ylim()
    if low < 0 < high:
        points.axhline(0, color=INK, linewidth=0.8, zorder=1)
    points.set_xlabel("games learned from", color=INK)
    games = [line["games"] for line in evaluations]
    if log and max(games) > 0:
        # Linear up to the first evaluation, so that the untrained player at 0 games has its place.
        points.set_xscale("symlog", linthresh=min(g for g in games if g > 0))
    points.set_xlim(0, 1.02 * max(max(games), 1))
    points.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure


Value = tuple[float, float, float]  # what was measured, and the ends of its interval


def _win_rate(row: dict[str, Any]) -> Value:
    return row["win_rate"], *row["win_rate_ci95"]


def _points(row: dict[str, Any]) -> Value:
    mean, reach = row["points_per_game"], Z95 * (row["points_se"] or 0.0)
    return mean, mean - reach, mean + reach


def _panel(
    axes: Axes, evaluations: Sequence[Line], label: str, value: Callable[[dict[str, Any]], Value], form: str
) -> None:
    names = list(dict.fromkeys(row["name"] for line in evaluations for row in line["opponents"]))
    ends = []
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        rows = [(line["games"], row) for line in evaluations for row in line["opponents"] if row["name"] == name]
        games = [g for g, _ in rows]
        middle, low, high = zip(*(value(row) for _, row in rows), strict=True)
        axes.fill_between(games, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(games, middle, color=colour, linewidth=1.8, marker="o", markersize=3.5, zorder=3, clip_on=False)
        ends.append((games[-1], middle[-1], f"{name} {form.format(middle[-1]).replace('-', '−')}", colour))
    axes.set_title(label, loc="left", fontsize=10, color=INK)
    axes.grid(color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(INK)
    axes.tick_params(colors=INK, labelsize=9, length=0)
    _label_ends(axes, ends)


def _label_ends(axes: Axes, ends: list[tuple[int, float, str, str]]) -> None:
    """Write each curve's name and last value beside its end, moving those apart that would overlap."""
    low, high = axes.get_ylim()
    height = (high - low) or 1.0
    gap = 0.075 * height
    place = -math.inf
    for games, y, text, colour in sorted(ends, key=lambda end: end[1]):
        place = max(y, place + gap)
        axes.annotate(
            text,
            (games, y),
            (8, (place - y) / height * axes.get_window_extent().height * 72 / axes.figure.dpi),
            textcoords="offset points",
            color=colour,
            fontsize=9,
            va="center",
            annotation_clip=False,
        )
