"""The drawings of a report. Each method has a colour, a kind of line and a marker of its own, so that they can be told apart without colours too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludus.comparing.judging import Judgement, Rated
from ludus.comparing.judging.figures import Figure as Value
from ludus.comparing.judging.figures import number, plain
from ludus.comparing.judging.speed import AXES, curve
from ludus.comparing.results import Comparison
from ludus.lab.plots import COLOURS, GRID, INK, Curve, Panel, apart, canvas, draw_panel, quiet
from ludus.matches.statistics import mean_and_error, student_reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.2)), (0, (6, 2, 1.2, 2)), (0, (9, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LONGEST = 22  # letters of a name in a drawing
WIDTH = 9.5  # inches
AXIS = {"games": "games learned from", "positions": "positions judged", "seconds": "seconds of processor time"}


class Look(NamedTuple):
    """How a method is drawn and called."""

    name: str
    colour: str
    dash: Any
    marker: str


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """The look of each method. Long names are cut in the middle, and get a number if they are equal then.

    >>> [look.name for look in looks(["a", "very_long_method_name.py:A", "very_long_method_name.py:A"[:-1] + "B"]).values()]
    ['a', 'very_long_…ame.py:A', 'very_long_…ame.py:B']
    """
    found: dict[str, Look] = {}
    for place, method in enumerate(methods):
        name = plain(method)
        if len(name) > LONGEST:
            name = f"{name[:10]}…{name[-8:]}"
        name = name.replace("$", r"\$")  # matplotlib would read what is between two of them as a formula
        if any(name == look.name for look in found.values()):
            name = f"{name} ({place + 1})"
        found[method] = Look(
            name, COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)], MARKERS[place % len(MARKERS)]
        )
    return found


def curves(comparison: Comparison, game: str, look: dict[str, Look]) -> Figure | None:
    """The learning curves of a game over games, positions and seconds; None if nothing was learned."""
    drawn = {
        axis: [found for method in look if (found := _mean_curve(comparison, game, method, axis, look[method]))]
        for axis in AXES
    }
    kept = [axis for axis in AXES if drawn[axis]]
    if not kept:
        return None
    figure = canvas(WIDTH, 2.7 + 0.09 * max(0, len(look) - 5))
    places = figure.subplots(1, len(kept), sharey=True, squeeze=False)[0]
    for place, axis in zip(places, kept, strict=True):
        place.set_xscale("log")
        title = plain(game).replace("$", r"\$") if axis == kept[0] else ""
        draw_panel(
            place,
            Panel(
                title,
                [replace(line, name="") for line in drawn[axis]],
                axis=lambda y: f"{round(y, 6):g}".replace("-", "−"),
            ),
        )
        place.set_xlabel(AXIS[axis], color=INK, fontsize=9)
        place.xaxis.set_major_formatter(lambda x, _: _short(x))
        place.xaxis.set_minor_formatter(lambda x, _: "")
        place.tick_params(which="minor", length=0)
    _names_beside(places[-1], drawn[kept[-1]])  # on all axes they end at the same heights
    return figure


def _names_beside(axes: Axes, lines: Sequence[Curve]) -> None:
    """The curves' names and last values in a column at the right of a panel, as near to their heights as there is room."""
    low, high = axes.get_ylim()
    order = sorted(lines, key=lambda line: line.y[-1])
    places = apart([line.y[-1] for line in order], 0.085 * (high - low), high)
    for line, place in zip(order, places, strict=True):
        axes.plot(
            [1.05],
            [place],
            line.marker,
            color=line.colour,
            markersize=5,
            clip_on=False,
            transform=axes.get_yaxis_transform(),
        )
        text = f"{line.name} {number(line.y[-1])}"
        axes.annotate(
            text, (1.09, place), xycoords=("axes fraction", "data"), color=line.colour, fontsize=9, va="center"
        )
    axes.set_ylim(low, high)


def _mean_curve(comparison: Comparison, game: str, method: str, axis: str, look: Look) -> Curve | None:
    """The mean of a method's trainings at each point, with its 95 % band by Student's distribution."""
    found = [curve(comparison, cell, axis) for cell in comparison.of(game, method)]
    found = [(xs, ys) for xs, ys in found if len(xs)]
    if not found:
        return None
    # Trainings that a budget stopped earlier have fewer points: each point from the beginning, and the end.
    common = range(min(len(xs) for xs, _ in found) - 1)
    points = [([xs[at] for xs, _ in found], [ys[at] for _, ys in found]) for at in (*common, -1)]
    middle = [mean_and_error(ys) for _, ys in points]
    reach = student_reach(len(found) - 1) if len(found) > 1 else 0.0
    low, high = ([mean + side * (error if reach else 0.0) for mean, error in middle] for side in (-reach, reach))
    where = [float(np.exp(np.mean(np.log(xs)))) for xs, _ in points]
    heights = [mean for mean, _ in middle]
    return Curve(look.name, where, heights, (low, high), False, look.colour, look.dash, look.marker)


def _short(x: float) -> str:
    """A number on an axis.

    >>> [_short(x) for x in (0.01, 5.0, 100, 20_000, 3e6)]
    ['0.01', '5', '100', '20k', '3M']
    """
    for size, mark in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:g}{mark}"
    return f"{x:g}"


def profiles(judgement: Judgement, look: dict[str, Look]) -> Figure | None:
    """The performance profiles of ranked methods."""
    ranked = [each for each in judgement.standings if each.profile is not None]
    if not ranked:
        return None
    figure = canvas(WIDTH, 3.6)
    axes = figure.subplots()
    for each in ranked:
        profile, how = each.profile, look[each.method]
        assert profile is not None
        axes.fill_between(profile.thresholds, profile.low, profile.high, color=how.colour, alpha=0.15, linewidth=0)
        axes.plot(
            profile.thresholds, profile.share, linestyle=how.dash, color=how.colour, linewidth=1.8, label=how.name,
            marker=how.marker, markersize=4, markevery=6,
        )  # fmt: skip
    quiet(axes)
    axes.set_xlabel("normalised score τ (0: worst player, 1: best)", color=INK, fontsize=9)
    axes.set_ylabel("share of trainings above τ", color=INK, fontsize=9)
    axes.set_ylim(-0.02, 1.02)
    _legend(axes)
    return figure


def _legend(axes: Axes) -> None:
    axes.legend(
        loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=9, labelcolor=INK, handlelength=3.4
    )


def improvements(judgement: Judgement, look: dict[str, Look]) -> Figure | None:
    """How probable it is that the first method is better than each other one."""
    rows = [(pair.second, pair.improvement) for pair in judgement.pairs if pair.first == judgement.first]
    if not rows:
        return None
    figure = canvas(WIDTH, 0.9 + 0.34 * len(rows))
    axes = figure.subplots()
    _intervals(axes, [(f"{look[judgement.first].name} > {look[name].name}", value, look[name]) for name, value in rows])
    axes.axvline(0.5, color=INK, linewidth=0.9)
    axes.set_xlim(-0.01, 1.01)
    axes.set_xlabel("probability that a training of the first is better", color=INK, fontsize=9)
    return figure


def rated(ratings: Rated, look: dict[str, Look]) -> Figure:
    """Ratings over the suite, the best on top."""
    rows = sorted(zip(ratings.methods, ratings.elo, strict=True), key=lambda row: -row[1].value)
    figure = canvas(WIDTH, 0.9 + 0.34 * len(rows))
    axes = figure.subplots()
    _intervals(axes, [(look[name].name, value, look[name]) for name, value in rows], digits=0)
    axes.set_xlabel("rating in Elo points; the mean of all is 0", color=INK, fontsize=9)
    return figure


def _intervals(axes: Axes, rows: Sequence[tuple[str, Value, Look]], digits: int = 2) -> None:
    """A line for each row: a value and its interval, with the numbers at the right."""
    for place, (_, value, how) in enumerate(rows):
        axes.plot([value.low, value.high], [place, place], color=how.colour, linewidth=2.2, solid_capstyle="butt")
        axes.plot([value.value], [place], how.marker, color=how.colour, markersize=7)
        axes.annotate(
            value.text(digits), (1.01, place), xycoords=("axes fraction", "data"), fontsize=9, color=INK, va="center"
        )
    quiet(axes)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)


def differences(judgement: Judgement, look: dict[str, Look], what: str) -> Figure | None:
    """By how much the first method is ahead in each game of each other one; filled where that is sure."""
    pairs = [pair for pair in judgement.pairs if any(each.what == what for each in pair.differences)]
    if not pairs:
        return None
    games = list(dict.fromkeys(each.game for pair in pairs for each in pair.differences if each.what == what))
    figure = canvas(WIDTH, 1.2 + 0.17 * len(games) * (len(pairs) + 0.8))
    axes = figure.subplots()
    for line, pair in enumerate(pairs):
        how = look[pair.second]
        for each in pair.differences:
            if each.what == what:
                y = games.index(each.game) + (line + 1) / (len(pairs) + 1) - 0.5
                axes.plot([each.difference.low, each.difference.high], [y, y], color=how.colour, linewidth=1.8)
                axes.plot(
                    [each.difference.value], [y], how.marker, color=how.colour, markersize=6,
                    markerfacecolor=how.colour if each.sure else "none", markeredgewidth=1.4,
                )  # fmt: skip
        axes.plot([], [], color=how.colour, marker=how.marker, label=f"than {how.name}")
    quiet(axes)
    axes.grid(visible=False, axis="y")
    for edge in range(1, len(games)):
        axes.axhline(edge - 0.5, color=INK, linewidth=0.3, alpha=0.4)
    axes.axvline(0, color=INK, linewidth=0.9)
    axes.set_yticks(range(len(games)), [plain(game).replace("$", r"\$") for game in games])
    axes.set_ylim(len(games) - 0.5, -0.5)
    axes.set_xlabel(f"{look[judgement.first].name} is ahead by (normalised score)", color=INK, fontsize=9)
    axes.xaxis.set_major_formatter(lambda x, _: f"{round(x, 6):+g}".replace("-", "−") if round(x, 6) else "0")
    _legend(axes)
    return figure


def radar(judgement: Judgement, look: dict[str, Look]) -> Figure | None:
    """How well ranked methods do where much is demanded; None with fewer than three demands, which make no shape."""
    ranked = [each for each in judgement.standings if each.demands]
    names = list(ranked[0].demands or {}) if ranked else []
    if len(names) < 3:
        return None
    figure = canvas(WIDTH, 4.4)
    axes: Any = figure.add_subplot(projection="polar")
    angles = [2 * math.pi * place / len(names) for place in range(len(names))]
    lowest = highest = 0.0
    for each in ranked:
        values = [figure_.value for figure_ in (each.demands or {}).values()]
        lowest, highest = min(lowest, *values), max(highest, *values)
        how = look[each.method]
        axes.plot(
            [*angles, angles[0]], [*values, values[0]], linestyle=how.dash, color=how.colour, linewidth=1.8,
            marker=how.marker, markersize=5, label=how.name,
        )  # fmt: skip
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(lowest, max(1.0, highest))
    axes.set_yticks([0.25, 0.5, 0.75, 1.0])
    axes.set_xticks(angles, names)
    axes.tick_params(colors=INK, labelsize=9)
    axes.tick_params(axis="x", pad=14)
    axes.set_rlabel_position(180 / len(names))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    axes.spines["polar"].set_visible(False)
    axes.grid(color=GRID, linewidth=0.7)
    axes.legend(
        loc="center left", bbox_to_anchor=(1.15, 0.5), frameon=False, fontsize=9, labelcolor=INK, handlelength=3.4
    )
    return figure
