"""Alhajry, Alvi & Ahmed (2012): TD(λ) and Q-learning players of Ludo, trained alone, with experts and with random players.

The paper's tables I and II measure strategies written by hand, of which the mixed one is its expert; figures 2 to 4 show a
network that judges boards by TD(λ), figures 5 to 7 one that chooses among the strategies by Q-learning; table III lets the
two play each other. All of it is done here, and then our own player meets the same opponents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ludus.lab import Run
from ludus.lab.plots import Curve, Panel, chart, svg
from ludus.matches import Result
from ludus.matches.statistics import wilson
from ludus.methods.presets import preset
from ludus.papers.report import Bench, Drawing, Report, Row, figures, percent

TITLE = "TD(λ) and Q-Learning Based Ludo Players"
CITATION = (
    "Majed Alhajry, Faisal Alvi and Moataz Ahmed, IEEE Conference on Computational Intelligence and Games (CIG), 2012."
)

GAME = "ludo"
CELL_GAMES = 50_000  # for a cell of a table; the paper does not say how many
BEYOND_GAMES, ROLLOUT_GAMES = 20_000, 5_000  # with rollouts a game takes 30 times as long
EXPLORATION_GAMES = 30_000  # "decayed linearly to reach 0 after 30000 learning episodes"

# Table I: each strategy's wins, and those of each of the three random players beside it.
TABLE_1 = {
    "defensive": (0.3468, 0.2175),
    "aggressive": (0.2708, 0.243),
    "fast": (0.5378, 0.154),
    "expert": (0.6109, 0.1267),
}
# Table II: all in one game.
TABLE_2 = {"expert": 0.4864, "defensive": 0.1824, "aggressive": 0.126, "fast": 0.2052}
# Table III: each of two TD players against each of two QL players.
TABLE_3 = {"TD": 0.2737, "QL": 0.2237}


class Setting(NamedTuple):
    """One of the six trainings: a figure of the paper, what it says of it, and against whom the figures hold."""

    section: str
    preset: str
    title: str
    random: tuple[float | None, str]  # the win rate against three random players, and the paper's words for it
    expert: tuple[float | None, str]
    lowest: str  # what it says of the worst and the best colour
    highest: str


SETTINGS = (
    Setting(
        "Figure 2", "alhajry2012-td", "TD player trained by four TD players",
        (0.66, "around 66 %"), (0.30, "30 %"), "very tight", "very tight",
    ),
    Setting(
        "Figure 3", "alhajry2012-td-expert", "TD player trained by two TD players and two experts",
        (0.62, "62 %"), (0.26, "26 %"), "gap increased", "gap increased",
    ),
    Setting(
        "Figure 4", "alhajry2012-td-random", "TD player trained by two TD and two random players",
        (None, "degraded"), (None, "degraded"), "low", "on par with the others",
    ),
    Setting("Figure 5", "alhajry2012-ql", "QL player trained by four QL players", (0.63, "63 ± 1 %"), (0.27, "27 ± 1 %"), "", ""),
    Setting(
        "Figure 6", "alhajry2012-ql-expert", "QL player trained by two QL players and two experts",
        (None, "no advantage"), (0.27, "27 ± 1 % at most"), "", "",
    ),
    Setting(
        "Figure 7", "alhajry2012-ql-random", "QL player trained by two QL and two random players",
        (None, "no disadvantage"), (0.27, "27 ± 1 % at most"), "", "",
    ),
)  # fmt: skip

SECTIONS = {
    "Table I": "a strategy against three random players",
    "Table II": "the four strategies in one game",
    **{setting.section: setting.title for setting in SETTINGS},
    "Table III": "two TD players against two QL players",
    "Beyond": "the shipped player against the paper's opponents",
}

# How it is done. What came out is said by `findings`, from the run.
NOTES = (
    "The paper's “20 hidden layers” are read as one layer of 20 hidden units.",
    "The paper explores “with probability 1 - ε” and lets ε fall from 0.9 to 0 in 30,000 episodes; taken literally, play would "
    "become wholly random at the end. Read as exploring with probability ε.",
    "A vulnerable piece is defended by a move after which the moved piece, which was vulnerable before, is no longer.",
    "The paper does not say where the learners sit: here at seats 0 and 2, their partners at 1 and 3. Of its networks it gives the size and α alone.",
    "The curve of Q-learning is noisy, as the paper says. So three figures are given: the last evaluation, the mean of all after "
    "three quarters of the training (their interval speaks of the networks that were met on the "
    "way, not of another training), and the best. The best of many evaluations is biased upwards, and the networks of the way "
    "are not kept to be measured again: read it only beside the paper's own “maximum”.",
    "One training a setting, as in the paper; intervals tell of the games played, not of how trainings differ.",
)  # fmt: skip
QUICK_NOTE = (
    "Quick form: a tenth of all games, of learning too (and of the 30,000 games of exploration). What a tenth of the "
    "training learns is not what the paper shows."
)

PERCENT = "{:.2%}"


def run(bench: Bench) -> Report:
    """Measure the strategies, train the six players, and let them play."""
    rows = strategies(bench)
    (expert,) = figures(rows, "Table I", "expert, releasing")
    drawings = []
    trained: dict[str, Run] = {}
    for setting in SETTINGS:
        training = _train(bench, setting)
        trained[setting.preset] = training
        rows += learned(setting, training)
        drawings.append(draw(setting, training, expert))
    rows += against_each_other(bench, trained["alhajry2012-td"], trained["alhajry2012-ql"])
    rows += beyond(bench)
    return Report(
        "alhajry2012", TITLE, CITATION, bench.seed, tuple(rows), (*NOTES, *findings(bench, rows), *bench.notes(QUICK_NOTE)), tuple(drawings),
        bench.command("alhajry2012"), bench.folder / "report.html", SECTIONS,
    )  # fmt: skip


RANGE_OF_FOUR = 2.059  # what four draws from a normal distribution lie apart, on average, in its standard deviations


def findings(bench: Bench, rows: Sequence[Row]) -> list[str]:
    """What this run says where the paper leaves a choice, and where ours and its figures lie apart."""

    def off(how: str) -> str:
        """How far the readings of table II lie from it."""
        found = zip(figures(rows, "Table II", how), TABLE_2.values(), strict=True)
        return f"{100 * max(abs(mine - paper) for mine, paper in found):.1f} points"

    basic = [name for name in TABLE_1 if name != "expert"]
    best = max(basic, key=lambda name: figures(rows, "Table I", f"{name}, releasing")[0])
    papers_best = max(basic, key=lambda name: TABLE_1[name][0])
    td, ql = ([s.section for s in SETTINGS if kind in s.preset] for kind in ("-td", "-ql"))
    means = {figure: figures(rows, figure, "three experts", "mean of")[0] for figure in (*td, *ql)}
    games = bench.games(preset(GAME, SETTINGS[0].preset).training["evaluation_games"])
    seat = games // 4
    apart = 100 * RANGE_OF_FOUR * math.sqrt(0.25 * 0.75 / seat)
    return [
        "The paper calls all four strategies enhanced, which is said to include that they prefer to release a piece. Table II is shown in both readings: with the mixed "
        f"strategy alone releasing our figures lie up to {off('expert alone')} from the paper's, with all releasing up to {off('all releasing')}.",
        f"The text calls the defensive strategy the best of the basic ones; by the paper's own table I it is the {papers_best} one, here the {best} one.",
        f"An evaluation is {games:,} games with the learner in each of the four seats equally often: the paper has four tests of 5,000. Lowest and highest are those of the "
        f"four seats. Even if the seats were alike, they would lie apart by chance: by about {apart:.1f} points from {seat:,} games a seat at 25 %.",
        f"Against three experts, late in training, the TD players of figures 2 to 4 come to {', '.join(percent(means[f]) for f in td)} (the paper: 30 %, 26 %, degraded), the "
        f"QL players of figures 5 to 7 to {', '.join(percent(means[f]) for f in ql)} (the paper: 27 ± 1 %).",
    ]  # fmt: skip


# --- tables I and II -------------------------------------------------------------------------------------------------


def strategies(bench: Bench) -> list[Row]:
    """The strategies against three random players, and all in one game."""
    games = bench.games(CELL_GAMES)
    rows = []
    for name, (paper, others) in TABLE_1.items():
        result = bench.arena(GAME, [name, "random", "random", "random"], games, f"{name} against three random")
        rows.append(_rate("Table I", f"{name}, releasing", paper, result, [0]))
        rows.append(_rate("Table I", f"each random player beside {name}", others, result, [1, 2, 3]))
    plain = [name if name == "expert" else f"{name}(release=false)" for name in TABLE_2]
    for players, how in ((plain, "expert alone releasing"), (list(TABLE_2), "all releasing")):
        result = bench.arena(GAME, players, games, f"the four strategies, {how}")
        for seat, (name, paper) in enumerate(TABLE_2.items()):
            rows.append(_rate("Table II", f"{name} ({how})", paper, result, [seat]))
    return rows


def _rate(section: str, experiment: str, paper: float | None, result: Result, who: Sequence[int]) -> Row:
    """The win rate of a player, or of each of several alike."""
    wins = sum(result.rows[i].wins for i in who)
    low, high = (bound / len(who) for bound in wilson(wins, result.games))
    return Row(
        experiment,
        "win rate",
        paper,
        wins / result.games / len(who),
        (low, high),
        result.games,
        PERCENT,
        section=section,
    )


# --- figures ---------------------------------------------------------------------------------------------------------


def _train(bench: Bench, setting: Setting) -> Run:
    """One of the six trainings. A quick one is the same in small: all that counts games counts a tenth of them."""
    s = preset(GAME, setting.preset)
    games = bench.games(s.games)
    changes: dict[str, Any] = {
        "evaluate_every": -(-games // 10) if bench.quick else s.training["evaluate_every"],
        "evaluation_games": bench.games(s.training["evaluation_games"]),
    }
    if "exploration_games" in s.settings:
        changes["exploration_games"] = bench.games(EXPLORATION_GAMES)
    return bench.train(GAME, setting.preset, bench.seed, games, **changes)


def _met(training: Run, opponent: str) -> list[tuple[int, dict[str, Any]]]:
    """The evaluations against an opponent: games learned from, and how it went."""
    lines = training.evaluations()
    return [(line["games"], row) for line in lines for row in line["opponents"] if row["name"] == opponent]


def learned(setting: Setting, training: Run) -> list[Row]:
    """What a training came to, beside what the paper says of its figure."""
    rows = []
    total = training.config.training.games
    for opponent, (paper, words) in (("random", setting.random), ("expert", setting.expert)):
        met = _met(training, opponent)
        games, last = met[-1]
        late = [row for when, row in met if when > 0.75 * total]
        wins, played = math.fsum(row["wins"] for row in late), sum(row["games"] for row in late)
        against = f"against three {'random players' if opponent == 'random' else 'experts'}"

        def row(
            quantity: str, ours: float, ci95: Any, number: int | None, paper: float | None = None, words: str | None = None,
            against: str = against,
        ) -> Row:  # fmt: skip
            return Row(against, quantity, paper, ours, ci95, number, PERCENT, words, setting.section)

        rows.append(
            row(
                f"win rate after {games:,} games",
                last["win_rate"],
                tuple(last["win_rate_ci95"]),
                last["games"],
                paper,
                words,
            )
        )
        mean = f"mean of the evaluations after {total * 3 // 4:,} games"
        rows.append(row(mean, wins / played, wilson(wins, played), played, paper, words))
        if setting.lowest:
            seats = last["by_seat"]
            each = last["games"] // len(seats)
            for name, rate, said in (("lowest", min(seats), setting.lowest), ("highest", max(seats), setting.highest)):
                rows.append(row(f"{name} of the four colours", rate, wilson(rate * each, each), each, None, said))
        else:
            best = max((row for _, row in met), key=lambda row: row["win_rate"])
            # No interval: it would be that of a figure chosen beforehand.
            rows.append(
                row(f"best of {len(met)} evaluations (biased)", best["win_rate"], None, best["games"], paper, words)
            )
    return rows


def draw(setting: Setting, training: Run, expert: float) -> Drawing:
    """The figure: win rates over the games learned from, with the range over colours where the paper gives it, beside that of
    an expert in its place: `expert` as it was measured against random players, a quarter among experts.
    """
    panels = []
    for opponent, (paper, words), even, how in (
        ("random", setting.random, expert, "measured here"),
        ("expert", setting.expert, 0.25, "four alike"),
    ):
        met = _met(training, opponent)
        rates = [row["win_rate"] for _, row in met]
        band = None
        if setting.lowest:
            band = [min(row["by_seat"]) for _, row in met], [max(row["by_seat"]) for _, row in met]
        marks = [(even, f"an expert in its place ({how}): {even:.0%}")]
        if paper is not None:
            marks.append((paper, f"the paper: {words}"))
        panels.append(
            Panel(
                f"win rate against three {'random players' if opponent == 'random' else 'experts'}",
                [Curve("mean", [games for games, _ in met], rates, band)],
                marks=marks,
                aside="band: lowest to highest colour" if band else "",
            )
        )
    caption = f"{setting.title}. {met[-1][1]['games']:,} games an evaluation."
    return Drawing(caption, svg(chart(f"{setting.section}: {setting.preset}", panels)), setting.section)


# --- table III and beyond --------------------------------------------------------------------------------------------


def against_each_other(bench: Bench, td: Run, ql: Run) -> list[Row]:
    """Two players of either kind in one game, in seats that alternate."""
    players = [td.player(), ql.player()] * 2
    result = bench.arena(GAME, players, bench.games(CELL_GAMES), "two TD against two QL players")
    return [
        _rate("Table III", f"each of two {kind} players", TABLE_3[kind], result, who)
        for kind, who in (("TD", (0, 2)), ("QL", (1, 3)))
    ]


def beyond(bench: Bench) -> list[Row]:
    """The shipped player, beside the paper's best."""
    rows = []
    for name in ("td", "td(rollouts=24)"):
        games = bench.games(ROLLOUT_GAMES if "rollouts" in name else BEYOND_GAMES)
        for opponent, paper in (("random", 0.66), ("expert", 0.30)):
            result = bench.arena(GAME, [name] + [opponent] * 3, games, f"{name} against three {opponent}")
            rows.append(_rate("Beyond", f"{name} against three {opponent}", paper, result, [0]))
    return rows
