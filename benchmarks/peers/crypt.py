"""Crypt: the batch, one game a call, and PettingZoo's loop."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from loop import Play, main

from crypt_env import Batch, crypt_v0


def batch(players: int) -> Callable[[], Play]:
    """A thousand games with observations and masks; actions are drawn in the engine."""

    def make() -> Play:
        games = Batch(1024, players=players, seed=1)
        games.reset()

        def play() -> int:
            games.step_random()
            return 1024

        return play

    return make


def single() -> Play:
    """One game a call; Python chooses the action from the mask, as it does in the loops of other projects."""
    game = Batch(1, players=2, seed=1)
    mask = game.reset().masks[0]

    def play() -> int:
        for _ in range(1000):
            game.step(np.array([random.choice(mask.nonzero()[0])]))
        return 1000

    return play


def aec(players: int) -> Callable[[], Play]:
    """The loop of PettingZoo's documentation."""

    def make() -> Play:
        env = crypt_v0.env(players=players)
        env.reset(seed=1)

        def play() -> int:
            env.reset()
            decisions = 0
            for agent in env.agent_iter():
                observation, _, over, _, _ = env.last()
                env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
                decisions += not over
            return decisions

        return play

    return make


main(
    {
        "batch, 1 player": batch(1),
        "batch, 2 players": batch(2),
        "batch, 4 players": batch(4),
        "one game a call, 2 players": single,
        "AEC, 2 players": aec(2),
        "AEC, 4 players": aec(4),
    },
    ("crypt-env", "numpy", "numba", "pettingzoo"),
)
