"""Bits, hashes and random streams: the same numbers in compiled code and in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ludus.kernel.compiling import kernel
from ludus.kernel.target import JIT

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


@kernel(lazy=True)
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


@kernel(lazy=True)
def draw(rng: Any) -> Any:
    """32 random bits."""
    low = rng[0] & _LOW
    carry = rng[0] >> _32
    rng[0] = low * _MULTIPLIER + carry
    return low ^ carry


@kernel(lazy=True)
def below(rng: Any, n: int) -> int:
    """A whole number from 0 to n - 1, each as likely as the others (to within n / 2³²)."""
    return np.int64((draw(rng) * np.uint64(n)) >> _32)  # type: ignore[return-value]


@kernel(lazy=True)
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
