"""Which network a name means.

A name without a slash always means a network that comes with the package, regardless of the working directory.
A name with a slash, such as ``./mine`` or ``runs/duel/best``, is a path, with or without ``.safetensors`` at its end.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from crypt_env.errors import CryptError, quoted
from crypt_env.files import shown

SHIPPED = Path(__file__).resolve().parent.parent / "networks"
"""The folder of the networks that come with the package."""
ENDING = ".safetensors"
BEST = f"best{ENDING}"
"""The best network of a training run, in its folder."""


def is_path(name: str) -> bool:
    """Return whether a name is a path: whether it has a slash or the platform's separator."""
    return "/" in name or os.sep in name


def with_ending(path: str | os.PathLike[str]) -> Path:
    """Return the path of a network's file; the ending may be omitted."""
    text = os.fspath(path)
    return Path(text if text.endswith(ENDING) else text + ENDING)


def new_network_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a network's file that will be written.

    Raises:
        CryptError: it has nothing before the ending, as that of an empty text or of a folder.
    """
    full = with_ending(path)
    if full.name == ENDING or not full.stem.strip("."):
        raise CryptError(f"'{shown(path)}' is not possible as a network's file; a path with a name is needed")
    return full


def shipped_networks() -> list[str]:
    """Return the names of the networks that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{ENDING}"))


def find_network(name: str | os.PathLike[str]) -> Path:
    """Return the file of a network: by its name, or by its path. Anything but a text counts as a path.

    Raises:
        CryptError: there is no such network.
    """
    if isinstance(name, str) and not is_path(name):
        if name in shipped_networks():
            return SHIPPED / f"{name}{ENDING}"
        known = ", ".join(shipped_networks()) or "none"
        raise CryptError(f"there is no network {quoted(name)}; the package has {known}, and a path has a slash in it")
    path = with_ending(name)
    if not is_there(path):
        raise CryptError(f"there is no network {quoted(str(name))}: '{shown(path)}' is not a file")
    return path


def is_there(path: Path, kind: Callable[[Path], bool] = Path.is_file) -> bool:
    """Return whether there is such a file or, with `Path.is_dir`, folder; False for what cannot be a path at all."""
    try:
        return kind(path)
    except (OSError, ValueError):
        return False
