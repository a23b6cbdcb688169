"""Wang, Emmerich & Plaat (2018): tables of states for General Game Playing, with Monte Carlo search where they know nothing.

Where the text leaves something open, both readings are shown (see NOTES). All win rates are against a random player, with the roles
switched every match; the exact optimum is beside them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ludus.games import game as game_of_name
from ludus.lab import Run
from ludus.lab.plots import Curve, Panel, chart, svg
from ludus.matches.statistics import mean_and_error, student_reach, wilson
from ludus.methods.presets import preset
from ludus.papers.report import Bench, Drawing, Report, Row, figures, percent
from ludus.search.solve import Solution, solve

TITLE = "Monte Carlo Q-learning for General Game Playing"
CITATION = "Hui Wang, Michael Emmerich, Aske Plaat, Leiden University, 2018."

TRAININGS, QUICK_TRAININGS = 5, 2
EVALUATION_GAMES = 100  # what a training says of itself is not used here
LEARNED_FROM = 2 / 3  # of the matches of a competition: it goes on for half as long as was learned
BEST_GAMES = 100_000

# Section 3: final incremental win rates of QPlayer, by matches learned from; figure 2 goes on to 50,000.
Q_PLAYER = {2_000: 0.697, 5_000: 0.816, 20_000: 0.844, 30_000: 0.885, 50_000: 0.885}
# Section 4: those of QMPlayer; and those at the beginning and at the end of learning, of 50,000 matches.
QM_PLAYER = {5_000: 0.935, 40_000: 0.86, 50_000: 0.91}
ON_THE_WAY = {"QPlayer": (0.506, 0.859), "QMPlayer": (0.659, 0.886)}
TD_BASELINE = 0.755  # section 3.1: where the TD(λ) player stays
LAST_SEARCH = 46_563  # section 4: the match after which QMPlayer of 50,000 matches never searched again
LEARNED = 30_000  # of figures 1 and 3
LONG = 50_000  # of figures 4 to 6
GAMES = {"tic-tac-toe": "tictactoe", "connect four 4×4": "connectfour4x4", "hex 3×3": "hex3"}
BOARDS = {"3×3": "tictactoe", "4×4": "tictactoe4", "5×5": "tictactoe5"}
MCTS = "mcts(simulations=200,lanes=false)"
MCTS_GAMES = 1_000


class Reading(NamedTuple):
    """One way to understand the text: words for people, the preset and what is changed in it."""

    words: str
    preset: str
    changes: dict[str, Any]
    slug: str


Q = Reading("QPlayer", "wang2018-q", {}, "q")
Q_ANY = Reading("QPlayer, follows any value", "wang2018-q", {"complete": False}, "q-any")
Q_OWN = Reading(
    "QPlayer, follows any value, own moves only", "wang2018-q", {"complete": False, "watch": False}, "q-own"
)
QM = Reading("QMPlayer", "wang2018-qm", {}, "qm")
QM_ALL = Reading("QMPlayer, all moves", "wang2018-qm", {"watch": True}, "qm-all")
QM_ANY = Reading("QMPlayer, follows any value", "wang2018-qm", {"complete": False}, "qm-any")
TD = Reading("TD(λ)", "wang2018-td", {}, "td")

SECTIONS = {
    "Figure 1": "fixed and falling ε, and the TD(λ) baseline",
    "Figure 2": "QPlayer, by the number of matches that it learns from",
    "Figure 3": "QPlayer in three games",
    "Figure 4": "QPlayer on larger boards",
    "Figure 5": "beside Monte Carlo tree search",
    "Figure 6": "QPlayer and QMPlayer",
    "Optimum": "what can be reached at all, exactly",
    "Beyond": "the best table",
}

# How it is done. What came out is said by `findings`, from the run.
NOTES = (
    "“Win rate” is read as the share of matches won; a draw is not a win. In General Game Playing a draw is worth 50 of 100 points; the mean of those is "
    "given as “score”.",
    "“Incremental” is read as the share among the matches since the last point of the curve, a hundredth of the competition each, “overall” as that "
    "among all matches so far. “After learning” stands for all matches after the last that was learned from.",
    "A competition is 1.5 times as long as what is learned from (“75000 for whole competition”). Algorithm 4 updates “for each learning match”: after that the table stays "
    "as it is, and ε is 0.",
    "Algorithm 4 goes through all states of a match's record and asks in each of them for the “current role”, whose table it updates. So QPlayer here also "
    "learns, for the role that the random player has, from its moves (setting watch). “Own moves only” is the other reading: it learns half as much from a match.",
    "A role's next state is that of its own next decision. Read otherwise, all roles have a move in every state, most of the time just “noop”, and would learn its value too "
    "(setting noops); that reading is not shown.",
    "Values of 0 are never followed: Algorithm 4 begins with an expected score of 0. Values are goals from 0 to 1 here and from 0 to 100 there, which changes nothing.",
    "30 ms of search are 200 random games a move here: a count gives the same result on every machine.",
    "The paper does not say how many matches were learned from in figure 3, and with how much time MCTS played in figure 5.",
    "Trainings are done several times, with other seeds. Intervals are those of the mean of the trainings.",
)  # fmt: skip
QUICK_NOTE = "Quick form: a tenth of the matches, and two trainings of each kind. The win rates are those of far shorter learning."

PERCENT = "{:.1%}"
Part = tuple[list[Row], list[Drawing]]


def run(bench: Bench) -> Report:
    """Train as the paper did, and solve what can be solved."""
    rows: list[Row] = []
    drawings: list[Drawing] = []
    for part in (figure_1, figure_2, figure_3, figure_4, figure_5, figure_6, optimum, beyond):
        more, drawn = part(bench)
        rows += more
        drawings += drawn
    return Report(
        "wang2018", TITLE, CITATION, bench.seed, tuple(rows), (*NOTES, *findings(bench, rows), *bench.notes(QUICK_NOTE)), tuple(drawings),
        bench.command("wang2018"), bench.folder / "report.html", SECTIONS,
    )  # fmt: skip


def findings(bench: Bench, rows: Sequence[Row]) -> list[str]:
    """What this run says of the readings of the text."""
    few = min(QM_PLAYER)

    def won(reading: Reading, learned: int) -> str:
        words = f"{reading.words}, {matches(bench, learned)}: win rate after learning"
        return percent(*figures(rows, "Figure 6", words))

    return [
        "Both players fall back on chance or search when they “can not find” a value. That may mean that no move has one, or that some move has none yet; "
        "the preset has the second reading (setting complete), “follows any value” is the first. By the first, QMPlayer searches only where it knows nothing at all, by the second "
        f"until “almost all state-action pairs are recorded”. From {matches(bench, few)} it comes to {won(QM_ANY, few)} by the first here and to {won(QM, few)} by the "
        f"second; the paper from {few:,} to {percent(QM_PLAYER[few])}.",
        "QMPlayer learns from its own moves only, in the preset: what the random player tries ends the search in a state early. “All moves” is the "
        f"other reading. From {matches(bench, LONG)} they come to {won(QM, LONG)} and {won(QM_ALL, LONG)}; the paper from {LONG:,} to {percent(QM_PLAYER[LONG])}.",
    ]  # fmt: skip


# --- trainings and what their records say ----------------------------------------------------------------------------


def matches(bench: Bench, learned: int) -> str:
    """From how many matches something is learned here where the paper has so many, in words."""
    return f"{bench.games(learned):,} matches"


def train(
    bench: Bench, game: str, reading: Reading, learned: int, many: int | None = None, label: str = "", **more: Any
) -> list[Run]:
    """Several trainings with so many matches to learn from, and half as many after that."""
    many = many or bench.repeats(TRAININGS, QUICK_TRAININGS)
    games = round(bench.games(learned) / LEARNED_FROM)
    changes = reading.changes | more
    return [
        bench.train(
            game, reading.preset, bench.seed + i, games, f"{game}-{reading.slug}{label}-{learned}-{bench.seed + i}",
            evaluate_every=games, checkpoint_every=games, evaluation_games=bench.whole(EVALUATION_GAMES), **changes,
        )
        for i in range(many)
    ]  # fmt: skip


def lines(training: Run) -> list[dict[str, Any]]:
    """The record of a training, with the matches since the line before as `since`."""
    found = [line for line in training.metrics() if line["kind"] == "progress"]
    before = [0] + [line["games"] for line in found[:-1]]
    return [line | {"since": line["games"] - then} for line, then in zip(found, before, strict=True)]


def rate(training: Run, key: str, first: float, last: float) -> tuple[float, int]:
    """The mean of what the record says of `key` in those of its lines that lie within two shares of the matches; and these matches."""
    total = training.config.training.games
    inside = [
        line
        for line in lines(training)
        if line["games"] - line["since"] >= first * total - 0.5 and line["games"] <= last * total + 0.5
    ]
    number = sum(line["since"] for line in inside)
    return (sum(line[key] * line["since"] for line in inside) / number if number else math.nan), number


def measured(
    section: str, experiment: str, quantity: str, paper: float | None, trainings: Sequence[Run], key: str,
    within: tuple[float, float] = (LEARNED_FROM, 1.0),
) -> Row:  # fmt: skip
    """A row with the mean of several trainings."""
    found = [rate(training, key, *within) for training in trainings]
    if not all(number for _, number in found):
        return Row(experiment, quantity, paper, None, shown=PERCENT, section=section, missing="too few matches")
    values, total = [value for value, _ in found], sum(number for _, number in found)
    if len(values) == 1:
        ci95 = wilson(values[0] * total, total)
    else:
        mean, error = mean_and_error(values)
        reach = student_reach(len(values) - 1) * error
        ci95 = max(mean - reach, 0.0), min(mean + reach, 1.0)
    return Row(experiment, quantity, paper, float(np.mean(values)), ci95, total, PERCENT, None, section)


def both(section: str, experiment: str, paper: float | None, trainings: Sequence[Run]) -> list[Row]:
    """Wins and scores after learning."""
    many = f"{len(trainings)} training{'s' * (len(trainings) > 1)}"
    return [
        measured(section, experiment, f"win rate after learning, {many}", paper, trainings, "won"),
        measured(section, experiment, f"score after learning, {many}", None, trainings, "points"),
    ]


def curves(named: dict[str, Run], key: str) -> list[Curve]:
    """One curve a training."""
    return [
        Curve(f"{name}:", [line["games"] for line in lines(t)], [line[key] for line in lines(t)], thin=True)
        for name, t in named.items()
    ]


def drawing(section: str, title: str, named: dict[str, Run], marks: Sequence[tuple[float, str]] = ()) -> Drawing:
    """Overall and incremental win rates, as the paper draws them; of the first training of each kind."""
    panels = [
        Panel("overall win rate", curves(named, "won_so_far")),
        Panel("incremental win rate", curves(named, "won"), marks=marks),
    ]
    caption = f"{SECTIONS[section]}: the first training of each kind. Learning ends after two thirds of the matches."
    return Drawing(caption, svg(chart(f"{section}: {title}", panels, "matches")), section)


@cache
def solved(game: str) -> Solution:
    """The exact solution of a game, found once."""
    return solve(game_of_name(game))


def _ceiling(game: str) -> list[tuple[float, str]]:
    return [(solved(game).mean("wins"), "highest possible")]


# --- the figures -----------------------------------------------------------------------------------------------------


def figure_1(bench: Bench) -> Part:
    """Fixed against falling ε, and the TD(λ) baseline."""
    rows, shown = [], {}
    fixed = {"exploration_shape": "decay"}
    kinds = {
        "ε 0.1": train(bench, "tictactoe", Q, LEARNED, None, "-0.1", exploration=0.1, **fixed),
        "ε 0.2": train(bench, "tictactoe", Q, LEARNED, None, "-0.2", exploration=0.2, **fixed),
        "ε from 0.5 to 0": train(bench, "tictactoe", Q, LEARNED),
        "TD(λ)": train(bench, "tictactoe", TD, LEARNED),
    }
    for name, trainings in kinds.items():
        paper = {"ε from 0.5 to 0": Q_PLAYER[LEARNED], "TD(λ)": TD_BASELINE}.get(name)
        rows += both("Figure 1", name if name == "TD(λ)" else f"QPlayer, {name}", paper, trainings)
        shown[name] = trainings[0]
    return rows, [drawing("Figure 1", "tic-tac-toe", shown, _ceiling("tictactoe"))]


def figure_2(bench: Bench) -> Part:
    """QPlayer by the number of matches to learn from."""
    rows, drawings = [], []
    for reading in (Q, Q_ANY, Q_OWN):
        shown = {}
        for learned, paper in Q_PLAYER.items():
            trainings = train(bench, "tictactoe", reading, learned)
            rows += both("Figure 2", f"{reading.words}, {matches(bench, learned)}", paper, trainings)
            shown[matches(bench, learned)] = trainings[0]
        drawings.append(drawing("Figure 2", reading.words, shown, _ceiling("tictactoe")))
    return rows, drawings


def figure_3(bench: Bench) -> Part:
    """QPlayer in three games."""
    rows, shown = [], {}
    for name, game in GAMES.items():
        trainings = train(bench, game, Q, LEARNED)
        rows += both("Figure 3", f"{name}, {matches(bench, LEARNED)}", None, trainings)
        shown[name] = trainings[0]
    return rows, [drawing("Figure 3", f"QPlayer, {matches(bench, LEARNED)}", shown)]


def figure_4(bench: Bench) -> Part:
    """QPlayer on boards of three sizes."""
    rows, shown = [], {}
    for name, game in BOARDS.items():
        trainings = train(bench, game, Q, LONG, None if name == "3×3" else 1)
        rows += both("Figure 4", f"tic-tac-toe {name}, {matches(bench, LONG)}", None, trainings)
        shown[name] = trainings[0]
    return rows, [drawing("Figure 4", f"QPlayer, {matches(bench, LONG)}", shown)]


def figure_5(bench: Bench) -> Part:
    """Monte Carlo tree search against the random player, which needs no learning."""
    rows = []
    for name, game in BOARDS.items():
        games = bench.games(MCTS_GAMES)
        result = bench.arena(game, [MCTS, "random"], games, f"{MCTS} against random, {name}")
        wins = int((result.won(0) == 1).sum())
        experiment = f"{MCTS}, tic-tac-toe {name}"
        rows.append(
            Row(experiment, "win rate", None, wins / games, wilson(wins, games), games, PERCENT, None, "Figure 5")
        )
        points = result.rows[0]
        rows.append(
            Row(experiment, "score", None, points.points_per_game, None, games, PERCENT, None, "Figure 5")
        )  # fmt: skip
        (learned,) = train(bench, game, Q, LONG, 1)
        rows.append(
            measured("Figure 5", f"QPlayer, {matches(bench, LONG)}, {name}", "win rate after learning", None, [learned], "won")
        )  # fmt: skip
    return rows, []


def figure_6(bench: Bench) -> Part:
    """QMPlayer by the number of matches to learn from, and beside QPlayer."""
    rows, drawings = [], []
    longest: dict[str, list[Run]] = {}
    for reading in (QM, QM_ALL, QM_ANY):
        shown = {}
        for learned, paper in QM_PLAYER.items():
            trainings = train(bench, "tictactoe", reading, learned)
            rows += both("Figure 6", f"{reading.words}, {matches(bench, learned)}", paper, trainings)
            shown[matches(bench, learned)] = trainings[0]
            if learned == LONG:
                longest.setdefault("QMPlayer", trainings)
        drawings.append(drawing("Figure 6", reading.words, shown, _ceiling("tictactoe")))
    longest["QPlayer"] = train(bench, "tictactoe", Q, LONG)
    for name, (begin, end) in ON_THE_WAY.items():
        what = f"{name}, {matches(bench, LONG)}"
        rows.append(measured("Figure 6", what, "win rate, first hundredth", begin, longest[name], "won", (0.0, 0.01)))
        rows.append(
            measured("Figure 6", what, "win rate, last hundredth of learning", end, longest[name], "won", (0.65, LEARNED_FROM))
        )  # fmt: skip
    last = [max((line["games"] for line in lines(t) if line["searches"]), default=0) for t in longest["QMPlayer"]]
    rows.append(
        Row(f"QMPlayer, {matches(bench, LONG)}", "latest match with a search, mean", LAST_SEARCH, float(np.mean(last)), shown="{:,.0f}", section="Figure 6")
    )  # fmt: skip
    named = {name: trainings[0] for name, trainings in longest.items()}
    drawings.append(drawing("Figure 6", matches(bench, LONG), named, _ceiling("tictactoe")))
    return rows, drawings


# --- what can be reached ---------------------------------------------------------------------------------------------


def optimum(bench: Bench) -> Part:
    """The solver's numbers."""
    words = {"exploiter": "best score", "safe": "best score without risk", "wins": "highest win rate", "random": "score of a random player"}  # fmt: skip
    rows = []
    for name, game in GAMES.items():
        bench.say(f"solving {game}")
        found = solved(game)
        for kind, quantity in words.items():
            experiment = f"{name}, {found.positions:,} positions"
            rows.append(Row(experiment, quantity, None, found.mean(kind), None, None, "{:.6f}", None, "Optimum"))
    return rows, []


def beyond(bench: Bench) -> Part:
    """The best table for the role against a random player, beside the exact optimum."""
    rows = []
    for name, game in GAMES.items():
        games = bench.games(preset(game, "table-best").games)
        learned = bench.train(
            game, "table-best", bench.seed, games, f"{game}-best-{bench.seed}", evaluate_every=games,
            checkpoint_every=games, evaluation_games=bench.whole(EVALUATION_GAMES),
        )  # fmt: skip
        played = bench.games(BEST_GAMES)
        result = bench.arena(game, [learned.player(), "random"], played, f"the best table of {name} against random")
        row = result.rows[0]
        reach = 1.96 * row.points_se
        interval = row.points_per_game - reach, row.points_per_game + reach
        best = solved(game).mean("exploiter")
        experiment = f"{name}, {games:,} matches"
        rows.append(Row(experiment, "score", None, row.points_per_game, interval, played, "{:.4f}", None, "Beyond"))
        rows.append(
            Row(experiment, "short of the exact optimum", None, best - row.points_per_game, None, played, "{:.4f}", None, "Beyond")
        )  # fmt: skip
    return rows, []
