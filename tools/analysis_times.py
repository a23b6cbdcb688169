"""How long the analysis of a match takes: a match with the cube, td against itself, one of them careless, judged 0, 1 and 2 plies ahead on one core.

python tools/analysis_times.py [match.mat]      # and keep the match
python tools/analysis_times.py --cubeless       # without the cube and the score
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from analysed import careless_match
from ludus.analysing import analyse_match

LENGTH, SEED = 21, 3
CARELESS = (0.0, 0.1)  # the share of decisions in which each seat does anything


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="How long the analysis of a match takes.")
    parser.add_argument("file", nargs="?", help="where to keep the match")
    parser.add_argument("--cubeless", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = careless_match(Path(wanted.file or f"{folder}/match.mat"), LENGTH, SEED, CARELESS)
        for plies in (0, 1, 2):
            analyse_match(path, plies=plies, number=1, jobs=1, cubeless=wanted.cubeless)  # compiles
            begun, used = time.perf_counter(), time.process_time()
            found = analyse_match(path, plies=plies, jobs=1, cubeless=wanted.cubeless)
            seconds, used = time.perf_counter() - begun, time.process_time() - used
            sums = [found.sums(seat) for seat in (0, 1)]
            moves, cube = (
                sum(each.counted for each in part) for part in zip(*((s.checker, s.cube) for s in sums), strict=True)
            )
            rates = " and ".join(f"{each.error_rate:.1f}" for each in sums)
            print(
                f"{plies} plies: {used:.1f} s of a processor, {seconds:.1f} s by the clock, {len(found.games)} games, {moves} unforced moves, "
                f"{cube} close or actual cube decisions, {1000 * used / (moves + cube):.1f} ms each; error rates {rates}"
            )


if __name__ == "__main__":
    main()
