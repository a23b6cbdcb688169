"""The bachelor thesis on Quoridor (Bratislava, 2016): how large the game is (`quoridor_complexity`), and a Q-network that was to learn it
(`quoridor_learning`). Here the two are put together.
"""

from __future__ import annotations

from ludus.papers.quoridor import learning as quoridor_learning
from ludus.papers.quoridor.complexity import complexity
from ludus.papers.report import Bench, Report

TITLE = "Artificial Neural Network as an Opponent in Quoridor"
CITATION = "Bachelor thesis, Comenius University in Bratislava, Faculty of Mathematics, Physics and Informatics, 2016."
QUICK_NOTE = "Quick form: a tenth of all games, of learning too."


def run(bench: Bench) -> Report:
    """Compute the figures of complexity again, check the tables, play, and learn."""
    size = complexity(bench)
    learned = quoridor_learning.learning(bench)
    return Report(
        "quoridor2016", TITLE, CITATION, bench.seed, (*size.rows, *learned.rows),
        (*size.notes, *learned.notes) + ((QUICK_NOTE,) if bench.quick else ()), tuple(learned.drawings),
        "ludus reproduce quoridor2016" + (" --quick" if bench.quick else ""), bench.folder / "report.html",
        size.sections | quoridor_learning.SECTIONS,
    )  # fmt: skip
