"""Rossen (2022): a Q-table for Ludo, trained against one or three random players, and beaten by a fellow student's.

Paper and program differ (see `ludus.papers.ludo.tabular`), and so there are two presets: `rossen2022` does what the text says,
`rossen2022-as-run` what the program did. Where the paper leaves something open, its published data decide: files beside the
program hold the results behind most figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.games import game as game_of_name
from ludus.lab import Run
from ludus.lab.plots import COLOURS, Curve, Panel, chart, svg
from ludus.lab.sweep import progress_curve, sweep
from ludus.matches.statistics import TTest, mean_and_error, student_reach, welch, welch_of, wilson
from ludus.methods.presets import preset as preset_of
from ludus.nets import storage
from ludus.papers.ludo import tabular
from ludus.papers.report import Bench, Drawing, Report, Row, figures, percent

TITLE = "Taking the do out of Ludo: Creating an AI using Q-learning to play Ludo"
CITATION = "Jens Møller Rossen, University of Southern Denmark, 2022."

PAIR, FOUR = "ludo(rules=ludopy-1.3.1,seats=2)", "ludo(rules=ludopy-1.3.1)"
TRAINED_ON = {"one": (PAIR, ["self", "random"]), "three": (FOUR, ["self", "random", "random", "random"])}
PRESETS = {"rossen2022": "the text", "rossen2022-as-run": "the program"}

TRAINING_GAMES = 3_000
LONG_GAMES = 8_000  # figure 1
LENGTHS = {"rossen2022": (TRAINING_GAMES,), "rossen2022-as-run": (TRAINING_GAMES, LONG_GAMES)}
TRAININGS, QUICK_TRAININGS = 10, 3
TESTS, TEST_GAMES = 10, 1_000
PETERS_GAMES = 20_000  # of Peters's player alone, and of ours
EVALUATION_GAMES = 100  # what a training says of itself is not used here


class Published(NamedTuple):
    """A win rate of section 3, in per cent: as published, and the deviation of the ten tests by the program's data files."""

    mean: float
    plus_minus: float
    deviation: float

    @property
    def words(self) -> str:
        """As the paper prints it."""
        return f"{self.mean:.2f} ± {self.plus_minus:.2f} %"


# Section 3: (trained on, played against).
WIN_RATES = {
    ("one", "one"): Published(81.43, 1.08, 1.365),
    ("one", "three"): Published(58.15, 0.96, 1.579),
    ("three", "one"): Published(78.28, 1.69, 1.430),
    ("three", "three"): Published(56.15, 1.59, 1.383),
    ("one", "Peters"): Published(13.18, 0.55, 0.854),
}
P_VALUES = {"one": 8.54e-5, "three": 0.01}  # section 4, assigned by the program's script
UNTOUCHED = {"one": 0.3766, "three": 0.3123}  # section 4: Q-values "uninitialized"
PETERS_WINS = 14_352 / 20_000  # against three random players, by his program's data file
CELLS = 762  # section 2.2: the cells of the table that can occur
# Figure 1, by its data file: the mean sum of changes of a game, early and late.
CHANGES = {(0, 1_000): 1.537, (3_000, 8_000): 0.062}
# Figure 2: where the curves end, by their data files.
RATES = {0.1: 0.3740, 0.2: 0.4417, 0.3: 0.4513, 0.4: 0.4320, 0.5: 0.4607}
DISCOUNTS = {0.4: 0.5157, 0.5: 0.4797, 0.6: 0.4713, 0.7: 0.4687, 0.8: 0.4427}

SECTIONS = {
    "Figure 1": "how much the values change",
    "Figure 2": "learning rates and discount factors",
    "Figure 3": "against one random player",
    "Figure 4": "against three random players",
    "Figure 5": "against three of Peters's players",
    "Section 4": "does it matter how many opponents one is trained on?",
    "Cells": "values never touched",
    "Peters": "the fellow student's player",
    "Beyond": "the shipped player against the paper's opponents",
}

# How it is done. What came out is said by `findings`, from the run.
NOTES = (
    "“The text” is preset rossen2022, “the program” rossen2022-as-run. In the program an ε of 1 is compared with whole numbers from 0 "
    "to 99, so that only one action in a hundred is random; best values never count less than 0; and an action is rewarded for the state "
    "at its player's next roll, when the others have moved.",
    f"The paper does not say against whom it tuned. The ends of its curves, {percent(*RATES.values(), *DISCOUNTS.values())}, are too low for games against one player, "
    "so figures 1 and 2 are trained against three here.",
    "The text excepts a learning rate of 0.05 in figure 2, for which there are neither data nor a line in the script; the low curve is that of 0.1.",
    "His player always sits in the first seat. Here seats rotate, and only the games count in which it sat there. Against Peters seats "
    "were drawn in the paper; here all games count, in all seats.",
    "Trainings are done several times, with other seeds; the paper has one of each kind.",
    "The paper's ± is not the deviation of its ten tests: its script takes the deviation of the averaged running win rate along the 1,000 games. "
    f"By the published results the ten tests deviate by {percent(*(p.deviation / 100 for (_, against), p in WIN_RATES.items() if against != 'Peters'))} "
    f"({percent(WIN_RATES['one', 'Peters'].deviation / 100)} against Peters), as 1,000 games must.",
    "Ten tests of two tables tell whether those two tables differ in strength, not whether the ways of training do: for that, trainings have to "
    "be repeated. Both tests are shown.",
    "Peters's player is trained here with his settings, against three of his “semi-smart” opponents.",
)  # fmt: skip
QUICK_NOTE = "Quick form: a tenth of the games of every test, three trainings instead of ten; the trainings themselves are whole."

PERCENT = "{:.2%}"
POINTS = 200  # of a running win rate; drawn after a twentieth of its games, as the first few jump wildly


def run(bench: Bench) -> Report:
    """Tune, train and test as the paper did, and repeat it."""
    rows: list[Row] = []
    drawings: list[Drawing] = []
    for part in (changes, tuning, contests, peters, beyond):
        more, drawn = part(bench)
        rows += more
        drawings += drawn
    return Report(
        "rossen2022", TITLE, CITATION, bench.seed, tuple(rows), (*NOTES, *findings(bench, rows), *bench.notes(QUICK_NOTE)), tuple(drawings),
        bench.command("rossen2022"), bench.folder / "report.html", SECTIONS,
    )  # fmt: skip


def findings(bench: Bench, rows: Sequence[Row]) -> list[str]:
    """What this run says of the length of the trainings, and the published figures of the t-tests."""
    short, long = (f"{bench.whole(games):,} games" for games in (TRAINING_GAMES, LONG_GAMES))
    program = PRESETS["rossen2022-as-run"]

    def cells(length: str) -> str:
        return " and ".join(
            percent(*figures(rows, "Cells", program, f"trained on {on}, {length}")) for on in TRAINED_ON
        )

    def apart(length: str) -> str:
        deviations = [figures(rows, f, program, length, "deviation of the trainings") for f in ("Figure 3", "Figure 4")]
        return percent(*(d for found in deviations for d in found))

    p = {against: _published_test(against).p for against in P_VALUES}
    return [
        "How many games the final tables were trained for the paper does not say. The share of values never touched tells: the paper has "
        f"{percent(UNTOUCHED['one'])} (trained on one) and {percent(UNTOUCHED['three'])} (on three); here the program leaves {cells(short)} after {short}, "
        f"{cells(long)} after {long}, which is what the preset does. Win rates of single trainings deviate by {apart(short)} and {apart(long)}. Both lengths are shown.",
        f"The paper's t-tests “failed to reject” equal means with p = {P_VALUES['three']:g} and {P_VALUES['one']:.3g}. Both p are below the level of 5 %: they "
        "reject it, and the paper's conclusion indeed says that the number of opponents has an effect. Its script compares both trainings in play against one "
        f"({p['one']:.3g} by its ten results) and against three opponents ({p['three']:.2g}, which is its {P_VALUES['three']:g}); the text names trainings instead.",
    ]  # fmt: skip


Part = tuple[list[Row], list[Drawing]]


def _train(bench: Bench, preset: str, on: str, seed: int, games: int, label: str = "", **settings: Any) -> Run:
    game, seating = TRAINED_ON[on]
    name = f"{preset}-{label or f'on-{on}-{games}'}-{seed}"
    return bench.train(
        game, preset, seed, games, name, seating=seating, evaluate_every=games, evaluation_games=bench.whole(EVALUATION_GAMES),
        **settings,
    )  # fmt: skip


# --- figures 1 and 2 -------------------------------------------------------------------------------------------------


def changes(bench: Bench) -> Part:
    """Figure 1: the sum of all changes of values in a game."""
    rows, curves = [], []
    for preset, source in PRESETS.items():
        training = _train(
            bench,
            preset,
            "three",
            bench.seed,
            bench.whole(LONG_GAMES),
            "figure-1",
            rate=0.2,
            final_rate=0.2,
            discount=0.7,
        )
        games, sums = progress_curve(training, "change")
        curves.append(Curve(source, games, sums, thin=True))
        for (first, last), paper in CHANGES.items():
            first, last = bench.whole(first), bench.whole(last)
            inside = [change for when, change in zip(games, sums, strict=True) if first < when <= last]
            rows.append(
                Row(
                    f"{source}, games {first + 1:,} to {last:,}", "mean sum of changes a game", paper, sum(inside) / len(inside),
                    shown="{:+.3f}", section="Figure 1",
                )
            )  # fmt: skip
    figure = chart(
        "Figure 1: sum of ΔQ(s, a) in a game", [Panel("α 0.2, γ 0.7", curves, "{:+.2f}", axis=lambda value: f"{value:g}")]
    )  # fmt: skip
    caption = (
        "How much the values change in a game: each point is the mean of twenty games. The paper draws single games."
    )
    return rows, [Drawing(caption, svg(figure), "Figure 1")]


def tuning(bench: Bench) -> Part:
    """Figure 2: cumulative win rates while learning, over learning rates and discount factors."""
    rows, drawings = [], []
    game, seating = TRAINED_ON["three"]
    length = bench.whole(TRAINING_GAMES)
    grids: tuple[tuple[str, str, dict[float, float], dict[str, Any]], ...]
    grids = (("rate", "α", RATES, {"discount": 0.8}), ("discount", "γ", DISCOUNTS, {"rate": 0.25, "final_rate": 0.25}))
    for preset, source in PRESETS.items():
        panels = []
        for key, sign, values, fixed in grids:
            bench.say(f"sweeping {key} with {preset}")
            done = sweep(
                game, preset, {key: list(values)}, bench.folder / "sweeps" / f"{preset}-{key}", bench.seed, games=length,
                seating=seating, evaluate_every=length, evaluation_games=bench.whole(EVALUATION_GAMES), **fixed,
            )  # fmt: skip
            curves = []
            for point, (value, paper) in zip(done.points, values.items(), strict=True):
                games, won = progress_curve(point.run, "won_so_far")
                curves.append(Curve(f"{sign} {value:g}:", games, won, thin=True))
                rows.append(
                    Row(
                        f"{source}, {sign} = {value:g}", f"games won of {length:,} while learning", paper, won[-1],
                        wilson(won[-1] * length, length), length, PERCENT, section="Figure 2",
                    )
                )  # fmt: skip
            held = ", ".join(f"{name} {fixed[k]:g}" for k, name in (("discount", "γ"), ("rate", "α")) if k in fixed)
            panels.append(Panel(f"cumulative win rate, {held}", curves))
        figure = chart(f"Figure 2: {preset}", panels)
        caption = f"Games won so far while learning against three random players, as {source} has it."
        drawings.append(Drawing(caption, svg(figure), "Figure 2"))
    return rows, drawings


# --- figures 3 to 5, and section 4 -----------------------------------------------------------------------------------


def contests(bench: Bench) -> Part:
    """Train several times on one and on three opponents; let each table play ten tests; compare the two ways."""
    number = bench.repeats(TRAININGS, QUICK_TRAININGS)
    mads = _peters(bench).player()
    rows, drawings = [], []
    cells: list[Row] = []
    # By preset, games, training and opponent: the wins[test, game] of each table.
    tests: dict[tuple[str, int, str, str], list[np.ndarray]] = {}
    for preset, source in PRESETS.items():
        for games in map(bench.whole, LENGTHS[preset]):
            for on in TRAINED_ON:
                tables = [_train(bench, preset, on, bench.seed + i, games) for i in range(number)]
                for trained, against in WIN_RATES:
                    if trained == on:
                        tests[preset, games, on, against] = [measure(bench, table, against, mads) for table in tables]
                share = sum(untouched(table) for table in tables) / number
                what = f"share of {CELLS} cells still 0, mean of {number} trainings"
                label = f"{source}, trained on {on}, {games:,} games"
                cells.append(Row(label, what, UNTOUCHED[on], share, None, games, PERCENT, section="Cells"))
    for figure, against in (("Figure 3", "one"), ("Figure 4", "three"), ("Figure 5", "Peters")):
        for (preset, games, on, other), wins in tests.items():
            if other == against:
                label = f"{PRESETS[preset]}, trained on {on}, {games:,} games"
                rows += win_rates(figure, label, WIN_RATES[on, against], wins)
        for preset in PRESETS:
            keys = {on: (preset, bench.whole(TRAINING_GAMES), on, against) for on in TRAINED_ON}
            shown = {on: tests[key][0] for on, key in keys.items() if key in tests}
            drawings.append(_running(figure, preset, against, shown))
    rows += t_tests(tests, bench.whole(TRAINING_GAMES))
    return rows + cells, drawings


def measure(bench: Bench, table: Run, against: str, mads: Any) -> np.ndarray:
    """Ten tests of 1,000 games, one row each: what the table's player won."""
    game = PAIR if against == "one" else FOUR
    seats = 2 if against == "one" else 4
    others = [mads if against == "Peters" else "random"] * (seats - 1)
    length = bench.games(TEST_GAMES)
    seat = None if against == "Peters" else 0
    games = TESTS * length * (1 if seat is None else seats)
    players = [table.player(game_of_name(game)), *others]
    result = bench.arena(
        game, players, games, f"{table.folder.name} against {against} {'random' if seat == 0 else ''}".rstrip()
    )
    return result.won(0, seat).reshape(TESTS, length)


def win_rates(section: str, experiment: str, paper: Published, tests: Sequence[np.ndarray]) -> list[Row]:
    """The first training as the paper has its only one, and all of them."""
    first = tests[0]
    rates = [float(wins.mean()) for wins in tests]
    mean, error = mean_and_error(rates)
    reach = student_reach(len(rates) - 1) * error if len(rates) > 1 else math.nan
    games = first.size
    ci95 = None if math.isnan(reach) else (max(mean - reach, 0.0), min(mean + reach, 1.0))
    deviation = f"{paper.deviation:.2f} % (printed: {paper.plus_minus:.2f})"
    return [
        Row(
            f"{experiment}: one training", f"mean of {TESTS} tests", paper.mean / 100, rates[0],
            wilson(float(first.sum()), games), games, PERCENT, paper.words, section,
        ),
        Row(
            f"{experiment}: one training", "deviation of the tests", paper.deviation / 100,
            float(first.mean(axis=1).std(ddof=1)), None, games, PERCENT, deviation, section,
        ),
        Row(
            f"{experiment}: {len(rates)} trainings", "mean", paper.mean / 100, mean, ci95, len(rates) * games, PERCENT,
            paper.words, section,
        ),
        Row(
            f"{experiment}: {len(rates)} trainings", "deviation of the trainings", None,
            float(np.std(rates, ddof=1)) if len(rates) > 1 else None, None, len(rates) * games, PERCENT, None, section,
        ),
    ]  # fmt: skip


def _running(section: str, preset: str, against: str, tests: dict[str, np.ndarray]) -> Drawing:
    """Ten running win rates, and their mean."""
    panels = []
    for number, (on, wins) in enumerate(tests.items()):
        played = np.arange(1, wins.shape[1] + 1)
        running = wins.cumsum(axis=1) / played
        shown = np.arange(len(played) // 20, len(played), max(len(played) // POINTS, 1))
        shown[-1] = len(played) - 1
        colour = COLOURS[number]
        x = played[shown].tolist()
        curves = [Curve("", x, row[shown].tolist(), thin=True, colour=colour) for row in running]
        curves.append(Curve("mean", x, running.mean(axis=0)[shown].tolist(), thin=True, colour="#000000"))
        paper = WIN_RATES[on, against]
        aside = f"dashed: the paper, {paper.words}"
        panels.append(Panel(f"trained on {on}", curves, marks=[(paper.mean / 100, "")], aside=aside))
    who = "three of Peters's players" if against == "Peters" else f"{against} random player{'s' * (against == 'three')}"
    figure = chart(f"{section}: {preset} against {who}", panels, "games of a test")
    caption = f"Running win rates of the first training in ten tests, after a twentieth of the games, as {PRESETS[preset]} has it."
    return Drawing(caption, svg(figure), section)


def _published_test(against: str) -> TTest:
    """Welch's t-test by the paper's ten results of each training."""
    a, b = WIN_RATES["one", against], WIN_RATES["three", against]
    return welch_of(a.mean, a.deviation, TESTS, b.mean, b.deviation, TESTS)


def t_tests(tests: dict[tuple[str, int, str, str], list[np.ndarray]], length: int) -> list[Row]:
    """Welch's t-test of the two ways to train, by the published figures and by ours, after so many games."""
    rows = []

    def row(experiment: str, paper: float | None, result: TTest) -> None:
        found, missing = (None, "too few trainings") if math.isnan(result.p) else (result.p, "")
        rows.append(
            Row(experiment, "p of equal means, two-sided", paper, found, shown="{:.2g}", section="Section 4", missing=missing)
        )  # fmt: skip

    for against, p in P_VALUES.items():
        what = f"against {against}"
        a, b = WIN_RATES["one", against], WIN_RATES["three", against]
        row(f"{what}: the paper's ten results", p, _published_test(against))
        row(f"{what}: the paper's means and ±", p, welch_of(a.mean, a.plus_minus, TESTS, b.mean, b.plus_minus, TESTS))
        for preset, source in PRESETS.items():
            one, three = (tests[preset, length, on, against] for on in TRAINED_ON)
            row(
                f"{what}: {source}, {TESTS} tests of one training each",
                None,
                welch(one[0].mean(axis=1), three[0].mean(axis=1)),
            )
            row(
                f"{what}: {source}, {len(one)} trainings each", None,
                welch([w.mean() for w in one], [w.mean() for w in three]),
            )  # fmt: skip
    return rows


@cache
def possible_cells() -> np.ndarray:
    """Which cells of the table can occur: a row allows what any of its four pieces may do."""
    mask = np.zeros(tabular.ROSSEN.shape, np.bool_)
    for states, row in tabular.MULTISETS.items():
        bits = np.bitwise_or.reduce(tabular.POSSIBLE[list(states)])
        mask[row] = bits >> np.arange(mask.shape[1]) & 1
    return mask


def untouched(table: Run) -> float:
    """The share of the possible cells that a training has left at 0."""
    tensors, _ = storage.load(Path(table.model))
    return float((tensors["table"][possible_cells()] == 0).mean())


# --- Peters, and beyond ----------------------------------------------------------------------------------------------


def _peters(bench: Bench) -> Run:
    games = bench.whole(preset_of("ludo", "peters2022").games)
    return bench.train(
        FOUR, "peters2022", bench.seed, games, evaluate_every=games, evaluation_games=bench.whole(EVALUATION_GAMES)
    )  # fmt: skip


def peters(bench: Bench) -> Part:
    """Peters's player alone against three random and three semi-smart players."""
    player = _peters(bench).player()
    rows = []
    for opponent, paper in (("random", PETERS_WINS), ("semismart", None)):
        games = bench.games(PETERS_GAMES)
        row = bench.arena(FOUR, [player] + [opponent] * 3, games, f"Peters's player against three {opponent}").rows[0]
        rows.append(
            Row(f"against three {opponent}", "win rate", paper, row.win_rate, row.win_rate_ci95, games, PERCENT, None, "Peters")
        )  # fmt: skip
    return rows, []


def beyond(bench: Bench) -> Part:
    """The shipped player where the paper's player sat."""
    rows = []
    games = bench.games(PETERS_GAMES)
    for game, opponent, against in ((PAIR, "random", "one"), (FOUR, "random", "three"), (FOUR, "Peters", "Peters")):
        others = [_peters(bench).player() if opponent == "Peters" else opponent] * (1 if game == PAIR else 3)
        what = f"td against {'three of Peters' if opponent == 'Peters' else f'{against} random'}"
        row = bench.arena(game, ["td", *others], games, what).rows[0]
        paper = WIN_RATES["one", against]
        rows.append(
            Row(what, "win rate, in all seats", paper.mean / 100, row.win_rate, row.win_rate_ci95, games, PERCENT, paper.words, "Beyond")
        )  # fmt: skip
    return rows, []
