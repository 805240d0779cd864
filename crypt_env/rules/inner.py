"""How numba compiles an inner function: without optimising it by itself, and without machine code of its own.

numba optimises each function and translates it to machine code before it knows who calls it. Only compiled functions
call an inner one: each takes in its code and optimises all of it together. Doing without the first time changes neither
the results nor the speed, and saves a quarter of the time until the first game.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.untyped_passes import IRProcessing


class _NoEngine:
    """Stands in for the engine that holds machine code."""

    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Do nothing: only Python's calls and objects need an environment, and an inner function has neither."""


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one inner function, to be linked into its callers."""

    codegen = _NoEngine

    def _optimize_final_module(self) -> None:
        """Leave it to the callers."""

    def _finalize_final_module(self) -> None:
        """Be ready to be linked, without going through the engine."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0


@register_pass(mutates_CFG=False, analysis_only=True)
class _IntoInnerLibrary(AnalysisPass):  # type: ignore[misc]
    """Gives a function its library, which otherwise the lowering makes."""

    _name = "into_inner_library"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Return that nothing about the function has changed."""
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


class InnerCompiler(CompilerBase):  # type: ignore[misc]
    """The compiler of `rules.compiled.rule`."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes of numba, with that library."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_IntoInnerLibrary, IRProcessing)
        passes.finalize()
        return [passes]
