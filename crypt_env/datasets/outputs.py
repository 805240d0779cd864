"""Files that are written piece by piece."""

from __future__ import annotations

import gzip
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from crypt_env.files import PathText, check_writable


@contextmanager
def new_path(path: PathText) -> Generator[Path]:
    """Yield a temporary path beside a file that is to be written; at the end it takes the file's place.

    After an error or an interruption there is nothing new.

    Raises:
        CryptError: the file cannot be written.
    """
    check_writable(path)
    target = Path(path).resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def new_lines(path: PathText) -> Generator[IO[bytes]]:
    """Yield an open file for lines, see `new_path`; one that ends in .gz is packed."""
    with new_path(path) as partial, partial.open("wb") as file:
        if not str(path).endswith(".gz"):
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:  # the same lines make the same file
            yield cast(IO[bytes], packed)
