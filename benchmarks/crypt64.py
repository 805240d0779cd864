"""Rebuilds the rows of the Crypt-64 leaderboard: programs, searches, shipped networks, and networks trained for it.

    python benchmarks/crypt64.py [--tasks solo-64 duel-64] [--methods NAME ...] [--seeds 1 2 3 4 5]
        [--runs runs/crypt-64] [--out benchmarks/results/crypt-64]

A task gets its row of `ROWS`, and the methods of `TRAINED`. What plays alone is evaluated at size `full`, the rest at
`quick`, whose records are small. Existing runs and results are kept, so the same command continues an interrupted one.
This command makes the page from them:

    crypt benchmark leaderboard benchmarks/results/crypt-64/*/* --out docs/leaderboard.md
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

from crypt_env.benchmark import BUDGETS, TASKS, Task, find_task, run_task
from crypt_env.files import write_bytes
from shared.trainings import train_once

ROOT = Path(__file__).resolve().parents[1]
ROWS = {
    "solo-64": ("random", "ghost", "greedy", "tuned", "search:50", "net:solo", "net:generalist", "gumbel:64:net:solo"),
    "duel-64": ("random", "greedy", "tuned", "search:20", "net:duel", "net:generalist", "gumbel:32:net:duel"),
    "trio-64": ("random", "greedy", "tuned", "net:trio", "net:generalist"),
    "quartet-64": ("random", "greedy", "tuned", "net:quartet", "net:generalist"),
}
DESCRIPTIONS = {
    "random": "a legal action, each equally likely",
    "ghost": "plays as the Ghost of the Only Child",
    "greedy": "plans one turn by rules of thumb",
    "tuned": "plans one turn by tabled coins; the frozen reference",
    "search:20": "flat Monte Carlo search with 20 playouts for each candidate",
    "search:50": "flat Monte Carlo search with 50 playouts for each candidate",
    "gumbel:64:net:solo": "net:solo with sequential halving in 64 short playouts",
    "gumbel:32:net:duel": "net:duel with sequential halving in 32 short playouts",
}
NETWORK = "comes with the package; trained as docs/networks.md says, at all 64 tables"


class Method(NamedTuple):
    """How a network is trained from scratch for a task."""

    name: str
    budget: str
    config: str
    changes: tuple[str, ...]
    description: str

    @property
    def label(self) -> str:
        """Return what its folder and its runs are called."""
        return f"{self.name} {self.budget}".replace(" ", "-")


SMALL = ("widths=[128, 128]", "workers=1", "minutes=0", "tensorboard=false", "compare=[]")
FAST = "on one core: python -m training.train"


def as_for_two(players: int) -> Method:
    """Return plain PPO for more players, with the settings for two."""
    change = f"players={players}"
    return Method("PPO", "10M", "duel", (*SMALL, change), f"{FAST} configs/duel.yaml {change} widths=[128,128]")


TRAINED = {
    "solo": (
        Method("PPO", "1M", "quick", (*SMALL, "games=128"), f"{FAST} configs/quick.yaml games=128"),
        Method("PPO", "10M", "quick", (*SMALL, "games=256"), f"{FAST} configs/quick.yaml games=256"),
        Method(
            "MaskablePPO",
            "1M",
            "quick",
            (*SMALL, "games=128", "trainer=stock"),
            "sb3-contrib's own loop, the same settings as PPO",
        ),
    ),
    "duel": (
        Method("PPO", "10M", "duel", SMALL, f"{FAST} configs/duel.yaml widths=[128,128]"),
        Method(
            "PPO with a magnet",
            "10M",
            "duel",
            (*SMALL, "magnet=0.05", "magnet_rate=0.01"),
            "as PPO, with magnet=0.05 magnet_rate=0.01",
        ),
        Method("league", "10M", "league", SMALL, f"{FAST} configs/league.yaml widths=[128,128]"),
    ),
    "trio": (as_for_two(3),),
    "quartet": (as_for_two(4),),
}
"""By the first part of a task's name. At fewer than 64 tables the first of them with the largest budget is trained."""


def methods_of(task: Task) -> tuple[Method, ...]:
    """Return what is trained for a task: everything at all tables, plain PPO where tables are left out."""
    methods = TRAINED.get(task.name.partition("-")[0], ())
    if not task.generalizes:
        return methods
    return tuple(method for method in methods if (method.name, method.budget) == ("PPO", "10M"))


def train(task: Task, method: Method, seed: int, runs: Path) -> tuple[str, int]:
    """Train a network at the tables of a task, unless it is finished; return its agent and its decisions."""
    folder = runs / f"{task.name}-{method.label}-{seed}"
    rollout = 64 * next((int(change[6:]) for change in method.changes if change.startswith("games=")), 512)
    decisions = BUDGETS[method.budget] // rollout * rollout  # rollouts are always complete
    tables = "even" if not task.generalizes else f"even-{len(task.tables)}"
    changes = [f"seed={seed}", f"decisions={decisions}", f"collectors={tables}", f"evaluate_every={decisions // 10}"]
    changes += ["evaluate_games=1024", "checkpoint_every=1_000_000_000", *method.changes]
    train_once(method.config, changes, folder)
    return f"net:{folder / 'last'}", decisions


def judge(task: Task, agents: list[str], label: str, out: Path, **facts: Any) -> None:
    """Evaluate agents, unless the result exists."""
    folder = out / task.name / label.replace(":", "-")
    size = "full" if task.players == 1 else "quick"
    if not (folder / "result.json").exists():
        start = time.perf_counter()
        result = run_task(task.name, agents, folder, size, **facts)
        score = result.numbers["parts"]["score"]
        print(f"{task.name}, {label}: {score}, {time.perf_counter() - start:.0f} s", flush=True)


def judge_method(task: Task, method: Method, seeds: list[int], runs: Path, out: Path) -> None:
    """Train and evaluate all runs of a method, and keep their curves."""
    trained = [train(task, method, seed, runs) for seed in seeds]
    facts = {"name": method.name, "budget": method.budget, "decisions": trained[0][1], "seeds": seeds}
    agents = [agent for agent, _ in trained]
    judge(task, agents, method.label, out, **facts, description=method.description)
    for agent, seed in zip(agents, seeds, strict=True):
        curve = ROOT / "benchmarks" / "results" / "trainings" / "crypt-64" / f"{task.name}-{method.label}-{seed}.csv"
        curve.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(curve, Path(agent.removeprefix("net:")).with_name("curves.csv").read_bytes())


def main() -> None:
    """Evaluate everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known = sorted({*sum(ROWS.values(), ()), *(method.label for row in TRAINED.values() for method in row)})
    parser.add_argument(
        "--tasks", nargs="+", choices=TASKS, metavar="TASK", default=[*ROWS, "solo-32", "solo-16", "solo-8"]
    )
    parser.add_argument("--methods", nargs="+", choices=known, metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "crypt-64", help="where networks are trained")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "crypt-64")
    options = parser.parse_args()
    for task in map(find_task, options.tasks):
        for name in ROWS.get(task.name, ()):
            if options.methods is None or name in options.methods:
                facts = {"name": name, "description": DESCRIPTIONS.get(name, NETWORK)}
                judge(task, [name], name, options.out, **facts)
        for method in methods_of(task):
            if options.methods is None or method.label in options.methods:
                judge_method(task, method, options.seeds, options.runs.resolve(), options.out)


if __name__ == "__main__":
    main()
