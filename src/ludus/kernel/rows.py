"""Rows of weights, added up in the vector registers of the processor: what networks with few active inputs spend their time on.

LLVM would go through the sums once for a few rows at a time, loading and storing them again and again. Here some sums stay in registers until
all rows have been added.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from ludus.kernel.target import JIT

BLOCKS = 128, 64, 32, 16, 8, 4, 1  # so many sums are in registers at once: as many as there are left, at most
LANES = 16  # numbers of a vector, at most: LLVM makes several of it where registers are shorter


def add_rows(sums: Any, weights: Any, section: int, index: Any, value: Any, count: int) -> None:
    """Add to `sums` the rows `weights[section, index[a]]`, each `value[a]` times, for a < count.

    >>> import numpy as np
    >>> sums, weights = np.zeros(2, np.float32), np.arange(6, dtype=np.float32).reshape(1, 3, 2)
    >>> add_rows(sums, weights, 0, np.array([0, 2]), np.array([1, 10], np.float32), 2)
    >>> sums
    array([40., 51.], dtype=float32)
    """
    for a in range(count):
        sums += value[a] * weights[section, index[a]]


if JIT:
    _INT, _FLOAT = ir.IntType(64), ir.FloatType()
    _ROUNDING = ("contract",)  # a product may be added without rounding it before, where the processor can

    class _Adder:
        """The code that adds all rows to some of the sums."""

        def __init__(self, builder: Any, pointers: Any, count: Any) -> None:
            self.builder, self.count = builder, count
            self.sums, self.rows, self.index, self.value = pointers

        def add(self, units: Any, at: Any, width: int) -> None:
            """Add to the `width` sums from number `at` on."""
            b, lanes = self.builder, min(width, LANES)
            kind = _FLOAT if lanes == 1 else ir.VectorType(_FLOAT, lanes)
            places = [
                b.bitcast(b.gep(self.sums, [self.plus(at, t)]), kind.as_pointer()) for t in range(0, width, lanes)
            ]
            registers = [cgutils.alloca_once(b, kind) for _ in places]
            for register, place in zip(registers, places, strict=True):
                b.store(b.load(place, align=4), register)
            with cgutils.for_range(b, self.count) as each:
                row = b.add(b.mul(b.load(b.gep(self.index, [each.index])), units), at)
                times = self.spread(b.load(b.gep(self.value, [each.index])), kind)
                for t, register in enumerate(registers):
                    weights = b.bitcast(b.gep(self.rows, [self.plus(row, t * lanes)]), kind.as_pointer())
                    product = b.fmul(times, b.load(weights, align=4), flags=_ROUNDING)
                    b.store(b.fadd(b.load(register), product, flags=_ROUNDING), register)
            for register, place in zip(registers, places, strict=True):
                b.store(b.load(register), place, align=4)

        def plus(self, place: Any, more: int) -> Any:
            return self.builder.add(place, ir.Constant(_INT, more))

        def spread(self, number: Any, kind: Any) -> Any:
            """A vector of equal numbers."""
            if kind is _FLOAT:
                return number
            undefined, word = ir.Constant(kind, ir.Undefined), ir.IntType(32)
            one = self.builder.insert_element(undefined, number, ir.Constant(word, 0))
            return self.builder.shuffle_vector(
                one, undefined, ir.Constant(ir.VectorType(word, kind.count), [0] * kind.count)
            )

    @intrinsic
    def _emit(typingctx: Any, sums: Any, weights: Any, section: Any, index: Any, value: Any, count: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            places = [context.make_array(signature.args[i])(context, builder, args[i]) for i in (0, 1, 3, 4)]
            _, inputs, units = cgutils.unpack_tuple(builder, places[1].shape, 3)
            pointers = [place.data for place in places]
            pointers[1] = builder.gep(pointers[1], [builder.mul(args[2], builder.mul(inputs, units))])
            adder = _Adder(builder, pointers, args[5])
            at = cgutils.alloca_once_value(builder, ir.Constant(_INT, 0))
            for width in BLOCKS:
                head, body, behind = (builder.append_basic_block(name) for name in ("head", "body", "behind"))
                builder.branch(head)
                builder.position_at_end(head)
                begin = builder.load(at)
                end = adder.plus(begin, width)
                builder.cbranch(builder.icmp_signed("<=", end, units), body, behind)
                builder.position_at_end(body)
                adder.add(units, begin, width)
                builder.store(end, at)
                builder.branch(head)
                builder.position_at_end(behind)
            return context.get_dummy_value()

        return types.none(sums, weights, types.int64, index, value, types.int64), codegen

    @overload(add_rows, strict=False)
    def _(sums: Any, weights: Any, section: Any, index: Any, value: Any, count: Any) -> Any:
        wanted = (
            (sums, 1, types.float32),
            (weights, 3, types.float32),
            (index, 1, types.int64),
            (value, 1, types.float32),
        )
        if any((kind.ndim, kind.dtype, kind.layout) != (ndim, dtype, "C") for kind, ndim, dtype in wanted):
            return None
        return lambda sums, weights, section, index, value, count: _emit(sums, weights, section, index, value, count)
