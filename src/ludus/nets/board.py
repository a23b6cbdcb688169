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
from ludus.nets.tiles import ROWS, WIDE, add_weight_gradient, convolve

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

    where: np.ndarray  # [row, tap] the row that it sees
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
        where.reshape(-1), floats((rows + 1) * shape.inputs), floats(positions, max(shape.loose, 1)),
        floats(1 + 2 * shape.blocks, (rows + 1) * c), floats((rows + 1) * shape.heads),
        floats(positions, cells * JUDGED + c), floats(positions, shape.hidden), floats(positions, 1 + shape.bare),
    )  # fmt: skip


@kernel
def set_bias(layer: Any, rows: int, width: int, weights: Any, at: int) -> None:
    """Begin a layer with its biases."""
    for row in range(1, rows + 1):
        for i in range(width):
            layer[row * width + i] = weights[at + i]


@kernel
def _cut(layer: Any, begin: int, end: int) -> None:
    """What is negative becomes zero."""
    for i in range(begin, end):
        layer[i] = max(layer[i], ZERO)


@kernel(fastmath=True)
def forward(weights: Any, shape: Any, space: Any, positions: int) -> None:
    """Judge positions whose inputs are set."""
    at = places(shape)
    cells, c, heads = shape.width * shape.height, shape.channels, shape.heads
    rows = (positions * cells + ROWS - 1) // ROWS * ROWS
    layers, where = space.layers, space.where
    whole = (1, rows + 1)
    x = layers[0]
    set_bias(x, rows, c, weights, at.first_bias)
    for p in range(positions):
        for g in range(shape.loose):
            value = space.loose[p, g]
            if value != ZERO:
                for row in range(1 + p * cells, 1 + (p + 1) * cells):
                    for i in range(c):
                        x[row * c + i] += value * weights[at.loose + g * c + i]
    convolve(x, space.inputs, where, rows, weights, 0, (TAPS, shape.inputs, c))
    _cut(x, whole[0] * c, whole[1] * c)
    for block in range(shape.blocks):
        begin = at.blocks + block * at.block
        middle, y = layers[1 + 2 * block], layers[2 + 2 * block]
        set_bias(middle, rows, c, weights, begin + TAPS * c * c)
        convolve(middle, x, where, rows, weights, begin, (TAPS, c, c))
        _cut(middle, whole[0] * c, whole[1] * c)
        begin += at.half
        bias = begin + TAPS * c * c
        for row in range(1, rows + 1):
            for i in range(c):
                y[row * c + i] = x[row * c + i] + weights[bias + i]
        convolve(y, middle, where, rows, weights, begin, (TAPS, c, c))
        _cut(y, whole[0] * c, whole[1] * c)
        x = y
    _heads(weights, shape, space, positions, at, x)


@kernel(fastmath=True)
def _heads(weights: Any, shape: Any, space: Any, positions: int, at: Any, x: Any) -> None:
    """What the last convolution says of moves and of the whole position."""
    cells, c, heads = shape.width * shape.height, shape.channels, shape.heads
    units = shape.hidden
    for row in range(1, positions * cells + 1):
        for i in range(heads):
            space.heads[row * heads + i] = weights[at.heads_bias + i]
        for j in range(c):
            value = x[row * c + j]
            if value != ZERO:
                for i in range(heads):
                    space.heads[row * heads + i] += value * weights[at.heads + j * heads + i]
    share = np.float32(1.0 / cells)
    for p in range(positions):
        for i in range(c):
            space.seen[p, cells * JUDGED + i] = ZERO
        for cell in range(cells):
            row = 1 + p * cells + cell
            for i in range(JUDGED):
                space.seen[p, cell * JUDGED + i] = max(space.heads[row * heads + shape.move_planes + i], ZERO)
            for i in range(c):
                space.seen[p, cells * JUDGED + i] += share * x[row * c + i]
        for u in range(units):
            space.hidden[p, u] = weights[at.hidden_bias + u]
        for i in range(cells * JUDGED + c):
            value = space.seen[p, i]
            if value != ZERO:
                for u in range(units):
                    space.hidden[p, u] += value * weights[at.hidden + i * units + u]
        for o in range(1 + shape.bare):
            total = weights[at.out_bias + o]
            for u in range(units):
                total += max(space.hidden[p, u], ZERO) * weights[at.out + o * units + u]
            space.out[p, o] = total


@kernel
def logit_of(board: Any, shape: Any, space: Any, position: int, move: int) -> float:
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
    layer = [np.zeros((rows + 1) * shape.channels, np.float32) for _ in range(3)]
    return Errors(
        *layer, np.zeros((rows + 1) * shape.heads, np.float32), np.zeros(shape.hidden, np.float32),
        np.zeros(TAPS * shape.channels * shape.channels, np.float32), np.zeros(moves),
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
def _back_heads(weights: Any, gradient: Any, shape: Any, space: Any, errors: Any, positions: int) -> None:
    """From the outputs back to the last convolution, whose errors go to `errors.layer`."""
    at = places(shape)
    cells, c, heads, units = shape.width * shape.height, shape.channels, shape.heads, shape.hidden
    x = space.layers[2 * shape.blocks]
    share = np.float32(1.0 / cells)
    wrong = errors.hidden
    for p in range(positions):
        for u in range(units):
            wrong[u] = ZERO
        for o in range(1 + shape.bare):
            error = space.out[p, o]
            gradient[at.out_bias + o] += error
            for u in range(units):
                gradient[at.out + o * units + u] += error * max(space.hidden[p, u], ZERO)
                wrong[u] += error * weights[at.out + o * units + u]
        for u in range(units):
            if space.hidden[p, u] <= ZERO:
                wrong[u] = ZERO
            gradient[at.hidden_bias + u] += wrong[u]
        for i in range(cells * JUDGED + c):
            value, total = space.seen[p, i], ZERO
            for u in range(units):
                gradient[at.hidden + i * units + u] += value * wrong[u]
                total += wrong[u] * weights[at.hidden + i * units + u]
            space.seen[p, i] = total if i >= cells * JUDGED or value > ZERO else ZERO
        for cell in range(cells):
            row = 1 + p * cells + cell
            for i in range(JUDGED):
                errors.heads[row * heads + shape.move_planes + i] = space.seen[p, cell * JUDGED + i]
            for j in range(c):
                value, total = x[row * c + j], ZERO
                for i in range(heads):
                    gradient[at.heads + j * heads + i] += value * errors.heads[row * heads + i]
                    total += errors.heads[row * heads + i] * weights[at.heads + j * heads + i]
                total += share * space.seen[p, cells * JUDGED + j]
                errors.layer[row * c + j] = total if value > ZERO else ZERO
            for i in range(heads):
                gradient[at.heads_bias + i] += errors.heads[row * heads + i]


@kernel
def _turn(weights: Any, begin: int, c: int, out: Any) -> None:
    """The weights by which errors go back: taps the other way round, inputs and outputs exchanged."""
    for tap in range(TAPS):
        for i in range(c):
            for o in range(c):
                out[((TAPS - 1 - tap) * c + o) * c + i] = weights[begin + (tap * c + i) * c + o]


@kernel(fastmath=True)
def _add_bias(gradient: Any, at: int, errors: Any, rows: int, c: int) -> None:
    for row in range(1, rows + 1):
        for i in range(c):
            gradient[at + i] += errors[row * c + i]


@kernel(fastmath=True)
def backward(weights: Any, gradient: Any, shape: Any, space: Any, errors: Any, positions: int) -> None:
    """Add to the gradient what the errors of the outputs say (`judge_errors`), after `forward` of the same positions."""
    at = places(shape)
    cells, c = shape.width * shape.height, shape.channels
    real = positions * cells
    rows = (real + ROWS - 1) // ROWS * ROWS
    _back_heads(weights, gradient, shape, space, errors, positions)
    layer, middle, below = errors.layer, errors.middle, errors.below
    where = space.where
    for i in range((real + 1) * c, (rows + 1) * c):
        layer[i] = ZERO
    for back in range(shape.blocks):
        block = shape.blocks - 1 - back
        begin = at.blocks + block * at.block
        x, inside = space.layers[2 * block], space.layers[1 + 2 * block]
        add_weight_gradient(gradient, begin + at.half, inside, where, layer, real, (TAPS, c, c))
        _add_bias(gradient, begin + at.half + TAPS * c * c, layer, real, c)
        _turn(weights, begin + at.half, c, errors.turned)
        middle[:] = ZERO
        convolve(middle, layer, where, rows, errors.turned, 0, (TAPS, c, c))
        for i in range(c, (rows + 1) * c):
            if inside[i] <= ZERO or i >= (real + 1) * c:
                middle[i] = ZERO
        add_weight_gradient(gradient, begin, x, where, middle, real, (TAPS, c, c))
        _add_bias(gradient, begin + TAPS * c * c, middle, real, c)
        _turn(weights, begin, c, errors.turned)
        for i in range(len(below)):
            below[i] = layer[i]  # the path around the block
        convolve(below, middle, where, rows, errors.turned, 0, (TAPS, c, c))
        for i in range(c, (rows + 1) * c):
            layer[i] = ZERO if x[i] <= ZERO or i >= (real + 1) * c else below[i]
    add_weight_gradient(gradient, 0, space.inputs, where, layer, real, (TAPS, shape.inputs, c))
    _add_bias(gradient, at.first_bias, layer, real, c)
    for p in range(positions):
        for g in range(shape.loose):
            value = space.loose[p, g]
            if value != ZERO:
                for row in range(1 + p * cells, 1 + (p + 1) * cells):
                    for i in range(c):
                        gradient[at.loose + g * c + i] += value * layer[row * c + i]
