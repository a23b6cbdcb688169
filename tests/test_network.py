"""The network: its sigmoid, its passes forwards and backwards, and Adam, against references in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import naive
from ludus.kernel import JIT
from ludus.nets.adam import adam_step
from ludus.nets.network import (
    EXP2,
    Inputs,
    Network,
    add_gradient,
    empty_network,
    hidden_units,
    new_network,
    output_units,
    sigmoid_,
)

# --- the sigmoid -----------------------------------------------------------------------------------------------------


def test_the_sigmoid_is_as_good_as_float32_allows():
    x = np.linspace(-80, 80, 200_001 if JIT else 5_001).astype(np.float32)
    y = x.copy()
    sigmoid_(y)
    exact = naive.sigmoid(x.astype(np.float64))
    assert np.abs(y - exact).max() < 2e-7
    # And relatively, where the result is small but not beyond the bound that keeps 2^k within float32.
    middle = (x > -25) & (x < 25)
    assert np.abs(y / exact - 1)[middle].max() < 3e-6


def test_the_sigmoid_has_no_bad_spots():
    y = np.array([0, -0.0, np.inf, -np.inf, 1e30, -1e30, 1e-30], np.float32)
    sigmoid_(y)
    assert y == pytest.approx([0.5, 0.5, 1, 0, 1, 0, 0.5], abs=1e-7)
    x = np.linspace(-30, 30, 20_001 if JIT else 2_001).astype(np.float32)
    y = x.copy()
    sigmoid_(y)
    assert (np.diff(y) > -1.2e-7).all()  # rises, but for the last bit
    assert ((y >= 0) & (y <= 1)).all()


def test_the_polynomial_is_the_least_squares_fit_of_two_to_the_f():
    nodes = (np.cos(np.pi * (np.arange(4000) + 0.5) / 4000) + 1) / 2  # Chebyshev's, moved to [0, 1]
    weight = 2.0**-nodes  # the relative error counts
    powers = nodes[:, None] ** np.arange(6)
    fit, *_ = np.linalg.lstsq(powers * weight[:, None], 2.0**nodes * weight, rcond=None)
    assert fit == pytest.approx(EXP2, rel=2e-8, abs=1e-9)


# --- forwards --------------------------------------------------------------------------------------------------------


def random_network(sections: int, inputs: int, hidden: int, outputs: int, seed: int) -> Network:
    """A network with larger weights than a new one has, biases too."""
    rng = np.random.default_rng(seed)
    net = empty_network(sections, inputs, hidden, outputs)
    for part in net:
        part[...] = rng.normal(0, 0.7, part.shape)
    return net


def random_inputs(inputs: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some active inputs, sparse as kernels want them and dense as the reference does."""
    rng = np.random.default_rng(seed)
    index = np.sort(rng.choice(inputs, count, replace=False))
    value = rng.normal(0, 1, count).astype(np.float32)
    x = np.zeros(inputs)
    x[index] = value
    return index, value, x


def forward(net: Network, k: int, index: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    hidden, output = np.full(net.shape[2], 9, np.float32), np.full(net.shape[3], 9, np.float32)
    hidden_units(net, k, index, value, len(index), hidden)
    output_units(net, k, hidden, output)
    return hidden, output


SHAPES = [(1, 6, 1, 1), (1, 198, 40, 2), (3, 50, 17, 5), (2, 9, 8, 4), (2, 20, 255, 6)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5], ids="{} active".format)
def test_the_forward_pass_is_that_of_a_dense_network(shape, count):
    net = random_network(*shape, seed=count)
    index, value, x = random_inputs(shape[1], count, seed=1)
    for k in range(shape[0]):
        for found, wanted in zip(forward(net, k, index, value), naive.forward(naive.wide(net), k, x), strict=True):
            assert found == pytest.approx(wanted, abs=2e-6)


def test_only_the_first_count_inputs_are_looked_at():
    net = random_network(1, 20, 7, 3, seed=2)
    index, value, _ = random_inputs(20, 6, seed=2)
    room = np.concatenate([index, [3, 10**12]]), np.concatenate([value, [np.nan, np.nan]]).astype(np.float32)
    hidden = np.zeros(7, np.float32)
    hidden_units(net, 0, *room, 6, hidden)
    assert hidden == pytest.approx(forward(net, 0, index, value)[0])


# --- backwards -------------------------------------------------------------------------------------------------------


def cross_entropy(net: Network, k: int, x: np.ndarray, target: np.ndarray) -> float:
    output = naive.forward(net, k, x)[1]
    return float(-(target * np.log(output) + (1 - target) * np.log(1 - output)).sum())


@pytest.mark.parametrize("k", [0, 1])
def test_the_gradient_is_the_slope_of_the_cross_entropy(k):
    shape = (2, 11, 6, 3)
    net = random_network(*shape, seed=3)
    index, value, x = random_inputs(11, 5, seed=3)
    target = np.array([0.2, 1.0, 0.0])

    hidden, output = forward(net, k, index, value)
    gradient = empty_network(*shape)
    error = (output - target).astype(np.float32)
    add_gradient(net, gradient, k, Inputs(index, value, len(index)), hidden, error, np.zeros(6, np.float32))

    exact = naive.wide(net)
    for part, found in zip(exact, gradient, strict=True):
        flat = part.reshape(-1)
        slope = np.zeros_like(flat)
        for i in range(len(flat)):
            here, h = flat[i], 1e-5
            flat[i] = here + h
            above = cross_entropy(exact, k, x, target)
            flat[i] = here - h
            below = cross_entropy(exact, k, x, target)
            flat[i] = here
            slope[i] = (above - below) / (2 * h)
        assert found.reshape(-1) == pytest.approx(slope, abs=2e-6)
    for part in gradient:
        assert (part[1 - k] == 0).all()  # the other section is not concerned


def test_gradients_of_several_positions_add_up():
    net = random_network(1, 11, 6, 3, seed=4)
    once, twice = empty_network(1, 11, 6, 3), empty_network(1, 11, 6, 3)
    index, value, _ = random_inputs(11, 5, seed=4)
    hidden, _ = forward(net, 0, index, value)
    error, back = np.array([0.5, -0.25, 0.125], np.float32), np.zeros(6, np.float32)
    add_gradient(net, once, 0, Inputs(index, value, 5), hidden, error, back)
    for _ in range(2):
        add_gradient(net, twice, 0, Inputs(index, value, 5), hidden, error, back)
    for one, two in zip(once, twice, strict=True):
        assert two == pytest.approx(2 * one)
        assert np.abs(one).max() > 0


def test_adam_is_that_of_the_paper():
    # Kingma & Ba (2015), algorithm 1, with their usual constants.
    rng = np.random.default_rng(5)
    weights, first, second = rng.normal(size=33), np.zeros(33), np.zeros(33)
    own = [part.astype(np.float32) for part in (weights, first, second)]
    for step in range(1, 30):
        gradient = rng.normal(size=33) * 10.0 ** rng.integers(-3, 3)
        narrow = gradient.astype(np.float32)
        rate = 0.01 / step
        adam_step(own[0], narrow, own[1], own[2], 0.5, rate, step)
        assert (narrow == 0).all()

        gradient = gradient * 0.5
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights = weights - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    assert own[0] == pytest.approx(weights, abs=1e-6)
    assert own[1] == pytest.approx(first, rel=1e-4, abs=1e-6)
    assert own[2] == pytest.approx(second, rel=1e-4, abs=1e-6)


# --- new networks ----------------------------------------------------------------------------------------------------


def test_a_new_network_has_small_weights_that_its_seed_decides():
    def flat(net: Any) -> np.ndarray:
        return np.concatenate([part.reshape(-1) for part in net])

    net, same, other = (new_network(2, 30, 10, 4, seed) for seed in (1, 1, 2))
    assert net.shape == (2, 30, 10, 4)
    assert all(part.dtype == np.float32 for part in net)
    assert np.array_equal(flat(net), flat(same))
    for part, theirs in ((net.w1, other.w1), (net.w2, other.w2)):
        assert np.abs(part).max() <= 0.1
        assert abs(part.mean()) < 0.02
        assert part.std() == pytest.approx(0.1 / 3**0.5, rel=0.2)
        assert len(np.unique(part)) > 0.99 * part.size
        assert not np.array_equal(part, theirs)
    assert not net.b1.any()
    assert not net.b2.any()
    assert not flat(empty_network(2, 30, 10, 4)).any()
