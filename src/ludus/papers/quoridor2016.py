"""The bachelor thesis on Quoridor (Bratislava, 2016): how large the game is (`quoridor.complexity`), and a Q-network that was to learn it
(`quoridor.learning`). Here the two are put together.
"""

from __future__ import annotations

from ludus.papers.quoridor import complexity, learning
from ludus.papers.report import Bench, Report

TITLE = "Artificial Neural Network as an Opponent in Quoridor"
CITATION = "Bachelor thesis, Comenius University in Bratislava, Faculty of Mathematics, Physics and Informatics, 2016."
QUICK_NOTE = "Quick form: a tenth of all games, of learning too."


def run(bench: Bench) -> Report:
    """Compute the figures of complexity again, check the tables, play, and learn."""
    size, learned = complexity.complexity(bench), learning.learning(bench)
    return Report(
        "quoridor2016", TITLE, CITATION, bench.seed, (*size.rows, *learned.rows),
        (*size.notes, *learned.notes, *bench.notes(QUICK_NOTE)), tuple(learned.drawings),
        bench.command("quoridor2016"), bench.folder / "report.html", complexity.SECTIONS | learning.SECTIONS,
    )  # fmt: skip
