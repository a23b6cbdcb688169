"""What the papers share: a bench to run experiments on, rows with the paper's figure beside ours, and the report as a
table, as JSON and as one self-contained HTML page.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.files import write_atomically

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.lab import Run
    from ludus.matches import Result
    from ludus.scale.shards import Executor


@dataclass(frozen=True)
class Row:
    """One figure: what the paper states, what came out here, its 95 % interval and the number of games behind it."""

    experiment: str
    quantity: str
    paper: float | None
    ours: float | None
    ci95: tuple[float, float] | None = None
    games: int | None = None
    shown: str = "{:.4g}"  # how the numbers are written for people
    paper_shown: str | None = None  # the paper's own words, where it gives no plain number
    section: str = ""  # the table or figure of the paper, where there are many
    missing: str = ""  # why there is no figure of ours, as in "not installed: …"

    def to_json(self) -> dict[str, Any]:
        """The row as programs read it. Only a row without a figure of ours says what is missing."""
        return {
            "experiment": f"{self.section}: {self.experiment}" if self.section else self.experiment,
            "quantity": self.quantity,
            "paper": self.paper,
            "ours": self.ours,
            "ci95": list(self.ci95) if self.ci95 else None,
            "games": self.games,
            **({"missing": self.missing} if self.missing else {}),
        }

    def cells(self) -> tuple[str, ...]:
        """The row as people read it."""

        def number(x: float | None) -> str:
            return "–" if x is None else self.shown.format(x)

        interval = f"{number(self.ci95[0])} – {number(self.ci95[1])}" if self.ci95 else "–"
        games = f"{self.games:,}" if self.games else "–"
        return (
            self.experiment,
            self.quantity,
            self.paper_shown or number(self.paper),
            self.missing or number(self.ours),
            interval,
            games,
        )


class Drawing(NamedTuple):
    """A figure of the report."""

    caption: str
    svg: str
    section: str = ""


HEADINGS = ("experiment", "quantity", "paper", "ours", "95 % interval", "games")


@dataclass(frozen=True)
class Report:
    """A paper's experiments, done again."""

    paper: str
    title: str
    citation: str
    seed: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()  # what differs from the paper, and why
    figures: tuple[Drawing | tuple[str, str], ...] = field(default=(), repr=False)
    command: str = ""
    path: Path | None = None
    sections: dict[str, str] = field(default_factory=dict)  # the titles of sections, in the order of the report

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus reproduce --json`."""
        return {"paper": self.paper, "rows": [row.to_json() for row in self.rows]}

    def tables(self) -> list[Table]:
        """The rows as tables for rich's console, one a section."""
        from rich import box  # takes time to import, and JSON needs none of it
        from rich.table import Table

        out = []
        for section, title in self._sections():
            rows = [row for row in self.rows if row.section == section]
            if not rows:
                continue
            heading = f"{section}: {title}".removesuffix(": ") if section else f"{self.paper}: {self.title}"
            table = Table(title=heading, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
            for i, name in enumerate(HEADINGS):
                table.add_column(name, justify="left" if i < 2 else "right", overflow="fold")
            for row in rows:
                table.add_row(*row.cells())
            out.append(table)
        return out

    def _sections(self) -> list[tuple[str, str]]:
        """The sections and their titles: first what belongs to none, then in the order that the report wants."""
        found = [row.section for row in self.rows] + [Drawing(*figure).section for figure in self.figures]
        return list(({"": ""} | self.sections | {s: "" for s in found if s and s not in self.sections}).items())

    def write(self, path: Path) -> None:
        """Write the report as one HTML page that needs nothing else."""
        write_atomically(path, self.html().encode())

    def html(self) -> str:
        """The page."""
        e = html.escape
        notes = "".join(f"<li>{e(note)}</li>\n" for note in self.notes)
        body = "".join(self._section_html(*section) for section in self._sections())
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{e(self.paper)} – ludus</title>'
            f"<style>{STYLE}</style></head><body><main>\n"
            f"<h1>{e(self.title)}</h1>\n<p class=cite>{e(self.citation)}</p>\n"
            f"{body}"
            f"<h2>Notes</h2><ul>\n{notes}</ul>\n"
            f"<p>Made by <code>{e(self.command)}</code> (seed {self.seed}).</p>\n</main></body></html>\n"
        )

    def _section_html(self, section: str, title: str) -> str:
        """A table, and the figures that belong to it."""
        e = html.escape
        rows = [row.cells() for row in self.rows if row.section == section]
        figures = [drawing for drawing in (Drawing(*figure) for figure in self.figures) if drawing.section == section]
        out = ""
        if section and (rows or figures):
            out += f"<h2>{e(section)}{': ' + e(title) if title else ''}</h2>\n"
        if rows:
            head = "".join(f"<th>{e(h)}</th>" for h in HEADINGS)
            body = "".join("<tr>" + "".join(f"<td>{e(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
            out += f"<div class=wide><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n"
        for drawing in figures:
            out += f"<figure>{_inline(drawing.svg)}<figcaption>{e(drawing.caption)}</figcaption></figure>\n"
        return out


STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fbfaf7;margin:0}
main{max-width:56rem;margin:2.5rem auto;padding:0 1.2rem}
h1{font-size:1.6rem;line-height:1.25;margin-bottom:.2rem}
h2{font-size:1.15rem;margin-top:2rem}
.cite{color:#666;margin-top:0}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem;margin:1rem 0}
th,td{padding:.4rem .6rem;border-bottom:1px solid #ddd8cc;text-align:right;vertical-align:top}
th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}
th{border-bottom:2px solid #8a7f66}
td:nth-child(4){font-weight:600}
td:nth-child(5){white-space:nowrap}
figure{margin:1.5rem 0}
figure svg{max-width:100%;height:auto}
figcaption{color:#666;font-size:.9rem}
code{background:#eee9dc;padding:.1rem .3rem;border-radius:.2rem}
"""


def _inline(svg: str) -> str:
    """An SVG drawing without the lines before it that only a file of its own needs."""
    return svg[svg.index("<svg") :]


class Budget(NamedTuple):
    """How much of a paper's work is done. The quick form leaves trainings whole that would show nothing if they were shorter."""

    share: float = 1.0  # of the games of matches, and of those trainings that may be shorter
    whole: float = 1.0  # of the games of all other trainings: less only to try whether everything runs
    least: int = 1  # games, of anything that has as many


FULL, QUICK = Budget(), Budget(share=0.1)
FEWEST = 2  # trainings that a mean and its interval need


@dataclass(frozen=True)
class Bench:
    """Where experiments are run: a folder for trainings, the seed, how much is done, and somebody to tell how it goes."""

    folder: Path
    seed: int
    budget: Budget
    say: Callable[[str], None]
    jobs: Executor | None = None  # who plays the games of players that have names, if not this machine

    @property
    def quick(self) -> bool:
        """Whether less is done than the paper did."""
        return self.budget != FULL

    def games(self, number: int) -> int:
        """A number of games, or what the budget leaves of it.

        >>> [Bench(Path(), 1, budget, print).games(5_000) for budget in (FULL, QUICK, Budget(0.001, 0.01, 8))]
        [5000, 500, 8]
        """
        return max(round(number * self.budget.share), min(number, self.budget.least))

    def whole(self, number: int) -> int:
        """The games of a training that the quick form leaves whole.

        >>> [Bench(Path(), 1, budget, print).whole(5_000) for budget in (FULL, QUICK, Budget(0.001, 0.01, 8))]
        [5000, 5000, 50]
        """
        return max(round(number * self.budget.whole), min(number, self.budget.least))

    def repeats(self, full: int, quick: int) -> int:
        """How often a training is repeated, with other seeds."""
        if self.budget.whole < 1:
            return FEWEST
        return quick if self.quick else full

    def notes(self, *quick: str) -> tuple[str, ...]:
        """What a report says of its form: nothing of the full one, these words of the quick one."""
        if self.budget.whole < 1:
            return ("A trial whether everything runs: so few games show nothing.",)
        return quick if self.quick else ()

    def command(self, paper: str) -> str:
        """The command that makes the report again."""
        return f"ludus reproduce {paper}" + (" --quick" if self.budget == QUICK else "")

    def train(
        self, game: str, preset: str, seed: int, games: int | None = None, name: str | None = None, **settings: Any
    ) -> Run:
        """A training, made now, gone on with, or found finished in the folder under its name."""
        from ludus.lab.points import run_in  # Numba takes a second to import

        folder = self.folder / "runs" / (name or f"{preset}-{seed}")
        total = f"{games:,} games" if games else "its games"
        begun = (folder / "config.toml").exists()
        self.say(f"going on with {folder}" if begun else f"training {folder.name} for {total}, seed {seed}")
        if games:
            settings["games"] = games
        return run_in(folder, game, preset, seed, **settings)

    def arena(self, game: str, players: Sequence[Any], games: int, what: str) -> Result:
        """Games among players; `what` tells people who they are."""
        from ludus.matches import arena  # Numba takes a second to import

        self.say(f"{games:,} games of {what}")
        return arena(game, players, games=games, seed=self.seed, jobs=self.jobs)


def percent(*rates: float, digits: int = 1) -> str:
    """A rate in words, or the lowest and the highest of several.

    >>> percent(0.272), percent(0.281, 0.272), percent(0.7, digits=0)
    ('27.2 %', '27.2 to 28.1 %', '70 %')
    """
    low, high = (f"{100 * rate:.{digits}f}" for rate in (min(rates), max(rates)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def figures(rows: Sequence[Row], section: str, *words: str) -> list[float]:
    """Our figures of a section, where experiment and quantity together hold all these words.

    >>> rows = [Row("alone", "mean", None, 0.5, section="A"), Row("alone", "lowest", None, 0.2, section="A")]
    >>> figures(rows, "A", "alone", "mean")
    [0.5]
    """
    named = [(f"{row.experiment}: {row.quantity}", row) for row in rows if row.section == section]
    return [row.ours for name, row in named if row.ours is not None and all(word in name for word in words)]
