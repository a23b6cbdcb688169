"""Reads back what came of a comparison: from its folder, or from the one compact file as which it is published."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ludus.comparing.results import (
    PLAN,
    Cell,
    Comparison,
    Demands,
    Entered,
    Foreign,
    Game,
    Meeting,
    Point,
    Scale,
    folder_name,
    read_json,
)
from ludus.comparing.suite import Suite, parse_suite
from ludus.errors import LudusError
from ludus.files import MEGABYTE, read_regular

Source = Callable[..., Any]  # the contents of a file of the comparison, by its path; None if there is none

LARGEST = 50 * MEGABYTE  # a published comparison, unpacked
ENDING = ".json.gz"


def load(folder: str | Path) -> Comparison:
    """What came of the comparison in a folder so far."""
    path = Path(folder)

    def source(*parts: Any) -> Any:
        file = path.joinpath(*(folder_name(str(part)) for part in parts))
        return read_json(file) if file.exists() else None

    return _read(source, path)


def _read(source: Source, folder: Path) -> Comparison:
    plan = source(PLAN)
    if plan is None:
        raise LudusError(f"there is no comparison in {folder}: it has no {PLAN}")
    try:
        suite = parse_suite(plan["suite_text"], plan["suite"], str(folder / PLAN))
        games = tuple(filter(None, (_game(source, suite, task.game) for task in suite.tasks)))
        entered = tuple(_entered(source, suite, each) for each in plan["methods"])
        seeds = range(1, plan["seeds"] + 1)
        found = (_cell(source, game.name, method.label, seed) for game in games for method in entered for seed in seeds)
        cells = {(cell.game, cell.method, cell.seed): cell for cell in found if cell is not None}
        meetings = tuple(meeting for game in games for seed in seeds for meeting in _meetings(source, game.name, seed))
        foreign = tuple(each for game in games for seed in seeds for each in _foreign(source, game, seed))
        return Comparison(folder, suite, plan, games, entered, cells, meetings, foreign)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise LudusError(f"the comparison in {folder} is damaged: {error!r}") from error


def _entered(source: Source, suite: Suite, each: dict[str, Any]) -> Entered:
    label = each["label"]
    checks = {task.game: source("checks", task.game, f"{label}.json") for task in suite.tasks}
    settings = {game: check.get("settings", {}) for game, check in checks.items() if check is not None}
    return Entered(label, each["given"], settings, each["code"], tuning=source("tuning", label, "cost.json") or {})


def _game(source: Source, suite: Suite, name: str) -> Game | None:
    found, checks = source("scales", f"{name}.json"), source("checks", f"{name}.json")
    if found is None or checks is None:
        return None
    scales = {opponent: Scale(**scale) for opponent, scale in found["scales"].items()}
    return Game(suite.task(name), scales, Demands(**found["demands"]), tuple(checks["said"]))


def _cell(source: Source, game: str, label: str, seed: int) -> Cell | None:
    check = source("checks", game, f"{label}.json") or {}
    if "skipped" in check:
        return Cell(game, label, seed, skipped=check["skipped"])
    if "failure" in check:
        return Cell(game, label, seed, failure=check["failure"])
    result = source("cells", game, label, seed, "result.json")
    if result is None:
        return None
    if "failure" in result:
        return Cell(game, label, seed, failure=result["failure"])
    costs = source("cells", game, label, seed, "costs.json")
    points = tuple(
        Point(p["games"], p["positions"], p["moves"], {o: np.array(s, np.float64) for o, s in p["scores"].items()})
        for p in result["points"]
    )
    return Cell(game, label, seed, points, tuple(costs["learning"]), costs["measuring"], result["stopped_by"])


def _meetings(source: Source, game: str, seed: int) -> list[Meeting]:
    found = source("meetings", game, f"{seed}.json") or {"tables": []}
    return [
        Meeting(game, seed, tuple(table["players"]), np.array(table["scores"]), np.array(table["shares"]))
        for table in found["tables"]
    ]


def _foreign(source: Source, game: Game, seed: int) -> list[Foreign]:
    found = {peer: source("peers", game.name, peer, f"{seed}.json") or {} for peer in game.task.peers}
    return [
        Foreign(game.name, peer, method, seed, np.array(scores, np.float64))
        for peer, by_method in found.items()
        for method, scores in by_method.items()
    ]


# --- published comparisons --------------------------------------------------------------------------------------------


def pack(folder: Path) -> bytes:
    """A comparison as one compact file: all its results and costs, without models, and without places on this machine."""
    kept = {}
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder)
        if name.parts[0] in (PLAN, "checks", "scales", "cells", "meetings", "peers"):
            kept[str(name)] = read_json(path)
    for method in kept[PLAN]["methods"]:
        del method["method"]  # where its code lies; the hash of that stays
    text = json.dumps(kept, separators=(",", ":"), ensure_ascii=False)
    return gzip.compress(text.encode(), 9, mtime=0)


def unpack(data: bytes, where: str) -> Comparison:
    """The comparison in a compact file; `where` is how errors call it."""
    try:
        kept = json.loads(gzip.decompress(data)[:LARGEST])
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise LudusError(f"{where} is not a published comparison: {error}") from error
    if not isinstance(kept, dict):
        raise LudusError(f"{where} is not a published comparison")
    return _read(lambda *parts: kept.get("/".join(folder_name(str(part)) for part in parts)), Path(where))


def published(suite: str) -> Comparison:
    """The leaderboard on a suite, as it comes with ludus; LudusError where there is none."""
    file = resources.files("ludus.comparing") / "published" / f"{suite}{ENDING}"
    if not file.is_file():
        raise LudusError(f"there is no leaderboard on suite '{suite}'; --against takes the folder of a comparison, too")
    return unpack(file.read_bytes(), f"the leaderboard on {suite}")


def others(against: str, suite: str) -> Comparison:
    """What a comparison is set beside: the leaderboard, a folder, or a published file."""
    if against == "published":
        return published(suite)
    if against.endswith(ENDING):
        return unpack(read_regular(Path(against), LARGEST), against)
    return load(against)


def beside(own: Comparison, other: Comparison) -> Comparison:
    """A comparison with the methods of another one beside its own, in the games that both have measured in the same way."""
    shared = [
        game.name
        for game in own.games
        if any(game.name == there.name and game.scales == there.scales for there in other.games)
    ]
    if not shared:
        raise LudusError(
            f"{other.folder} has no game that was measured in the same way: the two can't be set side by side"
        )
    taken = {method.label for method in own.methods}
    labels = {method.label: _free(method.label, taken) for method in other.methods}
    methods = [replace(method, label=labels[method.label], published=True) for method in other.methods]
    cells = {
        (game, labels[method], seed): replace(cell, method=labels[method])
        for (game, method, seed), cell in other.cells.items()
        if game in shared
    }
    foreign = [replace(each, method=labels[each.method]) for each in other.foreign if each.game in shared]
    seeds = max(own.plan["seeds"], other.plan["seeds"])
    plan, everybody = own.plan | {"seeds": seeds}, (*own.methods, *methods)
    return replace(own, plan=plan, methods=everybody, cells=own.cells | cells, foreign=(*own.foreign, *foreign))


def _free(label: str, taken: Sequence[str] | set[str]) -> str:
    return f"{label} (published)" if label in taken else label
