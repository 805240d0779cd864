"""How fast the vector environments are, compared with the engine alone, on which they are built.

    python benchmarks/vector_speed.py [--games 1024] [--seconds 0.5] [--repeats 7]

Every seat plays uniformly at random. The time to choose the learners' actions between the steps is not counted. The
contestants take turns, each is charged its own CPU time, and the median of the repeats counts, so a busy machine
changes little. Decisions of all seats count: those of opponents cost an environment as much as the learner's.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env import Batch
from crypt_env.arena.formats import markdown_line, markdown_table
from crypt_env.console.arguments import amount, count
from crypt_env.envs.vector import SeatVectorEnv

Masks = NDArray[np.bool_]
Step = Callable[[NDArray[np.int64]], Masks]
"""Plays actions and returns the next masks."""

ENGINE = "Batch.step"


def engine(games: int, players: int) -> tuple[Masks, Step]:
    """Return the first masks and the step of the engine alone."""
    batch = Batch(games, players, seed=1)
    return batch.reset().masks, lambda actions: batch.step(actions).masks


def vector_env(games: int, players: int) -> tuple[Masks, Step]:
    """Return the first masks and the step of Gymnasium's VectorEnv."""
    envs = SeatVectorEnv(games, players)
    _, infos = envs.reset(seed=1)
    return infos["action_mask"].view(np.bool_), lambda actions: envs.step(actions)[4]["action_mask"].view(np.bool_)


def sb3_env(games: int, players: int) -> tuple[Masks, Step] | None:
    """Return the first masks and the step of Stable-Baselines3's VecEnv, with masks fetched as its learners do."""
    try:
        from sb3_contrib.common.maskable.utils import get_action_masks

        from crypt_env.envs.sb3 import SeatVecEnv
    except ImportError:
        return None
    venv = SeatVecEnv(games, players)
    venv.seed(1)
    venv.reset()

    def step(actions: NDArray[np.int64]) -> Masks:
        venv.step(actions)
        return get_action_masks(venv)

    return get_action_masks(venv), step


def contestants(games: int, players: int) -> dict[str, list[Any]]:
    """Return everything to measure, by name: masks and step."""
    made = {
        ENGINE: engine(games, players),
        "VectorEnv": vector_env(games, players),
        "VecEnv and its masks": sb3_env(games, players),
    }
    return {name: list(found) for name, found in made.items() if found is not None}


def rate(contestant: list[Any], seconds: float, rng: np.random.Generator) -> float:
    """Play for some seconds of the steps' own CPU time; return the learners' decisions per second."""
    masks, step = contestant
    steps, passed = 0, 0.0
    while passed < seconds:
        actions = (rng.random(masks.shape, np.float32) * masks).argmax(axis=1)
        start = time.process_time()
        masks = step(actions)
        passed += time.process_time() - start
        steps += 1
    contestant[0] = masks
    return steps * len(masks) / passed


def measure(games: int, players: int, seconds: float, repeats: int) -> dict[str, float]:
    """Return the median rates, decisions of all seats counted."""
    rng = np.random.default_rng(1)
    found = contestants(games, players)
    rates: dict[str, list[float]] = {name: [] for name in found}
    for repeat in range(repeats + 1):
        for name, contestant in found.items():
            decided = rate(contestant, seconds if repeat else 0.05, rng)
            if repeat:  # the first round only warms up
                rates[name].append(decided * (1 if name == ENGINE else players))
    return {name: statistics.median(values) for name, values in rates.items()}


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=count, default=1024)
    parser.add_argument("--seconds", type=amount, default=0.5, help="for each measurement")
    parser.add_argument("--repeats", type=count, default=7)
    options = parser.parse_args()
    print(f"{options.games} games, million decisions a second (in brackets: as a share of the engine alone)\n")
    for players in (1, 2, 3, 4):
        medians = measure(options.games, players, options.seconds, options.repeats)
        if players == 1:
            print(markdown_table(("players", *medians), []))
        cells = [f"{found / 1e6:.2f} ({found / medians[ENGINE]:.2f})" for found in medians.values()]
        print(markdown_line((players, *cells)))


if __name__ == "__main__":
    main()
