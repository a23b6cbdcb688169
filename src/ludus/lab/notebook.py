"""The moving view of a training in a notebook: how far it is, how fast, how long still, and its learning curve so far, drawn again in one place."""

from __future__ import annotations

import time
from html import escape
from typing import Any

from ludus.lab.metrics import Line
from ludus.lab.plots import learning_curve, render
from ludus.lab.progress import Pace, Progress, clock
from ludus.lab.run import Run
from ludus.showing import html_picture, in_notebook

PAUSE = 0.5  # seconds, at least, from one look to the next: each goes through the browser


class NotebookView(Progress):
    """A view that changes while a run goes on. It needs a notebook."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html = HTML
        self._display = display
        self._shown: Any = None
        self._last = 0.0
        self._warnings: list[str] = []
        self._curve = ""
        self._status = ""

    def begin(self, run: Run, games: int, lines: list[Line]) -> None:
        """The run begins, or goes on."""
        self._run = run
        self._pace = Pace(run.config.training.games, run.evaluate_every, games)
        self._evaluations = [line for line in lines if line["kind"] == "evaluation"]
        self._draw()
        self._shown = self._display(self._html(self.view()), display_id=True)

    def status(self, text: str) -> None:
        """Show what is being done now."""
        self._status = text
        self._show()

    def trained(self, games: int, seconds: float) -> None:
        """Count the games."""
        self._status = "learning"
        self._pace.trained(games, seconds)
        self._show()

    def evaluated(self, line: Line, seconds: float) -> None:
        """Draw the curve with another point."""
        self._evaluations.append(line)
        self._pace.evaluated(seconds)
        self._draw()
        self._show(always=True)

    def warn(self, text: str) -> None:
        """Show a warning below."""
        self._warnings.append(text)
        self._show(always=True)

    def close(self, run: Run, games: int) -> None:
        """The run has ended, for good or for now."""
        if self._shown is not None:
            self._status = "finished" if games >= self._pace.total else "stopped"
            self._show(always=True)

    def _draw(self) -> None:
        if self._evaluations:
            title = f"{self._run.config.game}: {self._run.config.label}, seed {self._run.config.seed}"
            self._curve = html_picture(render(learning_curve(self._evaluations, title), "svg").decode(), wide=720)

    def _show(self, always: bool = False) -> None:
        now = time.monotonic()
        if self._shown is not None and (always or now - self._last > PAUSE):
            self._last = now
            self._shown.update(self._html(self.view()))

    def view(self) -> str:
        """The view as it is now."""
        pace = self._pace
        parts = [f"{pace.games:,} of {pace.total:,} games", self._status]
        parts += [f"{pace.speed:,.0f} games/s"] * bool(pace.speed)
        parts += [f"{clock(pace.left)} left"] * (pace.games < pace.total)
        bar = f'<progress value="{pace.games}" max="{pace.total}"></progress> '
        below = "".join(f"<div>ludus: {escape(text)}</div>" for text in self._warnings)
        return f"<div>{bar}{escape(', '.join(filter(None, parts)))}</div>{self._curve}{below}"


def usual_progress() -> Progress:
    """Who hears of a training if nobody was named: the view above in a notebook, nobody elsewhere."""
    return NotebookView() if in_notebook() else Progress()
