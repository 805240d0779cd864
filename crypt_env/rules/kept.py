"""Compiled code on disk that is looked at before it is used: a damaged file is compiled again, not run.

numba unpickles whatever stands in its files and runs the machine code in them. So each file ends in a digest of what
it holds. numba itself does not read that far, and a file without the right one is thrown away.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size


class _Damaged(Exception):
    """A file does not hold what was written to it."""

    def __init__(self, path: Path) -> None:
        """Name the file."""
        super().__init__(path)
        self.path = path


class _SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function, each with a digest at its end."""

    def _dump(self, content: object) -> bytes:
        """Return what stands in a file, and its digest."""
        data: bytes = super()._dump(content)
        return data + _DIGEST(data).digest()

    def _load_index(self) -> Any:
        """Return which file holds the code for which arguments."""
        # The version of numba comes first, and the digest does not cover it: another one is no damage.
        self._check(self._index_path, pickle.dumps(self._version, protocol=-1))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        """Return the code in a file."""
        self._check(self._data_path(name), b"")
        return super()._load_data(name)

    @staticmethod
    def _check(path: str, start: bytes) -> None:
        """Raise an error if a file that begins like this does not end in its digest."""
        file = Path(path)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return
        data, digest = content[len(start) : -_DIGEST_SIZE], content[-_DIGEST_SIZE:]
        if content.startswith(start) and _DIGEST(data).digest() != digest:
            raise _Damaged(file)


class CheckedCache(FunctionCache):  # type: ignore[misc]
    """The code of one function on disk. What cannot be read is thrown away and compiled again."""

    def __init__(self, function: Callable[..., object], tell: Callable[[], None]) -> None:
        """Keep the code of a function; ``tell`` is called where it must be compiled although there was some."""
        super().__init__(function)
        self._tell = tell
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for arguments of these types, or None if there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except _Damaged as error:
            _remove(error.path)
        except Exception:  # whatever else a file leads to that was not written here
            self._throw_away()
        self._tell()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for arguments of these types, if that is possible: it can be used either way."""
        try:
            super().save_overload(sig, data)
        except (OSError, _Damaged, pickle.PickleError, EOFError):  # a full disk, or a file that just broke
            self._throw_away()

    def _throw_away(self) -> None:
        """Remove all files of the function."""
        for path in Path(self._cache_path).glob("*.nb?"):
            if path.name.startswith(f"{self._impl.filename_base}."):
                _remove(path)


def _remove(path: Path) -> None:
    """Remove a file if that is possible."""
    with suppress(OSError):
        path.unlink()
