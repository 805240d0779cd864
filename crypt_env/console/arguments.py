"""Types of command-line arguments, for `argparse`: a wrong one is one sentence, before anything is done."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from crypt_env.errors import CryptError
from crypt_env.files import check_writable, shown

MOST_DIGITS = 9
"""Maximum digits of a count."""
MOST_AMOUNT = 3600
_SHOWN = 60
"""Maximum characters of an argument in a message."""


def count(text: str) -> int:
    """Parse a count that must be at least one."""
    if not text.isdecimal() or len(text) > MOST_DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"{text[:_SHOWN]!r} is not possible; a whole number from 1 up is needed, with at most {MOST_DIGITS} digits"
        )
    return int(text)


def amount(text: str) -> float:
    """Parse a number above zero, such as seconds.

    >>> amount("0.5")
    0.5
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= MOST_AMOUNT:
        raise argparse.ArgumentTypeError(
            f"{text[:_SHOWN]!r} is not possible; a number above 0 is needed, at most {MOST_AMOUNT}"
        )
    return number


def path_name(text: str) -> str:
    """Parse the path of a file or a folder: any but the empty one, which an unset variable of a shell leaves."""
    if not text:
        raise argparse.ArgumentTypeError("the name of a file or folder is needed, not an empty text")
    return text


def new_file(text: str) -> Path:
    """Parse the path of a file that will be written, and check now that it can be."""
    path_name(text)
    try:
        check_writable(text)
    except CryptError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return Path(text)


def refuse_shared(names: Mapping[str, str | None], taken: Mapping[str, str] = MappingProxyType({})) -> None:
    """Refuse outputs that would replace each other, or a file that is read.

    Args:
        names: of the files that will be written, by option; None for options that are not given.
        taken: names of files that must stay, each with what it is.

    Raises:
        CryptError: two names mean the same file.
    """
    known = {_file(name): what for name, what in taken.items()}
    for option, name in names.items():
        if name is not None and (first := known.setdefault(_file(name), option)) != option:
            raise CryptError(f"{option} {shown(name)} is not possible: it is {first}; another name is needed")


def _file(name: str) -> tuple[int, int] | str:
    """Return what tells a file from all others: names and links of the same file give the same."""
    path = Path(name)
    try:
        status = path.stat()
    except (OSError, ValueError):  # not there yet, or not a path at all, which is refused when it is opened
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def refuse_given(options: argparse.Namespace, defaults: Mapping[str, object], advice: str) -> None:
    """Refuse options that would change nothing.

    Args:
        options: of a command line.
        defaults: the values that these options have if they are not given.
        advice: what the option is for, and what to do; follows its name.

    Raises:
        CryptError: one of them is given.
    """
    for name, default in defaults.items():
        if getattr(options, name) != default:
            raise CryptError(f"--{name.replace('_', '-')} {advice}")
