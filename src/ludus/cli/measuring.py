"""The commands that measure: `arena` how strong players are, `bench` how fast the house is, `solve` what a game is worth,
and `reproduce` what a paper measured.

A command imports for itself what loads Numba or rich, so that help and lists answer at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import Game, Json, Seed, console, new_app, print_json, say
from ludus.games import game as game_of_name
from ludus.quantities import CORES, COUNT, GAMES, MOVES_OR_NONE, SECONDS

app = new_app()

# As `ludus.papers.reproduce` has them, which takes long to import.
PAPERS = ("mauermann2015", "alhajry2012", "rossen2022", "wang2018", "quoridor2016")


@app.command()
def arena(
    game: Game,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Players: see 'ludus players'.")],
    games: Annotated[int, typer.Option(help="How many games."), GAMES] = 1000,
    seed: Seed = 1,
    opening: Annotated[
        int,
        typer.Option(help="Random moves at the beginning of a game, for players that always move alike."),
        MOVES_OR_NONE,
    ] = 0,
    jobs: Annotated[int | None, typer.Option(help="Cores to use; unless given, all. Changes no result."), CORES] = None,
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

    errors = console(stderr=True)
    with Progress(console=errors, transient=True, disable=as_json or not errors.is_terminal) as bar:
        task = bar.add_task("getting ready", total=games)

        def hear(done: int, total: int) -> None:
            bar.update(task, completed=done, description="playing")

        result = contest(game, players, games, seed, jobs, hear, opening=opening)
    again = [row.name for row in result.rows[len(players) :]]
    if again:
        some = "1 player was" if len(players) == 1 else f"{len(players)} players were"
        say(f"{some} named for {len(result.rows)} seats; the others are taken by the same again: {', '.join(again)}")
    if as_json:
        print_json(result.to_json())
    else:
        console().print(table(result))


@app.command()
def bench(
    game: Game,
    seconds: Annotated[float, typer.Option(help="For each side of each measurement."), SECONDS] = 2.0,
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
    from rich.table import Table

    from ludus.bench.games import bench as measure

    rows = measure(game, seconds)
    if as_json:
        print_json({"game": game, "rows": rows})
        return
    out = Table("measured", "here", "unit", "peer", "there", "ratio")
    for row in rows:
        value, there = (
            "–" if x is None else f"{x:,.0f}" if x >= 100 else f"{x:.3g}" for x in (row["value"], row["peer_value"])
        )
        ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else "–"
        out.add_row(row["name"], value, row["unit"], row["peer"] or "–", there, ratio)
    console().print(out)


@app.command()
def solve(
    game: Game,
    limit: Annotated[int | None, typer.Option(help="Most positions to look at.  [default: 1,000,000]"), COUNT] = None,
    as_json: Json = False,
) -> None:
    """Solve a small game of two seats.

    Prints the value of the game, and how well the best players do against one that moves at random, exactly.

    \b
    Example:
      ludus solve tictactoe --json
    """
    from rich.table import Table

    from ludus.search.solve import MOST_POSITIONS
    from ludus.search.solve import solve as search

    found = search(game_of_name(game), MOST_POSITIONS if limit is None else limit)
    if as_json:
        print_json(found.to_json())
        return
    out = Table("score", "seat 0", "seat 1", "mean", title=f"{found.game}: {found.positions:,} positions")
    rows = {
        "value of the game": "value",
        "best player against a random one": "exploiter",
        "best that risks nothing": "safe",
        "highest win rate against a random player": "wins",
        "random player against another": "random",
    }
    for name, kind in rows.items():
        out.add_row(name, *(f"{x:.6f}" for x in getattr(found, kind)), f"{found.mean(kind):.6f}")
    console().print(out)


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"{', '.join(PAPERS[:-1])} or {PAPERS[-1]}.")],
    out: Annotated[Path | None, typer.Option(help="Where runs and report go.  [default: reports/PAPER]")] = None,
    seed: Seed = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="A tenth of the games, or fewer trainings: to see that all is well.")
    ] = False,
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

    report = run_again(paper, out, seed, quick, say)
    if as_json:
        print_json(report.to_json())
    else:
        console().print(*report.tables())
        print(f"The report:  {report.path}")
