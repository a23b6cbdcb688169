"""`make demo`: a backgammon player learns from nothing before your eyes, then meets a random player and the shipped one."""

from __future__ import annotations

from rich.console import Console

from ludus.lab import train, view
from ludus.matches import arena, table

GAMES = 2_000


def demo(console: Console, seed: int = 1) -> None:
    """Train, draw, play, and say what to do next."""
    console.print("[bold]A network that knows the rules of backgammon, and nothing else, plays against itself.[/bold]")
    console.print()
    run = train("backgammon", preset="demo", seed=seed, progress=view())
    console.print(f"\nIts learning curve: [bold]{run.folder / 'curve.png'}[/bold]\n")
    pupil = f"td:{run.folder}"
    for opponent in ("random", "td"):
        console.print(table(arena("backgammon", [pupil, opponent], games=GAMES, seed=seed)))
    console.print(
        f"{pupil} is the player that you just trained; td is the one that comes with ludus.\n\n"
        f"Play against your pupil:   ludus play backgammon --against {pupil}\n"
        "Play against the teacher:  ludus play backgammon\n"
        "Train a better one:        ludus train backgammon --preset best --games 300000\n"
        "(ludus is in .venv/bin; `source .venv/bin/activate` puts it on your path)",
        soft_wrap=True,
        highlight=False,
    )
