"""The commands `ludus ggp …`: players, matches and a game manager on the network. What they do lies in `ludus.ggp`.

A command imports for itself what loads Numba, rich or SQLite, so that the help of all commands answers at once.
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.options import Json, console, new_app, print_json, say, with_options
from ludus.errors import LudusError
from ludus.files import check_name, write_atomically
from ludus.games import game as game_of_name
from ludus.players import check_known
from ludus.quantities import CLOCK, COUNT, DELAY, MEGABYTES, PORT, ROUNDS, SECONDS, SEED, cores

app = new_app()

Host = Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in.")]
Grounding = Annotated[
    float | None,
    typer.Option(help="Seconds that a rulesheet may take to load.  [default: what the start clock leaves]"),
    SECONDS,
]
Memory = Annotated[int, typer.Option(help="Megabytes that a rulesheet may take to load."), MEGABYTES]
Database = Annotated[
    str, typer.Option(help="Where matches are stored: an SQLite file, or a URL postgresql://user@host/name.")
]
Players = Annotated[
    str,
    typer.Option(metavar="PLAYER,PLAYER", help="host:port or a built-in player, for each role in the sheet's order."),
]
Start = Annotated[int, typer.Option(help="Start clock, in seconds."), CLOCK]
Play = Annotated[int, typer.Option(help="Play clock, in seconds."), CLOCK]
Seed = Annotated[
    int, typer.Option(help="Of the moves that replace missing ones, of role random, and of built-in players."), SEED
]


class _Log:
    """Lines with the time, until the last word is said."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False

    def __call__(self, line: str) -> None:
        with self._lock:
            if not self._closed:
                say(f"{time.strftime('%H:%M:%S')}  {line}")

    def close(self, line: str) -> None:
        """Say the last line; whatever other threads say from now on is not heard."""
        with self._lock:
            self._closed = True
            say(line)


_log = _Log()


def split_players(text: str) -> list[str]:
    """Names between commas; commas within parentheses belong to a name.

    >>> split_players("127.0.0.1:9147, mcts(a=1,b=2)")
    ['127.0.0.1:9147', 'mcts(a=1,b=2)']
    """
    return [name.strip() for name in re.split(r",(?![^()]*\))", text) if name.strip()]


def _game(file: str) -> tuple[str, Any]:
    from ludus.ggp.manager import need_gdl

    return Path(file).stem if file.endswith((".kif", ".gdl")) else file, need_gdl(file, game_of_name(file))


@contextmanager
def _until_interrupted(what: str, close: Callable[[], None]) -> Iterator[None]:
    """Serve until Ctrl-C, or until somebody ends the process, and end in good order."""

    def end(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    # Rulesheets that make millions of facts must not keep answers waiting: threads take turns more often, and the garbage
    # collector looks through all of them between matches only (`Manager`).
    sys.setswitchinterval(0.001)
    gc.freeze()
    gc.set_threshold(50_000, 20, 1_000_000)
    try:
        yield
        threading.Event().wait()
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # once is enough
        close()
        _log.close(f"ludus: {what} stopped")
        sys.stdout.flush()
        os._exit(130)  # threads may be in the midst of compiling, and Python's own end would trip over them
    finally:
        close()


@app.callback(invoke_without_command=True)
def top(context: typer.Context) -> None:
    """Play over the network: General Game Playing.

    A player for game managers, and a game manager. The games are rulesheets in the Game Description Language.

    \b
    Begin with:
      ludus ggp player                                         in one terminal
      ludus ggp match tictactoe --players 127.0.0.1:9147,random   in another
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@dataclass(frozen=True)
class PlayerOptions:
    """What `ludus ggp player` may be told."""

    port: Annotated[int, typer.Option(help="Port; 0 takes any that is free."), PORT] = 9147
    host: Host = "127.0.0.1"
    player: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Who thinks: see 'ludus players'.  [default: mcts, on all cores]"),
    ] = None
    name: Annotated[str, typer.Option(help="What it says to INFO.")] = "ludus"
    grounding_seconds: Grounding = None
    memory: Memory = 4000
    margin: Annotated[
        float | None,
        typer.Option(
            help="Seconds that answers are early; at most a quarter of a clock.  [default: 0.2, and more if answers were late]"
        ),
        DELAY,
    ] = None
    study: Annotated[
        float | None,
        typer.Option(help="Seconds of a start clock that it uses to study the game.  [default: all of it]"),
        DELAY,
    ] = None
    ponder: Annotated[bool, typer.Option(help="Think while others do.")] = True
    seed: Annotated[int, typer.Option(help="Of its choices."), SEED] = 1


@app.command()
@with_options
def player(options: PlayerOptions) -> None:
    """Serve a player that game managers can use.

    It plays one match at a time and answers before the clocks run out. Ctrl-C ends it.

    \b
    Examples:
      ludus ggp player
      ludus ggp player --port 9148 --player random --name lucky
      ludus ggp player --host 0.0.0.0 --grounding-seconds 30 --memory 2000
    """
    from ludus.ggp.player import Limits, Player, serve
    from ludus.ggp.workers import Workers

    spec = options.player or f"mcts(threads={cores()})"
    check_known(spec)
    limits = Limits(
        options.grounding_seconds,
        options.memory,
        options.margin,
        study=math.inf if options.study is None else options.study,
        ponder=options.ponder,
    )
    workers = Workers(spec, options.memory, _log)
    try:
        made = Player(spec, options.name, limits, seed=options.seed, sessions=workers, log=_log)
        server = serve(made, options.host, options.port)
    except BaseException:
        workers.close()
        raise

    def close() -> None:
        made.close()
        server.close()

    with _until_interrupted("the player has", close):
        print(f"{options.name} ({spec}) listens on {server.host}:{server.port}", flush=True)
        _log("getting ready (the first time, half a minute of compiling; until then it says that it is busy)")


@dataclass(frozen=True)
class MatchOptions:
    """What `ludus ggp match` may be told."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="A rulesheet, or the name of a shipped one.")]
    players: Players
    start: Start = 10
    play: Play = 5
    out: Annotated[Path | None, typer.Option(help="Also write the match into this JSON file.")] = None
    database: Database = "ggp.sqlite"
    seed: Seed = 1
    as_json: Json = False


@app.command()
@with_options
def match(options: MatchOptions) -> None:
    """Manage a match among players.

    For an answer that is illegal, late or missing a random legal move is played, and the error is recorded.

    \b
    Examples:
      ludus ggp match tictactoe --players 127.0.0.1:9147,random
      ludus ggp match game.kif --players host1:9147,host2:9147 --start 30 --play 10 --out match.json
    """
    from ludus.ggp.match import play_match
    from ludus.ggp.record import Clocks, Match
    from ludus.ggp.store import Store

    name, game = _game(options.file)
    store = Store(options.database)

    def hear(match: Match) -> None:
        store.save(match)
        if options.out is not None:
            write_atomically(options.out, json.dumps(match.to_json()).encode())
        if not options.as_json and match.errors:
            moves = " ".join(match.moves[-1]) if match.moves else "begun"
            wrong = [f"{r}: {e}" for r, e in zip(match.roles, match.errors[-1], strict=True) if e]
            say(f"{match.steps:>4}  {moves}{'   ! ' + ', '.join(wrong) if wrong else ''}")

    clocks = Clocks(options.start, options.play)
    played = play_match(game, name, split_players(options.players), clocks, options.seed, hear)
    if options.as_json:
        print_json(played.to_json())
        return
    print(f"{played.id}: {played.status} after {played.steps} steps")
    goals = list(map(str, played.goals)) or ["–"] * len(played.roles)
    for role, who, goal in zip(played.roles, played.players, goals, strict=True):
        print(f"  {role}  {who}  {goal}")
    if played.failure:
        raise LudusError(played.failure)


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Port; 0 takes any that is free."), PORT] = 9080,
    host: Host = "127.0.0.1",
    database: Database = "ggp.sqlite",
    grounding_seconds: Annotated[
        float, typer.Option(help="Seconds that a rulesheet may take to load."), SECONDS
    ] = 60.0,
    memory: Memory = 4000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name of this machine, by which browsers may ask; localhost needs none."),
    ] = None,
) -> None:
    """Serve a game manager: matches and tournaments by HTTP and JSON, and the page that shows them.

    \b
    Examples:
      ludus ggp serve
      curl -d '{"game": "tictactoe", "players": ["127.0.0.1:9147", "random"], "play": 5}' http://127.0.0.1:9080/matches
    """
    from ludus.web.app import Settings
    from ludus.web.serving import Server, new_token

    settings = Settings(host, tuple(allow_host or ()), new_token(host), limits=(grounding_seconds, memory))
    server = Server(database, port, settings)
    print(f"the game manager listens on {server.address}", flush=True)
    server.run("the game manager has stopped")


@dataclass(frozen=True)
class TournamentOptions:
    """What `ludus ggp tournament` may be told."""

    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Rulesheets, or names of shipped ones.")]
    players: Players
    rounds: Annotated[int, typer.Option(help="How often all meet, in all rotations of the roles."), ROUNDS] = 1
    start: Start = 10
    play: Play = 5
    name: Annotated[str, typer.Option(help="What the matches are filed under.")] = "tournament"
    database: Database = "ggp.sqlite"
    seed: Seed = 1
    as_json: Json = False


@app.command()
@with_options
def tournament(options: TournamentOptions) -> None:
    """Let players meet in every game, each in every role.

    \b
    Examples:
      ludus ggp tournament tictactoe connectfour --players 127.0.0.1:9147,127.0.0.1:9148,random
      ludus ggp tournament game.kif --players mcts,random --rounds 10 --json
    """
    from rich.table import Table

    from ludus.ggp.record import Clocks, Match
    from ludus.ggp.store import Store
    from ludus.ggp.tournament import Plan, play_tournament, standings

    plan = Plan(
        options.name, [_game(file) for file in options.files], split_players(options.players), options.rounds,
        Clocks(options.start, options.play), options.seed,
    )  # fmt: skip
    total, store = plan.size(), Store(options.database)

    def hear(match: Match) -> None:
        store.save(match)
        if match.status != "running" and not options.as_json:
            ends = ", ".join(f"{who} {goal}" for who, goal in zip(match.players, match.goals, strict=False))
            say(f"{match.game_name}: {ends or match.status}")

    results = play_tournament(plan, hear)
    table = standings(results)
    if options.as_json:
        rows = [standing.to_json() for standing in table]
        print_json({"name": options.name, "planned": total, "standings": rows, "results": results})
        return
    shown = Table("player", "matches", "mean goal", "95 %", "errors")
    for standing in table:
        interval = f"{standing.low:.1f} … {standing.high:.1f}"
        shown.add_row(standing.player, str(standing.matches), f"{standing.mean:.1f}", interval, str(standing.errors))
    console().print(shown)


@app.command()
def results(
    match_id: Annotated[str | None, typer.Argument(metavar="MATCH", help="Only this match, in full.")] = None,
    database: Database = "ggp.sqlite",
    limit: Annotated[int, typer.Option(help="How many, the newest first."), COUNT] = 20,
    as_json: Json = False,
) -> None:
    """List the matches in a database.

    \b
    Examples:
      ludus ggp results
      ludus ggp results --json --limit 100
      ludus ggp results MATCH
    """
    from ludus.ggp.store import Store

    if "://" not in database and not os.path.exists(check_name(database)):
        raise LudusError(f"there is no database {database}; 'ludus ggp match' makes one, --database names another")
    store = Store(database)
    if match_id is not None:
        print_json(store.match(match_id))
        return
    found = store.results(limit)
    if as_json:
        print_json(found)
        return
    for result in found:
        goals = result["goalValues"] or ["–"] * len(result["roles"])
        seats = zip(result["roles"], result["players"], goals, result["errors"], strict=True)
        ends = "  ".join(
            f"{role}={who}:{goal}{f' ({wrong} errors)' if wrong else ''}" for role, who, goal, wrong in seats
        )
        print(f"{result['matchId']}  {result['status']}  {result['steps']} steps  {ends}")
