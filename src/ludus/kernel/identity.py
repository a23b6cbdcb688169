"""What a compiled function depends on: hashes of code and of the constants that it names, and full names of types.

Numba's own cache looks at the file of the cached function alone. It would run old code after an edit in a callee elsewhere, and compile anew after
an edit of a comment. Here each function has a fingerprint of what it says, wherever it stands.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types

# Packages whose own version is in the key of everything: what they hold is told by its name.
KNOWN = {"numpy", "numba", "math", "builtins", "llvmlite"}


class NotCacheableError(Exception):
    """Something that can't be told apart by its content: code that uses it isn't kept on disk."""


def home(thing: Any) -> str:
    """The full name of a class or function, with the file's path if it stands in the program that was started.

    >>> home(Path)
    'pathlib.Path'
    """
    module = thing.__module__
    if module == "__main__":
        module = f"__main__ {getattr(sys.modules['__main__'], '__file__', '')}"
    return f"{module}.{thing.__qualname__}"


def found_by_name(cls: type) -> bool:
    """Whether a class is what its full name says: not one typed at a prompt, made in a function, or defined anew since."""
    module = sys.modules.get(cls.__module__)
    if cls.__module__ == "__main__" and not getattr(module, "__file__", None):
        return False
    thing: Any = module
    for part in cls.__qualname__.split("."):
        thing = getattr(thing, part, None)
    return thing is cls


def text_of(kind: Any) -> str:
    """A type in full: classes with their modules, tuples with the names of their fields.

    >>> text_of(types.float32[:])
    'array(float32, 1d, A)'
    """
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        fields = ", ".join(f"{name}: {text_of(part)}" for name, part in zip(kind.fields, kind.types, strict=False))
        return f"{home(kind.instance_class)}({fields})"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(text_of(part) for part in kind.types)})"
    return str(kind)


def classes_in(kind: Any) -> Iterator[type]:
    """The classes of all named tuples within a type."""
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        yield kind.instance_class
    if isinstance(kind, types.BaseTuple):
        for part in kind.types:
            yield from classes_in(part)


def fingerprint(function: Callable[..., Any], follows: Callable[[Any], bool]) -> str:
    """A hash of what a function does by itself: its code, its defaults, and the constants that it names. What it calls, and
    `follows` knows, is told by name only. Raises NotCacheableError.

    >>> one, same, other = (fingerprint(f, lambda thing: False) for f in (lambda x: x + 1, lambda x: x + 1, lambda x: x + 2))
    >>> one == same, one == other
    (True, False)
    """
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = [*_describe_code(function.__code__, function.__globals__, follows)]
    parts += [_describe(each, follows) for each in (function.__defaults__ or (), *cells)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _describe_code(code: CodeType, names: dict[str, Any], follows: Callable[[Any], bool]) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_argcount} {code.co_flags}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _describe_code(constant, names, follows)
        else:
            yield _describe(constant, follows)
    for name in sorted(
        {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    ):
        if name in names:
            yield f"{name} is {_describe(names[name], follows)}"


def _describe(thing: Any, follows: Callable[[Any], bool]) -> str:
    """A value as text that is equal only for values with which compiled code is the same."""
    if follows(thing):
        return f"call {home(thing)}"
    if thing is None or isinstance(thing, bool | int | float | complex | str | bytes | np.generic):
        return f"{type(thing).__name__} {thing!r}"
    if isinstance(thing, tuple | frozenset):
        parts = [_describe(each, follows) for each in thing]
        return f"{home(type(thing))} {parts if isinstance(thing, tuple) else sorted(parts)}"
    if isinstance(thing, np.ndarray):
        return f"array {thing.dtype} {thing.shape} {hashlib.sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()}"
    if isinstance(thing, ModuleType):
        known = thing.__name__.split(".")[0] in KNOWN
        return thing.__name__ if known else hashlib.sha256(Path(str(thing.__file__)).read_bytes()).hexdigest()
    if isinstance(thing, type):
        return f"{home(thing)} {getattr(thing, '_fields', '')}"
    if isinstance(thing, np.ufunc | np.dtype | types.Type):
        return str(thing)
    if isinstance(thing, FunctionType | BuiltinFunctionType) or callable(thing):
        module = str(getattr(thing, "__module__", None))
        if module.split(".")[0] in KNOWN or module.startswith("ludus.kernel."):
            return f"{module}.{getattr(thing, '__qualname__', thing)}"
    raise NotCacheableError(f"{thing!r}")
