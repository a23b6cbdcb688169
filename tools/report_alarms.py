"""How often a whole report claims something that is not so: made-up comparisons of methods that are all the same, judged as real ones are.

    python tools/report_alarms.py                    # 1,000 reports of each kind
    python tools/report_alarms.py --reports 100 --json

A report is wrong if it calls any difference sure, at the end or in speed, on any game. Circles among methods, which have a level of 5 % of their own,
are counted beside it. Ends with code 1 if more than 5 % of reports of some kind are wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from comparisons import World, made
from ludus.comparing.judging import judge
from ludus.matches.statistics import wilson

KINDS = {
    "3 methods, 10 seeds": (3, 10, 0.05),
    "3 methods, 5 seeds": (3, 5, 0.05),
    "2 methods, 10 seeds that are alike": (2, 10, 0.0),
}


def main() -> int:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="for programs")
    wishes = parser.parse_args()
    found, good = {}, True
    for name, (methods, seeds, spread) in KINDS.items():
        wrong = circles = 0
        world = World({f"method {i + 1}": 0.6 for i in range(methods)}, seeds=seeds, rounds=4, spread=spread)
        for number in range(wishes.reports):
            judgement = judge(made(world, seed=wishes.seed * 1_000_000 + number))
            wrong += any(difference.sure for pair in judgement.pairs for difference in pair.differences)
            circles += bool(judgement.circles)
        low, high = wilson(wrong, wishes.reports)
        good &= wrong <= 0.05 * wishes.reports
        found[name] = {"reports": wishes.reports, "wrong": wrong, "ci95": [low, high], "with_circles": circles}
        if not wishes.json:
            share = wrong / wishes.reports
            print(
                f"{name}: {share:.1%} [{low:.1%}, {high:.1%}] of reports are wrong; {circles} see a circle", flush=True
            )
    if wishes.json:
        print(json.dumps(found))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
