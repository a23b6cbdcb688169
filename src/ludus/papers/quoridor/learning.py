"""The learning part of `quoridor2016`: its Q-network as the thesis has it, which does not learn; what mends it, change by change; and
what the mended network comes to. `ludus.papers.quoridor2016` puts this beside the thesis's figures of complexity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus import games as game_registry
from ludus.contract.rules import OVER, moves, play, random_move, start, turn
from ludus.contract.views import action
from ludus.kernel import stream
from ludus.lab import Run
from ludus.lab.plots import Curve, Panel, chart, svg
from ludus.lab.sweep import progress_curve
from ludus.matches import arena
from ludus.matches.statistics import wilson
from ludus.methods.deepq import look
from ludus.nets.dense import dense_workspace
from ludus.papers.report import Bench, Drawing, Row, percent

GAME = "quoridor"
LAYOUTS = {"160-187": "fig. 5.1", "200-200": "fig. 5.2", "345-200": "fig. 5.3"}
OPPONENTS = ("path", "heuristic")
THESIS_WORDS = "did not learn"  # "I could not find the right setting for network to learn" (chapter 5)

THESIS_GAMES = 50_000
ABLATION_GAMES = 4_000
WITHOUT_GAMES, WITHOUT_LESSONS = 10_000, 2_000
MATCH_GAMES = 2_000
EVALUATION_GAMES = 200  # of each evaluation in a training
SYMPTOM_GAMES = 20  # random games whose positions show what a network's units do
OPENING = 4  # random moves at the beginning, in some of the matches

FAILING = "Figs. 5.1–5.3"
ABLATION = "What mends it"
WITHOUT = "What each change is worth"
IMITATION = "The abstract"
FINAL = "The mended network"
PLAYERS = "The thesis's players"
SECTIONS = {
    PLAYERS: "its heuristic against its path player",
    FAILING: "the Q-network as the thesis trained it",
    ABLATION: "the same, change by change",
    WITHOUT: "a short training of the mended network, with one change taken back",
    IMITATION: "a network that imitates the heuristic",
    FINAL: "three layouts, one pass through the network a move, no search",
}

# Each change comes on top of all before it.
_BATCHES: dict[str, Any] = {
    "update": "end", "units": "relu", "batch": 20, "minibatch": 128, "passes": 3.0, "replay": 20_000, "rate": 0.001,
    "final_rate": 0.0003, "mirror": True,
}  # fmt: skip
CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as the thesis has it", {}),
    ("own side, both seats", {"encoding": "own", "rotate": True}),
    ("illegal actions masked in the maximum", {"masked": True}),
    ("an input a square and a count", {"encoding": "board"}),
    ("squares on shortest ways, their lengths", {"encoding": "ways"}),
    ("walls that shut all shortest ways", {"encoding": "cuts"}),
    ("replay, frozen targets, Adam, ReLU, mirror", _BATCHES),
    ("λ-returns, λ = 0.8", {"decay": 0.8}),
    ("a teacher's values for every move first", {"teacher": "lead", "lessons": 0.8, "batch": 64, "rate": 0.002}),
)

# One change taken back from the mended network.
ALL_CHANGES = "all changes"
TAKEN_BACK: dict[str, dict[str, Any]] = {
    ALL_CHANGES: {},
    "no lessons": {"lessons": 0, "teacher": ""},
    "lessons only": {"lessons": 1.0},
    "no ways": {"encoding": "board"},
    "ways, but not the walls that shut them": {"encoding": "ways"},
    "not from the own side": {"encoding": "absolute"},
    "illegal actions in the maximum": {"masked": False},
    "λ = 0": {"decay": 0.0},
    "no replay": {"replay": 0},
    "no mirror": {"mirror": False},
    "sigmoid units": {"units": "sigmoid"},
    "lessons in the heuristic's moves": {"teacher": "heuristic", "lesson_values": False},
}

# How it is done. What came out is said by `findings`, from the run.
NOTES = (
    "The thesis says neither step size, activation, loss nor the first share of random moves. Here: sigmoid units in all layers, the squared error of "
    "the one output of the action played, steps of 0.05, a share of random moves that falls from 0.305 to 0.005 in a straight line. Its 133 numbers go in "
    "as they are: squares 0 to 80, stocks 0 to 10, walls 0 or 1.",
    "Its positions to begin with were written by hand; ours are drawn, of the same three kinds. A game that ends as a draw counts ½.",
    "Games of players that draw little repeat. `heuristic` draws its walls, so that games against it differ. `path` draws among shortest ways, but where "
    "no wall is built there is only one: many games against it may be one and the same, and say no more than one. So "
    f"games that begin with {OPENING} random moves stand beside the others (`--opening {OPENING}`; such moves are often bad, and decide a part of these games).",
    "'Squares on shortest ways' and 'walls that shut all shortest ways' are computed by flooding the board as it stands: no move is tried, and the "
    "player makes one pass through the network. They are knowledge of the game all the same.",
    "The teacher `lead` looks two plies ahead and counts steps and walls. The network never sees it in play.",
)


def findings(rows: Sequence[Row]) -> tuple[str, ...]:
    """Which changes matter most, by this run: what a short training loses against the heuristic when one is taken back."""
    rates = {
        name: row.ours
        for row in rows
        for name in TAKEN_BACK
        if row.section == WITHOUT and row.experiment == f"{name} against heuristic" and row.ours is not None
    }
    whole = rates.pop(ALL_CHANGES)
    most = sorted(rates, key=lambda name: rates[name])[:3]
    lost = "; ".join(f"{name}, {percent(rates[name])}" for name in most)
    return (
        f"With all changes a short training comes to {percent(whole)} against the heuristic here. With one taken back, the lowest are: {lost}. One training each.",
    )


class Part(NamedTuple):
    """What this part adds to the report."""

    rows: list[Row]
    drawings: list[Drawing]
    notes: tuple[str, ...] = ()


def learning(bench: Bench) -> Part:
    """All of it."""
    rows, drawings = [_match(bench, PLAYERS, "heuristic", "heuristic", "path", None)], []
    rows.append(_match(bench, PLAYERS, "heuristic", "heuristic", "path", None, OPENING))
    for part in (thesis_curves(bench), ablation(bench), taken_back(bench), imitation(bench)):
        rows += part.rows
        drawings += part.drawings
    for layout in LAYOUTS:
        for opponent in OPPONENTS:
            rows.append(_match(bench, FINAL, f"qlnn(layout={layout})", f"qlnn, {layout}", opponent, THESIS_WORDS))
            rows.append(_match(bench, FINAL, f"qlnn(layout={layout})", f"qlnn, {layout}", opponent, None, OPENING))
    return Part(rows, drawings, NOTES + findings(rows))


def _match(
    bench: Bench, section: str, player: Any, name: str, opponent: str, words: str | None, opening: int = 0
) -> Row:  # fmt: skip
    games = bench.games(MATCH_GAMES)
    what = f"{name} against {opponent}" + (f", {opening} random moves first" if opening else "")
    bench.say(f"{games:,} games of {what}")
    row = arena(GAME, [player, opponent], games=games, seed=bench.seed, jobs=bench.jobs, opening=opening).rows[0]
    return Row(what, "win rate", None, row.win_rate, row.win_rate_ci95, games, "{:.2%}", words, section)


def _met(training: Run, opponent: str) -> list[tuple[int, dict[str, Any]]]:
    """The evaluations against an opponent: games learned from, and how it went."""
    return [(e["games"], row) for e in training.evaluations() for row in e["opponents"] if row["name"] == opponent]


def _settings(bench: Bench, games: int, **changes: Any) -> dict[str, Any]:
    """Settings of the thesis for so many games, all that counts games with them."""
    lessons = int(games * changes.pop("lessons", 0))
    return {
        "exploration_games": games, "curriculum_games": games, "evaluate_every": -(-games // 10),
        "evaluation_games": bench.whole(EVALUATION_GAMES), "checkpoint_every": -(-games // 4), "lessons": lessons, **changes,
    }  # fmt: skip


def thesis_curves(bench: Bench) -> Part:
    """The three layouts, trained as in the thesis: against `path`, from the first seat."""
    games, rows, drawings = bench.games(THESIS_GAMES), [], []
    for layout, figure in LAYOUTS.items():
        training = bench.train(
            GAME, "qlnn-thesis", bench.seed, games, f"thesis-{layout}", **_settings(bench, games, layout=layout)
        )
        curves = []
        for opponent in OPPONENTS:
            met = _met(training, opponent)
            bands = [row["win_rate_ci95"] for _, row in met]
            curves.append(
                Curve(
                    opponent, [n for n, _ in met], [row["win_rate"] for _, row in met], ([b[0] for b in bands], [b[1] for b in bands])
                )
            )  # fmt: skip
            last = met[-1][1]
            rows.append(
                Row(
                    f"{figure}: 133-{layout}-140 against {opponent}", f"win rate after {games:,} games", None, last["win_rate"],
                    tuple(last["win_rate_ci95"]), last["games"], "{:.2%}", THESIS_WORDS, FAILING,
                )
            )  # fmt: skip
        stuck, illegal = symptoms(training.player(), bench.seed, bench.whole(SYMPTOM_GAMES))
        what = f"{figure}: 133-{layout}-140"
        rows.append(
            Row(what, "units of the first layer stuck at 0 or 1", None, stuck, None, None, "{:.2%}", None, FAILING)
        )
        rows.append(
            Row(what, "highest output is an illegal action", None, illegal, None, None, "{:.2%}", None, FAILING)
        )
        played, won = progress_curve(training, "won")
        smooth = [sum(won[max(i - 4, 0) : i + 5]) / len(won[max(i - 4, 0) : i + 5]) for i in range(len(won))]
        curves.append(Curve("its own games", played, smooth, thin=True))
        panel = Panel(
            "win rate", curves, aside="its own games: against path, with random moves, some from easier positions"
        )
        drawings.append(
            Drawing(f"{figure}: 133-{layout}-140.", svg(chart(f"ANN(133, {layout}, 140)", [panel])), FAILING)
        )
    return Part(rows, drawings)


def symptoms(player: Any, seed: int, games: int) -> tuple[float, float]:
    """Over positions of random games: the share of the first layer's units within 0.01 of 0 or 1, and how often the highest output stands
    for an illegal action.
    """
    rules = game_registry.game(GAME)
    net, view = player.net, player.sight
    ws, listed, state = dense_workspace(net), np.zeros(141, np.int64), np.zeros(rules.facts.state_size, np.int64)
    stuck, illegal, seen = 0.0, 0, 0
    for number in range(games):
        rng = stream(seed, number)
        start(rules, state)
        while (seat := turn(rules, state)) != OVER:
            look(net, view, rules, state, ws)
            legal = {action(view, rules, state, m) for m in listed[: moves(rules, state, seat, listed)]}
            stuck += float(((ws.first < 0.01) | (ws.first > 0.99)).mean())
            illegal += int(ws.output.argmax()) not in legal
            seen += 1
            play(rules, state, random_move(rules, state, seat, rng, listed))
    return stuck / seen, illegal / seen


def ablation(bench: Bench) -> Part:
    """Change by change, each on top of those before it, in as many games."""
    games, rows = bench.games(ABLATION_GAMES), []
    curves: dict[str, list[Curve]] = {opponent: [] for opponent in OPPONENTS}
    changes: dict[str, Any] = {}
    for number, (name, change) in enumerate(CHANGES):
        changes |= change
        training = bench.train(
            GAME, "qlnn-thesis", bench.seed, games, f"change-{number}", **_settings(bench, games, **changes)
        )
        for opponent in OPPONENTS:
            met = _met(training, opponent)
            late = [row for n, row in met if n > 0.75 * games]
            wins, played = sum(row["wins"] for row in late), sum(row["games"] for row in late)
            curves[opponent].append(Curve(f"{number}", [n for n, _ in met], [row["win_rate"] for _, row in met]))
            rows.append(
                Row(
                    f"{number}. {'+ ' if number else ''}{name}, against {opponent}", f"win rate, last quarter of {games:,} games", None,
                    wins / played, wilson(wins, played), played, "{:.2%}", None, ABLATION,
                )
            )  # fmt: skip
    panels = [Panel(f"win rate against {opponent}", curves[opponent]) for opponent in OPPONENTS]
    caption = "Numbers are those of the table: each change comes on top of all before it. " + "; ".join(
        f"{n} {name}" for n, (name, _) in enumerate(CHANGES)
    )
    return Part(rows, [Drawing(caption + ".", svg(chart("What mends the Q-network", panels)), ABLATION)])


def taken_back(bench: Bench) -> Part:
    """Short trainings of the mended network, each without one of the changes."""
    games, rows = bench.games(WITHOUT_GAMES), []
    for name, change in TAKEN_BACK.items():
        common: dict[str, Any] = {
            "lessons": games * WITHOUT_LESSONS // WITHOUT_GAMES,
            "exploration_games": games,
            "opening": 0,
            "evaluation_games": bench.whole(EVALUATION_GAMES),
            **change,
        }
        if common["lessons"] == 1.0:
            common["lessons"] = games
        training = bench.train(GAME, "qlnn", bench.seed, games, "without-" + re.sub(r"\W+", "-", name), **common)
        for opponent in OPPONENTS:
            rows.append(_match(bench, WITHOUT, training.player(), name, opponent, None))
    return Part(rows, [])


def imitation(bench: Bench) -> Part:
    """The thesis's abstract says that a network imitated the heuristic: how often it makes the same move, and how it plays."""
    games, rows = bench.games(ABLATION_GAMES), []
    for view, name in (("thesis", "133 numbers"), ("cuts", "with shortest ways")):
        training = bench.train(
            GAME, "qlnn", bench.seed, games, f"imitation-{view}", encoding=view, teacher="heuristic", lesson_values=False, lessons=games,
            follow=1.0, exploration=0.0, opening=0, evaluation_games=bench.whole(EVALUATION_GAMES),
        )  # fmt: skip
        agreed = [line["agreed"] for line in training.metrics() if line["kind"] == "progress" and "agreed" in line]
        late = agreed[-len(agreed) // 5 :]
        what = f"imitation of the heuristic, {name}"
        rows.append(
            Row(what, "same move", None, sum(late) / len(late), None, games, "{:.2%}", "“successfully”", IMITATION)
        )
        for opponent in OPPONENTS:
            rows.append(_match(bench, IMITATION, training.player(), what, opponent, None))
    return Part(rows, [])
