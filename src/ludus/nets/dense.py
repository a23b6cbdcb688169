"""A network with two hidden layers and many outputs, all at once: that of a Q-learner with an output for each action.

Inputs are sparse, as in `network`; the other layers are dense. One position is judged by kernels, a batch by matrix products, and both by
the same weights. Outputs are *logits*: the sigmoid of an output is what the network predicts. Nothing here knows of games.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.kernel import kernel, seed_stream, uniform
from ludus.nets.network import sigmoid_

SIGMOID, RELU = 0, 1
UNITS = {"sigmoid": SIGMOID, "relu": RELU}


class Dense(NamedTuple):
    """Weights as plain arrays, each from the layer before (rows) to the next (columns), and the kind of the hidden units."""

    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray
    w3: np.ndarray
    b3: np.ndarray
    units: int

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(inputs, first hidden layer, second, outputs)"""
        return self.w1.shape[0], self.w1.shape[1], self.w2.shape[1], self.w3.shape[1]

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name."""
        return {name: getattr(self, name) for name in WEIGHTS}


WEIGHTS = ("w1", "b1", "w2", "b2", "w3", "b3")


def read_layout(text: str) -> tuple[int, int]:
    """The sizes of the hidden layers.

    >>> read_layout("160-187")
    (160, 187)
    """
    found = re.fullmatch(r"([1-9]\d{0,3})-([1-9]\d{0,3})", text)
    if not found:
        raise LudusError(f"layout '{text}' is none: give the sizes of two hidden layers, as in 200-200")
    return int(found[1]), int(found[2])


def empty_dense(shape: tuple[int, int, int, int], units: int = RELU) -> Dense:
    """A network of zeros: room for gradients, moments or weights to come."""
    inputs, first, second, outputs = shape
    w1, w2, w3 = (np.zeros(size, np.float32) for size in ((inputs, first), (first, second), (second, outputs)))
    b1, b2, b3 = (np.zeros(size, np.float32) for size in (first, second, outputs))
    return Dense(w1, b1, w2, b2, w3, b3, units)


def new_dense(shape: tuple[int, int, int, int], units: int, seed: int, active: int = 0) -> Dense:
    """A network with random weights whose sums neither die out nor grow from layer to layer (Glorot's and He's scale). `active` is how many
    inputs are usually not zero, if that is known.

    >>> new_dense((133, 160, 187, 140), SIGMOID, seed=1).shape
    (133, 160, 187, 140)
    """
    net = empty_dense(shape, units)
    rng = np.zeros(1, np.uint64)
    seed_stream(rng, seed, 0, 0xBEEF)
    gain = 6.0 if units == RELU else 3.0
    _fill(net.w1.reshape(-1), rng, (gain / (active or shape[0])) ** 0.5)
    _fill(net.w2.reshape(-1), rng, (gain / shape[1]) ** 0.5)
    _fill(net.w3.reshape(-1), rng, 0.1 * (3.0 / shape[2]) ** 0.5)
    return net


@kernel
def _fill(weights: Any, rng: Any, scale: float) -> None:
    for i in range(len(weights)):
        weights[i] = scale * (2.0 * uniform(rng) - 1.0)


# --- one position ----------------------------------------------------------------------------------------------------


class DenseWorkspace(NamedTuple):
    """Space for one position: its inputs, both hidden layers, the outputs, and what comes back through the layers."""

    inputs: np.ndarray
    value: np.ndarray
    first: np.ndarray
    second: np.ndarray
    output: np.ndarray
    back1: np.ndarray
    back2: np.ndarray


@kernel
def dense_workspace(net: Any) -> Any:
    """Space for one thread."""
    inputs, first, second, outputs = net.w1.shape[0], net.w1.shape[1], net.w2.shape[1], net.w3.shape[1]
    return DenseWorkspace(
        np.zeros(inputs, np.int64), np.zeros(inputs, np.float32), np.zeros(first, np.float32), np.zeros(second, np.float32),
        np.zeros(outputs, np.float32), np.zeros(first, np.float32), np.zeros(second, np.float32),
    )  # fmt: skip


@kernel(fastmath=True, inline=True)
def _activate(x: Any, units: int) -> None:
    if units == SIGMOID:
        sigmoid_(x)
    else:
        for j in range(len(x)):
            x[j] = max(x[j], np.float32(0))


@kernel(fastmath=True)
def _rows(w: Any, b: Any, index: Any, value: Any, count: int, out: Any) -> None:
    """out = b + the rows of `w` at `index`, times `value`."""
    width = len(out)
    for j in range(width):
        out[j] = b[j]
    a = 0
    while a + 4 <= count:  # four rows at a time: fewer passes over the sums
        i0, i1, i2, i3 = index[a], index[a + 1], index[a + 2], index[a + 3]
        v0, v1, v2, v3 = value[a], value[a + 1], value[a + 2], value[a + 3]
        for j in range(width):
            out[j] += v0 * w[i0, j] + v1 * w[i1, j] + v2 * w[i2, j] + v3 * w[i3, j]
        a += 4
    while a < count:
        i, v = index[a], value[a]
        for j in range(width):
            out[j] += v * w[i, j]
        a += 1


@kernel(fastmath=True)
def _full(w: Any, b: Any, x: Any, out: Any) -> None:
    """out = b + x w; units that are silent cost nothing."""
    width, size = len(out), len(x)
    for j in range(width):
        out[j] = b[j]
    a = 0
    while a < size:
        if a + 4 <= size:
            v0, v1, v2, v3 = x[a], x[a + 1], x[a + 2], x[a + 3]
            if v0 != 0 or v1 != 0 or v2 != 0 or v3 != 0:
                for j in range(width):
                    out[j] += v0 * w[a, j] + v1 * w[a + 1, j] + v2 * w[a + 2, j] + v3 * w[a + 3, j]
            a += 4
        else:
            v0 = x[a]
            for j in range(width):
                out[j] += v0 * w[a, j]
            a += 1


@kernel
def forward_one(net: Any, ws: Any, count: int) -> None:
    """The outputs for the `count` inputs in the workspace, as values in [0, 1]."""
    _rows(net.w1, net.b1, ws.inputs, ws.value, count, ws.first)
    _activate(ws.first, net.units)
    _full(net.w2, net.b2, ws.first, ws.second)
    _activate(ws.second, net.units)
    _full(net.w3, net.b3, ws.second, ws.output)
    sigmoid_(ws.output)


@kernel(fastmath=True)
def nudge_one(net: Any, ws: Any, count: int, output: int, target: float, rate: float) -> float:
    """Go one step down the slope of the squared error of one output for the inputs in the workspace; return the error before."""
    forward_one(net, ws, count)
    y = ws.output[output]
    error = np.float32(target) - y
    step = np.float32(rate) * error * y * (np.float32(1) - y)
    first, second, back1, back2 = ws.first, ws.second, ws.back1, ws.back2
    w1, w2, w3 = net.w1, net.w2, net.w3
    one = np.float32(1)
    for k in range(len(second)):
        h = second[k]
        slope = h * (one - h) if net.units == SIGMOID else one if h > 0 else np.float32(0)
        back2[k] = step * w3[k, output] * slope
        w3[k, output] += step * h
        net.b2[k] += back2[k]
    net.b3[output] += step
    for j in range(len(first)):
        h = first[j]
        slope = h * (one - h) if net.units == SIGMOID else one if h > 0 else np.float32(0)
        total = np.float32(0)
        for k in range(len(second)):
            total += w2[j, k] * back2[k]
        for k in range(len(second)):
            w2[j, k] += h * back2[k]
        back1[j] = total * slope
        net.b1[j] += back1[j]
    for a in range(count):
        i, v = ws.inputs[a], ws.value[a]
        for j in range(len(first)):
            w1[i, j] += v * back1[j]
    return error


# --- a batch ---------------------------------------------------------------------------------------------------------


@kernel
def _first_layer(net: Any, index: Any, value: Any, counts: Any, out: Any) -> None:
    for b in range(len(counts)):
        _rows(net.w1, net.b1, index[b], value[b], counts[b], out[b])


@kernel(fastmath=True)
def _first_gradient(gradient: Any, index: Any, value: Any, counts: Any, back: Any) -> None:
    w1, b1 = gradient.w1, gradient.b1
    width = len(b1)
    for b in range(len(counts)):
        for j in range(width):
            b1[j] += back[b, j]
        for a in range(counts[b]):
            i, v = index[b, a], value[b, a]
            for j in range(width):
                w1[i, j] += v * back[b, j]


@kernel
def activate_all(x: Any, units: int) -> None:
    """The activation of each number, in place."""
    _activate(x.reshape(-1), units)


class Pass(NamedTuple):
    """What a batch left in each layer on its way through."""

    first: np.ndarray
    second: np.ndarray
    logits: np.ndarray


def forward(net: Dense, index: np.ndarray, value: np.ndarray, counts: np.ndarray) -> Pass:
    """Send a batch through: a row a position, with its active inputs, their values and their number."""
    first = np.empty((len(counts), net.shape[1]), np.float32)
    _first_layer(net, index, value, counts, first)
    activate_all(first, net.units)
    second = first @ net.w2 + net.b2
    activate_all(second, net.units)
    return Pass(first, second, second @ net.w3 + net.b3)


def backward(
    net: Dense, gradient: Dense, index: np.ndarray, value: np.ndarray, counts: np.ndarray, passed: Pass, error: np.ndarray
) -> None:  # fmt: skip
    """Add to `gradient` what the slope `error` of a loss by the logits asks of the weights."""

    def slope(x: np.ndarray) -> np.ndarray:
        return x * (np.float32(1) - x) if net.units == SIGMOID else (x > 0).astype(np.float32)

    gradient.w3[...] += passed.second.T @ error
    gradient.b3[...] += error.sum(0)
    back = (error @ net.w3.T) * slope(passed.second)
    gradient.w2[...] += passed.first.T @ back
    gradient.b2[...] += back.sum(0)
    back = (back @ net.w2.T) * slope(passed.first)
    _first_gradient(gradient, index, value, counts, back)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """What logits predict."""
    out = np.array(logits, np.float32)
    activate_all(out, SIGMOID)
    return out
