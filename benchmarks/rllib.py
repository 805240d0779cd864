"""The Only Child learned by RLlib's PPO and by our own trainer, with the same settings and the same time.

    python benchmarks/rllib.py [--minutes 20] [--decisions 20000000] [--runners 2] [--threads 2] [--games 4096]
                               [--only NAME] [--json FILE]

Both train the network of configs/quick.yaml with its settings, one after the other, and are evaluated every half a
million decisions, playing their likeliest actions on deals that are not for training. Our trainer lowers learning rate
and entropy by the clock. RLlib can only lower them by decisions: --decisions should be about as many as it plays in
that time, and it stops after them. On a machine that others use, minutes say little about a program: the processor time
beside them counts what all of its processes have used. With --only, one of them is trained, and the other's evaluations
stay in the file.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import ray
import torch

from crypt_env.agents import make_agent
from crypt_env.arena import SELECTION_SEED, round_robin
from crypt_env.envs.rllib import export_network, ppo_config
from crypt_env.experiment.settings import Settings, load_settings
from crypt_env.files import write_text

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "configs" / "quick.yaml"
EVERY = 500_000
GOAL = 45
NAMES = RLLIB, OURS = "RLlib", "our trainer"
Rows = list[dict[str, float]]
"""Evaluations: decisions, seconds of training, coins with their interval, and seconds of processor time if known."""


def coins(path: Path, games: int) -> dict[str, float]:
    """Return what a network earns on average, with the interval."""
    scores = round_robin([make_agent(f"net:{path}")], 1, games, "even", SELECTION_SEED).solos[0].coins
    return {"coins": scores.value, "coins low": scores.low or 0.0, "coins high": scores.high or 0.0}


def configured(settings: Settings, runners: int) -> Any:
    """Return the settings as a configuration of RLlib."""
    config = ppo_config(
        settings.players,
        dense=settings.dense,
        reward_scale=settings.reward_scale,
        decisions=settings.decisions,
        learning_rate=settings.learning_rate,
        gae_lambda=settings.gae_lambda,
        gamma=settings.gamma,
        widths=settings.widths,
        seed=settings.seed,
    )
    entropy = [[0, settings.entropy], [settings.decisions, settings.final_entropy]]
    games = settings.games // max(1, runners)
    return config.env_runners(num_env_runners=runners, num_envs_per_env_runner=games).training(
        train_batch_size_per_learner=settings.games * settings.steps,
        minibatch_size=settings.minibatch,
        num_epochs=settings.epochs,
        entropy_coeff=entropy,
    )


def processor_seconds(algorithm: Any) -> float:
    """Return the processor time of this process and of the runners."""
    remote = algorithm.env_runner_group.foreach_env_runner(lambda runner: time.process_time(), local_env_runner=False)
    return time.process_time() + sum(remote)


def by_rllib(settings: Settings, runners: int, games: int, folder: Path) -> Rows:
    """Train by RLlib; return the evaluations."""
    ray.init(num_cpus=max(2, runners), include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    algorithm = configured(settings, runners).build_algo()
    rows: Rows = []
    seconds = used = 0.0
    decisions = 0
    while decisions < settings.decisions and seconds < settings.minutes * 60:
        start, cpu = time.perf_counter(), processor_seconds(algorithm)
        result = algorithm.train()
        seconds, used = seconds + time.perf_counter() - start, used + processor_seconds(algorithm) - cpu
        before, decisions = decisions, int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        is_last = decisions >= settings.decisions or seconds >= settings.minutes * 60
        if decisions // EVERY > before // EVERY or is_last:
            export_network(folder / "rllib", algorithm)
            row = {"decisions": decisions, "seconds": round(seconds, 1), **coins(folder / "rllib", games)}
            rows.append({**row, "processor seconds": round(used, 1)})
            print(f"RLlib: {rows[-1]}", flush=True)
    algorithm.stop()
    ray.shutdown()
    return rows


def by_us(settings: Settings, games: int, folder: Path) -> Rows:
    """Train by `training.train`; return the evaluations. Only the last one has the processor time, which is of all."""
    changes = [f"minutes={settings.minutes}", "decisions=1_000_000_000", f"evaluate_every={EVERY}"]
    changes += [f"evaluate_games={games}", "compare=[]", "tensorboard=false"]
    command = [sys.executable, "-m", "training.train", str(CONFIG), *changes, "--overwrite", "--out", str(folder)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (folder / "curves.csv").open(newline="") as file:
        names = ("decisions", "seconds", "coins", "coins low", "coins high")
        rows = [{name: float(row[name]) for name in names} for row in csv.DictReader(file)]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [*rows[:-1], {**rows[-1], "processor seconds": round(used, 1)}]


def table(results: dict[str, Rows]) -> str:
    """Return the results as a table in Markdown."""
    lines = [
        f"| | minutes | processor minutes | million decisions | coins | {GOAL} coins after minutes | after decisions |",
        "|---" * 7 + "|",
    ]
    for name, rows in results.items():
        last = rows[-1]
        first = next((row for row in rows if row["coins"] >= GOAL), None)
        goal = f"{first['seconds'] / 60:.1f} | {first['decisions'] / 1e6:.1f} million" if first else "- | -"
        half = (last["coins high"] - last["coins low"]) / 2
        lines.append(
            f"| {name} | {last['seconds'] / 60:.1f} | {last['processor seconds'] / 60:.1f} | "
            f"{last['decisions'] / 1e6:.1f} | {last['coins']:.2f} ± {half:.2f} | {goal} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Train both, print a table and write everything to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20, help="for each at most")
    parser.add_argument("--decisions", type=int, default=20_000_000, help="for RLlib at most")
    parser.add_argument("--runners", type=int, default=2, help="of RLlib; 0 plays in the process that learns")
    parser.add_argument("--threads", type=int, default=2, help="of torch, in the process that learns")
    parser.add_argument("--games", type=int, default=4096, help="of an evaluation")
    parser.add_argument("--only", choices=NAMES, help="train one of them")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all evaluations")
    options = parser.parse_args()
    settings = load_settings(CONFIG, [f"minutes={options.minutes}", f"decisions={options.decisions}"])
    torch.set_num_threads(options.threads)
    facts: dict[str, Any] = {"cores": os.cpu_count(), "ray": ray.__version__, "results": {}}
    if options.only and options.json is not None and options.json.is_file():
        facts |= json.loads(options.json.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for name in [options.only] if options.only else NAMES:
            load = os.getloadavg()[0]
            rows = (
                by_rllib(settings, options.runners, options.games, Path(folder))
                if name == RLLIB
                else by_us(settings, options.games, Path(folder) / "ours")
            )
            facts["results"][name] = rows
            facts.pop(f"note, {name}", None)
            facts[f"load, {name}"] = [load, os.getloadavg()[0]]
            if options.json is not None:
                write_text(options.json, json.dumps(facts, indent=1) + "\n")
    print(table(facts["results"]))


if __name__ == "__main__":
    main()
