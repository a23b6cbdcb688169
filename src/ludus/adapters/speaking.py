"""The conversation of an engine with a tool: commands come on one stream, answers go to another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO, Protocol


class Speaker(Protocol):
    """Somebody who answers commands in the words of a protocol."""

    over: bool  # whether the session has been ended

    def answer(self, line: str) -> str | None:
        """What is said to a command; None for nothing."""


def converse(speaker: Speaker, commands: Iterable[str], answers: IO[str]) -> None:
    """Answer commands, line by line, until the session is ended or no more come."""
    for line in commands:
        said = speaker.answer(re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line).strip())
        if said is not None:
            answers.write(said)
            answers.flush()
        if speaker.over:
            break
