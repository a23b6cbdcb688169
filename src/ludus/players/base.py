"""What a player is. Built-in players are NamedTuples with a compiled `choose`; any Python object with a method
`choose(position, rng)` or `choose_batch(batch)` is a player too. The arena asks for many positions at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ludus.batch import Batch
from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.position import Move, Position
from ludus.contract.rules import random_move
from ludus.errors import LudusError
from ludus.kernel import draw, generic, implements, stream


class PythonPlayer(Protocol):
    """A player written in plain Python."""

    def choose(self, position: Position, rng: np.random.Generator) -> int | str:
        """A legal move, as an integer or as text."""


class BatchPlayer(Protocol):
    """A player written in plain Python that is asked about many decisions at once."""

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """A legal move for each row."""


@generic
def choose_all(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any, /) -> None:
    """Let a built-in player move in many positions: one compiled call for all of them. Threads share a player, which can't hold arrays
    that it writes to: one that needs a workspace makes it here, once for all positions, and must move as in `choose`.
    """


@implements(choose_all, object)
def _(player: Any, game: Any, states: Any, seats: Any, rngs: Any, out: Any) -> None:
    for i in range(len(states)):
        out[i] = choose(player, game, states[i], seats[i], rngs[i])


class Random(NamedTuple):
    """Plays any legal move, each as likely as the others."""

    max_moves: int


@implements(choose, Random)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return random_move(game, state, seat, rng, np.empty(player.max_moves, np.int64))


def is_compiled(player: Any) -> bool:
    """Whether a player answers in compiled code."""
    return choose.handles(type(player))  # type: ignore[attr-defined]


def check_player(player: Any) -> None:
    """LudusError if an object is not a player."""
    if not is_compiled(player) and not hasattr(player, "choose") and not hasattr(player, "choose_batch"):
        raise LudusError(f"{player!r} is not a player: it has no method choose(position, rng) or choose_batch(batch)")


def generator(rng: np.ndarray) -> np.random.Generator:
    """NumPy's generator for a plain Python player, drawn from its random stream."""
    return np.random.default_rng([int(draw(rng)), int(draw(rng))])


def as_stream(rng: Any) -> np.ndarray:
    """A kernel's random stream from one, or from NumPy's generator, which plain Python players are given."""
    return rng if isinstance(rng, np.ndarray) else stream(int(rng.integers(1 << 63)))


def decider(position: Position) -> int:
    """The seat that is to decide in a position."""
    if position.turn is None:
        raise LudusError(
            "nobody is to move here" if position.kind != "joint" else "all move at once: say who, by seen_by"
        )
    return position.turn


def ask(player: Any, position: Position, rng: np.ndarray, seat: int | None = None) -> Move:
    """The move that a player, built-in or plain, makes in a position; LudusError if it is not a legal one."""
    seat = position.turn if seat is None else seat
    if seat is None:
        raise LudusError("nobody is to move here")
    check_player(player)
    position = position.seen_by(seat)
    if is_compiled(player):
        value: int | str = int(choose(player, position.game, position.state.copy(), seat, rng))
    elif hasattr(player, "choose"):
        value = player.choose(position, generator(rng))
    else:
        batch = Batch.of(position, seat, rng)
        value = int(
            batch.checked(player.choose_batch(batch), f"player '{getattr(player, 'name', type(player).__name__)}'")[0]
        )
        rng[:] = batch.streams[0]
    if isinstance(value, str):
        value = position.game.read_move(position.state, value, seat)
    for move in position.moves(seat):
        if move == value:
            return move
    raise LudusError(
        f"player {getattr(player, 'name', type(player).__name__)} chose {value!r}, which is not a legal move"
    )


def rank(player: Any, position: Position, rng: np.ndarray) -> list[tuple[Move, float]]:
    """The legal moves with what a player thinks each is worth, best first; LudusError if it has no opinion to give."""
    evaluates = evaluate_moves.handles(type(player))  # type: ignore[attr-defined]
    if not evaluates and not hasattr(player, "rank"):
        raise LudusError("this player moves without judging: it has no hints to give")
    if position.turn is None:
        raise LudusError("nobody is to move here")
    seat = position.turn
    position = position.seen_by(seat)
    if not evaluates:
        return player.rank(position, rng)  # a plain Python player may have an opinion too
    capacity = position.game.facts.max_moves
    legal, values = np.zeros(capacity, np.int64), np.zeros(capacity)
    count = evaluate_moves(player, position.game, position.state.copy(), seat, rng, legal, values)
    worth = dict(zip(legal[:count].tolist(), values[:count].tolist(), strict=True))
    return sorted(((m, worth[int(m)]) for m in position.moves()), key=lambda pair: -pair[1])
