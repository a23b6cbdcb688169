"""Kills a comparison at random moments, goes on with it each time, and sees whether it ends with the same bytes as one that nothing disturbed.

    python tools/compare_kills.py --kills 20

Measured times (costs.json, and where the report shows them) are left out: no two runs have the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMES = ("costs.json", "cost.json", "cells.csv", "report.html", "report.md", "report.tex")
COMMAND = (sys.executable, "-m", "ludus", "compare", "table", "traces", "--suite", "smoke", "--seeds", "10", "--out")


def main() -> int:
    """Kill, resume, compare; 1 if a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--json", action="store_true", help="for programs")
    wishes = parser.parse_args()
    luck = random.Random(wishes.seed)
    with tempfile.TemporaryDirectory() as folder:
        calm, rough = Path(folder, "calm"), Path(folder, "rough")
        begun = time.monotonic()
        subprocess.run([*COMMAND, str(calm)], check=True, capture_output=True)
        whole = time.monotonic() - begun
        finished = 0
        for _ in range(wishes.kills):
            process = subprocess.Popen([*COMMAND, str(rough)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(luck.uniform(0.5, 2 + 2 * whole / wishes.kills))
                finished += 1
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        subprocess.run([*COMMAND, str(rough)], check=True, capture_output=True)
        one, other = digests(calm), digests(rough)
    differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    found = {"kills": wishes.kills - finished, "after_its_end": finished, "files": len(one), "differing": differing}
    if wishes.json:
        print(json.dumps(found))
    else:
        print(f"killed {found['kills']} times, and started {finished} times when it was finished")
        print(f"{len(one)} files, of which {len(differing)} differ: {', '.join(differing[:10]) or 'none'}")
    return 1 if differing else 0


def digests(folder: Path) -> dict[str, str]:
    """Every file but those with measured times."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in TIMES
    }


if __name__ == "__main__":
    raise SystemExit(main())
