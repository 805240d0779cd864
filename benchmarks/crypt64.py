"""Rebuilds the baseline rows of the Crypt-64 leaderboard: programs, shipped networks, and PPO at 1 M decisions.

    python benchmarks/crypt64.py [--tasks solo-64 solo-8] [--size quick] [--decisions 1_000_000] [--seeds 1 2 3]
        [--out benchmarks/results/crypt-64]

A task gets the rows of `ROWS`, and one of PPO in self-play at its training tables if it is named in `TRAINED`. Existing
results are kept. This command makes the page from them:

    crypt benchmark leaderboard benchmarks/results/crypt-64/*/* --out docs/leaderboard.md
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import torch

from crypt_env.benchmark import BUDGETS, Task, assign_tables, find_task, run_task
from crypt_env.benchmark.tasks import NO_BUDGET
from crypt_env.experiment.settings import load_settings
from crypt_env.experiment.setup import make_games, make_model, reward_facts
from crypt_env.ppo import export_network

ROOT = Path(__file__).resolve().parents[1]
ROWS = {
    "solo-64": ("random", "ghost", "greedy", "tuned", "net:solo", "net:generalist"),
    "duel-64": ("random", "greedy", "tuned", "net:duel", "net:generalist"),
    "trio-64": ("random", "tuned", "net:trio"),
    "quartet-64": ("random", "tuned", "net:quartet"),
}
GAMES, ROLLOUT = 128, 128 * 64
"""Parallel games of a training run, and decisions in a rollout; rollouts are always complete."""
TRAINED = {"solo": "quick"}
"""Configurations by the first part of a task's name."""
DESCRIPTIONS = {
    "random": "a legal action, each equally likely",
    "ghost": "plays as the Ghost of the Only Child",
    "greedy": "plans one turn by rules of thumb",
    "tuned": "plans one turn by tabled coins; the frozen reference",
}
NETWORK = "comes with the package; trained before this protocol as docs/training.md says, at all 64 tables"


def train(task: Task, config: str, decisions: int, seed: int, folder: Path) -> str:
    """Train a network at the tables of a task, unless it is finished; return its agent."""
    path = folder / f"{task.name}-{decisions}-{seed}.safetensors"
    if not path.exists():
        torch.set_num_threads(1)
        settings = load_settings(
            ROOT / "configs" / f"{config}.yaml",
            [f"seed={seed}", f"decisions={decisions}", f"games={GAMES}", "workers=1"],
        )
        venv = make_games(settings)
        assign_tables(venv.batch, task)
        model = make_model(settings, venv)
        model.learn(decisions)
        folder.mkdir(parents=True, exist_ok=True)
        export_network(path, model.policy, settings.players, name=path.stem, reward=reward_facts(settings))
    return f"net:{path.resolve().with_suffix('')}"


def judge(task: Task, agents: list[str], name: str, out: Path, size: str, **facts: Any) -> None:
    """Evaluate agents, unless the result exists."""
    folder = out / task.name / name.replace(":", "-").replace(" ", "-")
    if not (folder / "result.json").exists():
        start = time.perf_counter()
        result = run_task(task.name, agents, folder, size, name, **facts)
        score = result.numbers["parts"]["score"]
        print(f"{task.name}, {name}: {score}, {time.perf_counter() - start:.0f} s", flush=True)


def main() -> None:
    """Evaluate everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", nargs="+", default=[*ROWS, "solo-8"])
    parser.add_argument("--size", default="quick")
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "crypt-64")
    options = parser.parse_args()
    for task in map(find_task, options.tasks):
        for name in ROWS.get(task.name, ()):
            judge(task, [name], name, options.out, options.size, description=DESCRIPTIONS.get(name, NETWORK))
        config = TRAINED.get(task.name.partition("-")[0])
        if config is not None:
            seeds, decisions = options.seeds, options.decisions - options.decisions % ROLLOUT
            agents = [train(task, config, decisions, seed, ROOT / "runs" / "crypt-64") for seed in seeds]
            budget = next((name for name, most in BUDGETS.items() if decisions <= most), NO_BUDGET)
            facts: dict[str, Any] = {"budget": budget, "decisions": decisions, "seeds": seeds}
            facts["description"] = (
                f"PPO in self-play from scratch, configs/{config}.yaml with games={GAMES}, on one core"
            )
            judge(task, agents, "PPO", options.out, options.size, **facts)


if __name__ == "__main__":
    main()
