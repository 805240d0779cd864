"""Atomic file writing: to a temporary name in the same folder, then renamed."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from .errors import CryptError, shortened

PathText = str | os.PathLike[str]
"""A path as given by callers."""

_SHOWN_PATH = 400
"""Maximum characters of a path in a message."""


def replace_file(path: Path, content: bytes) -> None:
    """Write a file atomically: there is never a partial file, and the old one stays if writing fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: PathText, text: str) -> None:
    """Write a text to a user's path, as `replace_file` does; links are followed and kept.

    Raises:
        CryptError: it cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: PathText, content: bytes) -> None:
    """Write bytes to a user's path, in the same way.

    Raises:
        CryptError: it cannot be written.
    """
    target = _target(path)
    try:
        replace_file(target, content)
    except OSError as error:
        raise _unwritable(target, error) from error


def write_json(path: PathText, content: object) -> None:
    """Write JSON to a user's path, in the same way.

    Raises:
        CryptError: it cannot be written.
    """
    write_text(path, json.dumps(content, indent=1) + "\n")


def plain_name(text: str) -> str:
    """Return a text as the name of a file or a folder: letters and digits, and hyphens for all else.

    >>> plain_name("./runs/duel.2/")
    'runs-duel-2'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in text.strip("/."))


def check_writable(path: PathText) -> None:
    """Raise CryptError unless a file can be written: for a check before hours of work."""
    target = _target(path)
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise _unwritable(target, error) from error


def shown(path: PathText) -> str:
    """Return a path as a message shows it: on one line, of limited length."""
    return shortened(os.fspath(path), _SHOWN_PATH)


def _target(path: PathText) -> Path:
    """Return the file that a path means, with links resolved, in an existing folder.

    A folder, a device or a pipe is refused: the file would replace it.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise CryptError(f"{shown(path)} cannot be written: it is there already and is not a file")
        target = Path(path).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    return target


def _unwritable(path: PathText, error: OSError) -> CryptError:
    """Return the error about a file that cannot be written."""
    return CryptError(f"{shown(path)} cannot be written: {error.strerror or shortened(str(error))}")
