"""How long several trainers take until they play the Only Child with 45 and with 50 coins, on the same machine.

    python benchmarks/time_to_strength.py [--minutes 6] [--games 2048] [--only NAME ...] [--json FILE]

One trainer after the other learns for this many minutes, each in a process of its own, with all cores to itself. About
every ten seconds the network plays its likeliest actions on deals that are not for training; that takes no part of the
minutes of the trainers below "our trainer". Processor time is of all processes of a trainer, and says more than minutes
where others use the machine, too.

our trainer            training.train configs/quick.yaml, the run of make train
MaskablePPO, tuned     the same settings with Stable-Baselines3's algorithm: trainer=stock
MaskablePPO, defaults  the defaults of sb3-contrib on eight games, paid at the end
CleanRL-style PPO      examples/ppo_from_scratch.py on 256 games of the Only Child, paid as soon as coins are certain
RLlib                  crypt_env.envs.rllib with the settings of configs/quick.yaml

With --only, the others' numbers stay in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crypt_env.agents.registry import AnyAgent
from crypt_env.arena import SELECTION_SEED, round_robin
from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import amount, count, new_file
from crypt_env.experiment.curves import read_curves
from crypt_env.files import write_json

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "configs" / "quick.yaml"
GOALS = (45, 50)
EVERY = 10
"""Seconds of training between evaluations."""
MOST = 9_000_000
"""Decisions over which RLlib lowers learning rate and entropy; it cannot lower them by the clock."""


class Clock:
    """Counts the time of a training without that of its evaluations."""

    def __init__(self, minutes: float, games: int, processor: Callable[[], float] = time.process_time) -> None:
        """Start; ``processor`` returns the seconds of processor time that the training has used."""
        self.rows: list[dict[str, float]] = []
        self._limit, self._games, self._processor = 60 * minutes, games, processor
        self._seconds = self._used = self._next = 0.0
        self._resume()

    def _resume(self) -> None:
        """Go on counting."""
        self._since, self._used_since = time.perf_counter(), self._processor()

    def is_over(self, decisions: int, player: Callable[[], AnyAgent]) -> bool:
        """Evaluate if it is time to, and return whether the training is to end."""
        self._seconds += time.perf_counter() - self._since
        self._used += self._processor() - self._used_since
        if self._seconds >= self._next:
            self._next = self._seconds + EVERY
            coins = round_robin([player()], 1, self._games, "even", SELECTION_SEED).solos[0].coins
            row = {"decisions": decisions, "seconds": round(self._seconds, 1), "coins": coins.value}
            row |= {"coins low": coins.low or 0.0, "coins high": coins.high or 0.0}
            self.rows.append({**row, "processor seconds": round(self._used, 1)})
            print(self.rows[-1], file=sys.stderr, flush=True)
        self._resume()
        return self._seconds >= self._limit


def trained(minutes: float, games: int, *changes: str) -> list[dict[str, float]]:
    """Train by training.train, evaluations included in its minutes; the last row has the processor time of all."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        settings = [f"minutes={minutes}", "decisions=1_000_000_000", f"evaluate_games={games}", "compare=[]"]
        command = [sys.executable, "-m", "training.train", str(CONFIG), *settings, "tensorboard=false", *changes]
        run = Path(folder) / "run"
        subprocess.run([*command, "--out", str(run)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        columns, names = read_curves(run), ("decisions", "seconds", "coins", "coins low", "coins high")
        rows = [{name: float(columns[name][row]) for name in names} for row in range(len(columns["seconds"]))]
    rows[-1]["processor seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return rows


def ours(minutes: float, games: int) -> list[dict[str, float]]:
    """Train as `make train` does, for longer or shorter."""
    return trained(minutes, games, "evaluate_every=100_000")


def tuned(minutes: float, games: int) -> list[dict[str, float]]:
    """Train by sb3-contrib's MaskablePPO with the same settings."""
    return trained(minutes, games, "evaluate_every=100_000", "trainer=stock")


def stock(minutes: float, games: int) -> list[dict[str, float]]:
    """Train by sb3-contrib's MaskablePPO with its defaults."""
    from sb3_contrib import MaskablePPO

    from crypt_env.envs.sb3 import PolicyAgent, SeatVecEnv

    model = MaskablePPO("MlpPolicy", SeatVecEnv(8, players=1), seed=1)
    clock = Clock(minutes, games)
    while not clock.is_over(model.num_timesteps, lambda: PolicyAgent(model)):
        model.learn(1, reset_num_timesteps=False)  # one rollout
    return clock.rows


def cleanrl(minutes: float, games: int) -> list[dict[str, float]]:
    """Train by the example in plain torch."""
    import gymnasium
    import numpy as np
    import torch

    sys.path.insert(0, str(ROOT / "examples"))
    import ppo_from_scratch as example

    torch.manual_seed(1)
    network = example.Network()
    envs = gymnasium.make_vec("crypt_env/OnlyChild-v0", num_envs=example.GAMES, dense=True)
    envs = gymnasium.wrappers.vector.TransformReward(envs, lambda coins: coins * 0.1)
    clock = Clock(minutes, games)

    def choose(observations: Any, masks: Any) -> Any:
        with torch.no_grad():
            distribution, _ = network(torch.as_tensor(observations), torch.as_tensor(masks).bool())
        return np.asarray(distribution.probs.argmax(dim=1))

    def report(update: int, _: list[float]) -> None:
        if clock.is_over(update * example.GAMES * example.STEPS, lambda: choose):
            raise StopIteration

    with suppress(StopIteration):
        example.learn(envs, network, 10**12, report)
    return clock.rows


def rllib(minutes: float, games: int) -> list[dict[str, float]]:
    """Train by RLlib's PPO: two processes that play, and one that learns."""
    import ray
    import torch

    from crypt_env.envs.rllib import export_network

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - like all other processes
    torch.set_num_threads(1)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    algorithm = rllib_config().build_algo()

    def processor() -> float:
        group = algorithm.env_runner_group
        remote = group.foreach_env_runner(lambda runner: time.process_time(), local_env_runner=False)
        return time.process_time() + float(sum(remote))

    with tempfile.TemporaryDirectory() as folder:

        def player() -> str:
            export_network(Path(folder) / "network", algorithm)
            return f"net:{folder}/network"

        clock = Clock(minutes, games, processor)
        decisions = 0
        while not clock.is_over(decisions, player):
            result = algorithm.train()
            decisions = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        algorithm.stop()
        ray.shutdown()
    return clock.rows


def rllib_config() -> Any:
    """Return the settings of configs/quick.yaml as a configuration of RLlib, for two processes that play."""
    from crypt_env.envs.rllib import ppo_config
    from crypt_env.experiment.settings import load_settings

    settings = load_settings(CONFIG, [f"decisions={MOST}"])
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
    return config.env_runners(num_env_runners=2, num_envs_per_env_runner=settings.games // 2).training(
        train_batch_size_per_learner=settings.games * settings.steps,
        minibatch_size=settings.minibatch,
        num_epochs=settings.epochs,
        entropy_coeff=[[0, settings.entropy], [settings.decisions, settings.final_entropy]],
    )


TRAINERS = {
    "our trainer": ours,
    "MaskablePPO, tuned": tuned,
    "MaskablePPO, defaults": stock,
    "CleanRL-style PPO": cleanrl,
    "RLlib": rllib,
}


def table(results: dict[str, list[dict[str, float]]]) -> str:
    """Return the results as a table in Markdown."""
    lines = []
    for name, rows in results.items():
        last, cells = rows[-1], []
        for goal in GOALS:
            first = next((row for row in rows if row["coins"] >= goal), None)
            cells.append(f"{first['seconds']:.0f}" if first else "not reached")
        half = (last["coins high"] - last["coins low"]) / 2
        budget = (last["seconds"] / 60, last["decisions"] / 1e6, last["processor seconds"] / 60)
        lines.append((name, *cells, f"{last['coins']:.1f} ± {half:.1f}", *(f"{number:.1f}" for number in budget)))
    goals = [f"seconds to {goal} coins" for goal in GOALS]
    header = ("", *goals, "coins at the end", "after minutes", "million decisions", "processor minutes")
    return markdown_table(header, lines)


def main() -> None:
    """Train all, print a table and write everything to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=amount, default=6, help="of training, for each (default 6)")
    parser.add_argument("--games", type=count, default=2048, help="of an evaluation (default 2048)")
    parser.add_argument("--only", choices=TRAINERS, nargs="+", metavar="NAME", help="train only these")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all evaluations")
    parser.add_argument("--child", choices=TRAINERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(TRAINERS[options.child](options.minutes, options.games)))
        return
    facts: dict[str, Any] = {"cores": os.cpu_count(), "results": {}, "measured": {}}
    if options.only and options.json is not None and options.json.is_file():
        facts = json.loads(options.json.read_text(encoding="utf-8"))
    packages = ["torch", "sb3-contrib", "gymnasium", *(["ray"] if find_spec("ray") else [])]
    versions = {package: version(package) for package in packages}
    limits = ["--minutes", str(options.minutes), "--games", str(options.games)]
    for name in options.only or TRAINERS:
        print(f"{name} ...", flush=True)
        command = [sys.executable, "-W", "ignore", __file__, "--child", name, *limits]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        facts["results"][name] = json.loads(done.stdout.splitlines()[-1])
        facts["measured"][name] = {"date": date.today().isoformat(), "load": os.getloadavg(), "versions": versions}
        if options.json is not None:
            write_json(options.json, facts)
    print(table(facts["results"]))


if __name__ == "__main__":
    main()
