"""Many states as a network sees them: sparse rows of inputs, made and used by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import position_key
from ludus.contract.views import encoding_of, features, section
from ludus.kernel import kernel


class Observation:
    """Rows of inputs, of which only those that are not zero are kept: `index[starts[r]:starts[r + 1]]` are the inputs of row r, `value` their
    values. `sections` says which of the encoding's networks a row is for (0 where there is just one).

    >>> from ludus.batch import Games
    >>> x = Games("tictactoe", count=2).begin().observe("propositions")
    >>> x.dense().shape, (x @ np.ones(x.inputs)).tolist()
    ((2, 20), [1.0, 1.0])
    """

    def __init__(
        self, inputs: int, index: np.ndarray, value: np.ndarray, starts: np.ndarray, sections: np.ndarray
    ) -> None:
        self.inputs, self.index, self.value, self.starts, self.sections = inputs, index, value, starts, sections

    def __len__(self) -> int:
        return len(self.starts) - 1

    def dense(self) -> np.ndarray:
        """The rows in full: (rows, inputs), float32."""
        out = np.zeros((len(self), self.inputs), np.float32)
        _fill(self.index, self.value, self.starts, out)
        return out

    def take(self, rows: Any) -> Observation:
        """Some of the rows, in this order."""
        rows = np.asarray(rows, np.int64)
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            raise IndexError(f"there are {len(self)} rows, not all of {rows.tolist()}")
        index, value, starts = _take(self.index, self.value, self.starts, rows)
        return Observation(self.inputs, index, value, starts, self.sections[rows])

    def __matmul__(self, weights: Any) -> np.ndarray:
        """The product with weights, (inputs,) or (inputs, units): one number, or one number a unit, for each row."""
        weights = _floats(weights)
        if weights.ndim not in (1, 2) or len(weights) != self.inputs:
            raise ValueError(
                f"weights should be of shape ({self.inputs},) or ({self.inputs}, units), not {weights.shape}"
            )
        if weights.ndim == 1:
            return _product(self.index, self.value, self.starts, weights)
        return _products(self.index, self.value, self.starts, weights)

    def add_to(self, weights: np.ndarray, amounts: Any) -> None:
        """Add each row, times its amount, to weights of shape (inputs,): a step along the gradient of `x @ weights`. With weights (inputs,
        units) there is an amount for each row and unit.
        """
        amounts = np.ascontiguousarray(amounts, weights.dtype)
        if len(weights) != self.inputs or amounts.shape != (len(self), *weights.shape[1:]):
            raise ValueError(
                f"amounts of shape {amounts.shape} and weights of shape {weights.shape} do not fit {len(self)} rows of {self.inputs} inputs"
            )
        if weights.ndim == 1:
            _add(self.index, self.value, self.starts, weights, amounts)
        else:
            _add_each(self.index, self.value, self.starts, weights, amounts)


class Memory:
    """Rows of inputs by place, to be found again: what each game in flight showed last, say, with a place for each slot, or for each slot and
    seat. Places without a row have an empty one.

    >>> memory = Memory(10, inputs=3)
    >>> memory.put([7], Observation(3, np.array([0, 2]), np.float32([5, 6]), np.array([0, 2]), np.array([0])))
    >>> memory.take([7, 1]).dense().tolist()
    [[5.0, 0.0, 6.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, places: int, inputs: int) -> None:
        self.inputs = inputs
        self._counts, self._sections = np.zeros(places, np.int64), np.zeros(places, np.int64)
        self._index: np.ndarray = np.zeros((places, 0), np.int64)
        self._value: np.ndarray = np.zeros((places, 0), np.float32)

    def put(self, places: Any, rows: Observation) -> None:
        """Keep rows, one in each of these places, instead of what was there."""
        places, counts = np.asarray(places, np.int64), np.diff(rows.starts)
        more = max(int(counts.max(initial=0)) - self._index.shape[1], 0)
        if more:
            self._index = np.pad(self._index, ((0, 0), (0, more)))
            self._value = np.pad(self._value, ((0, 0), (0, more)))
        self._counts[places], self._sections[places] = counts, rows.sections
        _put(rows.index, rows.value, rows.starts, places, self._index, self._value)

    def clear(self, places: Any) -> None:
        """Forget the rows in these places."""
        self._counts[places] = 0

    def take(self, places: Any) -> Observation:
        """The rows in these places."""
        places = np.asarray(places, np.int64)
        starts = np.concatenate([[0], np.cumsum(self._counts[places])])
        index, value = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.float32)
        _get(self._index, self._value, places, starts, index, value)
        return Observation(self.inputs, index, value, starts, self._sections[places])


def _floats(values: Any) -> np.ndarray:
    values = np.ascontiguousarray(values)
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def observe(encoding: Any, game: Any, states: np.ndarray, over: np.ndarray) -> Observation:
    """The inputs of many states. Those of ended games have none: networks never see them."""
    encoding = as_encoding(encoding, game)
    _, inputs, _ = encoding.shape(game)
    return Observation(inputs, *_observe(encoding, game, states, over, inputs))


def hashed(game: Any, states: np.ndarray, over: np.ndarray, inputs: int) -> Observation:
    """An input for each position, found by its hash: as a table."""
    index = (_keys(game, states) % np.uint64(inputs)).astype(np.int64)[~over]
    starts = np.concatenate([[0], np.cumsum(~over)])
    return Observation(inputs, index, np.ones(len(index), np.float32), starts, np.zeros(len(states), np.int64))


def as_encoding(encoding: Any, game: Any) -> Any:
    """An encoding, or the one of the game that has this name."""
    return encoding_of(game, encoding) if isinstance(encoding, str) else encoding


# --- kernels ---------------------------------------------------------------------------------------------------------


@kernel
def _observe(encoding: Any, game: Any, states: Any, over: Any, inputs: int) -> tuple[Any, Any, Any, Any]:
    rows, count = len(states), 0
    index = np.empty(32 * rows + inputs, np.int64)
    value = np.empty(len(index), np.float32)
    starts, sections = np.zeros(rows + 1, np.int64), np.zeros(rows, np.int64)
    for r in range(rows):
        if len(index) - count < inputs:
            more, more_value = np.empty(2 * len(index), np.int64), np.empty(2 * len(index), np.float32)
            more[:count] = index[:count]
            more_value[:count] = value[:count]
            index, value = more, more_value
        if not over[r]:
            count += features(encoding, game, states[r], index[count:], value[count:])
            sections[r] = section(encoding, game, states[r])
        starts[r + 1] = count
    return index[:count], value[:count], starts, sections


@kernel
def _keys(game: Any, states: Any) -> Any:
    out = np.empty(len(states), np.uint64)
    for r in range(len(states)):
        out[r] = position_key(game, states[r])
    return out


@kernel
def _put(index: Any, value: Any, starts: Any, places: Any, out: Any, out_value: Any) -> None:
    for r in range(len(places)):
        for a in range(starts[r + 1] - starts[r]):
            out[places[r], a] = index[starts[r] + a]
            out_value[places[r], a] = value[starts[r] + a]


@kernel
def _get(kept: Any, kept_value: Any, places: Any, starts: Any, index: Any, value: Any) -> None:
    for r in range(len(places)):
        for a in range(starts[r + 1] - starts[r]):
            index[starts[r] + a] = kept[places[r], a]
            value[starts[r] + a] = kept_value[places[r], a]


@kernel
def _fill(index: Any, value: Any, starts: Any, out: Any) -> None:
    for r in range(len(out)):
        for a in range(starts[r], starts[r + 1]):
            out[r, index[a]] = value[a]


@kernel
def _take(index: Any, value: Any, starts: Any, rows: Any) -> tuple[Any, Any, Any]:
    found = np.zeros(len(rows) + 1, np.int64)
    for i in range(len(rows)):
        found[i + 1] = found[i] + starts[rows[i] + 1] - starts[rows[i]]
    out, out_value = np.empty(found[-1], np.int64), np.empty(found[-1], np.float32)
    for i in range(len(rows)):
        first = starts[rows[i]]
        for a in range(found[i + 1] - found[i]):
            out[found[i] + a] = index[first + a]
            out_value[found[i] + a] = value[first + a]
    return out, out_value, found


@kernel
def _product(index: Any, value: Any, starts: Any, weights: Any) -> Any:
    out = np.zeros(len(starts) - 1, weights.dtype)
    for r in range(len(out)):
        for a in range(starts[r], starts[r + 1]):
            out[r] += value[a] * weights[index[a]]
    return out


@kernel
def _products(index: Any, value: Any, starts: Any, weights: Any) -> Any:
    out = np.zeros((len(starts) - 1, weights.shape[1]), weights.dtype)
    for r in range(len(out)):
        for a in range(starts[r], starts[r + 1]):
            v, i = value[a], index[a]
            for u in range(weights.shape[1]):
                out[r, u] += v * weights[i, u]
    return out


@kernel
def _add(index: Any, value: Any, starts: Any, weights: Any, amounts: Any) -> None:
    for r in range(len(amounts)):
        for a in range(starts[r], starts[r + 1]):
            weights[index[a]] += value[a] * amounts[r]


@kernel
def _add_each(index: Any, value: Any, starts: Any, weights: Any, amounts: Any) -> None:
    for r in range(len(amounts)):
        for a in range(starts[r], starts[r + 1]):
            v, i = value[a], index[a]
            for u in range(weights.shape[1]):
                weights[i, u] += v * amounts[r, u]
