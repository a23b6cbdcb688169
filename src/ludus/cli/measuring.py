"""The commands that measure: `arena` how strong players are, `bench` how fast the house is, `solve` what a game is worth,
and `reproduce` what a paper measured.

A command imports for itself what loads Numba or rich, so that help and lists answer at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    Game,
    Json,
    Patience,
    Seed,
    Workers,
    at_work,
    console,
    new_app,
    print_json,
    say,
    with_options,
)
from ludus.games import game as game_of_name
from ludus.quantities import CORES, COUNT, GAMES, MOVES_OR_NONE, SECONDS

if TYPE_CHECKING:
    from ludus.matches.flight import Manner

app = new_app()

# As `ludus.papers.reproduce` has them, which takes long to import.
PAPERS = ("mauermann2015", "alhajry2012", "rossen2022", "wang2018", "quoridor2016")


@dataclass(frozen=True)
class ArenaOptions:
    """What `ludus arena` takes."""

    game: Game
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Players: see 'ludus players'.")]
    games: Annotated[
        int | None, typer.Option(help="How many games.  [default: 1000; with --sprt at most 100,000]"), GAMES
    ] = None
    seed: Seed = 1
    opening: Annotated[
        int,
        typer.Option(help="Random moves at the beginning of a game, for players that always move alike."),
        MOVES_OR_NONE,
    ] = 0
    jobs: Annotated[int | None, typer.Option(help="Cores to use; unless given, all. Changes no result."), CORES] = None
    workers: Workers = None
    patience: Patience = 600.0
    paired: Annotated[
        bool,
        typer.Option("--paired", help="Play the same dice with every player in every seat: luck cancels in part."),
    ] = False
    luck: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Take the luck of the dice off the points, as the network of td or td:DIR_OR_FILE judges it; games are paired, too.",
        ),
    ] = None
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,HIGH",
            help="Play pairs with the same dice until it is sure whether the first of two players is better by LOW or by HIGH percentage points; 0,10elo asks in Elo, 0,0.1points in points a game.",
        ),
    ] = None
    as_json: Json = False

    @property
    def manner(self) -> Manner:
        """How the games are played."""
        from ludus.matches.flight import Manner

        return Manner(opening=self.opening, paired=self.paired or self.luck is not None, luck=self.luck)


@app.command()
@with_options
def arena(options: ArenaOptions) -> None:
    """Let players play each other.

    Seats rotate, and each figure says how sure it is. With --luck the same games tell much more, and with --sprt the contest ends as soon
    as the answer is sure.

    \b
    Examples:
      ludus arena backgammon td random --games 10000 --seed 1
      ludus arena backgammon td:runs/first "td(plies=1)" --json
      ludus arena quoridor "td(seconds=0.1)" "alphabeta(seconds=0.1)" --games 200 --opening 4
      ludus arena backgammon "td(plies=1)" td --luck td
      ludus arena backgammon "td(plies=1)" td --sprt 0,5
      ludus arena backgammon "td(plies=1)" td --games 100000 --workers ray://10.0.0.1:10001
    """
    with at_work(options.workers, options.jobs, options.patience) as jobs:
        if options.sprt is not None:
            _arena_until(options, options.sprt, jobs)
        else:
            _arena(options, jobs)


def _arena(options: ArenaOptions, jobs: Any) -> None:
    """A contest of so many games."""
    from rich.progress import Progress

    from ludus.matches import arena as contest
    from ludus.matches import arena_paired, table
    from ludus.matches.pairs import Paired, paired_table

    game, players, games, seed = options.game, options.players, options.games, options.seed
    found: Paired | None = None
    errors = console(stderr=True)
    with Progress(console=errors, transient=True, disable=options.as_json or not errors.is_terminal) as bar:
        task = bar.add_task("getting ready", total=games)

        def hear(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description="playing")

        if options.manner.paired:
            found = arena_paired(game, players, games, seed, jobs, hear, manner=options.manner)
            result = found.result
        else:
            result = contest(game, players, games or 1000, seed, jobs, hear, opening=options.opening)
    again = [row.name for row in result.rows[len(players) :]]
    if again:
        some = "1 player was" if len(players) == 1 else f"{len(players)} players were"
        say(f"{some} named for {len(result.rows)} seats; the others are taken by the same again: {', '.join(again)}")
    if options.as_json:
        print_json((found or result).to_json())
        return
    console().print(table(result))
    if found is not None:
        console().print(paired_table(found))
        print(found.sentence())


def _arena_until(options: ArenaOptions, sprt: str, jobs: Any) -> None:
    """A contest until it is sure."""
    from ludus.matches import arena_until, table
    from ludus.matches.statistics import Verdict, question
    from ludus.matches.until import MOST_GAMES

    asked = question(sprt)
    low, high = asked.bounds

    def hear(verdict: Verdict) -> None:
        if not options.as_json:
            mean = f"{verdict.mean:+.3f} points a game" if asked.points else f"{verdict.mean:.1%} won"
            said = f"{2 * verdict.pairs:,} games, {mean}, evidence {verdict.llr:+.2f}"
            say(f"{said} (ends below {low:.2f} or above {high:.2f})")

    games = options.games or MOST_GAMES
    settled = arena_until(options.game, options.players, asked, games, options.seed, jobs, hear, manner=options.manner)
    if settled.doubt:
        say(f"{settled.doubt}: --opening 4")
    if options.as_json:
        print_json(settled.to_json())
    else:
        console().print(table(settled.result))
        print(settled.sentence())
        if settled.verdict.decision:
            print(
                "How large the difference is, --games tells better: what ends as soon as it is sure shows it too large."
            )


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
      ludus bench adapters
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
    limit: Annotated[
        int | None,
        typer.Option(
            help="Most positions to look at.  [default: 10,000,000, or as many as half of the memory can hold]"
        ),
        COUNT,
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve a small game of two seats, with chance or without.

    Prints the value of the game, and how well the best players do against one that moves at random, exactly. A game may come back to a position if
    its rules end it after some plies. The player `perfect` plays by it.

    \b
    Examples:
      ludus solve tictactoe --json
      ludus solve 'backgammon(bearoff=3)'
    """
    from rich.table import Table

    from ludus.search.solve import solve as search
    from ludus.waiting import told

    with told(f"Solving {game}: this can take a minute."):
        found = replace(search(game_of_name(game), limit), game=game)  # with its parameters
    if as_json:
        print_json(found.to_json())
        return
    title = f"{found.game}: {found.positions:,} positions" + (f", at most {found.plies} plies" if found.plies else "")
    out = Table("score", "seat 0", "seat 1", "mean", title=title)
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
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Do a paper's experiments again.

    Prints our figures beside the paper's own, and writes them into a report. Trainings that are finished are found again. With --workers the
    games of players that have names are played elsewhere.

    \b
    Examples:
      ludus reproduce mauermann2015 --out reports/mauermann2015
      ludus reproduce rossen2022 --quick
    """
    from ludus.papers.reproduce import reproduce as run_again

    with at_work(workers) as jobs:
        report = run_again(paper, out, seed, quick, say, jobs)
    if as_json:
        print_json(report.to_json())
    else:
        console().print(*report.tables())
        print(f"The report:  {report.path}")
