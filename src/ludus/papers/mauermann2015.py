"""Mauermann (2015): a reinforcement learning framework with temporal-difference learning for backgammon.

The report trains one network for 5,000 games, lets it play a random player, and asks that this be repeated and verified
statistically, and that the network meet GNU Backgammon. All three are done here.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from ludus.errors import NotInstalledError
from ludus.lab import Run
from ludus.matches.result import Row as Standing
from ludus.matches.statistics import Z95, mean_and_error, student_reach
from ludus.papers.report import Bench, Report, Row, percent

TITLE = "A Reinforcement Learning Framework utilizing Temporal-Difference Learning for the Game of Backgammon"
CITATION = "Stephan Mauermann, lab report, Technische Universität Berlin, 2015."

# "Results and Discussion": "5.000 games took on average a solid 10 to 12 hours"; "beat the player in about 70% of games".
PAPER_WIN_RATE = 0.70
PAPER_HOURS = (10, 12)
TRAINING_GAMES = 5_000

TRAININGS, QUICK_TRAININGS = 10, 3
MATCH_GAMES = 10_000
PEERS = ("pubeval", "gnubg(plies=0)")
PEERS_PACKAGE = "gnubg-nn"

# What the report leaves open. What came out is said by `findings`, from the run.
NOTES = (
    "The report gives neither the step size nor the initial weights: here α = 0.1 and weights uniform in ±0.1; hidden and "
    "output units have biases.",
    "The report's trace is written with the gradient at the present position; that of the position before, as in "
    "Tesauro's rule which the report quotes first, is used here: with the other the prediction would chase itself.",
    "The reward at the end replaces the next prediction for both outputs: 1 for the winner's, 0 for the loser's.",
    "Points count gammons twice and backgammons three times; the network was trained for wins alone.",
)
QUICK_NOTE = f"Quick form: {QUICK_TRAININGS} trainings instead of {TRAININGS}, and a tenth of the games of every match; the trainings themselves are whole."


def run(bench: Bench) -> Report:
    """Train several networks as the report trained one, and let them play."""
    games, matches = bench.whole(TRAINING_GAMES), bench.games(MATCH_GAMES)
    trainings = [
        bench.train("backgammon", "mauermann2015", bench.seed + i, games)
        for i in range(bench.repeats(TRAININGS, QUICK_TRAININGS))
    ]
    met = [_meet(bench, training, "random", matches) for training in trainings]
    first, one = trainings[0], met[0]
    what, many = f"{games:,} games of self-play, then against random", f"{len(met)} such trainings"
    rates = [row.win_rate for row in met]
    mean, interval = _mean_and_interval(rates)
    # The median of the record's speeds leaves out the first games, which wait for compilation.
    speed = statistics.median(line["games_per_second"] for line in first.metrics() if line["kind"] == "progress")
    hours = games / speed / 3600 if speed else None
    percents, about = "{:.2%}", "about 70%"
    rows = [
        Row(what, "win rate", PAPER_WIN_RATE, one.win_rate, one.win_rate_ci95, matches, percents, about),
        _points(what, one.points_per_game, one.points_se, matches),
        Row(many, "mean win rate", PAPER_WIN_RATE, mean, interval, len(met) * matches, percents, about),
        Row(many, "lowest win rate", None, min(rates), None, matches, percents),
        Row("training time", "hours", sum(PAPER_HOURS) / 2, hours, None, games, "{:.4f}", "10 to 12"),
        *(_against(bench, first, peer, matches) for peer in PEERS),
    ]
    caption = "Learning curve of the first training: games against random during self-play."
    return Report(
        "mauermann2015", TITLE, CITATION, bench.seed, tuple(rows), (*NOTES, *findings(first, rates), *bench.notes(QUICK_NOTE)),
        ((caption, (first.folder / "curve.svg").read_text("utf-8")),), bench.command("mauermann2015"), bench.folder / "report.html",
    )  # fmt: skip


def _mean_and_interval(rates: Sequence[float]) -> tuple[float, tuple[float, float]]:
    mean, error = mean_and_error(rates)
    reach = student_reach(len(rates) - 1) * error
    return mean, (max(mean - reach, 0.0), min(mean + reach, 1.0))


def _points(experiment: str, mean: float, error: float, games: int) -> Row:
    return Row(
        experiment, "points per game", None, mean, (mean - Z95 * error, mean + Z95 * error), games, "{:+.3f}"
    )  # fmt: skip


def _meet(bench: Bench, training: Run, opponent: str, games: int) -> Standing:
    """How the network of a training fares against a player."""
    return bench.arena(
        "backgammon", [training.player(), opponent], games, f"{training.folder.name} against {opponent}"
    ).rows[0]


def _against(bench: Bench, training: Run, peer: str, games: int) -> Row:
    """The first network against an engine of others."""
    try:
        row = _meet(bench, training, peer, games)
    except NotInstalledError:
        return Row(f"against {peer}", "points per game", None, None, missing=f"not installed: {PEERS_PACKAGE}")
    return _points(f"against {peer}", row.points_per_game, row.points_se, games)


def findings(first: Run, rates: Sequence[float]) -> list[str]:
    """What this run says of the report's 70 %."""
    above = sum(rate > PAPER_WIN_RATE for rate in rates)
    _, (low, high) = _mean_and_interval(rates)
    if low > PAPER_WIN_RATE:
        verdict = "lies above it: with our step size the difference is not chance"
    elif high < PAPER_WIN_RATE:
        verdict = "lies below it: with our step size the difference is not chance"
    else:
        verdict = "includes it"
    notes = [
        f"About 70 % is what the report calls preliminary, from one network. Here {above} of {len(rates)} trainings end above it, at "
        f"{percent(*rates)}; the 95 % interval of their mean, {percent(low, high)}, {verdict}."
    ]
    curve = [
        (line["games"], row["win_rate"])
        for line in first.evaluations()
        for row in line["opponents"]
        if row["name"] == "random"
    ]
    for (before, lower), (after, higher) in itertools.pairwise(curve):
        if lower < PAPER_WIN_RATE <= higher:
            notes.append(
                f"The first training's curve passes 70 % between {before:,} and {after:,} games: with a smaller step size, the report's "
                "network may have been stopped there."
            )
            break
    return notes
