"""The command line: parses, calls, prints. What is done lies in the rooms that each command imports for itself, so that
help and lists answer at once: Numba alone takes most of a second.

What is wrong with a command line is answered by `ludus.cli.usage`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus import __version__
from ludus.cli.gdl import app as gdl
from ludus.cli.ggp import app as ggp
from ludus.cli.usage import Commands, run
from ludus.errors import LudusError

if TYPE_CHECKING:
    from rich.console import Console


# Without rich's markup, help takes 0.1 s instead of 0.3 s.
app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode=None)
app.add_typer(gdl, name="gdl")
app.add_typer(ggp, name="ggp")

Game = Annotated[
    str, typer.Argument(metavar="GAME", help="A game, with parameters where it has any: see 'ludus games'.")
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else.")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit with 0, 1 (could not go on), 2 (bad input) or 130 (interrupted)."""
    run(app, arguments)


def _print_json(value: Any) -> None:
    print(json.dumps(value))


def _console(**options: Any) -> Console:
    from rich.console import Console

    return Console(**options)


def _list(rows: Iterable[tuple[str, str]]) -> None:
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(f"{name:<{width}}  {text}")


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False
) -> None:
    """A school for board games: machines learn them, people play, watch and compare.

    \b
    Begin with:
      ludus demo                              a player learns backgammon before your eyes
      ludus play backgammon                   play against the best one
      ludus arena backgammon td random        let players play each other
    """
    if version:
        print(f"ludus {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


# --- learning --------------------------------------------------------------------------------------------------------


@app.command()
def train(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game: see 'ludus games'.")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Named settings: see 'ludus presets'.  [default: the first]")
    ] = None,
    games: Annotated[int | None, typer.Option(help="Games to learn from; unless given, the preset's.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same player.  [default: 1]")] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder.  [default: runs/GAME-PRESET-SEED]")] = None,
    hidden: Annotated[int | None, typer.Option(help="Hidden units.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the interrupted run in this folder.")] = None,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also write event files for TensorBoard.")] = False,
    as_json: Json = False,
) -> None:
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
    from ludus.lab.config import read_change
    from ludus.lab.progress import JsonLines

    given = {"preset": preset, "games": games, "seed": seed, "out": out, "hidden": hidden}
    values: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if resume is not None and (values or changes or game is not None):
        raise LudusError("--resume takes everything from the run's folder: give no game and no settings beside it")
    values |= dict(read_change(change) for change in changes or ())
    progress = JsonLines() if as_json else view()
    run = run_training(game, resume=resume, progress=progress, tensorboard=tensorboard, **values)
    if not as_json:
        print(f"The player:  ludus play {run.config.game} --against {run.player_name}")
        print(f"Its curve:   {run.folder / 'curve.png'}")


@app.command()
def sweep(
    game: Game,
    preset: Annotated[str, typer.Option(help="Named settings to start from: see 'ludus presets'.")],
    over: Annotated[
        list[str], typer.Option(metavar="NAME=VALUE,…", help="An axis of the grid. Give it again for more.")
    ],
    games: Annotated[
        int | None, typer.Option(help="Games to learn from at each point; unless given, the preset's.")
    ] = None,
    seed: Seed = 1,
    out: Annotated[Path | None, typer.Option(help="The sweep's folder.  [default: sweeps/PRESET]")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting.")] = None,
    as_json: Json = False,
) -> None:
    """Train at every point of a grid over settings.

    Each point is a run in its own folder. Give the same command again, and what is finished is found, what was interrupted
    goes on.

    \b
    Examples:
      ludus sweep "ludo(rules=ludopy,seats=2)" --preset rossen2022 --over rate=0.1,0.2,0.3 --over discount=0.4,0.8
      ludus sweep backgammon --preset mauermann2015 --over hidden=10,20,40 --games 2000 --out sweeps/hidden
    """
    from ludus.lab.config import read_change
    from ludus.lab.sweep import read_axis
    from ludus.lab.sweep import sweep as run_sweep

    axes: dict[str, list[Any]] = {}
    for text in over:
        key, values = read_axis(text)
        if key in axes:
            raise LudusError(f"{key} is swept over twice; give all its values at once, as in --over {key}=1,2")
        axes[key] = values
    common = dict(read_change(change) for change in changes or ())
    if games is not None:
        common["games"] = games
    folder = out or Path("sweeps") / preset
    done = run_sweep(
        game, preset, axes, folder, seed, say=lambda line: print(line, file=sys.stderr, flush=True), **common
    )
    if as_json:
        _print_json(done.to_json())
    else:
        _console().print(done.table())
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
      ludus table runs/tictactoe-wang2018-q-1
      ludus table runs/tictactoe-wang2018-q-1 --position "( cell 2 2 x ) ( control o ) …" --json
    """
    from ludus.lab.inspect import inspect

    seen = inspect(folder, position)
    if as_json:
        _print_json(seen.to_json())
    else:
        _console().print(seen.table())


@app.command()
def presets(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Only those for this game.")] = None,
) -> None:
    """List the presets of trainings."""
    from ludus.methods.presets import ANY, PRESETS, presets_for
    from ludus.spec import parse

    name = None if game is None else parse(game).name
    if game is not None and name not in PRESETS:
        from ludus.games import game as game_of_name

        game_of_name(game)  # says what is wrong with a name that is no game's
    tables = PRESETS if name is None else {name: presets_for(name)}
    _list(
        (f"{'any other game' if owner == ANY else owner} {preset}", s.summary)
        for owner, table in tables.items()
        for preset, s in table.items()
    )


# --- playing ---------------------------------------------------------------------------------------------------------


@app.command()
def arena(
    game: Game,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Players: see 'ludus players'.")],
    games: Annotated[int, typer.Option(help="How many games.")] = 1000,
    seed: Seed = 1,
    opening: Annotated[
        int, typer.Option(help="Random moves at the beginning of a game, for players that always move alike.")
    ] = 0,
    jobs: Annotated[int | None, typer.Option(help="Cores to use; unless given, all. Changes no result.")] = None,
    as_json: Json = False,
) -> None:
    """Let players play each other.

    Seats rotate, and each figure says how sure it is.

    \b
    Examples:
      ludus arena backgammon td random --games 10000 --seed 1
      ludus arena backgammon td:runs/first "td(plies=1)" --json
      ludus arena quoridor "td(seconds=0.1)" "alphabeta(seconds=0.1)" --games 200 --opening 4
    """
    from rich.progress import Progress

    from ludus.matches import arena as contest
    from ludus.matches import table

    console = _console(stderr=True)
    with Progress(console=console, transient=True, disable=as_json or not console.is_terminal) as bar:
        task = bar.add_task("getting ready (the first time, half a minute of compiling)", total=games)

        def hear(done: int, total: int) -> None:
            bar.update(task, completed=done, description="playing")

        result = contest(game, players, games, seed, jobs, hear, opening=opening)
    if as_json:
        _print_json(result.to_json())
    else:
        _console().print(table(result))


@app.command()
def play(
    game: Game,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Who plays against you: see 'ludus players'. Give it again for each seat.  [default: the best known]",
        ),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(metavar="SEAT", help="Your seat; 0 begins, where the rules let anyone. Of several people: 0,2."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the dice; unless given, a new one each time.")] = None,
    load: Annotated[Path | None, typer.Option(help="Go on with a saved game.")] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="Show the board without colours.")] = False,
) -> None:
    """Play in the terminal. Type moves in the game's notation, or 'help'. Quoridor without options begins with a menu.

    \b
    Examples:
      ludus play backgammon
      ludus play backgammon --against "td(plies=1)" --seat 1
      ludus play ludo --seat red,yellow --against random
    """
    from ludus.games import game as game_of_name
    from ludus.play import choose
    from ludus.play import play as sit_down

    console, made = _console(no_color=no_color or None), game_of_name(game)
    if getattr(made, "menu", False) and not (against or seat or seed is not None or load) and sys.stdin.isatty():
        choose(made, not no_color, console=console)
        return
    sit_down(made, against, seat, seed, load, not no_color, console=console)


@app.command()
def board(
    game: Game,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A position; unless given, the beginning.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it into this SVG file instead.")] = None,
) -> None:
    """Show a board.

    \b
    Examples:
      ludus board backgammon
      ludus board backgammon --position 4HPwATDgc/ABMA --svg board.svg
    """
    from ludus.files import write_atomically
    from ludus.games import game as game_of_name

    made = game_of_name(game)
    shown = made.start() if position is None else made.position(position)
    if svg is not None:
        write_atomically(svg, made.board_svg(shown.state).encode())
        print(svg)
    else:
        console = _console()
        print(made.board_text(shown.state, console.is_terminal and not console.no_color))


@app.command("games")
def list_games() -> None:
    """List the games."""
    from ludus.games import REGISTRY
    from ludus.games.gdl import shipped, summary

    own = [(name, entry.summary + _parameters(entry.parameters)) for name, entry in REGISTRY.items()]
    sheets = [(name, summary(path)) for name, path in shipped().items()]
    _list([*own, *sheets, ("FILE.kif", "any rulesheet in the Game Description Language [seconds=float, memory=int]")])


@app.command("players")
def list_players() -> None:
    """List the players."""
    from ludus.players import REGISTRY

    _list((name, entry.summary + _parameters(entry.parameters)) for name, entry in REGISTRY.items())


def _parameters(allowed: dict[str, Any]) -> str:
    """What a name may take, as in ' [plies=0|1|2, width=int]'."""
    parts = (f"{k}={'|'.join(map(str, v)) if isinstance(v, tuple) else v.__name__}" for k, v in allowed.items())
    return f" [{', '.join(parts)}]" if allowed else ""


# --- measuring -------------------------------------------------------------------------------------------------------


@app.command()
def bench(
    game: Game,
    seconds: Annotated[float, typer.Option(help="For each side of each measurement.")] = 2.0,
    as_json: Json = False,
) -> None:
    """Measure how fast a game is, beside its peers.

    Peers are measured in the same run, where they are installed.

    \b
    Examples:
      ludus bench backgammon --json
      ludus bench quoridor
      ludus bench gdl
    """
    from ludus.bench.games import bench as measure

    rows = measure(game, seconds)
    if as_json:
        _print_json({"game": game, "rows": rows})
        return
    from rich.table import Table

    out = Table("measured", "here", "unit", "peer", "there", "ratio")
    for row in rows:
        value, there = (
            "–" if x is None else f"{x:,.0f}" if x >= 100 else f"{x:.3g}" for x in (row["value"], row["peer_value"])
        )
        ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else "–"
        out.add_row(row["name"], value, row["unit"], row["peer"] or "–", there, ratio)
    _console().print(out)


@app.command()
def solve(
    game: Game,
    limit: Annotated[int | None, typer.Option(help="Most positions to look at.  [default: 1,000,000]")] = None,
    as_json: Json = False,
) -> None:
    """Solve a small game of two seats.

    Prints the value of the game, and how well the best players do against one that moves at random, exactly.

    \b
    Example:
      ludus solve tictactoe --json
    """
    from ludus.games import game as game_of_name
    from ludus.search.solve import MOST_POSITIONS
    from ludus.search.solve import solve as search

    found = search(game_of_name(game), MOST_POSITIONS if limit is None else limit)
    if as_json:
        _print_json(found.to_json())
        return
    from rich.table import Table

    out = Table("score", "seat 0", "seat 1", "mean", title=f"{found.game}: {found.positions:,} positions")
    rows = {
        "value of the game": "value",
        "best player against a random one": "exploiter",
        "best that risks nothing": "safe",
        "highest win rate against a random player": "wins",
        "random player against another": "random",
    }
    for words, kind in rows.items():
        out.add_row(words, *(f"{x:.6f}" for x in getattr(found, kind)), f"{found.mean(kind):.6f}")
    _console().print(out)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="mauermann2015, alhajry2012, rossen2022 or wang2018.")],
    out: Annotated[Path | None, typer.Option(help="Where runs and report go.  [default: reports/PAPER]")] = None,
    seed: Seed = 1,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the games: to see that all is well.")] = False,
    as_json: Json = False,
) -> None:
    """Do a paper's experiments again.

    Prints our figures beside the paper's own, and writes them into a report. Trainings that are finished are found again.

    \b
    Examples:
      ludus reproduce mauermann2015 --out reports/mauermann2015
      ludus reproduce rossen2022 --quick
    """
    from ludus.papers.reproduce import reproduce as run_again

    report = run_again(paper, out, seed, quick, lambda line: print(line, file=sys.stderr, flush=True))
    if as_json:
        _print_json(report.to_json())
    else:
        _console().print(*report.tables())
        print(f"The report:  {report.path}")


@app.command()
def warmup(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Only this game; else all.")] = None,
) -> None:
    """Compile all that the other commands need.

    They do it themselves when they first run, but then you wait for it.
    """
    from ludus.cli.warmup import warm_up

    loaded, compiled = warm_up(game, lambda text: print(text, flush=True))
    print(f"{compiled} functions compiled, {loaded} loaded from disk")


@app.command()
def demo(seed: Seed = 1) -> None:
    """Let a player learn before your eyes, and try it."""
    from ludus.cli.demo import demo as show

    show(_console(), seed)


if __name__ == "__main__":
    main()
