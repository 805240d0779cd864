"""JavaScript for the tests: scripts of this folder, run by Node.js with the engine that belongs to the package."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crypt_env

WEB = Path(crypt_env.__file__).resolve().parent / "web"
HERE = Path(__file__).parent

needs_node = pytest.mark.skipif(
    shutil.which("node") is None,
    reason="no Node.js; get it from your system, as in: apt-get install nodejs",
)


def run(script: str, **given: Any) -> Any:
    """Run a script with the folder of the engine and what is given to it; return what it answers."""
    done = subprocess.run(
        ["node", str(HERE / script), str(WEB)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def as_hex(rows: np.ndarray) -> list[str]:
    """Return the bytes of each row as text."""
    return [row.tobytes().hex() for row in rows]
