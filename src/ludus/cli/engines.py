"""The command `ludus engine`: a player of ours for other people's tools."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ludus import __version__
from ludus.adapters.qtp import Qtp
from ludus.adapters.speaking import Speaker, converse
from ludus.cli.options import Game, Seed, new_app
from ludus.errors import LudusError, choice
from ludus.games import game as game_of
from ludus.players import check_known

app = new_app()

PROTOCOLS = {"qtp": "the Quoridor Text Protocol", "ugi": "the Universal Game Interface"}


@app.command()
def engine(
    game: Game,
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Who plays: see 'ludus players'.  [default: the best known]")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(metavar="qtp|ugi", help="What is spoken.  [default: qtp for quoridor, else ugi]")
    ] = None,
    seed: Seed = 1,
) -> None:
    """Be an engine for other programs: commands come on stdin, answers go to stdout.

    Quoridor speaks the Quoridor Text Protocol, and the tool says the size of the board and the number of walls; other games speak UGI.

    \b
    Examples:
      ludus engine quoridor --player "td(seconds=1)"
      printf 'genmove black\\nshowboard\\nquit\\n' | ludus engine quoridor
      ludus engine connectfour --player "mcts(seconds=1)"
      ludus arena quoridor td 'qtp:ludus engine quoridor --player "alphabeta(depth=3)"' --games 10 --opening 4
    """
    quoridor = game.partition("(")[0].strip() == "quoridor"
    protocol = protocol or ("qtp" if quoridor else "ugi")
    choice("protocol", protocol, PROTOCOLS)
    if protocol == "qtp" and game.strip() != "quoridor":
        raise LudusError(
            f"--protocol qtp is for quoridor, not {game}; the tool says the size of the board by 'boardsize'; "
            "boards that are not square are for --protocol ugi"
        )
    if player is not None:
        check_known(player)
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # what is no text is no command either
    speaker: Speaker
    if protocol == "qtp":
        speaker = Qtp(player, __version__, seed)
    else:
        from ludus.adapters.ugi import Ugi  # loads Numba

        speaker = Ugi(game_of(game), player, seed)
    converse(speaker, sys.stdin, sys.stdout)
