"""Files of lines that are written piece by piece."""

from __future__ import annotations

import gzip
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, cast

from crypt_env.files import PathText, new_path


@contextmanager
def new_lines(path: PathText) -> Generator[IO[bytes]]:
    """Yield an open file for lines, see `files.new_path`; one that ends in .gz is packed."""
    with new_path(path) as partial, partial.open("wb") as file:
        if not str(path).endswith(".gz"):
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:  # the same lines make the same file
            yield cast(IO[bytes], packed)
