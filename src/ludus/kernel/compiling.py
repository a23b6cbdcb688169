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
import platform
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba import _dynfunc
from numba.core import bytecode, compiler, ir, sigutils, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaRuntimeError
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NopythonTypeInference
from numba.core.types.misc import unliteral
from numba.core.untyped_passes import ExtractByteCode
from numba.extending import overload
from numba.np import arrayobj

from ludus.kernel import store
from ludus.kernel.identity import NotTellableError, classes_in, fingerprint, found_by_name, home, text_of
from ludus.waiting import METER

F = TypeVar("F", bound=Callable[..., Any])

Lazy = bool | Callable[..., bool]  # whether a function is compiled late, or for which arguments

JIT = not numba.config.DISABLE_JIT

# The levels of processors that code is compiled for: all machines of a level come to the same code, and the same rounding, and a package can
# bring it along. Code for the very processor is not faster. Elsewhere than on x86 it is compiled for the machine as it is.
LEVELS = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("sse4.2", "ssse3", "popcnt", "cx16"),
}

# Sums of floats vectorise only when they may be reordered. NaN and infinity keep their meaning.
FASTMATH = {"reassoc", "nsz", "arcp", "contract", "afn"}

PACKAGE = Path(__file__).parent.parent

# Functions of up to so many instructions are copied into those that call them, where LLVM finds that worth while.
SMALL = 250


# So many seconds a lazy function runs as plain Python before it is compiled.
PATIENCE = 0.3


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


# --- what is known of a compiled function ----------------------------------------------------------------------------


class Uses(NamedTuple):
    """What a function depends on, all that it calls included."""

    functions: dict[str, str]  # names of kernels, and their fingerprints
    choices: dict[str, str]  # generic functions and types -> names of the kernels that implement them

    def add(self, other: Uses) -> None:
        """Depend on all this too."""
        self.functions.update(other.functions)
        self.choices.update(other.choices)


class Frame:
    """One compilation under way: what it was seen to use so far."""

    def __init__(self) -> None:
        self.uses, self.tellable = Uses({}, {}), True


class Built(NamedTuple):
    """A compiled function: Numba's own result, the name of its file if it may be kept on disk, and what it depends on."""

    result: Any
    name: str | None
    uses: Uses


_registry: dict[str, Kernel] = {}  # the kernel that a full name stands for now
_under_way: list[Frame] = []  # functions that are being compiled, each for the sake of the one before it
_libraries: dict[str, tuple[Library, dict[str, Any]]] = {}  # by the names of their files: what came from disk
_symbols: dict[str, Library] = {}  # by the names of their functions: what others can be linked with
_counts = {"loaded": 0, "compiled": 0}


@functools.cache
def _base() -> str:
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
def _context() -> Any:
    """Numba's context, in which our functions have symbols of their own names alone. Numba would add the bare names of classes, and two
    modules may have a class of the same name; and its options, in an order that is another one in each process.
    """
    context = cpu_target.target_context
    mangle = context.mangler

    def name_symbol(name: str, kinds: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        ours = isinstance(uid, str)
        return str(mangle(name, () if ours else kinds, abi_tags=() if ours else abi_tags, uid=uid))

    context.mangler = name_symbol
    arrayobj.raise_with_shape_context = _raise_mismatch
    return context


def _raise_mismatch(given: Any, wanted: Any) -> None:
    """In place of Numba's own error for arrays that don't fit: its message would compile all there is about text into every such kernel."""


@overload(_raise_mismatch)
def _(given: Any, wanted: Any) -> Any:
    def impl(given: Any, wanted: Any) -> None:
        raise ValueError("an array of another shape can't be assigned")

    return impl


# --- compiled functions ----------------------------------------------------------------------------------------------


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function with its compiled versions, one for each signature."""

    def __init__(self, function: Callable[..., Any], fastmath: bool, inline: bool, named: bool, lazy: Lazy) -> None:
        options = {
            "nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True, "fastmath": FASTMATH if fastmath else False, "forceinline": inline,
        }  # fmt: skip
        super().__init__(function, targetoptions=options, pipeline_class=_Pipeline)
        self.inline, self.named, self.full_name = inline, named, home(function)
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
            return f"{fingerprint(self.py_func, _follows)} {bool(self.targetoptions['fastmath'])} {self.inline}"
        except NotTellableError:
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
            else:
                _counts["loaded"] += 1
            self._built[arguments] = done
            self.overloads[arguments] = done.result
        if _under_way:
            _under_way[-1].uses.add(done.uses)
            _under_way[-1].tellable &= done.name is not None
        return done

    def _in_turn(self, arguments: tuple[Any, ...], name: str) -> Built:
        """Compile what Python asked for, unless another process is doing that: then wait for it."""
        with store.turn(name) as waited:
            return (waited and self._from_disk(name)) or self._compile(arguments, name)

    def _file_name(self, arguments: tuple[Any, ...]) -> str | None:
        if self.fingerprint is None or not all(found_by_name(cls) for each in arguments for cls in classes_in(each)):
            return None
        key = f"{_base()} {self.full_name} {self.fingerprint} {[text_of(each) for each in arguments]}"
        return hashlib.sha256(key.encode()).hexdigest()[:40]

    def _compile(self, arguments: tuple[Any, ...], name: str | None) -> Built:
        _counts["compiled"] += 1
        frame = Frame()
        with _compiling(frame), self._compiling_counter:
            try:
                result = self._run_numba(arguments, _symbol(name), counting=False)
            except NumbaRuntimeError:  # it does make arrays, in a way that was not foreseen
                result = self._run_numba(arguments, _symbol(name), counting=True)
        library = result.library
        if (
            name is not None
            and frame.tellable
            and all(found_by_name(cls) for cls in classes_in(result.signature.return_type))
        ):
            frame.uses.functions[self.full_name] = str(self.fingerprint)
            library.file_name = name
            result.fndesc.typemap = result.fndesc.calltypes = None  # only for the compiler, and may hold anything
            counts = result.target_context.enable_nrt
            rest = pickle.dumps((result.fndesc, result.environment, result.signature, list(result.reload_init), counts))
            store.save(name, _packed(library, frame.uses, rest))
            return Built(result, name, frame.uses)
        return Built(result, None, frame.uses)

    def _run_numba(self, arguments: tuple[Any, ...], symbol: str, counting: bool) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        library = Library(_context().codegen(), self.py_func.__qualname__, symbol, self.inline)
        library.counting = counting
        return compiler.compile_extra(
            self.typingctx, self.targetctx, self.py_func, args=arguments, return_type=None, flags=flags, locals={}, library=library,
            pipeline_class=_Pipeline,
        )  # fmt: skip

    def _from_disk(self, name: str) -> Built | None:
        if not _load(name):
            return None
        library, content = _libraries[name]
        fndesc, environment, signature, reload_init, counts = pickle.loads(content["rest"])
        for prepare in reload_init:
            prepare()
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
                return self.py_func if _thread.depth > 0 else self._run_plainly
            if entry is None:
                entry = self._entries[arguments] = _entry(self.built(arguments))
                self._insert([each._code for each in arguments], entry, False)
            return entry

    def _is_light(self, args: tuple[Any, ...]) -> bool:
        if _thread.depth > 0:
            return True
        return self.patience > 0 and (self.lazy is True or bool(callable(self.lazy) and self.lazy(*args)))

    def _is_absent(self, arguments: tuple[Any, ...]) -> bool:
        if arguments not in self._absent and arguments not in self._built:
            name = self._file_name(arguments)
            if name is None or not _load(name):
                self._absent.add(arguments)
        return arguments in self._absent

    def _run_plainly(self, *args: Any) -> Any:
        """Run as plain Python, with all that it calls: compiling would take longer than a few calls do."""
        began, _thread.depth = perf_counter(), 1
        try:
            with np.errstate(all="ignore"):
                return _as_python(self.py_func(*args))
        finally:
            _thread.depth = 0
            self.patience -= perf_counter() - began


def _as_python(value: Any) -> Any:
    """Python's own numbers, as compiled functions answer."""
    if type(value) is tuple:
        return tuple(_as_python(each) for each in value)
    return value.item() if isinstance(value, np.generic) else value


class _Thread(threading.local):
    """Whether a thread is running kernels as plain Python."""

    depth = 0


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
        _under_way[-1].tellable &= found_by_name(cls)


def _entry(built: Built) -> Any:
    """What Python calls: it takes arguments out of their objects, calls the compiled function, and puts its answer into an object."""
    result, context = built.result, built.result.target_context
    fndesc, symbol = result.fndesc, result.fndesc.llvm_cpython_wrapper_name
    name = None if built.name is None else f"{built.name}.entry"
    if name is not None and _load(name):
        library, content = _libraries[name]
        result.environment.consts[:] = pickle.loads(content["rest"])  # types of arrays that are put into objects
    else:
        library = Library(context.codegen(), f"entry of {fndesc.qualname}", symbol, False)
        library.add_linking_library(result.library)
        with context.push_code_library(library):
            context.create_cpython_wrapper(library, fndesc, result.environment, result.call_helper, release_gil=True)
        library.finalize()
        if name is not None:
            store.save(name, _packed(library, built.uses, pickle.dumps(result.environment.consts)))
    pointer = library.get_pointer_to_function(symbol)
    doc, keep = f"compiled wrapper for {fndesc.qualname!r}", (library, result.library)
    return _dynfunc.make_function(
        fndesc.lookup_module(), fndesc.qualname.split(".")[-1], doc, pointer, result.environment, keep
    )


class _Pipeline(compiler.Compiler):  # type: ignore[misc]
    """Numba's way from a function to code, with names of symbols that don't depend on what was compiled before."""

    def define_pipelines(self) -> list[Any]:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_Borrowing, NopythonTypeInference)
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Any) -> Any:
        self.state.func_id = bytecode.FunctionIdentity.from_function(func)
        self.state.func_id.unique_id = self.state.library.symbol
        self.state.func_id.unique_name = f"{self.state.func_id.func_qualname}${self.state.library.symbol}"
        ExtractByteCode().run_pass(self.state)
        self.state.lifted, self.state.lifted_from = (), None
        return self._compile_bytecode()


@register_pass(mutates_CFG=False, analysis_only=True)
class _Borrowing(AnalysisPass):  # type: ignore[misc]
    """Most kernels make no arrays, they look at those of their callers, which keep them. Such code needs no counting of references: that
    would be much of what is compiled, and slow in hot loops.
    """

    _name = "ludus_borrowing"
    BORROWS = (
        "getattr",
        "cast",
        "build_tuple",
        "exhaust_iter",
        "pair_first",
        "pair_second",
        "iternext",
        "getiter",
        "phi",
        "null",
    )

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if not state.library.counting and not self._makes_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False

    def _makes_arrays(self, state: Any) -> bool:
        models = state.targetctx.data_model_manager

        def holds_arrays(kind: Any) -> bool:
            return bool(models[kind].contains_nrt_meminfo())

        if holds_arrays(state.return_type):
            return True
        for block in state.func_ir.blocks.values():
            for line in block.find_insts((ir.SetItem, ir.StaticSetItem)):
                if holds_arrays(state.typemap[line.value.name]):
                    return True  # which may overlap with the target, and is copied then
            for line in block.find_insts(ir.Assign):
                value, kind = line.value, state.typemap[line.target.name]
                if not isinstance(value, ir.Expr) or not holds_arrays(kind):
                    continue
                if value.op in ("getitem", "static_getitem"):
                    index = value.index_var if value.op == "static_getitem" else value.index
                    if index is not None and holds_arrays(state.typemap[index.name]):
                        return True  # an array of positions picks a copy
                elif value.op == "call":
                    if not isinstance(state.typemap[value.func.name], types.NamedTupleClass):
                        return True
                elif value.op not in self.BORROWS:
                    return True
        return False


# --- code and its links ----------------------------------------------------------------------------------------------


class Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel. Those that it calls are linked with it: small ones by copies, the others by their symbols."""

    def __init__(self, codegen: Any, name: str, symbol: str, inline: bool) -> None:
        super().__init__(codegen, name)
        self.symbol, self.inline = symbol, inline
        self.counting = False  # whether references to arrays are counted, come what may
        self.file_name: str | None = None
        self.links: list[Library] = []
        self.needs: list[str] = []  # the symbols that these links are for
        self.environments: list[Any] = []  # Numba's, kept alive
        self.bitcode: bytes | None = None  # of a small function: what its callers copy
        self.enable_object_caching()

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # the whole module is optimised in the end: once is enough

    def _optimize_final_module(self) -> None:
        if any(each.name.startswith("NRT_") for each in self._final_module.functions):
            super()._optimize_final_module()  # twice, as the first time is for the sake of pairs of references that cancel out
        else:
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)

    def finalize(self) -> None:
        """Link, optimise, and make machine code."""
        self._raise_if_finalized()
        seen: set[Any] = set()

        def link(library: Any) -> None:
            if library in seen:
                return
            seen.add(library)
            self._reload_init.update(library._reload_init)
            if not isinstance(library, Library):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            elif library.bitcode is not None:
                self._final_module.link_in(binding.parse_bitcode(library.bitcode))

        for library in self._linking_libraries:
            link(library)
        self._optimize_final_module()
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        module = self._final_module
        own = [
            each for each in module.functions if not each.is_declaration and each.linkage == binding.Linkage.external
        ]
        if any(self.inline or _is_small(each) for each in own):
            for each in own:
                each.linkage = "linkonce_odr"
            self.bitcode = module.as_bitcode()
            for each in own:
                each.linkage = "external"
        for each in module.functions:
            if each.is_declaration:
                if each.name in _symbols:
                    self.links.append(_symbols[each.name])
                    self.needs.append(each.name)
            elif each.linkage == binding.Linkage.linkonce_odr:
                each.linkage = "internal"
        super()._finalize_final_module()
        for each in own:
            _symbols[each.name] = self

    def _get_module_for_linking(self) -> Any:
        """For a function of Numba's that calls ours: a copy if it is small, otherwise nothing but the symbol."""
        self._ensure_finalized()
        return binding.parse_bitcode(self.bitcode) if self.bitcode else binding.parse_assembly("")

    @classmethod
    def from_disk(cls, codegen: Any, content: dict[str, Any]) -> Library:
        """A library of code that was compiled by some process before."""
        self = cls(codegen, content["name"], "", False)
        self._set_compiled_object(content["object"])
        self.bitcode = content["bitcode"]
        JITCodeLibrary._finalize_final_module(self)
        codegen._engine._defined_symbols.update(content["symbols"])
        for symbol in content["functions"]:
            _symbols[symbol] = self
        self.environments = pickle.loads(content["environments"])
        for environment in self.environments:
            codegen.set_env(environment.env_name, environment)
        return self


def _is_small(function: Any) -> bool:
    counted = 0
    for block in function.blocks:
        for _ in block.instructions:
            counted += 1
            if counted > SMALL:
                return False
    return True


def _packed(library: Library, uses: Uses, rest: bytes) -> dict[str, Any]:
    """All that another process needs."""
    named = [
        each
        for each in (*library._final_module.functions, *library._final_module.global_variables)
        if not each.is_declaration
    ]
    environments = [lookup_environment(each.name) for each in named if each.name.startswith("_ZN08NumbaEnv")]
    return {
        "name": library.name,
        "object": library._get_compiled_object(),
        "bitcode": library.bitcode,
        "symbols": [each.name for each in named],
        "functions": [each.name for each in library._final_module.functions if _symbols.get(each.name) is library],
        "links": [each.file_name for each in library.links],
        "needs": library.needs,
        "environments": pickle.dumps([each for each in environments if each is not None and each.can_cache()]),
        "uses": uses,
        "rest": rest,
    }


def _load(name: str) -> bool:
    """Take code from disk into this process, with all that it is linked with; False if some of it is missing, or no longer good."""
    if name in _libraries:
        return True
    content = store.load(name)
    if content is None or not _is_good(content["uses"]) or not all(_load(each) for each in content["links"]):
        return False
    if not all(each in _symbols for each in content["needs"]):  # LLVM would end the process
        return False
    _context().refresh()  # Numba's own functions must be there before the code that calls them
    library = Library.from_disk(_context().codegen(), content)
    library.file_name = name
    library.links = [_libraries[each][0] for each in content["links"]]
    _libraries[name] = library, content
    return True


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
    function: Callable[..., Any], named: bool, fastmath: bool = False, inline: bool = False, lazy: Lazy = False
) -> Any:
    """A function as a kernel; `named` says whether its full name stands for it alone. Without JIT it stays as it is."""
    return Kernel(function, fastmath, inline, named, lazy) if JIT else function


def kernel(function: F | None = None, *, fastmath: bool = False, inline: bool = False, lazy: Lazy = False) -> Any:
    """Compile a function, keep the result on disk, and let go of Python's lock while it runs.

    `inline` puts small functions of the hottest loops into their callers: passing tuples of arrays has its price. `lazy` is for
    whole numbers only, where plain Python and compiled code come to the same: called from Python, the function runs as it
    is for its first 0.3 seconds, unless its compiled code is there already; a predicate says with which arguments.

    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return lambda f: kernel(f, fastmath=fastmath, inline=inline, lazy=lazy)
    return compile_function(function, can_be_named(function), fastmath, inline, lazy)


def can_be_named(function: Callable[..., Any]) -> bool:
    """Whether a function stands in a file, not in another function or at a prompt: then the same code has the same name next time."""
    typed = function.__module__ == "__main__" and not getattr(sys.modules["__main__"], "__file__", None)
    return "<locals>" not in function.__qualname__ and not typed


def cache_counts() -> tuple[int, int]:
    """How many compiled functions this process took from disk, and how many it had to compile: (hits, misses)."""
    return _counts["loaded"], _counts["compiled"]
