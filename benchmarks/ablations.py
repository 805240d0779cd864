"""What matters for strength: training runs that differ in one setting, each with the same time on one core.

    python benchmarks/ablations.py [solo duel] [--minutes 3] [--jobs 2] [--only NAME ...] [--out runs/ablations]

Every run keeps its folder; finished runs are not repeated, so the same command continues an interrupted study.
The results are printed as tables in Markdown and written to benchmarks/results/ablations-CONFIG.json.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import amount, count
from crypt_env.experiment.curves import read_curves
from crypt_env.files import plain_name, write_json
from shared.trainings import train_once

ROOT = Path(__file__).resolve().parents[1]
BASE = "as in the configuration"
ANOTHER = "another seed"
COUNTING = "unseen,deck_types,unflipped"
"""Parts of the observation that a player would have to count for."""
VARIATIONS: dict[str, dict[str, list[str]]] = {
    "solo": {
        BASE: [],
        ANOTHER: ["seed=2"],
        "paid at the end": ["dense=false"],
        "numbers instead of bits": ["thermometers=false"],
        "nothing counted": [f"without=[{COUNTING}]"],
        "2 x 64": ["widths=[64, 64]"],
        "2 x 128": ["widths=[128, 128]"],
        "2 x 512": ["widths=[512, 512]"],
        "3 x 256": ["widths=[256, 256, 256]"],
        "1 epoch": ["epochs=1"],
        "2 epochs": ["epochs=2"],
        "6 epochs": ["epochs=6"],
        "minibatches of 8192": ["minibatch=8192"],
        "learning rate 5e-4": ["learning_rate=5e-4"],
        "lambda 0.95": ["gae_lambda=0.95"],
        "entropy 0.01": ["entropy=0.01", "final_entropy=0.001"],
    },
    "duel": {
        BASE: [],
        ANOTHER: ["seed=2"],
        "paid for the win": ["reward=win", "dense=false", "reward_scale=1"],
        "paid at the end": ["dense=false"],
        "numbers instead of bits": ["thermometers=false"],
        "nothing counted": [f"without=[{COUNTING}]"],
        "who knows what is not shown": ["without=[slot_seen_by,hidden_seen_by]"],
        "2 x 128": ["widths=[128, 128]"],
        "2 x 512": ["widths=[512, 512]"],
        "2 epochs": ["epochs=2"],
        "lambda 0.95": ["gae_lambda=0.95"],
        "a league in 25% of the games": ["league_share=0.25", "league_agents=[greedy, tuned]"],
        "a league in all games": ["league_share=1", "league_agents=[greedy, tuned]"],
    },
}


def train(config: str, name: str, changes: list[str], minutes: float, out: Path) -> dict[str, Any]:
    """Train one variation, unless it is finished; return its last evaluation."""
    always = [f"minutes={minutes}", "workers=1", "evaluate_games=8192", "tensorboard=false", "compare=[]"]
    never = [f"{what}=1_000_000_000" for what in ("evaluate_every", "checkpoint_every")]
    folder = out / f"{config}-{minutes:g}-minutes" / plain_name(name)
    train_once(config, [*always, *never, *changes], folder, is_quiet=True)
    last = {key: float(values[-1]) for key, values in read_curves(folder).items()}
    return {"name": name, "changes": changes, **last}


def table(config: str, rows: list[dict[str, Any]]) -> str:
    """Return the results of a configuration as a table in Markdown."""
    measures = [key for key in rows[0] if f"{key} low" in rows[0]]
    lines = []
    for row in rows:
        cells = [f"{row[key]:.4g} [{row[f'{key} low']:.4g}, {row[f'{key} high']:.4g}]" for key in measures]
        lines.append((row["name"], f"{row['decisions'] / 1e6:.1f}", *cells))
    return markdown_table((config, "million decisions", *measures), lines)


def main() -> None:
    """Train all variations, print tables and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known = sorted({name for found in VARIATIONS.values() for name in found})
    parser.add_argument("configs", nargs="*", choices=[[], *VARIATIONS], help="solo, duel or both")
    parser.add_argument("--minutes", type=amount, default=3, help="for each run (default 3)")
    parser.add_argument("--jobs", type=count, default=os.cpu_count(), help="runs at a time (default: as many as cores)")
    parser.add_argument(
        "--only", nargs="+", choices=known, metavar="NAME", help="these variations alone, beside the configuration"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/ablations"), help="where the runs are kept")
    options = parser.parse_args()
    for config in options.configs or VARIATIONS:
        chosen = {
            name: changes
            for name, changes in VARIATIONS[config].items()
            if options.only is None or name in (BASE, *options.only)
        }
        with ThreadPoolExecutor(options.jobs) as pool:
            tasks = [
                pool.submit(train, config, name, changes, options.minutes, options.out.resolve())
                for name, changes in chosen.items()
            ]
            rows = [task.result() for task in tasks]
        print(table(config, rows) + "\n")
        content = {"config": config, "minutes": options.minutes, "cores for each run": 1, "runs": rows}
        path = ROOT / "benchmarks" / "results" / f"ablations-{config}.json"
        write_json(path, content)


if __name__ == "__main__":
    main()
