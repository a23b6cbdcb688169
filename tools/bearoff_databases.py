"""Our exact endings beside GNU Backgammon's bear-off databases, digit by digit, all positions (Debian: apt-get install gnubg).

    python tools/bearoff_databases.py            # the installed databases, or, where there are none, new ones of makebearoff
    python tools/bearoff_databases.py --json

GNU Backgammon keeps its figures in 65,536 steps, and computes each from figures that were cut to these before: a few steps are its own rounding. Where two moves need as many rolls on average, to its rounding, it may make
another one than we do. The mean is then the same, and the chances of single numbers of rolls are not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from gnubg_bearoffs import ONE_SIDED, TWO_SIDED, database, one_sided, two_sided, with_doubles
from ludus.games.backgammon.endings import CENTRED, CUBELESS, FIRST, HOME, OWNED, ROLLS, THEIRS, endings, unrank

CUBES = {CUBELESS: "without a cube", OWNED: "own cube", CENTRED: "cube in the middle", THEIRS: "the other's cube"}


def main() -> None:
    """Compare, and print the largest differences."""
    parser = argparse.ArgumentParser(description="Our exact endings beside GNU Backgammon's bear-off databases.")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [database(name, Path(folder)) for name in (TWO_SIDED, ONE_SIDED)]
        if None in paths:
            sys.exit("neither GNU Backgammon's databases nor its makebearoff is here: apt-get install gnubg")
        found = [*compare_both(two_sided(paths[0])), *compare_alone(*one_sided(paths[1]))]  # type: ignore[arg-type]
    if wanted.json:
        print(json.dumps(found))
        return
    print(f"{'':<42} {'largest':>9} {'mean':>10} {'more than 0.0002':>17}   the largest at")
    for row in found:
        print(f"{row['what']:<42} {row['largest']:9.6f} {row['mean']:10.7f} {row['share']:16.4%}   {row['at']}")


def compare_both(theirs: np.ndarray) -> list[dict[str, Any]]:
    """The equities of two sides with checkers left, by whose the cube is."""
    gaps = np.abs(with_doubles(theirs) - endings().both)[1:, 1:]
    return [
        _row(f"two sides, {name}", gaps[..., cube], lambda at: f"{_counts(at[0] + 1)} against {_counts(at[1] + 1)}")
        for cube, name in CUBES.items()
    ]


def compare_alone(off: np.ndarray, first: np.ndarray) -> list[dict[str, Any]]:
    """The chances of one side to be done, and to have the first checker off, after so many rolls."""
    tables, rolls = endings(), np.arange(ROLLS)
    return [
        _row("one side, rolls needed on average", np.abs(off @ rolls - tables.off @ rolls), lambda at: _counts(at[0])),
        _row("one side, chances to be done", np.abs(off - tables.off), lambda at: f"{_counts(at[0])}, roll {at[1]}"),
        _row(
            "one side, chances of the first checker",
            np.abs(first[FIRST:] - tables.first),
            lambda at: f"{_counts(at[0] + FIRST)}, roll {at[1]}",
        ),
    ]


def _row(what: str, gaps: np.ndarray, name: Any) -> dict[str, Any]:
    at = tuple(int(i) for i in np.unravel_index(gaps.argmax(), gaps.shape))
    return {
        "what": what, "figures": gaps.size, "largest": float(gaps.max()), "mean": float(gaps.mean()), "share": float((gaps > 2e-4).mean()), "at": name(at),
    }  # fmt: skip


def _counts(number: int) -> str:
    """The checkers on the points 1 to 6."""
    counts = np.zeros(HOME, np.int64)
    unrank(number, counts)
    return "-".join(map(str, counts))


if __name__ == "__main__":
    main()
