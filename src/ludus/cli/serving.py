"""The command `ludus serve`: the page."""

from __future__ import annotations

import threading
import webbrowser
from dataclasses import dataclass
from typing import Annotated

import typer

from ludus.cli.options import new_app, say, with_options
from ludus.errors import LudusError
from ludus.quantities import PORT

app = new_app()


@dataclass(frozen=True)
class Serving:
    """How the page is served."""

    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in, who then need the token.")
    ] = "127.0.0.1"
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free."), PORT] = 8080
    database: Annotated[
        str | None,
        typer.Option(metavar="FILE|URL", help="Where games are kept.  [default: a file in your data folder]"),
    ] = None
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="Offer another player, as td:runs/mine. Give it again for each."),
    ] = None
    allow_host: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Another name of this machine.")] = None
    token: Annotated[
        str | None, typer.Option(help="What other machines must know.  [default: a new one each time]")
    ] = None
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True


@app.command()
@with_options
def serve(options: Serving) -> None:
    """Open the page: play and watch every game in the browser.

    \b
    Examples:
      ludus serve
      ludus serve --port 9000 --no-open --player td:runs/mine
      ludus serve --database postgresql://me:secret@localhost/ludus
    """
    from ludus.web.app import Settings
    from ludus.web.serving import Server, new_token

    if options.token is not None and not (options.token.isascii() and options.token.isalnum()):
        raise LudusError("--token must be made of plain letters and digits")
    token = options.token or new_token(options.host)
    settings = Settings(options.host, tuple(options.allow_host or ()), token, tuple(options.player or ()))
    server = Server(options.database, options.port, settings)
    say(f"The page is at {server.address}  (Ctrl-C ends it; games are kept in {server.database})")
    if options.open_page:
        # A browser of the terminal comes back when it is closed, and needs the page before.
        threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
    server.run("the page is closed; every game goes on when you open it again")
