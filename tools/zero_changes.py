"""What a change of method `zero` is worth: a training with other settings against the usual one, by searches of as many simulations, from random openings.

    python tools/zero_changes.py hex5 --games 400 passes=12
    python tools/zero_changes.py breakthrough6 --games 300 simulations=64,width=16 decay=1    # each by itself

Give --seed for another training, and --against for other usual settings.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import ludus
from ludus.methods.zero import ZeroMethod
from ludus.players.zero import Limits, Zero

SIMULATIONS = 64
OPENING = 3


def trained(game: Any, text: str, games: int, seed: int) -> Zero:
    """Who plays after so many games by these settings."""
    settings = dict(part.split("=", 1) for part in text.split(",") if part)
    began = time.process_time()
    learner = ZeroMethod(**{"games_at_once": "25", "parts": "1", **settings}).begin(game, seed, games)
    report = {}
    while learner.games < games:
        report = learner.advance()
    learner.close()
    losses = ", ".join(f"{word} {value:.3f}" for word, value in report.items() if word != "rate")
    print(f"{text or 'usual'}: {time.process_time() - began:.1f} s of processor time, {losses}", flush=True)
    return Zero(game, learner.player().judge, Limits(simulations=SIMULATIONS), name=text or "usual")


def main() -> None:
    """Train, let meet, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("changes", nargs="+", metavar="NAME=VALUE,…")
    parser.add_argument("--against", default="", metavar="NAME=VALUE,…")
    parser.add_argument("--games", type=int, default=400, help="of each training")
    parser.add_argument("--matches", type=int, default=200, help="games between two")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    game = ludus.game(asked.game)
    usual = trained(game, asked.against, asked.games, asked.seed)
    for text in asked.changes:
        changed = trained(game, text, asked.games, asked.seed)
        row = ludus.arena(game, [changed, usual], games=asked.matches, seed=asked.seed, opening=OPENING, jobs=1)[
            changed.name
        ]
        low, high = row.win_rate_ci95
        print(f"  wins {row.win_rate:.1%} ({low:.1%} to {high:.1%}) of {row.games} games", flush=True)


if __name__ == "__main__":
    main()
