"""Makes a comparison: works out what there is to do, has workers do it, and reads back what came of it.

    result = ludus.compare(["mymethod.py:Sarsa", "traces"], suite="smoke", out="bench/sarsa")

Everything is in the folder, a file a piece of work. Whoever asks again goes on with what is missing.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ludus import __version__
from ludus import games as game_registry
from ludus.comparing.crew import Crew
from ludus.comparing.entrants import Entrant, entrants
from ludus.comparing.jobs import Bench, Job
from ludus.comparing.listening import Listener, duration
from ludus.comparing.loading import load, others
from ludus.comparing.results import PLAN, Comparison, read_json
from ludus.comparing.suite import Suite, parse_suite, read_suite
from ludus.comparing.training import COSTS, RESULT, tidy, write_json
from ludus.comparing.tuning import cost as tuning_cost
from ludus.comparing.tuning import tuned
from ludus.errors import LudusError, NotInstalledError
from ludus.files import check_name
from ludus.matches.statistics import seeds_needed
from ludus.methods import setting, settings
from ludus.players import player
from ludus.quantities import COUNT, COUNT_OR_NONE, SECONDS, SEED
from ludus.quantities import cores as cores_here
from ludus.scale.shards import Executor

FORMAT = 1
SEEDS = 10
PILOT = 3  # seeds that tell how many are needed
SMALL = 0.1  # a difference on the scale from the worst to the best player that somebody would care for


@dataclass(frozen=True)
class More:
    """What else a comparison may be told."""

    tune: int = setting(0, "trials of settings of each method, on other games", COUNT_OR_NONE)
    against: str = setting("", "what it is set beside: published, or the folder of another comparison")
    patience: float = setting(600.0, "seconds after which a method that learns nothing new is given up", SECONDS)


def compare(
    methods: Sequence[Any],
    suite: str | Path | Suite = "small",
    out: str | Path = "bench",
    seeds: int = SEEDS,
    seed: int = 1,
    jobs: int | Executor | None = None,
    listener: Listener | None = None,
    **more: Any,
) -> Comparison:
    """Compare methods on a suite of games, and keep everything in the folder `out`.

    `methods` are names (`"traces"`, `"selfplay(hidden=80)"`, `"mymethod.py:Sarsa"`) or classes and objects; the first is the one that somebody
    asks about. Each is trained with `seeds` seeds in each game. `jobs` is the number of cores, all of them unless told, or who does the work elsewhere,
    such as `ludus.workers("ray")`; it changes no result.
    Further keywords are those of `More`: `tune`, `against` and `patience`. Called again with the same arguments it goes on where it was.

    >>> import ludus, tempfile
    >>> found = ludus.compare(["table"], suite="smoke", out=tempfile.mkdtemp(), seeds=2)
    >>> sorted({cell.game for cell in found.cells.values() if cell.finished})
    ['nim', 'tictactoe']
    """
    seeds, seed = COUNT.read(seeds, f"seeds={seeds}"), SEED.read(seed, f"seed={seed}")
    told = settings.read(More, more, "a comparison")
    read = suite if isinstance(suite, Suite) else read_suite(suite)
    if told.tune and not read.tuning:
        raise LudusError(f"suite {read.name} names no games to tune settings on: it needs a table [[tuning]] for each")
    if told.against:
        others(told.against, read.name)  # what is not there is said before anything is done
    for task in read.tasks:
        game_registry.game(task.game)  # what can't be played is said before anything is done
    bench = Bench(str(check_name(out)), read, entrants(methods), seeds, seed, told.patience, told.tune, told.against)
    claim(bench)
    return go_on(bench, jobs, listener)


def resume(
    folder: str | Path,
    methods: Sequence[Any] = (),
    jobs: int | Executor | None = None,
    listener: Listener | None = None,
) -> Comparison:
    """Go on with the comparison in a folder. Methods of somebody's own are named again, as no code is loaded because a folder says so."""
    bench = bench_in(Path(folder), methods)
    return go_on(bench, jobs, listener)


def go_on(bench: Bench, jobs: int | Executor | None = None, listener: Listener | None = None) -> Comparison:
    """Do whatever is not done yet."""
    listener = listener or Listener()
    if isinstance(jobs, Executor):  # who may work in another folder
        bench = replace(bench, folder=str(Path(bench.folder).resolve()))
    games = [task.game for task in bench.suite.tasks]
    tuning = [task.game for task in bench.suite.tuning] if bench.tune else []
    with Crew(jobs, bench.patience, Path(bench.folder) / PLAN, listener) as crew:
        crew.do(
            "checking the bench, and its scales", [_job("prepare", "scales", bench, game) for game in games + tuning]
        )
        if bench.tune:
            bench = replace(bench, entrants=tuple(tuned(bench, entrant, crew.do) for entrant in bench.entrants))
            for entrant in bench.entrants:
                write_json(bench.path("tuning", entrant.label, "cost.json"), tuning_cost(bench, entrant.label))
        pairs = [(game, entrant.label) for game in games for entrant in bench.entrants]
        crew.do("checking the methods", [_job("check_entrant", "checks", bench, *pair) for pair in pairs])
        sound = [pair for pair in pairs if not _unsound(bench, *pair)]
        if not sound:
            raise _refusal(bench, *pairs[0])
        _tell_of(bench, sound, crew.executor.places, listener)
        pilot = min(PILOT, bench.seeds)
        for first, last in ((1, pilot), (pilot + 1, bench.seeds)):
            cells = [(game, label, seed) for seed in range(first, last + 1) for game, label in sound]
            crew.do(
                "training" if first > 1 or last == bench.seeds else "training, first seeds", _trainings(bench, cells)
            )
            if last == pilot < bench.seeds:
                listener.note(pilot_note(load(bench.folder)))
        for lock in Path(bench.folder).rglob(".lock"):  # of trainings that were killed after they had finished
            tidy(lock.parent)
        meetings = [(game, seed) for game in games for seed in range(1, bench.seeds + 1)]
        crew.do("methods among each other", [_meeting(bench, *meeting) for meeting in meetings])
        peers = [
            (task.game, peer)
            for task in bench.suite.tasks
            for peer in task.peers
            if _is_here(task.game, peer, listener)
        ]
        foreign = [(*peer, seed) for peer in peers for seed in range(1, bench.seeds + 1)]
        crew.do("methods against other programs", [_foreign(bench, *each) for each in foreign])
    return load(bench.folder)


def _unsound(bench: Bench, game: str, label: str) -> bool:
    found = read_json(bench.path("checks", game, f"{label}.json"))
    return "skipped" in found or "failure" in found


def _refusal(bench: Bench, game: str, label: str) -> LudusError:
    found = read_json(bench.path("checks", game, f"{label}.json"))
    why = found.get("skipped") or found.get("failure")
    return LudusError(f"there is nothing to compare: no method can learn any of the games; {label} in {game}: {why}")


def pilot_note(found: Comparison) -> str:
    """What the first seeds say about how many are needed."""
    spreads = [
        float(found.final(game.name, method.label).mean(axis=1).std(ddof=1))
        for game in found.games
        for method in found.methods
        if len(found.of(game.name, method.label)) > 1
    ]
    usual = float(np.sqrt(np.mean(np.square(spreads)))) if spreads else 0.0
    if usual == 0:
        return "The first seeds differ in nothing: few seeds will do."
    needed = seeds_needed(SMALL, usual)
    return (
        f"After {PILOT} seeds: to see a difference of {SMALL:g} in one game in 8 of 10 comparisons takes about {needed} seeds; "
        f"this comparison has {found.plan['seeds']}."
    )


def _job(name: str, folder: str, bench: Bench, *about: str) -> Job:
    *folders, last = about
    done = bench.path(folder, *folders, f"{last}.json")
    own = name == "check_entrant"
    return Job(f"ludus.comparing.jobs:{name}", (bench, *about), ": ".join(about), done, about[0] + name, of_method=own)


def _expected(bench: Bench, game: str, label: str) -> float:
    """Seconds that a training will take, by what a few games of it took."""
    costs = read_json(bench.path("checks", game, label, COSTS))
    return costs["seconds_a_game"] * bench.suite.task(game).budget.games


def _tell_of(bench: Bench, sound: list[tuple[str, str]], workers: int, listener: Listener) -> None:
    """Say how long all trainings that are still to be done will take."""
    left = [
        _expected(bench, *pair)
        for pair in sound
        for seed in range(1, bench.seeds + 1)
        if not (bench.cell(*pair, seed) / RESULT).exists()
    ]
    if left:
        seconds = max(sum(left) / workers, max(left))
        listener.note(f"{len(left)} trainings: they will take {duration(seconds)} or more, by what a few games took.")


def _trainings(bench: Bench, cells: list[tuple[str, str, int]]) -> list[Job]:
    return [
        Job(
            "ludus.comparing.jobs:train", (bench, game, label, seed), f"{label} in {game}, seed {seed}",
            bench.cell(game, label, seed) / RESULT, f"{game}/{label}", _expected(bench, game, label), of_method=True,
        )
        for game, label, seed in cells
    ]  # fmt: skip


def _meeting(bench: Bench, game: str, seed: int) -> Job:
    done = bench.path("meetings", game, f"{seed}.json")
    return Job("ludus.comparing.jobs:meet", (bench, game, seed), f"{game}, seed {seed}", done, game)


def _foreign(bench: Bench, game: str, peer: str, seed: int) -> Job:
    done = bench.path("peers", game, peer, f"{seed}.json")
    return Job("ludus.comparing.jobs:meet_peer", (bench, game, peer, seed), f"{game}, {peer}, seed {seed}", done, peer)


def _is_here(game: str, peer: str, listener: Listener) -> bool:
    """Whether another program can play; not everybody has it."""
    try:
        player(peer, game_registry.game(game))
    except NotInstalledError as error:
        listener.note(f"{game} is not played against {peer}: {error}")
        return False
    return True


# --- the folder -------------------------------------------------------------------------------------------------------


def described(bench: Bench) -> dict[str, Any]:
    """What a comparison depends on, as its folder says it."""
    return {
        "format": FORMAT,
        "suite": bench.suite.name,
        "suite_text": bench.suite.text,
        "methods": [_entrant_data(entrant) for entrant in bench.entrants],
        "seeds": bench.seeds,
        "seed": bench.seed,
        "patience": bench.patience,
        "tune": bench.tune,
        "against": bench.against,
        "ludus": __version__,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in ("numpy", "numba")}},
        "machine": {"system": platform.system(), "processor": _processor(), "cores": cores_here()},
    }


def _entrant_data(entrant: Entrant) -> dict[str, Any]:
    return {
        "label": entrant.label, "given": entrant.given, "method": entrant.method, "preset": entrant.preset,
        "settings": entrant.settings, "code": entrant.code(), "missing": entrant.missing,
    }  # fmt: skip


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def claim(bench: Bench) -> None:
    """Make sure that a folder is this comparison's own."""
    path = Path(bench.folder) / PLAN
    ours = described(bench)
    if path.exists():
        theirs = read_json(path)
        for key in ("format", "suite_text", "methods", "seeds", "seed", "patience", "tune", "against"):
            if not isinstance(theirs, dict) or _essence(theirs.get(key)) != _essence(ours[key]):
                what = "suite" if key == "suite_text" else key
                raise LudusError(f"{bench.folder} holds another comparison: its {what} differ; choose another folder")
        return
    folder = Path(bench.folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LudusError(f"{folder} is not an empty folder; choose another one for the comparison")
    write_json(path, ours)


def _again(each: dict[str, Any], named: dict[str, Entrant], folder: Path) -> Entrant:
    """A method of a comparison that goes on. One that is somebody's own code has to be named again, and must not have changed."""
    kept = ("label", "given", "method", "preset", "settings", "missing")
    entrant = Entrant(**{key: each[key] for key in kept})
    if not entrant.is_code or entrant.missing:
        return entrant
    if entrant.label not in named:
        raise LudusError(
            f"{entrant.given} is code, which is loaded only when you name it: add it, as in --resume {folder} {entrant.given}"
        )
    if named[entrant.label].code() != each["code"]:
        raise LudusError(f"the code of {entrant.label} has changed since the comparison began: begin another one")
    return named[entrant.label]


def _essence(value: Any) -> Any:
    """What must be the same: of methods, not where their code lies, but its hash."""
    if not isinstance(value, list):
        return value
    return [{k: v for k, v in each.items() if k not in ("method", "given")} for each in value]


def bench_in(folder: Path, methods: Sequence[Any] = ()) -> Bench:
    """The comparison in a folder. Methods of somebody's own must be named again."""
    path = check_name(folder) / PLAN
    if not path.exists():
        raise LudusError(f"there is no comparison in {folder}: it has no {PLAN}")
    plan = read_json(path)
    try:
        if plan["format"] != FORMAT:
            raise LudusError(f"{path} has format {plan['format']}; this ludus reads format {FORMAT}")
        suite = parse_suite(plan["suite_text"], plan["suite"], str(path))
        named = {entrant.label: entrant for entrant in (entrants(methods) if methods else ())}
        made = tuple(_again(each, named, folder) for each in plan["methods"])
        numbers = (plan[key] for key in ("seeds", "seed", "patience", "tune", "against"))
        return Bench(str(folder), suite, made, *numbers)
    except (KeyError, TypeError, AttributeError) as error:
        raise LudusError(f"{path} is damaged: {error}") from None
