"""The papers, by name: `ludus reproduce mauermann2015` runs a paper's experiments again and puts our figures beside its own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from ludus.errors import choice
from ludus.papers.report import FULL, QUICK, Bench, Report
from ludus.scale.shards import Executor

PAPERS = {
    "mauermann2015": "a TD-Gammon framework for backgammon: 198-40-2, TD(λ), 5,000 games of self-play",
    "alhajry2012": "TD(λ) and Q-learning players of Ludo, and the expert that they are measured by",
    "rossen2022": "a Q-table for Ludo, trained against random players, and against a fellow student's",
    "wang2018": "Q-learning tables and Monte Carlo search for General Game Playing: tic-tac-toe, connect four, hex",
    "quoridor2016": "how large Quoridor is, and a Q-network that did not learn it: with what was missing it does",
}


def reproduce(
    name: str,
    out: str | Path | None = None,
    seed: int = 1,
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
    jobs: Executor | None = None,
) -> Report:
    """Run a paper's experiments, write `report.html` to the folder `out`, and return the report.

    `quick` takes a tenth of the games, or fewer trainings where short ones would show nothing: to see that all is well, not to
    quote. `jobs`, such as `ludus.workers("ray")`, plays the games of players that have names. Trainings are kept in `out` as runs, so that a second call goes on where the first was interrupted.
    """
    choice("paper", name, PAPERS)
    folder = Path(out) if out else Path("reports") / (f"{name}-quick" if quick else name)
    bench = Bench(folder, seed, QUICK if quick else FULL, progress or (lambda line: None), jobs)
    report = importlib.import_module(f"ludus.papers.{name}").run(bench)
    report.write(folder / "report.html")
    return report
