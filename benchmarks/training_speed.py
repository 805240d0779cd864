"""How fast training is: decisions that PPO learns from per second, updates included.

    python benchmarks/training_speed.py [--widths 256 128 64] [--players 2] [--seconds 8] [--repeats 3] [--json FILE]

All train the same network on rollouts of 32768 decisions (8192 with ordinary environments), in minibatches of 4096,
for four epochs. Decisions that nothing can be learned from are not counted. The contestants take turns, and the median
of the repeats counts. Stock MaskablePPO is measured with one and with two torch threads, and the better result counts;
the fast trainer has threads of its own, and one torch thread.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import amount, count, new_file
from crypt_env.envs.sb3 import SeatVecEnv
from crypt_env.envs.single import SeatEnv
from crypt_env.experiment.process import keep_memory
from crypt_env.files import write_json
from crypt_env.ppo.fast import FastMaskablePPO
from crypt_env.ppo.policy import has_bf16, trunk
from crypt_env.ppo.reference import SeatMaskablePPO
from crypt_env.ppo.selfplay import SelfPlayVecEnv

GAMES, STEPS, FEW, FEW_STEPS = 512, 64, 8, 1024
Setup = tuple[Callable[[], Any], tuple[int, ...]]
"""A function that makes a model, and the numbers of torch threads to try."""


def model(kind: type[MaskablePPO], venv: Any, players: int, width: int, steps: int = STEPS, **options: Any) -> Any:
    """Return a model with two hidden layers of a width."""
    return kind(
        "MlpPolicy",
        venv,
        learning_rate=3e-4,
        n_steps=steps,
        batch_size=4096,
        n_epochs=4,
        policy_kwargs=trunk([players], [width, width]),
        seed=1,
        device="cpu",
        **options,
    )


def contestants(players: int, width: int) -> dict[str, Setup]:
    """Return everything to measure, by name."""

    def fast(workers: int) -> Any:
        return model(FastMaskablePPO, SelfPlayVecEnv(GAMES, players), players, width, workers=workers)

    def ordinary() -> Any:
        games = DummyVecEnv([partial(SeatEnv, players, index=index) for index in range(FEW)])
        return model(MaskablePPO, games, players, width, FEW_STEPS)

    return {
        "fast, 2 workers": (lambda: fast(2), (1,)),
        "fast, 1 worker": (lambda: fast(1), (1,)),
        "stock in self-play": (lambda: model(SeatMaskablePPO, SelfPlayVecEnv(GAMES, players), players, width), (1, 2)),
        "stock, native SeatVecEnv": (lambda: model(MaskablePPO, SeatVecEnv(GAMES, players), players, width), (1, 2)),
        f"stock, {FEW} ordinary envs": (ordinary, (1, 2)),
    }


def used(learner: Any) -> int:
    """Return the number of decisions in the last rollout that can be learned from."""
    if isinstance(learner, FastMaskablePPO):
        return len(learner._rows)
    buffer = learner.rollout_buffer
    if isinstance(learner, SeatMaskablePPO):
        return int((buffer.is_closed & buffer.is_learner).sum())
    return int(buffer.buffer_size * buffer.n_envs)


def rate(learner: Any, threads: int, seconds: float) -> float:
    """Train for some seconds, at least one rollout; return the decisions learned from per second."""
    torch.set_num_threads(threads)
    decisions, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds or not decisions:
        learner.learn(learner.n_steps * learner.n_envs, reset_num_timesteps=False)
        decisions += used(learner)
    return decisions / (time.perf_counter() - start)


def measure(players: int, width: int, seconds: float, repeats: int) -> dict[str, dict[str, Any]]:
    """Return the median rate of each contestant, by name, and what was measured for each number of threads."""
    setups = contestants(players, width)
    learners = {name: make() for name, (make, _) in setups.items()}
    rates: dict[str, dict[int, list[float]]] = {name: {count: [] for count in setups[name][1]} for name in setups}
    for learner in learners.values():
        rate(learner, 1, 0.0)  # compiles everything, and deals the games
    for _ in range(repeats):
        for name, learner in learners.items():
            for threads, found in rates[name].items():
                found.append(rate(learner, threads, seconds))
    results = {}
    for name, by_threads in rates.items():
        medians = {threads: statistics.median(found) for threads, found in by_threads.items()}
        best = max(medians, key=medians.__getitem__)
        results[name] = {"decisions a second": medians[best], "torch threads": best, "all": by_threads}
    return results


def table(results: dict[str, dict[str, dict[str, Any]]]) -> str:
    """Return the results as a table in Markdown, in thousands of decisions per second."""
    rows = [
        (name, *(f"{found[name]['decisions a second'] / 1e3:.1f}" for found in results.values()))
        for name in next(iter(results.values()))
    ]
    return markdown_table(("thousand decisions a second", *(f"2 x {width}" for width in results)), rows)


def main() -> None:
    """Measure, print a table and write everything to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--widths", type=count, nargs="+", default=[256, 128, 64], help="of the two hidden layers")
    parser.add_argument("--players", type=int, choices=(1, 2, 3, 4), default=2)
    parser.add_argument("--seconds", type=amount, default=8, help="for each measurement")
    parser.add_argument("--repeats", type=count, default=3)
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all measurements")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("medium")
    keep_memory()
    results = {str(w): measure(options.players, w, options.seconds, options.repeats) for w in options.widths}
    facts = {
        "players": options.players,
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "bf16": has_bf16(),
        "torch": torch.__version__,
        "load": os.getloadavg(),
    }
    print(f"{options.players} players, {facts['cores']} cores, bf16: {has_bf16()}, load {facts['load'][0]:.1f}\n")
    print(table(results))
    if options.json is not None:
        write_json(options.json, {**facts, "results": results})


if __name__ == "__main__":
    main()
