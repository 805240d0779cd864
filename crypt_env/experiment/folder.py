"""The folder of a run: what it holds, and what of that may be removed."""

from __future__ import annotations

from pathlib import Path

from crypt_env.errors import CryptError

from .checkpoint import has_checkpoint, no_checkpoint
from .checkpoint_file import NAME
from .history import FILE
from .log import IDENTITY

_PRECIOUS = ("best.safetensors", "last.safetensors", "model.zip", "curves.csv")
"""What must not be lost if there is no checkpoint."""
PARTIAL = ".part"
"""How files end that `replace_file` has not finished."""
EXPLOITERS = "exploiters"
"""The folder in that of a run with a folder for each exploiter."""
TARGET = "target.safetensors"
"""The network that an exploiter is trained against, in the exploiter's folder."""
_OUTPUTS = (
    *(NAME, FILE, IDENTITY, "model.zip", "curves.csv", "curves.png", "exploiters.csv", "result.json"),
    *("best.safetensors", "last.safetensors", TARGET, "log/progress*.csv", "log/*tfevents*"),
)


def check_folder(folder: Path, is_resumed: bool, is_overwritten: bool) -> None:
    """Check that a folder may be used.

    Raises:
        CryptError: it holds a run, and neither was asked for; or there is none to go on from.
    """
    if is_overwritten:
        return
    has_run = has_checkpoint(folder)
    if is_resumed:
        if not has_run:
            raise no_checkpoint(folder)
    elif has_run:
        raise CryptError(
            f"{str(folder)!r} holds a run; say --resume to continue it, --overwrite to replace it, or name another "
            "--out"
        )
    elif kept := [name for name in _PRECIOUS if (folder / name).exists()]:
        raise CryptError(
            f"{str(folder)!r} holds {kept[0]!r} of a run without a checkpoint; say --overwrite to replace it, or name "
            "another --out"
        )


def clear_run(folder: Path) -> None:
    """Remove what an earlier run left in its folder; other files stay."""
    for place in (folder, *folder.glob(f"{EXPLOITERS}/*")):
        for path in outputs_in(place):
            path.unlink()


def outputs_in(folder: Path) -> list[Path]:
    """Return the files of a run that are in its folder."""
    return [path for pattern in _OUTPUTS for path in folder.glob(pattern)]


def clear_halves(folder: Path) -> None:
    """Remove what is left of files that a killed process was writing."""
    for pattern in _OUTPUTS:
        place = folder / pattern
        for path in place.parent.glob(f".{place.name}.*{PARTIAL}"):
            path.unlink()
