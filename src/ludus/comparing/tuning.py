"""Tunes the settings of methods before they are compared: on other games and other seeds than those reported, or they would be judged by what
they were fitted to.

Optuna proposes settings (tree-structured Parzen estimators), always `TOGETHER` at once, so that the course of a tuning does not depend on the
number of cores; what each was worth is a file, so that a tuning goes on like the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus import games as game_registry
from ludus.comparing.entrants import Entrant
from ludus.comparing.jobs import Bench, Job, train_in
from ludus.comparing.results import read_json
from ludus.comparing.suite import Task
from ludus.comparing.training import seed_of, write_json
from ludus.errors import LudusError, NotInstalledError
from ludus.matches.statistics import normalised
from ludus.methods import method_class
from ludus.methods.settings import Limits
from ludus.scale.processes import Tell

TOGETHER = 4  # trials that are proposed before any of them is known
SEEDS = 2  # trainings of each trial in each game
WIDTH = 10.0  # a step size is looked for from a tenth of the usual one to ten times as much

Do = Callable[[str, list[Job]], None]


class Range(NamedTuple):
    """Where the best value of a setting is looked for."""

    name: str
    low: float
    high: float
    log: bool
    whole: bool


def ranges(cls: type, fixed: set[str]) -> list[Range]:
    """The settings of a method that are tuned: step sizes, shares and numbers of units, unless somebody fixed them.

    >>> from ludus.methods import method_class
    >>> [each.name for each in ranges(method_class("traces").Settings, {"final_rate"})]
    ['hidden', 'rate', 'decay']
    """
    found = []
    for field in fields(cls):
        limits: Limits | None = field.metadata.get("limits")
        value = field.default
        if (
            field.name in fixed
            or limits is None
            or limits.kind is None
            or limits.when is not None
            or type(value) is bool
        ):
            continue
        low, high = limits.kind.low, limits.kind.high
        if limits.kind.above is not None and isinstance(value, float) and value > 0:
            top = value * WIDTH if high is None else min(value * WIDTH, high)
            found.append(Range(field.name, value / WIDTH, top, True, False))
        elif isinstance(value, float) and (low, high) == (0, 1):
            found.append(Range(field.name, 0.0, 1.0, False, False))
        elif limits.kind.name == "a number of units" and isinstance(value, int):
            found.append(Range(field.name, max(value // 4, 1), value * 4, True, True))
    return found


def tuned(bench: Bench, entrant: Entrant, do: Do) -> Entrant:
    """A method with the best settings of `bench.tune` trials. `do` has workers do jobs."""
    path = bench.path("tuning", entrant.label, "found.json")
    if not path.exists():
        found = _search(bench, entrant, do)
        write_json(path, found)
    return replace(entrant, tuned=read_json(path)["settings"])


def _search(bench: Bench, entrant: Entrant, do: Do) -> dict[str, Any]:
    try:
        import optuna
    except ImportError as error:
        raise NotInstalledError("--tune needs optuna: pip install 'ludus[tune]'") from error
    tasks = [task for task in bench.suite.tuning if _can_learn(entrant, task)]
    if not tasks:
        return {"settings": {}, "trials": 0, "why": "it can learn none of the games that settings are tuned on"}
    fixed = set(entrant.settings).union(*(task.settings.get(entrant.short, {}) for task in tasks))
    space = ranges(method_class(entrant.method).Settings, fixed) if entrant.method else []
    if not space:
        return {"settings": {}, "trials": 0, "why": "it has no settings to tune"}
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed_of(bench.seed, "tuning", entrant.label) % 2**32)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    best: tuple[float, dict[str, Any]] = (-np.inf, {})
    for first in range(0, bench.tune, TOGETHER):
        numbers = range(first, min(first + TOGETHER, bench.tune))
        trials = [study.ask() for _ in numbers]
        proposed = [_proposed(trial, space) for trial in trials]
        if first == 0:
            proposed[0] = {}  # as it is: whoever is not helped by tuning is left alone
        do(
            f"tuning {entrant.label}",
            [
                _job(bench, replace(entrant, tuned=values), task, number, seed)
                for number, values in zip(numbers, proposed, strict=True)
                for task in tasks
                for seed in range(1, SEEDS + 1)
            ],
        )
        for number, trial, values in zip(numbers, trials, proposed, strict=True):
            worth = float(np.mean([_worth(bench, entrant, task, number) for task in tasks]))
            if values:
                study.tell(trial, worth)
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            best = max(best, (worth, values), key=lambda pair: pair[0])
    return {"settings": best[1], "trials": bench.tune, "worth": best[0], "games": [task.game for task in tasks]}


def _can_learn(entrant: Entrant, task: Task) -> bool:
    try:
        entrant.planned(task, game_registry.game(task.game), 1)
    except LudusError:
        return False
    return True


def _proposed(trial: Any, space: list[Range]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, low, high, log, whole in space:
        if whole:
            values[name] = trial.suggest_int(name, int(low), int(high), log=log)
        else:
            values[name] = float(f"{trial.suggest_float(name, low, high, log=log):.4g}")
    return values


def _folder(bench: Bench, label: str, number: int, game: str, seed: int) -> Path:
    return bench.path("tuning", label, number, game, seed)


def _job(bench: Bench, entrant: Entrant, task: Task, number: int, seed: int) -> Job:
    done = _folder(bench, entrant.label, number, task.game, seed) / "result.json"
    title = f"{entrant.label} in {task.game}, trial {number + 1}, seed {seed}"
    arguments = (bench, entrant, task.game, number, seed)
    return Job("ludus.comparing.tuning:train_trial", arguments, title, done, task.game, of_method=True)


def train_trial(bench: Bench, entrant: Entrant, game: str, number: int, seed: int, tell: Tell) -> None:
    """Train with the settings of a trial."""
    path = _folder(bench, entrant.label, number, game, seed)
    # Seeds of its own: nothing that is reported later was seen in tuning.
    train_in(path, bench.suite.task(game), entrant, seed, seed_of(bench.seed, "tuning"), tell)


def _worth(bench: Bench, entrant: Entrant, task: Task, number: int) -> float:
    """What a trial reached in a game on average; one that failed is worth as much as a random player."""
    scales = read_json(bench.path("scales", f"{task.game}.json"))["scales"]
    worth = []
    for seed in range(1, SEEDS + 1):
        result = read_json(_folder(bench, entrant.label, number, task.game, seed) / "result.json")
        if "failure" in result:
            worth.append(0.0)
            continue
        scores = result["points"][-1]["scores"]
        worth.append(np.mean([normalised(np.mean(scores[o]), scales[o]["low"], scales[o]["high"]) for o in scales]))
    return float(np.mean(worth))


def cost(bench: Bench, label: str) -> dict[str, Any]:
    """What tuning a method took: trials, trainings, games, positions and seconds of processor time."""
    found = bench.path("tuning", label, "found.json")
    if not found.exists():
        return {}
    total = {"trainings": 0, "games": 0, "positions": 0, "seconds": 0.0}
    for path in sorted(bench.path("tuning", label).glob("*/*/*/result.json")):
        result = read_json(path)
        total["trainings"] += 1
        if "failure" in result:
            continue
        total["games"] += result["points"][-1]["games"]
        total["positions"] += result["points"][-1]["positions"]
        total["seconds"] += read_json(path.with_name("costs.json"))["learning"][-1]
    return read_json(found) | {"cost": total}
