"""Build the engine as WebAssembly: `python -m tools.web_engine [--into FOLDER]`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from crypt_env.files import write_bytes

from .linking import HOW_TO_GET, linker

FILES = ("engine.wasm", "engine.json")

SETTINGS = {
    "NUMBA_OPT": "0",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "PYTHONHASHSEED": "0",
}
"""Keeps the bytes independent of the machine and of the order of sets."""


def main() -> None:
    """Build both files in a subprocess, whose compiler has the right settings, and put them into a folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.web_engine", description=__doc__)
    package = Path(__file__).resolve().parents[2] / "crypt_env"
    parser.add_argument("--into", type=Path, default=package / "web", help="the folder for both files")
    folder: Path = parser.parse_args().into
    if linker() is None:
        parser.exit(1, f"there is no wasm-ld; {HOW_TO_GET}\n")
    with tempfile.TemporaryDirectory() as work:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        environment = {**inherited, **SETTINGS, "NUMBA_CACHE_DIR": work}
        done = subprocess.run([sys.executable, "-m", "tools.web_engine.build", work], env=environment)
        if done.returncode != 0:
            parser.exit(done.returncode)
        for name in FILES:
            write_bytes(folder / name, (Path(work) / name).read_bytes())
            print(f"{folder / name}: {(folder / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
