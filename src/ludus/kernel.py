"""The one place that knows Numba: compiled functions, generic functions, their cache on disk, and random streams.

`@kernel` compiles a function. `@generic` declares a generic function, which every game, player or encoding may implement in
its own way, and `@implements(function, Type)` gives one implementation. Which one runs is decided by the type of
the first argument: at compile time inside a kernel, by a dictionary in plain Python (also when JIT is off).
Nothing here knows of games.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic, overload

F = TypeVar("F", bound=Callable[..., Any])

JIT = not numba.config.DISABLE_JIT

# Sums of floats vectorise only when they may be reordered. NaN and infinity keep their meaning.
FASTMATH = {"reassoc", "nsz", "arcp", "contract", "afn"}

PACKAGE = Path(__file__).parent

# The rooms that may hold kernels. Numba itself looks only at the file of the function that it caches, so that an edit in
# a callee elsewhere would go unseen; here one stamp over all these rooms decides whether anything cached is still good.
KERNEL_ROOMS = (
    "kernel.py", "contract", "games", "batch", "nets", "search", "methods", "players", "matches", "bench", "papers/ludo", "papers/quoridor",
)  # fmt: skip


# --- compiled functions and their cache ------------------------------------------------------------------------------


def _sources() -> list[Path]:
    files: list[Path] = []
    for room in KERNEL_ROOMS:
        path = PACKAGE / room
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return files


@functools.cache
def package_stamp() -> str:
    """A hash of all the package's sources that a kernel may depend on."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


_foreign_files: set[str] = (
    set()
)  # sources outside the package with kernels or implementations of their own: users' games


def _is_foreign(path: str) -> bool:
    return not Path(path).is_relative_to(PACKAGE)


def _foreign_stamp() -> str | None:
    """A hash of all foreign sources; None if one of them was typed at a prompt, and can't be read again."""
    digest = hashlib.sha256()
    for name in sorted(_foreign_files):
        if not os.path.isfile(name):
            return None
        digest.update(Path(name).read_bytes())
    return digest.hexdigest()


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache, made fresh by the whole package's sources instead of one file's, and by those of foreign games."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._foreign = _is_foreign(inspect.getfile(function))
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path, filename_base=self._impl.filename_base, source_stamp=package_stamp()
        )

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # As text: Numba would pickle the types, and a process without somebody's own game could not read the index.
        _, target, code = super()._index_key(sig, codegen)
        return f"{sig} {_homes(sig)} {target} {code} {_foreign_stamp() if self._touches_foreign(sig) else ''}"

    def _touches_foreign(self, sig: Any) -> bool:
        return self._foreign or any(not home.startswith("ludus.") for home in _homes(sig))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self._touches_foreign(sig) and _foreign_stamp() is None:
            return None
        return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._touches_foreign(sig) or _foreign_stamp() is not None:
            super().save_overload(sig, data)


def _homes(kind: Any) -> list[str]:
    """The full names of all the NamedTuple classes within a type: two modules may have a class of the same name."""
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        cls = kind.instance_class
        return [f"{cls.__module__}.{cls.__qualname__}", *(name for part in kind.types for name in _homes(part))]
    parts = kind if isinstance(kind, tuple) else kind.types if isinstance(kind, types.BaseTuple) else ()
    return [name for part in parts for name in _homes(part)]


_kernels: list[Any] = []


def _compile(function: Callable[..., Any], fastmath: bool, inline: bool = False) -> Any:
    path = inspect.getfile(function)
    if _is_foreign(path):
        _foreign_files.add(path)
    elif not any(Path(path).is_relative_to(PACKAGE / room) for room in KERNEL_ROOMS):
        name = Path(path).name
        raise ImportError(f"{name} holds a kernel, but lies outside the rooms whose edits are noticed: {KERNEL_ROOMS}")
    if not JIT:
        return function
    options = {"fastmath": FASTMATH if fastmath else False, "forceinline": inline}
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(function)
    with contextlib.suppress(RuntimeError):  # a function typed at a prompt has no file: it is compiled in each session
        dispatcher._cache = _KernelCache(function)
    _kernels.append(dispatcher)
    return dispatcher


def kernel(function: F | None = None, *, fastmath: bool = False, inline: bool = False) -> Any:
    """Compile a function, keep the result on disk, and let go of Python's lock while it runs.

    `inline` puts small functions of the hottest loops into their callers: passing tuples of arrays has its price.

    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return lambda f: kernel(f, fastmath=fastmath, inline=inline)
    return _compile(function, fastmath, inline)


def cache_counts() -> tuple[int, int]:
    """How many compiled functions this process took from disk, and how many it had to compile: (hits, misses)."""
    hits = sum(sum(k.stats.cache_hits.values()) for k in _kernels)
    misses = sum(sum(k.stats.cache_misses.values()) for k in _kernels)
    return hits, misses


# --- the same arithmetic in every process ----------------------------------------------------------------------------
# A kernel carries copies of the functions that it calls, and the processor's rounding depends on how each copy was
# optimised. Numba lets the linker choose among copies of the same name: a process that has just compiled a callee on its
# own would use that one, a process that loads the kernel from disk the kernel's own, and a training begun cold and resumed
# warm would end with other weights. So each kernel's copies are made its own, once it is optimised.


def _keep_copies_apart() -> None:
    from llvmlite import binding
    from numba.core.codegen import CPUCodeLibrary

    finalize = CPUCodeLibrary._finalize_final_module

    def finalize_apart(library: Any) -> None:
        # Other kernels link against the module as it is now, with names that can be found.
        library._finalized = True  # or the next line would finalize the library, and come back here
        shared = library._get_module_for_linking()
        library._finalized = False
        library._shared_module = shared.clone() if shared is library._final_module else shared
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"
        finalize(library)

    CPUCodeLibrary._finalize_final_module = finalize_apart


if JIT:
    _keep_copies_apart()


# --- generic functions -----------------------------------------------------------------------------------------------


def generic(declaration: F) -> F:
    """Declare a generic function. The declaration gives its name, its arguments and its meaning, but no body.

    >>> from typing import NamedTuple
    >>> @generic
    ... def legs(animal):
    ...     "How many legs it has."
    >>> class Spider(NamedTuple):
    ...     age: int = 1
    >>> @implements(legs, Spider)
    ... def _(animal):
    ...     return 8
    >>> legs(Spider())
    8
    """
    name = declaration.__name__
    implementations: dict[type, Any] = {}  # type of the first argument -> compiled function
    plain: dict[type, Callable[..., Any]] = {}

    def find(table: dict[type, Any], cls: type) -> Any:
        for base in cls.__mro__:
            if base in table:
                return table[base]
        return None

    @functools.wraps(declaration)
    def dispatch(*args: Any) -> Any:
        found = find(implementations, type(args[0]))
        if found is None:
            raise NotImplementedError(f"{type(args[0]).__name__} does not implement '{name}'")
        return found(*args)

    dispatch.implementations = implementations  # type: ignore[attr-defined]
    dispatch.plain = plain  # type: ignore[attr-defined]
    dispatch.handles = lambda cls: find(implementations, cls) is not None  # type: ignore[attr-defined]

    if JIT:

        @overload(dispatch, strict=False, jit_options={"nogil": True, "error_model": "numpy"})
        def _resolve(*args: Any) -> Any:
            first = args[0]
            cls = first.instance_class if isinstance(first, types.NamedTuple | types.NamedUniTuple) else object
            return find(plain, cls)

    return dispatch  # type: ignore[return-value]


def specialises(generic_function: Callable[..., Any], cls: type) -> bool:
    """Whether a type has an implementation of a generic function of its own, or inherits one: not just the default.

    >>> from typing import NamedTuple
    >>> @generic
    ... def wings(animal):
    ...     "How many wings it has."
    >>> @implements(wings, object)
    ... def _(animal):
    ...     return 0
    >>> class Bee(NamedTuple):
    ...     age: int = 1
    >>> specialises(wings, Bee)
    False
    """
    return any(base in generic_function.implementations for base in cls.__mro__ if base is not object)  # type: ignore[attr-defined]


_names: dict[str, type] = {}  # of all types that implement anything


def _name_apart(cls: Any) -> None:
    """Give a class a name that no other class has: Numba's calls tell tuples apart by the bare names of their classes, and that of
    another module, or of an earlier run of a notebook's cell, must not be mistaken for this one.
    """
    if _names.get(cls.__name__) is cls:
        return
    if cls.__name__ in _names:
        cls.__name__ = f"{cls.__name__}_{len(_names)}"
    _names[cls.__name__] = cls
    if cls is not object and "__init_subclass__" not in vars(cls):

        @classmethod  # type: ignore[misc]
        def name_heir_apart(heir: Any, **arguments: Any) -> None:
            super(cls, heir).__init_subclass__(**arguments)
            _name_apart(heir)

        cls.__init_subclass__ = name_heir_apart  # heirs meet Numba without implementing anything by themselves


def implements(generic_function: F, cls: type) -> Callable[[F], F]:
    """Implement a generic function for one type (`object`: for every type that has no implementation of its own)."""

    def register(function: F) -> F:
        _name_apart(cls)
        generic_function.plain[cls] = function  # type: ignore[attr-defined]
        # A readable name, so that cache files and tracebacks say what this is.
        function.__name__ = f"{generic_function.__name__}_{cls.__name__}"
        function.__qualname__ = function.__name__
        generic_function.implementations[cls] = _compile(function, fastmath=False)  # type: ignore[attr-defined]
        return function

    return register


# --- bits ------------------------------------------------------------------------------------------------------------


def lowest_bit(mask: int) -> int:
    """The position of the lowest bit that is set; the mask must not be 0.

    >>> lowest_bit(0b101000)
    3
    """
    return (int(mask) & -int(mask)).bit_length() - 1


def highest_bit(mask: int) -> int:
    """The position of the highest bit that is set; the mask must be positive.

    >>> highest_bit(0b101000)
    5
    """
    return int(mask).bit_length() - 1


def count_bits(mask: int) -> int:
    """How many bits are set.

    >>> count_bits(0b101000)
    2
    >>> count_bits(np.int64(-1))
    64
    """
    return (int(mask) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()  # Python would count the bits of the absolute value


def _bit_intrinsic(instruction: str) -> Any:
    @intrinsic
    def emit(typingctx: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            extra = () if instruction == "ctpop" else (ir.Constant(ir.IntType(1), 1),)
            return getattr(builder, instruction)(args[0], *extra)

        return types.int64(types.int64), codegen

    return emit


if JIT:
    _cttz, _ctlz, _ctpop = _bit_intrinsic("cttz"), _bit_intrinsic("ctlz"), _bit_intrinsic("ctpop")

    @overload(lowest_bit, strict=False)
    def _lowest_bit(mask: Any) -> Any:
        return lambda mask: _cttz(np.int64(mask))

    @overload(highest_bit, strict=False)
    def _highest_bit(mask: Any) -> Any:
        return lambda mask: 63 - _ctlz(np.int64(mask))

    @overload(count_bits, strict=False)
    def _count_bits(mask: Any) -> Any:
        return lambda mask: _ctpop(np.int64(mask))


# --- hashes ----------------------------------------------------------------------------------------------------------
# As with random streams, no product exceeds 64 bits, and so plain Python and compiled code come to the same keys.

_KEY_LOW = np.uint64(0xFFFFFFFF)
_KEY_32, _KEY_29 = np.uint64(32), np.uint64(29)
_KEY_B, _KEY_C = np.uint64(0xC2B2AE3D), np.uint64(0x27D4EB2F)
KEY = np.uint64(0x9E3779B1)  # where a key begins


@kernel(inline=True)
def mix_hash(key: Any, word: int) -> Any:
    """Mix a word into a key: both halves are spread over all 64 bits."""
    mixed = key ^ np.uint64(np.int64(word))
    upper = (mixed >> _KEY_32) * _KEY_B
    mixed = ((mixed & _KEY_LOW) * KEY + _KEY_C) ^ ((upper << _KEY_32) | (upper >> _KEY_32))
    return mixed ^ (mixed >> _KEY_29)


# --- random streams --------------------------------------------------------------------------------------------------
# A stream is an array of one 64-bit word: a multiply-with-carry generator whose low and high halves, xored, are the
# output (Marsaglia's MWC in Thomas's MWC64X form). No product in here exceeds 64 bits, so that plain Python and compiled
# code give the same numbers. A stream belongs to one game, not to a thread: results don't depend on the number of cores.

_MULTIPLIER = np.uint64(4294883355)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_16 = np.uint64(16)
_13 = np.uint64(13)
_MIX1 = np.uint64(0x85EBCA6B)
_MIX2 = np.uint64(0xC2B2AE35)
_ONE = np.uint64(1)


@kernel
def _mixed(word: Any, salt: Any) -> Any:
    """A well-mixed 32-bit hash of a 32-bit word and a salt."""
    h = (word ^ salt) & _LOW
    h = ((h ^ (h >> _16)) * _MIX1) & _LOW
    h = ((h ^ (h >> _13)) * _MIX2) & _LOW
    return h ^ (h >> _16)


@kernel
def seed_stream(rng: Any, seed: int, index: int, purpose: int) -> None:
    """Start the stream `rng` that belongs to a seed, a game's index and a purpose (0 the dice, 1 + seat a player)."""
    s, i, p = np.uint64(seed), np.uint64(index), np.uint64(purpose)
    low = _mixed(s & _LOW, np.uint64(0x9E3779B9))
    high = _mixed(s >> _32, np.uint64(0x7F4A7C15))
    for part in (i & _LOW, i >> _32, p & _LOW):
        low = _mixed(part ^ low, high)
        high = _mixed(high ^ low, part)
    carry = high % (_MULTIPLIER - _ONE) + _ONE
    rng[0] = (carry << _32) | low
    for _ in range(4):
        draw(rng)


@kernel
def draw(rng: Any) -> Any:
    """32 random bits."""
    low = rng[0] & _LOW
    carry = rng[0] >> _32
    rng[0] = low * _MULTIPLIER + carry
    return low ^ carry


@kernel
def below(rng: Any, n: int) -> int:
    """A whole number from 0 to n - 1, each as likely as the others (to within n / 2³²)."""
    return np.int64((draw(rng) * np.uint64(n)) >> _32)  # type: ignore[return-value]


@kernel
def uniform(rng: Any) -> float:
    """A real number from 0 up to, but without, 1."""
    return np.float64(draw(rng)) / 4294967296.0


def stream(seed: int, index: int = 0, purpose: int = 0) -> np.ndarray:
    """A new random stream.

    >>> one, same, other = stream(1), stream(1), stream(2)
    >>> draw(one) == draw(same), draw(one) == draw(other)
    (True, False)
    """
    rng = np.zeros(1, np.uint64)
    seed_stream(rng, seed, index, purpose)
    return rng


# --- back into Python ------------------------------------------------------------------------------------------------
# Some games can only be played by Python code: kernels call it by its address, which is data, so that kernels stay on disk as
# they are. (Numba's own object mode compiles anew at every call of a kernel that came from disk.)

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
