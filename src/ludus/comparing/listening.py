"""Who hears how a comparison goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludus.comparing.jobs import Job


class Listener:
    """Hears how a comparison goes. This one says nothing; others override what they care for."""

    def begin(self, phase: str, jobs: Sequence[Job], left: int) -> None:
        """A phase begins; so many of its jobs are left to do."""

    def told(self, phase: str, done: int, left: float | None, doing: str) -> None:
        """So many jobs of the phase are done; it will take about so many seconds more, if that is known."""

    def finished(self, phase: str) -> None:
        """A phase has ended."""

    def note(self, text: str) -> None:
        """Something that people should know."""


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(40), duration(600), duration(9000)
    ('40 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
