"""The code of kernels, its links, and how it comes to disk and back."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import lookup_environment

from ludus.kernel import store
from ludus.kernel.target import context

# Functions of up to so many instructions are copied into those that call them, where LLVM finds that worth while.
SMALL = 250


class Uses(NamedTuple):
    """What a function depends on, all that it calls included."""

    functions: dict[str, str]  # names of kernels, and their fingerprints
    choices: dict[str, str]  # generic functions and types -> names of the kernels that implement them

    def add(self, other: Uses) -> None:
        """Depend on all this too."""
        self.functions.update(other.functions)
        self.choices.update(other.choices)


libraries: dict[str, tuple[Library, dict[str, Any]]] = {}  # by the names of their files: what this process has
_symbols: dict[str, Library] = {}  # by the names of their functions: what others can be linked with


class Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel. Those that it calls are linked with it: small ones by copies, the others by their symbols."""

    def __init__(self, codegen: Any, name: str, symbol: str, inline: bool) -> None:
        super().__init__(codegen, name)
        self.symbol, self.inline = symbol, inline
        self.counting = False  # whether references to arrays are counted, come what may
        self.wide = False  # whether loops use the longest vectors
        self.file_name: str | None = None
        self.links: list[Library] = []
        self.needs: list[str] = []  # the symbols that these links are for
        self.environments: list[Any] = []  # Numba's, kept alive
        self.bitcode: bytes | None = None  # of a small function: what its callers copy
        self.enable_object_caching()

    def add_ir_module(self, ir_module: Any) -> None:
        """Take the code as Numba has written it."""
        if self.wide:
            for each in ir_module.functions:
                set.add(
                    each.attributes, '"prefer-vector-width"="512"'
                )  # not `each.attributes.add`, which knows none with values
        super().add_ir_module(ir_module)

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
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if not isinstance(library, Library):
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            elif library.bitcode is not None:
                self._final_module.link_in(binding.parse_bitcode(library.bitcode))
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


def keep(name: str, library: Library, uses: Uses, rest: bytes) -> dict[str, Any]:
    """All that another process needs of a library. This process has it by that name from now on: it would not do to load it once more for
    the sake of another one's code that calls it.
    """
    named = [
        each
        for each in (*library._final_module.functions, *library._final_module.global_variables)
        if not each.is_declaration
    ]
    environments = [lookup_environment(each.name) for each in named if each.name.startswith("_ZN08NumbaEnv")]
    content = {
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
    library.file_name = name
    libraries[name] = library, content
    return content


def load(name: str, is_good: Callable[[Uses], bool]) -> bool:
    """Take code from disk into this process, with all that it is linked with; False if some of it is missing, or no longer good."""
    content = libraries[name][1] if name in libraries else store.load(name)
    if content is None or not is_good(content["uses"]):
        return False
    if name in libraries:
        return True
    if not all(each in libraries or load(each, is_good) for each in content["links"]):
        return False
    if not all(each in _symbols for each in content["needs"]):  # LLVM would end the process
        return False
    context().refresh()  # Numba's own functions must be there before the code that calls them
    library = Library.from_disk(context().codegen(), content)
    library.file_name = name
    library.links = [libraries[each][0] for each in content["links"]]
    libraries[name] = library, content
    return True
