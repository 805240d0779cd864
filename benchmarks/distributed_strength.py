"""Does a training that is shared by workers end as strong as one of a single process?

    python benchmarks/distributed_strength.py [--seeds 1 2 3 4] [--decisions 2000000] [--json FILE]

The run of configs/quick.yaml, shortened, by training.train and by training.distributed with 2 and 4 workers on this
machine, with every seed. The last network of each plays 8,192 games on deals that are not for training. A run in which
workers are killed comes to the same weights as one in which they are not (tests/cluster/test_distributed.py), so it
needs no row of its own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from crypt_env.arena import SELECTION_SEED, round_robin
from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import count, new_file
from crypt_env.files import write_json

ROOT = Path(__file__).resolve().parents[1]
GAMES = 8192
KINDS = {
    "one process, 2 threads": ["training.train", "workers=2"],
    "2 workers": ["training.distributed", "workers=2"],
    "4 workers": ["training.distributed", "workers=4"],
}


def coins(kind: str, seed: int, decisions: int) -> float:
    """Train, and return the coins of the last network."""
    module, *changes = KINDS[kind]
    changes += [f"seed={seed}", f"decisions={decisions}", "minutes=0", "compare=[]", "tensorboard=false"]
    changes += [f"evaluate_every={decisions}", "games=512", "minibatch=4096"]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-W", "ignore", "-m", module, "configs/quick.yaml", *changes, "--out", str(run)]
        subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
        return round_robin([f"net:{run}/last"], 1, GAMES, "even", SELECTION_SEED).solos[0].coins.value


def table(results: dict[str, list[float]]) -> str:
    """Return the results as a table in Markdown."""
    rows = []
    for kind, values in results.items():
        each = ", ".join(f"{value:.2f}" for value in values)
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        rows.append((kind, each, f"{statistics.mean(values):.2f}", f"{spread:.2f}"))
    return markdown_table(("", "coins of each seed", "mean", "spread"), rows)


def main() -> None:
    """Train all, print a table and write everything to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--decisions", type=count, default=2_000_000, help="of each run")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all results")
    options = parser.parse_args()
    results: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for seed in options.seeds:
        for kind, values in results.items():
            values.append(coins(kind, seed, options.decisions))
            print(f"seed {seed}, {kind}: {values[-1]:.2f} coins", flush=True)
    facts: dict[str, Any] = {"cores": os.cpu_count(), "decisions": options.decisions, "seeds": options.seeds}
    if options.json is not None:
        write_json(options.json, {**facts, "coins": results})
    print(table(results))


if __name__ == "__main__":
    main()
