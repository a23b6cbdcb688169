"""The jobs of a comparison. Each is a function that a worker process calls, writes one file of results, and does nothing where that is there
already: so a comparison may end anywhere, in any way, and goes on with what is missing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus import names
from ludus.batch import Games
from ludus.batch.games import LIMIT
from ludus.comparing.checking import Effort, check_method, check_players, planned_checks
from ludus.comparing.entrants import Entrant
from ludus.comparing.results import folder_name, read_json
from ludus.comparing.suite import Suite, Task
from ludus.comparing.training import COSTS, Training, measure, reason, seed_of, write_json
from ludus.contract.rules import chances
from ludus.errors import LudusError
from ludus.kernel import below, stream
from ludus.lab.run import Run
from ludus.matches import contest
from ludus.matches.flight import Manner
from ludus.matches.statistics import win_shares
from ludus.scale.processes import Tell
from ludus.search.solve import remembered

LOOKS = 200  # random games that show what a game demands
CHANCE_LOOKS = 10  # of them, played move by move, that show how much of it is left to chance


@dataclass(frozen=True)
class Bench:
    """What a comparison consists of: all that its jobs need to know."""

    folder: str
    suite: Suite
    entrants: tuple[Entrant, ...]
    seeds: int
    seed: int
    patience: float  # seconds by the clock that a method may take for one unit of games
    tune: int = 0  # trials of settings of each method
    against: str = ""  # the leaderboard, or the folder of another comparison

    def entrant(self, label: str) -> Entrant:
        """The method of a label."""
        return next(each for each in self.entrants if each.label == label)

    def path(self, *parts: Any) -> Path:
        """A place in the folder."""
        return Path(self.folder, *(folder_name(str(part)) for part in parts))

    def cell(self, game: str, label: str, seed: int) -> Path:
        """The folder of a training."""
        return self.path("cells", game, label, seed)


@dataclass(frozen=True)
class Job:
    """A piece of work."""

    where: str  # the function that does it, `module:name`
    arguments: tuple[Any, ...]
    title: str  # what it is about
    done: Path  # the file that shows it is done
    kind: str = ""  # jobs of one kind take about as long
    expected: float = 0.0  # seconds; 0: nobody knows
    of_method: bool = False  # it runs a method: if that ends the worker, only this job has failed


def _load_code(bench: Bench) -> None:
    for entrant in bench.entrants:  # which the user has named to the caller
        if entrant.is_code and not entrant.missing:
            names.load(entrant.method, "method")


# --- checks and scales ------------------------------------------------------------------------------------------------


def check_entrant(bench: Bench, game: str, label: str, tell: Tell) -> None:
    """See that a method does what a method must, in a game: what is wrong with it, if anything, is written down."""
    _load_code(bench)
    found = check_method(bench.suite.task(game), bench.entrant(label), seed_of(bench.seed, "check", game, label), tell)
    costs = {"seconds_a_game": found.pop("seconds_a_game", 0.0)}  # which are measured, and kept apart from results
    write_json(bench.path("checks", game, label, COSTS), costs)
    write_json(bench.path("checks", game, f"{label}.json"), found)


def prepare(bench: Bench, game: str, tell: Tell) -> None:
    """See that the bench is right in a game, and find out what the worst and the best player score against each opponent and what the game
    demands. LudusError if something is wrong: then nothing is compared at all.
    """
    task = bench.suite.task(game)
    made = game_registry.game(game)
    known = _solution(made, task)
    rounds, effort = task.measuring.scale_rounds, Effort(made, tell)
    ends_of = [(who, opponent) for opponent in task.opponents or ("",) for who in (task.worst, task.best)]
    measured = [
        [who] + [opponent] * (made.facts.seats - 1) for who, opponent in ends_of if (who, opponent) not in known
    ]
    for seats, number in [*planned_checks(task, made.facts.seats), *((each, rounds) for each in measured)]:
        effort.plan(seats, number)
    said = check_players(task, seed_of(bench.seed, "check", game), effort)
    write_json(bench.path("checks", f"{game}.json"), {"said": said})
    scales = {}
    for opponent in task.opponents or ("",):
        ends = []
        for who in (task.worst, task.best):
            tell(f"{game}: {who}")
            exact = known.get((who, opponent))
            if exact is None:
                seed = seed_of(bench.seed, "scale", game, who, opponent)
                seats = [who] + [opponent] * (made.facts.seats - 1)
                progress = effort.begin(seats, rounds)
                ends.append(float(measure(made, seats, seed, rounds, task.measuring.opening, progress).mean()))
            else:
                ends.append(exact)
        exact_ends = all((who, opponent) in known for who in (task.worst, task.best))
        if ends[0] == ends[1]:
            raise LudusError(
                f"{game}: {task.worst} and {task.best} score the same against {opponent or 'nobody'}: there is no scale between them"
            )
        scales[opponent] = {"low": ends[0], "high": ends[1], "exact": exact_ends, "rounds": 0 if exact_ends else rounds}
    write_json(bench.path("scales", f"{game}.json"), {"scales": scales, "demands": _demands(made, bench.seed)})


def _solution(game: Any, task: Task) -> dict[tuple[str, str], float]:
    """What is known exactly of players against each other, where a game is solved and begins as its rules say."""
    if task.best != "perfect" or task.measuring.opening:
        return {}
    found, _ = remembered(game)
    return {
        ("random", "random"): found.mean("random"),
        ("perfect", "random"): found.mean("safe"),
        ("perfect", "perfect"): found.mean("value"),
    }


def _demands(game: Any, seed: int) -> dict[str, float]:
    """What random players meet in a game."""
    facts = game.facts
    played = Games(game, seed=seed_of(seed, "demands"), count=LOOKS, slots=LOOKS)
    batch = played.begin()
    decisions = moves = joint = 0
    while len(batch):
        _, first = np.unique(batch.slots, return_index=True)
        together = len(batch) - len(first)
        legal = batch.legal()
        decisions += len(first)
        moves += int(np.diff(legal.starts)[first].sum())
        joint += len(first) if together else 0
        batch = played.step(batch.random_moves())
    return {
        "seats": facts.seats,
        "chance": _bits_of_chance(game, seed) if facts.max_chances else 0.0,
        "branching": moves / max(decisions, 1),
        "length": decisions / LOOKS,
        "joint": joint / max(decisions, 1),
    }


def _bits_of_chance(game: Any, seed: int) -> float:
    """How much is left to chance: bits that dice and the like decide, for each decision of a random player."""
    most, rng = game.facts.max_chances, stream(seed_of(seed, "chance"))
    outcomes, odds = np.zeros(most, np.int64), np.zeros(most)
    bits, decisions = 0.0, 0
    for _ in range(CHANCE_LOOKS):
        position = game.start()
        for _ in range(LIMIT):
            if position.over:
                break
            if position.kind == "chance":
                likely = odds[: chances(game, position.state.copy(), outcomes, odds)]
                bits -= float((likely * np.log2(likely)).sum())
                position = position.roll(rng)
                continue
            decisions += 1
            seats = range(game.facts.seats) if position.kind == "joint" else [position.turn]
            drawn = [legal[below(rng, len(legal))] for legal in (position.moves(seat) for seat in seats)]
            position = position.play(drawn if position.kind == "joint" else drawn[0])
    return bits / max(decisions, 1)


# --- trainings --------------------------------------------------------------------------------------------------------


def train(bench: Bench, game: str, label: str, seed: int, tell: Tell) -> None:
    """Train a method in a game with one seed. What goes wrong is written down as its result."""
    path = bench.cell(game, label, seed)
    _load_code(bench)
    train_in(path, bench.suite.task(game), bench.entrant(label), seed, bench.seed, tell)


def train_in(path: Path, task: Task, entrant: Entrant, seed: int, bench_seed: int, tell: Tell) -> None:
    """Train in a folder."""
    try:
        Training(path, task, entrant, seed, bench_seed).go(tell)
    except Exception as error:  # whatever a method does, the others go on
        write_json(path / "result.json", {"failure": reason(error)})


# --- methods among each other -----------------------------------------------------------------------------------------


def meet(bench: Bench, game: str, seed: int, tell: Tell) -> None:
    """Let the trainings of one seed play each other."""
    _load_code(bench)
    task, made = bench.suite.task(game), game_registry.game(game)
    seats, rounds = made.facts.seats, task.measuring.rounds
    ready = [entrant.label for entrant in bench.entrants if _has_player(bench, game, entrant.label, seed)]
    players = {label: _player(bench, game, label, seed) for label in ready}
    tables = []
    for group in itertools.combinations(ready, min(seats, len(ready))) if seats > 1 and len(ready) > 1 else ():
        if seats % len(group):
            continue
        tell(f"{game}: {' against '.join(group)}")
        entry = contest.enter(made, [players[label] for label in group] * (seats // len(group)))
        number = seed_of(bench.seed, "meeting", game, list(group), seed)
        manner = Manner(opening=task.measuring.meeting_opening, paired=True)
        scores = contest.play(entry, number, range(rounds * seats), 1, None, manner).scores
        shares = win_shares(scores, made.facts.score_range[1])
        tables.append(
            {
                "players": group,
                "scores": _by_round(scores, seats, len(group)),
                "shares": _by_round(shares, seats, len(group)),
            }
        )
    write_json(bench.path("meetings", game, f"{seed}.json"), {"tables": tables})


def meet_peer(bench: Bench, game: str, peer: str, seed: int, tell: Tell) -> None:
    """Let the trainings of one seed play another program, all with the same dice."""
    _load_code(bench)
    task, made = bench.suite.task(game), game_registry.game(game)
    number = seed_of(bench.seed, "peer", game, peer, seed)
    found = {}
    for label in (entrant.label for entrant in bench.entrants if _has_player(bench, game, entrant.label, seed)):
        tell(f"{game}: {label} against {peer}")
        seats = [_player(bench, game, label, seed)] + [peer] * (made.facts.seats - 1)
        found[label] = measure(made, seats, number, task.measuring.rounds, task.measuring.opening).tolist()
    write_json(bench.path("peers", game, peer, f"{seed}.json"), found)


def _by_round(values: np.ndarray, seats: int, players: int) -> Any:
    """Means over the seatings of a round; those who sit there several times are added up."""
    by_player = values.reshape(len(values), seats // players, players).sum(axis=1)
    return by_player.reshape(-1, seats, players).mean(axis=1).round(12).tolist()


def _has_player(bench: Bench, game: str, label: str, seed: int) -> bool:
    path = bench.cell(game, label, seed)
    return (
        (path / "result.json").exists()
        and (path / "model.safetensors").exists()
        and "points" in read_json(path / "result.json")
    )


def _player(bench: Bench, game: str, label: str, seed: int) -> Any:
    task, entrant = bench.suite.task(game), bench.entrant(label)
    made = game_registry.game(game)
    planned = entrant.planned(task, made, seed_of(bench.seed, "training", game, seed))
    return Run(bench.cell(game, label, seed), planned.config, planned.game, type(planned.method), named=True).player()
