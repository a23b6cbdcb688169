"""The commands for the first day: `warmup` compiles everything, `demo` shows what it is all about.

What they do lies in `ludus.cli.warmup` and `ludus.cli.demo`. A command imports it for itself, as it loads Numba and rich, so
that help answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ludus.cli.options import Seed, console, new_app

app = new_app()


@app.command()
def warmup(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Only this game; else all.")] = None,
) -> None:
    """Compile what playing, training and arenas need, on all cores: about a minute, once.

    Commands do it themselves when they first run, but then you wait for it. Compiled code is kept in your folder for caches, or in $LUDUS_CACHE_DIR.

    \b
    Examples:
      ludus warmup
      ludus warmup backgammon
    """
    from ludus.cli.warmup import warm_up
    from ludus.kernel import store

    store.clean()
    loaded, compiled = warm_up(game, lambda text: print(text, flush=True))
    print(f"{compiled} function{'s' * (compiled != 1)} compiled, {loaded} loaded from disk")


@app.command()
def demo(
    seed: Seed = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="Some seconds instead of two minutes; it learns less.")
    ] = False,
) -> None:
    """Let a player learn before your eyes, and try it.

    \b
    Examples:
      ludus demo
      ludus demo --quick
    """
    from ludus.cli.demo import demo as show

    show(console(), seed, quick)
