"""Curves, as PNG and SVG, in one style: colours that all can tell apart, and each curve's name and last value at its end.

`learning_curve` draws a run: win rate and points per game against each opponent over the games learned from, each with its
95 % band. `chart` draws any curves, for sweeps and papers. matplotlib is imported only when something is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import LudusError
from ludus.files import write_atomically
from ludus.lab.metrics import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Z95 = 1.96
# Okabe and Ito's colours, which people with any kind of colour vision can tell apart; the yellow is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
INK, GRID = "#333333", "#DDDDDD"


def draw(folder: Path, evaluations: list[Line], title: str, log: bool = False) -> tuple[Path, Path]:
    """Draw the curve of a run into its folder."""
    figure = learning_curve(evaluations, title, log)
    paths = folder / "curve.png", folder / "curve.svg"
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


@dataclass(frozen=True)
class Curve:
    """One line of a panel, with a band where it has one."""

    name: str  # written at its end, with the last value; empty: a line among many that needs no name
    x: Sequence[float]
    y: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] | None = None
    thin: bool = False  # one of many alike, or too dense for markers
    colour: str | None = None  # unless given, the next one
    dash: Any = None  # a style of matplotlib's lines; unless given, solid
    marker: str = "o"


@dataclass(frozen=True)
class Panel:
    """Curves that share an axis."""

    title: str
    curves: Sequence[Curve]
    form: str = "{:.1%}"  # how the last value is written
    marks: Sequence[tuple[float, str]] = ()  # heights to compare with, such as a paper's figure
    axis: Callable[[float], str] | None = None  # how the axis is written; unless given, as per cent
    aside: str = ""  # small print at the right


def chart(title: str, panels: Sequence[Panel], xlabel: str = "games learned from") -> Figure:
    """A figure of panels, one below the other."""
    figure, places = _figure(title, len(panels))
    for axes, panel in zip(places, panels, strict=True):
        if not any(len(curve.x) for curve in panel.curves):
            raise LudusError(f"there is nothing to draw yet in '{panel.title}'")
        draw_panel(axes, panel)
    last = places[-1]
    last.set_xlabel(xlabel, color=INK)
    xs = [x for panel in panels for curve in panel.curves for x in curve.x]
    last.set_xlim(0, 1.02 * max(max(xs), 1))
    last.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure


def svg(figure: Figure) -> str:
    """A figure as the text of an SVG file."""
    return render(figure, "svg").decode()


def canvas(width: float, height: float) -> Figure:
    """An empty figure, so many inches large."""
    import matplotlib

    matplotlib.use("Agg")  # never opens a window
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _figure(title: str, panels: int) -> tuple[Figure, list[Axes]]:
    figure = canvas(8, 3 * panels if panels > 1 else 4)
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, fontweight="bold", color=INK)
    return figure, list(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])


def learning_curve(evaluations: Sequence[Line], title: str, log: bool = False) -> Figure:
    """A figure of two panels. With `log`, equal factors of games are equally far apart."""
    if not evaluations:
        raise LudusError("there is nothing to draw yet: the run has not been evaluated")
    played = evaluations[-1]["opponents"][0]["games"]
    aside = f"{played:,} games an evaluation; bands: 95 % intervals"
    figure, (wins, points) = _figure(title, 2)
    draw_panel(wins, Panel("win rate", _against(evaluations, _win_rate), aside=aside))
    draw_panel(points, Panel("points per game", _against(evaluations, _points), "{:+.2f}", axis=_signed))
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


def _signed(value: float) -> str:
    return f"{value:+.4g}".replace("-", "−") if value else "0"


def _against(evaluations: Sequence[Line], value: Callable[[dict[str, Any]], Value]) -> list[Curve]:
    """A curve for each opponent."""
    names = dict.fromkeys(row["name"] for line in evaluations for row in line["opponents"])
    curves = []
    for name in names:
        rows = [(line["games"], row) for line in evaluations for row in line["opponents"] if row["name"] == name]
        middle, low, high = zip(*(value(row) for _, row in rows), strict=True)
        curves.append(Curve(name, [games for games, _ in rows], middle, (low, high)))
    return curves


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw curves, with their names and last values at their ends."""
    ends = []
    for number, curve in enumerate(panel.curves):
        colour = curve.colour or COLOURS[number % len(COLOURS)]
        # A colour that comes again is dashed.
        style: Any = curve.dash or ("-" if number < len(COLOURS) or curve.colour else "--")
        if curve.band is not None:
            axes.fill_between(curve.x, *curve.band, color=colour, alpha=0.18, linewidth=0)
        if curve.thin:
            faint = 1.0 if curve.name else 0.4
            on_top = 2 + bool(curve.name)
            axes.plot(curve.x, curve.y, linestyle=style, color=colour, linewidth=1.0, alpha=faint, zorder=on_top)
        else:
            axes.plot(
                curve.x,
                curve.y,
                linestyle=style,
                color=colour,
                linewidth=1.8,
                marker=curve.marker,
                markersize=3.5,
                zorder=3,
                clip_on=False,
            )
        if curve.name:
            last = panel.form.format(curve.y[-1]).replace("-", "−")
            ends.append((curve.x[-1], curve.y[-1], f"{curve.name} {last}", colour))
    top = max((height for height, _ in panel.marks), default=0.0)
    for height, text in panel.marks:
        axes.axhline(height, color="#777777", linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        above = height == top  # the words of lower ones hang below their lines, clear of the next line
        axes.annotate(
            text, (0.01, height), (0, 2 if above else -3), xycoords=("axes fraction", "data"), textcoords="offset points",
            fontsize=8, color="#555555", va="bottom" if above else "top",
        )  # fmt: skip
    if panel.marks:  # room for the words above the highest
        low, high = axes.get_ylim()
        axes.set_ylim(low, max(high, top + 0.12 * (high - low)))
    axes.set_title(panel.title, loc="left", fontsize=10, color=INK)
    axes.set_title(panel.aside, loc="right", fontsize=9, color="#777777")
    written = panel.axis or (lambda value: f"{100 * value:.4g}%")
    axes.yaxis.set_major_formatter(lambda value, _: written(value))
    quiet(axes)
    _label_ends(axes, ends)


def quiet(axes: Axes) -> None:
    """Axes without lines that nobody reads."""
    axes.grid(color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(INK)
    axes.tick_params(colors=INK, labelsize=9, length=0)


def _label_ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Write each curve's name and last value beside its end, moving those apart that would overlap."""
    low, high = axes.get_ylim()
    height = (high - low) or 1.0
    ends = sorted(ends, key=lambda end: end[1])
    places = apart([y for _, y, _, _ in ends], 0.075 * height, high)
    for (games, y, text, colour), place in zip(ends, places, strict=True):
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


def apart(heights: Sequence[float], gap: float, top: float) -> list[float]:
    """Where to write words at rising heights, no two closer than a gap: higher than wanted, or lower where they would rise above the top.

    >>> apart([0.0, 0.1, 0.5, 0.95], 0.25, 1.0)
    [0.0, 0.25, 0.5, 0.95]
    >>> apart([0.75, 0.75, 0.75], 0.25, 1.0)
    [0.5, 0.75, 1.0]
    """
    places: list[float] = []
    for wanted in heights:
        places.append(max(wanted, places[-1] + gap) if places else wanted)
    limit = max(top, heights[-1]) if places else top
    for number in reversed(range(len(places))):
        places[number] = min(places[number], limit)
        limit = places[number] - gap
    return places
