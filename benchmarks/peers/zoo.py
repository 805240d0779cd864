"""PettingZoo's classic games, in the loop of its documentation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module

from loop import Play, main

GAMES = ("connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4", "texas_holdem_no_limit_v6", "hanabi_v5")


def game(name: str) -> Callable[[], Play]:
    """Return what makes the loop of a game."""

    def make() -> Play:
        warnings.simplefilter("ignore")
        env = import_module(f"pettingzoo.classic.{name}").env()
        env.reset(seed=1)

        def play() -> int:
            env.reset()
            decisions = 0
            for agent in env.agent_iter():
                observation, _, ended, cut, _ = env.last()
                over = ended or cut
                env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
                decisions += not over
            return decisions

        return play

    return make


main({f"AEC, {name.rpartition('_')[0]}": game(name) for name in GAMES}, ("pettingzoo", "rlcard", "shimmy"))
