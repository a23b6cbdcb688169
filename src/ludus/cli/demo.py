"""`make demo`: a backgammon player learns from nothing before your eyes, then meets a random player and the shipped one."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from ludus.lab import train, view
from ludus.matches import arena, table

GAMES = 2_000
QUICK: dict[str, Any] = {"games": 2_000, "evaluation_games": 100}  # settings of a training of some seconds


def demo(console: Console, seed: int = 1, quick: bool = False) -> None:
    """Train, draw, play, and say what to do next. The quick one learns some, in seconds: to see that everything works."""
    console.print("[bold]A network that knows the rules of backgammon, and nothing else, plays against itself.[/bold]")
    console.print()
    run = train("backgammon", preset="demo", seed=seed, progress=view(), **(QUICK if quick else {}))
    console.print(f"\nIts learning curve: [bold]{run.folder / 'curve.png'}[/bold]\n")
    pupil = f"td:{run.folder}"
    for opponent in ("random", "td"):
        console.print(table(arena("backgammon", [pupil, opponent], games=GAMES // 10 if quick else GAMES, seed=seed)))
    console.print(
        f"{pupil} is the player that you just trained; td is the one that comes with ludus.\n\n"
        f"Play against your pupil:   ludus play backgammon --against {pupil}\n"
        "Play against the teacher:  ludus play backgammon\n"
        "Train a better one:        ludus train backgammon --preset best --games 300000\n"
        "(ludus is in .venv/bin; `source .venv/bin/activate` puts it on your path)",
        soft_wrap=True,
        highlight=False,
    )
