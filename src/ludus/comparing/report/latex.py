"""The tables of a report as LaTeX, to be \\input into a paper that loads booktabs and graphicx."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.comparing.judging.figures import plain
from ludus.comparing.report.blocks import Document, Grid, Sure

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "–": "--", "—": "---", "−": "$-$", "×": r"$\times$", "…": r"\ldots{}", "α": r"$\alpha$", "λ": r"$\lambda$", "½": r"$\frac12$",
    "→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$", "²": r"$^2$",
}  # fmt: skip
LETTERS = range(0xC0, 0x180)  # of Latin scripts, that every LaTeX with T1 fonts has


def to_latex(document: Document) -> str:
    """The text of report.tex: the sentence as a comment, and all tables."""
    head = [
        "% Needs \\usepackage[T1]{fontenc}, \\usepackage{textcomp}, \\usepackage{booktabs} and \\usepackage{graphicx}.",
        f"% {plain(document.sentence)}",
    ]
    tables = [_table(block) for section in document.sections for block in section.blocks if isinstance(block, Grid)]
    return "\n\n".join(["\n".join(head), *filter(None, tables)]) + "\n"


def escaped(text: str) -> str:
    """A text of which nothing is taken as a command. A letter that not every LaTeX has is told by its number.

    >>> print(escaped("50 % of {q_1} & \\\\input#"), escaped("−é中"))
    50 \\% of \\{q\\_1\\} \\& \\textbackslash{}input\\# $-$é[U+4E2D]
    """
    return "".join(map(_letter, plain(text)))


def _letter(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    if letter.isascii() or ord(letter) in LETTERS:
        return letter
    return f"[U+{ord(letter):04X}]"


def _table(grid: Grid) -> str:
    if not grid.rows:
        return ""
    columns = "l" * grid.names + "r" * (len(grid.heads) - grid.names)
    return "\n".join([
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escaped(grid.reading)}}}",
        rf"\label{{tab:ludus-{grid.name}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(grid.heads),
        r"\midrule",
        *map(_row, grid.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table}",
    ])  # fmt: skip


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: str) -> str:
    # Braces keep a bracket at the beginning of a row from being read as an argument of the line break before it.
    return rf"\textbf{{{escaped(cell)}}}" if isinstance(cell, Sure) else f"{{{escaped(cell)}}}"
