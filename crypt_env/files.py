"""Atomic file writing: to a temporary name in the same folder, then renamed."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import CryptError, shortened

PathText = str | os.PathLike[str]
"""A path as given by callers."""

_SHOWN_PATH = 400
"""Maximum characters of a path in a message."""


def replace_file(path: Path, content: bytes) -> None:
    """Write a file atomically: there is never a partial file, and the old one stays if writing fails."""
    with replacing(path) as partial:
        partial.write_bytes(content)


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Yield a temporary path in the same folder, which is made if necessary; at the end it takes the file's place.

    The new file is on disk by then, and has the permissions of the old one. After an error or an interruption there is
    nothing new; an error about the disk names the file.
    """
    partial = _partial(path)
    try:
        with _folder_above(path):
            try:
                yield partial
                _flush(partial)
                with suppress(OSError):  # there may be no old file, or no permissions on this kind of disk
                    shutil.copymode(path, partial)
                _move(partial, path)
            finally:
                partial.unlink(missing_ok=True)
    except OSError as error:
        if error.filename in (None, *map(os.fspath, (partial, *path.parents))):
            error.filename = os.fspath(path)
        raise


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def _folder_above(path: Path) -> Generator[None]:
    """Make the folders above a path; at the end, those that were made and are empty are removed."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in missing:
            with suppress(OSError):  # it is in use, or was not made
                folder.rmdir()


def _flush(path: Path) -> None:
    """Have a file on disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _move(partial: Path, path: Path) -> None:
    """Put a file into the place of another one."""
    try:
        partial.replace(path)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        shutil.copyfile(partial, path)  # a file that is mounted by itself, as in a container, can only be overwritten


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
    with new_path(path) as partial:
        partial.write_bytes(content)


@contextmanager
def new_path(path: PathText) -> Generator[Path]:
    """Yield a temporary path for a user's file that is written piece by piece, see `replacing`.

    Raises:
        CryptError: the file cannot be written.
    """
    target = _target(path)
    try:
        with replacing(target) as partial:
            yield partial
    except OSError as error:
        if error.filename != os.fspath(target):  # about another file
            raise
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
        with _folder_above(target):
            _partial(target).touch()  # the longest name that writing needs
            _partial(target).unlink()
    except OSError as error:
        raise _unwritable(target, error) from error


def shown(path: PathText) -> str:
    """Return a path as a message shows it: on one line, of limited length."""
    return shortened(os.fspath(path), _SHOWN_PATH)


def _target(path: PathText) -> Path:
    """Return the file that a path means, with links resolved.

    A folder, a device or a pipe is refused: the file would replace it.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise CryptError(f"{shown(path)} cannot be written: it is there already and is not a file")
        return Path(path).resolve()
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: PathText, error: OSError) -> CryptError:
    """Return the error about a file that cannot be written."""
    return CryptError(f"{shown(path)} cannot be written: {error.strerror or shortened(str(error))}")
