"""How much less a contest's mean varies when luck cancels, and what that costs.

    python tools/pairs.py                       # all contests: six minutes on one core
    python tools/pairs.py --only ludo --games 2000 --json

Each contest is played three times: with dice of its own for each game, in rounds with the same dice and every player in every seat, and so with
the luck of the dice taken off, as the shipped network judges it. Beside the variance of the first player's mean, for a single game, stands how many times smaller it is than
with independent games, with a 95 % interval by the bootstrap over rounds; the processor time of a game; and the gain net of it: how many times less
time leads to the same standard error. Ends with code 1 if taking luck off is not surely twice as good, time aside.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any, NamedTuple

import numpy as np

from ludus.matches.contest import enter, play, seated
from ludus.matches.flight import Manner
from ludus.matches.pairs import by_player
from ludus.matches.statistics import less_luck

DRAWS = 2000
WANTED = 2.0  # times smaller


class Contest(NamedTuple):
    """Who plays what, and how many games are usual."""

    game: str
    first: str
    second: str
    games: int


CONTESTS = (
    Contest("backgammon", "td", "td(plies=1)", 1000),
    Contest("ludo(seats=2)", "td", "expert", 10_000),
    Contest("ludo(seats=4)", "td", "expert", 8000),
    Contest("ludo(seats=2)", "td(plies=1)", "td", 10_000),
    Contest("ludo(seats=2, rules=ludopy)", "td", "semismart", 10_000),
)
WAYS = {
    "independent games": Manner(),
    "paired": Manner(paired=True),
    "paired, luck taken off": Manner(paired=True, luck="td"),
}


def measure(contest: Contest, manner: Manner, games: int, seed: int) -> tuple[np.ndarray, float]:
    """What the first player made in each round, a game, and the processor seconds of a game."""
    game, given = seated(contest.game, [contest.first, contest.second])
    entry, seats = enter(game, given), game.facts.seats
    play(entry, seed, range(2 * seats), 1, None, manner)  # so that nothing is compiled later
    games -= games % seats
    begun = time.process_time()
    played = play(entry, seed, range(games), 1, None, manner)
    seconds = (time.process_time() - begun) / games
    points, luck = (by_player(array, entry.seatings)[0] for array in played)
    return less_luck(points, luck, seats) * np.sqrt(seats), seconds


def ratio_interval(plain: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """The 95 % interval of the ratio of two variances, by the bootstrap."""

    def drawn(values: np.ndarray) -> np.ndarray:
        return np.array([values[rng.integers(len(values), size=len(values))].var(ddof=1) for _ in range(DRAWS)])

    low, high = np.quantile(drawn(plain) / drawn(other), [0.025, 0.975])
    return float(low), float(high)


def rows_of(contest: Contest, games: int, seed: int) -> list[dict[str, Any]]:
    """One row for each way of playing a contest."""
    rng, rows = np.random.default_rng(seed), []
    plain, plain_seconds = measure(contest, WAYS["independent games"], games, seed)
    for way, manner in WAYS.items():
        rounds, seconds = (plain, plain_seconds) if manner == Manner() else measure(contest, manner, games, seed)
        seats, variance = seated(contest.game, [contest.first, contest.second])[0].facts.seats, rounds.var(ddof=1)
        ratio = float(plain.var(ddof=1) / variance)
        rows.append(
            {
                "game": contest.game,
                "players": [contest.first, contest.second],
                "way": way,
                "games": len(rounds) * seats,
                "seed": seed,
                "points_per_game": float(rounds.mean() / np.sqrt(seats)),
                "points_se": float(np.sqrt(variance / len(rounds) / seats)),
                "variance": float(variance),
                "times_smaller": ratio,
                "times_smaller_ci95": list(ratio_interval(plain, rounds, rng)) if rounds is not plain else [1.0, 1.0],
                "milliseconds": 1000 * seconds,
                "net_of_time": ratio * plain_seconds / seconds,
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="contests whose game begins so")
    parser.add_argument("--games", type=int, help="of each contest and way; unless given, as many as each needs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one line of JSON for each row")
    options = parser.parse_args()
    good = True
    for contest in CONTESTS:
        if not contest.game.startswith(options.only):
            continue
        rows = rows_of(contest, options.games or contest.games, options.seed)
        good &= rows[-1]["times_smaller_ci95"][0] >= WANTED
        if options.json:
            print("\n".join(map(json.dumps, rows)), flush=True)
            continue
        print(
            f"\n{contest.game}: {contest.first} against {contest.second}, {rows[0]['games']:,} games, seed {options.seed}"
        )
        print(
            f"  {'':24}{'points a game':>20}{'variance':>10}{'times smaller':>24}{'ms a game':>11}{'net of time':>13}"
        )
        for row in rows:
            low, high = row["times_smaller_ci95"]
            made = f"{row['points_per_game']:+.4f} ± {row['points_se']:.4f}"
            smaller = f"{row['times_smaller']:.2f} [{low:.2f}, {high:.2f}]"
            print(f"  {row['way']:24}{made:>20}{row['variance']:10.4f}{smaller:>24}{row['milliseconds']:11.3f}{row['net_of_time']:13.2f}", flush=True)  # fmt: skip
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
