"""Where the numbers of a run are logged: a table, TensorBoard, Weights & Biases."""

from __future__ import annotations

import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, make_output_format

from crypt_env.errors import CryptError, install_hint, shortened
from crypt_env.files import replace_file

from .settings import Settings

IDENTITY = "wandb-id.txt"
"""The file in a run's folder with its id at Weights & Biases."""


def check_log(settings: Settings) -> None:
    """Raise an error if a log cannot be written."""
    if settings.tensorboard and find_spec("tensorboard") is None:
        raise CryptError("tensorboard=true needs TensorBoard; install it, or set tensorboard=false")


def open_log(settings: Settings, folder: Path, done: int) -> Logger:
    """Return the logger of a run; what it logged in its first ``done`` decisions stays in separate files."""
    kinds = ["csv", "tensorboard"] if settings.tensorboard else ["csv"]
    suffix = f"-{done}" if done else ""
    writers = [make_output_format(kind, str(folder / "log"), suffix) for kind in kinds]
    if settings.wandb:
        writers.append(WandbWriter(settings, folder))
    return Logger(str(folder / "log"), writers)


class WandbWriter(KVWriter):
    """Sends all numbers that a run logs to a project at Weights & Biases."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        """Begin a run there, or continue the one of this folder.

        Raises:
            CryptError: the package is not installed, or the project cannot be reported to.
        """
        try:
            import wandb
        except ImportError as error:
            raise CryptError(
                f"wandb={settings.wandb!r} needs the package wandb; {install_hint('wandb')}, or leave the setting out"
            ) from error
        path = folder / IDENTITY
        if not path.exists():
            replace_file(path, secrets.token_hex(8).encode())
        try:
            self._run: Any = wandb.init(
                project=settings.wandb,
                name=settings.name,
                config=settings.model_dump(),
                dir=str(folder),
                id=path.read_text(),
                resume="allow",
            )
        except (wandb.Error, ValueError) as error:
            raise CryptError(
                f"wandb={settings.wandb!r} cannot be reported to: {shortened(str(error))} (or leave the setting out)"
            ) from error

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Send the numbers of one step."""
        self._run.log({name: value for name, value in key_values.items() if isinstance(value, (int, float))}, step=step)

    def close(self) -> None:
        """End the run there."""
        self._run.finish()
