"""What a player thinks of a position: `position.analyse("td")` in Python, `ludus analyse` in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ludus import players
from ludus.contract.position import Move, Position
from ludus.errors import LudusError
from ludus.games import game_name
from ludus.kernel import stream
from ludus.players.base import rank
from ludus.showing import frame, html_table

SHOWN = 10  # moves of a seat


class Judged(NamedTuple):
    """A legal move, whose it is, what it is worth to that seat, and how the game is expected to go on, if that was asked."""

    seat: int
    move: Move
    value: float
    line: tuple[Move, ...] = ()  # from this move on

    def to_json(self) -> dict[str, Any]:
        """As in that of an analysis."""
        shown: dict[str, Any] = {"seat": self.seat, "move": self.move.text, "value": self.value}
        return {**shown, "line": [move.text for move in self.line]} if self.line else shown


@dataclass(frozen=True)
class Analysis:
    """A position as a player sees it."""

    position: Position
    player: str
    moves: tuple[Judged, ...] = ()  # best first, seat by seat where all move at once; none where nobody moves
    chances: tuple[tuple[Move, float], ...] = ()  # what chance may bring, and how likely
    scores: tuple[float, ...] = ()  # of an ended game

    @property
    def value(self) -> float | None:
        """What the position is worth to the seat that moves, by its best move; None where no single seat does."""
        return self.moves[0].value if self.moves and self.position.turn is not None else None

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus analyse --json`."""
        return {
            "game": game_name(self.position.game),
            "position": self.position.text,
            "kind": self.position.kind,
            "turn": self.position.turn,
            "player": self.player,
            "value": self.value,
            "moves": [m.to_json() for m in self.moves],
            "chances": [{"outcome": outcome.text, "chance": chance} for outcome, chance in self.chances],
            "scores": list(self.scores),
        }

    def text(self, most: int = SHOWN) -> str:
        """As people read it: the best moves of each seat, the chances or the scores."""
        names = getattr(self.position.game, "seat_names", None)
        lines = [self.position.text]
        if self.scores:
            lines += ["the game is over", *_columns([(_seat(names, s), f"{x:g}") for s, x in enumerate(self.scores)])]
        elif self.chances:
            lines += ["chance is due", *_columns([(outcome.text, f"{p:.4f}") for outcome, p in self.chances])]
        for seat in dict.fromkeys(m.seat for m in self.moves):
            own = [m for m in self.moves if m.seat == seat]
            lines.append(f"{_seat(names, seat)} to move, as {self.player} sees it; of {len(own)} moves:")
            shown = _columns([(m.move.text, f"{m.value:+.4f}") for m in own[:most]])
            expected = [" ".join(move.text for move in m.line[1:]) for m in own[:most]]
            lines += [f"{row}  {then}" if then else row for row, then in zip(shown, expected, strict=True)]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def to_frame(self, kind: str = "pandas") -> Any:
        """The moves, the chances or the scores as a frame of pandas, or of polars if told."""
        if self.chances:
            return frame([{"outcome": outcome.text, "chance": chance} for outcome, chance in self.chances], kind)
        if self.scores:
            return frame([{"seat": seat, "score": score} for seat, score in enumerate(self.scores)], kind)
        return frame([{"seat": m.seat, "move": m.move.text, "value": m.value} for m in self.moves], kind)

    def _repr_html_(self) -> str:
        names = getattr(self.position.game, "seat_names", None)
        tables = []
        if self.scores:
            rows = [(_seat(names, seat), f"{score:g}") for seat, score in enumerate(self.scores)]
            tables.append(html_table("the game is over", ("seat", "score"), rows))
        elif self.chances:
            rows = [(outcome.text, f"{chance:.4f}") for outcome, chance in self.chances]
            tables.append(html_table("chance is due", ("outcome", "chance"), rows))
        for seat in dict.fromkeys(m.seat for m in self.moves):
            own = [m for m in self.moves if m.seat == seat]
            best = [(m.move.text, f"{m.value:+.4f}", f"{m.value - own[0].value:+.4f}") for m in own[:SHOWN]]
            title = f"{_seat(names, seat)} to move, as {self.player} sees it; of {len(own)} moves"
            tables.append(html_table(title, ("move", "value", "beside the best"), best))
        return self.position._repr_html_() + "".join(tables)


def _columns(rows: list[tuple[str, str]]) -> list[str]:
    wide, narrow = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [f"  {left:<{wide}}  {right:>{narrow}}" for left, right in rows]


def _seat(names: Sequence[str] | None, seat: int) -> str:
    return names[seat] if names else f"seat {seat}"


def analyse(position: Position, player: Any = None, seed: int = 1, lines: int = 0) -> Analysis:
    """A position as a player sees it: one that is named or given, or the best known one. LudusError if it moves without judging. With `lines`, so many of the
    best moves come with how the game is expected to go on, if the player is a search that can tell.

    >>> import ludus
    >>> found = analyse(ludus.game("backgammon").start().play("31"), "td")
    >>> found.moves[0].move, len(found.moves), found.value == found.moves[0].value
    (<8/5 6/5>, 16, True)
    """
    game = position.game
    given = players.best_known(game) if player is None else player
    name = given if isinstance(given, str) else str(getattr(given, "name", type(given).__name__))
    judge = players.player(given, game) if isinstance(given, str) else given
    if position.over:
        return Analysis(position, name, scores=tuple(position.scores()))
    if position.kind == "chance":
        return Analysis(position, name, chances=tuple(position.chances()))
    seats = [position.turn] if position.turn is not None else range(game.facts.seats)
    found = []
    for seat in seats:
        assert seat is not None
        try:
            ranked = rank(judge, position.seen_by(seat), stream(seed))
        except LudusError as error:
            raise LudusError(f"{name} has nothing to say of {game.facts.name} here: {error}") from error
        if lines and not hasattr(judge, "line"):
            raise LudusError(
                f"{name} has no lines to show: give an alpha-beta search, as in 'td(seconds=1)' or 'alphabeta'"
            )
        found += [
            Judged(
                seat,
                move,
                value,
                tuple(judge.line(position, move)) if place < lines and position.kind == "decision" else (),
            )
            for place, (move, value) in enumerate(ranked)
        ]
    return Analysis(position, name, tuple(found))
