"""One training at a time in a folder: a lock that the operating system releases when its process ends, however."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from crypt_env.errors import CryptError

LOCK = ".lock"
"""The file that is locked. It is never removed: another process might just have locked it."""

_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)

if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep all other trainings out of a folder, creating it if necessary.

    Raises:
        CryptError: another training is using it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("ab") as file:
        try:
            _take(file)
        except OSError as error:
            if error.errno in _TAKEN:
                raise CryptError(
                    f"another training is writing to {str(folder)!r}; wait for its end, or name another --out"
                ) from None
            # A file system without locks does not prevent training.
        yield
