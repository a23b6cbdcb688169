"""Makes the leaderboard: the methods that come with ludus, and the example methods, on a suite.

    python tools/leaderboard.py small               # in bench/leaderboard-small; hours. Goes on where it was.
    python tools/leaderboard.py standard --more     # what is published stays as it is; further seeds are added to it

It writes docs/leaderboard-SUITE.md, and the raw results as src/ludus/comparing/published/SUITE.json.gz, by which
`ludus compare mymethod.py:Mine --against published` sets a newcomer beside them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

from ludus.cli.comparing import Lines
from ludus.comparing.entrants import entrants
from ludus.comparing.jobs import Bench
from ludus.comparing.judging import judge
from ludus.comparing.loading import ENDING, pack
from ludus.comparing.report import write_report
from ludus.comparing.results import PLAN, read_json
from ludus.comparing.running import More, claim, compare
from ludus.comparing.suite import read_suite, suites
from ludus.comparing.training import write_json
from ludus.files import write_atomically

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "ludus" / "comparing" / "published"
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


def take_over(out: Path, suite: str, methods: list[str], seeds: int) -> None:
    """Begin the comparison in `out` with what is published of it. A file there says that a piece of work is done, and it would come out the same."""
    kept = json.loads(gzip.decompress((PACKAGE / f"{suite}{ENDING}").read_bytes()))
    claim(Bench(str(out), read_suite(suite), entrants(methods), seeds, seed=1, patience=More().patience))
    ours, theirs = read_json(out / PLAN), kept.pop(PLAN)

    def essence(plan: dict) -> list:
        return [plan["suite_text"], [(each["label"], each["code"]) for each in plan["methods"]]]

    if essence(ours) != essence(theirs):
        (out / PLAN).unlink()
        sys.exit("the suite or the methods are not those of what is published: make it without --more")
    for name, value in kept.items():
        write_json(out / name, value)


def main() -> int:
    """Compare, and write down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=suites())
    parser.add_argument("--seeds", type=int, default=10, help="trainings of each method in each game (10)")
    parser.add_argument("--jobs", type=int, default=None, help="cores to use; all unless given")
    parser.add_argument("--out", type=Path, default=None, help="the comparison's folder (bench/leaderboard-SUITE)")
    parser.add_argument(
        "--more", action="store_true", help="add seeds to what is published, which is not trained again"
    )
    wishes = parser.parse_args()
    methods = [*METHODS[wishes.suite], *(f"examples/methods/{name}" for name in EXAMPLES)]
    out = wishes.out or Path("bench") / f"leaderboard-{wishes.suite}"
    if wishes.more and not out.exists():
        take_over(out, wishes.suite, methods, wishes.seeds)
    found = compare(methods, wishes.suite, out, wishes.seeds, jobs=wishes.jobs, listener=Lines(quiet=False))
    judgement = judge(found)
    write_report(found, judgement, out)
    PACKAGE.mkdir(exist_ok=True)
    write_atomically(PACKAGE / f"{wishes.suite}{ENDING}", pack(out))
    write_atomically(ROOT / "docs" / f"leaderboard-{wishes.suite}.md", (out / "report.md").read_bytes())
    print(judgement.sentence)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
