"""Mauermann (2015): a reinforcement learning framework with temporal-difference learning for backgammon.

The report trains one network for 5,000 games, lets it play a random player, and asks that this be repeated and verified
statistically, and that the network meet GNU Backgammon. All three are done here.
"""

from __future__ import annotations

import statistics

from ludus.errors import LudusError
from ludus.matches.statistics import mean_and_error
from ludus.papers.report import Bench, Report, Row

TITLE = "A Reinforcement Learning Framework utilizing Temporal-Difference Learning for the Game of Backgammon"
CITATION = "Stephan Mauermann, lab report, Technische Universität Berlin, 2015."

# "Results and Discussion": "5.000 games took on average a solid 10 to 12 hours"; "beat the player in about 70% of games".
PAPER_WIN_RATE = 0.70
PAPER_HOURS = (10, 12)
TRAINING_GAMES = 5_000

TRAININGS = 10
T_95 = 2.262  # Student's t for ten trainings: nine degrees of freedom

NOTES = (
    "The report gives neither the step size nor the initial weights: here α = 0.1 and weights uniform in ±0.1; hidden and "
    "output units have biases.",
    "The report's trace is written with the gradient at the present position; that of the position before, as in "
    "Tesauro's rule which the report quotes first, is used here: with the other the prediction would chase itself.",
    "The reward at the end replaces the next prediction for both outputs: 1 for the winner's, 0 for the loser's.",
    "About 70 % is what the report calls preliminary, from one network; with our step size every one of ten trainings ends far "
    "above it, so the difference is not chance. With seed 1 the curve passes 70 % between 1,500 and 2,000 games: with a smaller step "
    "size, the report's network may have been stopped there.",
    "Points count gammons twice and backgammons three times; the network was trained for wins alone.",
)


def run(bench: Bench) -> Report:
    """Train ten networks as the report trained one, and let them play."""
    games = bench.games(TRAINING_GAMES)
    matches = bench.games(10_000)
    rates: list[float] = []
    rows: list[Row] = []
    what = f"{games:,} games of self-play, then against random"
    for i in range(TRAININGS):
        training = bench.train("backgammon", "mauermann2015", bench.seed + i, games)
        row = bench.arena("backgammon", [training.player(), "random"], matches).rows[0]
        rates.append(row.win_rate)
        if i == 0:
            first = training
            percent = "{:.2%}"
            rows.append(
                Row(what, "win rate", PAPER_WIN_RATE, row.win_rate, row.win_rate_ci95, matches, percent, "about 70%")
            )
            points = (row.points_per_game - 1.96 * row.points_se, row.points_per_game + 1.96 * row.points_se)
            rows.append(Row(what, "points per game", None, row.points_per_game, points, matches, "{:+.3f}"))
    mean, error = mean_and_error(rates)
    spread = T_95 * error
    rows.append(
        Row(
            f"{TRAININGS} such trainings", "mean win rate", PAPER_WIN_RATE, mean, (mean - spread, min(mean + spread, 1.0)),
            TRAININGS * matches, "{:.2%}", "about 70%",
        )
    )  # fmt: skip
    rows.append(Row(f"{TRAININGS} such trainings", "lowest win rate", None, min(rates), None, matches, "{:.2%}"))
    # The median of the record's speeds leaves out the first games, which wait for compilation.
    speed = statistics.median(line["games_per_second"] for line in first.metrics() if line["kind"] == "progress")
    hours = games / speed / 3600
    rows.append(Row("training time", "hours", sum(PAPER_HOURS) / 2, hours, None, games, "{:.4f}", "10 to 12"))
    for opponent in ("pubeval", "gnubg(plies=0)"):
        try:
            row = bench.arena("backgammon", [first.player(), opponent], matches).rows[0]
        except LudusError as missing:
            bench.say(f"left out: {missing}")
            continue
        low, high = (row.points_per_game + side * 1.96 * row.points_se for side in (-1, 1))
        rows.append(
            Row(f"against {opponent}", "points per game", None, row.points_per_game, (low, high), matches, "{:+.3f}")
        )
    return Report(
        "mauermann2015", TITLE, CITATION, bench.seed, tuple(rows), NOTES,
        (("Learning curve of the first training: games against random during self-play.", (first.folder / "curve.svg").read_text()),),
        "ludus reproduce mauermann2015" + (" --quick" if bench.quick else ""),
        bench.folder / "report.html",
    )  # fmt: skip
