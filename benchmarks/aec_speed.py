"""How fast the AEC environment is, compared with PettingZoo's own card and board games, in the loop that users write.

    python benchmarks/aec_speed.py [--seconds 0.5] [--repeats 7]

Connect Four and Leduc Hold'em are measured if they can be imported (pip install "pettingzoo[classic]"). The contestants
take turns, each is charged its own CPU time, and the median of the repeats counts, so a busy machine changes little.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from crypt_env import crypt_v0
from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import amount, count

PEERS = {"Connect Four": "connect_four_v3", "Leduc Hold'em": "leduc_holdem_v4"}
REFERENCE = "Connect Four"
Env = AECEnv[str, Any, Any]
Chooser = Callable[[Env, str, Any], Any]


def drawing(seed: int) -> Chooser:
    """Return a chooser that draws from the indices of the mask."""
    rng = np.random.default_rng(seed)
    return lambda env, agent, observation: rng.choice(np.flatnonzero(observation["action_mask"]))


def sampling(env: Env, agent: str, observation: dict[str, Any]) -> Any:
    """Sample from the action space with the mask."""
    return env.action_space(agent).sample(observation["action_mask"])


def first(env: Env, agent: str, observation: dict[str, Any]) -> Any:
    """Take the first legal action, so that only the environment takes time."""
    return observation["action_mask"].argmax()


CHOOSERS: dict[str, Chooser] = {
    "rng.choice(flatnonzero(mask))": drawing(1),
    "action_space.sample(mask)": sampling,
    "first legal action": first,
}


def contestants() -> dict[str, dict[str, Env]]:
    """Return all games, each as `env` and as `raw_env`."""
    envs: dict[str, dict[str, Env]] = {}
    for players in (2, 4):
        made = {"env": crypt_v0.env(players=players), "raw_env": crypt_v0.raw_env(players=players)}
        envs[f"Crypt, {players} players"] = made
    for name, module in PEERS.items():
        try:
            peer = import_module(f"pettingzoo.classic.{module}")
            envs[name] = {"env": peer.env(), "raw_env": peer.raw_env()}
        except Exception as error:  # the package may be missing, or a system library that it needs
            print(f"{name} is left out: {error}")
    return envs


def rate(env: Env, choose: Chooser, seconds: float) -> float:
    """Play for some seconds; return the decisions per second of CPU time."""
    decisions, start = 0, time.process_time()
    while (passed := time.process_time() - start) < seconds:
        env.reset()
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(choose(env, agent, observation))
            decisions += 1
    return decisions / passed


def measure(seconds: float, repeats: int) -> dict[tuple[str, str, str], float]:
    """Return the median rate of each game, environment and chooser."""
    envs = contestants()
    rates: dict[tuple[str, str, str], list[float]] = {}
    for repeat in range(repeats + 1):
        for chooser, choose in CHOOSERS.items():
            for name, kinds in envs.items():
                for kind, env in kinds.items():
                    found = rate(env, choose, seconds if repeat else 0.02)
                    if repeat:  # the first round only warms up
                        rates.setdefault((name, kind, chooser), []).append(found)
    return {key: statistics.median(found) for key, found in rates.items()}


def as_table(medians: dict[tuple[str, str, str], float]) -> str:
    """Return the medians as a table in Markdown."""
    head = "Decisions a second, in thousands (in brackets: how many times those of Connect Four's `env`, if it is here)"
    rows = []
    for name, kind in dict.fromkeys((name, kind) for name, kind, _ in medians):
        cells = []
        for chooser in CHOOSERS:
            found, reference = medians[name, kind, chooser], medians.get((REFERENCE, "env", chooser))
            cells.append(f"{found / 1e3:.1f}" + (f" ({found / reference:.1f})" if reference else ""))
        rows.append((name, f"`{kind}`", *cells))
    return f"{head}\n\n" + markdown_table(("game", "environment", *(f"`{name}`" for name in CHOOSERS)), rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=amount, default=0.5, help="for each measurement")
    parser.add_argument("--repeats", type=count, default=7)
    arguments = parser.parse_args()
    print(as_table(measure(arguments.seconds, arguments.repeats)))


if __name__ == "__main__":
    main()
