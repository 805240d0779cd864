"""From the object to the file: the linker, and a check of its result."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

STACK = 1 << 16
"""In bytes. Memory below the stack is out of bounds, so that a stack overflow traps and overwrites nothing."""

HOW_TO_GET = "install the linker with: pip install -c constraints.txt ziglang"

_IMPORTS = 2
"""The number of the section that lists the imports of a module."""


def linker() -> list[str] | None:
    """Return the command that runs the linker wasm-ld, None if there is none."""
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    found = shutil.which("wasm-ld")
    return None if found is None else [found]


def linker_version() -> str:
    """Return the name and version of the linker; an empty string if there is none."""
    command = linker()
    if command is None:
        return ""
    return subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def link(content: bytes, exports: Iterable[str]) -> bytes:
    """Link an object into a module without imports that exports these functions, its memory and the start of its heap.

    Raises:
        RuntimeError: there is no linker, or the module needs anything from outside.
    """
    command = linker()
    if command is None:
        raise RuntimeError(f"there is no wasm-ld; {HOW_TO_GET}")
    options = ["--no-entry", "--gc-sections", "--strip-all", "--stack-first", "-z", f"stack-size={STACK}"]
    offered = [f"--export={name}" for name in (*exports, "__heap_base")]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "engine.o", Path(folder) / "engine.wasm"
        source.write_bytes(content)
        subprocess.run([*command, *options, *offered, "-o", str(target), str(source)], check=True)
        module = target.read_bytes()
    if any(number == _IMPORTS for number, _ in sections(module)):
        raise RuntimeError("the module has imports")
    return module


def sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the sections of a WebAssembly module: their numbers and what is in them."""
    place = 8
    while place < len(module):
        number = module[place]
        size, start = _number_at(module, place + 1)
        yield number, module[start : start + size]
        place = start + size


def _number_at(module: bytes, place: int) -> tuple[int, int]:
    """Return a number in LEB128, and the position after it."""
    number = shift = 0
    while True:
        byte = module[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number, place
