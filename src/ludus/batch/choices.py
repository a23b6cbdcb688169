"""The legal moves of many decisions, and the states after them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.batch.states import Seated
from ludus.contract.rules import EACH, JOINT, OVER, moves, play_each, play_joint, random_move, scores, turn
from ludus.kernel import below, kernel, uniform


class Legal:
    """The legal moves of all rows of a batch, one after the other: `moves[starts[r]:starts[r + 1]]` are those of row r, and `rows` says of
    each move which row it belongs to. A *place* is an index into `moves`.
    """

    def __init__(self, legal: np.ndarray, starts: np.ndarray, streams: np.ndarray) -> None:
        self.moves, self.starts = legal, starts
        self.rows = _rows(starts)
        self._streams = streams

    def __len__(self) -> int:
        return len(self.moves)

    def argmax(self, values: Any) -> np.ndarray:
        """The place of the highest value in each row, the first of equals; `values` has one number a move."""
        return _argmax(self._one_each(values), self.starts)

    def best(self, values: Any) -> np.ndarray:
        """The move of the highest value in each row, the first of equals."""
        return self.moves[self.argmax(values)]

    def draw(self, weights: Any = None) -> np.ndarray:
        """A random place in each row, as likely as its weight says, or each as likely as the others. Each row draws from its own stream, that
        of its game and seat.
        """
        if weights is None:
            return _draw_any(self.starts, self._streams)
        return _draw(self._one_each(weights), self.starts, self._streams)

    def _one_each(self, values: Any) -> np.ndarray:
        given = np.ascontiguousarray(values, np.float64)
        if given.shape != (len(self.moves),):
            raise ValueError(
                f"there are {len(self.moves)} moves: give one number for each, not an array of shape {given.shape}"
            )
        return given


class Afterstates(Legal, Seated):
    """The legal moves with the states to which they lead, before any dice are rolled: `states`, `over`, and `scores` (moves, seats) where the
    game is over. `seats` says who moved.

    Where all seats move at once, a move alone leads nowhere: the others then make moves drawn at random, the same for all moves of a row.
    """

    def __init__(
        self, game: Any, legal: Legal, after: tuple[np.ndarray, np.ndarray, np.ndarray], seats: np.ndarray
    ) -> None:
        Legal.__init__(self, legal.moves, legal.starts, legal._streams)
        states, over, self.scores = after
        Seated.__init__(self, game, states, over)
        self.seats = seats[self.rows]

    __len__ = Legal.__len__


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def list_moves(game: Any, states: Any, seats: Any, max_moves: int) -> tuple[Any, Any]:
    """All legal moves, one row after the other, and where each row starts."""
    rows, count = len(states), 0
    out, starts = np.empty(32 * rows + max_moves, np.int64), np.zeros(rows + 1, np.int64)
    for r in range(rows):
        if len(out) - count < max_moves:
            more = np.empty(2 * len(out), np.int64)
            more[:count] = out[:count]
            out = more
        count += moves(game, states[r], seats[r], out[count:])
        starts[r + 1] = count
    return out[:count], starts


@kernel
def find_moves(legal: Any, starts: Any, chosen: Any) -> Any:
    """The place of each chosen move among its row's legal ones, or -1."""
    out = np.full(len(chosen), -1, np.int64)
    for r in range(len(chosen)):
        for place in range(starts[r], starts[r + 1]):
            if legal[place] == chosen[r]:
                out[r] = place
                break
    return out


@kernel
def states_after(
    game: Any, states: Any, seats: Any, legal: Any, starts: Any, streams: Any, sizes: Any
) -> tuple[Any, Any, Any]:
    """The states after all moves, which of them end the game, and the scores of those."""
    max_moves, size, all_seats, _ = sizes
    out = np.empty((len(legal), size), np.int64)
    over, results, seat_scores = np.zeros(len(legal), np.bool_), np.zeros((len(legal), all_seats)), np.zeros(all_seats)
    joint, buffer = np.zeros(all_seats, np.int64), np.zeros(max_moves, np.int64)
    for r in range(len(states)):
        if turn(game, states[r]) == JOINT:
            for s in range(all_seats):
                if s != seats[r]:
                    joint[s] = random_move(game, states[r], s, streams[r], buffer)
            for place in range(starts[r], starts[r + 1]):
                for i in range(size):
                    out[place, i] = states[r, i]
                joint[seats[r]] = legal[place]
                play_joint(game, out[place], joint)
        else:
            for first in range(starts[r], starts[r + 1], EACH):
                play_each(game, states[r], legal, first, min(starts[r + 1] - first, EACH), out[first:])
        for place in range(starts[r], starts[r + 1]):
            if turn(game, out[place]) == OVER:
                over[place] = True
                scores(game, out[place], seat_scores)
                for s in range(all_seats):
                    results[place, s] = seat_scores[s]
    return out, over, results


@kernel
def _rows(starts: Any) -> Any:
    out = np.empty(starts[-1], np.int64)
    for r in range(len(starts) - 1):
        for place in range(starts[r], starts[r + 1]):
            out[place] = r
    return out


@kernel
def _argmax(values: Any, starts: Any) -> Any:
    out = starts[:-1].copy()
    for r in range(len(out)):
        for place in range(starts[r], starts[r + 1]):
            if values[place] > values[out[r]]:
                out[r] = place
    return out


@kernel
def _draw_any(starts: Any, streams: Any) -> Any:
    out = starts[:-1].copy()
    for r in range(len(out)):
        out[r] += below(streams[r], starts[r + 1] - starts[r])
    return out


@kernel
def _draw(weights: Any, starts: Any, streams: Any) -> Any:
    out = starts[:-1].copy()
    for r in range(len(out)):
        total = 0.0
        for place in range(starts[r], starts[r + 1]):
            total += weights[place]
        rest = uniform(streams[r]) * total
        for place in range(starts[r], starts[r + 1]):
            if weights[place] > 0:
                out[r] = place  # the last of these, should rounding leave a rest
                rest -= weights[place]
                if rest < 0:
                    break
    return out


@kernel
def random_moves(game: Any, states: Any, seats: Any, streams: Any, max_moves: int) -> Any:
    """A random legal move of each row."""
    out, buffer = np.empty(len(states), np.int64), np.empty(max_moves, np.int64)
    for r in range(len(out)):
        out[r] = random_move(game, states[r], seats[r], streams[r], buffer)
    return out


@kernel
def uniforms(streams: Any) -> Any:
    """A random number from 0 up to 1 of each stream."""
    out = np.empty(len(streams))
    for r in range(len(out)):
        out[r] = uniform(streams[r])
    return out


@kernel
def mark(legal: Any, rows: Any, out: Any) -> None:
    """Set the legal moves of each row in a table of actions."""
    for place in range(len(legal)):
        out[rows[place], legal[place]] = True
