"""Generic functions: declared once, implemented for each type; a kernel calls the right one directly."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar, overload

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global

from ludus.kernel.compiling import can_be_named, choosers, compile_function, note_choice
from ludus.kernel.identity import found_by_name, home
from ludus.kernel.target import JIT

F = TypeVar("F", bound=Callable[..., Any])


@overload
def generic(declaration: F) -> F: ...
@overload
def generic(*, lazy: bool) -> Callable[[F], F]: ...
def generic(declaration: Any = None, *, lazy: bool = False) -> Any:
    """Declare a generic function. The declaration gives its name, its arguments and its meaning, but no body. What implements a
    `lazy` one runs as plain Python at first, as in `kernel`.

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
    if declaration is None:
        return lambda function: _declare(function, lazy)
    return _declare(declaration, lazy)


def _declare(declaration: Callable[..., Any], lazy: bool) -> Any:
    name, full_name = declaration.__name__, home(declaration)
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
    dispatch.lazy = lazy  # type: ignore[attr-defined]
    dispatch.handles = lambda cls: find(implementations, cls) is not None  # type: ignore[attr-defined]

    if JIT:

        class Call(AbstractTemplate):  # type: ignore[misc]
            """A call of the generic function in a kernel: one of the kernel that implements it for the type of the first argument."""

            key = dispatch

            def generic(self, args: Any, kws: Any) -> Any:
                cls = _class_of(args[0])
                found = find(implementations, cls)
                if found is None:
                    return None
                note_choice(full_name, cls, found)
                return types.Dispatcher(found).get_call_type(self.context, args, kws)

            def get_impl_key(self, sig: Any) -> Any:
                return find(implementations, _class_of(sig.args[0])).get_overload(sig.args)

        infer_global(dispatch, types.Function(Call))

        def chosen(name: str) -> str | None:
            cls = _class_named(name)
            found = find(implementations, cls) if cls is not None else None
            return found.full_name if found is not None else None

        choosers[full_name] = chosen

    return dispatch


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


def _class_of(kind: Any) -> type:
    return kind.instance_class if isinstance(kind, types.NamedTuple | types.NamedUniTuple) else object


def _class_named(full_name: str) -> type | None:
    """The class of a full name, if its module was imported."""
    for module, _, qualname in (
        (full_name[:i], ".", full_name[i + 1 :]) for i, letter in enumerate(full_name) if letter == "."
    ):
        thing: Any = sys.modules.get(module.split(" ")[0])
        for part in qualname.split("."):
            thing = getattr(thing, part, None)
        if isinstance(thing, type) and home(thing) == full_name:
            return thing
    return None


_names: dict[str, type] = {}  # of all types that implement anything


def _name_apart(cls: Any) -> None:
    """Give a class a bare name that no other class has in this process: by it Numba tells tuples apart that come from Python, and one of
    another module, or of an earlier run of a notebook's cell, must not be mistaken for this one. Full names stay as they are.
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
        named = can_be_named(function) and found_by_name(cls)
        generic_function.plain[cls] = function  # type: ignore[attr-defined]
        # A readable name, so that cache files and tracebacks say what this is.
        whose = cls.__qualname__ if cls is object or cls.__module__ == function.__module__ else home(cls)
        function.__name__ = f"{generic_function.__name__}_{whose.replace('.', '_')}"
        function.__qualname__ = function.__name__
        generic_function.implementations[cls] = compile_function(function, named, lazy=generic_function.lazy)  # type: ignore[attr-defined]
        return function

    return register
