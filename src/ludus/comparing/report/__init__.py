"""The report on a comparison: a page, Markdown, LaTeX tables, and the raw results as CSV. The same comparison always gives the same files."""

from __future__ import annotations

from pathlib import Path

from ludus.comparing.judging import Judgement
from ludus.comparing.report.contents import document
from ludus.comparing.report.latex import to_latex
from ludus.comparing.report.markdown import to_markdown
from ludus.comparing.report.page import to_html
from ludus.comparing.report.raw import cells_csv, games_csv, meetings_csv
from ludus.comparing.results import Comparison
from ludus.files import write_atomically

__all__ = ["write_report"]


def write_report(comparison: Comparison, judgement: Judgement, folder: Path) -> list[Path]:
    """Write report.html, report.md, report.tex, games.csv, cells.csv and meetings.csv into a folder."""
    whole = document(comparison, judgement)
    texts = {
        "report.html": to_html(whole),
        "report.md": to_markdown(whole),
        "report.tex": to_latex(whole),
        "games.csv": games_csv(comparison),
        "cells.csv": cells_csv(comparison),
        "meetings.csv": meetings_csv(comparison),
    }
    for name, text in texts.items():
        # A name with half of a surrogate pair must not lose the report.
        write_atomically(folder / name, text.encode(errors="backslashreplace"))
    return [folder / name for name in texts]
