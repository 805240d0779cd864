"""Runs killed at random moments, as many as there is time for; benchmarks/kills.py kills more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import crypt_env

ROOT = Path(crypt_env.__file__).resolve().parents[1]


@pytest.mark.slow
def test_killed_runs_come_to_the_same_weights() -> None:
    """And those that are stopped by a signal, which say so in one line."""
    run = subprocess.run(
        [sys.executable, "benchmarks/kills.py", "--kills", "4", "--kinds", "2"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1].startswith("4 kills in ")
