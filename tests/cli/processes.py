"""Programs in separate processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import crypt_env

PACKAGE = Path(crypt_env.__file__).resolve().parent


def environment(**changes):
    """Return the environment of this process with some changes; None removes a variable."""
    merged = {**os.environ, "PYTHONWARNINGS": "default", **changes}
    return {name: str(value) for name, value in merged.items() if value is not None}


def run(*arguments, text=None, **options):
    """Run Python with these arguments and return what came out."""
    return subprocess.run([sys.executable, *map(str, arguments)], input=text, capture_output=True, text=True, **options)


def crypt(*arguments, text=None):
    """Run the command line."""
    return run("-m", "crypt_env", *arguments, text=text, env=environment())


def lines_in(path):
    """Return how many whole lines a file has, 0 if there is none."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for_end_of_group(group):
    """Wait until no process of a group is left; fail if some stay."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("processes were left behind")


def without_compiler(text):
    """Return the messages without the one about compiling the rules, which only a first start prints."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("crypt_env: compiling"))
