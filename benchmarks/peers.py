"""Decisions per second beside comparable projects, each in an environment of its own, on one core, in turns.

    python benchmarks/peers.py [--seconds 1] [--rounds 3] [--json FILE] [--plot PICTURE] [--cache FOLDER] [--load FILE]

All play at random, legally, and make the observation of each decision. The games are not the same, so the numbers
compare interfaces rather than rules; a decision of Crypt has 498 numbers and 127 actions. The environments are kept in
the cache folder. A project that does not install is listed with the reason.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import amount, count, new_file
from crypt_env.files import write_bytes, write_json

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(__file__).parent / "peers"

PEERS = {
    "Crypt": ("crypt.py", [str(ROOT)]),
    "PettingZoo": ("zoo.py", ["pettingzoo[classic]"]),
    "OpenSpiel": ("spiel.py", ["open_spiel"]),
    "RLCard": ("cards.py", ["rlcard"]),
    "Pgx": ("pgx_games.py", ["pgx", "jax"]),
    "EnvPool": ("pool.py", ["envpool"]),
}
"""The script that measures each project, and what it is installed from."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def main() -> None:
    """Measure, print a table and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=amount, default=1.0, help="for each measurement (default 1)")
    parser.add_argument("--rounds", type=count, default=3, help="rounds over all projects (default 3)")
    parser.add_argument("--json", type=new_file, help="where to write the results")
    parser.add_argument("--plot", type=new_file, help="where to draw the medians")
    parser.add_argument("--load", type=Path, metavar="FILE", help="measure nothing, take these results")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "peers", help="where the environments are kept")
    options = parser.parse_args()
    if options.load:
        report = json.loads(options.load.read_text(encoding="utf-8"))
    else:
        report = measure(options.seconds, options.rounds, options.cache)
    print(as_table(report))
    if options.plot:
        draw(report, options.plot)
    if options.json:
        write_json(options.json, report)


def measure(seconds: float, rounds: int, cache: Path) -> dict[str, Any]:
    """Return all rates, versions and failures."""
    failed: dict[str, str] = {}
    pythons: dict[str, Path] = {}
    facts: dict[str, dict[str, Any]] = {}
    for peer, (_, requirements) in PEERS.items():
        try:
            pythons[peer], facts[peer] = environment(cache / peer.lower(), requirements)
        except subprocess.CalledProcessError as error:
            failed[peer] = reason_of(error)
    rates: dict[str, dict[str, list[float]]] = {peer: {} for peer in pythons}
    for _ in range(rounds):
        for peer, python in pythons.items():
            try:
                output = run(python, PEERS[peer][0], seconds)
            except subprocess.CalledProcessError as error:
                failed[peer] = reason_of(error)
                continue
            facts[peer]["versions"] = output["versions"]
            failed |= {f"{peer}: {name}": reason for name, reason in output["failed"].items()}
            for name, values in output["rates"].items():
                rates[peer].setdefault(name, []).extend(values)
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "processor": platform.machine(),
        "load": os.getloadavg(),
        "decisions a second": {
            peer: {name: statistics.median(values) for name, values in games.items()} for peer, games in rates.items()
        },
        "all": rates,
        "projects": facts,
        "failed": failed,
    }


def reason_of(error: subprocess.CalledProcessError) -> str:
    """Return the last line of what a program that failed has printed."""
    return next(reversed((error.stderr or "").strip().splitlines()), str(error))


def environment(folder: Path, requirements: list[str]) -> tuple[Path, dict[str, Any]]:
    """Make a virtual environment, or bring the one that is there up to date; return its Python, and what it took."""
    python, notes = folder / "bin" / "python", folder / "facts.json"
    install = [str(python), "-m", "pip", "install", "-q", "--upgrade", *requirements]
    if notes.exists():
        subprocess.run(install, check=True, capture_output=True, text=True)
    else:
        make = [sys.executable, "-m", "venv", "--clear", str(folder)]
        subprocess.run(make, check=True, capture_output=True, text=True)
        empty, start = size_of(folder), time.perf_counter()
        subprocess.run(install, check=True, capture_output=True, text=True)
        facts = {"install seconds": time.perf_counter() - start, "megabytes": (size_of(folder) - empty) / 1e6}
        write_json(notes, facts)
    return python, json.loads(notes.read_text(encoding="utf-8"))


def size_of(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def run(python: Path, script: str, seconds: float) -> dict[str, Any]:
    """Run the script of a project and return what it printed."""
    command = [str(python), str(SCRIPTS / script), "--seconds", str(seconds), "--repeats", "1"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    output: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return output


def as_table(report: dict[str, Any]) -> str:
    """Return the medians as Markdown."""
    rows = []
    for peer, games in report["decisions a second"].items():
        version = next(iter(report["projects"][peer]["versions"].values()), "")
        for name, rate in sorted(games.items(), key=lambda entry: -entry[1]):
            rows.append((f"{peer} {version}", name, f"{rate:,.0f}"))
    failures = [f"\n{name}: {reason}" for name, reason in report["failed"].items()]
    return "\n".join([markdown_table(("project", "game", "decisions a second"), rows, right=1), *failures])


def draw(report: dict[str, Any], path: Path) -> None:
    """Draw the medians as bars, the fastest at the top."""
    from matplotlib.figure import Figure

    bars = [
        (rate, f"{peer}: {name}", peer == "Crypt")
        for peer, games in report["decisions a second"].items()
        for name, rate in games.items()
    ]
    bars.sort()
    figure = Figure(figsize=(9, 0.26 * len(bars) + 0.9), layout="constrained")
    axes = figure.subplots()
    rates, names, is_own = zip(*bars, strict=True)
    axes.barh(names, rates, color=["#b5532a" if own else "#9aa7b1" for own in is_own])
    for place, rate in enumerate(rates):
        axes.text(rate * 1.08, place, f"{rate:,.0f}", va="center", fontsize=8)
    axes.set_xscale("log")
    axes.margins(y=0.01)
    axes.set_xlim(min(rates) / 2, max(rates) * 4)
    axes.set_xlabel("decisions a second on one core, observation included")
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    write_bytes(path, picture.getvalue())


if __name__ == "__main__":
    main()
