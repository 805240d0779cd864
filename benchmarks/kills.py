"""Runs that are killed at random moments, again and again: do they reach the same weights as an uninterrupted run?

    python benchmarks/kills.py [--kills 100] [--seed 1] [--json FILE]

Tiny runs of all kinds take turns: self-play, a league, exploiters, and the stock trainer; one and two workers; with
compiled code in the cache, and with an initially empty cache, which the killed process may have left half full. Most
are killed by SIGKILL, some by SIGTERM and by SIGINT, which must print one line and exit with the code of the signal. A
run is resumed until it is finished; then its weights, optimizer, games, league and curves must be those of an
uninterrupted run, bit for bit.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml

from crypt_env.console.arguments import count, new_file
from crypt_env.experiment.checkpoint import has_checkpoint, load_checkpoint
from crypt_env.files import write_json

ROOT = Path(__file__).resolve().parents[1]
ROLLOUT = 8 * 16
TINY: dict[str, Any] = {
    "games": 8,
    "steps": 16,
    "minibatch": 64,
    "epochs": 2,
    "widths": [16],
    "precision": "fp32",
    "decisions": 60 * ROLLOUT,
    "evaluate_every": 9 * ROLLOUT,
    "evaluate_games": 128,
    "checkpoint_every": 4 * ROLLOUT,
    "snapshot_every": 5 * ROLLOUT,
    "opponents": ["random"],
    "learning_rate": 0.003,
}
LEAGUE = {"league_share": 0.5, "league_agents": ["ghost", "random"], "league_snapshots": 2, "players": [2, 3]}
EXPLOITERS = {"exploiters": 2, "exploit_every": 15 * ROLLOUT, "exploit_decisions": 20 * ROLLOUT, "league_memory": 0.9}
KINDS: dict[str, dict[str, Any]] = {
    "self-play, 1 worker": {"workers": 1},
    "self-play, 2 workers": {"workers": 2},
    "league, 1 worker": {**LEAGUE, "workers": 1},
    "league, 2 workers": {**LEAGUE, "workers": 2},
    "stock": {"trainer": "stock"},
    "stock league": {**LEAGUE, "trainer": "stock"},
    "exploiters": {**LEAGUE, **EXPLOITERS},
}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
EARLIEST = 1.0
"""Seconds after which the interpreter has started, so that the program handles signals itself."""
COLD_EVERY = 5
"""One in this many runs begins with an empty cache of compiled code."""
_NOT_COMPARED = ("seconds", "sessions")


@dataclass
class Whole:
    """A run that was never interrupted."""

    config: Path
    folder: Path
    seconds: float


def command(config: Path, folder: Path) -> list[str]:
    """Return the command that starts a run, or resumes it if there is a checkpoint."""
    more = ["--resume"] if has_checkpoint(folder) else []
    return [sys.executable, "-m", "training.train", str(config), "--out", str(folder), *more]


def environment(cache: Path | None) -> dict[str, str]:
    """Return the environment of a process that caches compiled code in a folder, or in the usual place."""
    return {**os.environ, **({} if cache is None else {"NUMBA_CACHE_DIR": str(cache)})}


def whole_run(kind: str, place: Path) -> Whole:
    """Train without interruption."""
    name = kind.replace(" ", "-").replace(",", "")
    config, folder = place / f"{name}.yaml", place / name
    config.write_text(yaml.safe_dump({**TINY, **KINDS[kind]}))
    subprocess.run(command(config, folder), cwd=ROOT, check=True, capture_output=True)  # so that everything is compiled
    start = time.monotonic()
    again = folder.with_name(f"{name}-whole")
    subprocess.run(command(config, again), cwd=ROOT, check=True, capture_output=True)
    seconds = time.monotonic() - start
    differences = differences_between(folder, again)
    if differences:
        raise SystemExit(f"{kind}: two uninterrupted runs differ in {', '.join(differences)}")
    return Whole(config, again, seconds)


def plain(content: Any) -> Any:
    """Return the content of a checkpoint without times, arrays as bytes."""
    if isinstance(content, torch.Tensor):
        return content.numpy().tobytes()
    if isinstance(content, dict):
        return {name: plain(part) for name, part in content.items() if name not in _NOT_COMPARED}
    return [plain(part) for part in content] if isinstance(content, list) else content


def curves(folder: Path) -> list[dict[str, str]]:
    """Return the curves of a run without times."""
    with (folder / "curves.csv").open(newline="") as file:
        return [{name: text for name, text in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def differences_between(one: Path, other: Path) -> list[str]:
    """Return the differences between two runs."""
    first, second = (plain(load_checkpoint(folder)) for folder in (one, other))
    found = [name for name in first.keys() | second.keys() if repr(first.get(name)) != repr(second.get(name))]
    found += [] if curves(one) == curves(other) else ["curves"]
    found += [
        name for name in ("last.safetensors", "best.safetensors") if weights_in(one / name) != weights_in(other / name)
    ]
    return sorted(found)


def weights_in(path: Path) -> bytes:
    """Return the arrays in a network's file, without its facts, which tell times."""
    content = path.read_bytes()
    return content[8 + int.from_bytes(content[:8], "little") :]


def interrupted(arguments: list[str], env: dict[str, str], after: float, number: int) -> tuple[int, str]:
    """Run a command and send it a signal after some seconds; return its exit code and its standard error."""
    with subprocess.Popen(arguments, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            _, said = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            _, said = process.communicate(timeout=120)
    return process.returncode, said.decode(errors="replace")


def complaint(code: int, said: str, number: int) -> str:
    """Return what is wrong about how a process ended, or nothing."""
    if code in (0, -number) and (code == 0 or number == signal.SIGKILL):
        return ""
    if code != 128 + number:
        return f"exit code {code} after {signal.Signals(number).name}: {said[-400:]}"
    lines = [line for line in said.splitlines() if "stopped by" in line]
    return "" if len(lines) == 1 and "Traceback" not in said else f"it did not say one line: {said[-400:]}"


def killed_run(
    whole: Whole, folder: Path, kills: int, is_cold: bool, chance: random.Random
) -> tuple[Counter[str], list[str]]:
    """Train with a limited number of interruptions; return how often each signal was sent, and what went wrong."""
    cache = folder.with_name(f"{folder.name}-cache") if is_cold else None
    came: Counter[str] = Counter()
    faults = []
    while True:
        number = chance.choice(SIGNALS)
        longest = whole.seconds * (4 if is_cold and not came else 1)
        left = kills - came.total()
        after = chance.uniform(EARLIEST, EARLIEST + longest) if left > 0 else 600.0
        code, said = interrupted(command(whole.config, folder), environment(cache), after, number)
        if code == 0:
            break
        came[signal.Signals(number).name] += 1
        fault = complaint(code, said, number)
        if fault:
            faults.append(fault)
        if code not in (-number, 128 + number) or left <= 0:
            return came, faults
    found = differences_between(whole.folder, folder)
    return came, faults + ([f"it differs in {', '.join(found)}"] if found else [])


def main() -> int:
    """Kill runs and print the results; return the exit code."""
    parser = argparse.ArgumentParser(description="Kill training runs at random moments.")
    parser.add_argument("--kills", type=count, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", type=count, default=len(KINDS), help="how many kinds of runs (default all)")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write the result")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    done: dict[str, Counter[str]] = {}
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as text:
        place = Path(text)
        wholes: dict[str, Whole] = {}
        kinds = itertools.cycle(list(KINDS)[: options.kinds])
        for number in itertools.count():
            left = options.kills - sum(counts.total() for counts in done.values())
            if left <= 0:
                break
            kind, is_cold = next(kinds), number % COLD_EVERY == COLD_EVERY - 1
            if kind not in wholes:
                wholes[kind] = whole_run(kind, place)
            counts, wrong = killed_run(wholes[kind], place / f"run-{number}", min(left, 4), is_cold, chance)
            name = f"{kind}, {'cold' if is_cold else 'warm'}"
            done.setdefault(name, Counter()).update(counts)
            faults += [f"run {number}, {name}: {fault}" for fault in wrong]
            print(f"run {number}: {name}: {dict(counts)}{'; '.join(['', *wrong])}", flush=True)
    total = sum(counts.total() for counts in done.values())
    print(f"{total} kills in {number} runs, {len(faults)} faults")
    if options.json is not None:
        result = {"kills": total, "runs": number, "seed": options.seed, "faults": faults, "by kind": done}
        write_json(options.json, result)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
