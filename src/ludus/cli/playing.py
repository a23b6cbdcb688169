"""The commands for people at the board, and the lists of what there is: `play`, `board`, `explain`, `games` and `players`.

A command imports for itself what loads Numba or rich, so that help and lists answer at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import games as game_registry
from ludus import players as player_registry
from ludus.cli.options import Game, Json, Seed, console, new_app, print_json, print_list
from ludus.errors import LudusError
from ludus.files import write_atomically
from ludus.games.gdl import PARAMETERS, shipped, summary
from ludus.names import installed
from ludus.quantities import COUNT, SEED, Quantity

app = new_app()


@app.command()
def play(
    game: Game,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Who plays against you: see 'ludus players'. Give it again for each seat.  [default: those of the saved game, or the best known]",
        ),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(metavar="SEAT", help="Your seat; 0 begins, where the rules let anyone. Of several people: 0,2."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the dice; unless given, a new one each time."), SEED] = None,
    load: Annotated[
        Path | None,
        typer.Option(help="Go on with a saved game; of backgammon also a .mat file, of quoridor a .quoridor."),
    ] = None,
    number: Annotated[
        int | None, typer.Option(metavar="N", help="Which game of that file, from 1.  [default: the last]"), COUNT
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="Show the board without colours.")] = False,
) -> None:
    """Play in the terminal. Type moves in the game's notation, or 'help'. Quoridor without options begins with a menu.

    \b
    Examples:
      ludus play backgammon
      ludus play backgammon --against "td(plies=1)" --seat 1
      ludus play ludo --seat red,yellow --against random
      ludus play backgammon --load match.mat --number 2
    """
    from ludus.play import choose
    from ludus.play import play as sit_down
    from ludus.play.saved import File

    if number is not None and load is None:
        raise LudusError("--number says which game of a file: name the file by --load")
    shown_on, made = console(no_color=no_color or None), game_registry.game(game)
    if getattr(made, "menu", False) and not (against or seat or seed is not None or load) and sys.stdin.isatty():
        choose(made, not no_color, console=shown_on)
        return
    file = None if load is None else File(load, number)
    sit_down(made, against, seat, seed, file, not no_color, console=shown_on)


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
    made = game_registry.game(game)
    shown = made.start() if position is None else made.position(position)
    if svg is not None:
        write_atomically(svg, made.board_svg(shown.state).encode())
        print(svg)
    else:
        terminal = console()
        print(made.board_text(shown.state, terminal.is_terminal and not terminal.no_color))


@app.command()
def explain(
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION", help="A position of backgammon: an XGID, or GNU Backgammon's PositionID:MatchID."
        ),
    ],
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Who judges: td, td(plies=2), td:DIR_OR_FILE.  [default: td]")
    ] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Explain a cube decision of backgammon, for money or in a match.

    Says what the chances are, what gammons are worth at the score, with which chances one takes, doubles, cashes or plays on, how often waiting loses
    the market, and what is to be done, and why.

    \b
    Examples:
      ludus explain "XGID=aB-B-CBBAA--d----bbd--bB--:0:0:1:00:0:0:0:0:10"
      ludus explain "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:3:4:0:5:10" --player "td(plies=2)"
      ludus explain 4HPwATDgc/ABMA:cAkAAAAAAAAE --json
    """
    from ludus.players.explaining import explain as tell

    found = tell(position, player, seed)
    if as_json:
        print_json(found.to_json())
    else:
        print(found)


@app.command("games")
def list_games() -> None:
    """List the games."""
    own = [(name, entry.summary + _parameters(entry.parameters)) for name, entry in game_registry.REGISTRY.items()]
    sheets = [(name, summary(path)) for name, path in shipped().items()]
    any_sheet = "any rulesheet in the Game Description Language" + _parameters(PARAMETERS)
    print_list(
        [
            *own,
            *_installed("ludus.games"),
            *sheets,
            ("FILE.kif", any_sheet),
            ("openspiel:NAME", "a game of OpenSpiel's, with OpenSpiel's parameters: slow (docs/openspiel.md)"),
            ("FILE.py:CLASS", "a game of your own"),
        ]
    )


@app.command("players")
def list_players() -> None:
    """List the players."""
    known = player_registry.REGISTRY.items()
    own = [(name, _only(entry.games) + entry.summary + _parameters(entry.parameters)) for name, entry in known]
    print_list([*own, *_installed("ludus.players"), ("FILE.py:CLASS", "a player of your own")])


def _only(games: tuple[str, ...]) -> str:
    """For which games a player is, if not for all, as in 'ludo: '."""
    return f"{', '.join(games)}: " if games else ""


def _installed(group: str) -> list[tuple[str, str]]:
    """What packages offer, by name. Nothing of them is loaded."""
    return [(name, f"of an installed package: {point.value}") for name, point in installed(group).items()]


def _parameters(allowed: dict[str, Any]) -> str:
    """What a name may take, as in ' [plies=0|1|2, width=int]'."""
    return f" [{', '.join(f'{name}={_values(kind)}' for name, kind in allowed.items())}]" if allowed else ""


def _values(kind: Any) -> str:
    if isinstance(kind, tuple):
        return "|".join(map(str, kind))
    return (kind.type if isinstance(kind, Quantity) else kind).__name__
