"""The two loops in which a convolution spends its time, written for the vector registers of the processor.

Rows are the cells of positions, one after another, with `inputs` or `outputs` numbers each; row 0 is all zeros and stands for what lies beyond the board.
`where[r, k]` is the row that row r + 1 sees with tap k. The numbers of outputs are multiples of 32, those of inputs of 8, those of rows of 8. Sums are taken in
the same order by every processor.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from ludus.kernel.compiling import kernel
from ludus.kernel.target import JIT

ROWS = 8  # rows, or inputs, of a tile
WIDE = 32  # outputs of a tile: two vectors of 16

# What is done with the sums of a convolution beside: a bias for each output, another layer that is added, and what is negative becomes zero.
BIAS, AROUND, CUT = 1, 2, 4


def _tile_forward(out: Any, seen: Any, where: Any, weights: Any, around: Any, at: Any, sizes: Any) -> None:
    """Set a tile of outputs to what its rows see through all taps. `at` holds the places where the tile's outputs, its rows' `where`, its weights
    and its biases begin, `sizes` the taps, inputs, outputs and the mode.
    """
    (to, row, first, bias), (taps, inputs, outputs, mode) = at, sizes
    wide = np.arange(WIDE)
    seen_at = np.asarray(where[row : row + ROWS * taps], np.int64)[:, None] * inputs + np.arange(inputs)
    sums = seen[seen_at].reshape(ROWS, -1) @ weights[first + np.arange(taps * inputs)[:, None] * outputs + wide]
    tile = to + np.arange(ROWS)[:, None] * outputs + wide
    sums += weights[bias : bias + WIDE] if mode & BIAS else 0
    sums += around[tile] if mode & AROUND else 0
    out[tile] = np.maximum(sums, 0) if mode & CUT else sums


def _tile_backward(gradient: Any, seen: Any, where: Any, errors: Any, at: Any, sizes: Any) -> None:
    """Add to a tile of the gradient of weights what each row saw times its errors. `at` holds the places where the tile's gradient, the inputs seen and
    the errors begin, and the tap; `sizes` the taps, inputs, outputs and rows.
    """
    (to, first, error, tap), (taps, inputs, outputs, rows) = at, sizes
    wide = np.arange(WIDE)
    seen_at = np.asarray(where[tap : rows * taps : taps], np.int64)[:, None] * inputs + first + np.arange(ROWS)
    wrong = errors[error + np.arange(rows)[:, None] * outputs + wide]
    gradient[to + np.arange(ROWS)[:, None] * outputs + wide] += seen[seen_at].T @ wrong


if JIT:
    _FLOAT, _INT = ir.FloatType(), ir.IntType(64)
    _VECTOR = ir.VectorType(_FLOAT, 16)

    class _Code:
        """What both loops are made of."""

        def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
            self.b = builder
            self.arrays = [
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[:-2], args[:-2], strict=True)
            ]
            self.at = cgutils.unpack_tuple(builder, args[-2])
            self.sizes = cgutils.unpack_tuple(builder, args[-1])
            shape = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
            self.fma = cgutils.get_or_insert_function(builder.module, shape, "llvm.fma.v16f32")

        def load(self, array: int, place: Any) -> Any:
            return self.b.load(self.b.gep(self.arrays[array], [place]))

        def vector_at(self, array: int, place: Any) -> Any:
            return self.b.bitcast(self.b.gep(self.arrays[array], [place]), _VECTOR.as_pointer())

        def load_vector(self, array: int, place: Any) -> Any:
            return self.b.load(self.vector_at(array, place), align=4)

        def spread(self, number: Any) -> Any:
            one = self.b.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
            return self.b.shuffle_vector(
                one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), 16), [0] * 16)
            )

        def number(self, value: int) -> Any:
            return ir.Constant(_INT, value)

        def plus(self, place: Any, more: Any, times: Any) -> Any:
            return self.b.add(place, self.b.mul(more, times))

        def places(self, array: int, begin: Any, stride: Any) -> list[list[Any]]:
            """Where the vectors of a tile are in memory."""
            rows = [self.plus(begin, self.number(t), stride) for t in range(ROWS)]
            return [
                [self.vector_at(array, self.b.add(row, self.number(16 * half))) for half in range(2)] for row in rows
            ]

        def registers(self) -> list[list[Any]]:
            """A tile of sums that are zero."""
            made = [[cgutils.alloca_once(self.b, _VECTOR) for _ in range(2)] for _ in range(ROWS)]
            for register in itertools.chain(*made):
                self.b.store(ir.Constant(_VECTOR, [0.0] * 16), register)
            return made

        def add(self, registers: Any, places: Any) -> None:
            for register, place in zip(itertools.chain(*registers), itertools.chain(*places), strict=True):
                more = self.b.load(place, align=4)
                self.b.store(self.b.fadd(self.b.load(register), more), register)

        def store(self, registers: Any, places: Any) -> None:
            for register, place in zip(itertools.chain(*registers), itertools.chain(*places), strict=True):
                self.b.store(self.b.load(register), place, align=4)

        def asked(self, mode: Any, what: int) -> Any:
            return self.b.icmp_signed("!=", self.b.and_(mode, self.number(what)), self.number(0))

        def multiply(self, registers: Any, numbers: list[Any], vectors: list[Any]) -> None:
            for pair, number in zip(registers, numbers, strict=True):
                spread = self.spread(number)
                for register, vector in zip(pair, vectors, strict=True):
                    self.b.store(self.b.call(self.fma, [spread, vector, self.b.load(register)]), register)

    @intrinsic
    def _forward(
        typingctx: Any, out: Any, seen: Any, where: Any, weights: Any, around: Any, at: Any, sizes: Any
    ) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = _Code(context, builder, signature, args)
            (to, row, first, bias), (taps, inputs, outputs, mode) = code.at, code.sizes
            registers, zero = code.registers(), ir.Constant(_VECTOR, [0.0] * 16)
            with builder.if_then(code.asked(mode, BIAS)):
                code.add(registers, code.places(3, bias, code.number(0)))
            with builder.if_then(code.asked(mode, AROUND)):
                code.add(registers, code.places(4, to, outputs))
            with cgutils.for_range(builder, taps) as tap:
                begins = []
                for t in range(ROWS):
                    place = code.b.add(code.plus(row, code.number(t), taps), tap.index)
                    begins.append(code.b.mul(code.b.sext(code.load(2, place), _INT), inputs))
                weights_at = code.plus(first, code.b.mul(tap.index, inputs), outputs)
                with cgutils.for_range(builder, inputs) as each:
                    w = code.plus(weights_at, each.index, outputs)
                    vectors = [code.load_vector(3, w), code.load_vector(3, code.b.add(w, code.number(16)))]
                    numbers = [code.load(1, code.b.add(begin, each.index)) for begin in begins]
                    code.multiply(registers, numbers, vectors)
            with builder.if_then(code.asked(mode, CUT)):
                for register in itertools.chain(*registers):
                    value = builder.load(register)
                    builder.store(builder.select(builder.fcmp_ordered(">", value, zero), value, zero), register)
            code.store(registers, code.places(0, to, outputs))
            return context.get_dummy_value()

        return types.none(out, seen, where, weights, around, at, sizes), codegen

    @intrinsic
    def _backward(typingctx: Any, gradient: Any, seen: Any, where: Any, errors: Any, at: Any, sizes: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = _Code(context, builder, signature, args)
            (to, first, error, tap), (taps, inputs, outputs, rows) = code.at, code.sizes
            registers, places = code.registers(), code.places(0, to, outputs)
            code.add(registers, places)
            with cgutils.for_range(builder, rows) as row:
                seen_at = code.b.sext(code.load(2, code.plus(tap, row.index, taps)), _INT)
                begin = code.plus(first, seen_at, inputs)
                e = code.plus(error, row.index, outputs)
                vectors = [code.load_vector(3, e), code.load_vector(3, code.b.add(e, code.number(16)))]
                numbers = [code.load(1, code.b.add(begin, code.number(i))) for i in range(ROWS)]
                code.multiply(registers, numbers, vectors)
            code.store(registers, places)
            return context.get_dummy_value()

        return types.none(gradient, seen, where, errors, at, sizes), codegen

    @overload(_tile_forward, strict=False)
    def _(out: Any, seen: Any, where: Any, weights: Any, around: Any, at: Any, sizes: Any) -> Any:
        return lambda out, seen, where, weights, around, at, sizes: _forward(
            out, seen, where, weights, around, at, sizes
        )

    @overload(_tile_backward, strict=False)
    def _(gradient: Any, seen: Any, where: Any, errors: Any, at: Any, sizes: Any) -> Any:
        return lambda gradient, seen, where, errors, at, sizes: _backward(gradient, seen, where, errors, at, sizes)


@kernel
def convolve(out: Any, seen: Any, where: Any, rows: int, weights: Any, around: Any, at: Any, sizes: Any) -> None:
    """Set rows 1, 2, … of `out` to what they see. All arrays are flat. `at` holds where the weights, [tap, input, output], and the biases begin; `sizes` are taps, inputs,
    outputs and the mode, by which the biases or the layer `around` are added or what is negative becomes zero.
    """
    taps, inputs, outputs, mode = sizes
    for row in range(0, rows, ROWS):
        for block in range(0, outputs, WIDE):
            places = ((row + 1) * outputs + block, row * taps, at[0] + block, at[1] + block)
            _tile_forward(out, seen, where, weights, around, places, (taps, inputs, outputs, mode))


@kernel
def add_weight_gradient(gradient: Any, first: int, seen: Any, where: Any, errors: Any, rows: int, sizes: Any) -> None:
    """Add to the gradient of the weights, which begins at `first`, what errors in rows 1, 2, … of the outputs say."""
    taps, inputs, outputs = sizes
    for tap in range(taps):
        for begin in range(0, inputs, ROWS):
            for block in range(0, outputs, WIDE):
                at = (first + (tap * inputs + begin) * outputs + block, begin, outputs + block, tap)
                _tile_backward(gradient, seen, where, errors, at, (taps, inputs, outputs, rows))
