"""Numba's way from a function to code, as kernels go it."""

from __future__ import annotations

from typing import Any

from numba.core import bytecode, compiler, ir, types
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import ExtractByteCode


class Pipeline(compiler.Compiler):  # type: ignore[misc]
    """Numba's way from a function to code, with names of symbols that don't depend on what was compiled before."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, and ours after the types are known."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_Borrowing, NopythonTypeInference)
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Any) -> Any:
        """Compile a function under the symbol of its library."""
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
