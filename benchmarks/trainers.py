"""Measures what the examples with other libraries learn, and in which time.

    python benchmarks/trainers.py [NAME ...]

Without names all run whose library is installed; with names only those whose file contains one. The others keep their
numbers: AgileRL needs an environment of its own, and is measured with its Python and the name ``agilerl``. The results
go into benchmarks/results/trainers.json, and from there into the table of docs/trainers.md.

Every example runs in a process of its own, with one thread. Processor time is what it took by itself; seconds also
depend on what else the machine was doing, which the load tells.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crypt_env.arena.formats import markdown_table
from crypt_env.files import write_json, write_text

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "benchmarks" / "results" / "trainers.json"
PAGE = ROOT / "docs" / "trainers.md"

EXAMPLES = {
    "ppo_from_scratch.py": ("torch", "163840", r"wins (\d+%)"),
    "pettingzoo_masking.py": ("sb3-contrib", "20480", r"([\d.]+%)"),
    "maskable_ppo.py": ("sb3-contrib", "65536", r"([\d.]+) (?:before|after)"),
    "tianshou_ppo.py": ("tianshou", "40960", r"([\d.]+) (?:before|after)"),
    "torchrl_ppo.py": ("torchrl", "81920", r"([\d.]+) (?:before|after)"),
    "agilerl_ppo.py": ("agilerl", "81920", r"([\d.]+) (?:before|after)"),
    "behavior_cloning.py": ("torch", "1000", r"([\d.]+%) of the wins against greedy"),
}
"""Each example with its library, its budget, and what to find in its output: if possible, before learning and after."""


def measure(name: str) -> dict[str, Any]:
    """Run an example and return what it reached."""
    library, budget, pattern = EXAMPLES[name]
    used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / name), budget]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.findall(pattern, done.stdout)
    return {
        "library": f"{library} {version(library).partition('+')[0]}",
        "budget": int(budget),
        "before": found[0] if len(found) > 1 else None,
        "after": found[-1],
        "processor_seconds": round(after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, 1),
        "seconds": round(time.perf_counter() - start, 1),
        "load": round(os.getloadavg()[0], 1),
        "output": done.stdout.splitlines()[-1],
    }


def table(results: dict[str, Any]) -> str:
    """Return the results as a table in Markdown."""
    rows = []
    for name in EXAMPLES:
        found = results[name]
        learned = (found["before"] or "", found["after"], f"{found['processor_seconds']:.0f} s")
        rows.append((f"[{name}](../examples/{name})", found["library"], f"{found['budget']:,}", *learned))
    return markdown_table(("example", "library", "budget", "before", "after", "processor time"), rows)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="Measures the examples with other libraries.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of an example's name, such as torchrl")
    names = parser.parse_args().names
    results: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    for name in EXAMPLES:
        if any(part in name for part in names) or (not names and find_spec(EXAMPLES[name][0].replace("-", "_"))):
            results[name] = measure(name)
            print(name, results[name], flush=True)
            write_json(RESULT, results)
    page = PAGE.read_text(encoding="utf-8")
    write_text(PAGE, re.sub(r"^\| example .*?(?=\n\n)", table(results), page, flags=re.M | re.S))


if __name__ == "__main__":
    main()
