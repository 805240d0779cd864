"""EnvPool: many environments a call, one thread. It has no board games, so these are a classic and an Atari game."""

from __future__ import annotations

from collections.abc import Callable

import envpool
import numpy as np
from loop import Play, main

GAMES = ("CartPole-v1", "Pong-v5")
BATCH = {"CartPole-v1": 1024, "Pong-v5": 64}


def game(name: str) -> Callable[[], Play]:
    """Return what makes the loop of a game."""

    def make() -> Play:
        count = BATCH[name]
        envs = envpool.make(name, env_type="gymnasium", num_envs=count, num_threads=1, seed=1)
        envs.reset()
        random = np.random.default_rng(1)

        def play() -> int:
            envs.step(random.integers(envs.action_space.n, size=count))
            return count

        return play

    return make


main({f"batch, {name}": game(name) for name in GAMES}, ("envpool",))
