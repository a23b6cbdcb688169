"""How long people wait at first: processor seconds of each command with an empty cache of compiled code, and again with what is there then.

python tools/first_use.py                      # a table, with nothing compiled at all
python tools/first_use.py --shipped            # with the code that `make` or a wheel put into the package
python tools/first_use.py --only play --json
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = {
    "arena backgammon td random": "arena backgammon td random --games 100",
    "arena backgammon(match=3) td random": "arena backgammon(match=3) td random --games 10",
    "arena ludo td random": "arena ludo td random --games 100",
    "arena quoridor td(seconds=0.05) path": "arena quoridor td(seconds=0.05) path --games 2",
    "arena connectfour mcts(simulations=100)": "arena connectfour mcts(simulations=100) random --games 2",
    "train tictactoe": "train tictactoe --games 100 --out RUN",
    "play tictactoe": "play tictactoe",
    "warmup": "warmup",
}
TYPED = "hint\n1\nquit\nn\n"  # what the person at `play` types
SOURCE = Path(__file__).parent.parent / "src"


def measure(command: str, folder: Path, source: Path) -> tuple[float, float]:
    """Processor seconds and seconds by the clock of one command, whose cache is in a folder."""
    words = [word.replace("RUN", str(folder / f"run{time.time_ns()}")) for word in command.split()]
    environment = {**os.environ, "LUDUS_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(source)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    line = [sys.executable, "-m", "ludus", *words]
    done = subprocess.run(line, input=TYPED, env=environment, capture_output=True, text=True, check=False)
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    if done.returncode != 0:
        raise SystemExit(f"ludus {command} failed: {done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose name begins so")
    parser.add_argument("--shipped", action="store_true", help="use the compiled code in the package, if there is any")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    table = {}
    with tempfile.TemporaryDirectory() as place:
        source = SOURCE
        if not asked.shipped:
            source = Path(place) / "src"
            shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
            subprocess.run([sys.executable, "-m", "compileall", "-q", str(source)], check=True)  # Python's own bytecode
        for name, command in ROWS.items():
            if not name.startswith(asked.only):
                continue
            with tempfile.TemporaryDirectory() as folder:
                first, again = (measure(command, Path(folder), source) for _ in range(2))
            table[name] = {"first": first[0], "first_clock": first[1], "warm": again[0], "warm_clock": again[1]}
            if not asked.json:
                print(
                    f"{name:42} first {first[0]:6.1f} s ({first[1]:.1f} by the clock)   warm {again[0]:5.1f} s",
                    flush=True,
                )
    if asked.json:
        print(json.dumps(table, indent=2))


if __name__ == "__main__":
    main()
