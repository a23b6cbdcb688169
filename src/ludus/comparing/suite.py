"""A suite: the games on which methods are compared, and for each of them the budget, the opponents and what counts as 0 and as 1.

A suite is a TOML file; `suites/` has those that come with ludus, and users write their own.

    title = "Two small games"
    budget = {games = 2000}            # for all games that don't say otherwise; positions and seconds may be limited too

    [methods.traces]                   # settings of a method in all games, where its own defaults don't fit
    encoding = "propositions"

    [[games]]
    game = "tictactoe"
    opponents = ["random", "perfect"]  # whom a learner is measured against
    best = "perfect"                   # who is 1 on the scale; `worst`, who is 0, is "random" unless told
    peers = []                         # other people's programs, against which what was learned plays at the end, where they are installed

    [[games]]
    game = "nim"
    opponents = ["random"]
    best = "perfect"
    methods.traces.hidden = 10         # settings in this game
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

from ludus.errors import LudusError, brief, unknown
from ludus.files import MEGABYTE, check_name, read_regular
from ludus.methods.settings import read, setting
from ludus.quantities import COUNT, COUNT_OR_NONE, DELAY, GAMES, MOVES_OR_NONE

MOST_GAMES = 1_000  # of a suite


@dataclass(frozen=True)
class Budget:
    """What a training may cost. It ends as soon as one of them is used up."""

    games: int = setting(10_000, "games to learn from", GAMES)
    positions: int = setting(0, "positions judged; 0: any number", COUNT_OR_NONE)
    seconds: float = setting(0.0, "seconds of processor time; 0: any number", DELAY)


@dataclass(frozen=True)
class Measuring:
    """How well a learner plays one game is found out so."""

    rounds: int = setting(
        100, "rounds against each opponent at the end; in a round a learner has each seat once", COUNT
    )
    curve_rounds: int = setting(20, "rounds at each earlier point of the learning curve", COUNT)
    points: int = setting(6, "points of the learning curve, each at twice the budget of the one before", COUNT)
    scale_rounds: int = setting(
        1000, "rounds that tell what the worst and the best player score, where the game is not solved", COUNT
    )
    opening: int = setting(
        0, "random moves at the beginning of games against opponents, the same in a whole round", MOVES_OR_NONE
    )
    meeting_opening: int = setting(
        2, "random moves at the beginning of games among methods, which would else be always the same", MOVES_OR_NONE
    )


@dataclass(frozen=True)
class Known:
    """A figure that is known of two players: a bench that does not find it again is broken."""

    player: str = setting("", "who plays")
    opponent: str = setting("", "against whom, in all other seats")
    score: float = setting(0.0, "the mean score that is known")
    rounds: int = setting(500, "rounds to see it again", COUNT)


@dataclass(frozen=True)
class Task:
    """A game of a suite."""

    game: str
    opponents: tuple[str, ...]  # none in a game for one
    best: str  # who is 1
    worst: str  # who is 0
    budget: Budget
    measuring: Measuring
    settings: dict[str, dict[str, Any]]  # of methods, by name
    known: tuple[Known, ...]
    peers: tuple[str, ...] = ()  # other people's programs: not everybody has them, so they count nothing on the scale


@dataclass(frozen=True)
class Suite:
    """The games of a comparison."""

    name: str
    title: str
    text: str  # the file
    tasks: tuple[Task, ...]
    tuning: tuple[Task, ...]  # other games, on which settings are tuned

    def task(self, game: str) -> Task:
        """The task of a game."""
        return next(task for task in (*self.tasks, *self.tuning) if task.game == game)


def suites() -> list[str]:
    """The suites that come with ludus.

    >>> suites()
    ['papers', 'small', 'smoke', 'standard']
    """
    folder = resources.files("ludus.comparing") / "suites"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def read_suite(name: str | Path) -> Suite:
    """The suite of a name, or in a file; LudusError says what is wrong with it.

    >>> [task.game for task in read_suite("smoke").tasks]
    ['tictactoe', 'nim']
    """
    if str(name) in suites():
        text = (resources.files("ludus.comparing") / "suites" / f"{name}.toml").read_text("utf-8")
        return parse_suite(text, str(name), f"suite {name}")
    path = check_name(name)
    if path.suffix != ".toml":
        raise unknown("suite", str(name), [*suites(), "FILE.toml"])
    try:
        text = read_regular(path, MEGABYTE).decode()
    except UnicodeDecodeError as error:
        raise LudusError(f"{path} is not a suite: {brief(error)}") from error
    return parse_suite(text, path.stem, str(path))


def parse_suite(text: str, name: str, where: str) -> Suite:
    """A suite from the text of its file. `where` is how errors call it."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise LudusError(f"{where} is not a suite: {brief(error)}") from error
    try:
        return _suite(values, name, text)
    except LudusError as error:
        raise LudusError(f"{where}: {error}") from None


def _suite(values: dict[str, Any], name: str, text: str) -> Suite:
    _only(values, "a suite", ("title", "budget", "measuring", "methods", "games", "tuning"))
    title = _word(values, "title", name)
    common = {key: _part(values, key) for key in ("budget", "measuring", "methods")}
    tasks = tuple(_task(entry, common) for entry in _games(values, "games"))
    tuning = tuple(_task(entry, common) for entry in (_games(values, "tuning") if "tuning" in values else []))
    seen = [task.game for task in tasks + tuning]
    if twice := sorted({game for game in seen if seen.count(game) > 1}):
        raise LudusError(f"{twice[0]} is in it twice; settings are tuned on other games than those reported")
    return Suite(name, title, text, tasks, tuning)


def _games(values: dict[str, Any], key: str) -> list[dict[str, Any]]:
    entries = values.get(key)
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise LudusError(f"it needs a table [[{key}]] for each game, one at least")
    if len(entries) > MOST_GAMES:
        raise LudusError(f"it has {len(entries):,} games; at most {MOST_GAMES:,} can be compared")
    return entries


def _task(entry: dict[str, Any], common: dict[str, dict[str, Any]]) -> Task:
    _only(entry, "a game", ("game", "opponents", "best", "worst", "budget", "measuring", "methods", "known", "peers"))
    game = _word(entry, "game")
    try:
        budget = read(Budget, common["budget"] | _part(entry, "budget"), "a budget")
        measuring = read(Measuring, common["measuring"] | _part(entry, "measuring"), "measuring")
        opponents, peers = (_players(entry, key) for key in ("opponents", "peers"))
        known = entry.get("known", [])
        if not isinstance(known, list) or not all(isinstance(each, dict) for each in known):
            raise LudusError('known is a list of tables: {player = "td", opponent = "random", score = 0.98}')
        figures = tuple(read(Known, each, "a known figure") for each in known)
        return Task(
            game, opponents, _word(entry, "best"), _word(entry, "worst", "random"), budget, measuring,
            _settings(common["methods"], _part(entry, "methods")), figures, peers,
        )  # fmt: skip
    except LudusError as error:
        raise LudusError(f"{game}: {error}") from None


def _players(entry: dict[str, Any], key: str) -> tuple[str, ...]:
    found = entry.get(key, [])
    if not isinstance(found, list) or not all(isinstance(name, str) and name for name in found):
        raise LudusError(f'{key} is a list of players, as in {key} = ["random"]')
    return tuple(found)


def _settings(common: dict[str, Any], own: dict[str, Any]) -> dict[str, dict[str, Any]]:
    for name, values in (*common.items(), *own.items()):
        if not isinstance(values, dict):
            raise LudusError(f'methods.{name} is a table of settings, as in methods.{name}.encoding = "raw"')
    return {name: common.get(name, {}) | own.get(name, {}) for name in (*common, *(n for n in own if n not in common))}


def _part(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    part = values.get(key, {})
    if not isinstance(part, dict):
        raise LudusError(f"{key} is a table, not {brief(repr(part))}")
    return part


def _word(values: Mapping[str, Any], key: str, usual: str | None = None) -> str:
    value = values.get(key, usual)
    if not isinstance(value, str) or not value.strip():
        raise LudusError(
            f'a line {key} = "…" is missing' if value is None else f"{key} = {brief(repr(value))} is no name"
        )
    return value.strip()


def _only(values: Mapping[str, Any], kind: str, keys: tuple[str, ...]) -> None:
    for key in values:
        if key not in keys:
            raise unknown(f"entry of {kind}", key, keys)


def as_data(thing: Any) -> dict[str, Any]:
    """A budget, say, as files hold it."""
    return {field.name: getattr(thing, field.name) for field in fields(thing)}
