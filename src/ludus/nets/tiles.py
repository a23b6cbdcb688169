"""The two loops in which a convolution spends its time, written for the vector registers of the processor.

Rows are the cells of positions, one after another, with `inputs` or `outputs` numbers each; row 0 is all zeros and stands for what lies beyond the board.
`where[r, k]` is the row that row r + 1 sees with tap k. The numbers of outputs are multiples of 32, those of inputs of 8, those of rows of 8. Sums are taken in
the same order by every processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from ludus.kernel import JIT, kernel

ROWS = 8  # rows, or inputs, of a tile
WIDE = 32  # outputs of a tile: two vectors of 16


def _tile_forward(sums: Any, seen: Any, where: Any, weights: Any, at: Any, sizes: Any) -> None:
    """Add to a tile of sums what its rows see through all taps. `at` holds the places where the tile's sums, its rows' `where` and its weights
    begin, `sizes` the taps, inputs and outputs.
    """
    (out, row, first), (taps, inputs, outputs) = at, sizes
    for t in range(ROWS):
        place = slice(out + t * outputs, out + t * outputs + WIDE)
        for k in range(taps):
            begin = int(where[row + t * taps + k]) * inputs
            for i in range(inputs):
                w = first + (k * inputs + i) * outputs
                sums[place] += seen[begin + i] * weights[w : w + WIDE]


def _tile_backward(gradient: Any, seen: Any, where: Any, errors: Any, at: Any, sizes: Any) -> None:
    """Add to a tile of the gradient of weights what each row saw times its errors. `at` holds the places where the tile's gradient, the inputs seen and
    the errors begin, and the tap; `sizes` the taps, inputs, outputs and rows.
    """
    (out, first, error, tap), (taps, inputs, outputs, rows) = at, sizes
    for r in range(rows):
        begin = int(where[r * taps + tap]) * inputs + first
        for i in range(ROWS):
            place = slice(out + i * outputs, out + i * outputs + WIDE)
            gradient[place] += seen[begin + i] * errors[error + r * outputs : error + r * outputs + WIDE]


if JIT:
    _FLOAT, _INT = ir.FloatType(), ir.IntType(64)
    _VECTOR = ir.VectorType(_FLOAT, 16)

    class _Code:
        """What both loops are made of."""

        def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
            self.b = builder
            self.arrays = [
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[:4], args[:4], strict=True)
            ]
            self.at = cgutils.unpack_tuple(builder, args[4])
            self.sizes = cgutils.unpack_tuple(builder, args[5])
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

        def sums(self, out: Any, stride: Any) -> list[list[tuple[Any, Any]]]:
            """Places in memory, and registers that begin with what is there."""
            found = []
            for t in range(ROWS):
                begin = self.plus(out, self.number(t), stride)
                pair = []
                for half in range(2):
                    place = self.vector_at(0, self.b.add(begin, self.number(16 * half)))
                    register = cgutils.alloca_once(self.b, _VECTOR)
                    self.b.store(self.b.load(place, align=4), register)
                    pair.append((place, register))
                found.append(pair)
            return found

        def multiply(self, sums: Any, numbers: list[Any], vectors: list[Any]) -> None:
            for pair, number in zip(sums, numbers, strict=True):
                spread = self.spread(number)
                for (_, register), vector in zip(pair, vectors, strict=True):
                    self.b.store(self.b.call(self.fma, [spread, vector, self.b.load(register)]), register)

        def finish(self, sums: Any) -> None:
            for pair in sums:
                for place, register in pair:
                    self.b.store(self.b.load(register), place, align=4)

    @intrinsic
    def _forward(typingctx: Any, sums: Any, seen: Any, where: Any, weights: Any, at: Any, sizes: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = _Code(context, builder, signature, args)
            (out, row, first), (taps, inputs, outputs) = code.at, code.sizes
            registers = code.sums(out, outputs)
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
            code.finish(registers)
            return context.get_dummy_value()

        return types.none(sums, seen, where, weights, at, sizes), codegen

    @intrinsic
    def _backward(typingctx: Any, gradient: Any, seen: Any, where: Any, errors: Any, at: Any, sizes: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = _Code(context, builder, signature, args)
            (out, first, error, tap), (taps, inputs, outputs, rows) = code.at, code.sizes
            registers = code.sums(out, outputs)
            with cgutils.for_range(builder, rows) as row:
                seen_at = code.b.sext(code.load(2, code.plus(tap, row.index, taps)), _INT)
                begin = code.plus(first, seen_at, inputs)
                e = code.plus(error, row.index, outputs)
                vectors = [code.load_vector(3, e), code.load_vector(3, code.b.add(e, code.number(16)))]
                numbers = [code.load(1, code.b.add(begin, code.number(i))) for i in range(ROWS)]
                code.multiply(registers, numbers, vectors)
            code.finish(registers)
            return context.get_dummy_value()

        return types.none(gradient, seen, where, errors, at, sizes), codegen

    @overload(_tile_forward, strict=False)
    def _(sums: Any, seen: Any, where: Any, weights: Any, at: Any, sizes: Any) -> Any:
        return lambda sums, seen, where, weights, at, sizes: _forward(sums, seen, where, weights, at, sizes)

    @overload(_tile_backward, strict=False)
    def _(gradient: Any, seen: Any, where: Any, errors: Any, at: Any, sizes: Any) -> Any:
        return lambda gradient, seen, where, errors, at, sizes: _backward(gradient, seen, where, errors, at, sizes)


@kernel
def convolve(out: Any, seen: Any, where: Any, rows: int, weights: Any, first: int, sizes: Any) -> None:
    """Add to rows 1, 2, … of `out` what they see. All arrays are flat; the weights, [tap, input, output], begin at `first`; `sizes` are taps, inputs, outputs."""
    taps, inputs, outputs = sizes
    for row in range(0, rows, ROWS):
        for block in range(0, outputs, WIDE):
            at = ((row + 1) * outputs + block, row * taps, first + block)
            _tile_forward(out, seen, where, weights, at, (taps, inputs, outputs))


@kernel
def add_weight_gradient(
    gradient: Any, first: int, seen: Any, where: Any, errors: Any, rows: int, sizes: Any
) -> None:
    """Add to the gradient of the weights, which begins at `first`, what errors in rows 1, 2, … of the outputs say."""
    taps, inputs, outputs = sizes
    for tap in range(taps):
        for begin in range(0, inputs, ROWS):
            for block in range(0, outputs, WIDE):
                at = (first + (tap * inputs + begin) * outputs + block, begin, outputs + block, tap)
                _tile_backward(gradient, seen, where, errors, at, (taps, inputs, outputs, rows))
