"""From numba's LLVM code to a WebAssembly object.

numba is asked for code that is not optimised yet, and for no machine in particular: LLVM then optimises it once, for
WebAssembly. Each entry gets a wrapper of plain 32-bit numbers, see `_wrapper`. What numba expects of its runtime is a
page of code here: memory for the arrays that a rule allocates, and a logarithm. Code that only puts errors into words
is left out, as nothing could show it: an entry that raises an error returns `FAILED`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np

from .entries import Entry, natural_log

TRIPLE = "wasm32-unknown-unknown"
FAILED = -(2**31)
"""The result of an entry that would raise an error in Python."""

_WORDS_ONLY = ("ol_str_generic", "unicode_concat", "__excinfo_unwrap_args")
"""Parts of the names of functions that only make the text of an error. They report a failure instead."""

_NOTHING = {"i32": "1", "ptr": "null"}
"""Their results by type: failure, or no text."""

_ARENA = 4096
"""Bytes for the arrays that rules allocate: a few dozen bytes at a time."""

_HEADER = 64
"""Bytes in front of such an array; numba's own header takes 40."""

# As numba lays out its header: references, destructor, its argument, data, size. All memory is free again as soon as
# nothing of it is in use: arrays of rules are short-lived.
_RUNTIME = f"""
@arena = internal global [{_ARENA} x i8] zeroinitializer, align 64
@arena_used = internal global i32 0
@arena_alive = internal global i32 0

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {{
  %start = load i32, ptr @arena_used
  %wanted = trunc i64 %size to i32
  %rounded = add i32 %wanted, {_HEADER + 63}
  %length = and i32 %rounded, -64
  %end = add i32 %start, %length
  %fits = icmp ule i32 %end, {_ARENA}
  br i1 %fits, label %give, label %full
full:
  call void @llvm.trap()
  unreachable
give:
  store i32 %end, ptr @arena_used
  %alive = load i32, ptr @arena_alive
  %more = add i32 %alive, 1
  store i32 %more, ptr @arena_alive
  %info = getelementptr i8, ptr @arena, i32 %start
  %data = getelementptr i8, ptr %info, i32 {_HEADER}
  store i64 1, ptr %info
  %data_at = getelementptr {{ i64, ptr, ptr, ptr, i64 }}, ptr %info, i32 0, i32 3
  store ptr %data, ptr %data_at
  ret ptr %info
}}

define void @NRT_MemInfo_call_dtor(ptr %info) {{
  %alive = load i32, ptr @arena_alive
  %less = sub i32 %alive, 1
  store i32 %less, ptr @arena_alive
  %is_last = icmp eq i32 %less, 0
  br i1 %is_last, label %clear, label %done
clear:
  store i32 0, ptr @arena_used
  br label %done
done:
  ret void
}}

define ptr @NRT_Allocate(i64 %size) {{
  %info = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 {_HEADER})
  %data = getelementptr i8, ptr %info, i32 {_HEADER}
  ret ptr %data
}}

define void @NRT_Free(ptr %data) {{
  call void @NRT_MemInfo_call_dtor(ptr %data)
  ret void
}}

define double @sqrt(double %number) {{
  %root = call double @llvm.sqrt.f64(double %number)
  ret double %root
}}

declare double @llvm.sqrt.f64(double)
declare void @llvm.trap()
"""


class _Compiled(NamedTuple):
    """A function as LLVM code."""

    symbol: str
    code: str


def build_object(entries: Sequence[Entry]) -> bytes:
    """Return the object with a wrapper for each entry, ready to be linked."""
    compiled = {entry.name: _compile(entry.function, entry.samples) for entry in entries}
    log = _compile(natural_log, (1.0,))
    wrappers = [_wrapper(entry, compiled[entry.name].symbol) for entry in entries]
    codes = [each.code for each in (*compiled.values(), log)]
    module = llvm.parse_assembly(codes[0])
    for code in [*codes[1:], _RUNTIME, _log_wrapper(log.symbol), *wrappers]:
        module.link_in(llvm.parse_assembly(code))
    return _optimised(module, {entry.name for entry in entries})


def _compile(function: Callable[..., object], samples: Sequence[Any]) -> _Compiled:
    """Compile a function for arguments of these types; keep nothing of it on disk."""
    options = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
    dispatcher = numba.njit(**options)(function)
    dispatcher.compile(tuple(numba.typeof(sample) for sample in samples))
    (result,) = dispatcher.overloads.values()
    return _Compiled(result.fndesc.llvm_func_name, _simplified(result.library.get_llvm_str()))


def _simplified(code: str) -> str:
    """Replace functions that only make texts of errors by one line each, and numba's logarithm by ours.

    numba keeps the counting of references out of line. In line it vanishes, since arrays from JavaScript have no owner:
    searches run four times as fast.
    """
    for name in _WORDS_ONLY:
        form = rf'(?m)^(define [^\n]*? (i32|ptr) @"?[^"\s(]*{name}[^\n]*\{{)\n(?:.*\n)*?^\}}$'
        code = re.sub(form, lambda found: f"{found[1]}\n  ret {found[2]} {_NOTHING[found[2]]}\n}}", code)
    return re.sub(r"\bnoinline\b", "alwaysinline", code).replace("@llvm.log.f64(", "@natural_log(")


def _log_wrapper(symbol: str) -> str:
    """Return the logarithm as the functions call it, around the compiled one."""
    return f"""
declare i32 @{symbol}(ptr, ptr, double)

define double @natural_log(double %number) {{
  %answer = alloca double
  %error = alloca ptr
  %status = call i32 @{symbol}(ptr %answer, ptr %error, double %number)
  %logarithm = load double, ptr %answer
  ret double %logarithm
}}
"""


# -- wrappers ---------------------------------------------------------------------------------------------------------


def _wrapper(entry: Entry, symbol: str) -> str:
    """Return the function that JavaScript calls.

    An array is two numbers, its address and its length; all other numbers are one. numba takes an array as seven and
    more: its owner, its parent, items, their size, the address, the shape and the strides. The answer is that of the
    entry, 0 if it has none, or `FAILED`.
    """
    heads: list[str] = []
    lines: list[str] = []
    given = ["ptr %answer", "ptr %error"]
    for name, sample in entry.arguments.items():
        if isinstance(sample, np.ndarray):
            heads += [f"ptr %{name}", f"i32 %{name}.length"]
            lines += [f"%{name}.wide = zext i32 %{name}.length to i64"]
            lines += [f"%{name}.items = mul i64 %{name}.wide, {int(np.prod(sample.shape[1:]))}"]
            given += ["ptr null", "ptr null", f"i64 %{name}.items", f"i64 {sample.itemsize}", f"ptr %{name}"]
            given += [f"i64 %{name}.wide", *(f"i64 {size}" for size in sample.shape[1:])]
            given += [f"i64 {stride}" for stride in sample.strides]
        else:
            heads.append(f"i32 %{name}")
            kind = "i8" if isinstance(sample, bool) else "i64"
            lines += [f"%{name}.given = {'trunc' if kind == 'i8' else 'sext'} i32 %{name} to {kind}"]
            given.append(f"{kind} %{name}.given")
    return f"""
declare i32 @{symbol}({", ".join(each.split()[0] for each in given)})

define i32 @{entry.name}({", ".join(heads)}) {{
  %answer = alloca i64
  %error = alloca ptr
  store i64 0, ptr %answer
  {chr(10).join(lines)}
  %status = call i32 @{symbol}({", ".join(given)})
  %is_good = icmp eq i32 %status, 0
  %is_none = icmp eq i32 %status, -2
  %is_fine = or i1 %is_good, %is_none
  %wide = load i64, ptr %answer
  %number = trunc i64 %wide to i32
  %result = select i1 %is_fine, i32 %number, i32 {FAILED}
  ret i32 %result
}}
"""


# -- the object -------------------------------------------------------------------------------------------------------


def _optimised(module: Any, offered: set[str]) -> bytes:
    """Return the machine code of a module in which only what is offered can be seen from outside."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    for symbol in (*module.global_variables, *module.functions):
        if not symbol.is_declaration and symbol.name not in offered:
            symbol.linkage = "internal"
    module.triple = TRIPLE
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="generic", features="", opt=3)
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))
