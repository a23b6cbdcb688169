"""The one place that knows Numba: compiled functions, generic functions, their cache on disk, and random streams.

`@kernel` compiles a function. `@generic` declares a generic function, which every game, player or encoding may implement in
its own way, and `@implements(function, Type)` gives one implementation. Which one runs is decided by the type of
the first argument: at compile time inside a kernel, by a dictionary in plain Python (also when JIT is off).
Nothing here knows of games.
"""

from ludus.kernel.callbacks import call_python, forget_function, python_function
from ludus.kernel.compiling import PACKAGE, cache_counts, kernel
from ludus.kernel.generics import generic, implements, specialises
from ludus.kernel.rows import add_rows
from ludus.kernel.streams import (
    KEY,
    below,
    count_bits,
    draw,
    highest_bit,
    lowest_bit,
    mix_hash,
    seed_stream,
    stream,
    uniform,
)
from ludus.kernel.target import JIT
from ludus.kernel.words import join_words

__all__ = [
    "JIT", "KEY", "PACKAGE", "add_rows", "below", "cache_counts", "call_python", "count_bits", "draw", "forget_function", "generic", "highest_bit", "implements",
    "join_words", "kernel", "lowest_bit", "mix_hash", "python_function", "seed_stream", "specialises", "stream", "uniform",
]  # fmt: skip
