"""``crypt warm``: afterwards no process compiles anything, and no folder is a clear error."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import crypt_env
from cli.processes import environment, run

PACKAGE = Path(crypt_env.__file__).parent


def compiled_names() -> set[str]:
    """Return the names of all functions that Python calls compiled, but for the study of the bound."""
    rooms = ["rules", "agents", *(["ppo"] if find_spec("sb3_contrib") else [])]
    sources = [path.read_text(encoding="utf-8") for room in rooms for path in (PACKAGE / room).glob("*.py")]
    return {name for source in sources for name in re.findall(r"^@(?:entry|compiled)\ndef (\w+)", source, re.MULTILINE)}


def crypt(*arguments: str, **settings: str) -> CompletedProcess[str]:
    """Run the command line with variables of the environment."""
    return run("-m", "crypt_env", *arguments, env=environment(**settings))


@pytest.mark.slow
def test_everything_is_compiled_and_kept(tmp_path: Path) -> None:
    """Every compiled function has its code on disk."""
    done = crypt("warm", NUMBA_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    kept = {re.split(r"[.-]", path.name)[1] for path in tmp_path.rglob("*.nbi")}
    assert len(compiled_names()) > 15
    assert compiled_names() <= kept
    assert "compiling" not in crypt("arena", "random", "greedy", "--games", "2", NUMBA_CACHE_DIR=str(tmp_path)).stderr


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are listed as Linux does")
def test_a_process_that_is_killed_ends_it_with_a_sentence(tmp_path: Path) -> None:
    """It does not wait for an answer that never comes."""
    command = [sys.executable, "-m", "crypt_env", "warm", "--jobs", "2"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, env=environment(NUMBA_CACHE_DIR=tmp_path)) as process:
        while not (workers := workers_of(process.pid)):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(workers[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert re.fullmatch(r"crypt warm: a process .* was ended from outside; was there enough memory\?\n", errors)


def workers_of(process: int) -> list[int]:
    """Return the processes that another one has started to work."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_plain_python_has_nothing_to_compile() -> None:
    """The message names the setting."""
    done = crypt("warm", NUMBA_DISABLE_JIT="1")
    assert done.returncode == 2
    assert "NUMBA_DISABLE_JIT is set, so nothing is compiled" in done.stderr
