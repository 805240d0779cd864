"""Which network a name means.

A name without a slash is always that of a network that comes with the package, whatever lies in the working directory.
A name with a slash, such as ``./mine`` or ``runs/duel/best``, is a path, with or without ``.safetensors`` at its end.
"""

from __future__ import annotations

import os
from pathlib import Path

from crypt_env.errors import CryptError, quoted
from crypt_env.files import shown

SHIPPED = Path(__file__).resolve().parent.parent / "networks"
"""Where the networks lie that come with the package."""
ENDING = ".safetensors"
BEST = f"best{ENDING}"
"""The file of the network that a training has found best, in its folder."""


def is_path(name: str) -> bool:
    """Return whether a name is a path: whether it has a slash, or what the platform writes for one."""
    return "/" in name or os.sep in name


def with_ending(path: str | os.PathLike[str]) -> Path:
    """Return the path of a network's file, which may have been given without its ending."""
    text = os.fspath(path)
    return Path(text if text.endswith(ENDING) else text + ENDING)


def shipped_networks() -> list[str]:
    """Return the names of the networks that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{ENDING}"))


def find_network(name: str | os.PathLike[str]) -> Path:
    """Return the file of a network: by its name, or by its path, as which everything counts that is no text.

    Raises:
        CryptError: there is none.
    """
    if isinstance(name, str) and not is_path(name):
        if name in shipped_networks():
            return SHIPPED / f"{name}{ENDING}"
        known = ", ".join(shipped_networks()) or "none"
        raise CryptError(
            f"there is no network {quoted(name)}; with the package come {known}, and a path has a slash in it"
        )
    path = with_ending(name)
    if not _is_file(path):
        raise CryptError(f"there is no network {quoted(str(name))}: '{shown(path)}' is no file")
    return path


def is_folder(path: str) -> bool:
    """Return whether there is a folder; what cannot be a path is none."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    """Return whether there is a file; what cannot be a path, such as one that is too long, is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
