"""The command `compare`: is my method better?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import Json, Workers, at_work, console, new_app, print_json, say, with_options
from ludus.comparing.listening import Listener, duration
from ludus.errors import LudusError
from ludus.quantities import CORES, COUNT, COUNT_OR_NONE, SECONDS, SEED

if TYPE_CHECKING:
    from ludus.comparing.jobs import Job

app = new_app()

EVERY = 30.0  # seconds from one line to the next where nothing moves on the screen


@dataclass(frozen=True)
class CompareOptions:
    """What `ludus compare` may be told."""

    methods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METHOD",
            help="Methods or presets, with settings where you like: traces, 'selfplay(hidden=80)', FILE.py:CLASS. The first is the one you ask about.",
        ),
    ] = None
    suite: Annotated[
        str | None,
        typer.Option(help="Games to compare on: smoke, small, standard, papers, or a FILE.toml.  [default: small]"),
    ] = None
    seeds: Annotated[int | None, typer.Option(help="Trainings of each method in each game.  [default: 10]"), COUNT] = (
        None
    )
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same result.  [default: 1]"), SEED] = None
    out: Annotated[Path | None, typer.Option(help="The folder of the comparison.  [default: bench/METHOD-SUITE]")] = (
        None
    )
    resume: Annotated[
        Path | None,
        typer.Option(help="Go on with the comparison in this folder. Name methods that are your own code again."),
    ] = None
    report: Annotated[
        Path | None, typer.Option(help="Write the report of the comparison in this folder anew, as far as it is.")
    ] = None
    tune: Annotated[
        int | None,
        typer.Option(help="First try so many settings of each method, on other games and seeds (needs optuna)."),
        COUNT_OR_NONE,
    ] = None
    against: Annotated[
        str | None,
        typer.Option(
            metavar="published|FOLDER",
            help="Set the methods beside those of the leaderboard, or of another comparison.",
        ),
    ] = None
    jobs: Annotated[int | None, typer.Option(help="Cores to use; unless given, all. Changes no result."), CORES] = None
    workers: Workers = None
    patience: Annotated[
        float | None,
        typer.Option(help="Seconds after which a method that learns nothing new is given up.  [default: 600]"),
        SECONDS,
    ] = None
    as_json: Json = False


@app.command()
@with_options
def compare(options: CompareOptions) -> None:
    """Compare learning methods: which is better, where, by how much, how sure, at what cost.

    Each is trained many times in each game of a suite, within the same budget, and measured against fixed players and the others. The
    report is in the folder: report.html, report.md, report.tex, and every game in games.csv. Ctrl-C loses nothing; --resume goes on to the
    same bytes.

    \b
    Examples:
      ludus compare mymethod.py:Sarsa traces selfplay --suite small --seeds 10 --out bench/sarsa
      ludus compare mymethod.py:Sarsa --suite small --against published
      ludus compare --resume bench/sarsa mymethod.py:Sarsa
      ludus compare --report bench/sarsa
    """
    from ludus.comparing.loading import load

    methods = options.methods or []
    if options.report is not None:
        _only(options, "report")
        _finish(load(options.report), options.as_json)
        return
    with at_work(options.workers, options.jobs) as jobs:
        found = _compared(options, methods, jobs)
    _finish(found, options.as_json)


def _compared(options: CompareOptions, methods: list[str], jobs: Any) -> Any:
    """The comparison, made now or gone on with."""
    from ludus.comparing.running import compare, resume

    listener = Lines(options.as_json)
    if options.resume is not None:
        _only(options, "resume")
        return resume(options.resume, methods, jobs, listener)
    if not methods:
        raise LudusError("name the methods to compare, as in: ludus compare mymethod.py:Sarsa traces")
    suite = options.suite or "small"
    out = options.out or Path("bench") / f"{_short(methods[0])}-{Path(suite).stem}"
    given: dict[str, Any] = {name: getattr(options, name) for name in ("seeds", "seed", "patience", "tune", "against")}
    told = {name: value for name, value in given.items() if value is not None}
    return compare(methods, suite, out, jobs=jobs, listener=listener, **told)


def _short(method: str) -> str:
    name = method.partition("(")[0].rpartition(":")[2].lower()
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)


def _only(options: CompareOptions, name: str) -> None:
    """LudusError if something is given that a comparison which is there already does not take."""
    for other in ("suite", "seeds", "seed", "out", "tune", "against", "patience", "resume", "report"):
        if other != name and getattr(options, other) is not None:
            raise LudusError(f"--{name} takes everything from the folder: leave --{other} out")


def _finish(found: Any, as_json: bool) -> None:
    from ludus.comparing.judging import judge
    from ludus.comparing.loading import beside, others
    from ludus.comparing.report import write_report

    if found.plan["against"]:
        found = beside(found, others(found.plan["against"], found.suite.name))
    judgement = judge(found)
    paths = write_report(found, judgement, found.folder)
    if as_json:
        print_json(judgement.to_json())
        return
    console().print(judgement.table())
    print(judgement.sentence)
    print(f"The report:  {next(path for path in paths if path.suffix == '.html')}")


class Lines(Listener):
    """Says how a comparison goes: on a terminal by a bar that moves, elsewhere by a line now and then."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.last = 0.0
        self.bar: Any = None

    def begin(self, phase: str, jobs: Sequence[Job], left: int) -> None:
        """See `ludus.comparing.crew.Listener`."""
        self.last = time.monotonic()
        if self.quiet or not left:
            return
        done = len(jobs) - left
        say(f"{phase}: {left} to do" + (f", {done} done before" if done else ""))
        errors = console(stderr=True)
        if errors.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[left]}"),
                console=errors,
                transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task(phase, total=len(jobs), completed=done, left="")

    def told(self, phase: str, done: int, left: float | None, doing: str) -> None:
        """See `ludus.comparing.crew.Listener`."""
        words = "" if left is None else f"about {duration(left)} left"
        if self.bar is not None:
            self.bar.update(self.task, completed=done, left=f"{words}  {doing}"[:80])
        elif not self.quiet and time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            say(f"{phase}: {done} done{', ' + words if words else ''}; now {doing}")

    def finished(self, phase: str) -> None:
        """See `ludus.comparing.crew.Listener`."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None

    def note(self, text: str) -> None:
        """See `ludus.comparing.crew.Listener`."""
        if not self.quiet:
            say(text)
