"""The moving view of a training in a terminal: how far it is, how fast, how long still, and how good so far."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ludus.lab.metrics import Line
from ludus.lab.progress import Lines, Pace, Progress, clock, rates
from ludus.lab.run import Run

BLOCKS = "▁▂▃▄▅▆▇█"
CURVE = 24  # most blocks of a curve; of a longer one, the latest are shown


def sparkline(values: Iterable[float], low: float, high: float) -> str:
    """A small curve of blocks.

    >>> sparkline([0.5, 0.6, 0.8, 1.0], 0.5, 1.0)
    '▁▂▅█'
    """
    top = len(BLOCKS) - 1
    span = (high - low) or 1.0
    return "".join(BLOCKS[min(max(round((v - low) / span * top), 0), top)] for v in values)


class LiveView(Progress):
    """A view that is drawn again and again in the same place. Warnings scroll away above it."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()
        self._live: Live | None = None
        self._status = ""

    # What it hears.

    def begin(self, run: Run, games: int, lines: list[Line]) -> None:
        """The run begins, or goes on."""
        self._run = run
        self._pace = Pace(run.config.training.games, run.evaluate_every, games)
        self._evaluations = [line for line in lines if line["kind"] == "evaluation"]
        self._live = Live(get_renderable=self.view, console=self._console, refresh_per_second=5)
        self._live.start()

    def status(self, text: str) -> None:
        """Show what is being done now."""
        self._status = text

    def trained(self, games: int, seconds: float) -> None:
        """Count the games."""
        self._status = "learning"
        self._pace.trained(games, seconds)

    def evaluating(self, opponent: str, done: int, total: int) -> None:
        """Show how far an evaluation is."""
        if done:  # before the first game is done, kernels may be compiled
            self._status = f"evaluating against {opponent}, {done / total:.0%}"

    def evaluated(self, line: Line, seconds: float) -> None:
        """Show an evaluation."""
        self._evaluations.append(line)
        self._pace.evaluated(seconds)

    def warn(self, text: str) -> None:
        """Pass a warning on."""
        self._console.print(Text(f"ludus: {text}", style="yellow"))

    def close(self, run: Run, games: int) -> None:
        """The run has ended, for good or for now."""
        if self._live is not None:
            self._status = "finished" if games >= self._pace.total else "stopped"
            self._live.stop()

    # What it shows.

    def view(self) -> RenderableType:
        """The view as it is now."""
        config, pace = self._run.config, self._pace
        head = Text.assemble(
            (config.game, "bold"), f"  {config.label}, seed {config.seed}, in {self._run.folder}", overflow="ellipsis"
        )
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=pace.total, completed=pace.games, width=28),
            f"{pace.games:,}/{pace.total:,} games",
            f"{pace.speed:,.0f}/s" if pace.speed else "",
            f"{clock(pace.left)} left" if pace.games < pace.total else "",
            Text(self._status, style="dim"),
        )
        return Group(head, bar, *([self._opponents()] if self._evaluations else []))

    def _opponents(self) -> Table:
        latest = self._evaluations[-1]
        out = Table.grid(padding=(0, 2))
        out.add_row(
            *(Text(t, style="dim") for t in (f"after {latest['games']:,}", "wins", "points/game", "wins so far"))
        )
        for row in latest["opponents"]:
            rows = [r for line in self._evaluations for r in line["opponents"] if r["name"] == row["name"]]
            curve = [r["win_rate"] for r in rows][-CURVE:]
            out.add_row(
                Text(row["name"], style="bold"),
                *rates(row),
                Text(sparkline(curve, min(curve), max(curve)), style="green"),
            )
        return out


def view(console: Console | None = None) -> Progress:
    """The moving view where there is a terminal to move it in, and lines of text elsewhere."""
    console = console or Console()
    return LiveView(console) if console.is_terminal and not console.is_dumb_terminal else Lines(console.file)
