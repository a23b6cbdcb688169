"""The record of a match, in the GGP match format that ggp-base writes: who played, what was played, and how it ended.

Nobody plays here, and so it needs no player and no kernel: `store` reads and writes records, `match` makes them.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

RANDOM = "random"  # the role that stands for chance


class Clocks(NamedTuple):
    """Seconds for START and for each PLAY."""

    start: float = 10.0
    play: float = 5.0


CLOCKS = Clocks()


class Match:
    """The record of a match."""

    def __init__(
        self,
        game: Any,
        game_name: str,
        names: Sequence[str],
        clocks: Clocks,
        seed: int = 1,
        tournament: str | None = None,
    ) -> None:
        self.game_name = game_name
        title = re.sub(r"[^a-z0-9_]+", "_", game_name.lower()).strip("_") or "game"
        self.id = f"ludus.{title}.{time.time_ns() // 1_000_000}.{secrets.token_hex(3)}"
        self.token = secrets.token_hex(16)
        self.rules_hash = hashlib.sha1(game.source.encode()).hexdigest()
        self.roles: tuple[str, ...] = tuple(game.roles)
        players = iter(names)
        self.players = [RANDOM if role == RANDOM else next(players) for role in self.roles]
        self.clocks = clocks
        self.seed = seed
        self.tournament = tournament
        self.start_time = now()
        self.states: list[str] = []
        self.state_times: list[int] = []
        self.moves: list[list[str]] = []
        self.errors: list[list[str]] = []  # after START, and after each step
        self.goals: list[int] = []
        self.completed = False
        self.aborted = False
        self.failure = ""  # why the match could not go on

    @property
    def steps(self) -> int:
        """How many joint moves were made."""
        return len(self.moves)

    @property
    def status(self) -> str:
        """One word on how it stands."""
        return status_of(self.completed, self.aborted)

    def head(self) -> dict[str, Any]:
        """The record without its history."""
        return {
            "matchId": self.id,
            "randomToken": self.token,
            "startTime": self.start_time,
            "gameName": self.game_name,
            "gameRulesheetHash": self.rules_hash,
            "gameRoleNames": list(self.roles),
            "isCompleted": self.completed,
            "isAborted": self.aborted,
            "previewClock": -1,
            "startClock": self.clocks.start,
            "playClock": self.clocks.play,
            "playerNamesFromHost": self.players,
            "isPlayerHuman": [False] * len(self.roles),
            "scrambled": False,
            "seed": self.seed,
            **({"tournamentNameFromHost": self.tournament} if self.tournament else {}),
            **({"goalValues": self.goals} if self.goals else {}),
            **({"failure": self.failure} if self.failure else {}),
        }

    def to_json(self) -> dict[str, Any]:
        """The whole record."""
        return self.head() | {
            "states": list(self.states),
            "moves": list(self.moves),
            "stateTimes": list(self.state_times),
            "errors": list(self.errors),
        }


def status_of(completed: bool, aborted: bool) -> str:
    """'completed', 'aborted' or 'running'; the last is also what an interruption leaves behind."""
    return "completed" if completed else "aborted" if aborted else "running"


def now() -> int:
    """Milliseconds since 1970, as the match format counts."""
    return time.time_ns() // 1_000_000
