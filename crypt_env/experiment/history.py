"""run.json: the settings, the code and the versions of a run, for each time it was started."""

from __future__ import annotations

import platform
import subprocess
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import stable_baselines3
import torch

import crypt_env
from crypt_env.files import write_json

from .settings import Settings

FILE = "run.json"
SOURCES = Path(__file__).resolve().parents[2]

Session = dict[str, Any]
"""One start of a run: "decisions" played before, when it began, code, versions, and changed settings."""


@cache
def code_version() -> str:
    """Return the commit of the sources, followed by ``-dirty`` if they were changed; without git the version."""
    version = f"crypt_env {crypt_env.__version__}"
    try:
        if Path(_git("rev-parse", "--show-toplevel")).resolve() != SOURCES:
            return version  # an installed package that happens to be inside another repository
        return "git " + _git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    except (OSError, subprocess.SubprocessError):
        return version


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(SOURCES), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()


def versions() -> dict[str, str]:
    """Return the versions of everything that affects the result."""
    return {
        "python": platform.python_version(),
        "crypt_env": str(crypt_env.__version__),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "stable_baselines3": stable_baselines3.__version__,
        "processor": platform.processor() or platform.machine(),
    }


def changes_between(before: Settings, now: Settings) -> dict[str, list[Any]]:
    """Return the settings that differ, each with its value before and now."""
    pairs = {name: [value, getattr(now, name)] for name, value in before.model_dump().items()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def described(changes: dict[str, list[Any]]) -> str:
    """Return changes of settings as text."""
    return ", ".join(f"{name}={now} instead of {before}" for name, (before, now) in changes.items())


def new_session(decisions: int, changes: dict[str, list[Any]]) -> Session:
    """Return the entry about a start of a run."""
    return {
        "decisions": decisions,
        "began": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "code": code_version(),
        "versions": versions(),
        "changes": changes,
    }


def write_facts(settings: Settings, folder: Path, sessions: list[Session]) -> None:
    """Write what a run is made of now, and all its starts."""
    now = sessions[-1]
    facts = {"settings": settings.model_dump(), "code": now["code"], "versions": now["versions"], "sessions": sessions}
    write_json(folder / FILE, facts)
