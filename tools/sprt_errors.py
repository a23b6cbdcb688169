"""How often the sequential test errs, and how many games it takes, by simulated contests.

    python tools/sprt_errors.py                  # 1,000 tests of each kind: ten seconds
    python tools/sprt_errors.py --sprt 0,10elo --tests 200

Beside its mean number of games stand those of two tests of a fixed size with the same errors, which know the variance in advance: the
two-sided one, an interval as `ludus arena` prints it, and the one-sided one, which asks just what the sequential test asks. Wald's theory
lets no sequential test with errors of 5 % save more than a factor of 2.04 beside the latter. Ends with code 1 if errors are surely above what was asked, or if
the two-sided test is not twice as long.
"""

from __future__ import annotations

import argparse
import sys
from statistics import NormalDist

import numpy as np

from ludus.matches.statistics import Question, question, wilson
from ludus.matches.statistics.sequential import OUTCOMES, pair_llr

# How pairs come out between players that are even.
KINDS = {
    "independent games": np.array([0.25, 0.0, 0.5, 0.0, 0.25]),
    "luck cancels in a pair": np.array([0.1, 0.05, 0.7, 0.05, 0.1]),
    "many draws": np.array([0.05, 0.2, 0.5, 0.2, 0.05]),
}
AT_ONCE = 100  # pairs that are drawn before the next look at who has ended


def tilted(even: np.ndarray, share: float) -> np.ndarray:
    """The distribution of pairs of the same kind in which the first player's win share is another one."""
    low, high = -100.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        found = even * np.exp(middle * (OUTCOMES - 0.5))
        found /= found.sum()
        low, high = (middle, high) if found @ OUTCOMES < share else (low, middle)
    return found


def simulate(
    chances: np.ndarray, asked: Question, tests: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """After how many pairs each of some tests ended, and whether it said "high"."""
    low, high = asked.bounds
    ended, said = np.zeros(tests, np.int64), np.zeros(tests, bool)
    counts, going = np.zeros((tests, 5)), np.arange(tests)
    while len(going):
        drawn = np.eye(5)[rng.choice(5, size=(len(going), AT_ONCE), p=chances)]
        seen = counts[going, None] + np.cumsum(drawn, axis=1)
        llr = pair_llr(seen, asked)
        out = (llr <= low) | (llr >= high)
        first, over = np.argmax(out, axis=1), out.any(axis=1)
        rows = np.flatnonzero(over)
        ended[going[rows]] += first[rows] + 1
        said[going[rows]] = llr[rows, first[rows]] >= high
        ended[going[~over]] += AT_ONCE
        counts[going] = seen[:, -1]
        going = going[~over]
    return ended, said


def fixed(chances: np.ndarray, asked: Question, sides: int) -> float:
    """How many pairs a test of a fixed size takes, with the same errors."""
    variance = float(chances @ (OUTCOMES - chances @ OUTCOMES) ** 2)
    reach = NormalDist().inv_cdf(1 - asked.alpha / sides) + NormalDist().inv_cdf(1 - asked.beta)
    return reach**2 * variance / (asked.high - asked.low) ** 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sprt", default="0,5", help="what is asked, as `ludus arena --sprt` has it")
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    asked, rng = question(options.sprt), np.random.default_rng(options.seed)
    good = True
    print(f"{options.tests:,} tests of each kind; errors of {asked.alpha:.0%} and {asked.beta:.0%} are asked for")
    print(
        f"{'pairs':24}{'true share':>11}{'errors':>8}{'95 % interval':>17}{'games':>8}{'two-sided':>18}{'one-sided':>18}"
    )
    for name, even in KINDS.items():
        for share, may, right in ((asked.low, asked.alpha, False), (asked.high, asked.beta, True)):
            chances = tilted(even, share)
            ended, said = simulate(chances, asked, options.tests, rng)
            wrong, games = int(np.sum(said != right)), 2 * float(ended.mean())
            low, high = wilson(wrong, options.tests)
            sizes = [2 * fixed(chances, asked, sides) for sides in (2, 1)]
            beside = "".join(f"{size:9,.0f} = {size / games:.2f} ×" for size in sizes)
            print(
                f"{name:24}{share:11.1%}{wrong / options.tests:8.1%}{f'[{low:.1%}, {high:.1%}]':>17}{games:8,.0f}{beside}",
                flush=True,
            )
            good &= low <= may and sizes[0] >= 2 * games
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
