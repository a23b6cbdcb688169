"""Several words at once: what the processor does in one instruction, where Numba would make four or eight of it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ludus.kernel.target import JIT


def join_words(values: Any, out: int, a: int, b: int, lanes: Any) -> None:
    """Write `a and b` to place `out` of `values`, where a place has as many words as `lanes` has entries. `a` and `b` are literals: twice a place, and one
    more if its words are to be taken negated.

    >>> values = np.array([0b1100, 0b1010, 0])
    >>> join_words(values, 2, 0, 2 * 1 + 1, (0,))
    >>> bin(values[2])
    '0b100'
    """
    words = len(lanes)
    for w in range(words):
        one, other = values[(a >> 1) * words + w] ^ -(a & 1), values[(b >> 1) * words + w] ^ -(b & 1)
        values[out * words + w] = one & other


@functools.cache
def _join_intrinsic(words: int) -> Any:
    @intrinsic
    def emit(typingctx: Any, data: Any, out: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            vector = ir.VectorType(word, words)
            undefined, first = ir.Constant(vector, ir.Undefined), ir.Constant(ir.IntType(32), 0)
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), words), [0] * words)
            one = ir.Constant(word, 1)

            def place(number: Any) -> Any:
                address = builder.add(args[0], builder.mul(number, ir.Constant(word, 8 * words)))
                return builder.inttoptr(address, vector.as_pointer())

            def taken(literal: Any) -> Any:
                held = builder.load(place(builder.lshr(literal, one)), align=8)
                mask = builder.insert_element(undefined, builder.neg(builder.and_(literal, one)), first)
                return builder.xor(held, builder.shuffle_vector(mask, undefined, everywhere))

            builder.store(builder.and_(taken(args[2]), taken(args[3])), place(args[1]), align=8)
            return context.get_dummy_value()

        return types.void(*[types.int64] * 4), codegen

    return emit


if JIT:

    @overload(join_words, strict=False)
    def _join_words(values: Any, out: Any, a: Any, b: Any, lanes: Any) -> Any:
        emit = _join_intrinsic(len(lanes))

        def join(values: Any, out: Any, a: Any, b: Any, lanes: Any) -> None:
            emit(np.int64(values.ctypes.data), np.int64(out), np.int64(a), np.int64(b))

        return join
