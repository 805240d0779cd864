"""``crypt bench``: engine speed, in decisions per second of random play, and the startup time of a fresh process.

Every decision is a uniformly random legal action, drawn inside the engine; finished games restart. The measurements
alternate, so that a busy machine slows all of them alike, and the median of the repeats is reported.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from crypt_env.arena.formats import markdown_table
from crypt_env.batch import Batch
from crypt_env.console.arguments import amount, count
from crypt_env.errors import CryptError
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import GAME

Measured = dict[str, Any]
"""Numbers by name, as in JSON."""
MOST_GAMES = 2**20
"""Maximum games in a batch."""
_PLAYERS = (1, 2, 3, 4)
_START = "from crypt_env import Batch; batch = Batch(1); batch.reset(); batch.step_random()"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--games", type=count, default=1024, help="games in a batch (default 1024)")
    parser.add_argument("--seconds", type=amount, default=1.0, help="time for each measurement (default 1)")
    parser.add_argument("--repeats", type=count, default=5, help="number of measurements; the median is reported")
    parser.add_argument("--no-start", action="store_true", help="skip the startup of fresh processes")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(options: argparse.Namespace) -> int:
    """Measure the engine and print the results."""
    if options.games > MOST_GAMES:
        raise CryptError(f"--games {options.games} is not possible; at most {MOST_GAMES} games fit into a batch")
    report = measure(options.games, options.seconds, options.repeats, with_start=not options.no_start)
    print(json.dumps(report, indent=1) if options.json else as_table(report))
    return 0


def _batch_rate(games: int, players: int, unwritten: tuple[str, ...], threads: int = 1) -> Callable[[float], float]:
    """Return a function that plays for some seconds and returns the decisions per second."""
    batch = Batch(games, players, seed=1, threads=threads)
    empty = {name: getattr(batch.arrays, name)[:0] for name in unwritten}  # arrays of length 0 are not written
    into = batch.arrays._replace(**empty) if unwritten else None
    batch.reset(into=into)

    def play(seconds: float) -> float:
        steps, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            for _ in range(max(1, 4096 // games)):
                batch.step_random(into)
            steps += max(1, 4096 // games)
        return steps * games / passed

    play(0.05)  # warm up
    return play


def _contestants(games: int) -> dict[str, dict[int, Callable[[float], float]]]:
    finals = ("finals",)
    unseen = ("finals", "observations")
    bare = ("finals", "observations", "masks")
    return {
        "observations and masks": {p: _batch_rate(games, p, finals) for p in _PLAYERS},
        "masks only": {p: _batch_rate(games, p, unseen) for p in _PLAYERS},
        "neither": {p: _batch_rate(games, p, bare) for p in _PLAYERS},
        "2 threads, both, 4 x games": {p: _batch_rate(4 * games, p, finals, threads=2) for p in _PLAYERS},
        "one game a call, both": {p: _batch_rate(1, p, ()) for p in _PLAYERS},
    }


def _start_seconds(cache: str) -> float:
    start = time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    search = f"import sys; sys.path[:] = {sys.path}; "  # else Python searches the current folder first
    done = subprocess.run([sys.executable, "-c", search + _START], env=environment, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise CryptError(f"a fresh process could not play its first step: {last}")
    return time.perf_counter() - start


def measure(games: int = 1024, seconds: float = 1.0, repeats: int = 5, with_start: bool = True) -> Measured:
    """Measure everything; return the numbers for JSON."""
    contestants = _contestants(games)
    rates: dict[str, dict[int, list[float]]] = {name: {p: [] for p in _PLAYERS} for name in contestants}
    for _ in range(repeats):
        for name, by_players in contestants.items():
            for players, play in by_players.items():
                rates[name][players].append(play(seconds / repeats))
    starts = None
    if with_start:
        with tempfile.TemporaryDirectory() as cache:
            starts = {"cold": _start_seconds(cache)}
            starts["warm"] = statistics.median(_start_seconds(cache) for _ in range(repeats))
    return {
        "games": games,
        "decisions_per_second": {
            name: {str(players): statistics.median(found) for players, found in by_players.items()}
            for name, by_players in rates.items()
        },
        "start_seconds": starts,
        "bytes_per_game": {"record": GAME.itemsize, "observation": FEATURES, "mask": ACTIONS},
        "machine": {
            "python": platform.python_version(),
            "numba": numba.__version__,
            "numpy": np.__version__,
            "cores": os.cpu_count(),
        },
    }


def as_table(report: Measured) -> str:
    """Return a report as tables in Markdown."""
    lines = [f"Decisions a second, random play, {report['games']} games a call (median, millions)", ""]
    rates = [
        (name, *(f"{by_players[str(players)] / 1e6:.2f}" for players in _PLAYERS))
        for name, by_players in report["decisions_per_second"].items()
    ]
    lines += [markdown_table(("written", "solo", "2 players", "3 players", "4 players"), rates)]
    if report["start_seconds"]:
        starts = [(name, f"{seconds:.2f}") for name, seconds in report["start_seconds"].items()]
        lines += ["", markdown_table(("start of a process to its first step", "seconds"), starts)]
    sizes = report["bytes_per_game"]
    lines += ["", "Bytes a game: " + ", ".join(f"{name} {size}" for name, size in sizes.items())]
    lines += [", ".join(f"{name} {value}" for name, value in report["machine"].items())]
    return "\n".join(lines)
