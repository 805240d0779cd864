"""Trainings of a study: each in a process of its own, and only once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNFINISHED = ".unfinished"
OUTPUT = "output.txt"
"""The file in a run's folder with what a quiet training printed."""


def train_once(config: str, changes: Sequence[str], folder: Path, *, is_quiet: bool = False) -> Path:
    """Train a network unless that is done, continuing a training that was stopped; return the folder of the run.

    Until its end a run is in a folder beside, whose name ends with ``.unfinished``: a training that is stopped writes
    its networks too, and they must not be taken for those of a finished one.

    Args:
        config: name of a configuration in ``configs``.
        changes: its changed settings, as ``name=value``.
        folder: where the finished run is.
        is_quiet: keep what the training prints in a file of the run.

    Raises:
        subprocess.CalledProcessError: the training was stopped, or failed.
    """
    if folder.is_dir():
        return folder
    unfinished = folder.with_name(folder.name + UNFINISHED)
    unfinished.mkdir(parents=True, exist_ok=True)
    how = "--resume" if (unfinished / "checkpoint.safetensors").is_file() else "--overwrite"
    command = [sys.executable, "-m", "training.train", str(ROOT / "configs" / f"{config}.yaml"), *changes]
    command += [how, "--out", str(unfinished.resolve())]
    if is_quiet:
        with (unfinished / OUTPUT).open("a") as output:
            subprocess.run(command, check=True, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    else:
        subprocess.run(command, check=True, cwd=ROOT)
    unfinished.rename(folder)
    return folder
