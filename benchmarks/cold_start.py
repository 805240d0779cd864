"""Measures what the first use costs: seconds until something has happened, megabytes on disk and in memory.

    python benchmarks/cold_start.py

Each line is a process of its own, started three times: with an empty cache of compiled code (cold) and with a full one
(warm); the numbers are medians. Seconds depend on what else the machine does, so processor time stands beside them. The
size is that of the package with all that it needs, newly installed into a folder; memory is the highest resident size.
The results go into benchmarks/results/cold-start.json, and from there into the tables of docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from crypt_env.arena.formats import markdown_table
from crypt_env.files import write_json, write_text

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "benchmarks" / "results" / "cold-start.json"
PAGE = ROOT / "docs" / "performance.md"
RUNS = 3

STARTS = {
    "`import crypt_env`": ("-c", "import crypt_env"),
    "the first decision of a game": ("-c", "from crypt_env import Game; Game(players=2).random_action()"),
    "`crypt arena tuned greedy --games 2`": ("-m", "crypt_env", "arena", "tuned", "greedy", "--games", "2"),
    "`crypt arena search:50 random --games 2`": ("-m", "crypt_env", "arena", "search:50", "random", "--games", "2"),
    "`crypt warm`": ("-m", "crypt_env", "warm"),
}
"""What is started; `crypt warm` compiles everything, on all cores."""

MEMORY = {
    "`import crypt_env`": "import crypt_env",
    "a game": "from crypt_env import Game; Game(players=2).random_action()",
    "`Batch(1024)`": "from crypt_env import Batch; Batch(1024, players=2, seed=1).reset()",
    "`make_agent('net:duel')`": "from crypt_env.agents import make_agent; make_agent('net:duel')",
}
_PEAK = "\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"


def run(arguments: tuple[str, ...], cache: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with a folder for compiled code, elsewhere than in the source tree."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=cache, capture_output=True, text=True, check=True
    )


def timed(arguments: tuple[str, ...], cache: Path) -> tuple[float, float]:
    """Return the seconds and the processor time of a process."""
    used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(arguments, cache)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


def start_of(arguments: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return the medians of starts with an empty cache, and with the one that they have filled."""
    times: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": []}
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            times["cold"].append(timed(arguments, Path(folder)))
            times["warm"].append(timed(arguments, Path(folder)))
    return {
        kind: {
            "seconds": round(statistics.median(seconds for seconds, _ in found), 2),
            "processor": round(statistics.median(processor for _, processor in found), 2),
        }
        for kind, found in times.items()
    }


def memory() -> dict[str, int]:
    """Return the highest resident size of each process in megabytes, with a full cache."""
    with tempfile.TemporaryDirectory() as folder:
        for program in MEMORY.values():
            run(("-c", program), Path(folder))
        return {
            name: round(int(run(("-c", program + _PEAK), Path(folder)).stdout) / 1024)
            for name, program in MEMORY.items()
        }


def size() -> dict[str, int]:
    """Return the megabytes of the package alone, and of it with all that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-compile", "-c", str(ROOT / "constraints.txt")]
        subprocess.run([*pip, "--target", folder, str(ROOT)], check=True, stderr=subprocess.DEVNULL)
        return {"crypt_env": _megabytes(Path(folder) / "crypt_env"), "with all that it needs": _megabytes(Path(folder))}


def _megabytes(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)


def start_table(found: dict[str, Any]) -> str:
    """Return the times as a table in Markdown."""
    rows = [
        (name, *(f"{kinds[kind]['seconds']:.1f} s ({kinds[kind]['processor']:.1f})" for kind in ("cold", "warm")))
        for name, kinds in found["starts"].items()
    ]
    return markdown_table(("start", "cold", "warm"), rows)


def size_table(found: dict[str, Any]) -> str:
    """Return the sizes as a table in Markdown."""
    kinds = ("installed", "memory")
    rows = [(f"{kind}: {name}", megabytes) for kind in kinds for name, megabytes in found[kind].items()]
    return markdown_table(("on disk, in memory", "MB"), rows)


def main() -> None:
    """Measure and write."""
    argparse.ArgumentParser(description="Measures what the first use costs.").parse_args()
    load = os.getloadavg()[0]
    found: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("numba", "numpy", "gymnasium", "pettingzoo")},
        "cores": os.cpu_count(),
        "runs": RUNS,
        "load": [round(load, 1)],
        "starts": {name: start_of(arguments) for name, arguments in STARTS.items()},
        "memory": memory(),
        "installed": size(),
    }
    found["load"].append(round(os.getloadavg()[0], 1))
    write_json(RESULT, found)
    page = PAGE.read_text(encoding="utf-8")
    for head, table in (("start", start_table(found)), ("on disk", size_table(found))):
        page = re.sub(rf"^\| {head}.*?(?=\n\n)", table, page, flags=re.M | re.S)
    write_text(PAGE, page)
    print(f"{start_table(found)}\n\n{size_table(found)}")


if __name__ == "__main__":
    main()
