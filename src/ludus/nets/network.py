"""The one network of the house: sparse inputs, one hidden layer of sigmoid units, sigmoid outputs.

All games here have inputs of which few are active, so the first layer adds the rows of the active ones. A network may have
several *sections*, such as one for races and one for positions with contact, which share nothing but their shape.
Nothing here knows of games or of how the weights are learned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import add_rows, kernel, seed_stream, uniform

LINE = 64  # bytes of a line of the cache


class Network(NamedTuple):
    """Weights as plain arrays; the first axis is the section."""

    w1: np.ndarray  # section, input, hidden
    b1: np.ndarray  # section, hidden
    w2: np.ndarray  # section, output, hidden
    b2: np.ndarray  # section, output

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(sections, inputs, hidden units, outputs)"""
        sections, inputs, hidden = self.w1.shape
        return sections, inputs, hidden, self.w2.shape[1]


def new_network(sections: int, inputs: int, hidden: int, outputs: int, seed: int) -> Network:
    """A network with small random weights.

    >>> new_network(1, 198, 40, 2, seed=1).shape
    (1, 198, 40, 2)
    """
    net = empty_network(sections, inputs, hidden, outputs)
    rng = np.zeros(1, np.uint64)
    seed_stream(rng, seed, 0, 0xBEEF)
    _fill(net.w1.reshape(-1), rng, 0.1)
    _fill(net.w2.reshape(-1), rng, 0.1)
    return net


def empty_network(sections: int, inputs: int, hidden: int, outputs: int) -> Network:
    """A network of zeros: room for gradients, moments or weights to come."""
    return Network(
        _zeros(sections, inputs, hidden),
        _zeros(sections, hidden),
        _zeros(sections, outputs, hidden),
        _zeros(sections, outputs),
    )


def _zeros(*shape: int) -> np.ndarray:
    """Zeros that begin where a line of the processor's cache does: rows of weights then lie on fewer lines."""
    size = 4 * int(np.prod(shape))
    room = np.zeros(size + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + size].view(np.float32).reshape(shape)


def in_line(net: Network) -> Network:
    """A copy of a network, with its weights where they are read fastest.

    >>> net = new_network(1, 198, 40, 2, seed=1)
    >>> copy = in_line(Network(*(part.copy() for part in net)))
    >>> copy.w1.ctypes.data % LINE, bool((copy.w1 == net.w1).all())
    (0, True)
    """
    made = empty_network(*net.shape)
    for new, old in zip(made, net, strict=True):
        new[...] = old
    return made


def grown(net: Network, old: Network, sections: tuple[int, ...]) -> Network:
    """A network that judges as a smaller one does, with the further units of `net`: section k goes on from that of this number in `old`.

    The further units bring nothing to the outputs yet, and learn from there on.

    >>> small, large = new_network(1, 6, 2, 1, seed=1), new_network(2, 6, 4, 1, seed=2)
    >>> grown(large, small, (0, 0)).w2[1, 0, 2:].tolist()
    [0.0, 0.0]
    """
    chosen, units = list(sections), old.shape[2]
    for new, theirs in ((net.w1, old.w1), (net.b1, old.b1), (net.w2, old.w2)):
        new[..., :units] = theirs[chosen]
    net.b2[...] = old.b2[chosen]
    net.w2[..., units:] = 0
    return net


@kernel
def _fill(weights: Any, rng: Any, scale: float) -> None:
    for i in range(len(weights)):
        weights[i] = scale * (2.0 * uniform(rng) - 1.0)


# exp(x) = 2^k · 2^f with k whole and f in [0, 1). The polynomial is the least-squares fit of 2^f with weights 2^-f at
# Chebyshev nodes (`tests/test_network.py` fits it again). Written out because calls to exp() do not vectorise.
EXP2 = (0.999999927, 0.693152968, 0.24015453, 0.0558236045, 0.00899258403, 0.00187623295)
C0, C1, C2, C3, C4, C5 = (np.float32(c) for c in EXP2)


@kernel(fastmath=True, inline=True, wide=True)
def sigmoid_(x: Any) -> None:
    """The sigmoid of each number, in place."""
    for i in range(len(x)):
        t = min(max(x[i] * np.float32(-1.4426950408889634), np.float32(-40.0)), np.float32(40.0))
        k = np.floor(t)
        f = t - k
        p = ((((C5 * f + C4) * f + C3) * f + C2) * f + C1) * f + C0
        power = np.int32((np.int32(k) + 127) << 23).view(np.float32)  # 2^k, by its bits
        x[i] = np.float32(1.0) / (np.float32(1.0) + p * power)


@kernel(fastmath=True, inline=True)
def add_inputs(net: Any, k: int, index: Any, value: Any, count: int, sums: Any) -> None:
    """Add what `count` active inputs bring to the hidden layer of section `k`, before the sigmoid."""
    add_rows(sums, net.w1, k, index, value, count)


@kernel(fastmath=True, inline=True, wide=True)
def hidden_units(net: Any, k: int, index: Any, value: Any, count: int, hidden: Any) -> None:
    """The hidden layer of section `k` for `count` active inputs."""
    for j in range(len(hidden)):
        hidden[j] = net.b1[k, j]
    add_inputs(net, k, index, value, count, hidden)
    sigmoid_(hidden)


@kernel(fastmath=True, inline=True, wide=True)
def output_units(net: Any, k: int, hidden: Any, output: Any) -> None:
    """The outputs of section `k`, given its hidden layer."""
    w = net.w2
    units, outputs, o = len(hidden), len(output), 0
    while o + 5 <= outputs:  # five at once, as backgammon has: one pass over the hidden layer
        a, b, c, d, e = net.b2[k, o], net.b2[k, o + 1], net.b2[k, o + 2], net.b2[k, o + 3], net.b2[k, o + 4]
        for j in range(units):
            h = hidden[j]
            a += w[k, o, j] * h
            b += w[k, o + 1, j] * h
            c += w[k, o + 2, j] * h
            d += w[k, o + 3, j] * h
            e += w[k, o + 4, j] * h
        output[o], output[o + 1], output[o + 2], output[o + 3], output[o + 4] = a, b, c, d, e
        o += 5
    while o < outputs:
        total = net.b2[k, o]
        for j in range(units):
            total += w[k, o, j] * hidden[j]
        output[o] = total
        o += 1
    sigmoid_(output)


class Inputs(NamedTuple):
    """The inputs of a position that are not zero."""

    which: np.ndarray
    values: np.ndarray
    active: int  # how many


@kernel(fastmath=True)
def add_gradient(net: Any, gradient: Any, k: int, inputs: Any, hidden: Any, error: Any, back: Any) -> None:
    """Add to `gradient` what output errors (prediction minus target: the slope of the cross-entropy) ask of the weights."""
    index, value, count = inputs.which, inputs.values, inputs.active
    units = len(hidden)
    for j in range(units):
        back[j] = 0
    for o in range(len(error)):
        e = error[o]
        gradient.b2[k, o] += e
        for j in range(units):
            gradient.w2[k, o, j] += e * hidden[j]
            back[j] += e * net.w2[k, o, j]
    for j in range(units):
        back[j] *= hidden[j] * (np.float32(1.0) - hidden[j])
        gradient.b1[k, j] += back[j]
    for a in range(count):
        i, v = index[a], value[a]
        for j in range(units):
            gradient.w1[k, i, j] += v * back[j]
