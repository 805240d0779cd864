"""How long the two commands of the README take in a fresh clone, with empty caches.

    python benchmarks/clone.py [--json FILE]

The last commit is cloned into a temporary folder. What pip has downloaded and numba has compiled before is not used, so
this needs the network, and a quarter of an hour.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import tempfile
import time
from datetime import date
from pathlib import Path

from crypt_env.console.arguments import new_file
from crypt_env.files import write_json

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {"make train": ".venv/.ready", "make test": ".venv/.complete"}
"""The commands, with the target of the Makefile that installs what they need."""


def main() -> None:
    """Run the commands, print a line for each and write the seconds to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write the seconds")
    options = parser.parse_args()
    seconds, installing = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "crypt"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        hidden = {"NUMBA_CACHE_DIR", "PYTHONPATH", "VIRTUAL_ENV"}
        given = {name: value for name, value in os.environ.items() if name not in hidden}
        given["XDG_CACHE_HOME"] = f"{folder}/cache"
        for command, install in COMMANDS.items():
            installing[command] = run(["make", install], clone, given)
            seconds[command] = installing[command] + run(command.split(), clone, given)
            print(f"{command}: {seconds[command]:.0f} s, {installing[command]:.0f} of them for installing", flush=True)
    report = {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "seconds": seconds,
        "of which installing": installing,
    }
    if options.json:
        write_json(options.json, report)


def run(command: list[str], folder: Path, given: dict[str, str]) -> float:
    """Run a command and return how many seconds it took."""
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, env=given)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
