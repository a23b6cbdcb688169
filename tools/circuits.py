"""How large the circuits of the shipped rulesheets are, and how fast random games run on them; beside an earlier measurement, if there is one.

    python tools/circuits.py --out after.json
    python tools/circuits.py --before before.json      # a file that another version wrote with --out

Sheets are played one after the other on one core, for a second of processor time each.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludus.contract.rules import playouts, sizes_of
from ludus.games import gdl
from ludus.kernel import stream

MOST_GAMES = 16_384  # that are asked for at once


def levels(game: Any) -> int:
    """How many gates wait for each other at most."""
    sources = 1 + int(game.sizes[0] + game.sizes[1] + game.sizes[2])
    found = [0] * (sources + len(game.left))
    for gate, (a, b) in enumerate(zip((game.left >> 1).tolist(), (game.right >> 1).tolist(), strict=True)):
        found[sources + gate] = 1 + max(found[a], found[b])
    return max(found)


def games_per_second(game: Any, seconds: float) -> float:
    """Random games from the first position, in a second of processor time."""
    state, sizes, total = game.first(), sizes_of(game), np.zeros(game.facts.seats)
    count, games, number = 256, 0, 0
    playouts(game, state, stream(1), count, sizes, total)
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        playouts(game, state, stream(1, number), count, sizes, total)
        games, number = games + count, number + 1
        if spent < seconds / 20:
            count = min(4 * count, MOST_GAMES)
    return games / spent


def measure(name: str, seconds: float) -> dict[str, float]:
    """Gates, levels, games a second, and the processor seconds that it takes to make the circuit."""
    text = gdl.read_text(gdl.shipped()[name])
    gdl.load(text, name)
    begun = time.process_time()
    game = gdl.load(text, name)
    load = time.process_time() - begun
    return {
        "gates": len(game.left),
        "levels": levels(game),
        "games": games_per_second(game, seconds),
        "load": load,
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="a file for the figures")
    parser.add_argument("--before", type=Path, help="a file of figures to compare with")
    parser.add_argument("--seconds", type=float, default=1.0, help="of processor time for each sheet")
    options = parser.parse_args()
    before = json.loads(options.before.read_text()) if options.before else {}
    found = {}
    print("| sheet | gates | levels | random games/s | seconds to load |")
    print("| --- | --- | --- | --- | --- |")
    for name in gdl.shipped():
        found[name] = measure(name, options.seconds)
        cells = [
            f"{found[name][word]:,.{2 if word == 'load' else 0}f}" for word in ("gates", "levels", "games", "load")
        ]
        if name in before:
            cells = [
                f"{before[name][word]:,.{2 if word == 'load' else 0}f} → {cell}"
                for word, cell in zip(("gates", "levels", "games", "load"), cells, strict=True)
            ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if before:
        for word in ("gates", "levels"):
            old, new = (sum(each[name][word] for name in found) for each in (before, found))
            print(f"\n{word} of all: {old:,.0f} → {new:,.0f} ({100 * (new - old) / old:+.0f} %)")
        ratios = sorted(found[name]["games"] / before[name]["games"] for name in found)
        print(
            f"random games/s: {ratios[len(ratios) // 2]:.2f} times as many in the median, {ratios[0]:.2f} to {ratios[-1]:.2f}"
        )
    if options.out:
        options.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
