"""Programs in separate processes."""

import os
import subprocess
import sys
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
