"""Position, the friendly view of one state, and what a game offers to Python beside its kernels."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ludus.contract.knowing import known_to
from ludus.contract.rules import (
    CHANCE,
    JOINT,
    OVER,
    Rng,
    Rules,
    State,
    chances,
    moves,
    play,
    play_joint,
    roll,
    scores,
    start,
    turn,
)
from ludus.contract.views import Encoding
from ludus.errors import LudusError
from ludus.showing import html_picture

ANALYSIS = (
    "ludus.players.analysis"  # who judges positions is found by name: players know this room, not the other way round
)


@runtime_checkable
class Game(Rules, Protocol):
    """What a game offers to Python, beside the generic functions of its rules. Games are put together from parts that do this. One may also offer
    `unlisted(state, seat)`: moves that are legal, but that `moves` does not list, as nobody should be led to them, of one seat, or of all without it. Of
    backgammon these are resignations. And what is told beside a board: see `telling.py`.
    """

    def start(self) -> Position:
        """The position at the beginning of a game."""

    def position(self, text: str) -> Position:
        """The position that a line of text stands for; LudusError says what is wrong with it."""

    def encodings(self) -> Mapping[str, Encoding]:
        """The game's ways to show states to a network, by name; `shape(game)` of each is (sections, inputs, outputs)."""

    def move_text(self, state: State, move: int) -> str:
        """A move, or the outcome of a chance event, as people write it."""

    def read_move(self, state: State, text: str, seat: int | None = None) -> int:
        """The legal move, or possible outcome, that a text stands for; LudusError says why there is none. The seat
        matters where all move at once.
        """

    def state_text(self, state: State) -> str:
        """The whole state on one line, for files and links."""

    def read_state(self, text: str) -> State:
        """The state that such a line stands for; LudusError says what is wrong with it."""

    def board_text(self, state: State, color: bool = False) -> str:
        """The state as people see it in a terminal."""

    def board_svg(self, state: State) -> str:
        """The state as a picture. A game may take a seat as well, which is to be at the bottom (`touching.board_of` asks for it)."""


class Move(int):
    """A legal move: an integer for kernels that shows itself as people write it."""

    text: str

    def __new__(cls, value: int, text: str) -> Move:
        self = super().__new__(cls, value)
        self.text = text
        return self

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"


class Position:
    """One state of a game. It never changes: `play` gives a new one.

    >>> import ludus
    >>> position = ludus.game("backgammon").start().play("31")
    >>> position.turn, len(position.moves())
    (0, 16)
    >>> position.play("8/5 6/5").kind
    'chance'
    """

    __slots__ = ("game", "seat", "state")
    game: Game
    state: State
    seat: int | None  # whose decision this is about, where all seats move at once

    def __init__(self, game: Game, state: State, seat: int | None = None) -> None:
        frozen = np.array(state, np.int64)
        frozen.setflags(write=False)
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "state", frozen)
        object.__setattr__(self, "seat", seat)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Position never changes; play() gives a new one")

    @classmethod
    def start(cls, game: Game) -> Position:
        """The position at the beginning of a game."""
        state = np.zeros(game.facts.state_size, np.int64)
        start(game, state)
        return cls(game, state)

    @classmethod
    def read(cls, game: Game, text: str) -> Position:
        """The position that `str(position.text)` or another text of the game's stands for."""
        return cls(game, game.read_state(text))

    def seen_by(self, seat: int) -> Position:
        """This position as the decision of one seat, where all move at once: its `turn` and `moves()` are that seat's. In a game with hidden information
        it is what the seat knows, and nothing else.
        """
        return Position(self.game, known_to(self.game, self.state, seat), seat)

    # What is going on. Kernels get copies: they are compiled for arrays that may be written.

    @property
    def kind(self) -> str:
        """'decision', 'chance', 'joint' or 'over'."""
        return {CHANCE: "chance", OVER: "over", JOINT: "joint"}.get(turn(self.game, self.state.copy()), "decision")

    @property
    def turn(self) -> int | None:
        """The seat to move; None where there is no such seat."""
        seat = turn(self.game, self.state.copy())
        if seat == JOINT:
            return self.seat
        return int(seat) if seat >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.kind == "over"

    def scores(self) -> list[float]:
        """The result, one number for each seat; an error while the game goes on."""
        if not self.over:
            raise LudusError("the game is not over: there are no scores yet")
        out = np.zeros(self.game.facts.seats)
        scores(self.game, self.state.copy(), out)
        return [float(x) for x in out]

    # Going on.

    def moves(self, seat: int | None = None) -> list[Move]:
        """The legal moves of the seat to move (name the seat where all move at once)."""
        kind, mover = self.kind, self.turn
        if kind in ("chance", "over"):
            return []
        if seat is None:
            if mover is None:
                raise LudusError("all seats move at once here: say whose moves you want, as in moves(0)")
            seat = mover
        elif kind == "decision" and seat != mover:
            return []
        return [Move(m, self.game.move_text(self.state, m)) for m in self._codes(seat)]

    def chances(self) -> list[tuple[Move, float]]:
        """The outcomes of the chance event that is due, with their probabilities."""
        if self.kind != "chance":
            return []
        capacity = max(self.game.facts.max_chances, 1)
        outcomes, odds = np.zeros(capacity, np.int64), np.zeros(capacity)
        count = chances(self.game, self.state.copy(), outcomes, odds)
        return [
            (Move(o, self.game.move_text(self.state, o)), p)
            for o, p in zip(outcomes[:count].tolist(), odds[:count].tolist(), strict=True)
        ]

    def play(self, move: int | str | Sequence[int | str]) -> Position:
        """The position after a move, or after the outcome of a chance event; one move a seat where all move at once."""
        state = self.state.copy()
        kind = self.kind
        if kind == "over":
            raise LudusError("the game is over: no move can be played")
        if hasattr(self.game, "check_whole"):  # a game with hidden information: what one seat knows is not enough
            self.game.check_whole(state)
        if kind == "joint":
            if isinstance(move, str | int | np.integer) or len(move) != self.game.facts.seats:
                raise LudusError(f"all seats move at once here: give a list of {self.game.facts.seats} moves")
            joint = np.array([self._legal(m, seat) for seat, m in enumerate(move)], np.int64)
            play_joint(self.game, state, joint)
        else:
            if not isinstance(move, str | int | np.integer):
                raise LudusError("one seat moves here: give one move, not a list")
            play(self.game, state, self._legal(move, self.turn))
        return Position(self.game, state)

    def _legal(self, move: int | str, seat: int | None) -> int:
        if isinstance(move, str):
            return self.game.read_move(self.state, move, seat)
        if int(move) not in self._codes(seat) and int(move) not in self._unlisted():
            legal = [m for m, _ in self.chances()] if self.kind == "chance" else self.moves(seat)
            raise LudusError(f"{move!r} is not a legal move here; legal are: {', '.join(str(m) for m in legal[:8])}")
        return int(move)

    def _unlisted(self) -> list[int]:
        """Legal moves that are in no list."""
        return list(self.game.unlisted(self.state)) if hasattr(self.game, "unlisted") else []

    def _codes(self, seat: int | None) -> list[int]:
        """The legal moves, or the possible outcomes, as bare integers."""
        if seat is None:
            capacity = max(self.game.facts.max_chances, 1)
            out = np.zeros(capacity, np.int64)
            return out[: chances(self.game, self.state.copy(), out, np.zeros(capacity))].tolist()
        out = np.zeros(self.game.facts.max_moves, np.int64)
        return out[: moves(self.game, self.state.copy(), seat, out)].tolist()

    def roll(self, rng: Rng) -> Position:
        """The position after a random outcome of the chance event that is due."""
        if self.kind != "chance":
            raise LudusError("no chance event is due here")
        capacity = self.game.facts.max_chances
        state = self.state.copy()
        result = roll(self.game, state, rng, np.zeros(capacity, np.int64), np.zeros(capacity))
        play(self.game, state, result)
        return Position(self.game, state)

    # What it is worth.

    def analyse(self, player: Any = None, seed: int = 1, lines: int = 0) -> Any:
        """What a player, or the best known one, thinks of this position: its moves and their values, best first; chances where chance
        is due, scores at the end. A player is named, as in "td(plies=1)", or given; see `ludus.players.analysis.Analysis`. With `lines`, so many moves
        come with how the game is expected to go on.

        >>> import ludus
        >>> ludus.game("backgammon").start().play("31").analyse("td").moves[0].move
        <8/5 6/5>
        """
        return importlib.import_module(ANALYSIS).analyse(self, player, seed, lines)

    # How it looks.

    @property
    def text(self) -> str:
        """The position on one line."""
        return self.game.state_text(self.state)

    def __str__(self) -> str:
        return self.game.board_text(self.state)

    def __repr__(self) -> str:
        return f"Position({self.game.facts.name} {self.text})"

    def _repr_svg_(self) -> str:
        return self.game.board_svg(self.state)

    def _repr_html_(self) -> str:
        return html_picture(self._repr_svg_(), self.text)

    def __eq__(self, other: object) -> bool:
        # Games are tuples: those of two types may hold the same numbers.
        return (
            isinstance(other, Position)
            and (type(self.game), self.game) == (type(other.game), other.game)
            and np.array_equal(self.state, other.state)
        )

    def __hash__(self) -> int:
        return hash((type(self.game).__name__, self.state.tobytes()))


class Positions:
    """The positions of a game: a part that every game is put together with."""

    __slots__ = ()

    def start(self: Game) -> Position:
        """The position at the beginning of a game."""
        return Position.start(self)

    def position(self: Game, text: str) -> Position:
        """The position that a line of text stands for; LudusError says what is wrong with it."""
        return Position.read(self, text)
