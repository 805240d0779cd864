"""Trainings of benchmarks: a run counts as finished when its training has ended, and no earlier."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import crypt_env
from crypt_env.experiment.checkpoint_file import NAME
from experiment.runs import SMALL

BENCHMARKS = Path(crypt_env.__file__).resolve().parents[1] / "benchmarks"
DECISIONS = 200 * SMALL["games"] * SMALL["steps"]
CHANGES = [f"{name}={value}".replace("'", "") for name, value in {**SMALL, "decisions": DECISIONS}.items()]
CODE = "import sys; from pathlib import Path; from shared.trainings import train_once; "
CODE += "train_once('solo', sys.argv[2:], Path(sys.argv[1]), is_quiet=True)"
PATIENCE = 120


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a training as benchmarks do, in a process group of its own."""
    place = {**os.environ, "PYTHONPATH": str(BENCHMARKS)}
    return subprocess.Popen([sys.executable, "-c", CODE, str(folder), *CHANGES], env=place, start_new_session=True)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups")
def test_a_stopped_training_continues_and_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    folder, unfinished = tmp_path / "run", tmp_path / "run.unfinished"
    process, deadline = start(folder), time.monotonic() + PATIENCE
    while not (unfinished / NAME).is_file():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(PATIENCE) != 0
    assert not folder.exists()
    assert start(folder).wait(PATIENCE) == 0
    assert not unfinished.exists()
    assert "continues after" in (folder / "output.txt").read_text()
    with (folder / "curves.csv").open(newline="") as file:
        assert int(list(csv.DictReader(file))[-1]["decisions"]) == DECISIONS
    before = (folder / NAME).stat().st_mtime_ns
    assert start(folder).wait(PATIENCE) == 0
    assert (folder / NAME).stat().st_mtime_ns == before
