"""How soon `plan` finds the best end of the games with one seat that come with ludus.

    python tools/plans.py                          # all of them, seeds 1 to 5, at most 30 s each
    python tools/plans.py eightpuzzle --seeds 1 --seconds 5

Processor seconds, code already compiled: until the best plan was found, and until it was proven that none is better, if that came within the time. The time
of the clock is limited by --seconds; on a machine with other work it is longer than that of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any, NamedTuple

import ludus
from ludus.games import gdl
from ludus.kernel import stream
from ludus.search.planning import Plan, Planner


class Found(NamedTuple):
    """What came of one search."""

    score: float
    moves: int
    proven: bool
    until_found: float  # processor seconds
    until_end: float
    clock: float  # seconds of the clock


def measure(game: Any, seconds: float, seed: int) -> Found:
    """Plan from the beginning of a game."""
    planner, told = Planner(game), [0.0]
    planner.warm_up(game.first(), stream(seed))
    begun, clock = time.process_time(), time.perf_counter()

    def tell(plan: Plan) -> None:
        told[0] = time.process_time() - begun

    plan = planner.plan(game.first(), seconds, None, stream(seed), tell)
    spent, passed = time.process_time() - begun, time.perf_counter() - clock
    if plan is None:
        return Found(0.0, 0, False, spent, spent, passed)
    return Found(plan.score, len(plan.moves), plan.proven, told[0], spent, passed)


def main() -> None:
    """Read the command line, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="default: all that come with ludus")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    names = options.games or [name for name in gdl.shipped() if ludus.game(name).facts.seats == 1]
    print(f"{'game':16} {'score':>12} {'moves':>9} {'found after':>20} {'proven':>7} {'clock':>8}")
    for name in names:
        rows = [measure(ludus.game(name), options.seconds, seed) for seed in range(1, options.seeds + 1)]
        scores, lengths = [round(100 * row.score) for row in rows], [row.moves for row in rows]
        found = [row.until_found for row in rows]
        after = f"{statistics.median(found):.2f} ({max(found):.2f}) s"
        proven = f"{sum(row.proven for row in rows)}/{len(rows)}"
        score = f"{min(scores)}" if len(set(scores)) == 1 else f"{min(scores)}–{max(scores)}"
        length = f"{min(lengths)}" if len(set(lengths)) == 1 else f"{min(lengths)}–{max(lengths)}"
        print(
            f"{name:16} {score:>12} {length:>9} {after:>20} {proven:>7} {max(row.clock for row in rows):6.1f} s",
            flush=True,
        )
    print("found after: median (longest) over the seeds; clock: the longest")


if __name__ == "__main__":
    main()
