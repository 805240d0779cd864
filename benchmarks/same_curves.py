"""Whether both trainers learn equally well: curves of sb3-contrib's own loop and of the fast one, for several seeds.

    python benchmarks/same_curves.py [--config duel] [--decisions 1_500_000] [--seeds 1 2 3 4 5 6] [--out runs/same]

Both get the same settings and the same number of decisions. The curves are drawn to OUT/curves.png, with a band from
the worst to the best seed of each trainer, and written to benchmarks/results/same-curves.json. Finished runs are kept.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

from crypt_env.console.arguments import count
from crypt_env.experiment.curves import draw_curves, read_curves
from crypt_env.files import write_json
from shared.trainings import train_once

ROOT = Path(__file__).resolve().parents[1]
TRAINERS = ("stock", "fast")
FIXED = ["learning_rate=1e-3", "minibatch=4096", "evaluate_games=4096", "tensorboard=false", "compare=[]"]
"""More conservative than the configurations, which are tuned for the fast trainer."""


def train(config: str, trainer: str, seed: int, decisions: int, out: Path) -> Path:
    """Train one run, unless it is finished; return its folder."""
    folder = out / f"{config}-{decisions}" / f"{trainer}-{seed}"
    changes = [f"trainer={trainer}", f"seed={seed}", f"decisions={decisions}", f"evaluate_every={decisions // 6}"]
    return train_once(config, [*FIXED, *changes], folder)


def curve(folder: Path) -> list[dict[str, float]]:
    """Return the evaluations of a run."""
    columns = read_curves(folder)
    return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def main() -> None:
    """Train all, draw, and print the last scores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--config", default="duel")
    parser.add_argument("--decisions", type=count, default=1_500_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--out", type=Path, default=Path("runs/same"))
    options = parser.parse_args()
    out = options.out.resolve()
    folders = {
        trainer: [train(options.config, trainer, seed, options.decisions, out) for seed in options.seeds]
        for trainer in TRAINERS
    }
    curves: dict[str, list[Any]] = {trainer: [curve(folder) for folder in found] for trainer, found in folders.items()}
    draw_curves([folder for found in folders.values() for folder in found], out / "curves.png")
    content = {"config": options.config, "changes": FIXED, "seeds": options.seeds, "curves": curves}
    write_json(ROOT / "benchmarks" / "results" / "same-curves.json", content)
    for trainer, found in curves.items():
        last = [rows[-1]["score"] for rows in found]
        print(f"{trainer}: {statistics.mean(last):.4g} on average, {', '.join(f'{score:.4g}' for score in last)}")


if __name__ == "__main__":
    main()
