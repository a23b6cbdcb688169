"""The commands `ludus gdl …`: look at rulesheets, and find out what is wrong with one."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.options import Json, new_app, print_json, print_list
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.quantities import MEGABYTES, SECONDS

STEPS = 500  # of a random game

app = new_app(no_args_is_help=True, help="Rulesheets in the Game Description Language.")

Sheet = Annotated[str, typer.Argument(metavar="FILE", help="A rulesheet, or the name of one that comes with ludus.")]


@app.command()
def check(
    file: Sheet,
    seconds: Annotated[
        float, typer.Option(help="Processor time for grounding; beyond it the sheet is interpreted."), SECONDS
    ] = gdl.SECONDS,
    memory: Annotated[int, typer.Option(help="Memory for grounding, in megabytes."), MEGABYTES] = gdl.MEMORY,
    as_json: Json = False,
) -> None:
    """Say whether a rulesheet is sound, and how it will be played.

    Checks the grammar, the roles, that all relations of a game are there, safety, stratification and goals; then compiles it, plays a few random games, and looks how they end.

    \b
    Examples:
      ludus gdl check mygame.kif
      ludus gdl check hex9 --json
    """
    from ludus.games.gdl.sheet import read_sheet  # a tenth of the time that the help of any command takes

    path = gdl.shipped().get(file, Path(file))
    text = gdl.read_text(path)
    sheet = read_sheet(text, str(file))
    begun = time.perf_counter()
    told: list[str] = []
    game = gdl.load(text, path.stem, seconds, memory, told.append)
    loaded = time.perf_counter() - begun
    report: dict[str, Any] = {
        "file": file,
        "rules": len(sheet.rules),
        "roles": list(sheet.roles),
        "remarks": sheet.remarks,
        "seconds": round(loaded, 3),
        "played": "compiled" if type(_within(game)).__name__ == "Gdl" else "interpreted",
        **_numbers(game),
        **_try(game),
    }
    report["remarks"] = [*report["remarks"], *report.pop("ends")]
    if report["ended"] < report["games"]:
        report["remarks"].append(
            f"{report['games'] - report['ended']} of {report['games']} random games did not end within {STEPS} steps"
        )
    if sheet.hides:
        report["remarks"].append("information is hidden (sees, GDL-II): each role knows its own moves and what it sees")
    if report["played"] == "interpreted":
        report["remarks"].append(told[-1])
    if as_json:
        print_json(report)
        return
    print(
        f"{file}: sound. {report['rules']} rules, roles {', '.join(report['roles'])}; {report['played']} in {loaded:.2f} s"
    )
    if "gates" in report:
        print(f"{report['propositions']:,} propositions, {report['moves']:,} moves, {report['gates']:,} gates")
    scores = f", with scores {_scores(report['scores'])} on average" if report["scores"] else ""
    print(f"{report['games']} random games of {report['steps']:.1f} steps on average; {report['ended']} ended{scores}")
    for remark in report["remarks"]:
        print(f"note: {remark}")


def _within(game: Any) -> Any:
    """A game, or the one within it where information is hidden."""
    return getattr(game, "base", game)


def _numbers(game: Any) -> dict[str, Any]:
    """How large a compiled game is."""
    game = _within(game)
    if type(game).__name__ != "Gdl":
        return {}
    propositions, moves, registers, gates = game.sizes[:4].tolist()
    return {"propositions": propositions, "moves": moves, "gates": gates, "loops": registers}


def _try(game: Any, games: int = 5, steps: int = STEPS) -> dict[str, Any]:
    """Play a few random games, and see how they end."""
    rng = random.Random(1)
    total, made, ended = [0.0] * game.facts.seats, 0, 0
    remarks: dict[str, None] = {}
    for _ in range(games):
        state = game.first()
        here = 0
        while not game.terminal(state) and here < steps:
            state = game.advance(state, [rng.choice(moves) for moves in game.legal(state)])
            here += 1
        made += here
        if game.terminal(state):
            ended += 1
            goals = [g for g, role in zip(game.goals(state), game.roles, strict=True) if role != "random"]
            total = [a + g for a, g in zip(total, goals, strict=True)]
            remarks |= dict.fromkeys(_odd_ends(game, state))
    return {
        "games": games, "ended": ended, "steps": made / games,
        "scores": [t / ended for t in total] if ended else None, "ends": list(remarks),
    }  # fmt: skip


def _odd_ends(game: Any, state: Any) -> Iterator[str]:
    """What is not as it should be where a game has ended."""
    ending = game.ending(state)
    if not ending.terminal:
        for role, moves in zip(game.roles, game.legal(state), strict=True):
            if not moves:
                yield f"{role} has no legal move in a state that is not terminal: the game ends there"
    for role, values in zip(game.roles, ending.goals, strict=True):
        if role != "random" and not values:
            yield f"no goal holds for {role} at the end of a game: that counts as 0"
        elif role != "random" and len(values) > 1:
            yield f"several goals hold for {role} at the end of a game ({', '.join(map(str, values))}): the best counts"


def _scores(scores: list[float]) -> str:
    return ", ".join(f"{s:.0f}" for s in scores)


@app.command()
def show(file: Sheet) -> None:
    """Print a rulesheet.

    \b
    Example:
      ludus gdl show tictactoe > mygame.kif
    """
    print(gdl.read_text(gdl.shipped().get(file, Path(file))), end="")


@app.command("list")
def list_sheets(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the rulesheets that come with ludus."""
    rows = {name: gdl.summary(path) for name, path in gdl.shipped().items()}
    if not rows:
        raise LudusError("no rulesheets are installed")
    if as_json:
        print_json(rows)
    else:
        print_list(rows.items())
