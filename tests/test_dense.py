"""The network with two hidden layers: its slopes against differences, and one position against batches."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.nets.dense import (
    RELU,
    SIGMOID,
    WEIGHTS,
    Dense,
    backward,
    dense_workspace,
    empty_dense,
    forward,
    forward_one,
    new_dense,
    nudge_one,
    read_layout,
    sigmoid,
)

SHAPE = (7, 5, 6, 4)
BATCH = 3
both = pytest.mark.parametrize("units", [SIGMOID, RELU], ids=["sigmoid", "relu"])


def some_inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    index = np.array([rng.permutation(7) for _ in range(BATCH)])
    value = rng.normal(size=(BATCH, 7)).astype(np.float32)
    return index, value, np.array([7, 5, 2])


def exact(net: dict[str, np.ndarray], units: int) -> np.ndarray:
    """The logits of the batch in double precision, written as the textbook has it."""
    index, value, counts = some_inputs()
    x = np.zeros((BATCH, 7))
    for b in range(BATCH):
        x[b, index[b, : counts[b]]] = value[b, : counts[b]]
    for layer in "12":
        x = x @ net["w" + layer] + net["b" + layer]
        x = 1 / (1 + np.exp(-x)) if units == SIGMOID else np.maximum(x, 0)
    return x @ net["w3"] + net["b3"]


def doubled(net: Dense) -> dict[str, np.ndarray]:
    return {name: tensor.astype(np.float64) for name, tensor in net.tensors().items()}


@both
def test_a_batch_goes_through_as_the_textbook_says(units: int) -> None:
    net = new_dense(SHAPE, units, seed=3)
    net.b1[:] = 0.1
    net.b3[:] = [0.1, -0.2, 0.3, 0]
    assert forward(net, *some_inputs()).logits == pytest.approx(exact(doubled(net), units), abs=1e-5)


@both
def test_gradients_are_the_slopes_of_the_loss(units: int) -> None:
    """The loss is the sum of logits, each times a weight: its slope by the logits is these weights."""
    net, gradient = new_dense(SHAPE, units, seed=3), empty_dense(SHAPE, units)
    net.b1[:] = net.b2[:] = 0.05
    slope = np.random.default_rng(2).normal(size=(BATCH, 4)).astype(np.float32)
    inputs = some_inputs()
    backward(net, gradient, *inputs, forward(net, *inputs), slope)
    weights = doubled(net)
    for name in WEIGHTS:
        for at in np.ndindex(weights[name].shape):
            kept, ends = weights[name][at], []
            for step in (1e-5, -1e-5):
                weights[name][at] = kept + step
                ends.append((exact(weights, units) * slope).sum())
            weights[name][at] = kept
            assert gradient.tensors()[name][at] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=2e-4)


@both
def test_one_position_is_judged_as_in_a_batch(units: int) -> None:
    net = new_dense(SHAPE, units, seed=3)
    ws = dense_workspace(net)
    index, value, counts = some_inputs()
    wanted = sigmoid(forward(net, index, value, counts).logits)
    for b in range(BATCH):
        ws.inputs[:], ws.value[:] = index[b], value[b]
        forward_one(net, ws, counts[b])
        assert ws.output == pytest.approx(wanted[b], abs=1e-6)


@both
def test_a_nudge_goes_down_the_slope_of_the_squared_error(units: int) -> None:
    net, gradient = new_dense(SHAPE, units, seed=3), empty_dense(SHAPE, units)
    ws = dense_workspace(net)
    before = {name: tensor.copy() for name, tensor in net.tensors().items()}
    index, value, counts = some_inputs()
    passed = forward(net, index, value, counts)
    output, target, rate = 2, 0.9, 0.5
    y = sigmoid(passed.logits)[0, output]
    slope = np.zeros_like(passed.logits)
    slope[0, output] = (y - target) * y * (1 - y)  # of half the squared error, by the logit
    backward(net, gradient, index, value, counts, passed, slope)
    ws.inputs[:], ws.value[:] = index[0], value[0]
    assert nudge_one(net, ws, counts[0], output, target, rate) == pytest.approx(target - y, abs=1e-6)
    for name in WEIGHTS:
        change = net.tensors()[name] - before[name]
        assert change == pytest.approx(-rate * gradient.tensors()[name], abs=1e-6)


def test_layouts() -> None:
    assert read_layout("345-200") == (345, 200)
    for wrong in ("200", "0-5", "a-b", "20-20-20", "20--20", ""):
        with pytest.raises(LudusError, match="two hidden layers"):
            read_layout(wrong)
