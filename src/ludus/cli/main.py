"""The command line: parses, calls, prints. Each group of commands has a file of its own; here they are put together.

What is wrong with a command line is answered by `ludus.cli.usage`, what commands share lies in `ludus.cli.options`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from ludus import __version__
from ludus.cli import (
    analysing,
    beginning,
    comparing,
    engines,
    gdl,
    ggp,
    measuring,
    models,
    playing,
    rolling,
    serving,
    training,
)
from ludus.cli.options import new_app
from ludus.cli.usage import run

app = new_app()
for group in (training, playing, analysing, rolling, serving, engines, measuring, comparing, beginning):
    app.registered_commands += group.app.registered_commands
app.add_typer(gdl.app, name="gdl")
app.add_typer(ggp.app, name="ggp")
app.add_typer(models.app, name="models")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit with 0, 1 (could not go on), 2 (bad input) or 130 (interrupted)."""
    run(app, arguments)


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


if __name__ == "__main__":
    main()
