"""Back into Python: some games can only be played by Python code. Kernels call it by its address, which is data, so that kernels
stay on disk as they are. (Numba's own object mode compiles anew at every call of a kernel that came from disk.)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ludus.kernel.target import JIT

_SHAPE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64
)
_python_functions: dict[int, tuple[Any, Callable[..., int]]] = {}


def python_function(function: Callable[[int, np.ndarray, int, np.ndarray], int]) -> int:
    """The address by which kernels can call `function(word, array, number, other array)`; for int64 arrays. The function must not
    raise: a kernel could not pass that on.

    >>> address = python_function(lambda word, state, number, other: word + number + int(state.sum()))
    >>> call_python(address, 1, np.array([2, 3]), 4, np.zeros(1, np.int64))
    10
    """

    def call(word: int, at: int, size: int, number: int, other_at: int, other_size: int) -> int:
        state = np.ctypeslib.as_array((ctypes.c_int64 * size).from_address(at))
        other = np.ctypeslib.as_array((ctypes.c_int64 * other_size).from_address(other_at))
        return int(function(word, state, number, other))

    pointer = _SHAPE(call)
    address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
    _python_functions[address] = pointer, function
    return address


def forget_function(address: int) -> None:
    """Let go of a function. Nothing may call it any more."""
    _python_functions.pop(address, None)


def call_python(address: int, word: int, state: Any, number: int, other: Any) -> int:
    """Call the Python function at an address."""
    return _python_functions[int(address)][1](int(word), state, int(number), other)


if JIT:

    @intrinsic
    def _call(
        typingctx: Any, address: Any, word: Any, at: Any, size: Any, number: Any, other_at: Any, other_size: Any
    ) -> Any:
        signature = types.int64(*[types.int64] * 7)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            shape = ir.FunctionType(word, [word] * 6)
            return builder.call(builder.inttoptr(args[0], shape.as_pointer()), args[1:])

        return signature, codegen

    @overload(call_python, strict=False)
    def _call_python(address: Any, word: Any, state: Any, number: Any, other: Any) -> Any:
        def call(address: Any, word: Any, state: Any, number: Any, other: Any) -> Any:
            return _call(
                np.int64(address), np.int64(word), np.int64(state.ctypes.data), np.int64(len(state)), np.int64(number),
                np.int64(other.ctypes.data), np.int64(len(other)),
            )  # fmt: skip

        return call
