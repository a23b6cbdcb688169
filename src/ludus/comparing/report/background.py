"""What stands behind the figures of a report: costs, self-checks, failures, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ludus.comparing.judging import Cost, Judgement
from ludus.comparing.judging.figures import number
from ludus.comparing.report.blocks import Block, Bullets, Command, Grid, Text
from ludus.comparing.results import Comparison, Entered
from ludus.errors import brief

LONGEST = 400  # letters of a reason


def costs(comparison: Comparison, judgement: Judgement) -> list[Block]:
    """What trainings and tuning cost."""
    rows = []
    for method in comparison.methods:
        own = [each for each in judgement.costs if each.method == method.label]
        rows += [_cost(each.game, each) for each in own]
        if len(own) > 1:
            rows.append(_cost("all games", _sum(own)))
    reading = (
        "What all trainings of a method cost together, those that failed too: games learned from, positions judged, and seconds of processor time for learning; and what measuring "
        "took. Times are those of this machine. Stopped by: the budget that was used up first, and in how many trainings."
    )
    heads = (
        "method",
        "game",
        "trainings",
        "games",
        "positions",
        "learning s",
        "measured games",
        "measuring s",
        "stopped by",
    )
    blocks: list[Block] = [Grid("costs", reading, heads, rows, names=2)] if rows else []
    tuned = [[method.label, key, value] for method in comparison.methods for key, value in flat(method.tuning)]
    if tuned:
        blocks.append(
            Grid("tuning", "What was tuned, to what, and what that cost.", ("method", "what", "value"), tuned, names=3)
        )
    else:
        blocks.append(Text("Nothing was tuned for this comparison."))
    return blocks


def _cost(game: str, each: Cost) -> list[str]:
    counts = [f"{count:,}" for count in (each.trainings, each.games, each.positions)]
    learning, measuring = number(each.learning, 1), number(each.measuring, 1)
    return [each.method, game, *counts, learning, f"{each.measured_games:,}", measuring, each.stopped_by or "–"]


def _sum(costs: list[Cost]) -> Cost:
    numbers = ("trainings", "games", "positions", "moves", "learning", "measured_games", "measuring")
    totals: dict[str, Any] = {name: sum(getattr(each, name) for each in costs) for name in numbers}
    return replace(costs[0], game="", stopped_by="", **totals)


def checks(comparison: Comparison) -> list[Block]:
    """What was looked at before anything was compared, and the scale."""
    found = [f"{game.name}: {check}" for game in comparison.games for check in game.checks]
    rows = [
        [game.name, opponent or "–", game.task.worst, number(scale.low, 3), game.task.best, number(scale.high, 3),
         "exact" if scale.exact else f"{scale.rounds:,} rounds"]
        for game in comparison.games
        for opponent, scale in game.scales.items()
    ]  # fmt: skip
    reading = (
        "The scale: what the worst and the best player of the suite score against each opponent counts as 0 and as 1."
    )
    blocks: list[Block] = [Bullets(found)] if found else [Text("No self-checks were made.")]
    heads = ("game", "opponent", "0 is", "score", "1 is", "score", "known by")
    return [*blocks, Grid("scales", reading, heads, rows, names=2)]


def troubles(judgement: Judgement) -> list[Block]:
    """Trainings that failed or were skipped, by name and reason."""
    if not judgement.troubles:
        return [Text("All trainings came to their end.")]
    rows = [
        [each.method, each.game, each.kind, ", ".join(map(str, each.seeds)), brief(each.reason, LONGEST)]
        for each in judgement.troubles
    ]
    reading = (
        "Trainings without a result, and why. Methods are compared on games that both finished with two seeds or more."
    )
    return [Grid("failures", reading, ("method", "game", "what", "seeds", "why"), rows, names=5)]


def making(comparison: Comparison) -> list[Block]:
    """What it takes to make the comparison again."""
    plan = dict(comparison.plan)
    blocks: list[Block] = []
    if command := plan.pop("command", ""):
        blocks += [Text("This command makes the comparison again:"), Command(str(command))]
    rows = [[key, value] for key, value in flat(plan)]
    rows += [[f"code of {method.label}", method.code] for method in comparison.methods if method.code]
    rows += [[method.label, "from the leaderboard"] for method in comparison.methods if method.published]
    blocks.append(
        Grid("made", "Versions, machine, hashes and numbers that it was made with.", ("what", "value"), rows, names=2)
    )
    settings = [row for method in comparison.methods for row in _settings(method)]
    what = "The settings of each method: those that are the same in all games, and those of single games."
    blocks.append(Grid("settings", what, ("method", "as given", "game", "settings"), settings, names=4))
    return blocks


def _settings(method: Entered) -> list[list[str]]:
    given = list(method.settings.values())
    same = {
        key: value
        for key, value in (given[0] if given else {}).items()
        if all(key in one and one[key] == value for one in given)
    }
    parts = [("all games", same)] if len(given) != 1 else []
    for game, settings in method.settings.items():
        own = settings if len(given) == 1 else {key: value for key, value in settings.items() if key not in same}
        if own:
            parts.append((game, own))
    return [
        [method.label, method.given, game, ", ".join(f"{key}={value}" for key, value in settings.items()) or "–"]
        for game, settings in parts
    ]


def flat(values: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Nested values, each with its whole name.

    >>> flat({"seed": 1, "machine": {"cores": 2}})
    [('seed', '1'), ('machine: cores', '2')]
    """
    found: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            found += flat(value, f"{before}{key}: ")
        else:
            text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            found.append((f"{before}{key}", brief(text, LONGEST)))
    return found
