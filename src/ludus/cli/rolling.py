"""The command `rollout`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ludus import games as game_registry
from ludus.cli.options import Game, Json, Patience, Seed, Workers, at_work, console, new_app, print_json, with_options
from ludus.quantities import CORES, COUNT_OR_NONE, GAMES, MOVES

app = new_app()


@dataclass(frozen=True)
class RolloutOptions:
    """What `ludus rollout` takes."""

    game: Game
    position: Annotated[str | None, typer.Option(metavar="TEXT", help="A position; unless given, the beginning.")] = (
        None
    )
    player: Annotated[str, typer.Option(metavar="PLAYER", help="Whose network plays: td, td:runs/mine.")] = "td"
    games: Annotated[int, typer.Option(help="How often each move is played out, at most."), GAMES] = 1296
    moves: Annotated[int, typer.Option(help="How many moves, of those that the network likes best."), MOVES] = 4
    truncate: Annotated[
        int, typer.Option(help="Rolls after which the network judges instead; 0: to the end."), COUNT_OR_NONE
    ] = 0
    seed: Seed = 1
    jobs: Annotated[int | None, typer.Option(help="Cores to use.  [default: all]"), CORES] = None
    workers: Workers = None
    patience: Patience = 600.0
    as_json: Json = False


@app.command()
@with_options
def rollout(options: RolloutOptions) -> None:
    """Play a position out many times, after each of its best moves, and say what each is worth.

    All moves get the same dice, and the luck of the dice is taken off: a hundred games say as much as some thousand. Moves that are surely worse are
    dropped on the way. For games with dice.

    \b
    Examples:
      ludus rollout backgammon --position "XGID=-b----E-C---eE---c-e----B-:0:0:1:21:0:0:0:0:10"
      ludus rollout backgammon --position 4HPwATDgc/ABMA --games 360 --truncate 11
      ludus rollout backgammon --position 4HPwATDgc/ABMA --workers ray --json
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from ludus.players.rollout import rollout as roll_out

    made = game_registry.game(options.game)
    position = made.start() if options.position is None else made.position(options.position)
    errors = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    hidden = options.as_json or not errors.is_terminal
    with (
        at_work(options.workers, options.jobs, options.patience) as jobs,
        Progress(*columns, console=errors, transient=True, disable=hidden) as bar,
    ):
        task = bar.add_task("rolling out", total=options.games)
        found = roll_out(
            position, options.player, options.games, options.moves, options.truncate, options.seed, jobs,
            lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    if options.as_json:
        print_json(found.to_json())
    else:
        print(found.text())
