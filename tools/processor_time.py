"""Run a command of ludus in which the seconds of searches are seconds of the processor, not of the clock: matches between searches stay fair on a machine that has other work.

    python tools/processor_time.py arena connectfour 'mcts(seconds=1)' 'mcts(seconds=1,lanes=false)' --games 60 --opening 2 --seed 1
    git clone . ../before && git -C ../before checkout 0bdb440
    python tools/processor_time.py arena quoridor 'td(seconds=0.1)' \\
        'qtp:env PYTHONPATH=../before/src python tools/processor_time.py engine quoridor --player "td(seconds=0.1)"' --games 20 --opening 4 --seed 1

All is played in this one process, but for engines by protocol, each of which has its own. It is for searches of one thread: with `threads` and `ponder` the seconds of all would be added up.
"""

from __future__ import annotations

import importlib
import sys
import time
from types import SimpleNamespace

SEARCHES = ("players.alphabeta", "players.mcts", "players.mcs", "players.zero", "search.growing")


def main() -> None:
    """Give the searches another clock, then do what `ludus` does."""
    for name in SEARCHES:
        try:
            module = importlib.import_module(f"ludus.{name}")
        except ModuleNotFoundError:  # in an older version
            continue
        module.time = SimpleNamespace(**{**vars(time), "perf_counter": time.process_time})
    from ludus.cli.main import main as ludus

    jobs = ["--jobs", "1"] if sys.argv[1:2] == ["arena"] and "--jobs" not in sys.argv else []
    sys.argv[1:] = [*sys.argv[1:], *jobs]
    ludus()


if __name__ == "__main__":
    main()
