"""Compiled functions. Each is compiled once for the types that it is called with, kept on disk, and linked with those that it calls.

Numba by itself copies whatever a function calls, and all that is called from there, into that function's own code, and optimises the copies again.
Here only small functions are copied into their callers; the others are compiled once, and called. That makes compiling several times
faster, and it keeps arithmetic the same in every process: how a sum is rounded depends on how its code was optimised, and
there is only one code for each function, whether it was just compiled or came from disk.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import _dynfunc
from numba.core import compiler, sigutils, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaRuntimeError
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from ludus.kernel import store
from ludus.kernel.identity import NotCacheableError, classes_in, fingerprint, found_by_name, home, text_of
from ludus.kernel.linking import Library, Uses, keep, libraries, load
from ludus.kernel.pipeline import Pipeline
from ludus.kernel.target import JIT, base, context
from ludus.waiting import METER

F = TypeVar("F", bound=Callable[..., Any])

Lazy = bool | Callable[..., bool]  # whether a function is compiled late, or for which arguments


# Sums of floats vectorise only when they may be reordered. NaN and infinity keep their meaning.
FASTMATH = {"reassoc", "nsz", "arcp", "contract", "afn"}

PACKAGE = Path(__file__).parent.parent

# So many seconds a lazy function runs as plain Python before it is compiled.
PATIENCE = 0.3


# --- what is known of a compiled function ----------------------------------------------------------------------------


class Frame:
    """One compilation under way: what it was seen to use so far."""

    def __init__(self) -> None:
        self.uses, self.cacheable = Uses({}, {}), True


class Built(NamedTuple):
    """A compiled function: Numba's own result, the name of its file if it may be kept on disk, and what it depends on."""

    result: Any
    name: str | None
    uses: Uses


_registry: dict[str, Kernel] = {}  # the kernel that a full name stands for now
_under_way: list[Frame] = []  # functions that are being compiled, each for the sake of the one before it
_counts = {"loaded": 0, "compiled": 0}


# --- compiled functions ----------------------------------------------------------------------------------------------


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function with its compiled versions, one for each signature."""

    def __init__(
        self, function: Callable[..., Any], fastmath: bool, inline: bool, wide: bool, named: bool, lazy: Lazy
    ) -> None:
        options = {
            "nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True, "fastmath": FASTMATH if fastmath else False, "forceinline": inline,
        }  # fmt: skip
        super().__init__(function, targetoptions=options, pipeline_class=Pipeline)
        self.inline, self.wide, self.named, self.full_name = inline, wide, named, home(function)
        self._built: dict[tuple[Any, ...], Built] = {}
        self._entries: dict[tuple[Any, ...], Any] = {}
        self.lazy, self.patience = lazy, PATIENCE if lazy else 0.0  # seconds for which it may still run as plain Python
        self._absent: set[tuple[Any, ...]] = set()  # types for which no compiled code is there
        _registry[self.full_name] = self

    @functools.cached_property
    def fingerprint(self) -> str | None:
        """A hash of what the function does by itself; None if that can't be told, or if its name doesn't stand for it alone."""
        if not self.named or _registry.get(self.full_name) is not self:
            return None
        try:
            return f"{fingerprint(self.py_func, _follows)} {bool(self.targetoptions['fastmath'])} {self.inline} {self.wide}"
        except NotCacheableError:
            return None

    def built(self, arguments: tuple[Any, ...]) -> Built:
        """The version for some types: as it is in memory, or from disk, or compiled now."""
        done = self._built.get(arguments)
        if done is None:
            name = self._file_name(arguments)
            done = self._from_disk(name) if name is not None else None
            if done is None:
                done = (
                    self._in_turn(arguments, name)
                    if name is not None and not _under_way
                    else self._compile(arguments, name)
                )
            self._built[arguments] = done
            self.overloads[arguments] = done.result
        if _under_way:
            _under_way[-1].uses.add(done.uses)
            _under_way[-1].cacheable &= done.name is not None
        return done

    def _in_turn(self, arguments: tuple[Any, ...], name: str) -> Built:
        """Compile what Python asked for, unless another process is doing that: then wait for it."""
        with store.turn(name) as waited:
            return (waited and self._from_disk(name)) or self._compile(arguments, name)

    def _file_name(self, arguments: tuple[Any, ...]) -> str | None:
        if self.fingerprint is None or not all(found_by_name(cls) for each in arguments for cls in classes_in(each)):
            return None
        key = f"{base()} {self.full_name} {self.fingerprint} {[text_of(each) for each in arguments]}"
        return hashlib.sha256(key.encode()).hexdigest()[:40]

    def _compile(self, arguments: tuple[Any, ...], name: str | None) -> Built:
        _counts["compiled"] += 1
        if (
            name in libraries
        ):  # what it calls has been written anew since: two codes of one name can't be in one process
            name = None
        frame = Frame()
        with _compiling(frame), self._compiling_counter:
            try:
                result = self._run_numba(arguments, _symbol(name), counting=False)
            except NumbaRuntimeError:  # it does make arrays, in a way that was not foreseen
                result = self._run_numba(arguments, _symbol(name), counting=True)
        library = result.library
        if (
            name is not None
            and frame.cacheable
            and all(found_by_name(cls) for cls in classes_in(result.signature.return_type))
        ):
            frame.uses.functions[self.full_name] = str(self.fingerprint)
            result.fndesc.typemap = result.fndesc.calltypes = None  # only for the compiler, and may hold anything
            counts = result.target_context.enable_nrt
            rest = pickle.dumps((result.fndesc, result.environment, result.signature, list(result.reload_init), counts))
            store.save(name, keep(name, library, frame.uses, rest))
            return Built(result, name, frame.uses)
        return Built(result, None, frame.uses)

    def _run_numba(self, arguments: tuple[Any, ...], symbol: str, counting: bool) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        library = Library(context().codegen(), self.py_func.__qualname__, symbol, self.inline)
        library.counting, library.wide = counting, self.wide
        return compiler.compile_extra(
            self.typingctx, self.targetctx, self.py_func, args=arguments, return_type=None, flags=flags, locals={}, library=library,
            pipeline_class=Pipeline,
        )  # fmt: skip

    def _from_disk(self, name: str) -> Built | None:
        if not load(name, _is_good):
            return None
        library, content = libraries[name]
        fndesc, environment, signature, reload_init, counts = pickle.loads(content["rest"])
        for prepare in reload_init:
            prepare()
        _counts["loaded"] += 1
        entry = self.targetctx.get_executable(library, fndesc, environment)
        result = compiler.CompileResult(
            typing_context=self.typingctx, target_context=self.targetctx.subtarget(enable_nrt=counts), entry_point=entry,
            typing_error=None, type_annotation=None, signature=signature, objectmode=False, lifted=(), fndesc=fndesc, library=library,
            call_helper=None, environment=environment, metadata=None, reload_init=reload_init, referenced_envs=(),
        )  # fmt: skip
        self.targetctx.insert_user_function(entry, fndesc, [library])
        return Built(result, name, content["uses"])

    # What Numba asks of a function that is called in compiled code:

    def compile(self, sig: Any) -> Any:
        """The version for a signature, as Numba refers to it."""
        with global_compiler_lock:
            arguments, _ = sigutils.normalize_signature(sig)
            return self.built(_plain(arguments)).result.entry_point

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How a call with these types is typed."""
        pysig, folded = self._compiler.fold_argument_types(args, kws)
        result = self.built(_plain(folded)).result
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=[result.signature])
        return template, pysig, folded, {}

    def get_overload(self, sig: Any) -> Any:
        """What Numba looks a call's code up by."""
        arguments, _ = sigutils.normalize_signature(sig)
        return self.overloads[_plain(arguments)].entry_point

    # And when it is called from Python with types that are new:

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        with global_compiler_lock:
            self._compilation_chain_init_hook()
            arguments = tuple(self.typeof_pyval(each) for each in args)
            entry = self._entries.get(arguments)
            if entry is None and self._is_light(args) and self._is_absent(arguments):
                return self.py_func if _thread.plain else self._run_plainly
            if entry is None:
                entry = self._entries[arguments] = _entry(self.built(arguments))
                self._insert([each._code for each in arguments], entry, False)
            return entry

    def _is_light(self, args: tuple[Any, ...]) -> bool:
        if _thread.plain:
            return True
        return self.patience > 0 and (self.lazy is True or bool(callable(self.lazy) and self.lazy(*args)))

    def _is_absent(self, arguments: tuple[Any, ...]) -> bool:
        if arguments not in self._absent and arguments not in self._built:
            name = self._file_name(arguments)
            if name is None or not load(name, _is_good):
                self._absent.add(arguments)
        return arguments in self._absent

    def _run_plainly(self, *args: Any) -> Any:
        """Run as plain Python, with all that it calls: compiling would take longer than a few calls do."""
        began, _thread.plain = perf_counter(), True
        try:
            with np.errstate(all="ignore"):
                return _as_python(self.py_func(*args))
        finally:
            _thread.plain = False
            self.patience -= perf_counter() - began


def _as_python(value: Any) -> Any:
    """Python's own numbers, as compiled functions answer."""
    if type(value) is tuple:
        return tuple(_as_python(each) for each in value)
    return value.item() if isinstance(value, np.generic) else value


class _Thread(threading.local):
    """Whether a thread is running kernels as plain Python."""

    plain = False


_thread = _Thread()


@contextlib.contextmanager
def _compiling(frame: Frame) -> Iterator[None]:
    """One compilation, perhaps for the sake of another. The compiler makes many objects, all of which live until it is done: looking for
    garbage among them would only take time.
    """
    outermost, collects = not _under_way, gc.isenabled()
    _under_way.append(frame)
    if outermost:
        gc.disable()
    try:
        with METER.compiling():
            yield
    finally:
        _under_way.pop()
        if outermost and collects:
            gc.enable()


def _follows(thing: Any) -> bool:
    """Whether the code behind a name is looked after by itself: another kernel, or a generic function."""
    return isinstance(thing, Kernel) or hasattr(thing, "implementations")


def _plain(arguments: Any) -> tuple[Any, ...]:
    """Types without the values of literals: a function is not compiled anew for each number that it is called with."""
    return tuple(unliteral(each) for each in arguments)


def _symbol(name: str | None) -> str:
    """A name for a symbol that nothing else in this process has, and that is the same in all processes for what is kept on disk."""
    return name if name is not None else f"x{next(_numbers)}"


_numbers = iter(range(1 << 62))


def note_choice(generic: str, cls: type, chosen: Kernel) -> None:
    """Remember that the function under way calls what implements a generic function for a type."""
    if _under_way:
        _under_way[-1].uses.choices[f"{generic} {home(cls)}"] = chosen.full_name
        _under_way[-1].cacheable &= found_by_name(cls)


def _entry(built: Built) -> Any:
    """What Python calls: it takes arguments out of their objects, calls the compiled function, and puts its answer into an object."""
    result, context = built.result, built.result.target_context
    fndesc, symbol = result.fndesc, result.fndesc.llvm_cpython_wrapper_name
    name = None if built.name is None else f"{built.name}.entry"
    if name is not None and load(name, _is_good):
        library, content = libraries[name]
        result.environment.consts[:] = pickle.loads(content["rest"])  # types of arrays that are put into objects
    else:
        library = Library(context.codegen(), f"entry of {fndesc.qualname}", symbol, False)
        library.add_linking_library(result.library)
        with context.push_code_library(library):
            context.create_cpython_wrapper(library, fndesc, result.environment, result.call_helper, release_gil=True)
        library.finalize()
        if name is not None and name not in libraries:
            store.save(name, keep(name, library, built.uses, pickle.dumps(result.environment.consts)))
    pointer = library.get_pointer_to_function(symbol)
    doc, needed = f"compiled wrapper for {fndesc.qualname!r}", (library, result.library)
    return _dynfunc.make_function(
        fndesc.lookup_module(), fndesc.qualname.split(".")[-1], doc, pointer, result.environment, needed
    )


def _is_good(uses: Uses) -> bool:
    """Whether everything that some code depends on is still as it was."""
    for name, told in uses.functions.items():
        if name not in _registry or _registry[name].fingerprint != told:
            return False
    return all(_chosen(choice) == name for choice, name in uses.choices.items())


choosers: dict[str, Callable[[str], str | None]] = {}  # by generic functions' names: who implements it for a class


def _chosen(choice: str) -> str | None:
    generic, _, cls = choice.partition(" ")
    return choosers[generic](cls) if generic in choosers else None


# --- for people ------------------------------------------------------------------------------------------------------


def compile_function(
    function: Callable[..., Any],
    named: bool,
    fastmath: bool = False,
    inline: bool = False,
    wide: bool = False,
    lazy: Lazy = False,
) -> Any:
    """A function as a kernel; `named` says whether its full name stands for it alone. Without JIT it stays as it is."""
    return Kernel(function, fastmath, inline, wide, named, lazy) if JIT else function


def kernel(
    function: F | None = None, *, fastmath: bool = False, inline: bool = False, wide: bool = False, lazy: Lazy = False
) -> Any:
    """Compile a function, keep the result on disk, and let go of Python's lock while it runs.

    `inline` puts small functions of the hottest loops into their callers: passing tuples of arrays has its price. `wide` is for
    loops over many floats: they use vectors of 512 bits where the processor has them, and of 256 otherwise. `lazy` is for
    whole numbers only, where plain Python and compiled code come to the same: called from Python, the function runs as it
    is for its first 0.3 seconds, unless its compiled code is there already; a predicate says with which arguments.

    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return lambda f: kernel(f, fastmath=fastmath, inline=inline, wide=wide, lazy=lazy)
    return compile_function(function, can_be_named(function), fastmath, inline, wide, lazy)


def can_be_named(function: Callable[..., Any]) -> bool:
    """Whether a function stands in a file, not in another function or at a prompt: then the same code has the same name next time."""
    typed = function.__module__ == "__main__" and not getattr(sys.modules["__main__"], "__file__", None)
    return "<locals>" not in function.__qualname__ and not typed


def cache_counts() -> tuple[int, int]:
    """How many compiled functions this process took from disk, and how many it had to compile: (hits, misses)."""
    return _counts["loaded"], _counts["compiled"]
