"""A small residual network for positions on a board, with two heads: how good each move is, and who wins.

It has a 3 x 3 convolution over the planes of a position, then blocks of two more with a path around them, all with `channels` numbers a cell. One matrix makes of each cell the
judgement of the moves that begin there and a few numbers for the judgement of the whole; those of all cells, and the mean of the channels, go through one hidden layer. Positions
are seen from the side that moves. Weights are one flat array, so that a step of Adam is one call.
"""

from __future__ import annotations

from math import exp, log
from typing import Any, NamedTuple

import numpy as np

from ludus.kernel import kernel
from ludus.kernel.tiles import AROUND, BIAS, CUT, ROWS, WIDE, add_weight_gradient, convolve

TAPS = 9
JUDGED = 8  # numbers a cell that the judgement of the whole position sees
ZERO = np.float32(0)


class Shape(NamedTuple):
    """The sizes of a network."""

    width: int
    height: int
    planes: int  # of the position
    inputs: int  # numbers a cell that the first convolution sees: the planes, a one for "on the board", and zeros to make tiles full
    loose: int  # inputs without a cell
    channels: int
    blocks: int
    move_planes: int
    heads: int  # numbers a cell behind the last convolution
    hidden: int
    bare: int  # moves without a cell

    @property
    def cells(self) -> int:
        """How many cells a board has."""
        return self.width * self.height


class Places(NamedTuple):
    """Where the parts of the weights begin; `block` is what a block takes, in which the second half begins after `half`."""

    first_bias: int
    loose: int
    blocks: int
    half: int
    block: int
    heads: int
    heads_bias: int
    hidden: int
    hidden_bias: int
    out: int
    out_bias: int
    size: int


class Space(NamedTuple):
    """Where a network works: activations of every layer for a number of positions, one cell after another, row 0 all zeros."""

    where: np.ndarray  # [row, tap]: the row that it sees
    itself: np.ndarray  # [row]: the same for one tap, by which it sees itself
    inputs: np.ndarray
    loose: np.ndarray  # [position, input]
    layers: np.ndarray  # [layer, rows * channels]
    heads: np.ndarray
    seen: np.ndarray  # [position, input of the hidden layer]
    hidden: np.ndarray  # [position, unit]
    out: np.ndarray  # [position, 1 + bare moves]: the logit of a win, and of moves


def shape_of(board: Any, channels: int, blocks: int, hidden: int) -> Shape:
    """The network for a board (`games.gdl.geometry.Geometry`)."""
    inputs = -(-(board.planes + 1) // ROWS) * ROWS
    heads = -(-(board.move_planes + JUDGED) // WIDE) * WIDE
    return Shape(
        board.width, board.height, board.planes, inputs, board.globals, channels, blocks, board.move_planes, heads, hidden, board.bare_moves
    )  # fmt: skip


@kernel
def places(shape: Any) -> Any:
    """Where the parts of a network's weights begin."""
    c, cells = shape.channels, shape.width * shape.height
    first_bias = TAPS * shape.inputs * c
    loose = first_bias + c
    blocks = loose + shape.loose * c
    half = TAPS * c * c + c
    heads = blocks + shape.blocks * 2 * half
    heads_bias = heads + c * shape.heads
    hidden = heads_bias + shape.heads
    hidden_bias = hidden + (cells * JUDGED + c) * shape.hidden
    out = hidden_bias + shape.hidden
    out_bias = out + shape.hidden * (1 + shape.bare)
    return Places(
        first_bias, loose, blocks, half, 2 * half, heads, heads_bias, hidden, hidden_bias, out, out_bias, out_bias + 1 + shape.bare
    )  # fmt: skip


def new_weights(shape: Shape, seed: int) -> np.ndarray:
    """Weights to begin with: such that numbers stay as large from layer to layer, and a block changes nothing yet."""
    at, c = places(shape), shape.channels
    rng = np.random.default_rng([seed, 18])
    weights = np.zeros(at.size, np.float32)

    def fill(begin: int, count: int, inputs: int, gain: float = 2.0) -> None:
        weights[begin : begin + count] = rng.normal(0.0, (gain / inputs) ** 0.5, count)

    fill(0, at.first_bias, TAPS * (shape.planes + 1))
    fill(at.loose, shape.loose * c, shape.loose * 4 + 1)
    for block in range(shape.blocks):
        fill(at.blocks + block * at.block, TAPS * c * c, TAPS * c)
        fill(at.blocks + block * at.block + at.half, TAPS * c * c, TAPS * c, 0.02)
    fill(at.heads, c * shape.heads, c, 1.0)
    fill(at.hidden, (shape.cells * JUDGED + c) * shape.hidden, shape.cells * JUDGED + c)
    fill(at.out, shape.hidden * (1 + shape.bare), shape.hidden, 0.1)
    return weights


def new_space(shape: Shape, positions: int) -> Space:
    """A place to work for so many positions at once."""
    cells, c = shape.cells, shape.channels
    rows = -(-positions * cells // ROWS) * ROWS
    where = np.zeros((rows, TAPS), np.int32)
    for row in range(positions * cells):
        x, y = row % cells % shape.width, row % cells // shape.width
        for tap in range(TAPS):
            a, b = x + tap % 3 - 1, y + tap // 3 - 1
            if 0 <= a < shape.width and 0 <= b < shape.height:
                where[row, tap] = 1 + row // cells * cells + b * shape.width + a

    def floats(*sizes: int) -> np.ndarray:
        return np.zeros(sizes, np.float32)

    return Space(
        where.reshape(-1), np.arange(1, rows + 1, dtype=np.int32), floats((rows + 1) * shape.inputs), floats(positions, max(shape.loose, 1)),
        floats(1 + 2 * shape.blocks, (rows + 1) * c), floats((rows + 1) * shape.heads),
        floats(positions, cells * JUDGED + c), floats(positions, shape.hidden), floats(positions, 1 + shape.bare),
    )  # fmt: skip


@kernel(fastmath=True)
def forward(weights: Any, shape: Any, space: Any, positions: int) -> None:
    """Judge positions whose inputs are set."""
    at = places(shape)
    cells, c = shape.width * shape.height, shape.channels
    rows = (positions * cells + ROWS - 1) // ROWS * ROWS
    layers, where = space.layers, space.where
    x = layers[0]
    for p in range(positions):
        _show_loose(weights, at, shape, space.loose[p], x[(1 + p * cells) * c : (1 + (p + 1) * cells) * c])
    sizes = (TAPS, shape.inputs, c, BIAS | AROUND | CUT)
    convolve(x, space.inputs, where, rows, weights, x, (0, at.first_bias), sizes)
    for block in range(shape.blocks):
        begin = at.blocks + block * at.block
        middle, y = layers[1 + 2 * block], layers[2 + 2 * block]
        bias = begin + TAPS * c * c
        convolve(middle, x, where, rows, weights, x, (begin, bias), (TAPS, c, c, BIAS | CUT))
        begin, bias = begin + at.half, bias + at.half
        convolve(y, middle, where, rows, weights, x, (begin, bias), (TAPS, c, c, BIAS | AROUND | CUT))
        x = y
    convolve(space.heads, x, space.itself, rows, weights, x, (at.heads, at.heads_bias), (1, c, shape.heads, BIAS))
    for p in range(positions):
        begin, end = 1 + p * cells, 1 + (p + 1) * cells
        _gather(shape, space.heads[begin * shape.heads : end * shape.heads], x[begin * c : end * c], space.seen[p])
        _judge(weights, at, shape, space.seen[p], space.hidden[p], space.out[p])


@kernel(fastmath=True)
def _show_loose(weights: Any, at: Any, shape: Any, loose: Any, x: Any) -> None:
    """Begin the first layer with what the inputs without a cell say, the same in each cell."""
    c, cells = shape.channels, shape.width * shape.height
    for i in range(c):
        total = ZERO
        for g in range(shape.loose):
            total += loose[g] * weights[at.loose + g * c + i]
        for cell in range(cells):
            x[cell * c + i] = total


@kernel(fastmath=True)
def _gather(shape: Any, heads: Any, x: Any, seen: Any) -> None:
    """What the judgement of the whole position sees."""
    cells, c = shape.width * shape.height, shape.channels
    share = np.float32(1.0 / cells)
    mean = seen[cells * JUDGED :]
    mean[:] = ZERO
    for cell in range(cells):
        some = heads[cell * shape.heads + shape.move_planes :]
        mine = seen[cell * JUDGED :]
        for i in range(JUDGED):
            mine[i] = max(some[i], ZERO)
        mine = x[cell * c :]
        for i in range(c):
            mean[i] += share * mine[i]


@kernel(fastmath=True)
def _judge(weights: Any, at: Any, shape: Any, seen: Any, hidden: Any, out: Any) -> None:
    """The hidden layer and the outputs."""
    units = shape.hidden
    for u in range(units):
        hidden[u] = weights[at.hidden_bias + u]
    for i in range(len(seen)):
        value = seen[i]
        if value != ZERO:
            row = weights[at.hidden + i * units :]
            for u in range(units):
                hidden[u] += value * row[u]
    for o in range(1 + shape.bare):
        row = weights[at.out + o * units :]
        total = weights[at.out_bias + o]
        for u in range(units):
            total += max(hidden[u], ZERO) * row[u]
        out[o] = total


@kernel
def logit_of(board: Any, shape: Any, space: Any, position: int, move: int) -> Any:
    """How good a move seems: a logit."""
    plane = board.move_plane[move]
    if plane < 0:
        return space.out[position, -plane]
    total = ZERO
    for i in range(board.move_cells.shape[1]):
        cell = board.move_cells[move, i]
        if cell >= 0:
            total += space.heads[(1 + position * shape.width * shape.height + cell) * shape.heads + plane]
    return total


@kernel
def win_of(space: Any, position: int) -> float:
    """The probability that the side to move wins."""
    return 1.0 / (1.0 + exp(-min(max(np.float64(space.out[position, 0]), -30.0), 30.0)))


# --- learning --------------------------------------------------------------------------------------------------------


class Errors(NamedTuple):
    """Where errors go back through the layers."""

    layer: np.ndarray
    middle: np.ndarray
    below: np.ndarray
    heads: np.ndarray
    hidden: np.ndarray
    turned: np.ndarray  # weights of a convolution, the other way round
    logits: np.ndarray


def new_errors(shape: Shape, positions: int, moves: int) -> Errors:
    """A place for the errors of so many positions, of at most so many moves each."""
    rows = -(-positions * shape.cells // ROWS) * ROWS
    first, second, third = (np.zeros((rows + 1) * shape.channels, np.float32) for _ in range(3))
    return Errors(
        first, second, third, np.zeros((rows + 1) * shape.heads, np.float32), np.zeros(shape.hidden, np.float32),
        np.zeros(max(TAPS * shape.channels, shape.heads) * shape.channels, np.float32), np.zeros(moves),
    )  # fmt: skip


@kernel
def judge_errors(board: Any, shape: Any, space: Any, errors: Any, position: int, lesson: Any) -> Any:
    """Set the errors of a position's outputs, for a lesson (moves, how many, their shares, the score); return the two cross-entropies. Errors of the judgement
    and of moves without a cell replace the outputs.
    """
    moves, count, shares, score = lesson
    cells, heads = shape.width * shape.height, shape.heads
    logits = errors.logits
    for i in range((1 + position * cells) * heads, (1 + (position + 1) * cells) * heads):
        errors.heads[i] = ZERO
    highest = -1e30
    for i in range(count):
        logits[i] = logit_of(board, shape, space, position, moves[i])
        highest = max(highest, logits[i])
    total = 0.0
    for i in range(count):
        total += exp(logits[i] - highest)
    surprise = 0.0
    win = win_of(space, position)
    for o in range(1 + shape.bare):
        space.out[position, o] = ZERO
    for i in range(count):
        share = np.float64(shares[i])
        log_odds = logits[i] - highest - log(total)
        surprise -= share * log_odds
        error = np.float32(exp(log_odds) - share)
        plane = board.move_plane[moves[i]]
        if plane < 0:
            space.out[position, -plane] += error
        else:
            for j in range(board.move_cells.shape[1]):
                cell = board.move_cells[moves[i], j]
                if cell >= 0:
                    errors.heads[(1 + position * cells + cell) * heads + plane] += error
    space.out[position, 0] = np.float32(win - score)
    wrong = -score * log(max(win, 1e-9)) - (1 - score) * log(max(1 - win, 1e-9))
    return surprise, wrong


@kernel(fastmath=True)
def _back_judge(weights: Any, gradient: Any, at: Any, shape: Any, seen: Any, hidden: Any, out: Any, wrong: Any) -> None:
    """From the errors `out` of a position's outputs back to what the hidden layer saw, which becomes its errors."""
    units, judged = shape.hidden, shape.width * shape.height * JUDGED
    wrong[:] = ZERO
    for o in range(1 + shape.bare):
        error = out[o]
        gradient[at.out_bias + o] += error
        change, row = gradient[at.out + o * units :], weights[at.out + o * units :]
        for u in range(units):
            change[u] += error * max(hidden[u], ZERO)
            wrong[u] += error * row[u]
    change = gradient[at.hidden_bias :]
    for u in range(units):
        if hidden[u] <= ZERO:
            wrong[u] = ZERO
        change[u] += wrong[u]
    for i in range(len(seen)):
        value, total = seen[i], ZERO
        change, row = gradient[at.hidden + i * units :], weights[at.hidden + i * units :]
        if value != ZERO:
            for u in range(units):
                change[u] += value * wrong[u]
        if value != ZERO or i >= judged:
            for u in range(units):
                total += wrong[u] * row[u]
        seen[i] = total


@kernel(fastmath=True)
def _back_heads(weights: Any, gradient: Any, shape: Any, space: Any, errors: Any, positions: int) -> None:
    """From the outputs back to the last convolution, whose errors go to `errors.layer`."""
    at = places(shape)
    cells, c, heads = shape.width * shape.height, shape.channels, shape.heads
    x, layer = space.layers[2 * shape.blocks], errors.layer
    share = np.float32(1.0 / cells)
    for p in range(positions):
        seen = space.seen[p]
        _back_judge(weights, gradient, at, shape, seen, space.hidden[p], space.out[p], errors.hidden)
        for cell in range(cells):
            row = 1 + p * cells + cell
            wrong, mine = errors.heads[row * heads + shape.move_planes :], seen[cell * JUDGED :]
            for i in range(JUDGED):
                wrong[i] = mine[i]
            mean, mine = seen[cells * JUDGED :], layer[row * c :]
            for i in range(c):
                mine[i] = share * mean[i]
    real = positions * cells
    rows = (real + ROWS - 1) // ROWS * ROWS
    for i in range((real + 1) * heads, (rows + 1) * heads):
        errors.heads[i] = ZERO
    add_weight_gradient(gradient, at.heads, x, space.itself, errors.heads, real, (1, c, heads))
    _add_bias(gradient[at.heads_bias : at.hidden], errors.heads, real)
    _turn(weights, at.heads, (1, c, heads), errors.turned)
    convolve(layer, errors.heads, space.itself, rows, errors.turned, layer, (0, 0), (1, heads, c, AROUND))
    _cut_errors(layer, x, real * c + c)


@kernel
def _cut_errors(errors: Any, layer: Any, end: int) -> None:
    """Errors of what was cut to zero are none, and beyond `end` there are no positions."""
    for i in range(end):
        if layer[i] <= ZERO:
            errors[i] = ZERO
    errors[end:] = ZERO


@kernel
def _turn(weights: Any, begin: int, sizes: Any, out: Any) -> None:
    """The weights by which errors go back: taps the other way round, inputs and outputs exchanged."""
    taps, inputs, outputs = sizes
    for tap in range(taps):
        for i in range(inputs):
            for o in range(outputs):
                out[((taps - 1 - tap) * outputs + o) * inputs + i] = weights[begin + (tap * inputs + i) * outputs + o]


@kernel(fastmath=True)
def _add_bias(gradient: Any, errors: Any, rows: int) -> None:
    width = len(gradient)
    for row in range(1, rows + 1):
        mine = errors[row * width :]
        for i in range(width):
            gradient[i] += mine[i]


@kernel(fastmath=True)
def backward(weights: Any, gradient: Any, shape: Any, space: Any, errors: Any, positions: int) -> None:
    """Add to the gradient what the errors of the outputs say (`judge_errors`), after `forward` of the same positions."""
    at = places(shape)
    cells, c = shape.width * shape.height, shape.channels
    real = positions * cells
    rows = (real + ROWS - 1) // ROWS * ROWS
    size = TAPS * c * c
    _back_heads(weights, gradient, shape, space, errors, positions)
    layer, middle, below = errors.layer, errors.middle, errors.below
    where = space.where
    for back in range(shape.blocks):
        block = shape.blocks - 1 - back
        begin = at.blocks + block * at.block
        second = begin + at.half
        x, inside = space.layers[2 * block], space.layers[1 + 2 * block]
        add_weight_gradient(gradient, second, inside, where, layer, real, (TAPS, c, c))
        _add_bias(gradient[second + size : second + size + c], layer, real)
        _turn(weights, second, (TAPS, c, c), errors.turned)
        convolve(middle, layer, where, rows, errors.turned, layer, (0, 0), (TAPS, c, c, 0))
        _cut_errors(middle, inside, real * c + c)
        add_weight_gradient(gradient, begin, x, where, middle, real, (TAPS, c, c))
        _add_bias(gradient[begin + size : begin + size + c], middle, real)
        _turn(weights, begin, (TAPS, c, c), errors.turned)
        convolve(below, middle, where, rows, errors.turned, layer, (0, 0), (TAPS, c, c, AROUND))
        _cut_errors(below, x, real * c + c)
        layer, below = below, layer
    add_weight_gradient(gradient, 0, space.inputs, where, layer, real, (TAPS, shape.inputs, c))
    _add_bias(gradient[at.first_bias : at.loose], layer, real)
    for p in range(positions):
        for g in range(shape.loose):
            value = space.loose[p, g]
            change = gradient[at.loose + g * c :]
            if value != ZERO:
                for row in range(1 + p * cells, 1 + (p + 1) * cells):
                    mine = layer[row * c :]
                    for i in range(c):
                        change[i] += value * mine[i]
