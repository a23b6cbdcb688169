"""A game under way, as the server holds it in memory: who sits where, the steps so far, how it stands, clocks. It decides nothing by itself; `tables` does."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ludus.errors import LudusError
from ludus.records import GameRow, SeatRow, StepRow
from ludus.web.data import About, Mind, Ref, Standing

CHOSEN = "chosen"  # among a game's options: what is decided and not yet played


def key_hash(key: str) -> str:
    """What is kept of the secret by which a person has a seat."""
    return hashlib.sha256(key.encode()).hexdigest()


class Table:
    """One game, and the people and players at it."""

    def __init__(
        self, row: GameRow, ref: Ref, about: About, seats: Sequence[SeatRow], minds: Sequence[Mind | None]
    ) -> None:
        self.row, self.ref, self.about = row, ref, about
        self.seats, self.minds = tuple(seats), tuple(minds)
        self.steps: list[StepRow] = []
        self.standing: Standing | None = None
        self.places: tuple[str, ...] = ()  # of the last step that was no roll
        self.notes: dict[int, str] = {}  # by ply: what everybody should hear, how a game of a match ended
        self.version = row.version
        self.result: dict[str, Any] | None = row.result
        # Decisions of seats, where others have still to make theirs.
        self.chosen: dict[int, str] = {int(seat): text for seat, text in (row.options or {}).get(CHOSEN, {}).items()}
        self.asked: dict[str, Any] | None = None  # what one person asks of the others
        self.agreed: set[int] = set()  # whose wish that is by now
        self.thinking: set[int] = set()
        self.trouble: str | None = None  # why a player could not move
        self.lock = asyncio.Lock()
        self.driver: asyncio.Task[None] | None = None  # has players move that take their time
        self.flag: asyncio.TimerHandle | None = None  # falls when somebody's time is up
        self.since = time.monotonic()  # when it became the turn of those who are due
        self.seen = time.monotonic()  # when somebody last looked

    @property
    def id(self) -> str:
        """Its name."""
        return self.row.id

    @property
    def over(self) -> bool:
        """Whether there is a result."""
        return self.result is not None

    @property
    def now(self) -> Standing:
        """How it stands."""
        assert self.standing is not None
        return self.standing

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == "person")

    @property
    def pace(self) -> float | None:
        """Seconds between two moves, where only players play."""
        return None if self.people else float((self.row.options or {}).get("pace", 1.0))

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """All steps, as they are replayed."""
        return tuple(step.moves for step in self.steps)

    def due(self) -> tuple[int, ...]:
        """The seats that still have something to decide."""
        return () if self.over else tuple(seat for seat in self.now.waits if seat not in self.chosen)

    def awaited(self) -> list[int]:
        """The seats whose players have to be asked. Where all move at once, quick ones are when all others have decided."""
        return [
            seat
            for seat in self.due()
            if (mind := self.minds[seat]) is not None and (mind.slow or self.now.kind == "decision")
        ]

    @property
    def rests(self) -> bool:
        """Whether nothing happens here until somebody asks for it."""
        busy = self.lock.locked() or (self.driver is not None and not self.driver.done())
        return not busy and self.flag is None

    def options(self, chosen: Mapping[int, str]) -> dict[str, Any]:
        """What the records keep of its options, with these decisions."""
        others = {name: value for name, value in (self.row.options or {}).items() if name != CHOSEN}
        return {**others, **({CHOSEN: {str(seat): text for seat, text in chosen.items()}} if chosen else {})}

    def seats_of(self, keys: Iterable[str]) -> set[int]:
        """The seats that somebody with these keys has."""
        hashes = {key_hash(key) for key in keys}
        return {seat for seat in self.people if self.seats[seat].key_hash in hashes}

    def need_place(self, seat: int) -> None:
        """LudusError if the game has no such seat."""
        if not 0 <= seat < len(self.seats):
            raise LudusError(f"there is no seat {seat}; the seats are 0 to {len(self.seats) - 1}")

    def need_seat(self, seat: int, keys: Iterable[str]) -> None:
        """LudusError if somebody with these keys does not have a seat."""
        self.need_place(seat)
        if self.seats[seat].kind != "person":
            raise LudusError(f"{self.seats[seat].who} plays {self.about.seat_names[seat]}, and moves by itself")
        if seat not in self.seats_of(keys):
            raise LudusError(f"you don't have the key to the seat of {self.about.seat_names[seat]}")

    # Clocks.

    def spent(self) -> int:
        """Milliseconds since it became the turn of those who are due."""
        return int(1000 * (time.monotonic() - self.since))

    def left(self, seat: int) -> int | None:
        """Milliseconds that a seat has left; None where nobody counts."""
        clock = self.row.clock
        if not clock:
            return None
        own = [step for step in self.steps if step.seat == seat]
        left = int(1000 * (clock["seconds"] + clock["increment"] * len(own))) - sum(step.spent for step in own)
        return max(left - (self.spent() if seat in self.due() else 0), 0)

    # For people and programs.

    def to_json(self) -> dict[str, Any]:
        """As the page and other programs see it."""
        now = self.now
        return {
            "id": self.id,
            "game": self.row.game,
            "title": self.row.title,
            "family": self.about.name if not self.about.is_sheet else "gdl",
            "seats": [
                {"seat": i, "name": self.about.seat_names[i], "kind": seat.kind, "who": seat.who, "level": seat.level,
                 "player": seat.player, "clock": self.left(i)}
                for i, seat in enumerate(self.seats)
            ],
            "low": self.about.low,
            "high": self.about.high,
            "ply": len(self.steps),
            "version": self.version,
            "kind": "over" if self.over else now.kind,
            "turn": None if self.over else now.turn,
            "due": list(self.due()),
            "thinking": sorted(self.thinking),
            "trouble": self.trouble,
            "status": self.result["text"] if self.result else now.status,
            "steps": [
                {"ply": i, "seat": step.seat, "chance": step.kind == "chance", "texts": list(step.moves), "ms": step.spent,
                 **({"note": self.notes[i]} if i in self.notes else {})}
                for i, step in enumerate(self.steps, 1)
            ],
            "asked": self.asked,
            "result": self.result,
            "started": self.row.started,
            "clock": self.row.clock,
            "pace": self.pace,
            "next": (self.row.options or {}).get("next"),
            "position": self.row.position,
        }  # fmt: skip
