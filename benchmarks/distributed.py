"""How well workers share a training: decisions that PPO learns from per second, and what exchanging gradients costs.

    python benchmarks/distributed.py [--rollouts 3] [--repeats 5] [--minibatches 4096 16384] [--json FILE]

All train the same network, two hidden layers of 256, on two cores: one process with two threads, as training.train
does, one process with one thread, and two workers. The rollouts are those of configs/duel.yaml, 512 games of 64 steps,
or as many more games as the minibatches are larger. Each contestant is a process of its own, they take turns, and
medians count. The efficiency is the rate beside that of the two threads.

A second table is a model on paper, of machines with eight cores: one thread as it was measured, by processor time; sums
within each machine as they were measured of two workers, and then a ring of the machines, in which one takes 2 (M - 1)
messages, each after the other, and sends 2 (M - 1) / M times the gradients.
"""

from __future__ import annotations

import argparse
import os
import platform
import socket
import statistics
import time
from typing import Any, NamedTuple

import numpy as np
import torch

from crypt_env.arena.cluster import ray_cluster
from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import count, new_file
from crypt_env.experiment.process import tune_process
from crypt_env.files import write_json
from crypt_env.ppo import Exchange, FastMaskablePPO, Group, SelfPlayVecEnv, trunk
from crypt_env.ppo.policy import has_bf16

GAMES, STEPS, MINIBATCH, EPOCHS, WIDTH = 512, 64, 4096, 4, 256
CORES, LATENCY, BANDWIDTH = 8, 50e-6, 1.25e9
"""Of the cluster on paper: cores of a machine, seconds for a message, bytes a second (10 Gbit/s)."""
PINGS = 50
"""Exchanges that are timed by themselves."""


class Kind(NamedTuple):
    """A contestant."""

    workers: int
    threads: int


KINDS = {
    "one process, 2 threads": Kind(1, 2),
    "one process, 1 thread": Kind(1, 1),
    "2 workers": Kind(2, 1),
}
REFERENCE = "one process, 2 threads"


class Worker:
    """A worker of a contestant, in a process of its own."""

    def __init__(self, kind: Kind, rank: int, port: int, minibatch: int) -> None:
        """Make the games and the network."""
        tune_process()
        self._exchange = Exchange()
        if kind.workers > 1:
            address = f"tcp://127.0.0.1:{port}"
            torch.distributed.init_process_group("gloo", address, rank=rank, world_size=kind.workers)
            self._exchange = Group()
        start, stop = self._exchange.part(GAMES * minibatch // MINIBATCH)
        self._model = FastMaskablePPO(
            "MlpPolicy",
            SelfPlayVecEnv(stop - start, 2, first_index=start),
            learning_rate=3e-4,
            n_steps=STEPS,
            batch_size=minibatch,
            n_epochs=EPOCHS,
            policy_kwargs=trunk([2], [WIDTH, WIDTH]),
            seed=1,
            workers=kind.threads,
            exchange=self._exchange,
        )

    def train(self, rollouts: int) -> dict[str, float]:
        """Train for some rollouts; return what they took."""
        model, exchange = self._model, self._exchange
        before, sent, decisions, playing = exchange.seconds, exchange.bytes, 0, 0.0
        processor, start = time.process_time(), time.perf_counter()
        _, callback = model._setup_learn(10**9, reset_num_timesteps=False)
        for _ in range(rollouts):
            moment = time.perf_counter()
            model.collect_rollouts(model.env, callback)
            playing += time.perf_counter() - moment
            model.train()
            decisions += len(model._rows)
        return {
            "seconds": time.perf_counter() - start,
            "processor seconds": time.process_time() - processor,
            "decisions": decisions,
            "playing": playing,
            "exchanging": exchange.seconds - before,
            "bytes": exchange.bytes - sent,
        }

    def ping(self, numbers: int) -> float:
        """Return the seconds that a sum of this many numbers takes."""
        values, group = [torch.zeros(numbers)], Group()
        times = []
        for _ in range(PINGS):
            start = time.perf_counter()
            group.add(values)
            times.append(time.perf_counter() - start)
        return statistics.median(times)


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start(ray: Any, minibatch: int) -> dict[str, list[Any]]:
    """Start the processes of all contestants, and have them play and learn once."""
    made = {}
    for name, kind in KINDS.items():
        port = free_port()
        actor = ray.remote(num_cpus=0)(Worker)
        made[name] = [actor.remote(kind, rank, port, minibatch) for rank in range(kind.workers)]
    for workers in made.values():
        ray.get([worker.train.remote(1) for worker in workers])
    return made


def measure(ray: Any, minibatch: int, rollouts: int, repeats: int) -> dict[str, Any]:
    """Return what was measured with a size of minibatches, by contestant."""
    made = start(ray, minibatch)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in made}
    for _ in range(repeats):
        for name, workers in made.items():
            parts = ray.get([worker.train.remote(rollouts) for worker in workers])
            found[name].append(together(parts))
    size = sum(weight.numel() for weight in make_network().parameters())
    pings = {
        numbers: ray.get([worker.ping.remote(numbers) for worker in made["2 workers"]])[0] for numbers in (1, size)
    }
    for workers in made.values():
        for worker in workers:
            ray.kill(worker)
    results = {
        name: {key: statistics.median(turn[key] for turn in turns) for key in turns[0]} for name, turns in found.items()
    }
    rates = {name: np.array([turn["rate"] for turn in found[name]]) for name in KINDS}
    for name, measured in rates.items():
        results[name]["efficiency"] = float(np.median(measured / rates[REFERENCE]))
    return {"results": results, "exchange of one number": pings[1], "exchange of all": pings[size], "turns": found}


def make_network() -> Any:
    """Return the network that is trained."""
    return FastMaskablePPO(
        "MlpPolicy", SelfPlayVecEnv(1, 2), n_steps=2, policy_kwargs=trunk([2], [WIDTH, WIDTH])
    ).policy


def together(parts: list[dict[str, float]]) -> dict[str, float]:
    """Return what one turn of a contestant came to."""
    seconds = max(part["seconds"] for part in parts)
    decisions = sum(part["decisions"] for part in parts)
    return {
        "rate": decisions / seconds,
        "playing": statistics.mean(part["playing"] / part["seconds"] for part in parts),
        "exchanging": statistics.mean(part["exchanging"] / part["seconds"] for part in parts),
        "bytes a decision": parts[0]["bytes"] * len(parts) / decisions,
        "core hours for a billion": sum(part["processor seconds"] for part in parts) / decisions * 1e9 / 3600,
    }


def table(results: dict[str, Any]) -> str:
    """Return the results as a table in Markdown."""
    columns = ["minibatch", "contestant", "thousand decisions a second", "efficiency", "playing", "exchanging"]
    columns += ["bytes sent for a decision", "core hours for a billion"]
    rows = []
    for minibatch, measured in results.items():
        for name, row in measured["results"].items():
            cells = [f"{row['rate'] / 1e3:.1f}", f"{row['efficiency']:.2f}", f"{row['playing']:.0%}"]
            cells += [f"{row['exchanging']:.0%}", f"{row['bytes a decision']:.0f}"]
            rows.append((minibatch, name, *cells, f"{row['core hours for a billion']:.1f}"))
    return markdown_table(columns, rows)


def modelled(speed: float, here: float, size: int, workers: int, minibatch: int) -> float:
    """Return the efficiency of workers on machines of a cluster, beside as many that need not exchange anything.

    Args:
        speed: decisions that one learns from per second.
        here: seconds that a sum takes within a machine.
        size: bytes of the gradients.
        workers: how many.
        minibatch: decisions of each worker in a minibatch.
    """
    alone = minibatch / speed  # for as much as is learned in EPOCHS minibatches
    machines = -(-workers // CORES)
    rounds = 2 * (machines - 1)
    return alone / (alone + EPOCHS * (here + rounds * LATENCY + rounds / machines * size / BANDWIDTH))


def model_table(measured: dict[str, Any]) -> str:
    """Return the model as a table in Markdown."""
    speed = 1e9 / 3600 / measured["results"]["one process, 1 thread"]["core hours for a billion"]
    sizes = (512, 1024, 4096, 16384)
    size = 4 * sum(weight.numel() for weight in make_network().parameters())
    rows = []
    for workers in (2, 8, 16, 32, 64, 128, 256):
        shares = [modelled(speed, measured["exchange of all"], size, workers, each) for each in sizes]
        rows.append((workers, *(f"{share:.0%}, {share * workers * speed / 1e6:.2f} M/s" for share in shares)))
    return markdown_table(("workers", *(f"{each} each" for each in sizes)), rows)


def main() -> None:
    """Measure, print a table and write everything to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rollouts", type=count, default=3, help="in each turn")
    parser.add_argument("--repeats", type=count, default=5, help="turns of each contestant")
    parser.add_argument("--minibatches", type=count, nargs="+", default=[MINIBATCH, 4 * MINIBATCH])
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all measurements")
    options = parser.parse_args()
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - like all other processes
    before = os.getloadavg()
    with ray_cluster(4) as ray:
        results = {str(m): measure(ray, m, options.rollouts, options.repeats) for m in options.minibatches}
    after = os.getloadavg()
    facts = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "bf16": has_bf16(),
        "torch": torch.__version__,
        "load before": before,
        "load after": after,
    }
    print(f"{facts['cores']} cores, load {before[0]:.1f} before and {after[0]:.1f} after\n")
    print(table(results))
    for minibatch, measured in results.items():
        one, whole = measured["exchange of one number"] * 1e3, measured["exchange of all"] * 1e3
        print(f"\nminibatches of {minibatch}: the sum of one number takes {one:.2f} ms, that of all {whole:.2f} ms")
    print("\nOn paper, by decisions of each worker in a minibatch: efficiency, and decisions a second\n")
    print(model_table(next(iter(results.values()))))
    if options.json is not None:
        write_json(options.json, {**facts, "results": results})


if __name__ == "__main__":
    main()
