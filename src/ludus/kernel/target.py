"""What code is compiled for: a level of processors, and Numba's context as kernels need it."""

from __future__ import annotations

import functools
import hashlib
import platform
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding
from numba.core.registry import cpu_target
from numba.extending import overload
from numba.np import arrayobj

JIT = not numba.config.DISABLE_JIT

# The levels of processors that code is compiled for: all machines of a level come to the same code, and the same rounding, and a package can
# bring it along. Code for the very processor is not faster. Elsewhere than on x86 it is compiled for the machine as it is.
LEVELS = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("sse4.2", "ssse3", "popcnt", "cx16"),
}


def _choose_level() -> None:
    """Compile for the highest level that this machine has, unless the user told Numba otherwise."""
    if (
        numba.config.CPU_NAME is None
        and numba.config.CPU_FEATURES is None
        and platform.machine() in ("x86_64", "AMD64")
    ):
        has = binding.get_host_cpu_features()
        fitting = [level for level, needs in LEVELS.items() if all(has.get(each) for each in needs)]
        numba.config.CPU_NAME, numba.config.CPU_FEATURES = (fitting or ["x86-64"])[0], ""


_choose_level()


@functools.cache
def base() -> str:
    """A hash of all that every compiled function depends on: the compiler, the processor, and these files."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    versions = (
        numba.__version__,
        llvmlite.__version__,
        platform.python_version_tuple()[:2],
        platform.python_implementation(),
    )
    digest.update(f"{versions} {cpu_target.target_context.codegen().magic_tuple()}".encode())
    return digest.hexdigest()


@functools.cache
def context() -> Any:
    """Numba's context, in which our functions have symbols of their own names alone. Numba would add the bare names of classes, and two
    modules may have a class of the same name; and its options, in an order that is another one in each process.
    """
    made = cpu_target.target_context
    mangle = made.mangler

    def name_symbol(name: str, kinds: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        ours = isinstance(uid, str)
        return str(mangle(name, () if ours else kinds, abi_tags=() if ours else abi_tags, uid=uid))

    made.mangler = name_symbol
    arrayobj.raise_with_shape_context = _raise_mismatch
    return made


def _raise_mismatch(given: Any, wanted: Any) -> None:
    """In place of Numba's own error for arrays that don't fit: its message would compile all there is about text into every such kernel."""


@overload(_raise_mismatch)
def _(given: Any, wanted: Any) -> Any:
    def impl(given: Any, wanted: Any) -> None:
        raise ValueError("an array of another shape can't be assigned")

    return impl
