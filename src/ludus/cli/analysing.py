"""The command `analyse`: one position as a player sees it, or every decision of the games in a file.

It imports for itself what loads Numba or rich, so that help answers at once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import games as game_registry
from ludus.cli.options import Json, Seed, console, new_app, print_json, say, with_options
from ludus.errors import LudusError
from ludus.files import write_atomically
from ludus.quantities import CORES, COUNT, GAMES, MOVES, MOVES_OR_NONE, PLIES_AHEAD

app = new_app()
ENDINGS = (".mat", ".txt", ".quoridor", ".json")  # as `ludus.analysing.reading` has them, which takes long to import


@dataclass(frozen=True)
class AnalyseOptions:
    """What `ludus analyse` takes."""

    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME_OR_FILE", help="A game: see 'ludus games'. Or a file with games: .mat, .quoridor, .json."
        ),
    ]
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A position of the game; unless given, the beginning.")
    ] = None
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Who judges: see 'ludus players'.  [default: the best known]")
    ] = None
    moves: Annotated[
        int | None,
        typer.Option(
            help="How many moves to show, the best first; JSON has them all.  [default: 10; of a file's decisions 3]"
        ),
        MOVES,
    ] = None
    lines: Annotated[
        int,
        typer.Option(help="Of a position: how many of the best moves to show with the line that a search expects."),
        MOVES_OR_NONE,
    ] = 0
    seed: Seed = 1
    plies: Annotated[
        int | None,
        typer.Option(help="Of a file: how far ahead a network looks, 0, 1 or 2.  [default: 2]"),
        PLIES_AHEAD,
    ] = None
    width: Annotated[
        int | None, typer.Option(help="Of a file: at how many moves it looks ahead, at most.  [default: 8]"), MOVES
    ] = None
    cubeless: Annotated[
        bool, typer.Option("--cubeless", help="Of a match: judge checker play without the cube and the score.")
    ] = False
    jacoby: Annotated[
        bool | None,
        typer.Option(help="Of games for money: by Jacoby's rule or not.  [default: as the file says, else not]"),
    ] = None
    rollout: Annotated[
        bool, typer.Option("--rollout", help="Of a file: roll out the decisions that seem to lose a little.")
    ] = False
    games: Annotated[
        int | None, typer.Option(help="With --rollout: games for each choice, at most.  [default: 324]"), GAMES
    ] = None
    number: Annotated[
        int | None, typer.Option(metavar="N", help="Which game of a file, from 1.  [default: all]"), COUNT
    ] = None
    worst: Annotated[
        int | None,
        typer.Option(help="Of a file: how many bad decisions to show.  [default: 10; on a page 20]"),
        MOVES_OR_NONE,
    ] = None
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Of a file: write a page with boards, too.")] = None
    annotated: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a .mat file: write a copy with comments, too.")
    ] = None
    jobs: Annotated[
        int | None, typer.Option(help="Of a file: cores to use; unless given, all. Changes no result."), CORES
    ] = None
    as_json: Json = False


FOR_FILES = (
    "plies", "width", "cubeless", "jacoby", "rollout", "games", "number", "worst", "html", "annotated", "jobs",
)  # fmt: skip


@app.command()
@with_options
def analyse(options: AnalyseOptions) -> None:
    """Say what a player thinks of a position, or of every decision in a file of games.

    Of a position it lists the legal moves and what the player thinks each is worth to the seat that makes it; where chance is due, what it
    may bring. Of a file it says what each decision lost and each roll brought, with sums, and the worst decisions first. Of backgammon these are moves and
    decisions about the cube, at the score of the match.

    \b
    Examples:
      ludus analyse backgammon --position "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
      ludus analyse quoridor --player "td(seconds=1)" --json
      ludus analyse quoridor --player "td(seconds=1)" --lines 3
      ludus analyse match.mat
      ludus analyse match.mat --plies 1 --html match.html --annotated commented.mat
      ludus analyse match.mat --rollout
    """
    if Path(options.game).suffix.lower() in ENDINGS:
        _analyse_file(options)
    else:
        _analyse_position(options)


def _analyse_position(options: AnalyseOptions) -> None:
    for each in fields(options):
        if each.name in FOR_FILES and getattr(options, each.name) is not each.default:
            raise LudusError(f"--{each.name} is for files with games, and {options.game} is none: give a .mat file")
    made = game_registry.game(options.game)
    at = made.start() if options.position is None else made.position(options.position)
    found = at.analyse(options.player, options.seed, options.lines)
    if options.as_json:
        print_json(found.to_json())
    else:
        print(found.text(options.moves or options.lines or 10))


def _analyse_file(options: AnalyseOptions) -> None:
    if options.position is not None:
        raise LudusError(f"--position is a position of a game, and {options.game} is a file: name the game")
    if options.lines:
        raise LudusError(f"--lines is for a position, and {options.game} is a file: name the game")
    if options.games is not None and not options.rollout:
        raise LudusError("--games is for rollouts: say --rollout, too")
    from ludus.analysing.annotating import annotated

    found = _judged(options)
    for path, text in (
        (options.html, lambda: found.html(20 if options.worst is None else options.worst)),
        (options.annotated, lambda: annotated(found)),
    ):
        if path is not None:
            write_atomically(path, text().encode())
            say(f"wrote {path}")
    if options.as_json:
        print_json(found.to_json())
    else:
        print(found.text(10 if options.worst is None else options.worst, options.moves or 3))


def _judged(options: AnalyseOptions) -> Any:
    from rich.progress import Progress

    from ludus.analysing import analyse_match
    from ludus.analysing.judging import WIDTH
    from ludus.analysing.rolling import GAMES as EACH

    errors = console(stderr=True)
    with Progress(console=errors, transient=True, disable=options.as_json or not errors.is_terminal) as bar:
        task = bar.add_task("getting ready", total=None)
        return analyse_match(
            Path(options.game),
            options.player,
            options.plies,
            cubeless=options.cubeless,
            jacoby=options.jacoby,
            rollout=(options.games or EACH) if options.rollout else None,
            number=options.number,
            width=WIDTH if options.width is None else options.width,
            jobs=options.jobs,
            seed=options.seed,
            progress=lambda done, total: bar.update(task, completed=done, total=total, description="judging"),
        )
