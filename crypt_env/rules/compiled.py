"""How the rules are compiled, and where the compiled code is kept between runs.

Three decorators mark every compiled function:

``@rule``   an inner function. It is compiled into its callers and never cached by itself.
``@part``   an inner function that is inlined into its caller before compiling, so that it costs no call.
``@entry``  a function that Python calls. It runs without the GIL and its machine code is cached on disk.

numba trusts a cached caller even if one of its callees in another file has changed. So the cache is a folder named
after a digest of every file of the rules and of the settings that change the generated code: after an edit or an
upgrade there is a new folder, without old code. Other packages with compiled code, such as the agents, each have a
folder in it, named after a digest of their own files: editing them leaves the rules compiled.

numba unpickles its files and runs the machine code in them. So each file ends in a digest of its content, which numba
itself ignores; a file without the right one is discarded and compiled again.

With ``NUMBA_DISABLE_JIT=1`` all three return the function unchanged: the rules then run as plain Python.
"""

from __future__ import annotations

import gc
import hashlib
import inspect
import os
import pickle
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile

from .inner import InnerCompiler

Function = TypeVar("Function", bound=Callable[..., object])

IS_COMPILED = not numba.config.DISABLE_JIT
KEPT_FOLDERS = 8
"""How many caches stay on disk, this version's included."""

_SETTINGS = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "CPU_NAME",
    "CPU_FEATURES",
    "DEBUGINFO_DEFAULT",
)


_RULES = Path(__file__).parent
_PREPARING = threading.Lock()


def source_digest(package: Path = _RULES) -> str:
    """Return a digest of all that determines the machine code of a package: its sources, numba and its settings."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.implementation.cache_tag}".encode())
    for name in _SETTINGS:
        digest.update(f"{name}={getattr(numba.config, name, None)}".encode())
    for path in sorted(package.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _user_cache() -> Path | None:
    """Return the platform's folder for a user's caches; None if there is no home folder."""
    from platformdirs import user_cache_path

    folder = user_cache_path("crypt_env", appauthor=False)
    return folder if folder.is_absolute() else None


def _candidates() -> Iterator[Path]:
    """Yield the folders that may hold this version's cache, best first.

    Folders outside the package may serve several copies of one version. numba tells them apart by
    their paths, and so does the name here.
    """
    name = f"rules-{source_digest()}"
    shared = f"{name}-{hashlib.sha256(str(_RULES.resolve()).encode()).hexdigest()[:8]}"
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / shared
        return
    yield _RULES.resolve() / "__pycache__" / name
    if folder := _user_cache():
        yield folder / shared


def _is_usable(folder: Path) -> bool:
    """Return whether files can be written to a folder, which is created if necessary."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _forget_old(parent: Path, package: str = "rules") -> None:
    """Remove the oldest caches of other versions."""
    try:
        folders = sorted(parent.glob(f"{package}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in folders[KEPT_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


def _cache_folder() -> Path | None:
    """Return this version's cache folder; None, with a warning, if none can be written to."""
    tried = []
    for folder in _candidates():
        is_new = not folder.is_dir()
        if _is_usable(folder):
            if is_new:
                _forget_old(folder.parent)
            return folder
        tried.append(str(folder.parent))
    warnings.warn(
        f"crypt_env cannot keep its compiled rules (not writable: {', '.join(tried)}), so every start compiles them "
        "again; set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


int64: Callable[[object], int] = np.int64  # type: ignore[assignment]
"""Widens a field of the record. All numbers between functions have this one type, so that each is compiled once."""

CACHE_FOLDER = _cache_folder() if IS_COMPILED else None


@cache
def _folder_of(package: Path) -> Path | None:
    """Return the folder for the compiled code of a package."""
    if CACHE_FOLDER is None or package == _RULES:
        return CACHE_FOLDER
    folder = CACHE_FOLDER / f"{package.name}-{source_digest(package)}"
    if not folder.is_dir() and _is_usable(folder):
        _forget_old(CACHE_FOLDER, package.name)
    return folder


# -- files of the cache -----------------------------------------------------------------------------------------------

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size


class _Damaged(Exception):
    """A file does not hold what was written to it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path


class _SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function, each with a digest at its end."""

    def _dump(self, content: object) -> bytes:
        """Return the content of a file, and its digest."""
        data: bytes = super()._dump(content)
        return data + _DIGEST(data).digest()

    def _load_index(self) -> Any:
        """Return which file holds the code for which arguments."""
        # The version of numba comes first, outside the digest: another version is not damage.
        self._check(self._index_path, pickle.dumps(self._version, protocol=-1))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        """Return the code in a file."""
        self._check(self._data_path(name), b"")
        return super()._load_data(name)

    @staticmethod
    def _check(path: str, start: bytes) -> None:
        """Raise an error if a file with this beginning does not end in its digest."""
        file = Path(path)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return
        data, digest = content[len(start) : -_DIGEST_SIZE], content[-_DIGEST_SIZE:]
        if content.startswith(start) and _DIGEST(data).digest() != digest:
            raise _Damaged(file)


class CheckedCache(FunctionCache):  # type: ignore[misc]
    """The code of one function on disk. Files that cannot be read are discarded and compiled again."""

    def __init__(self, function: Callable[..., object], tell: Callable[[], None]) -> None:
        """Keep the code of a function; ``tell`` is called when existing code must be compiled again."""
        super().__init__(function)
        self._tell = tell
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for arguments of these types; None if there is none that works."""
        try:
            return super().load_overload(sig, target_context)
        except _Damaged as error:
            _remove(error.path)
        except Exception:  # a file that was not written here can lead to anything
            self._discard()
        self._tell()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the code for arguments of these types, if possible: it works either way."""
        try:
            super().save_overload(sig, data)
        except (OSError, _Damaged, pickle.PickleError, EOFError):  # a full disk, or a damaged file
            self._discard()

    def _discard(self) -> None:
        """Remove all files of the function."""
        for path in Path(self._cache_path).glob("*.nb?"):
            if path.name.startswith(f"{self._impl.filename_base}."):
                _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


# -- compiling --------------------------------------------------------------------------------------------------------


def rule(function: Function) -> Function:
    """Compile an inner function of the rules into its callers."""
    compiled: Function = numba.njit(
        no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", pipeline_class=InnerCompiler
    )(function)
    return compiled


def part(function: Function) -> Function:
    """Inline a function of the rules into its callers, before compiling.

    A separately compiled function is linked into each function above it in turn. A function with one caller is
    compiled with it instead, and costs no call.
    """
    inlined: Function = numba.njit(inline="always", error_model="numpy")(function)
    return inlined


def _package_of(function: Callable[..., object]) -> Path:
    """Return the folder of the file in which a function is written."""
    return Path(inspect.unwrap(function).__code__.co_filename).parent


def entry(function: Function) -> Function:
    """Compile a function that Python calls: without the GIL, its code kept on disk."""
    before = numba.config.CACHE_DIR
    folder = _folder_of(_package_of(function)) if IS_COMPILED else None
    numba.config.CACHE_DIR = str(folder or "")
    try:
        compiled: Function = numba.njit(nogil=True, no_cfunc_wrapper=True, error_model="numpy")(function)
        if folder is not None:
            compiled._cache = CheckedCache(function, _say_compiling)  # type: ignore[attr-defined]
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def wraps_around(function: Function) -> Function:
    """Let unsigned arithmetic overflow silently in plain Python, as it does when compiled."""
    if IS_COMPILED:
        return function
    quiet: Function = np.errstate(over="ignore")(function)
    return quiet


def _is_kept(function: Function) -> bool:
    """Return whether some machine code of an entry is in the cache."""
    folder = _folder_of(_package_of(function))
    name = getattr(function, "__name__", "")
    return folder is not None and any(folder.rglob(f"*.{name}-*.nbi"))


@cache
def _say_compiling() -> None:
    """Tell the user, once, that the rules are being compiled, and whether the code will be kept."""
    kept = "" if CACHE_FOLDER is None else ", once"
    print(f"crypt_env: compiling the rules (some seconds{kept}) ...", file=sys.stderr, flush=True)


def prepare(function: Function, *arguments: object) -> None:
    """Compile an entry for arguments of these types only; say so on standard error if that takes seconds.

    Arguments of other types are refused: compiling for them at the first call would take as long, silently.
    """
    if not IS_COMPILED or function.signatures:  # type: ignore[attr-defined]
        return
    with _PREPARING:
        if not function.signatures:  # type: ignore[attr-defined]
            _compile(function, tuple(numba.typeof(argument) for argument in arguments))


def _compile(function: Function, types: tuple[object, ...]) -> None:
    """Compile an entry for arguments of these types, or load it from the cache, and refuse all others."""
    if not _is_kept(function):
        _say_compiling()
    was_enabled = gc.isenabled()
    gc.disable()  # the compiler makes millions of lasting objects; looking for garbage among them costs a tenth
    try:
        function.compile(types)  # type: ignore[attr-defined]
        function.disable_compile()  # type: ignore[attr-defined]
    finally:
        if was_enabled:
            gc.enable()


if IS_COMPILED:

    @rule
    def row(states: np.ndarray, index: int) -> np.record:
        """Return one game of a batch, as a reference into it."""
        return states[index]

else:

    def row(states: np.ndarray, index: int) -> np.record:
        """Return one game of a batch, as a reference into it."""
        return states.view(np.recarray)[index]
