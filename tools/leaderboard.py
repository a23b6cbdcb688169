"""Makes the leaderboard: the methods that come with ludus, and the example methods, on a suite.

    python tools/leaderboard.py small               # in bench/leaderboard-small; hours. Goes on where it was.
    python tools/leaderboard.py standard --seeds 5

It writes docs/leaderboard-SUITE.md, and the raw results as src/ludus/comparing/published/SUITE.json.gz, by which
`ludus compare mymethod.py:Mine --against published` sets a newcomer beside them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ludus.cli.comparing import Lines
from ludus.comparing.judging import judge
from ludus.comparing.loading import ENDING, pack
from ludus.comparing.report import write_report
from ludus.comparing.running import compare
from ludus.comparing.suite import suites
from ludus.files import write_atomically

ROOT = Path(__file__).parent.parent
EXAMPLES = ("sarsa.py:Sarsa", "truetd.py:TrueTD", "hebbian.py:Hebbian")
METHODS = {
    "small": (
        "selfplay", "traces", "table", "table-best", "wang2018-q", "wang2018-td", "network", "network-playouts",
    ),
    "standard": ("selfplay", "traces", "table", "q", "qlnn", "network", "best", "alhajry2012-td", "alhajry2012-ql", "peters2022"),
    "smoke": ("selfplay", "traces", "table"),
    "papers": (
        "selfplay", "traces", "mauermann2015", "alhajry2012-td", "alhajry2012-ql", "rossen2022", "peters2022", "wang2018-q",
        "wang2018-qm", "wang2018-td", "qlnn-thesis",
    ),
}  # fmt: skip


def main() -> int:
    """Compare, and write down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=suites())
    parser.add_argument("--seeds", type=int, default=10, help="trainings of each method in each game (10)")
    parser.add_argument("--jobs", type=int, default=None, help="cores to use; all unless given")
    parser.add_argument("--out", type=Path, default=None, help="the comparison's folder (bench/leaderboard-SUITE)")
    wishes = parser.parse_args()
    methods = [*METHODS[wishes.suite], *(f"examples/methods/{name}" for name in EXAMPLES)]
    out = wishes.out or Path("bench") / f"leaderboard-{wishes.suite}"
    found = compare(methods, wishes.suite, out, wishes.seeds, jobs=wishes.jobs, listener=Lines(quiet=False))
    judgement = judge(found)
    write_report(found, judgement, out)
    package = ROOT / "src" / "ludus" / "comparing" / "published"
    package.mkdir(exist_ok=True)
    write_atomically(package / f"{wishes.suite}{ENDING}", pack(out))
    write_atomically(ROOT / "docs" / f"leaderboard-{wishes.suite}.md", (out / "report.md").read_bytes())
    print(judgement.sentence)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
