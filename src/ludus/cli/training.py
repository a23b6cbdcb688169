"""The commands that train, and look at what was trained: `train`, `sweep`, `plot`, `table`, `presets` and `methods`.

A command imports for itself what loads Numba or rich, so that help and lists answer at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ludus.cli.options import (
    Changes,
    Game,
    Json,
    Patience,
    Seed,
    Workers,
    at_work,
    console,
    new_app,
    print_json,
    print_list,
    say,
    with_options,
)
from ludus.errors import LudusError
from ludus.games import game as game_of_name
from ludus.methods import METHODS
from ludus.names import installed
from ludus.quantities import GAMES, SEED, UNITS
from ludus.spec import parse

if TYPE_CHECKING:
    from ludus.methods.settings import Described
from ludus.names import load

app = new_app()


class TrainCommand(TyperCommand):
    """`ludus train`, whose help goes on with the settings of a method, or of those that the game's presets use."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the line; `--help` ends that before anything else is known, so what stands beside it is kept first."""
        ctx.meta["ludus.line"] = self.make_parser(ctx).parse_args(list(args))[0]
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the settings below the options."""
        line = ctx.meta.get("ludus.line", {})
        for title, settings in _settings(*(_text(line.get(name)) for name in ("game", "method"))):
            with formatter.section(title):
                formatter.write_dl([_described(setting) for setting in settings])


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _described(setting: Described) -> tuple[str, str]:
    """A setting with its default, as it is typed after --set, and what it means."""
    value = ",".join(map(str, setting.default)) if isinstance(setting.default, list | tuple) else str(setting.default)
    if isinstance(setting.default, bool):
        value = value.lower()
    return f"{setting.name}={value}", setting.help + (f"  [{setting.limits}]" if setting.limits else "")


def _settings(game: str | None, method: str | None) -> Iterator[tuple[str, list[Described]]]:
    """The settings of each method in question, and of any training; nothing where the line names neither game nor method."""
    if game is None and method is None:
        return
    from ludus.lab.config import Training
    from ludus.methods import describe
    from ludus.methods.presets import presets_for
    from ludus.methods.settings import described

    names = [method] if method else [preset.method for preset in presets_for(parse(str(game)).name).values()]
    for name in dict.fromkeys(names):
        yield f"Settings of method '{name}', for --set", describe(name)
    yield "Settings of any training", described(Training)


def _settings_in(changes: list[str] | None) -> dict[str, Any]:
    """What --set was told, by name."""
    from ludus.lab.config import read_change

    values = dict(read_change(change) for change in changes or ())
    for name in values:
        if name in (
            "preset",
            "method",
            "seed",
            "out",
            "resume",
            "progress",
            "tensorboard",
            "over",
            "say",
            "game",
            "jobs",
        ):
            raise LudusError(f"{name} is no setting of a method or a training: --set can't change it")
    return values


@dataclass(frozen=True)
class TrainOptions:
    """What `ludus train` may be told."""

    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game: see 'ludus games'.")] = None
    preset: Annotated[str | None, typer.Option(help="Named settings: see 'ludus presets'.  [default: the first]")] = (
        None
    )
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="How to learn: a method's name, or one of your own, as FILE.py:CLASS or PACKAGE.MODULE:CLASS."
            "  [default: the preset's]",
        ),
    ] = None
    games: Annotated[int | None, typer.Option(help="Games to learn from; unless given, the preset's."), GAMES] = None
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same player.  [default: 1]"), SEED] = None
    out: Annotated[Path | None, typer.Option(help="The run's folder.  [default: runs/GAME-PRESET-SEED]")] = None
    hidden: Annotated[int | None, typer.Option(help="Hidden units."), UNITS] = None
    changes: Changes = None
    resume: Annotated[Path | None, typer.Option(help="Go on with the interrupted run in this folder.")] = None
    code: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE.py:CLASS", help="With --resume: a player of your own whom the run names."),
    ] = None
    workers: Workers = None
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also write event files for TensorBoard.")] = False
    as_json: Json = False

    def given(self) -> dict[str, Any]:
        """What steers a new training and was said, by name."""
        values = {name: getattr(self, name) for name in ("preset", "games", "seed", "out", "hidden")}
        return {name: value for name, value in values.items() if value is not None}


@app.command(cls=TrainCommand)
@with_options
def train(options: TrainOptions) -> None:
    """Train a player.

    Its model, its record and its learning curve go into a folder. Ctrl-C stops after a checkpoint; however a run ends,
    --resume goes on to the same weights.

    \b
    Examples:
      ludus train backgammon --preset mauermann2015 --games 5000 --seed 1 --out runs/first
      ludus train backgammon --hidden 80 --set rate=0.05 --set opponents=random,pubeval
      ludus train --resume runs/first
    """
    from ludus.lab import train as run_training
    from ludus.lab import view
    from ludus.lab.progress import JsonLines

    values = options.given()
    if options.resume is not None and (values or options.changes):
        raise LudusError("--resume takes everything from the run's folder: give no settings beside it")
    values |= _settings_in(options.changes)
    if options.method is not None:
        values["method"] = options.method
    for where in options.code or ():
        load(where, "player")
    progress = JsonLines() if options.as_json else view()
    with at_work(options.workers) as jobs:
        if jobs is not None:
            values["jobs"] = jobs
        run = run_training(
            options.game, resume=options.resume, progress=progress, tensorboard=options.tensorboard, **values
        )
    if not options.as_json:
        print(f"The player:  ludus play {run.config.game} --against {run.player_name}")
        print(f"Its curve:   {run.folder / 'curve.png'}")


@dataclass(frozen=True)
class SweepOptions:
    """What `ludus sweep` may be told."""

    game: Game
    over: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE,…", help="An axis of the grid. Give it again for more.")
    ]
    preset: Annotated[str | None, typer.Option(help="Named settings to start from: see 'ludus presets'.")] = None
    method: Annotated[
        str | None,
        typer.Option(metavar="METHOD", help="Or a method: its name, FILE.py:CLASS or PACKAGE.MODULE:CLASS."),
    ] = None
    games: Annotated[
        int | None, typer.Option(help="Games to learn from at each point; unless given, the preset's."), GAMES
    ] = None
    seed: Seed = 1
    out: Annotated[
        Path | None, typer.Option(help="The sweep's folder.  [default: sweeps/PRESET, or sweeps/METHOD]")
    ] = None
    changes: Changes = None
    workers: Workers = None
    patience: Patience = 600.0
    as_json: Json = False


@app.command()
@with_options
def sweep(options: SweepOptions) -> None:
    """Train at every point of a grid over settings.

    Each point is a run in its own folder. Give the same command again, and what is finished is found, what was interrupted
    goes on.

    \b
    Examples:
      ludus sweep "ludo(rules=ludopy,seats=2)" --preset rossen2022 --over rate=0.1,0.2,0.3 --over discount=0.4,0.8
      ludus sweep backgammon --preset mauermann2015 --over hidden=10,20,40 --games 2000 --out sweeps/hidden
    """
    from ludus.lab.sweep import read_axis
    from ludus.lab.sweep import sweep as run_sweep

    axes: dict[str, list[Any]] = {}
    for text in options.over:
        key, values = read_axis(text)
        if key in axes:
            raise LudusError(f"{key} is swept over twice; give all its values at once, as in --over {key}=1,2")
        axes[key] = values
    common = _settings_in(options.changes)
    if options.games is not None:
        common["games"] = options.games
    label = options.preset or (options.method or "").rpartition(":")[2]
    if not label:
        raise LudusError("say what to sweep: --preset NAME, or --method NAME")
    folder = options.out or Path("sweeps") / label
    with at_work(options.workers, patience=options.patience) as jobs:
        done = run_sweep(
            options.game, options.preset, axes, folder, options.seed, say, method=options.method, jobs=jobs, **common
        )
    if options.as_json:
        print_json(done.to_json())
    else:
        console().print(done.table())
        print(f"The curves:  {folder / 'curves.png'}")


@app.command()
def plot(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a training run.")],
    log: Annotated[bool, typer.Option("--log", help="Games on a logarithmic axis.")] = False,
) -> None:
    """Draw the curve of a training run again.

    \b
    Example:
      ludus plot runs/first --log
    """
    from ludus.lab import Run

    for path in Run.open(folder).plot(log):
        print(path)


@app.command()
def table(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a training run of method 'table'.")],
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A position; unless given, the beginning.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look into a learned table.

    Shows how many states it knows, and what it thinks of each move in a position.

    \b
    Examples:
      ludus train tictactoe --preset wang2018-q
      ludus table runs/tictactoe-wang2018-q-1
      ludus table runs/tictactoe-wang2018-q-1 --position "( cell 2 2 xplayer ) ( control oplayer )" --json
    """
    from ludus.lab.inspect import inspect

    seen = inspect(folder, position)
    if as_json:
        print_json(seen.to_json())
    else:
        console().print(seen.table())


@app.command()
def presets(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Only those for this game.")] = None,
) -> None:
    """List the presets of trainings; for one game, also the settings of their methods.

    \b
    Examples:
      ludus presets
      ludus presets backgammon
    """
    from ludus.methods.presets import ANY, PRESETS, presets_for

    name = None if game is None else parse(game).name
    if game is not None and name not in PRESETS:
        game_of_name(game)  # says what is wrong with a name that is no game's
    tables = PRESETS if name is None else {name: presets_for(name)}
    print_list(
        (f"{'any other game' if owner == ANY else owner} {name}", preset.summary)
        for owner, table in tables.items()
        for name, preset in table.items()
    )
    for title, settings in _settings(game, None):
        print(f"\n{title}:")
        print_list(map(_described, settings))


@app.command("methods")
def list_methods(
    name: Annotated[str | None, typer.Argument(metavar="METHOD", help="Only this one, with its settings.")] = None,
) -> None:
    """List the learning methods; for one of them, its settings.

    \b
    Examples:
      ludus methods
      ludus methods selfplay
      ludus methods mymethod.py:Sarsa
    """
    if name is not None:
        for title, settings in _settings(None, name):
            print(f"{title}:")
            print_list(map(_described, settings))
        return
    own = [(method, entry.summary) for method, entry in METHODS.items()]
    others = [
        (method, f"of an installed package: {point.value}") for method, point in installed("ludus.methods").items()
    ]
    print_list([*own, *others, ("FILE.py:CLASS", "a method of your own: see docs/methods.md")])
